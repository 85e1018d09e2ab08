"""The configs of a data set: what they are built from, and what was built."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from solecism.check.registry import Finding
from solecism.errors import candidates, fail
from solecism.grammar.paradigm import Counts
from solecism.hashing import Content
from solecism.language_tags import config_named, isos_of
from solecism.phenomena import current_uid
from solecism.schema import ItemRow, pair_schema

Facts = Mapping[str, Any]
"""Entries of a manifest, or another JSON object: values by their names."""

FILE = "test-00000-of-00001.parquet"
"""The name of the Parquet file in the folder of a config."""

JUDGMENTS = "judgments"
"""The kind of a config with people's judgments: `solecism judge accept` adds it to a build."""


@dataclass(frozen=True, eq=False)
class ItemSource:
    """Something that items come from: a paradigm made by a template, or a treebank.

    ``name`` is what a progress bar shows. ``tables`` yields the items in tables of the config's
    schema, then returns what was made. ``drawn``: they are in random order, so that the first n are
    a sample.
    """

    name: str
    tables: Callable[[], Items]
    drawn: bool = False


@dataclass(frozen=True)
class Config:
    """A config to be built: the ``kind`` and ``schema`` of its items, and their sources.

    ``convert`` is applied to every table of this config; other configs with the same source get the
    table as it is. ``default`` marks the config that ``load_dataset`` opens when none is named.
    ``mixed``: its rows are in rounds over the sources (:func:`~solecism.datasets.rows.in_rounds`),
    not source by source. A config with fewer than ``least`` rows is left out, and so is a config
    that is made ``of`` one (named here) that was left out. ``tags`` are those of its languages
    (``deu_Latn``).
    """

    name: str
    kind: str
    schema: pa.Schema
    sources: tuple[ItemSource, ...]
    languages: tuple[str, ...]
    default: bool = False
    convert: Callable[[pa.Table], pa.Table] | None = None
    mixed: bool = False
    least: int = 0
    of: str = ""
    tags: tuple[str, ...] = ()


def choose(dataset: str, known: Iterable[str], names: Sequence[str]) -> list[str]:
    """Return the configs called ``names`` (all of them if there are no names).

    Raises :class:`InputError`, with the candidates, for a name that is not known.
    """
    known = list(known)
    chosen = [config_named(name, known) for name in names]
    for name in chosen:
        if name not in known:
            near = candidates("configs", known, current_uid(name))
            raise fail(f"data set {dataset!r} has no config {name!r} {near}")
    return chosen or known


def example_of(table: pa.Table) -> tuple[str, ...]:
    """Return texts that show the first item of a table, or none if the table is empty.

    These are both sentences of a pair, the sentences of a suite item, a cloze sentence with its
    answer in brackets, or a form with part of speech and features.
    """
    row: ItemRow = next(iter(table.slice(0, 1).to_pylist()), {})
    if "sentence_good" in row:
        return row["sentence_good"], row["sentence_bad"]
    if "conditions" in row:
        return tuple(condition["text"] for condition in row["conditions"])
    if "answer" in row:
        return (f"{row['left']}[{row['answer']}]{row['right']}",)
    return (f"{row['form']} {row['upos']} {row['feats']}",) if row else ()


@dataclass(frozen=True)
class BuiltParadigm:
    """What was made of one source, which is a paradigm or a treebank.

    The names of the fields are those of paradigms: of a treebank, ``uid`` is its name. ``example``
    are texts that show an item (:func:`example_of`); ``findings`` are those of the checks;
    ``facts`` are further entries of the manifest.
    """

    uid: str
    construction: str
    phenomenon: str
    about: str
    counts: Counts
    example: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    facts: Facts = field(default_factory=dict)

    def to_json(self) -> Facts:
        """Return the entry of the manifest."""
        return {
            "construction": self.construction,
            "phenomenon": self.phenomenon,
            "about": self.about,
            **vars(self.counts),
            "skipped": dict(sorted(self.counts.skipped.items())),
            "example": list(self.example),
            **self.facts,
            "findings": [asdict(finding) for finding in self.findings],
        }


Items = Generator[pa.Table, None, BuiltParadigm]
"""Tables of items, and what was made of their source when all are taken."""


@dataclass(frozen=True)
class BuiltConfig:
    """A config that was built.

    ``file_sha256`` and ``file_bytes`` are digest and size of its Parquet file; ``bytes`` is the
    size of its rows in memory.
    """

    name: str
    paradigms: tuple[BuiltParadigm, ...]
    content: Content
    bytes: int
    file_sha256: str
    file_bytes: int
    kind: str = "pair"
    schema: pa.Schema = field(default_factory=pair_schema)
    languages: tuple[str, ...] = ()
    default: bool = False
    tags: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """The number of items."""
        return self.content.rows

    @property
    def sets(self) -> int:
        """The number of minimal sets (of a suite: items)."""
        return sum(paradigm.counts.sets for paradigm in self.paradigms)

    @property
    def path(self) -> str:
        """The path of the Parquet file in the folder of the data set."""
        return f"{self.name}/{FILE}"

    def to_json(self) -> Facts:
        """Return the entry of the manifest."""
        return {
            "kind": self.kind,
            "languages": list(self.languages),
            "iso639_3": isos_of(self.tags),
            "language_tags": list(self.tags),
            "default": self.default,
            "rows": self.rows,
            "sets": self.sets,
            "memory_bytes": self.bytes,
            "content_sha256": self.content.sha256,
            "files": {self.path: {"sha256": self.file_sha256, "bytes": self.file_bytes}},
            "paradigms": {p.uid: p.to_json() for p in self.paradigms},
        }


def languages_of(built: Sequence[BuiltConfig]) -> list[str]:
    """Return the codes of the languages, each once, in the order of the configs.

    A config without languages is named after its language.
    """
    return list(dict.fromkeys(code for c in built for code in c.languages or (c.name,)))


def sources_of(built: Sequence[BuiltConfig]) -> list[Facts]:
    """Return facts of works of others (treebanks, word lists) that items come from, each once."""
    paradigms = (paradigm for config in built for paradigm in config.paradigms)
    found = (source for p in paradigms for source in p.facts.get("sources", ()))
    return list({json.dumps(source, sort_keys=True): source for source in found}.values())
