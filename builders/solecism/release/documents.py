"""The documents of a data set folder: card, changelog, manifest, Croissant metadata, citation."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from solecism.hashing import file_digest
from solecism.release.built import FILE, MANIFEST, BuiltConfig
from solecism.release.card import render_card
from solecism.release.catalogue import MINED, Stanza
from solecism.release.changelog import changelog_of
from solecism.release.citation import citation_cff, references_of
from solecism.release.croissant import croissant
from solecism.release.licences import as_list, one_or_all
from solecism.release.metadata import languages, sources_of
from solecism.sources import Root
from solecism.version import __version__

__all__ = ["write_documents"]


def write_documents(root: Root, entry: Stanza, built: Sequence[BuiltConfig], folder: Path) -> None:
    """Write everything that stands beside the data: the same inputs give the same bytes."""
    references = references_of(root, entry)
    _write(folder / "README.md", render_card(root, entry, built, references))
    _write_json(folder / MANIFEST, _manifest(root, entry, built))
    _write_json(folder / "croissant.json", croissant(entry, built, references))
    _write(folder / "CITATION.cff", citation_cff(entry, references))
    if changelog_of(root, entry.name).is_file():
        shutil.copyfile(changelog_of(root, entry.name), folder / "CHANGELOG.md")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _write_json(path: Path, value: object) -> None:
    _write(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _manifest(root: Root, entry: Stanza, built: Sequence[BuiltConfig]) -> dict[str, Any]:
    sources = sources_of(built)
    return {
        "tool": f"solecism {__version__}",
        "dataset": entry.name,
        "version": entry.version,
        "license": one_or_all(as_list(entry.license)),
        "seed": entry.seed,
        **({"sources": sources} if sources else {}),
        "inputs": _inputs(root, entry, languages(built)),
        "configs": {config.name: _config_facts(config) for config in built},
    }


def _inputs(root: Root, entry: Stanza, languages: Sequence[str]) -> dict[str, Mapping[str, str]]:
    """Every file the data depend on, with its hash and licence (all are the project's own)."""
    languages = () if entry.configs == MINED else languages
    folders = [root.path / "templates" / entry.name / name for name in languages]
    folders += [root.path / "lexicons" / name for name in languages]
    files = [p for folder in folders for p in folder.rglob("*") if p.suffix in (".jinja", ".tsv")]
    files += (root.path / "templates" / entry.name).glob("*.jinja")
    documents = (root.card(entry.name), changelog_of(root, entry.name), root.bibliography)
    files += [path for path in documents if path.is_file()]
    return {
        p.relative_to(root.path).as_posix(): {"sha256": file_digest(p), "license": "Apache-2.0"}
        for p in sorted(files)
    }


def _config_facts(config: BuiltConfig) -> dict[str, Any]:
    return {
        "kind": config.kind,
        "rows": config.rows,
        "sets": config.sets,
        "content_sha256": config.digest,
        "files": {
            f"{config.name}/{FILE}": {"sha256": config.file, "bytes": config.file_bytes},
        },
        "paradigms": {
            p.uid: {
                "sets": p.counts.sets,
                "pairs": p.counts.pairs,
                "skipped": dict(sorted(p.counts.skipped.items())),
                "syncretic_forms": p.counts.syncretic_forms,
                **p.facts,
                "findings": [finding.to_json() for finding in p.findings],
            }
            for p in config.paradigms
        },
    }
