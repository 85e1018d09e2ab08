"""``solecism check``: all checks over lexicons, templates and the items drawn from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from typing import Literal, TypeVar

from solecism.check.finding import Finding, hits
from solecism.check.items import check_items
from solecism.check.lexicons import Tables
from solecism.check.registry import BOUND_CHECKS, CHECKS, DRAFT_CHECKS, LEXICON_CHECKS
from solecism.check.templates import Draft, too_large
from solecism.errors import InputError, candidates, fail
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts, Paradigm, load_paradigm
from solecism.grammar.phrases import PHRASES, Phrases
from solecism.grammar.suites import draw_suites
from solecism.grammar.template import Template, read_template
from solecism.lexicon.lexicon import Lexicon, read_hierarchy
from solecism.lexicon.orthography import read_orthography
from solecism.lexicon.table import read_source, read_tsv

__all__ = ["Target", "check_lexicon", "check_paths", "check_templates", "find_targets"]


T = TypeVar("T")

_FILE_CODES = {"classes.tsv": "L002", "orthography.tsv": "L003", PHRASES: "T002"}


def check_paths(
    paths: Sequence[str | Path], root: Path, *, items: bool = True, seed: int = 0
) -> list[Finding]:
    """Check what ``paths`` name below the data root (the folder with ``templates/`` and ``lexicons/``).

    Paths are lexicon folders or tables, template folders or files, or names of data sets (``clams``,
    ``clams/fr``, ``clams/fr/subj_rel``); none: everything. With ``items`` the templates are drawn, with
    ``seed``, and their items checked. Findings are sorted by place and name it relative to ``root``.
    Raises :class:`InputError` for a path that names nothing.
    """
    targets = find_targets(paths, root)
    templates = [file for target in targets if target.kind == "templates" for file in target.files]
    found = check_templates(dict.fromkeys(templates), root, items=items, seed=seed)
    for target in targets:
        found += _lexicon_findings(target) if target.kind == "lexicon" else []
    return sorted({f.within(root) for f in found}, key=lambda f: f.order)


def _lexicon_findings(target: Target) -> list[Finding]:
    wanted = {str(path) for path in target.files}
    return [f for f in check_lexicon(target.folder) if not wanted or f.path in wanted]


def check_lexicon(folder: Path) -> list[Finding]:
    """Check all tables of one language (``lexicons/<language>``)."""
    found: list[Finding] = []
    lexicon = Lexicon(folder)
    tables = [_try(partial(lexicon.table, name), "L001", found) for name in lexicon.names]
    hierarchy = _try(partial(read_hierarchy, folder / "classes.tsv"), "L002", found)
    rules = _try(partial(_rules, folder / "orthography.tsv"), "L003", found)
    classes = frozenset(hierarchy.parents if hierarchy else ())
    read = Tables(folder, tuple(filter(None, tables)), classes, rules or ())
    found += [c.finding(hit) for c in LEXICON_CHECKS for hit in c.function(read)]
    return found


def _rules(path: Path) -> tuple[tuple[int, list[str]], ...]:
    read_orthography(path)
    return tuple(read_tsv(path, ["rule"]))[1:] if path.exists() else ()


def _try(read: Callable[[], T], code: str, found: list[Finding]) -> T | None:
    """Call ``read``; what it refuses is found under ``code``, or that of the file that is to blame."""
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


class _Language:
    """The templates of one language of a data set, with what they need."""

    def __init__(self, folder: Path, root: Path, read: Callable[[Path], Template]) -> None:
        self.folder, self.root, self.read = folder, root, read
        self.lexicon = Lexicon(root / "lexicons" / folder.name)

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

    def siblings(self, path: Path) -> Iterator[Template]:
        """The templates of the same name in other languages, as far as they can be read."""
        for other in sorted(self.folder.parent.glob(f"*/{path.name}")):
            template = None if other == path else _try(partial(self.read, other), "T001", [])
            if template:
                yield template


def check_templates(
    files: Iterable[Path], root: Path, *, items: bool = True, seed: int = 0
) -> list[Finding]:
    """Check templates (``templates/<dataset>/<language>/<UID>.jinja``) and the items they make."""
    found: list[Finding] = []
    read = cache(read_template)
    languages: dict[Path, _Language] = {}
    for path in files:
        language = languages.setdefault(path.parent, _Language(path.parent, root, read))
        paradigm = _check_template(path, language, found)
        if paradigm and items:
            _check_items(paradigm, seed, found)
    return found


def _check_template(path: Path, language: _Language, found: list[Finding]) -> Paradigm | None:
    template = _try(partial(language.read, path), "T001", found)
    if template is None:
        return None
    draft = Draft(template, language.sources, tuple(language.siblings(path)))
    found += [c.finding(hit) for c in DRAFT_CHECKS for hit in c.function(draft)]
    phrases = _try(lambda: language.phrases, "T002", found)
    if phrases is None:
        return None
    paradigm = _try(partial(load_paradigm, path, language.lexicon, phrases), "T003", found)
    if paradigm:
        found += [c.finding(hit) for c in BOUND_CHECKS for hit in c.function(paradigm)]
    return paradigm


def _check_items(paradigm: Paradigm, seed: int, found: list[Finding]) -> None:
    """Draw the items of a paradigm and check them, unless it is too large."""
    if any(too_large(paradigm)):
        return
    counts = Counts()
    draw_items = draw_pairs if paradigm.template.is_pair else draw_suites

    def draw() -> list[Finding]:
        return check_items(paradigm, draw_items(paradigm, seed, counts), counts)

    found += _try(draw, "T004", found) or []


@dataclass(frozen=True)
class Target:
    """A lexicon (its ``folder``; ``files``: only these tables) or the template ``files`` of a folder."""

    kind: Literal["lexicon", "templates"]
    folder: Path
    files: tuple[Path, ...] = ()


def find_targets(paths: Sequence[str | Path], root: Path) -> list[Target]:
    """Give what the paths name, each once; none: all lexicons and templates below ``root``.

    Raises :class:`InputError` for a path that names nothing.
    """
    chosen = [_locate(path, root) for path in paths] or _top(root)
    targets = (target for path in chosen for target in _targets(path, root))
    return list(dict.fromkeys(targets))


def _top(root: Path) -> list[Path]:
    top = [root / "lexicons", root / "templates"]
    if not any(path.is_dir() for path in top):
        raise fail("there are no folders templates/ and lexicons/ here", root)
    return [path for path in top if path.is_dir()]


def _locate(path: str | Path, root: Path) -> Path:
    """Find a name of a data set, a path below the root or any path, in this order."""
    tried = (
        root / "templates" / path,
        root / "templates" / f"{path}.jinja",
        *_of_any_language(root / "templates", Path(path)),
        root / path,
        Path(path),
    )
    for place, top in product(tried, (root / "templates", root / "lexicons")):
        if place.exists() and _below(place, top):
            return top / place.resolve().relative_to(top.resolve())
    names = [*_names(root / "templates", "*"), *_names(root / "templates", "*/*")]
    names += [f"lexicons/{name}" for name in _names(root / "lexicons", "*")]
    raise fail(
        f"{str(path)!r} names no lexicon or template {candidates('known', names, str(path))}"
    )


def _of_any_language(templates: Path, name: Path) -> list[Path]:
    """The template that ``dataset/UID`` names, if there is one in one language only."""
    found = (
        list(templates.glob(f"{name.parent}/*/{name.name}.jinja")) if len(name.parts) == 2 else []
    )
    return found if len(found) == 1 else []


def _below(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _names(folder: Path, pattern: str) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.glob(pattern) if p.is_dir())


def _targets(path: Path, root: Path) -> Iterator[Target]:
    if _below(path, root / "lexicons"):
        yield from _lexicons(path, root / "lexicons")
    else:
        yield from _templates(path, root / "templates")


def _lexicons(path: Path, top: Path) -> Iterator[Target]:
    if path.is_file():
        yield Target("lexicon", path.parent, (path,))
    elif path.resolve() == top.resolve():
        yield from (Target("lexicon", p) for p in sorted(top.iterdir()) if p.is_dir())
    else:
        yield Target("lexicon", path)


def _templates(path: Path, top: Path) -> Iterator[Target]:
    if path.is_file() and path.name != PHRASES:
        yield Target("templates", path.parent, (path,))
        return
    folder = path.parent if path.is_file() else path
    by_folder: dict[Path, list[Path]] = {}
    for file in _paradigms(folder.rglob("*.jinja"), top):
        by_folder.setdefault(file.parent, []).append(file)
    for parent, files in by_folder.items():
        yield Target("templates", parent, tuple(files))


def _paradigms(files: Iterable[Path], top: Path) -> list[Path]:
    """The files ``<dataset>/<language>/<UID>.jinja``; others hold macros."""
    plain = (file for file in files if not file.name.startswith("_"))
    return sorted(file for file in plain if file.parent.parent.parent == top)
