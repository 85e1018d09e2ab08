"""Forward passes of masked models, and what they are asked."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn

from solecism.errors import candidates, fail
from solecism.scoring.encoding_masked import Encoded
from solecism.scoring.models import Loaded
from solecism.scoring.results import Journal, is_out_of_memory, without_nulls

__all__ = [
    "Forward",
    "MaskedOptions",
    "Memo",
    "Output",
    "Questions",
    "Row",
    "Sides",
    "answer",
    "ask_words",
    "capacity",
    "chapters",
    "open_forward",
    "require",
    "run_rows",
]


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

    def read(batch: Output) -> np.ndarray[Any, np.dtype[np.float64]]:
        found = np.concatenate([groups[row] for row in batch.rows])
        lines = np.repeat(np.arange(len(batch.rows)), [len(groups[row]) for row in batch.rows])
        device = batch.logits.device
        line = torch.from_numpy(lines).to(device)
        token = torch.from_numpy(wanted[found]).to(device)
        logp = batch.logits[line, token].double() - batch.total[line].double()
        return np.asarray(logp.cpu().numpy())

    for batch, logp in run_rows(forward, [questions.rows[n] for n in rows], name, read, tokens):
        yield np.concatenate([groups[row] for row in batch]), logp


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


def chapters(
    tables: Iterable[pa.Table], rows: int, journal: Journal
) -> Iterator[tuple[pa.Table, Memo]]:
    """Cut tables into pieces of at most ``rows``; those of one table share a memo.

    Whatever is known from before changes the batches, and with them the last digits. So the memo begins
    anew with each table, and a run is taken up after whole tables.
    """
    for table in tables:
        memo = Memo()
        for start in range(0, len(table), rows):
            journal.inside = start + rows < len(table)
            yield without_nulls(table.slice(start, rows)), memo


def require(table: pa.Table, names: Sequence[str], what: str) -> None:
    """Raise :class:`InputError` where columns are missing."""
    missing = [name for name in names if name not in table.column_names]
    if missing:
        near = candidates("columns", table.column_names, missing[0])
        raise fail(f"the {what} have no column {', '.join(map(repr, missing))} {near}")


Ids = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

TOLERANCE = 1e-4
"""How far logits of the head on single rows may be from those of the full pass (float32)."""

_TOKENS = {"cpu": 1024, "other": 65536}
_LOGITS = {"cpu": 1 << 23, "other": 1 << 28}


class Row(NamedTuple):
    """Token ids with masks put in, and the position (from 0) whose distribution is wanted."""

    ids: Ids
    position: int


class Output(NamedTuple):
    """What a batch gives: which rows, their logits (rows x vocabulary, float32), log of the sum of exp."""

    rows: list[int]
    logits: Tensor
    total: Tensor


@dataclass(frozen=True)
class Forward:
    """A masked model that gives the logits of one position a row.

    ``point``: the part of the model after which those positions alone go on (``None``: all of them go
    through to the end, and the others' logits are dropped). ``pads``: padding does not change the logits;
    else (a model that convolves over the sentence) only rows of one length go together. ``journal``: what
    was answered before.
    """

    model: Any
    device: str
    pad: int
    point: nn.Module | None
    pads: bool = True
    journal: Journal = field(default_factory=Journal)

    def __call__(self, rows: Sequence[Row]) -> Tensor:
        """Logits of the wanted positions: rows x vocabulary, float32, on the device."""
        longest = max(len(row.ids) for row in rows)
        ids = np.full((len(rows), longest), self.pad, np.int64)
        attended = np.zeros((len(rows), longest), np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row.ids)] = row.ids
            attended[number, : len(row.ids)] = 1
        places = torch.tensor([row.position for row in rows], device=self.device)
        return self._logits(_tensor(ids, self.device), _tensor(attended, self.device), places)

    @torch.inference_mode()
    def _logits(self, ids: Tensor, attended: Tensor, places: Tensor) -> Tensor:
        if self.point is not None:
            with _only(self.point, places):
                found: Tensor = self.model(input_ids=ids, attention_mask=attended).logits
            return found[:, 0].float()
        found = self.model(input_ids=ids, attention_mask=attended).logits
        return found[torch.arange(len(places), device=found.device), places].float()


def _tensor(values: np.ndarray[Any, Any], device: str) -> Tensor:
    return torch.from_numpy(values).to(device)


@contextlib.contextmanager
def _only(point: nn.Module, places: Tensor) -> Iterator[None]:
    """Let ``point`` hand on one hidden state a row (rows x 1 x width), so that what follows sees no more."""

    def pick(_module: nn.Module, _inputs: Any, output: Any) -> Any:
        states = output if isinstance(output, Tensor) else output[0]
        kept = states[torch.arange(len(places), device=states.device), places].unsqueeze(1)
        if isinstance(output, Tensor):
            return kept
        if isinstance(output, tuple):
            return (kept, *output[1:])
        output.last_hidden_state = kept
        return output

    handle = point.register_forward_hook(pick)
    try:
        yield
    finally:
        handle.remove()


def open_forward(loaded: Loaded) -> Forward:
    """Find out on a few rows how early the model can go on with single positions alone: after the last
    layer's attention, after the last layer, or not at all; and whether it can be given padded batches."""
    pad = loaded.tokenizer.pad_token_id
    full = Forward(loaded.model, loaded.device, 0 if pad is None else pad, None, pads=False)
    rows = _probes(loaded)
    wanted = _one_by_one(full, rows)
    tolerance = TOLERANCE if loaded.dtype == "float32" else 0.05
    points = _points(loaded.model)
    tried = [replace(full, point=point, pads=pads) for pads in (True, False) for point in points]
    return next((f for f in tried if _same(f, rows, wanted, tolerance)), full)


def _points(model: Any) -> list[nn.Module | None]:
    """The last layer's attention with its residual (as BERT and its like have it), the last layer, none."""
    named = [part for name, part in model.named_modules() if name.endswith(".attention")]
    base = [] if model.base_model is model else [model.base_model]
    return [*named[-1:], *base, None]


def _one_by_one(forward: Forward, rows: list[Row]) -> Tensor:
    return torch.cat([forward([row]) for row in rows])


def _same(forward: Forward, rows: list[Row], wanted: Tensor, tolerance: float) -> bool:
    try:
        found = forward(rows) if forward.pads else _one_by_one(forward, rows)
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, KeyError):
        return False
    return found.shape == wanted.shape and torch.allclose(
        found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True
    )


