"""The card of a trained model: what it saw, how it was made, how to use it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["model_card"]

_ARCHITECTURES = {
    "ngram": "an interpolated modified Kneser–Ney n-gram model (Chen and Goodman 1998)",
    "lstm": "a word-level LSTM, after Mueller et al. (2020) and Gulordava et al. (2018)",
    "transformer": "a word-level Transformer with the architecture of GPT-2",
}

_HEAD = """---
library_name: {library}
tags:
- solecism
- baseline
- {arch}
---

# {name}

This is {what}, trained by `solecism train` {version}, seed {seed}.

## What it saw

| | |
|---|---|
"""


def model_card(name: str, record: Mapping[str, Any], train: pa.Array, valid: pa.Array) -> str:
    """Return the card of a model as Markdown.

    ``record``: what ``training.json`` holds; ``train`` and ``valid``: the sentences.
    """
    arch = record["options"]["arch"]
    head = _HEAD.format(
        name=name, arch=arch, what=_ARCHITECTURES[arch], version=record["solecism"],
        seed=record["seed"], library="kenlm" if arch == "ngram" else "transformers",
    )  # fmt: skip
    body = "".join(f"| {what} | {value} |\n" for what, value in _facts(record, train, valid))
    options = json.dumps(record["options"], indent=2, ensure_ascii=False)
    return (
        f"{head}{body}\nNothing else was seen: no pretrained weights, no other text. The text itself "
        "is not in this folder.\n\n"
        f"## Options\n\n```json\n{options}\n```\n\n"
        f"## Use\n\n    solecism score clams/en --model {name}\n"
    )


def _facts(
    record: Mapping[str, Any], train: pa.Array, valid: pa.Array
) -> Sequence[tuple[str, str]]:
    """Return what the table says, in order."""
    known = [
        ("sentences", f"{len(train):,}"),
        ("words between spaces", f"{_words(train):,}"),
        ("held-out sentences", f"{len(valid):,}"),
        ("text (SHA-256)", f"`{record['text']}`"),
        ("perplexity of the held-out sentences", f"{record['perplexity']:.2f}"),
    ]
    if "epochs" in record:
        known.insert(3, ("vocabulary", f"{record['vocabulary_size']:,} words"))
        known.insert(3, ("sentences that were cut", f"{record['cut']:,}"))
        known.append(("epochs", str(len(record["epochs"]))))
    return known


def _words(sentences: pa.Array) -> int:
    counts = pc.add(pc.count_substring(sentences, " "), 1)
    return int(pc.sum(counts).as_py() or 0)
