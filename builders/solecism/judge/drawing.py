"""The pairs of a study: which are drawn from a config, and the trials that they become.

Catch trials are sentences whose words are in disorder, made from the data. A person who reads
cannot take them for sentences, whatever is thought of the pairs themselves. So they say who read,
and teach nobody the labels of the data.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from solecism.errors import candidates, fail
from solecism.formula import parse
from solecism.hashing import text_hashes
from solecism.judge.design import DataSource, Item
from solecism.scoring.items import open_items

__all__ = [
    "COLUMNS", "StudyPair", "draw_pairs", "pairs_of_config", "pairs_of_suites", "pairs_of_table",
    "scramble", "scrambled",
]  # fmt: skip

COLUMNS = (
    "id", "set_id", "UID", "linguistics_term", "language", "sentence_good", "sentence_bad",
)  # fmt: skip
"""The columns of pairs that a study needs; ``tokens_good`` is used where there is one."""


@dataclass(frozen=True)
class StudyPair:
    """A pair that may become a trial; ``tokens``: the words of the good sentence, if known."""

    config: str
    id: str
    set_id: str
    uid: str
    term: str
    language: str
    good: str
    bad: str
    tokens: str = ""

    @property
    def paradigm(self) -> tuple[str, str]:
        """The config and the UID."""
        return self.config, self.uid

    def item(self, key: str, kind: str, side: str = "", **texts: str) -> Item:
        """Return the trial; ``side``: the only side that is shown; ``texts``: other sentences."""
        shown = {"good": self.good, "bad": self.bad, **texts}
        return {
            "key": key, "kind": kind, "config": self.config, "id": self.id, "set_id": self.set_id,
            "UID": self.uid, "linguistics_term": self.term, "language": self.language,
            **({side: shown[side]} if side else shown),
        }  # fmt: skip


def pairs_of_config(spec: str, conditions: str = "") -> tuple[list[StudyPair], DataSource]:
    """Return the pairs of a config, named as ``clams/he``, and what the config is.

    ``conditions``: of suites, see :func:`pairs_of_suites`. Raises :class:`InputError` for a config
    of cloze items, and for conditions of one that has pairs.
    """
    items = open_items(spec)
    items.require_pairs(spec)
    if items.kind == "cloze":
        raise fail(f"{spec!r} has cloze items: people judge pairs or suites")
    is_suite = items.kind == "suite"
    if conditions and not is_suite:
        raise fail(f"{spec!r} has pairs, no conditions: leave out --conditions")
    config = f"{items.name}/{items.config}"
    columns = [name for name in (*COLUMNS, "tokens_good") if name in items.columns]
    pairs: list[StudyPair] = []
    for table in items.tables(None if is_suite else columns):
        if is_suite:
            pairs += pairs_of_suites(table, config, conditions)
        else:
            pairs += pairs_of_table(table, config)
    return pairs, DataSource(config, items.version, items.digest)


def pairs_of_table(table: pa.Table, config: str) -> list[StudyPair]:
    """Return the pairs of a table that has the columns :data:`COLUMNS`."""
    columns = [table[name].to_pylist() for name in COLUMNS]
    has_tokens = "tokens_good" in table.column_names
    tokens = table["tokens_good"].to_pylist() if has_tokens else [""] * len(table)
    rows = zip(*columns, tokens, strict=True)
    return [StudyPair(config, *("" if cell is None else cell for cell in row)) for row in rows]


def pairs_of_suites(table: pa.Table, config: str, conditions: str = "") -> list[StudyPair]:
    """Return the pairs of conditions of suite items.

    ``conditions``: ``GOOD:BAD`` names them; else they are those of the predictions that compare two
    regions, the good one that with the lower surprisal. Conditions with the same text make no pair.
    Raises :class:`InputError` for a condition that no item has.
    """
    named = tuple(conditions.split(":")) if conditions else ()
    if conditions and len(named) != 2:
        raise fail(f"{conditions!r} does not name two conditions, as good:bad")
    rows = table.to_pylist()
    known = sorted({one["name"] for row in rows for one in row["conditions"]})
    for name in named:
        if name not in known:
            raise fail(f"unknown condition {name!r} {candidates('conditions', known, name)}")
    return [pair for row in rows for pair in _of_suite(row, config, named)]


def _of_suite(row: dict[str, Any], config: str, named: Sequence[str]) -> Iterator[StudyPair]:
    texts = {one["name"]: (one["text"], one["tokens"]) for one in row["conditions"]}
    compared = [(named[0], named[1])] if named else _compared(row["predictions"])
    for good, bad in dict.fromkeys(compared):
        if good in texts and bad in texts and texts[good][0] != texts[bad][0]:
            yield StudyPair(
                config, f"{row['id']}:{good}:{bad}", row["id"], row["suite"],
                row["phenomenon"] or "", row["language"] or "", texts[good][0], texts[bad][0],
                texts[good][1] or "",
            )  # fmt: skip


def _compared(predictions: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in predictions:
        formula = parse(text)
        if formula.comparison is not None:
            low, high = (formula.terms[place][0] for place in formula.comparison)
            if low != high:
                yield low, high


def draw_pairs(pairs: Sequence[StudyPair], number: int, seed: int) -> list[StudyPair]:
    """Return ``number`` pairs of each paradigm, each of another minimal set while there are any.

    Which: those with the lowest hashes of seed and id. Paradigms come in the order of their names.
    """
    order = _ranked(pairs, f"{seed}")
    chosen: defaultdict[tuple[str, str], list[StudyPair]] = defaultdict(list)
    spare: defaultdict[tuple[str, str], list[StudyPair]] = defaultdict(list)
    seen: set[tuple[str, str]] = set()
    for pair in order:
        name = (pair.config, pair.set_id)
        (spare if name in seen else chosen)[pair.paradigm].append(pair)
        seen.add(name)
    return [one for place in sorted(chosen) for one in (chosen[place] + spare[place])[:number]]


def _ranked(pairs: Sequence[StudyPair], salt: str) -> list[StudyPair]:
    hashes = text_hashes(f"{salt} {pair.config} {pair.id}" for pair in pairs)
    return [pairs[place] for place in np.argsort(hashes, kind="stable").tolist()]


MIN_WORDS = 4
"""The fewest different words that make a catch trial."""

_LONG = 7
"""The words from which a sentence counts as long."""


def scrambled(
    pairs: Sequence[StudyPair], number: int, seed: int, avoid: Sequence[StudyPair]
) -> list[tuple[StudyPair, str]]:
    """Return ``number`` pairs that are not among ``avoid``, each with its good sentence scrambled.

    Of each paradigm one before any has two, the paradigms with the longer sentences first. Raises
    :class:`InputError` if too few sentences have enough words.
    """
    sets = {(pair.config, pair.set_id) for pair in avoid}
    found: defaultdict[str, list[tuple[StudyPair, str]]] = defaultdict(list)
    for pair in _ranked(pairs, f"catch {seed}"):
        if len(found[pair.uid]) < number and (pair.config, pair.set_id) not in sets:
            text = scramble(pair.good, pair.tokens, seed)
            if text is not None:
                found[pair.uid].append((pair, text))
    ranked = sorted(
        ((turn, -min(len(words_of_sentence(pair.good, pair.tokens)), _LONG), uid, pair, text)
         for uid, some in found.items() for turn, (pair, text) in enumerate(some)),
        key=lambda one: one[:3],
    )  # fmt: skip
    if len(ranked) < number:
        message = f"only {len(ranked)} sentences have {MIN_WORDS} different words or more"
        raise fail(f"{message}, {number} are wanted for catch and practice trials (--catch 0)")
    return [(pair, text) for *_, pair, text in ranked[:number]]


_END = re.compile(r"[\s.!?。！？…]+$")
_TRIES = 200


def words_of_sentence(sentence: str, tokens: str | None = None) -> list[str]:
    """Return the words between spaces; of a text without spaces its tokens, else its characters.

    >>> words_of_sentence("The pilot laughs.")
    ['The', 'pilot', 'laughs']
    """
    text = _END.sub("", sentence)
    words = text.split()
    if len(words) > 1:
        return words
    parts = [token for token in (tokens or "").split() if token in text]
    return parts if len(parts) > 1 else list(text)


def scramble(sentence: str, tokens: str | None = None, seed: int = 0) -> str | None:
    """Return the words of a sentence in an order that leaves no two neighbours together.

    The shortest word, which is mostly a function word, comes last, the first word is another one,
    and the mark at the end stays. None: the sentence has too few words, or too few that differ.

    >>> scramble("The author near the pilots laughs.")
    'Pilots the laughs near author the.'
    """
    words = words_of_sentence(sentence, tokens)
    words = [words[0][:1].lower() + words[0][1:], *words[1:]] if words else []
    if len(set(words)) < MIN_WORDS:
        return None
    before = set(pairwise(words))
    last = min(range(len(words)), key=lambda place: (len(words[place]), -place))
    others = [place for place in range(len(words)) if place != last]
    for attempt in range(_TRIES):
        salt = f"{seed} {attempt} {sentence}"
        hashes = text_hashes(f"{salt} {place}" for place in range(len(words)))
        found = [words[place] for place in (*sorted(others, key=lambda n: hashes[n]), last)]
        if found[0] != words[0] and not before & set(pairwise(found)):
            body, end = _END.sub("", sentence), _END.search(sentence)
            text = (" " if " " in body else "").join(found)
            first = text[:1].upper() if sentence[:1].isupper() else text[:1]
            return first + text[1:] + (end[0] if end else "")
    return None
