"""What a data set is built from, and what was built: configs, each of one schema, made of parts.

A part is anything that yields Arrow tables and then says what it made: a paradigm of templates, a mined
treebank. A part may stand in several configs; it is drawn once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from solecism.check.finding import Finding
from solecism.errors import candidates, fail
from solecism.grammar.paradigm import Counts
from solecism.schema import pair_schema

__all__ = [
    "FILE",
    "MANIFEST",
    "BuiltConfig",
    "BuiltParadigm",
    "Config",
    "Part",
    "choose",
    "distinct_parts",
]


@dataclass(frozen=True, eq=False)
class Part:
    """One source of items. ``facts`` is called once, after all of ``tables()`` were taken."""

    name: str
    tables: Callable[[], Iterator[pa.Table]]
    facts: Callable[[], BuiltParadigm]


@dataclass(frozen=True)
class Config:
    """One config to be built: ``kind`` and ``schema`` of its items, and the parts that they come from.

    ``convert`` is applied to every table of this config (the other configs get it as it is); ``default``
    marks the config that ``load_dataset`` opens when none is named.
    """

    name: str
    kind: str
    schema: pa.Schema
    parts: tuple[Part, ...]
    languages: tuple[str, ...]
    default: bool = False
    convert: Callable[[pa.Table], pa.Table] | None = None


class _Named(Protocol):
    @property
    def name(self) -> str: ...


C = TypeVar("C", bound=_Named)


def choose(dataset: str, configs: Sequence[C], names: Sequence[str]) -> list[C]:
    """Choose configs by name (none: all); raises :class:`InputError` with the candidates."""
    known = {config.name: config for config in configs}
    for name in names:
        if name not in known:
            near = candidates("configs", list(known), name)
            raise fail(f"data set {dataset!r} has no config {name!r} {near}")
    return [known[name] for name in names] or list(configs)


def distinct_parts(configs: Sequence[Config]) -> list[Part]:
    """Give the parts of the configs in order, each once."""
    return list(dict.fromkeys(part for config in configs for part in config.parts))


FILE = "test-00000-of-00001.parquet"
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class BuiltParadigm:
    """What was made of one part of a config (a paradigm, a treebank), and what the checks say of it.

    ``example``: texts to show, of a pair the good and the bad sentence; ``facts``: what else the manifest
    should say.
    """

    uid: str
    construction: str
    phenomenon: str
    about: str
    counts: Counts
    example: tuple[str, ...]
    findings: tuple[Finding, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return what the manifest says."""
        return {
            "construction": self.construction,
            "phenomenon": self.phenomenon,
            "about": self.about,
            "sets": self.counts.sets,
            "pairs": self.counts.pairs,
            "skipped": dict(sorted(self.counts.skipped.items())),
            "syncretic_forms": self.counts.syncretic_forms,
            "example": list(self.example),
            **self.facts,
            "findings": [finding.to_json() for finding in self.findings],
        }

    @classmethod
    def from_json(cls, uid: str, value: Mapping[str, Any]) -> BuiltParadigm:
        """Return what :meth:`to_json` wrote."""
        facts = dict(value)
        counts = Counts(
            facts.pop("sets"),
            facts.pop("pairs"),
            Counter(facts.pop("skipped")),
            facts.pop("syncretic_forms"),
        )
        return cls(
            uid,
            facts.pop("construction"),
            facts.pop("phenomenon"),
            facts.pop("about"),
            counts,
            tuple(facts.pop("example")),
            tuple(Finding(**finding) for finding in facts.pop("findings")),
            facts,
        )


@dataclass(frozen=True)
class BuiltConfig:
    """What was built of one config. ``digest`` is of the content, ``file`` of the Parquet file.

    ``kind`` is that of its items (``pair``, ``suite``, ``cloze`` ...) and ``schema`` theirs.
    """

    name: str
    paradigms: tuple[BuiltParadigm, ...]
    rows: int
    bytes: int
    digest: str
    file: str
    file_bytes: int
    kind: str = "pair"
    schema: pa.Schema = field(default_factory=pair_schema)
    languages: tuple[str, ...] = ()
    default: bool = False

    @property
    def sets(self) -> int:
        """The number of minimal sets (of a suite: items)."""
        return sum(paradigm.counts.sets for paradigm in self.paradigms)

    def to_json(self) -> dict[str, Any]:
        """Return what the manifest says."""
        return {
            "kind": self.kind,
            "languages": list(self.languages),
            "default": self.default,
            "rows": self.rows,
            "sets": self.sets,
            "memory_bytes": self.bytes,
            "content_sha256": self.digest,
            "files": {f"{self.name}/{FILE}": {"sha256": self.file, "bytes": self.file_bytes}},
            "paradigms": {p.uid: p.to_json() for p in self.paradigms},
        }

    @classmethod
    def from_json(cls, name: str, value: Mapping[str, Any], schema: pa.Schema) -> BuiltConfig:
        """Return what :meth:`to_json` wrote, of items of a schema."""
        file = value["files"][f"{name}/{FILE}"]
        return cls(
            name,
            tuple(BuiltParadigm.from_json(uid, p) for uid, p in value["paradigms"].items()),
            value["rows"],
            value["memory_bytes"],
            value["content_sha256"],
            file["sha256"],
            file["bytes"],
            value["kind"],
            schema,
            tuple(value["languages"]),
            value["default"],
        )
