"""The languages of a site as a tree of families, with what agrees in each."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from solecism.site.folders import SiteConfig, SiteData
from solecism.treebank.catalogue import language_name

__all__ = ["LanguageEntry", "language_entries", "language_tree"]

_FAMILIES = Path(__file__).with_name("families.tsv")


@dataclass(frozen=True)
class LanguageEntry:
    """A language with its configs, and its family and branch where they are known."""

    code: str
    name: str
    family: str
    branch: str
    configs: tuple[tuple[SiteData, SiteConfig], ...]

    @property
    def agrees(self) -> Mapping[str, list[str]]:
        """What agrees in what, by relation, in the mined configs of the language."""
        found: dict[str, dict[str, None]] = {}
        for _, config in self.configs:
            for relation, features in config.agrees.items():
                found.setdefault(relation, {}).update(dict.fromkeys(features))
        return {relation: list(features) for relation, features in found.items()}


def language_entries(data: Sequence[SiteData]) -> list[LanguageEntry]:
    """Return all languages by name; configs whose items another has, too, are left out."""
    configs: dict[str, list[tuple[SiteData, SiteConfig]]] = {}
    for some in data:
        for config in some.whole_configs:
            for code in config.languages:
                configs.setdefault(code, []).append((some, config))
    with _FAMILIES.open(encoding="utf-8", newline="") as lines:
        rows = {row["code"]: row for row in csv.DictReader(lines, delimiter="\t")}
    entries = []
    for code, found in configs.items():
        row = rows.get(code, {"family": "", "branch": ""})
        name = language_name(code)
        entries.append(LanguageEntry(code, name, row["family"], row["branch"], tuple(found)))
    return sorted(entries, key=lambda entry: entry.name)


def language_tree(
    entries: Sequence[LanguageEntry],
) -> dict[str, dict[str, list[LanguageEntry]]]:
    """Return the languages by family and branch, those without a family last."""
    tree: dict[str, dict[str, list[LanguageEntry]]] = {}
    for entry in sorted(entries, key=lambda e: (not e.family, e.family, e.branch)):
        tree.setdefault(entry.family, {}).setdefault(entry.branch, []).append(entry)
    return tree
