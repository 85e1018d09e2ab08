"""Items in traditional Chinese characters, converted from simplified ones."""

from collections.abc import Callable

import pyarrow as pa

from solecism.errors import fail
from solecism.schema import ItemRow

SCRIPT = "Hant"
"""The script of converted items, which ends their language code (``zh-Hant``; ISO 15924)."""

Convert = Callable[[str], str]


def converter(conversion: str) -> Callable[[pa.Table], pa.Table]:
    """Return a function that converts tables of suite items or pairs by OpenCC.

    ``conversion`` is its name of a conversion, such as ``s2t``. Ids stay, so that an item can be
    found in both scripts. Each sentence is converted as a whole, because a word is converted by its
    context; its words and regions are then cut out by their places.

    Raises :class:`InputError` if OpenCC does not know the conversion. So does the function that is
    returned, if the number of characters changes, or if a region or prefix that several sentences
    of an item share is converted in two ways.
    """
    from opencc import OpenCC

    try:
        made: Convert = OpenCC(conversion).convert
        made("")
    except (OSError, ValueError, RuntimeError) as error:
        raise fail(f"OpenCC has no conversion {conversion!r}: {error}") from None

    def convert(text: str) -> str:
        out = made(text)
        if len(out) != len(text):
            raise fail(f"OpenCC {conversion!r} changes the length of {text!r}: {out!r}")
        return out

    def convert_table(table: pa.Table) -> pa.Table:
        convert_item = _suite if "conditions" in table.column_names else _pair
        rows = [convert_item(row, convert) for row in table.to_pylist()]
        return pa.Table.from_pylist(rows, schema=table.schema)

    return convert_table


def _suite(row: ItemRow, convert: Convert) -> ItemRow:
    """Return a suite item with the texts of its conditions and regions converted."""
    conditions = []
    known: dict[str, str] = {}
    for old in row["conditions"]:
        text = convert(old["text"])
        regions = [{**r, "text": text[r["start"] : r["end"]]} for r in old["regions"]]
        for region, shown in zip(old["regions"], regions, strict=True):
            name = f"{region['name']} {region['text']}"
            _keep(known, name, region["text"], shown["text"], text)
        tokens = _spaced(old["tokens"], text)
        conditions.append({**old, "text": text, "tokens": tokens, "regions": regions})
    return {**row, "language": f"{row['language']}-{SCRIPT}", "conditions": conditions}


def _keep(known: dict[str, str], name: str, old: str, new: str, text: str) -> None:
    """Keep what a shared part of sentences becomes; raises :class:`InputError` if it differs."""
    if known.setdefault(name, new) != new:
        raise fail(f"{old!r} becomes {known[name]!r} and, in {text!r}, {new!r}: reword the item")


def _spaced(tokens: str, text: str) -> str:
    """Return the characters of a text with spaces where ``tokens`` has them.

    Characters of the text that ``tokens`` lacks at its end, such as a full stop, are left out.
    """
    characters = iter(text.replace(" ", ""))
    return "".join(c if c == " " else next(characters) for c in tokens)


_PREFIXES = (
    ("good", "one_prefix_prefix", "one_prefix_word_good"),
    ("bad", "one_prefix_prefix", "one_prefix_word_bad"),
    ("good", "two_prefix_prefix_good", "two_prefix_word"),
    ("bad", "two_prefix_prefix_bad", "two_prefix_word"),
)
"""A side, and the columns of a prefix of it and of the word after that."""


def _pair(row: ItemRow, convert: Convert) -> ItemRow:
    """Return a pair with all of its texts converted."""
    texts = {side: convert(row[f"sentence_{side}"]) for side in ("good", "bad")}
    cut: dict[str, str] = {}
    for side, text in texts.items():
        cut[f"sentence_{side}"], cut[f"tokens_{side}"] = text, _spaced(row[f"tokens_{side}"], text)
    for side, prefix, word in _PREFIXES:
        before, after, text = row[prefix], row[word], texts[side]
        if before is not None and after is not None:
            start = row[f"sentence_{side}"].index(after, len(before))
            _keep(cut, prefix, before, text[: len(before)], text)
            _keep(cut, word, after, text[start : start + len(after)], text)
    features = row["features"].items()
    return {
        **row,
        **cut,
        "language": f"{row['language']}-{SCRIPT}",
        "slots": [_slot(slot, texts["good"], convert) for slot in row["slots"]],
        "features": {n: convert(v) if isinstance(v, str) else v for n, v in features},
    }


def _slot(slot: ItemRow, good: str, convert: Convert) -> ItemRow:
    """Return a slot converted; the form is cut out of the good sentence if it is printed there."""
    start, end = slot["good_start"], slot["good_end"]
    form = slot["form"]
    shown = good[start:end] if start is not None else form and convert(form)
    return {**slot, "lemma": slot["lemma"] and convert(slot["lemma"]), "form": shown}
