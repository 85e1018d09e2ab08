"""What masked models are asked: log P of a token at a masked place, summed over the tokens of an item.

Focus, pseudo-log-likelihood and cloze put their questions in one form: a row (token ids with masks) and a
position. Each distinct row is run once, however many items ask about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import torch

from solecism.errors import candidates, fail
from solecism.score.masked_forward import Forward, Row, run_rows
from solecism.score.masked_text import Encoded, Ids

__all__ = [
    "MaskedOptions", "Memo", "Questions", "Sides", "answer", "ask_words", "require", "slices",
]  # fmt: skip

Variant = Literal["original", "within_word_l2r"]


@dataclass(frozen=True)
class MaskedOptions:
    """How masked models are asked.

    ``variant``: of the pseudo-log-likelihood; ``multi_piece``: what ``focus`` does with words of several
    tokens; ``rows``: items scored together; ``tokens``: most tokens of a batch (chosen by itself if
    ``None``); ``two_forms``: ``cloze`` compares the answer with the other forms of its lemma; ``fewest``:
    the fewest fillers of each kind.
    """

    variant: Variant = "within_word_l2r"
    multi_piece: Literal["skip", "pll"] = "skip"
    rows: int = 4096
    tokens: int | None = None
    two_forms: bool = False
    fewest: int = 10


class Memo:
    """What was answered before, by row and token; forgets the oldest half when full."""

    def __init__(self, size: int = 1 << 19) -> None:
        self._half = max(size // 2, 1)
        self._new: dict[tuple[bytes, int], float] = {}
        self._old: dict[tuple[bytes, int], float] = {}

    def get(self, key: tuple[bytes, int]) -> float | None:
        """The log probability (natural) of a token at a row's position, if it is known."""
        found = self._new.get(key)
        return self._old.get(key) if found is None else found

    def put(self, key: tuple[bytes, int], value: float) -> None:
        """Remember an answer."""
        if len(self._new) >= self._half:
            self._old, self._new = self._new, {}
        self._new[key] = value


@dataclass(eq=False)
class Questions:
    """Questions of ``count`` owners: log P of ``tokens[i]`` in row ``places[i]``, for ``owners[i]``."""

    count: int
    rows: list[Row] = field(default_factory=list)
    index: dict[bytes, int] = field(default_factory=dict)
    places: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)

    def row(self, ids: Ids, position: int) -> int:
        """The number of a row; one that was there before keeps its number."""
        key = ids.tobytes() + position.to_bytes(4, "little")
        number = self.index.setdefault(key, len(self.rows))
        if number == len(self.rows):
            self.rows.append(Row(ids, position))
        return number

    def ask(self, owner: int, ids: Ids, position: int, token: int) -> None:
        """Add a question; ``ids`` is a fresh array with the masks put in."""
        self.places.append(self.row(ids, position))
        self.tokens.append(token)
        self.owners.append(owner)


def ask_words(
    questions: Questions, owner: int, encoded: Encoded, start: int, stop: int, mask: int,
    variant: Variant | Literal["span"],
) -> None:  # fmt: skip
    """Ask about the tokens ``start`` to ``stop``, each masked in turn, as pseudo-log-likelihood does.

    ``original`` (Salazar et al. 2020, section 2) masks one token at a time; ``within_word_l2r`` (Kauf and
    Ivanova 2023, section 3) masks the later tokens of the same word as well, ``span`` all up to ``stop``.
    Added tokens are not asked.
    """
    ends = _word_ends(encoded.words) if variant == "within_word_l2r" else []
    for place in range(start, stop):
        if encoded.special[place]:
            continue
        end = {"original": place + 1, "span": stop}.get(variant) or ends[place]
        masked = encoded.ids.copy()
        masked[place:end] = mask
        questions.ask(owner, masked, place, int(encoded.ids[place]))


