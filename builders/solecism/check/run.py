"""Run the checks over lexicons, templates and the items drawn from them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa

from solecism.check.lexicons import Tables
from solecism.check.pairs import PairBatch, PairMemory
from solecism.check.registry import CHECKS, GROUPS, Checks, Finding
from solecism.check.suites import SuiteBatch, SuiteMemory
from solecism.check.templates import EXAMPLE, UnboundTemplate, too_large
from solecism.errors import InputError, Problem, candidates, fail, visible
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts, Paradigm, bind
from solecism.grammar.phrases import PHRASES, Phrases
from solecism.grammar.suites import draw_suites
from solecism.grammar.template import Template, read_templates
from solecism.inputs import read_source
from solecism.language_tags import with_codes
from solecism.lexicon.evidence import read_evidence, read_exceptions, read_head
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.orthography import read_orthography
from solecism.lexicon.table import read_table, read_tsv

_FILE_CODES = {"classes.tsv": "L002", "orthography.tsv": "L003", PHRASES: "T002"}


def check_paths(
    paths: Sequence[str | Path], root: Path, *, items: bool = True, seed: int = 0,
    counts: Counter[str] | None = None,
) -> list[Finding]:  # fmt: skip
    """Check lexicons and templates below ``root``, and the items that the templates make.

    ``paths`` are lexicon folders or tables, template folders or files, or names of data sets
    (``clams``, ``clams/fr``, ``clams/fr/subj_rel``); without any, everything is checked. ``items``
    are drawn with ``seed``. The numbers of lexicons, paradigms, pairs and items that were checked
    are added to ``counts``. Findings are sorted by path and line; paths are relative to ``root``.

    Raises :class:`InputError` for a path that names nothing.
    """
    top, words_top = root / "templates", root / "lexicons"
    chosen = [_resolved(path, root) for path in paths]
    chosen = chosen or [folder for folder in (words_top, top) if folder.is_dir()]
    if not chosen:
        raise fail("there are no folders templates/ and lexicons/ here", root)
    counts = counts if counts is not None else Counter()
    words = [path for path in chosen if _is_below(path, words_top)]
    files = dict.fromkeys(f for path in chosen if path not in words for f in _templates(path, top))
    language_of, sources = cache(_Language), _bibliography_keys(root)
    found: list[Finding] = []
    for path in files:
        language = language_of(path.parent, root / "lexicons" / path.parent.name, sources)
        templates: tuple[Template, ...] = ()
        with _noting(found, "T001"):
            templates = read_templates(path)
        counts["paradigms"] += len(templates) or 1
        for template in templates:
            found += _check_template(template, language, seed if items else None, counts)
    checked = cache(check_lexicon)
    for path in words:
        for place in sorted(words_top.glob("*/")) if path == words_top else [path]:
            findings = checked(place if place.is_dir() else place.parent)
            found += [f for f in findings if place.is_dir() or f.path == str(place)]
    counts["lexicons"] += checked.cache_info().misses
    return sorted({f.within(root) for f in found}, key=lambda f: f.order)


def check_lexicon(folder: Path) -> list[Finding]:
    """Check the tables, classes and spelling of one language (``lexicons/<language>``)."""
    found: list[Finding] = []
    lexicon, spelling = Lexicon(folder), folder / "orthography.tsv"
    tables, classes = [], frozenset[str]()
    rules: tuple[tuple[int, list[str]], ...] = ()
    for name in lexicon.names:
        with _noting(found, "L001"):
            # A part by itself: what it inherits is checked in its main table.
            table = lexicon.table(name)
            tables.append(table if table.main == name else read_table(Path(table.path)))
    with _noting(found, "L002"):
        classes = frozenset(lexicon.hierarchy.parents)
    with _noting(found, "L003"):
        read_orthography(spelling)
        rules = tuple(read_tsv(spelling, ["rule"]))[1:] if spelling.exists() else ()
    with _noting(found, "L001"):
        _ = lexicon.typical, lexicon.unwanted
    subject = Tables(folder, tuple(tables), classes, rules)
    with _noting(found, "L001"):
        subject = replace(subject, explained=read_exceptions(folder))
    with _noting(found, "L001"):
        evidence, (_, counted) = tuple(read_evidence(folder)), read_head(folder)
        subject = replace(subject, evidence=evidence, counted=counted)
    found += _findings({**GROUPS["lexicon"], **GROUPS["idle"]}, subject)
    return list(dict.fromkeys(found))


@contextmanager
def _noting(found: list[Finding], code: str) -> Iterator[None]:
    """Turn an :class:`InputError` of the block into findings, and go on after the block.

    The code of a finding is that of the problem. If the problem has none, it is the code of the
    file that the problem names, and otherwise ``code``.
    """
    try:
        yield
    except InputError as error:
        for problem in error.problems:
            path = Path(problem.path)
            usual = _FILE_CODES.get(path.name, "L001" if path.suffix == ".tsv" else code)
            found.append(CHECKS[problem.code or usual].finding(problem))


def _findings(checks: Checks, subject: object) -> list[Finding]:
    """Return what checks find in one subject, such as a template."""
    return [CHECKS[code].finding(p) for code, (_, check) in checks.items() for p in check(subject)]


class _Language:
    """What the templates of a language of a data set share: lexicon, macros, hashes of pairs.

    ``findings`` are the errors of the macros; then there are no ``phrases``.
    """

    def __init__(self, folder: Path, words: Path, sources: frozenset[str] | None) -> None:
        self.lexicon, self.memory, self.sources = Lexicon(words), PairMemory(), sources
        self.phrases: Phrases | None = None
        self.findings: list[Finding] = []
        with _noting(self.findings, "T002"):
            self.phrases = Phrases(folder, self.lexicon)


def _bibliography_keys(root: Path) -> frozenset[str] | None:
    """Return the keys of references.bib, or None where there is no such file."""
    path = root / "references.bib"
    if not path.exists():
        return None
    return frozenset(re.findall(r"^\s*@\w+\s*\{\s*([^,\s]+)", read_source(path), re.M))


def _check_template(
    template: Template, language: _Language, seed: int | None, counts: Counter[str]
) -> list[Finding]:
    """Check a template; draw its items and check them if there is a seed."""
    path, siblings = Path(template.path), list[Template]()
    for other in sorted(path.parent.parent.glob(f"*/{path.name}")):
        with _noting([], "T001"):
            if other != path and EXAMPLE not in read_source(other):
                siblings += [t for t in read_templates(other) if t.id == template.id]
    unbound = UnboundTemplate(template, language.sources, tuple(siblings))
    found = _not_allowed(_findings(GROUPS["template"], unbound), template) + language.findings
    if language.phrases is None:
        return found
    with _noting(found, "T003"):
        paradigm = bind(template, language.phrases)
        found += _not_allowed(_findings(GROUPS["paradigm"], paradigm), template)
        with _noting(found, "T004"):
            if seed is not None and not any(too_large(paradigm)):
                drawn, draw = Counts(), draw_pairs if template.is_pair else draw_suites
                found += check_items(paradigm, draw(paradigm, seed, drawn), drawn, language.memory)
                counts["pairs" if template.is_pair else "items"] += drawn.pairs
                found += _not_allowed(_findings(GROUPS["drawn"], paradigm), template)
    return found


def _resolved(path: str | Path, root: Path) -> Path:
    """Return the path that a name or path means, below ``root/templates`` or ``root/lexicons``.

    It is tried as a name of a data set, language or paradigm, then below the root, then as it is.
    Raises :class:`InputError` if nothing is there.
    """
    tops = (root / "templates", root / "lexicons")
    tried = [tops[0] / path, tops[0] / f"{path}.jinja", root / path, Path(path)]
    if len(Path(path).parts) == 2:  # dataset/UID, if one language alone has it
        found = list(tops[0].glob(f"{Path(path).parent}/*/{Path(path).name}.jinja"))
        tried[2:2] = found if len(found) == 1 else []
    named = with_codes(Path(path))
    tried += [tops[0] / named, tops[0] / f"{named}.jinja", root / named]
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
"""The number of pairs or items that a finding shows as examples."""


class ItemChecker:
    """The checks of a paradigm's items: :meth:`add` each table, then :meth:`finish`.

    Tables are of :func:`solecism.schema.pair_schema` or :data:`solecism.schema.SUITE`, in any
    number and of any size. Pairs are compared with those that are in ``memory`` already, which all
    paradigms of a language share. Only the hashes of pairs are kept.
    """

    def __init__(self, paradigm: Paradigm, memory: PairMemory | None = None) -> None:
        self.paradigm, self.is_pair = paradigm, paradigm.template.is_pair
        self._checks = GROUPS["pair" if self.is_pair else "suite"]
        self._items = 0
        self._memory, self._suites = memory or PairMemory(), SuiteMemory()
        self._flagged = Counter[str]()
        self._examples: dict[str, list[str]] = defaultdict(list)

    def add(self, table: pa.Table) -> None:
        """Check the items of one table."""
        self._items += len(table)
        if not len(table):
            return
        batch: PairBatch | SuiteBatch = PairBatch(self.paradigm, table, self._memory)
        if not self.is_pair:
            batch = SuiteBatch(self.paradigm, table.to_pylist(), self._suites)
        for code, (_, check) in self._checks.items():
            rows = np.flatnonzero(check(batch)).tolist()
            examples = self._examples[code]
            examples += [visible(batch.shown(n, code)) for n in rows[: SHOWN - len(examples)]]
            self._flagged[code] += len(rows)

    def finish(self, counts: Counts | None = None) -> list[Finding]:
        """Return a finding for each check that flagged an item, and for what was left out."""
        noun = "pairs" if self.is_pair else "items"
        texts = [
            (code, f"{number} of {self._items} {noun}: {'; '.join(self._examples[code])}")
            for code, number in self._flagged.items()
            if number
        ]
        for code, (_, check) in GROUPS["counts"].items():
            texts += [(code, text) for text in check(counts or Counts())]
        template = self.paradigm.template
        line = template.conditions[0].line
        found = [CHECKS[c].finding(Problem(text, template.path, line)) for c, text in texts]
        return _not_allowed(found, template)


def _not_allowed(found: Iterable[Finding], template: Template) -> list[Finding]:
    """Return the findings but for warnings and notes that the template allows (`allow`)."""
    return [f for f in found if f.level == "error" or f.code not in template.allow]


def check_items(
    paradigm: Paradigm, tables: Iterable[pa.Table], counts: Counts | None = None,
    memory: PairMemory | None = None,
) -> list[Finding]:  # fmt: skip
    """Check the items of a paradigm, as :func:`~solecism.grammar.pairs.draw_pairs` yields them.

    ``counts`` are those that the draw fills in; they are read when all tables are drawn.
    ``memory`` has the pairs of other paradigms of the language.
    """
    checker = ItemChecker(paradigm, memory)
    for table in tables:
        checker.add(table)
    return checker.finish(counts)
