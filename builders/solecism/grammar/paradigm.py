"""A paradigm: a template bound to a lexicon, checked, and ready to be drawn from.

Pairs and suites are both made from the blocks of combinations of words that this module yields;
they count here what they make.
"""

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solecism.errors import InputError, Problem, fail
from solecism.grammar.columns import MEASURES
from solecism.grammar.phrases import Phrases
from solecism.grammar.render import LineExpression, Renderer, SpellingSpan, read_units
from solecism.grammar.sampling.elimination import Columns
from solecism.grammar.sampling.plan import BalanceLevel, DrawPlan
from solecism.grammar.slots import Domain, fill_slot
from solecism.grammar.template import Template, TemplateLine, read_template
from solecism.grammar.uses import Uses, merge_uses
from solecism.grammar.where import read_balance, read_where
from solecism.grammar.within import limit_clauses
from solecism.hashing import Hashes, mix, text_hashes
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import main_name
from solecism.lexicon.vocabulary import EVERYTHING
from solecism.schema import FEATURES


@dataclass(frozen=True)
class Paradigm:
    """One paradigm of one language of a data set."""

    template: Template
    phrases: Phrases
    plan: DrawPlan
    levels: tuple[BalanceLevel, ...] = ()

    @property
    def language(self) -> str:
        """The language code."""
        return self.template.folder.name

    @cached_property
    def start(self) -> Hashes:
        """The hash from which the ids of this paradigm are computed."""
        return text_hashes([self.template.name])

    def renderers(self, lines: Sequence[TemplateLine]) -> list[Renderer]:
        """Return new renderers of lines; they keep what they spell, so each draw has its own."""
        lexicon = self.phrases.lexicon
        units: dict[tuple[object, ...], LineExpression] = {}
        stretches: dict[tuple[object, ...], SpellingSpan] = {}
        out = []
        for condition in lines:
            read = read_units(condition, self.template.path, self.phrases, self.template.slot_names)
            shared = [units.setdefault(unit.key, unit) for unit in read]
            out.append(Renderer(shared, self.plan.domains, lexicon, stretches))
        return out

    def combinations(self, seed: int = 0) -> Iterator[Columns]:
        """Yield combinations of words in batches.

        For ``draw: all`` they are all combinations, in order. For ``draw: n`` they are a sample
        that goes on until nearly all are found: the caller takes as many as make ``n`` items.
        """
        if not self.plan.domains:
            yield []
        elif not self.plan.bound:
            return
        elif self.template.draw is None:
            yield from self.plan.walk()
        else:
            start, need = mix(self.start ^ np.uint64(seed % 2**64)), self.template.draw
            yield from self.plan.sample(start, need, self.levels)


def load_paradigm(path: Path, lexicon: Lexicon, phrases: Phrases | None = None) -> Paradigm:
    """Read a template and bind it to a lexicon; raises :class:`InputError` with all problems."""
    return bind(read_template(path), phrases or Phrases(path.parent, lexicon))


def bind(template: Template, phrases: Phrases) -> Paradigm:
    """Bind a template to the lexicon and macros of its language, as :func:`load_paradigm` does."""
    place, lines = template.path, template.lines
    features = [source for source in template.features.values() if source not in MEASURES]
    all_lines = (*template.conditions, *template.also)
    sources = [(line.line, source) for line in all_lines for source in line.expressions]
    keys = {"where": template.tests, "balance": template.balance, "features": features}
    for key, some in keys.items():
        sources += [(lines.get(key, lines.get("slots", 1)), source) for source in some]
    names = template.slot_names
    with gc_paused():
        _refuse(p for line, text in sources for p in phrases.problems(text, names, place, line))
        printed = merge_uses(map(phrases.uses, template.line_expressions))
        unused = [slot for slot in template.slots if slot.name not in printed]
        _refuse(Problem(f"slot {s.name!r} is used in no line", place, s.line) for s in unused)
        message = "features: every pair has {!r} already, give it another name"
        taken = [name for name in template.features if name in FEATURES]
        _refuse(Problem(message.format(name), place, lines["features"]) for name in taken)
        domains = _domains(template, merge_uses([printed, *map(phrases.uses, features)]), phrases)
        apart = [
            (i, j)
            for (i, a), (j, b) in combinations(enumerate(template.slots), 2)
            if {*map(main_name, a.tables)} & {*map(main_name, b.tables)}
            and not {a.name, b.name} <= set(template.may_repeat)
        ]
        bound = (template, phrases, domains)
        clauses = [*read_where(*bound), *limit_clauses(*bound)]
        plan = DrawPlan(domains, clauses, apart, place)
        return Paradigm(template, phrases, plan, tuple(read_balance(*bound)))


def _refuse(problems: Iterable[Problem]) -> None:
    """Raise :class:`InputError` if there are any problems."""
    if found := list(dict.fromkeys(problems)):
        raise InputError(found)


