"""A paradigm: a template bound to a lexicon, checked, and ready to be drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np

from solecism.errors import InputError, Problem
from solecism.grammar.collector import no_collecting
from solecism.grammar.columns import expressions
from solecism.grammar.groups import merge_uses
from solecism.grammar.phrases import Sandbox
from solecism.grammar.render import Chunk, Line, Unit, read_units
from solecism.grammar.sampling.balance import Level, balanced
from solecism.grammar.sampling.elimination import Columns
from solecism.grammar.sampling.plan import Plan
from solecism.grammar.slots import Domain, fill_slot
from solecism.grammar.template import Template, read_template
from solecism.grammar.where import read_balance, read_where
from solecism.grammar.words import TemplateFault
from solecism.hashing import Hashes, mix, text_hashes
from solecism.lexicon.lexicon import Lexicon
from solecism.schema import FEATURES

__all__ = ["Paradigm", "load_paradigm"]


@dataclass(frozen=True)
class Paradigm:
    """One paradigm of one language of a data set. ``folder`` is ``templates/<dataset>/<language>``."""

    template: Template
    sandbox: Sandbox
    plan: Plan
    levels: tuple[Level, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder the template stands in."""
        return Path(self.template.path).parent

    @property
    def language(self) -> str:
        """The language code."""
        return self.folder.name

    @property
    def name(self) -> str:
        """``dataset/language/UID``."""
        return f"{self.folder.parent.name}/{self.language}/{self.template.id}"

    @cached_property
    def start(self) -> Hashes:
        """The number that ids of this paradigm begin from."""
        return text_hashes([self.name])

    @property
    def lines(self) -> list[Line]:
        """The conditions, ready to be rendered; made anew, so that what they keep ends with a draw."""
        spelling = self.sandbox.lexicon.orthography
        units: dict[tuple[object, ...], Unit] = {}
        chunks: dict[tuple[object, ...], Chunk] = {}
        lines = []
        for condition in self.template.conditions:
            path, names = self.template.path, self.template.slot_names
            read = read_units(condition, path, self.sandbox, names, self.sandbox.memo)
            shared = [units.setdefault(unit.source, unit) for unit in read]
            lines.append(Line(shared, self.plan.domains, spelling, chunks))
        return lines

    def slot_number(self, name: str) -> int:
        """The place of a slot among the slots."""
        return self.template.slot_names.index(name)

    def combinations(self, seed: int = 0) -> Iterator[Columns]:
        """Yield combinations of words in batches: all of them in order, or, for ``draw: n``, sampled.

        A sample does not end by itself: take as many as make ``n`` items.
        """
        if not self.plan.domains:
            yield []
        elif self.template.draw is None:
            yield from self.plan.walk()
        else:
            start, need = mix(self.start ^ np.uint64(seed % 2**64)), self.template.draw
            sample = balanced(self.plan, self.levels, start, need) if self.levels else None
            yield from sample or self.plan.sample(start, need)


def load_paradigm(path: Path, lexicon: Lexicon, sandbox: Sandbox | None = None) -> Paradigm:
    """Read a template and bind it to a lexicon; raises :class:`InputError` with all its problems."""
    with no_collecting():
        return _load(path, lexicon, sandbox)


def _load(path: Path, lexicon: Lexicon, sandbox: Sandbox | None) -> Paradigm:
    template = read_template(path)
    sandbox = sandbox or Sandbox(path.parent, lexicon)
    _raise(list(_expression_problems(template, sandbox)))
    asked = _asked(template, sandbox)
    _raise([*_unused(template, sandbox), *_taken_names(template)])
    domains = _domains(template, asked, sandbox)
    _raise(list(_column_problems(template, sandbox, domains)))
    plan = Plan(domains, read_where(template, sandbox, domains), _apart(template), template.path)
    return Paradigm(template, sandbox, plan, tuple(read_balance(template, sandbox, domains)))


def _raise(problems: Sequence[Problem]) -> None:
    if problems:
        raise InputError(problems)


def _expression_problems(template: Template, sandbox: Sandbox) -> Iterator[Problem]:
    names = template.slot_names
    for line, source in _expressions(template):
        yield from sandbox.problems(source, names, template.path, line)


def _expressions(template: Template) -> Iterator[tuple[int, str]]:
    for condition in template.conditions:
        for part in condition.parts:
            if part.kind == "expression":
                yield condition.line, part.value
    for key, sources in ("where", template.where), ("balance", template.balance):
        for source in sources:
            yield template.lines[key], source
    for source in expressions(template.features):
        yield template.lines["features"], source


def _asked(template: Template, sandbox: Sandbox) -> dict[str, frozenset[str]]:
    """What the lines and features (not the clauses) ask of each slot."""
    sources = (*_in_lines(template), *expressions(template.features))
    return merge_uses(sandbox.uses(source) for source in sources)


def _in_lines(template: Template) -> list[str]:
    return [p.value for c in template.conditions for p in c.parts if p.kind == "expression"]


def _unused(template: Template, sandbox: Sandbox) -> Iterator[Problem]:
    used = merge_uses(sandbox.uses(source) for source in _in_lines(template))
    for slot in template.slots:
        if slot.name not in used:
            yield Problem(f"slot {slot.name!r} is used in no line", template.path, slot.line)


def _taken_names(template: Template) -> Iterator[Problem]:
    for name in template.features:
        if name in FEATURES:
            message = f"features: every pair has {name!r} already, give it another name"
            yield Problem(message, template.path, template.lines["features"])


def _domains(
    template: Template, asked: dict[str, frozenset[str]], sandbox: Sandbox
) -> list[Domain]:
    domains: list[Domain] = []
    problems: list[Problem] = []
    for slot in template.slots:
        uses = asked[slot.name]
        try:
            domains.append(
                fill_slot(slot, uses, sandbox.lexicon, sandbox.run, template.path, sandbox.memo)
            )
        except InputError as error:
            problems += [
                p
                if p.line
                else Problem(f"slot {slot.name!r}: {p.message}", template.path, slot.line)
                for p in error.problems
            ]
    _raise(list(dict.fromkeys(problems)))
    return domains


def _column_problems(
    template: Template, sandbox: Sandbox, domains: Sequence[Domain]
) -> Iterator[Problem]:
    words = {domain.slot.name: domain.words[0] for domain in domains}
    for line, source in _expressions(template):
        for slot, column in sandbox.columns(source):
            try:
                words[slot].lookup(column)
            except TemplateFault as fault:
                yield Problem(f"{fault} in {{{{ {source} }}}}", template.path, line)


def _apart(template: Template) -> list[tuple[int, int]]:
    return [
        (i, j)
        for (i, a), (j, b) in combinations(enumerate(template.slots), 2)
        if set(a.tables) & set(b.tables) and not {a.name, b.name} <= set(template.may_repeat)
    ]
