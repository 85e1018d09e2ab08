"""The languages of a site as a tree of families, with what agrees in each."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from solecism.site.folders import SiteConfig, SiteData
from solecism.treebank.origins import language_name

__all__ = ["FamilyBranch", "LanguageEntry", "language_entries", "language_tree"]

_FAMILIES = Path(__file__).with_name("families.tsv")


@dataclass(frozen=True)
class LanguageEntry:
    """A language with its configs, and its family and branch where they are known."""

    code: str
    name: str
    family: str
    branch: str
    configs: tuple[tuple[SiteData, SiteConfig], ...]
    agrees: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class FamilyBranch:
    """A branch of the tree: the languages of a part of a family."""

    family: str
    branch: str
    languages: tuple[LanguageEntry, ...]


def language_entries(data: Sequence[SiteData]) -> list[LanguageEntry]:
    """Return all languages by name; configs whose items another has, too, are left out."""
    found: dict[str, list[tuple[SiteData, SiteConfig]]] = {}
    for some in data:
        for config in some.configs:
            if some.shelf(config) is config:
                for code in config.languages:
                    found.setdefault(code, []).append((some, config))
    entries = [_entry(code, configs) for code, configs in found.items()]
    return sorted(entries, key=lambda entry: entry.name)


def _entry(code: str, configs: Sequence[tuple[SiteData, SiteConfig]]) -> LanguageEntry:
    family, branch = _families().get(code, ("", ""))
    return LanguageEntry(
        code, language_name(code), family, branch, tuple(configs), _agreement(configs)
    )


def _agreement(
    configs: Sequence[tuple[SiteData, SiteConfig]],
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what agrees in what, of the mined configs of a language."""
    found: dict[str, dict[str, None]] = {}
    for relation, features in (pair for _, config in configs for pair in config.agrees.items()):
        found.setdefault(relation, {}).update(dict.fromkeys(features))
    return tuple((relation, tuple(features)) for relation, features in found.items())


def language_tree(entries: Sequence[LanguageEntry]) -> dict[str, list[FamilyBranch]]:
    """Return the branches of each family, those without one last."""
    keys = sorted({(entry.family, entry.branch) for entry in entries}, key=lambda k: (not k[0], k))
    tree: dict[str, list[FamilyBranch]] = {}
    for family, branch in keys:
        some = tuple(e for e in entries if (e.family, e.branch) == (family, branch))
        tree.setdefault(family, []).append(FamilyBranch(family, branch, some))
    return tree


@cache
def _families() -> dict[str, tuple[str, str]]:
    """Return family and branch by language code."""
    with _FAMILIES.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return {row["code"]: (row["family"], row["branch"]) for row in rows}
