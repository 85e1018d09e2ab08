"""The folder that holds templates, lexicons, cards and the bibliography.

It is a folder of the author, the installed package, or the checkout.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from solecism.errors import fail, unknown_error
from solecism.language_tags import config_named

SHARED = "phrases"
"""The folder of ``templates/`` with macros and kinds of slots by language, for all data sets."""

_HERE = Path(__file__).resolve().parent


def find_root(given: Root | Path | str | None = None) -> Root:
    """Return the folder that holds ``templates/`` and ``lexicons/``.

    In order: the one given, ``$SOLECISM_ROOT``, the current folder, the installed package, the
    checkout. Raises :class:`InputError` where a folder that was asked for does not hold them.
    """
    if isinstance(given, Root):
        return given
    asked = Path(given) if given else _from_environment()
    for path in (asked,) if asked else (Path.cwd(), _HERE, _HERE.parents[1]):
        if (path / "templates").is_dir() and (path / "lexicons").is_dir():
            return Root(path)
    if asked and not asked.is_dir():
        raise fail("there is no such folder", asked)
    raise fail("has no `templates` and `lexicons` folders", asked or Path.cwd())


def installed_root() -> Root:
    """Return the folder with the data of the installed package, or of the checkout."""
    return next(Root(p) for p in (_HERE, _HERE.parents[1]) if (p / "lexicons").is_dir())


def own_root(given: Path | None = None) -> Root:
    """Return the folder of an author: the one given, ``$SOLECISM_ROOT`` or the current one.

    It may be empty.
    """
    return Root(given or _from_environment() or Path.cwd())


def _from_environment() -> Path | None:
    value = os.environ.get("SOLECISM_ROOT")
    return Path(value) if value else None


@dataclass(frozen=True)
class Root:
    """A folder with ``templates/``, ``lexicons/``, ``dataset_cards/`` and ``references.bib``."""

    path: Path

    @property
    def bibliography(self) -> Path:
        """The BibTeX file that `source` keys refer to."""
        return self.path / "references.bib"

    @cached_property
    def datasets(self) -> list[str]:
        """The names of the data sets that have templates."""
        return [name for name in _folders(self.path / "templates") if name != SHARED]

    @cached_property
    def languages(self) -> list[str]:
        """The codes of the languages that have a lexicon."""
        return _folders(self.path / "lexicons")

    def card(self, dataset: str) -> Path:
        """Return the template of a data set's card."""
        return self.path / "dataset_cards" / f"{dataset}.md"

    def changelog(self, dataset: str) -> Path:
        """Return the changelog of a data set."""
        return self.path / "dataset_cards" / f"{dataset}.changelog.md"

    def configs(self, dataset: str) -> list[str]:
        """Return the languages that a data set has templates for; raises :class:`InputError`."""
        found = _folders(self.path / "templates" / dataset)
        if dataset not in self.datasets and dataset in installed_root().datasets:
            message = f"{dataset!r} is installed, but own templates hide those that are"
            raise fail(f"{message}: name them, --root {installed_root().path}", self.path)
        if dataset not in self.datasets:
            raise unknown_error("there is no data set", dataset, "data sets", self.datasets)
        return found

    def folder(self, dataset: str, language: str) -> Path:
        """Return the folder of a data set's templates in a language; raises :class:`InputError`."""
        known = self.configs(dataset)
        language = config_named(language, known)
        if language not in known:
            raise unknown_error(f"data set {dataset!r} has no config", language, "configs", known)
        return self.path / "templates" / dataset / language

    def templates(self, dataset: str, language: str) -> list[Path]:
        """Return the template files of a data set and language, sorted by UID."""
        return sorted(self.folder(dataset, language).glob("[!_]*.jinja"))

    def lexicon(self, language: str) -> Path:
        """Return the folder of a language's lexicon; raises :class:`InputError`."""
        language = config_named(language, self.languages)
        if language not in self.languages:
            raise unknown_error(
                "there is no lexicon", language, "languages", self.languages, self.path / "lexicons"
            )
        return self.path / "lexicons" / language


def _folders(path: Path) -> list[str]:
    if not path.is_dir():
        return []
    return sorted(p.name for p in path.iterdir() if p.is_dir() and p.name[0] not in "._")
