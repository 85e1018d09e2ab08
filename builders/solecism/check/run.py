"""Run the checks over lexicons, templates and the items drawn from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa

from solecism.check.finding import Finding, Hit, hits
from solecism.check.lexicons import Tables
from solecism.check.pairs import PairBatch, PairMemory
from solecism.check.registry import (
    BOUND_CHECKS,
    CHECKS,
    COUNT_CHECKS,
    DRAFT_CHECKS,
    ITEM_CHECKS,
    LEXICON_CHECKS,
    SUITE_CHECKS,
    Check,
)
from solecism.check.suites import SuiteBatch, SuiteMemory
from solecism.check.templates import UnboundTemplate, too_large
from solecism.errors import InputError, candidates, fail, visible
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts, Paradigm, bind
from solecism.grammar.phrases import PHRASES, Phrases
from solecism.grammar.suites import draw_suites
from solecism.grammar.template import Template, read_templates
from solecism.inputs import read_source
from solecism.lexicon.lexicon import Lexicon, read_hierarchy
from solecism.lexicon.orthography import read_orthography
from solecism.lexicon.table import read_tsv

__all__ = [
    "CheckedCounts", "ItemChecker", "check_items", "check_lexicon", "check_paths",
]  # fmt: skip

T = TypeVar("T")
Checks = Sequence[Check[Callable[..., object]]]

_FILE_CODES = {"classes.tsv": "L002", "orthography.tsv": "L003", PHRASES: "T002"}


@dataclass
class CheckedCounts:
    """How much was checked: lexicons, paradigms, and their pairs and items of suites."""

    lexicons: int = 0
    paradigms: int = 0
    pairs: int = 0
    items: int = 0

    def __str__(self) -> str:
        names = ("lexicons", "paradigms", "pairs", "items")
        counts = [(getattr(self, name), name) for name in names]
        shown = [f"{n:,} {name[:-1] if n == 1 else name}" for n, name in counts if n]
        return f"{', '.join(shown) or 'nothing'} checked"


def check_paths(
    paths: Sequence[str | Path], root: Path, *, items: bool = True, seed: int = 0,
    counts: CheckedCounts | None = None,
) -> list[Finding]:  # fmt: skip
    """Check lexicons and templates below ``root``, and the items that the templates make.

    ``paths`` are lexicon folders or tables, template folders or files, or names of data sets
    (``clams``, ``clams/fr``, ``clams/fr/subj_rel``); without any, everything is checked. ``items``
    are drawn with ``seed``, and ``counts`` says in the end how much there was. Findings are sorted
    by place, which they name relative to ``root``.

    Raises :class:`InputError` for a path that names nothing.
    """
    top, words_top = root / "templates", root / "lexicons"
    chosen = [_resolved(path, root) for path in paths] or [
        folder for folder in (words_top, top) if folder.is_dir()
    ]
    if not chosen:
        raise fail("there are no folders templates/ and lexicons/ here", root)
    words = [path for path in chosen if _is_below(path, words_top)]
    templates = [file for path in chosen if path not in words for file in _templates(path, top)]
    counts = counts if counts is not None else CheckedCounts()
    found = _check_templates(dict.fromkeys(templates), root, items, seed, counts)
    checked = cache(check_lexicon)
    for path in words:
        for place in sorted(words_top.glob("*/")) if path == words_top else [path]:
            findings = checked(place if place.is_dir() else place.parent)
            found += [f for f in findings if place.is_dir() or f.path == str(place)]
    counts.lexicons += checked.cache_info().misses
    return sorted({f.within(root) for f in found}, key=lambda f: f.order)


def check_lexicon(folder: Path) -> list[Finding]:
    """Check the tables, classes and spelling of one language (``lexicons/<language>``)."""
    found: list[Finding] = []
    lexicon = Lexicon(folder)
    tables = [_try(partial(lexicon.table, name), "L001", found) for name in lexicon.names]
    hierarchy = _try(partial(read_hierarchy, folder / "classes.tsv"), "L002", found)
    rules = _try(partial(_rules, folder / "orthography.tsv"), "L003", found)
    classes = frozenset(hierarchy.parents if hierarchy else ())
    read = Tables(folder, tuple(filter(None, tables)), classes, rules or ())
    _try(lambda: (lexicon.typical, lexicon.unwanted), "L001", found)
    found += [c.finding(hit) for c in LEXICON_CHECKS for hit in c.function(read)]
    return list(dict.fromkeys(found))


def _rules(path: Path) -> tuple[tuple[int, list[str]], ...]:
    read_orthography(path)
    return tuple(read_tsv(path, ["rule"]))[1:] if path.exists() else ()


def _try(read: Callable[[], T], code: str, found: list[Finding]) -> T | None:
    """Return what ``read`` returns; add what it refuses as findings.

    Their code is that of the problem, of the file that is to blame, or ``code``.
    """
    try:
        return read()
    except InputError as error:
        for problem in error.problems:
            found += _problem_findings(InputError(problem), code)
        return None


def _problem_findings(error: InputError, code: str) -> Iterator[Finding]:
    path = Path(error.problems[0].path)
    other = "L001" if path.suffix == ".tsv" else code
    check = CHECKS[error.problems[0].code or _FILE_CODES.get(path.name, other)]
    return map(check.finding, hits(error))


class _LanguageTemplates:
    """The templates of one language of a data set, with lexicon, macros and bibliography."""

    def __init__(
        self, folder: Path, root: Path, read: Callable[[Path], tuple[Template, ...]]
    ) -> None:
        self.folder, self.root, self.read = folder, root, read
        self.lexicon = Lexicon(root / "lexicons" / folder.name)
        self.memory = PairMemory()

    @cached_property
    def phrases(self) -> Phrases:
        """The macros; raises :class:`InputError`."""
        return Phrases(self.folder, self.lexicon)

    @cached_property
    def sources(self) -> frozenset[str] | None:
        """The keys of references.bib, or None where there is no such file."""
        path = self.root / "references.bib"
        if not path.exists():
            return None
        return frozenset(re.findall(r"^\s*@\w+\s*\{\s*([^,\s]+)", read_source(path), re.M))

    def siblings(self, template: Template) -> Iterator[Template]:
        """The templates of the same name in other languages, as far as they can be read."""
        path = Path(template.path)
        for other in sorted(self.folder.parent.glob(f"*/{path.name}")):
            found = () if other == path else _try(partial(self.read, other), "T001", []) or ()
            yield from (sibling for sibling in found if sibling.id == template.id)


def _check_templates(
    files: Iterable[Path], root: Path, items: bool, seed: int, counts: CheckedCounts
) -> list[Finding]:
    found: list[Finding] = []
    read = cache(read_templates)
    languages: dict[Path, _LanguageTemplates] = {}
    for path in files:
        language = languages.setdefault(path.parent, _LanguageTemplates(path.parent, root, read))
        templates = _try(partial(read, path), "T001", found)
        counts.paradigms += 1 if templates is None else len(templates)
        for template in templates or ():
            paradigm = _check_template(template, language, found)
            if paradigm and items and not any(too_large(paradigm)):
                check = partial(_check_items, paradigm, seed, language.memory, found, counts)
                _try(check, "T004", found)
    return found


def _check_template(
    template: Template, language: _LanguageTemplates, found: list[Finding]
) -> Paradigm | None:
    draft = UnboundTemplate(template, language.sources, tuple(language.siblings(template)))
    hits_of_draft = [c.finding(hit) for c in DRAFT_CHECKS for hit in c.function(draft)]
    found += _not_allowed(hits_of_draft, template)
    phrases = _try(lambda: language.phrases, "T002", found)
    if phrases is None:
        return None
    paradigm = _try(partial(bind, template, phrases), "T003", found)
    if paradigm:
        bound = [c.finding(hit) for c in BOUND_CHECKS for hit in c.function(paradigm)]
        found += _not_allowed(bound, template)
    return paradigm


def _check_items(
    paradigm: Paradigm, seed: int, memory: PairMemory, found: list[Finding], checked: CheckedCounts
) -> None:
    """Draw the items of a paradigm and check them; raises :class:`InputError`."""
    counts = Counts()
    draw_items = draw_pairs if paradigm.template.is_pair else draw_suites
    found += check_items(paradigm, draw_items(paradigm, seed, counts), counts, memory)
    name = "pairs" if paradigm.template.is_pair else "items"
    setattr(checked, name, getattr(checked, name) + counts.pairs)


def _resolved(path: str | Path, root: Path) -> Path:
    """Return the path of a data set's name, a path below the root, or any path, in this order."""
    tops = (root / "templates", root / "lexicons")
    tried = [tops[0] / path, tops[0] / f"{path}.jinja", root / path, Path(path)]
    if len(Path(path).parts) == 2:  # dataset/UID, if one language alone has it
        found = list(tops[0].glob(f"{Path(path).parent}/*/{Path(path).name}.jinja"))
        tried[2:2] = found if len(found) == 1 else []
    for place, top in product(tried, tops):
        if place.exists() and _is_below(place, top):
            return top / place.resolve().relative_to(top.resolve())
    folders = [*tops[0].glob("*/"), *tops[0].glob("*/*/")]
    names = sorted(folder.relative_to(tops[0]).as_posix() for folder in folders)
    names += sorted(f"lexicons/{folder.name}" for folder in tops[1].glob("*/"))
    near = candidates("known", names, str(path))
    raise fail(f"{str(path)!r} names no lexicon or template {near}")


