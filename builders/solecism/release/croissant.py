"""Croissant metadata (https://docs.mlcommons.org/croissant/docs/croissant-spec.html), version 1.0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from solecism.release.bibliography import Reference
from solecism.release.built import FILE, BuiltConfig
from solecism.release.catalogue import Stanza

__all__ = ["croissant"]

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
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES = {pa.string(): "sc:Text", pa.int32(): "sc:Integer", pa.bool_(): "sc:Boolean"}


def croissant(
    entry: Stanza, built: Sequence[BuiltConfig], schema: pa.Schema, references: Sequence[Reference]
) -> dict[str, Any]:
    """Describe a data set: a file for each config, a record set over its flat columns.

    There is no date of publication: the same inputs give the same bytes on every day.
    """
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": entry.name,
        "description": entry.summary,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": f"https://spdx.org/licenses/{entry.license.upper()}.html",
        "url": f"https://huggingface.co/datasets/{entry.name}",
        "version": entry.version,
        "citeAs": "\n".join(reference.text for reference in references),
        "keywords": list(entry.tags),
        "inLanguage": [config.name for config in built],
        "distribution": [_file(config) for config in built],
        "recordSet": [_records(config, schema) for config in built],
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


def _records(config: BuiltConfig, schema: pa.Schema) -> dict[str, Any]:
    flat = [field for field in schema if field.type in _TYPES]
    return {
        "@type": "cr:RecordSet",
        "@id": config.name,
        "name": config.name,
        "description": f"{config.rows} minimal pairs, split test",
        "field": [_column(config.name, field) for field in flat],
    }


def _column(config: str, field: pa.Field) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{config}/{field.name}",
        "name": field.name,
        "dataType": _TYPES[field.type],
        "source": {
            "fileObject": {"@id": f"parquet-{config}"},
            "extract": {"column": field.name},
        },
    }