def _domains(template: Template, asked: Uses, phrases: Phrases) -> list[Domain]:
    """Return the words of each slot; raises :class:`InputError` with the problems of all slots."""
    domains: list[Domain] = []
    problems: list[Problem] = []
    for slot in template.slots:
        try:
            domains.append(fill_slot(slot, asked[slot.name], phrases, template.path))
        except InputError as error:
            message, place = f"slot {slot.name!r}: ", (template.path, slot.line)
            problems += [
                p if p.line else Problem(message + p.message, *place) for p in error.problems
            ]
    _refuse(problems)
    return domains


LARGEST = 10_000_000
"""The most minimal sets of a paradigm, unless more are allowed (a million: 0.2 GB of text)."""

PATIENCE = 1 << 20
"""How many combinations ``draw: n`` tries before it may give up, as too few make an item."""

HOPE = 10_000
"""How many it tries before it gives up as none makes one."""


@dataclass
class Counts:
    """How much a draw has made and left out.

    ``sets``: minimal sets. ``skipped``: combinations that made no pair, by reason.
    ``syncretic_forms``: bad forms that were left out, as they are spelt like the good one.
    """

    sets: int = 0
    pairs: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    syncretic_forms: int = 0

    @property
    def tried(self) -> int:
        """How many combinations were tried so far."""
        return self.sets + self.skipped.total()

    @property
    def reasons(self) -> str:
        """Why combinations were left out, with their numbers: ``2 equal, 1 lacking``."""
        return ", ".join(f"{n} {reason}" for reason, n in sorted(self.skipped.items()))

    def skip(
        self, made: NDArray[np.bool_], reasons: Iterable[Mapping[str, NDArray[np.bool_]]]
    ) -> None:
        """Count the combinations that were not ``made``, each under its first reason.

        ``reasons``: for each line the combinations that it skips, by reason. One without a reason
        is counted as ``equal``: its sentences are the same.
        """
        left, found = ~made, Counter[str]()
        for reason, mask in (pair for by_reason in reasons for pair in by_reason.items()):
            found[reason] += int((mask[: len(left)] & left).sum())
            left &= ~mask[: len(left)]
        found["equal"] += int(left.sum())
        self.skipped += found


def check_size(paradigm: Paradigm, most: int) -> None:
    """Raise :class:`InputError` where a template would make more than ``most`` minimal sets.

    Nothing is drawn for this; for ``draw: all`` the number is an upper bound.
    """
    wanted = paradigm.template.draw
    size = paradigm.plan.bound if wanted is None else wanted
    if size > most:
        made = "`draw: all` makes up to" if wanted is None else "`draw` asks for"
        way = f"write `draw: {most}` or another number, or allow more (--most)"
        message = f"{made} {size:,} minimal sets, more than {most:,}: {way}"
        raise fail(message, paradigm.template.path, paradigm.template.lines.get("draw", 1))


def check_enough(paradigm: Paradigm, counts: Counts) -> None:
    """Raise :class:`InputError` where the words make fewer minimal sets than wanted, or none.

    Within limits that is no error: what is lacking is told when all is drawn.
    """
    if paradigm.phrases.lexicon.limits != EVERYTHING:
        return
    wanted = paradigm.template.draw
    left_out = f" (left out: {counts.reasons})" if counts.reasons else ""
    if wanted is not None:
        made = f"the words allow {counts.sets}"
        if _hopeless(counts):
            made = f"the first {counts.tried:,} combinations of words make {counts.sets}"
        message = f"draw: {wanted} minimal sets are wanted, {made}{left_out}"
        raise fail(message, paradigm.template.path, paradigm.template.lines.get("draw"))
    if not counts.sets:
        line = paradigm.template.conditions[0].line
        raise fail(f"no words make a pair{left_out}", paradigm.template.path, line)


def blocks(paradigm: Paradigm, seed: int, counts: Counts) -> Iterator[Columns]:
    """Yield combinations in blocks, small if few items are still wanted.

    Stop early if nearly none of very many combinations makes an item.
    """
    wanted = paradigm.template.draw
    limited = paradigm.phrases.lexicon.limits != EVERYTHING
    for columns in paradigm.combinations(seed):
        if wanted is None:
            yield columns
            continue
        start, rows = 0, len(columns[0]) if columns else 1
        while start < rows and not _hopeless(counts, limited):
            stop = start + max(wanted - counts.sets, counts.tried, 64)
            yield [column[start:stop] for column in columns]
            start = stop
        if _hopeless(counts, limited):
            return


def _hopeless(counts: Counts, limited: bool = False) -> bool:
    """Return whether none of many combinations made an item, or too few of very many.

    ``limited``: that there are too few is no error, and seen sooner.
    """
    few = counts.tried > PATIENCE and 1000 * counts.sets < counts.tried
    few = few or (limited and counts.tried > 4 * HOPE and 20 * counts.sets < counts.tried)
    return few or (counts.tried > HOPE and not counts.sets)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause garbage collection while many long-lived objects are made.

    Afterwards they count as old objects, which are collected seldom.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
