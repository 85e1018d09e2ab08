"""Suites in SyntaxGym's JSON (Hu et al. 2020; syntaxgym-core, docs/suite_json.rst).

There a sentence is nothing but its numbered regions, put together with spaces. What stands between
ours becomes regions without a name; what the format has no place for (text without spaces, words,
our names and ids) stands under keys of its own, ``solecism``, that other readers pass over, so that
what was written is read back equal.
"""

import warnings
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import chain, pairwise
from pathlib import Path

import pyarrow as pa

from solecism.errors import InputError, Problem, candidates, fail
from solecism.files import json_of, write_text
from solecism.formula import WHOLE, parse, place_of, unknown_terms
from solecism.inputs import COUNT, INTEGER, read_json
from solecism.schema import SUITE, ItemRow
from solecism.scoring.methods.region import METRICS

OURS = "solecism"

_REGION = {"name": str, "text": str, **dict.fromkeys(("start", "end", "first", "last"), COUNT)}
_CONDITION = {
    "condition_name": str,
    "regions": [{"region_number": INTEGER, "content": str}],
    f"{OURS}?": {"text": str, "tokens": str, "regions": [_REGION]},
}
_SUITE = {
    "meta": {
        "name": str,
        "metric": tuple(METRICS),
        "string_predictions?": [str],
        f"{OURS}?": dict.fromkeys(("phenomenon?", "modifier?", "language?"), str),
    },
    "region_meta?": {str: (str, INTEGER)},
    "predictions": [{"type": "formula", "formula": str, f"{OURS}?": str}],
    "items": [
        {"item_number": INTEGER, "conditions": [_CONDITION], f"{OURS}?": {"id?": str, "item?": str}}
    ],
}
"""The shape of the JSON (:mod:`solecism.inputs`), with what is ours."""


def read_syntaxgym(path: Path) -> pa.Table:
    """Read a suite as items (:data:`solecism.schema.SUITE`); raises :class:`InputError`.

    The text of a condition is its regions with a space between them. Blanks at the edges of regions
    and doubled ones are left out, with a warning that says in how many regions. A region is called
    by its name in ``region_meta``, by its number where the names are not all different. The files
    of Hu et al. (2020) have their predictions under ``meta``.
    """
    suite, changed = read_json(path, _SUITE, "suite"), 0
    for item in suite["items"]:
        for region in chain.from_iterable(c["regions"] for c in item["conditions"]):
            plain = " ".join(region["content"].split())
            changed += plain != region["content"]
            region["content"] = plain
    if changed:
        warnings.warn(f"{path}: blanks were left out of {changed} regions", stacklevel=2)
    meta = suite["meta"]
    predictions = [entry.get(OURS, entry["formula"]) for entry in suite["predictions"]]
    predictions = predictions or meta.get("string_predictions", [])
    if not predictions:
        raise fail("has no predictions: there is nothing to score", path)
    ours = meta.get(OURS, {})
    shared = {
        "suite": meta["name"],
        **{key: ours.get(key, "") for key in ("phenomenon", "modifier", "language")},
        "predictions": predictions,
        "metric": meta["metric"],
    }
    rows = []
    for place, item in enumerate(suite["items"], 1):
        number, names = item["item_number"], suite.get("region_meta", {})
        conditions = [
            _condition(condition, names, f"item {place}, condition {n}", path)
            for n, condition in enumerate(item["conditions"], 1)
        ]
        named = {"id": f"{meta['name']}-{number}", "item": str(number), **item.get(OURS, {})}
        rows.append({**named, "conditions": conditions, **shared})
    refuse_unknown(rows, path)
    return pa.Table.from_pylist(rows, schema=SUITE)


def _condition(
    condition: ItemRow, meta: Mapping[str, object], what: str, path: Path
) -> dict[str, object]:
    """Return a condition, with the regions that it has; ours as we wrote it, if not changed."""
    numbers = [region["region_number"] for region in condition["regions"]]
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        raise fail(f"{what}: the regions are not numbered 1, 2, ...: {numbers}", path)
    ordered = sorted(condition["regions"], key=lambda region: region["region_number"])
    contents = [region["content"] for region in ordered]
    if ours := condition.get(OURS):
        words = " ".join(filter(None, contents))
        if words != ours["tokens"]:
            message = f"{what}: its regions are {words!r}, its words {ours['tokens']!r}"
            raise fail(f"{message} (change both, or drop the key {OURS!r})", path)
        return {"name": condition["condition_name"], **ours}
    keys = [str(number) for number in sorted(numbers)]
    missing = [key for key in keys if key not in meta]
    if missing:
        near = candidates("regions", list(meta), missing[0])
        raise fail(f"region_meta has no region {missing[0]} {near}", path)
    names = [str(meta[key]).strip() for key in keys]
    plain = len(set(names)) == len(names) and all(names)
    return {"name": condition["condition_name"], **_joined(contents, names if plain else keys)}


