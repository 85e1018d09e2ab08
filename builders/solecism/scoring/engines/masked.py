"""Masked models: only the masked places of sentences go through the head."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from solecism.errors import fail
from solecism.scoring.encoding import Encoded, encode
from solecism.scoring.models import Loaded
from solecism.scoring.questions import AnswerMemo, MaskedRow, Questions
from solecism.scoring.results import is_out_of_memory

__all__ = ["BatchOutput", "MaskedReader", "open_masked"]

Floats = np.ndarray[Any, np.dtype[np.float64]]

TOLERANCE = 1e-4
"""How far logits of the head on single rows may be from those of the full pass (float32)."""

_TOKENS = {"cpu": 1024, "other": 65536}
_LOGITS = {"cpu": 1 << 23, "other": 1 << 28}


class BatchOutput(NamedTuple):
    """The rows of a batch, their logits (rows, vocabulary), and the log of the sum of their exp."""

    rows: list[int]
    logits: Tensor
    total: Tensor


@dataclass(eq=False)
class MaskedReader:
    """A masked model that returns the distribution of one place of each row.

    ``point``: the part of the model after which only the wanted places go on (None: all places go
    through to the end). ``pads``: padding does not change the logits; else (a model that convolves
    over the sentence) only rows of one length go together. ``tell`` is called with the share of the
    work that is done. ``window``: the items that are scored together. ``tokens``: the most tokens
    of a batch (None: by device).
    """

    loaded: Loaded
    point: nn.Module | None = None
    pads: bool = False
    tell: Callable[[float], None] = lambda share: None
    window: int = 0
    tokens: int | None = None

    def __post_init__(self) -> None:
        self.window = self.window or self.loaded.window(1 << 12, 1 << 8, tokens=200)

    @property
    def mask(self) -> int:
        """The id of the mask token."""
        return int(self.loaded.tokenizer.mask_token_id)

    @cached_property
    def longest(self) -> int:
        """The number of tokens (specials included) that the model has positions for.

        RoBERTa's table of positions begins after that of padding, so two of its 514 can't be used.
        """
        tables = [
            module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)
            for name, module in self.loaded.model.named_modules()
            if name.endswith("position_embeddings") and isinstance(module, nn.Embedding)
        ]
        return int(min([*tables, self.loaded.longest, self.loaded.tokenizer.model_max_length]))

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Tokenise texts with the special tokens of the model."""
        return encode(self.loaded.tokenizer, texts, special=True)

    def token_ids(self, tokens: Iterable[int]) -> Tensor:
        """Return token ids in ascending order, as a tensor on the device."""
        return torch.tensor(sorted(tokens), dtype=torch.int64, device=self.loaded.device)

    def __call__(self, rows: Sequence[MaskedRow]) -> Tensor:
        """Return the logits of the wanted places: rows x vocabulary, float32, on the device."""
        longest, pad = max(len(row.ids) for row in rows), self.loaded.tokenizer.pad_token_id
        ids = np.full((len(rows), longest), 0 if pad is None else pad, np.int64)
        attended = np.zeros((len(rows), longest), np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row.ids)] = row.ids
            attended[number, : len(row.ids)] = 1
        places = [row.position for row in rows]
        device = self.loaded.device
        return self._logits(*(torch.as_tensor(v, device=device) for v in (ids, attended, places)))

    @torch.inference_mode()
    def _logits(self, ids: Tensor, attended: Tensor, places: Tensor) -> Tensor:
        if self.point is not None:
            with _only(self.point, places):
                found: Tensor = self.loaded.model(input_ids=ids, attention_mask=attended).logits
            return found[:, 0].float()
        found = self.loaded.model(input_ids=ids, attention_mask=attended).logits
        return found[torch.arange(len(places), device=found.device), places].float()

    def answer(self, questions: Questions, memo: AnswerMemo, names: Sequence[str]) -> Floats:
        """Return the sum of the natural log probabilities of each owner's questions.

        Raises :class:`InputError` with the name of an owner where logits are not numbers.
        """
        keys = list(questions.index)
        asked = [(keys[p], t) for p, t in zip(questions.places, questions.tokens, strict=True)]
        known = [memo.get(key) for key in asked]
        values = np.array([np.nan if value is None else value for value in known], np.float64)
        unknown = np.flatnonzero([value is None for value in known])
        for found, logp in self._answers(questions, unknown, names):
            values[found] = logp
            for number, value in zip(found.tolist(), logp.tolist(), strict=True):
                memo.put(asked[number], value)
        owners = np.array(questions.owners, int)
        return np.bincount(owners, weights=values, minlength=questions.count).astype(np.float64)

    def _answers(
        self, questions: Questions, numbers: np.ndarray[Any, Any], names: Sequence[str]
    ) -> Iterator[tuple[np.ndarray[Any, Any], Floats]]:
        """Run the rows of some questions; yield their numbers and log probabilities."""
        places, wanted = np.array(questions.places, int), np.array(questions.tokens, int)
        numbers = numbers[np.argsort(places[numbers], kind="stable")]
        rows, first = np.unique(places[numbers], return_index=True)
        groups = np.split(numbers, first[1:]) if len(rows) else []

        def name(row: int) -> str:
            return names[questions.owners[int(groups[row][0])]]

        for batch in self.run([questions.rows[n] for n in rows], name):
            found = np.concatenate([groups[row] for row in batch.rows])
            lines = np.repeat(np.arange(len(batch.rows)), [len(groups[row]) for row in batch.rows])
            line, token = (
                torch.from_numpy(v).to(batch.logits.device) for v in (lines, wanted[found])
            )
            logp = batch.logits[line, token].double() - batch.total[line].double()
            yield found, np.asarray(logp.cpu().numpy())

    def run(self, rows: Sequence[MaskedRow], name: Callable[[int], str]) -> Iterator[BatchOutput]:
        """Run rows in batches of similar length; yield their logits.

        A batch that does not fit into memory is halved, and later ones are no larger. Raises
        :class:`InputError` with the ``name`` of a row whose logits are not numbers.
        """
        kind = "cpu" if self.loaded.device == "cpu" else "other"
        budget = self.tokens or _TOKENS[kind]
        size = int(getattr(self.loaded.model.config, "vocab_size", 1) or 1)
        most = max(1, _LOGITS[kind] // size)
        waiting = sorted(range(len(rows)), key=lambda n: len(rows[n].ids), reverse=True)
        while waiting:
            longest = len(rows[waiting[0]].ids)
            batch = waiting[: min(most, max(1, budget // longest))]
            if not self.pads:
                batch = [n for n in batch if len(rows[n].ids) == longest]
            count = len(batch)
            try:
                logits = self([rows[n] for n in batch])
                found = BatchOutput(batch, logits, _total(logits, batch, name))
            except (RuntimeError, MemoryError) as error:
                if count == 1 or not is_out_of_memory(error):
                    raise
                most = count // 2
                if torch.cuda.is_available():
                    torch.cuda.empty_cache()
                continue
            waiting = waiting[count:]
            self.tell(1 - len(waiting) / len(rows))
            yield found


def _total(logits: Tensor, batch: list[int], name: Callable[[int], str]) -> Tensor:
    total = logits.logsumexp(1)
    wrong = torch.nonzero(~torch.isfinite(total)).flatten().tolist()
    if wrong:
        raise fail(f"item {name(batch[wrong[0]])!r}: the model's logits are not numbers (NaN)")
    return total


@contextlib.contextmanager
def _only(point: nn.Module, places: Tensor) -> Iterator[None]:
    """Make ``point`` hand on one hidden state a row, (rows, 1, width), to what follows."""

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


def open_masked(loaded: Loaded, *, window: int = 0, tokens: int | None = None) -> MaskedReader:
    """Find out on a few rows how a masked model can be run, and return its reader.

    Tried are, in this order, single places after the last layer's attention, after the last layer,
    and not at all; with padded batches and without. What gives the logits of the full pass is
    taken.
    """
    full = MaskedReader(loaded, window=window, tokens=tokens)
    rows = _probes(full)
    wanted = _one_by_one(full, rows)
    tolerance = TOLERANCE if loaded.dtype == "float32" else 0.05
    points = _points(loaded.model)
    tried = [replace(full, point=point, pads=pads) for pads in (True, False) for point in points]
    return next((reader for reader in tried if _same(reader, rows, wanted, tolerance)), full)


def _points(model: Any) -> list[nn.Module | None]:
    """Return the last layer's attention (with its residual), the last layer, None."""
    named = [part for name, part in model.named_modules() if name.endswith(".attention")]
    base = [] if model.base_model is model else [model.base_model]
    return [*named[-1:], *base, None]


def _one_by_one(reader: MaskedReader, rows: list[MaskedRow]) -> Tensor:
    return torch.cat([reader([row]) for row in rows])


def _same(reader: MaskedReader, rows: list[MaskedRow], wanted: Tensor, tolerance: float) -> bool:
    try:
        found = reader(rows) if reader.pads else _one_by_one(reader, rows)
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, KeyError):
        return False
    return found.shape == wanted.shape and torch.allclose(
        found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True
    )


def _probes(reader: MaskedReader) -> list[MaskedRow]:
    """Return rows of two lengths with a mask at the start, inside and at the end."""
    tokenizer = reader.loaded.tokenizer
    special = set(tokenizer.all_special_ids)
    plain = [i for i in range(min(len(tokenizer), 400)) if i not in special]
    longest = min(7, reader.longest)
    rows = []
    for length, place in ((longest, 0), (longest, longest // 2), (max(longest - 3, 1), -1)):
        ids = np.array([plain[(7 * i + length) % len(plain)] for i in range(length)], np.int32)
        ids[place] = reader.mask
        rows.append(MaskedRow(ids, place % length))
    return rows