def _is_below(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _templates(path: Path, top: Path) -> list[Path]:
    """Return the files ``<dataset>/<language>/<UID>.jinja`` that a path names."""
    if path.is_file() and path.name != PHRASES:
        return [path]
    folder = path.parent if path.is_file() else path
    return sorted(f for f in folder.rglob("[!_]*.jinja") if f.parent.parent.parent == top)


SHOWN = 3
"""The number of pairs that a finding shows."""


@dataclass
class _Flagged:
    """The number of items that a check flagged, and the first of them."""

    number: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, rows: Sequence[int], show: Callable[[int], str]) -> None:
        self.number += len(rows)
        self.examples += [visible(show(row)) for row in rows[: SHOWN - len(self.examples)]]


class ItemChecker:
    """The checks of a paradigm's items: :meth:`add` each table, then :meth:`finish`.

    Tables are of :func:`solecism.schema.pair_schema` or :data:`solecism.schema.SUITE`, in any
    number and of any size. ``memory`` is shared by the paradigms of a config: pairs are compared
    with those of all of them. Only hashes of pairs are kept, so memory is flat.
    """

    def __init__(self, paradigm: Paradigm, memory: PairMemory | None = None) -> None:
        self.paradigm = paradigm
        self.checks: Checks = ITEM_CHECKS if paradigm.template.is_pair else SUITE_CHECKS
        self._items = 0
        self._memory, self._suites = memory or PairMemory(), SuiteMemory()
        self._flagged = {check.code: _Flagged() for check in self.checks}

    def add(self, table: pa.Table) -> None:
        """Check one batch."""
        self._items += len(table)
        if len(table) and self.paradigm.template.is_pair:
            self._add_pairs(PairBatch(self.paradigm, table, self._memory))
        elif len(table):
            batch = SuiteBatch(self.paradigm, table.to_pylist(), self._suites)
            for check in SUITE_CHECKS:
                rows = [n for n, bad in enumerate(check.function(batch)) if bad]
                self._flagged[check.code].add(rows, batch.shown)

    def _add_pairs(self, batch: PairBatch) -> None:
        def show(row: int) -> str:
            return f"{batch.good[row].as_py()} / *{batch.bad[row].as_py()}"

        def show_twice(row: int) -> str:
            others = ", ".join(batch.elsewhere(row))
            return f"{show(row)} (also in {others})" if others else show(row)

        for check in ITEM_CHECKS:
            rows = np.flatnonzero(check.function(batch)).tolist()
            twice = check.code in ("I002", "I004")
            self._flagged[check.code].add(rows, show_twice if twice else show)

    def finish(self, counts: Counts | None = None) -> list[Finding]:
        """Return a finding for each check that flagged an item, and for what was left out."""
        noun = "pairs" if self.paradigm.template.is_pair else "items"
        found = []
        for check in self.checks:
            if (flagged := self._flagged[check.code]).number:
                examples = "; ".join(flagged.examples)
                detail = f"{flagged.number} of {self._items} {noun}: {examples}"
                found.append(self._finding(check, detail))
        for count_check in COUNT_CHECKS:
            details = count_check.function(counts or Counts())
            found += [self._finding(count_check, detail) for detail in details]
        return _not_allowed(found, self.paradigm.template)

    def _finding(self, check: Check[Callable[..., object]], detail: str) -> Finding:
        template = self.paradigm.template
        return check.finding(Hit(detail, template.path, template.conditions[0].line))


def _not_allowed(found: Iterable[Finding], template: Template) -> list[Finding]:
    """Return findings without the warnings and notes that the template allows."""
    return [f for f in found if f.level == "error" or f.code not in template.allow]


def check_items(
    paradigm: Paradigm, tables: Iterable[pa.Table], counts: Counts | None = None,
    memory: PairMemory | None = None,
) -> list[Finding]:  # fmt: skip
    """Check the items of a paradigm, as :func:`~solecism.grammar.pairs.draw_pairs` yields them.

    ``counts`` are those that the draw fills in; they are read when all tables are drawn.
    ``memory`` has the pairs of the other paradigms of the config.
    """
    checker = ItemChecker(paradigm, memory)
    for table in tables:
        checker.add(table)
    return checker.finish(counts)
