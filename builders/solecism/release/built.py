"""What a build made: facts for the card, the manifest and the report."""

from __future__ import annotations

from dataclasses import dataclass

from solecism.check.finding import Finding
from solecism.generate.pairs import Counts

__all__ = ["FILE", "MANIFEST", "BuiltConfig", "BuiltParadigm"]

FILE = "test-00000-of-00001.parquet"
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class BuiltParadigm:
    """What was drawn of one paradigm, and what the checks say of it."""

    uid: str
    construction: str
    phenomenon: str
    about: str
    counts: Counts
    example: tuple[str, str]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class BuiltConfig:
    """What was built of one language. ``digest`` is of the content, ``file`` of the Parquet file."""

    name: str
    paradigms: tuple[BuiltParadigm, ...]
    rows: int
    bytes: int
    digest: str
    file: str
    file_bytes: int
    features: tuple[str, ...] = ()

    @property
    def sets(self) -> int:
        """The number of minimal sets."""
        return sum(paradigm.counts.sets for paradigm in self.paradigms)
