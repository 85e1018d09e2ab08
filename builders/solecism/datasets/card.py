"""The card of a data set (README.md): its metadata and its text."""

import traceback
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from huggingface_hub import DatasetCardData
from jinja2 import StrictUndefined, Template
from jinja2.sandbox import ImmutableSandboxedEnvironment

from solecism.check.heuristics import Heuristics, PairTexts, heuristics_of, pair_of, word_counts
from solecism.check.registry import CHECKS, GROUPS
from solecism.datasets.catalogue import (
    MINED,
    CatalogueEntry,
    Reference,
    as_list,
    bibtex,
    one_or_all,
    parse_version,
    spdx,
)
from solecism.datasets.configs import BuiltConfig, languages_of, sources_of
from solecism.datasets.lock import LockedVersion, lock_path, read_lock, verified_configs
from solecism.errors import fail
from solecism.inputs import read_source
from solecism.root import Root
from solecism.version import __version__

_CHECKS = {kind: (*GROUPS[kind], *GROUPS["counts"]) for kind in ("pair", "suite")}
"""The codes of the checks of items, by their kind."""


def render_card(
    root: Root, entry: CatalogueEntry, built: Sequence[BuiltConfig], references: Sequence[Reference],
    left_out: Mapping[str, str] = MappingProxyType({}), folder: Path | None = None,
) -> str:  # fmt: skip
    """Return the text of the card; raises :class:`InputError` for an error in its template.

    A data set without a template of its own gets a plain card. ``left_out`` has the reason for each
    config that was not built; ``folder`` has the files of those that were.
    """
    lock, path = lock_path(root, entry.name), root.card(entry.name)
    locked = read_lock(lock).get(entry.name, {})
    text = read_source(path if path.is_file() else _PLAIN)
    pairs = next((c.schema for c in built if "features" in c.schema.names), None)
    verified = verified_configs(locked, entry.version, built)
    skipped = sum((p.counts.skipped for c in built for p in c.paradigms), Counter[str]())
    names = {
        "verified": verified, "unverified": [c.name for c in built if c.name not in verified],
        "entry": entry, "name": entry.hub or entry.name, "built": built, "uids": _uids(built),
        "columns": built[0].schema.names,
        "features": [field.name for field in pairs.field("features").type] if pairs else [],
        "references": references, "tool": __version__,
        "licences": [spdx(licence) for licence in as_list(entry.license)],
        "checks": check_rows(built), "findings": _findings(built),
        "skipped": dict(sorted(skipped.items())),
        "versions": version_rows(locked, entry.version, built),
        "citation": bibtex(entry), "sources": sources_of(built),
        "left_out": left_out, "tried": TRIED,
        "heuristics": heuristic_rows(built, folder) if folder and entry.configs != MINED else [],
    }  # fmt: skip
    return with_head(card_data(entry, built), _rendered(text, path, names))


def _rendered(text: str, path: Path, names: Mapping[str, object]) -> str:
    """Return the template of a card filled in, in a sandbox: others' templates can run no code."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined,
        autoescape=False,
    )  # fmt: skip
    try:
        code = environment.compile(text, filename=str(path))
        return Template.from_code(environment, code, environment.globals).render(names)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(path)]
        line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
        raise fail(f"Jinja: {str(error) or type(error).__name__}", path, line) from None


def _uids(built: Sequence[BuiltConfig]) -> list[tuple[str, str, dict[str, int]]]:
    """Return the rows of the card's table: UID, construction, numbers of minimal sets by config."""
    table: dict[str, tuple[str, dict[str, int]]] = {}
    for config in built:
        for paradigm in config.paradigms:
            row = table.setdefault(paradigm.uid, (paradigm.construction, {}))
            row[1][config.name] = paradigm.counts.sets
    return [(uid, construction, sets) for uid, (construction, sets) in sorted(table.items())]


def check_rows(built: Sequence[BuiltConfig]) -> list[dict[str, object]]:
    """Return a row for each check of the kinds of items that were built.

    A row has the fields of :class:`~solecism.check.registry.Check` and the number of ``findings``.
    """
    found = Counter(f.code for c in built for p in c.paradigms for f in p.findings)
    codes = {code for config in built for code in _CHECKS.get(config.kind, ())}
    return [{**asdict(CHECKS[c]), "findings": found[c]} for c in sorted({*codes, *found})]


def _findings(built: Sequence[BuiltConfig]) -> list[str]:
    """Return a line for each finding in a paradigm, under the first config that has it."""
    places = {(p.uid, f): c.name for c in reversed(built) for p in c.paradigms for f in p.findings}
    found = [(f"{place}/{uid}", finding) for (uid, finding), place in places.items()]
    found.sort(key=lambda pair: (pair[0], pair[1].order))
    return [f"`{name}` {finding.code}: {finding.message}" for name, finding in found]


TRIED = 250
"""Heuristics are tried on so many pairs of each paradigm: the first ones, a fair sample."""


def heuristic_rows(built: Sequence[BuiltConfig], folder: Path) -> list[tuple[str, Heuristics]]:
    """Return what heuristics reach in each paradigm of agreement, by ``config/UID``."""
    found: dict[tuple[tuple[str, ...], str], tuple[str, Heuristics]] = {}
    for config in built:
        uids = {p.uid for p in config.paradigms if (config.languages, p.uid) not in found}
        if config.kind != "pair" or not uids:
            continue
        pairs = _first_pairs(folder / config.path, uids)
        counts = word_counts(chain.from_iterable(pairs.values()))
        for uid, some in sorted(pairs.items()):
            if any(pair.nouns[0] is not None for pair in some):
                name = f"{config.name}/{uid}"
                found[config.languages, uid] = name, heuristics_of(some, counts)
    return list(found.values())


