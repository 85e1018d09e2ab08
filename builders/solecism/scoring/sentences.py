"""The sentences of pairs, suites and cloze items, for models that are run elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import regex

from solecism.files import writing
from solecism.scoring.items import ItemSet
from solecism.scoring.methods.cloze import wrong_sentences

__all__ = ["Sentence", "sentences_of", "write_sentence_lines"]

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’\-][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]")


class Sentence(NamedTuple):
    """A sentence of an item: ``side`` is ``good``, ``bad``, or the name of a condition.

    ``tokens``: its words and marks with spaces between them.
    """

    id: str
    side: str
    text: str
    tokens: str


def sentences_of(
    items: ItemSet, tables: Iterable[pa.Table] | None = None
) -> Iterator[list[Sentence]]:
    """Yield the sentences of each item (or of those in ``tables``), in order.

    Pairs: ``good``, ``bad``; suites: the conditions; cloze items: ``good`` with the answer, then
    ``bad-1``, ... with each form of its lemma that does not agree (none if there is no such form).
    """
    read = {"pair": _of_pairs, "suite": _of_suites, "cloze": _of_cloze(items)}[items.kind]
    for table in items.tables() if tables is None else tables:
        yield from read(table)


def _of_pairs(table: pa.Table) -> Iterator[list[Sentence]]:
    sides = ("good", "bad")
    texts = [table[f"sentence_{side}"].to_pylist() for side in sides]
    tokens = [
        table[name].to_pylist() if (name := f"tokens_{side}") in table.column_names else texts[n]
        for n, side in enumerate(sides)
    ]
    for row in zip(table["id"].to_pylist(), *texts, *tokens, strict=True):
        yield [Sentence(row[0], side, row[n], row[n + 2]) for n, side in enumerate(sides, 1)]


def _of_suites(table: pa.Table) -> Iterator[list[Sentence]]:
    for item in table.select(["id", "conditions"]).to_pylist():
        yield [Sentence(item["id"], c["name"], c["text"], c["tokens"]) for c in item["conditions"]]


def _of_cloze(items: ItemSet) -> Callable[[pa.Table], Iterator[list[Sentence]]]:
    def read(table: pa.Table) -> Iterator[list[Sentence]]:
        forms = pa.concat_tables(items.forms.tables())
        for item, wrong in wrong_sentences(table, forms):
            texts = {"good": item["text"]} | {f"bad-{n}": text for n, text in enumerate(wrong, 1)}
            yield [
                Sentence(item["id"], side, text, " ".join(_WORD.findall(text)))
                for side, text in texts.items()
            ]

    return read


def write_sentence_lines(items: Iterable[list[Sentence]], path: Path) -> None:
    """Write sentences for a model of one's own: a tokenised one a line, or JSON Lines.

    A line of JSON has ``id``, ``side``, ``text`` and ``tokens`` (a list); whoever adds
    ``surprisals`` has a file that ``solecism score --surprisals`` reads.
    """
    with writing(path) as part, part.open("w", encoding="utf-8", newline="\n") as out:
        for sentences in items:
            for sentence in sentences:
                out.write((_json(sentence) if path.suffix == ".jsonl" else sentence.tokens) + "\n")


def _json(sentence: Sentence) -> str:
    row: Mapping[str, Any] = {**sentence._asdict(), "tokens": sentence.tokens.split(" ")}
    return json.dumps(row, ensure_ascii=False)
