"""The documents of a data set folder: card, changelog, manifest, Croissant metadata, citation."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from solecism.datasets.card import languages, render_card, sources_of
from solecism.datasets.catalogue import MINED, Stanza
from solecism.datasets.citation import (
    Reference,
    as_list,
    citation_cff,
    one_or_all,
    references_of,
    spdx_url,
)
from solecism.datasets.configs import FILE, MANIFEST, BuiltConfig
from solecism.hashing import file_digest
from solecism.hub.changelog import changelog_of
from solecism.root import Root
from solecism.version import __version__

__all__ = ["DOCUMENTS", "croissant", "input_digests", "write_documents"]


README, CROISSANT, CITATION, CHANGELOG = DOCUMENTS = (
    "README.md", "croissant.json", "CITATION.cff", "CHANGELOG.md",
)  # fmt: skip


def write_documents(root: Root, entry: Stanza, built: Sequence[BuiltConfig], folder: Path) -> None:
    """Write everything that stands beside the data: the same inputs give the same bytes.

    The manifest comes last, as it lists the others.
    """
    references = references_of(root, entry)
    _write(folder / README, render_card(root, entry, built, references))
    _write_json(folder / CROISSANT, croissant(entry, built, references))
    _write(folder / CITATION, citation_cff(entry, references))
    if changelog_of(root, entry.name).is_file():
        shutil.copyfile(changelog_of(root, entry.name), folder / CHANGELOG)
    there = [name for name in DOCUMENTS if (folder / name).is_file()]
    documents = {name: _file_facts(folder / name) for name in there}
    _write_json(folder / MANIFEST, _manifest(root, entry, built, documents))


def _file_facts(path: Path) -> dict[str, Any]:
    return {"sha256": file_digest(path), "bytes": path.stat().st_size}


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _write_json(path: Path, value: object) -> None:
    _write(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _manifest(
    root: Root, entry: Stanza, built: Sequence[BuiltConfig], documents: Mapping[str, Any]
) -> dict[str, Any]:
    sources = sources_of(built)
    return {
        "tool": f"solecism {__version__}",
        "dataset": entry.name,
        "version": entry.version,
        "license": one_or_all(as_list(entry.license)),
        "seed": entry.seed,
        **({"sources": sources} if sources else {}),
        "inputs": input_digests(root, entry, languages(built)),
        "documents": documents,
        "configs": {config.name: config.to_json() for config in built},
    }


def input_digests(
    root: Root, entry: Stanza, languages: Sequence[str]
) -> dict[str, Mapping[str, str]]:
    """Return every file the data depend on, with its hash and licence (all are the project's own)."""
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


_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES = {
    pa.string(): "sc:Text", pa.bool_(): "sc:Boolean",
    pa.int32(): "sc:Integer", pa.int64(): "sc:Integer", pa.float64(): "sc:Float",
}  # fmt: skip


def croissant(
    entry: Stanza, built: Sequence[BuiltConfig], references: Sequence[Reference]
) -> dict[str, Any]:
    """Describe a data set: a file for each config, a record set over its flat columns.

    The date is the catalogue's, so that the same inputs give the same bytes on every day.
    """
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": entry.name,
        "description": entry.summary,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": [spdx_url(licence) for licence in as_list(entry.license)],
        "url": f"https://huggingface.co/datasets/{entry.hub or entry.name}",
        "version": entry.version,
        **({"datePublished": entry.date.isoformat()} if entry.date else {}),
        "citeAs": "\n".join(reference.text for reference in references),
        "keywords": list(entry.tags),
        "inLanguage": languages(built),
        "distribution": [_file(config) for config in built],
        "recordSet": [_records(config) for config in built],
    }


def _file(config: BuiltConfig) -> dict[str, Any]:
    path = f"{config.name}/{FILE}"
    return {
        "@type": "cr:FileObject",
        "@id": f"parquet-{config.name}",
        "name": f"parquet-{config.name}",
        "contentUrl": path,
        "contentSize": f"{config.file_bytes} B",
        "encodingFormat": "application/x-parquet",
        "sha256": config.file,
    }


def _records(config: BuiltConfig) -> dict[str, Any]:
    fields = (_field(config.name, field) for field in config.schema)
    return {
        "@type": "cr:RecordSet",
        "@id": config.name,
        "name": config.name,
        "description": f"{config.rows} items ({config.kind}), split test",
        "field": [field for field in fields if field],
    }


def _field(config: str, field: pa.Field) -> dict[str, Any]:
    """Describe a column, a struct with its parts; lists have no simple description in Croissant 1.0."""
    name = f"{config}/{field.name}"
    if pa.types.is_struct(field.type):
        parts = [_part(config, field.name, part) for part in field.type if part.type in _TYPES]
        return {"@type": "cr:Field", "@id": name, "name": field.name, "subField": parts}
    if field.type not in _TYPES:
        return {}
    source = _source(config, field.name)
    return {"@type": "cr:Field", "@id": name, "name": field.name, "dataType": _TYPES[field.type],
            "source": source}  # fmt: skip


def _part(config: str, column: str, part: pa.Field) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{config}/{column}/{part.name}",
        "name": part.name,
        "dataType": _TYPES[part.type],
        "source": {**_source(config, column), "transform": {"jsonPath": part.name}},
    }


def _source(config: str, column: str) -> dict[str, Any]:
    return {"fileObject": {"@id": f"parquet-{config}"}, "extract": {"column": column}}