def _first_pairs(path: Path, uids: Iterable[str]) -> dict[str, list[PairTexts]]:
    """Return the first pairs of some paradigms in a built file, :data:`TRIED` of each."""
    pairs: dict[str, list[PairTexts]] = {uid: [] for uid in uids}
    columns = ["UID", "sentence_good", "sentence_bad", "features", "slots"]
    for batch in pq.ParquetFile(path).iter_batches(1 << 13, columns=columns):
        slots = batch["slots"]
        for n, row in enumerate(batch.select(columns[:-1]).to_pylist()):
            if len(some := pairs.get(row["UID"], [])) < TRIED:
                # Slots are most of the data; without a controller none are looked at.
                controlled = row["features"].get("controller")
                some.append(pair_of({**row, "slots": slots[n].as_py() if controlled else ()}))
        if all(len(some) == TRIED for some in pairs.values()):
            break
    return pairs


class VersionRow(NamedTuple):
    """A version in the card's table; ``commit`` is empty if it is not known."""

    version: str
    tag: str
    commit: str
    items: int
    configs: int


def version_rows(
    locked: Mapping[str, LockedVersion], version: str, built: Sequence[BuiltConfig]
) -> list[VersionRow]:
    """Return this version and, from the lock, all earlier ones; the newest first."""
    now = parse_version(version)
    counts = [(now, "", [c.content for c in built])]
    for earlier in sorted(map(parse_version, locked), reverse=True):
        if earlier < now:
            configs, commit = locked[str(earlier)]
            counts.append((earlier, commit, list(configs.values())))
    return [
        VersionRow(str(v), v.tag, commit, sum(c.rows for c in some), len(some))
        for v, commit, some in counts
    ]


_PLAIN = Path(__file__).with_name("plain_card.md.jinja")


_FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")


def with_head(data: DatasetCardData, text: str) -> str:
    """Return a card's text with metadata above it.

    Raises :class:`InputError` if the hub would read other metadata (in YAML 1.1, `no` is false and
    `1:30` is a number unless they are in quotes).
    """
    head = yaml.dump(data.to_dict(), Dumper=_DUMPER, sort_keys=False, allow_unicode=True)  # type: ignore[no-untyped-call]
    block, *_ = head.strip().split("\n---")  # the hub reads to the first such line
    # `DatasetCard` reads metadata so, but without libyaml, which is three times as fast.
    back = DatasetCardData(**yaml.load(block, Loader=_FAST))
    if back.to_dict() != data.to_dict():  # type: ignore[no-untyped-call]
        raise fail("the card's metadata are not read back as they were written")
    return f"---\n{block}\n---\n\n{text}"


def card_data(entry: CatalogueEntry, built: Sequence[BuiltConfig]) -> DatasetCardData:
    """Return the metadata that the hub wants, under its own names."""
    codes, schemas = languages_of(built), [config.schema for config in built]
    # Of configs with the same columns the first names them; the Parquet files name them too.
    firsts = [schemas.index(schema) for schema in schemas]
    size = sum(config.rows for config in built)
    tags = dict.fromkeys(tag for config in built for tag in config.tags)
    return DatasetCardData(
        pretty_name=entry.pretty_name,
        language=codes,
        language_details=", ".join(tags),
        license=one_or_all(as_list(entry.license)),
        annotations_creators=list(entry.annotations_creators),
        language_creators=list(entry.language_creators),
        multilinguality=["multilingual" if len(codes) > 1 else "monolingual"],
        size_categories=[_SIZES[min(max(len(str(size)) - 3, 0), len(_SIZES) - 1)]],
        source_datasets=list(entry.source_datasets),
        task_categories=list(entry.task_categories),
        task_ids=list(entry.task_ids),
        tags=list(entry.tags),
        configs=[card_config(entry.version, config) for config in built],
        dataset_info=[card_info(config, n == firsts[n]) for n, config in enumerate(built)],
    )


def card_config(version: str, config: BuiltConfig) -> dict[str, object]:
    """Return an entry of `configs` in the metadata.

    It names languages, version and content: `datasets` takes a copy from its cache if the entry is
    the same.
    """
    return {
        "config_name": config.name,
        **({"default": True} if config.default else {}),
        "version": version,
        "description": ", ".join([*config.tags, f"content {config.content.sha256[:16]}"]),
        "data_files": [{"split": "test", "path": config.path}],
    }


def card_info(config: BuiltConfig, features: bool = True) -> dict[str, object]:
    """Return an entry of `dataset_info` in the metadata; ``features``: say what the columns are."""
    split = {"name": "test", "num_bytes": config.bytes, "num_examples": config.rows}
    return {
        "config_name": config.name,
        **({"features": feature_list(config.schema)} if features else {}),
        "splits": [split],
        "download_size": config.file_bytes,
        "dataset_size": config.bytes,
    }


def feature_list(fields: pa.Schema | pa.StructType) -> list[dict[str, object]]:
    """Return a schema as `datasets` writes features in a card's YAML.

    A list is called `list`, which all versions of `datasets` from 2.19 on read. (Under the name
    `sequence`, versions before 4 turn a list of structs into a struct of lists.)
    """
    return [{"name": field.name, **_feature(field.type)} for field in fields]


def _feature(kind: pa.DataType) -> dict[str, object]:
    """Return a type as `datasets` writes it in a card's YAML."""
    if pa.types.is_struct(kind):
        return {"struct": feature_list(kind)}
    if pa.types.is_list(kind):
        inner = kind.value_type
        return {"list": feature_list(inner) if pa.types.is_struct(inner) else str(inner)}
    # Datasets has Arrow's names, except for floating-point numbers.
    return {"dtype": {"double": "float64", "float": "float32"}.get(str(kind), str(kind))}
