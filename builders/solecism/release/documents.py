"""The documents of a data set folder: card, manifest, Croissant metadata, citation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml
from jinja2 import Environment, StrictUndefined, TemplateError

from solecism.errors import fail
from solecism.release.bibliography import Reference, read_bibliography
from solecism.release.built import FILE, MANIFEST, BuiltConfig
from solecism.release.catalogue import Stanza
from solecism.release.croissant import croissant
from solecism.release.digest import file_digest
from solecism.sources import Root
from solecism.version import __version__

__all__ = ["feature_list", "write_documents"]


def write_documents(
    root: Root, entry: Stanza, built: Sequence[BuiltConfig], schema: pa.Schema, folder: Path
) -> None:
    """Write everything that stands beside the data: the same inputs give the same bytes."""
    references = _references(root, entry)
    _write(folder / "README.md", _readme(root, entry, built, schema, references))
    _write_json(folder / MANIFEST, _manifest(root, entry, built))
    _write_json(folder / "croissant.json", croissant(entry, built, schema, references))
    _write(folder / "CITATION.cff", _citation(entry, references))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _write_json(path: Path, value: object) -> None:
    _write(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _references(root: Root, entry: Stanza) -> list[Reference]:
    known = read_bibliography(root.bibliography) if root.bibliography.is_file() else {}
    return [known[key] for key in entry.sources if key in known]


def _readme(
    root: Root,
    entry: Stanza,
    built: Sequence[BuiltConfig],
    schema: pa.Schema,
    references: Sequence[Reference],
) -> str:
    head = yaml.safe_dump(_metadata(entry, built, schema), sort_keys=False, allow_unicode=True)
    return f"---\n{head}---\n\n{_card(root, entry, built, schema, references)}"


def _metadata(entry: Stanza, built: Sequence[BuiltConfig], schema: pa.Schema) -> dict[str, Any]:
    rows = sum(config.rows for config in built)
    return {
        "pretty_name": entry.pretty_name,
        "license": entry.license,
        "language": [config.name for config in built],
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "multilinguality": ["multilingual" if len(built) > 1 else "monolingual"],
        "size_categories": [_size_category(rows)],
        "source_datasets": ["original"],
        "task_categories": ["text-classification"],
        "task_ids": ["acceptability-classification"],
        "tags": list(entry.tags),
        "configs": [_config(entry, config) for config in built],
        "dataset_info": [_info(config, schema) for config in built],
    }


def _config(entry: Stanza, config: BuiltConfig) -> dict[str, Any]:
    """One entry of `configs`; `datasets` caches by these texts, so they tell version and content."""
    return {
        "config_name": config.name,
        "version": entry.version,
        "description": f"content {config.digest[:16]}",
        "data_files": [{"split": "test", "path": f"{config.name}/{FILE}"}],
    }


def _info(config: BuiltConfig, schema: pa.Schema) -> dict[str, Any]:
    split = {"name": "test", "num_bytes": config.bytes, "num_examples": config.rows}
    return {
        "config_name": config.name,
        "features": feature_list(schema),
        "splits": [split],
        "download_size": config.file_bytes,
        "dataset_size": config.bytes,
    }


def feature_list(fields: pa.Schema | pa.StructType) -> list[dict[str, Any]]:
    """Describe a schema as `datasets` writes features in a card's YAML."""
    return [{"name": field.name, **_feature(field.type)} for field in fields]


def _feature(kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_struct(kind):
        return {"struct": feature_list(kind)}
    if pa.types.is_list(kind):
        inner = kind.value_type
        return {"list": feature_list(inner) if pa.types.is_struct(inner) else str(inner)}
    return {"dtype": str(kind)}


def _size_category(rows: int) -> str:
    names = ["n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M"]
    return next(
        (
            n
            for n, top in zip(names, (10**3, 10**4, 10**5, 10**6, 10**7), strict=False)
            if rows < top
        ),
        names[-1],
    )


def _card(
    root: Root,
    entry: Stanza,
    built: Sequence[BuiltConfig],
    schema: pa.Schema,
    references: Sequence[Reference],
) -> str:
    path = root.card(entry.name)
    text = path.read_text(encoding="utf-8") if path.is_file() else _PLAIN_CARD
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    try:
        return environment.from_string(text).render(
            entry=entry, built=built, uids=_uids(built), columns=schema.names,
            features=[field.name for field in schema.field("features").type],
            references=references, tool=__version__,
        )  # fmt: skip
    except TemplateError as error:
        raise fail(f"Jinja: {error}", path, getattr(error, "lineno", None)) from None


_PLAIN_CARD = """# {{ entry.pretty_name }}

{{ entry.summary }}
{% for config in built %}
* `{{ config.name }}`: {{ config.rows }} pairs
{% endfor %}
"""


def _uids(built: Sequence[BuiltConfig]) -> list[tuple[str, str, dict[str, int]]]:
    """UID, construction and number of minimal sets by config, for the card's table."""
    table: dict[str, tuple[str, dict[str, int]]] = {}
    for config in built:
        for paradigm in config.paradigms:
            row = table.setdefault(paradigm.uid, (paradigm.construction, {}))
            row[1][config.name] = paradigm.counts.sets
    return [(uid, construction, sets) for uid, (construction, sets) in sorted(table.items())]


def _manifest(root: Root, entry: Stanza, built: Sequence[BuiltConfig]) -> dict[str, Any]:
    return {
        "tool": f"solecism {__version__}",
        "dataset": entry.name,
        "version": entry.version,
        "license": entry.license,
        "seed": entry.seed,
        "inputs": _inputs(root, entry, [config.name for config in built]),
        "configs": {config.name: _config_facts(config) for config in built},
    }


def _inputs(root: Root, entry: Stanza, languages: Sequence[str]) -> dict[str, Mapping[str, str]]:
    """Every file the data depend on, with its hash and licence (all are the project's own)."""
    folders = [root.path / "templates" / entry.name / name for name in languages]
    folders += [root.path / "lexicons" / name for name in languages]
    files = [p for folder in folders for p in folder.rglob("*") if p.suffix in (".jinja", ".tsv")]
    files += (root.path / "templates" / entry.name).glob("*.jinja")
    files += [p for p in (root.card(entry.name), root.bibliography) if p.is_file()]
    return {
        p.relative_to(root.path).as_posix(): {"sha256": file_digest(p), "license": "Apache-2.0"}
        for p in sorted(files)
    }


def _config_facts(config: BuiltConfig) -> dict[str, Any]:
    return {
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
                "findings": [finding.to_json() for finding in p.findings],
            }
            for p in config.paradigms
        },
    }


def _citation(entry: Stanza, references: Sequence[Reference]) -> str:
    value = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, please cite it and the work it follows.",
        "type": "dataset",
        "title": entry.pretty_name,
        "version": entry.version,
        "license": entry.license.upper(),
        "authors": [{"name": "The Solecism authors"}],
        "references": [reference.to_cff() for reference in references],
    }
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