def _word_ends(words: Sequence[int | None]) -> list[int]:
    """Where the word of each token ends (exclusive)."""
    ends = list(range(1, len(words) + 1))
    for place in range(len(words) - 2, -1, -1):
        if words[place] is not None and words[place] == words[place + 1]:
            ends[place] = ends[place + 1]
    return ends


def answer(
    questions: Questions, forward: Forward, memo: Memo, names: Sequence[str], tokens: int | None
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Sum the log probabilities (natural) of each owner's questions; float64, one an owner.

    ``names``: of the owners, for the error about logits that are not numbers.
    """
    keys = list(questions.index)
    asked = [(keys[p], t) for p, t in zip(questions.places, questions.tokens, strict=True)]
    known = [memo.get(key) for key in asked]
    values = np.array([np.nan if value is None else value for value in known], np.float64)
    open_ = np.array([value is None for value in known], bool)
    for found, logp in _run(questions, open_, forward, names, tokens):
        values[found] = logp
        for number, value in zip(found.tolist(), logp.tolist(), strict=True):
            memo.put(asked[number], value)
    owners = np.array(questions.owners, int)
    return np.bincount(owners, weights=values, minlength=questions.count).astype(np.float64)


def _run(
    questions: Questions,
    open_: np.ndarray[Any, Any],
    forward: Forward,
    names: Sequence[str],
    tokens: int | None,
) -> Iterator[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Run the rows that have open questions: numbers of the questions and their log probabilities."""
    places, wanted = np.array(questions.places, int), np.array(questions.tokens, int)
    numbers = np.flatnonzero(open_)
    numbers = numbers[np.argsort(places[numbers], kind="stable")]
    rows, first = np.unique(places[numbers], return_index=True)
    groups = np.split(numbers, first[1:]) if len(rows) else []

    def name(row: int) -> str:
        return names[questions.owners[int(groups[row][0])]]

    for batch in run_rows(forward, [questions.rows[n] for n in rows], name, tokens):
        found = np.concatenate([groups[row] for row in batch.rows])
        lines = np.repeat(np.arange(len(batch.rows)), [len(groups[row]) for row in batch.rows])
        device = batch.logits.device
        line = torch.from_numpy(lines).to(device)
        token = torch.from_numpy(wanted[found]).to(device)
        logp = batch.logits[line, token].double() - batch.total[line].double()
        yield found, logp.cpu().numpy()


@dataclass(eq=False)
class Sides:
    """Scores of the good and the bad side of items: arrays as :func:`results.scores_table` wants them."""

    skipped: list[str | None]
    tokens: np.ndarray[Any, Any]
    size: np.ndarray[Any, Any]

    @classmethod
    def of(cls, count: int) -> Sides:
        """``count`` items without scores."""
        return cls([None] * count, np.zeros((2, count), np.int32), np.zeros((2, count), np.int32))

    def columns(self, logp: np.ndarray[Any, Any]) -> dict[str, Any]:
        """The arguments of ``scores_table`` for ``logp`` (2 x items)."""
        out = np.array([reason is not None for reason in self.skipped], bool)
        good, bad = np.where(out, np.nan, logp)
        numbers = (*np.where(out, 0, self.tokens), *np.where(out, 0, self.size))
        names = ("tokens_good", "tokens_bad", "bytes_good", "bytes_bad")
        filled = dict(zip(names, numbers, strict=True))
        return {"logp_good": good, "logp_bad": bad, **filled, "skipped": self.skipped}


def slices(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Cut tables into pieces of at most ``rows``."""
    for table in tables:
        for start in range(0, len(table), rows):
            yield table.slice(start, rows)


def require(table: pa.Table, names: Sequence[str], what: str) -> None:
    """Raise :class:`InputError` where columns are missing."""
    missing = [name for name in names if name not in table.column_names]
    if missing:
        near = candidates("columns", table.column_names, missing[0])
        raise fail(f"the {what} have no column {', '.join(map(repr, missing))} {near}")
