"""Where templates, lexicons, cards and the bibliography are: a folder of the author's, the installed
package, or the checkout."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from solecism.errors import candidates, fail
from solecism.grammar.paradigm import Paradigm, load_paradigm
from solecism.grammar.phrases import Phrases
from solecism.lexicon.lexicon import Lexicon

__all__ = ["Root", "find_root", "own_root", "refuse_strays"]

_HERE = Path(__file__).resolve().parent


def find_root(given: Path | None = None) -> Root:
    """Find the folder that holds ``templates/`` and ``lexicons/``.

    In order: the one given, ``$SOLECISM_ROOT``, the current folder, the installed package, the checkout.
    Raises :class:`InputError` where a folder that was asked for does not hold them.
    """
    asked = given or _from_environment()
    for path in (asked,) if asked else (Path.cwd(), _HERE, _HERE.parents[1]):
        if _holds_data(path):
            return Root(path)
    if asked and not asked.is_dir():
        raise fail("there is no such folder", asked)
    raise fail("holds no `templates` and `lexicons` folders", asked or Path.cwd())


def own_root(given: Path | None = None) -> Root:
    """Give the folder that an author writes in: the one given, ``$SOLECISM_ROOT`` or the current one.

    It need not hold anything yet.
    """
    return Root(given or _from_environment() or Path.cwd())


def refuse_strays(root: Path) -> None:
    """Raise :class:`InputError` where what a root holds leads out of it (a link) or is no plain file."""
    top = root.resolve()
    left, seen = [root / name for name in _HELD], {top}
    while left:
        path = left.pop()
        place = path.resolve()
        if not path.is_symlink() and not path.exists():
            continue
        if not place.is_relative_to(top):
            raise fail(f"leads out of the root {root}, to {place}", path)
        if place.is_dir():
            left += [] if place in seen else sorted(path.iterdir())
            seen.add(place)
        elif place.exists() and not place.is_file():
            raise fail("is no plain file", path)


_HELD = ("templates", "lexicons", "dataset_cards", "references.bib", "catalogue.toml")


def _from_environment() -> Path | None:
    value = os.environ.get("SOLECISM_ROOT")
    return Path(value) if value else None


def _holds_data(path: Path) -> bool:
    return (path / "templates").is_dir() and (path / "lexicons").is_dir()


@dataclass(frozen=True)
class Root:
    """A folder of data sources: ``templates/``, ``lexicons/``, ``dataset_cards/``, ``references.bib``.

    Raises :class:`InputError` where a link in it leads out of it.
    """

    path: Path

    def __post_init__(self) -> None:
        refuse_strays(self.path)

    @property
    def bibliography(self) -> Path:
        """The BibTeX file that `source` keys stand in."""
        return self.path / "references.bib"

    @cached_property
    def datasets(self) -> list[str]:
        """The names of the data sets that have templates."""
        return _folders(self.path / "templates")

    @cached_property
    def languages(self) -> list[str]:
        """The codes of the languages that have a lexicon."""
        return _folders(self.path / "lexicons")

    @cached_property
    def _lexicons(self) -> dict[str, Lexicon]:
        return {}

    def card(self, dataset: str) -> Path:
        """The template of a data set's card."""
        return self.path / "dataset_cards" / f"{dataset}.md"

    def configs(self, dataset: str) -> list[str]:
        """The languages that a data set has templates for; raises :class:`InputError` if there is none."""
        if dataset not in self.datasets:
            raise fail(
                f"there is no data set {dataset!r} {candidates('data sets', self.datasets, dataset)}"
            )
        return _folders(self.path / "templates" / dataset)

    def folder(self, dataset: str, language: str) -> Path:
        """The folder of templates of a data set and language; raises :class:`InputError`."""
        known = self.configs(dataset)
        if language not in known:
            near = candidates("configs", known, language)
            raise fail(f"data set {dataset!r} has no config {language!r} {near}")
        return self.path / "templates" / dataset / language

    def lexicon(self, language: str) -> Lexicon:
        """The lexicon of a language, read once; raises :class:`InputError`."""
        if language not in self.languages:
            near = candidates("languages", self.languages, language)
            raise fail(f"there is no lexicon {language!r} {near}", self.path / "lexicons")
        return self._lexicons.setdefault(language, Lexicon(self.path / "lexicons" / language))

    def templates(self, dataset: str, language: str) -> list[Path]:
        """The template files of a data set and language, by UID."""
        return sorted(self.folder(dataset, language).glob("[!_]*.jinja"))

    def paradigms(self, dataset: str, language: str) -> list[Paradigm]:
        """Load all paradigms of a language; raises :class:`InputError`."""
        folder = self.folder(dataset, language)
        lexicon = self.lexicon(language)
        phrases = Phrases(folder, lexicon)
        return [load_paradigm(path, lexicon, phrases) for path in self.templates(dataset, language)]

    def paradigm(self, dataset: str, language: str, uid: str) -> Paradigm:
        """Load one paradigm; raises :class:`InputError` with the candidates where there is none."""
        paths = {path.stem: path for path in self.templates(dataset, language)}
        if uid not in paths:
            near = candidates("paradigms", list(paths), uid)
            raise fail(f"{dataset}/{language} has no paradigm {uid!r} {near}")
        return load_paradigm(paths[uid], self.lexicon(language))


def _folders(path: Path) -> list[str]:
    if not path.is_dir():
        return []
    return sorted(
        p.name for p in path.iterdir() if p.is_dir() and not p.name.startswith((".", "_"))
    )
