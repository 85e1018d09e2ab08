"""Benchmark of sums: the same model in bfloat16, its log probabilities summed in float32 and in
bfloat16; prints a table.

A program that takes the log-softmax of a model's logits in the dtype of its weights, and sums in
it, puts log P on a grid: a quarter of a nat between 32 and 64 nats. Then sides of pairs that differ
tie, and a rule for ties decides. The first row is what `solecism score` does with a model of
float32; the others have the weights in bfloat16.

Usage: python scripts/bench_dtype.py MODEL DATA [DATA ...] [--sample N] [--threads N]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from transformers import AutoModelForCausalLM, AutoTokenizer

from solecism.scoring.items import open_pairs

Floats = NDArray[np.float64]
WAYS = {
    "float32, sums in float32": (torch.float32, torch.float32),
    "bfloat16, sums in float32": (torch.bfloat16, torch.float32),
    "bfloat16, sums in bfloat16": (torch.bfloat16, torch.bfloat16),
}
"""The dtypes of weights and of sums."""


@dataclass(frozen=True)
class Sums:
    """log P of the good and the bad sentences, by one way of summing."""

    good: Floats
    bad: Floats

    @property
    def decisions(self) -> Floats:
        """1 right, 0 wrong, a half for a tie."""
        return (np.sign(self.good - self.bad) + 1) / 2


def main() -> None:
    """Score the pairs in each way and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", help="a causal model: a folder or a name")
    parser.add_argument("data", nargs="+", help="configs of pairs")
    parser.add_argument("--sample", type=int, default=20, help="pairs of each paradigm")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    pairs = read(given.data, given.sample)
    Console(width=100).print(compare(given.model, pairs))


def read(data: Sequence[str], sample: int) -> pa.Table:
    """Return the sentences of pairs."""
    opened = [replace(open_pairs(spec), sample=sample) for spec in data]
    columns = ("sentence_good", "sentence_bad")
    return pa.concat_tables(table for items in opened for table in items.tables(columns))


def compare(model: str, pairs: pa.Table) -> Grid:
    """Return a row for each way of summing."""
    grid = Grid("weights and sums", "right", "ties", "tie counted right", "tie a half", "others")
    first: Sums | None = None
    for name, (weights, sums) in WAYS.items():
        found = score(model, pairs, weights, sums)
        first = first or found
        ties = found.decisions == 0.5
        others = np.mean(found.decisions != first.decisions)
        shares = (np.mean(found.decisions == 1), ties.mean(), np.mean(found.decisions >= 0.5))
        cells = (*shares, found.decisions.mean(), others)
        grid.add_row(name, *(f"{100 * cell:.1f} %" for cell in cells))
    grid.title = f"{len(pairs):,} pairs; others: pairs decided otherwise than in the first row"
    return grid


def score(model: str, pairs: pa.Table, weights: torch.dtype, sums: torch.dtype) -> Sums:
    """Return log P of both sides of pairs, after the BOS token where the tokenizer has one."""
    tokenizer = AutoTokenizer.from_pretrained(model)
    loaded = AutoModelForCausalLM.from_pretrained(model, dtype=weights)
    loaded.eval()  # type: ignore[no-untyped-call]
    bos = [tokenizer.bos_token_id] if tokenizer.bos_token_id is not None else []
    sides = []
    for column in ("sentence_good", "sentence_bad"):
        texts = track(
            pairs[column].to_pylist(), f"{column}, {weights}", console=Console(stderr=True)
        )
        ids = ([*bos, *tokenizer(t, add_special_tokens=False)["input_ids"]] for t in texts)
        sides.append(np.array([log_prob(loaded, each, sums) for each in ids]))
    return Sums(*sides)


def log_prob(model: torch.nn.Module, ids: Sequence[int], dtype: torch.dtype) -> float:
    """Return log P of all tokens but the first, softmax and sum in ``dtype``."""
    with torch.inference_mode():
        logits = model(torch.tensor([ids])).logits[0, :-1]
    each = logits.to(dtype).log_softmax(-1)
    return float(each.gather(1, torch.tensor(ids[1:]).unsqueeze(1)).sum())


if __name__ == "__main__":
    main()
