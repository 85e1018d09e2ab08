"""The metadata at the head of a card, as YAML that the hub and `datasets` read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import yaml
from huggingface_hub import DatasetCardData
from huggingface_hub.repocard import REGEX_YAML_BLOCK

from solecism.errors import fail
from solecism.release.built import FILE, BuiltConfig
from solecism.release.catalogue import Stanza
from solecism.release.licences import as_list, one_or_all

__all__ = ["card_data", "feature_list", "languages", "sources_of", "with_head"]

_FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")


def with_head(data: DatasetCardData, text: str) -> str:
    """Put metadata above a card's text.

    Raises :class:`InputError` where the hub would read something else than was meant (YAML 1.1 takes `no`
    for false and `1:30` for a number unless they stand in quotes).
    """
    whole = f"---\n{data.to_yaml()}\n---\n\n{text}"
    head = REGEX_YAML_BLOCK.search(whole)
    if head is None or _read(head[2]) != data.to_dict():  # type: ignore[no-untyped-call]
        raise fail("the card's metadata are not read back as they were written")
    return whole


def _read(head: str) -> dict[str, Any]:
    """Read metadata as ``DatasetCard`` does, but with libyaml where there is one: a third of the time."""
    data = DatasetCardData(**yaml.load(head, Loader=_FAST))
    return data.to_dict()  # type: ignore[no-untyped-call, no-any-return]


def card_data(entry: Stanza, built: Sequence[BuiltConfig]) -> DatasetCardData:
    """All that the hub wants to know of a data set, in its own names."""
    codes = languages(built)
    return DatasetCardData(
        pretty_name=entry.pretty_name,
        language=codes,
        license=one_or_all(as_list(entry.license)),
        annotations_creators=list(entry.annotations_creators),
        language_creators=list(entry.language_creators),
        multilinguality=["multilingual" if len(codes) > 1 else "monolingual"],
        size_categories=[_size_category(sum(config.rows for config in built))],
        source_datasets=list(entry.source_datasets),
        task_categories=list(entry.task_categories),
        task_ids=list(entry.task_ids),
        tags=list(entry.tags),
        configs=[_config(entry, config) for config in built],
        dataset_info=[_info(config) for config in built],
    )


def languages(built: Sequence[BuiltConfig]) -> list[str]:
    """The codes of the languages, in the order of the configs."""
    return list(dict.fromkeys(code for c in built for code in c.languages or (c.name,)))


def sources_of(built: Sequence[BuiltConfig]) -> list[Mapping[str, Any]]:
    """The foreign works (treebanks, say) that items come from, each once: `sources` of the parts' facts."""
    told = (
        s for config in built for part in config.paradigms for s in part.facts.get("sources", ())
    )
    return list({json.dumps(source, sort_keys=True): source for source in told}.values())


def _size_category(rows: int) -> str:
    return _SIZES[min(max(len(str(rows)) - 3, 0), len(_SIZES) - 1)]


def _config(entry: Stanza, config: BuiltConfig) -> dict[str, Any]:
    """One entry of `configs`; `datasets` caches by these texts, so they tell version and content."""
    return {
        "config_name": config.name,
        **({"default": True} if config.default else {}),
        "version": entry.version,
        "description": f"content {config.digest[:16]}",
        "data_files": [{"split": "test", "path": f"{config.name}/{FILE}"}],
    }


def _info(config: BuiltConfig) -> dict[str, Any]:
    split = {"name": "test", "num_bytes": config.bytes, "num_examples": config.rows}
    return {
        "config_name": config.name,
        "features": feature_list(config.schema),
        "splits": [split],
        "download_size": config.file_bytes,
        "dataset_size": config.bytes,
    }


def feature_list(fields: pa.Schema | pa.StructType) -> list[dict[str, Any]]:
    """Describe a schema as `datasets` writes features in a card's YAML.

    Lists are called `list`, which all versions from 2.19 on read (`sequence` turns a list of structs into a
    struct of lists before version 4).
    """
    return [{"name": field.name, **_feature(field.type)} for field in fields]


def _feature(kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_struct(kind):
        return {"struct": feature_list(kind)}
    if pa.types.is_list(kind):
        inner = kind.value_type
        return {"list": feature_list(inner) if pa.types.is_struct(inner) else str(inner)}
    return {"dtype": _dtype(kind)}


def _dtype(kind: pa.DataType) -> str:
    """The name `datasets` has for a type: Arrow's, but for the floating-point numbers."""
    return {"double": "float64", "float": "float32"}.get(str(kind), str(kind))
