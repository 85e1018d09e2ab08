"""The small hierarchy of word classes of a language (``classes.tsv``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from solecism.errors import InputError, Problem, candidates
from solecism.lexicon.table import read_tsv
from solecism.limits import DEPTH

__all__ = ["Hierarchy", "read_hierarchy"]


@dataclass(frozen=True)
class Hierarchy:
    """Classes and their parents; ``""`` is above all."""

    parents: Mapping[str, str] = field(default_factory=dict)
    _above: dict[str, frozenset[str]] = field(default_factory=dict, init=False, compare=False)

    def under(self, name: str, above: str) -> bool:
        """Tell whether class ``name`` is ``above`` or stands somewhere below it."""
        return bool(above) and above in self.upwards(name)

    def above(self, names: str) -> frozenset[str]:
        """Give the classes of a list text (``artist,human``) and all that stand above them."""
        if names not in self._above:
            found = (above for name in names.split(",") for above in self.upwards(name))
            self._above[names] = frozenset(found)
        return self._above[names]

    def upwards(self, name: str) -> tuple[str, ...]:
        """Give a class and all that stand above it, the nearest first."""
        out = []
        while name:
            out.append(name)
            name = self.parents.get(name, "")
        return tuple(out)


def read_hierarchy(path: Path) -> Hierarchy:
    """Read ``classes.tsv``; a language without one has a flat set of classes.

    Raises :class:`InputError` for a class that stands twice, an unknown parent or a circle.
    """
    if not path.exists():
        return Hierarchy()
    _, *rows = read_tsv(path, ["class", "parent"])
    parents = {cells[0]: cells[1] for _, cells in rows if cells[0].strip()}
    problems = []
    seen: set[str] = set()
    for line, (name, parent, *_) in rows:
        message = _problem(name, parent, parents, seen)
        if message:
            problems.append(Problem(message, str(path), line))
        if len(problems) == 100:
            break
        seen.add(name)
    if problems:
        raise InputError(problems)
    return Hierarchy(parents)


def _problem(name: str, parent: str, parents: Mapping[str, str], seen: set[str]) -> str:
    if not name.strip():
        return "the class has no name"
    if name in seen:
        return f"class {name!r} stands twice"
    if parent and parent not in parents:
        return f"class {name!r}: no class {parent!r} {candidates('classes', list(parents), parent)}"
    above, met = parents[name], {""}
    while above not in met and above != name and len(met) <= DEPTH:
        met.add(above)
        above = parents.get(above, "")
    if above == name:
        return f"class {name!r} stands below itself"
    return f"class {name!r} stands below more than {DEPTH} others" if above not in met else ""