def refuse_unknown(rows: Sequence[ItemRow], path: Path) -> None:
    """Raise for predictions that cannot be read, or are about what an item lacks."""
    problems: dict[Problem, None] = {}
    for row in rows:
        regions = {c["name"]: [r["name"] for r in c["regions"]] for c in row["conditions"]}
        for text in row["predictions"]:
            try:
                wrong = list(unknown_terms(parse(text), regions))
            except InputError as error:
                wrong = [problem.message for problem in error.problems]
            problems |= dict.fromkeys(Problem(each, str(path)) for each in wrong)
    if problems:
        raise InputError(problems)


def _joined(contents: Sequence[str], names: Sequence[str]) -> dict[str, object]:
    """Join regions with spaces; the words are what stands between spaces."""
    text, regions, words = "", [], 0
    for name, content in zip(names, contents, strict=True):
        text += " " if text and content else ""
        size = len(content.split())
        place = {"start": len(text), "end": len(text) + len(content)}
        regions.append(
            {"name": name, "text": content, **place, "first": words, "last": words + size}
        )
        text += content
        words += size
    return {"text": text, "tokens": " ".join(text.split()), "regions": regions}


def write_syntaxgym(items: Sequence[ItemRow], path: Path) -> None:
    """Write the items of one suite; raise where the format cannot hold them."""
    first = items[0]
    for item in items:
        for key in ("suite", "predictions", "metric", "phenomenon", "modifier", "language"):
            if item[key] != first[key]:
                both = f"{first[key]!r} and {item[key]!r}"
                raise fail(f"one file holds one suite: {key} is {both}", path)
    order = _order(items, path)
    # The places of regions in ``_cut``, and of gaps between them that any condition has words in.
    kept = {n for n in range(2 * len(order)) if n % 2}
    for item in items:
        for condition in item["conditions"]:
            kept |= {n for n, part in enumerate(_cut(condition, order)) if part}
    names = [order[n // 2] if n % 2 else "" for n in sorted(kept)]
    regions = {c["name"]: [r["name"] for r in c["regions"]] for c in first["conditions"]}

    def number(condition: str, region: str) -> int | str:
        place = None if region == WHOLE else place_of(region, regions[condition])
        return region if place is None else names.index(regions[condition][place]) + 1

    predictions = [
        {"type": "formula", OURS: text, "formula": parse(text).syntaxgym(number)}
        for text in first["predictions"]
    ]

    def written(condition: ItemRow) -> dict[str, object]:
        parts = _cut(condition, order)
        contents = [parts[n] for n in sorted(kept)]
        return {
            "condition_name": condition["name"],
            "regions": [{"region_number": n, "content": c} for n, c in enumerate(contents, 1)],
            OURS: {key: condition[key] for key in ("text", "tokens", "regions")},
        }

    about = {key: first[key] for key in ("phenomenon", "modifier", "language")}
    value = {
        "meta": {"name": first["suite"], "metric": first["metric"], OURS: about},
        "region_meta": {str(n): name for n, name in enumerate(names, 1)},
        "predictions": predictions,
        "items": [
            {
                "item_number": n,
                OURS: {"id": item["id"], "item": item["item"]},
                "conditions": [written(condition) for condition in item["conditions"]],
            }
            for n, item in enumerate(items, 1)
        ],
    }
    write_text(path, json_of(value))


def _order(items: Sequence[ItemRow], path: Path) -> list[str]:
    """Return all regions in an order that holds in every condition."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for item in items:
        for condition in item["conditions"]:
            names = [region["name"] for region in condition["regions"]]
            for name in names:
                sorter.add(name)
            for before, after in pairwise(names):
                sorter.add(after, before)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        found = ", ".join(map(repr, error.args[1][1:]))
        raise fail(f"regions {found} have not the same order in all conditions", path) from None


def _cut(condition: ItemRow, regions: Sequence[str]) -> list[str]:
    """Return the words before, in and after each region; none for one that the condition lacks."""
    words = condition["tokens"].split(" ") if condition["tokens"] else []
    places = {r["name"]: (r["first"], r["last"]) for r in condition["regions"]}
    parts, done = [], 0
    for name in regions:
        first, last = places.get(name, (done, done))
        parts += [" ".join(words[done:first]), " ".join(words[first:last])]
        done = last
    return [*parts, " ".join(words[done:])]
