"""Masked models: only the masked places of sentences go through the head."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from solecism.errors import fail
from solecism.scoring.encoding import Encoded, encode
from solecism.scoring.models import Loaded
from solecism.scoring.questions import MaskedRow, Memo, Question
from solecism.scoring.results import is_out_of_memory
from solecism.terminal import Tell

Floats = NDArray[np.float64]

TOLERANCE = 1e-4
"""How far logits of the head on single rows may be from those of the full pass (float32)."""

MAX_KNOWN = 1 << 19
"""The most log probabilities that are kept."""

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
    through to the end). ``pads``: padding does not change the logits; if it does (as in a model
    that convolves over the sentence), only rows of one length go together. ``tell`` is called with
    the share of the work that is done. ``window``: the items that are scored together.
    """

    loaded: Loaded
    point: nn.Module | None = None
    pads: bool = False
    tell: Tell = lambda share: None

    def __post_init__(self) -> None:
        self.window = self.loaded.window(1 << 12, 1 << 8, tokens=200)

    @property
    def mask(self) -> int:
        """The id of the mask token."""
        return int(self.loaded.tokenizer.mask_token_id)

    @cached_property
    def longest(self) -> int:
        """The number of tokens (specials included) that the model has positions for."""
        return int(min(self.loaded.longest, self.loaded.tokenizer.model_max_length))

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the texts tokenised, with the special tokens of the model."""
        return encode(self.loaded.tokenizer, texts, special=True)

    def token_ids(self, tokens: Iterable[int]) -> Tensor:
        """Return token ids in ascending order, as a tensor on the device."""
        return torch.tensor(sorted(tokens), dtype=torch.int64, device=self.loaded.device)

    @torch.inference_mode()
    def __call__(self, rows: Sequence[MaskedRow]) -> Tensor:
        """Return the logits of the wanted places: rows x vocabulary, float32, on the device."""
        longest, pad = max(len(row.ids) for row in rows), self.loaded.tokenizer.pad_token_id
        ids = np.full((len(rows), longest), 0 if pad is None else pad, np.int64)
        attended = np.zeros((len(rows), longest), np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row.ids)] = row.ids
            attended[number, : len(row.ids)] = 1
        device = self.loaded.device
        inputs = {"input_ids": ids, "attention_mask": attended}
        tensors = {name: torch.as_tensor(value, device=device) for name, value in inputs.items()}
        places = torch.as_tensor([row.position for row in rows], device=device)
        if self.point is not None:
            with _only(self.point, places):
                found: Tensor = self.loaded.model(**tensors).logits
            return found[:, 0].float()
        found = self.loaded.model(**tensors).logits
        return found[torch.arange(len(places), device=found.device), places].float()

    def answer(
        self, asked: Sequence[tuple[int, Question]], memo: Memo, names: Sequence[str]
    ) -> Floats:
        """Return the sum of the natural log probabilities of each owner's questions.

        Owners (sentences) are numbered; ``names`` has a name for each. Raises :class:`InputError`
        with the name of an owner where logits are not numbers.
        """
        wanted = {row: dict[int, int]() for _, (row, _) in asked}  # tokens that are not known
        for owner, (row, token) in asked:
            if (row, token) not in memo:
                wanted[row].setdefault(token, owner)
        rows = [row for row, tokens in wanted.items() if tokens]
        if len(memo) > MAX_KNOWN:
            known = {question: memo[question] for _, question in asked if question in memo}
            memo.clear()
            memo |= known
        for batch in self.run(rows, lambda row: names[next(iter(wanted[rows[row]].values()))]):
            found = [(rows[row], token) for row in batch.rows for token in wanted[rows[row]]]
            lines = [n for n, row in enumerate(batch.rows) for _ in wanted[rows[row]]]
            tokens = [token for _, token in found]
            logp = batch.logits[lines, tokens].double() - batch.total[lines].double()
            memo.update(zip(found, logp.tolist(), strict=True))
        values = np.array([memo[question] for _, question in asked], np.float64)
        owners = np.array([owner for owner, _ in asked], int)
        return np.bincount(owners, values, len(names)).astype(np.float64)

    def run(self, rows: Sequence[MaskedRow], name: Callable[[int], str]) -> Iterator[BatchOutput]:
        """Run rows in batches of similar length; yield their logits.

        A batch that does not fit into memory is halved, and later ones are no larger. Raises
        :class:`InputError` with the ``name`` of a row whose logits are not numbers.
        """
        kind = "cpu" if self.loaded.device == "cpu" else "other"
        size = int(getattr(self.loaded.model.config, "vocab_size", 1) or 1)
        most = max(1, _LOGITS[kind] // size)
        waiting = sorted(range(len(rows)), key=lambda n: len(rows[n].ids), reverse=True)
        while waiting:
            longest = len(rows[waiting[0]].ids)
            batch = waiting[: min(most, max(1, _TOKENS[kind] // longest))]
            if not self.pads:
                batch = [n for n in batch if len(rows[n].ids) == longest]
            count = len(batch)
            try:
                logits = self([rows[n] for n in batch])
            except (RuntimeError, MemoryError) as error:
                if count == 1 or not is_out_of_memory(error):
                    raise
                most = count // 2
                if torch.cuda.is_available():
                    torch.cuda.empty_cache()
                continue
            total = logits.logsumexp(1)
            wrong = torch.nonzero(~torch.isfinite(total)).flatten().tolist()
            if wrong:
                culprit = name(batch[wrong[0]])
                raise fail(f"item {culprit!r}: the model's logits are not numbers (NaN)")
            waiting = waiting[count:]
            self.tell(1 - len(waiting) / len(rows))
            yield BatchOutput(batch, logits, total)


@contextlib.contextmanager
def _only(point: nn.Module, places: Tensor) -> Iterator[None]:
    """Make ``point`` hand on one hidden state a row, (rows, 1, width), to what follows."""

    def pick(_module: nn.Module, _inputs: object, output: Any) -> Any:
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


def open_masked(loaded: Loaded) -> MaskedReader:
    """Find out on a few rows how a masked model can be run, and return its reader.

    The masked places are singled out after the last layer's attention, after the last layer, or not
    at all. These ways are tried in this order, first with padded batches, then without padding. The
    first one with the logits of the full pass is taken.
    """
    full = MaskedReader(loaded)
    rows = _probes(full)
    wanted = _one_by_one(full, rows)
    tolerance = TOLERANCE if loaded.dtype == "float32" else 0.05
    model = loaded.model
    attention = [part for name, part in model.named_modules() if name.endswith(".attention")]
    base = [] if model.base_model is model else [model.base_model]
    points: list[nn.Module | None] = [*attention[-1:], *base, None]
    tried = [replace(full, point=point, pads=pads) for pads in (True, False) for point in points]
    return next((reader for reader in tried if _same(reader, rows, wanted, tolerance)), full)


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
        ids = [plain[(7 * i + length) % len(plain)] for i in range(length)]
        ids[place] = reader.mask
        rows.append(MaskedRow(tuple(ids), place % length))
    return rows