def _probes(loaded: Loaded) -> list[Row]:
    """Rows of two lengths with a mask at the start, inside and at the end."""
    tokenizer = loaded.tokenizer
    plain = [i for i in range(min(len(tokenizer), 400)) if i not in set(tokenizer.all_special_ids)]
    longest = min(7, capacity(loaded))
    rows = []
    for length, place in ((longest, 0), (longest, longest // 2), (max(longest - 3, 1), -1)):
        ids = np.array([plain[(7 * i + length) % len(plain)] for i in range(length)], np.int32)
        ids[place] = tokenizer.mask_token_id
        rows.append(Row(ids, place % length))
    return rows


def capacity(loaded: Loaded) -> int:
    """Number of tokens (specials included) that the model has positions for.

    RoBERTa's table of positions begins after the padding's, so two of its 514 can't be used.
    """
    tables = [
        module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)
        for name, module in loaded.model.named_modules()
        if name.endswith("position_embeddings") and isinstance(module, nn.Embedding)
    ]
    return int(min([*tables, loaded.longest, loaded.tokenizer.model_max_length]))


def run_rows(
    forward: Forward,
    rows: Sequence[Row],
    name: Callable[[int], str],
    read: Callable[[Output], Floats],
    tokens: int | None = None,
) -> Iterator[tuple[list[int], Floats]]:
    """Run rows in batches of similar length; yield which rows and what ``read`` (a flat array) takes of them.

    ``tokens`` bounds the (padded) tokens of a batch. A batch that does not fit into memory is halved, and
    later ones are no larger. Raises :class:`InputError` with the ``name`` of a row whose logits are not
    numbers.
    """

    def ask(batch: list[int]) -> Floats:
        logits = forward([rows[n] for n in batch])
        return read(Output(batch, logits, _total(logits, batch, name)))

    kind = "cpu" if forward.device == "cpu" else "other"
    budget = tokens or _TOKENS[kind]
    most = max(1, _LOGITS[kind] // int(getattr(forward.model.config, "vocab_size", 1) or 1))
    waiting = sorted(range(len(rows)), key=lambda n: len(rows[n].ids), reverse=True)
    while waiting:
        longest = len(rows[waiting[0]].ids)
        batch = waiting[: min(most, max(1, budget // longest))]
        if not forward.pads:
            batch = [n for n in batch if len(rows[n].ids) == longest]
        count = len(batch)
        found = _try(forward.journal, partial(ask, batch), count > 1)
        if found is None:
            most = max(count // 2, 1)
            continue
        waiting = waiting[count:]
        yield batch, found


def _try(journal: Journal, ask: Callable[[], Floats], smaller: bool) -> Floats | None:
    """The answers of a batch; ``None`` where memory ran out and the batch can still be halved."""
    try:
        return journal.answer(ask)
    except (RuntimeError, MemoryError) as error:
        if not smaller or not is_out_of_memory(error):
            raise
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None


def _total(logits: Tensor, batch: list[int], name: Callable[[int], str]) -> Tensor:
    total = logits.logsumexp(1)
    wrong = torch.nonzero(~torch.isfinite(total)).flatten().tolist()
    if wrong:
        raise fail(f"item {name(batch[wrong[0]])!r}: the model's logits are not numbers (NaN)")
    return total
