"""Make what people found a part of the data set: a config of judgments, a paragraph, a list.

The folder of a data set gets the config ``<config>-judgments`` (a row a pair:
:data:`~solecism.judge.schema.JUDGMENTS`), ``excluded/<config>.jsonl`` (the pairs that people
reject), and a section *Judged by people* in its card. A build makes the folder anew, without them:
accept the study again after it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import DatasetCard, DatasetCardData

from solecism.datasets.card import (
    card_config,
    card_info,
    with_head,
)
from solecism.datasets.configs import FILE, JUDGMENTS, BuiltConfig
from solecism.datasets.manifest import (
    MANIFEST,
    FileDigest,
    Manifest,
    damaged,
    files_of_build,
    read_manifest,
)
from solecism.errors import candidates, fail
from solecism.files import json_of, link_file, replacing_folder, write_text
from solecism.hashing import ContentDigest, file_digest
from solecism.inputs import reading_parquet
from solecism.judge import schema
from solecism.judge.outcome import JudgedGroup, JudgedPair, Outcome, judged_groups, whole_group

__all__ = ["accept"]

CARD = "README.md"

_UNJUDGED = re.compile(r"<!-- unjudged -->.*?<!-- /unjudged -->", re.DOTALL)
_TITLE = "## Judged by people"


def accept(outcome: Outcome, folder: Path, judges: str = "") -> list[BuiltConfig]:
    """Write the outcome of a study into the folder of a data set; return the configs it got.

    ``judges``: who they were and how they were found, for the card. The folder is replaced as a
    whole, or stays as it was. Raises :class:`InputError` where the study is not about the data set
    in it, where a pair is not in the data, and where answers are those of programs.
    """
    manifest = read_manifest(folder)
    if outcome.simulated:
        raise fail(f"{outcome.simulated:,} answers are those of programs: accept those of people")
    found = _by_config(outcome, manifest)
    whole = [manifest.configs[name] for name in found]
    if wrong := damaged(folder, whole):
        raise fail("is not as it was built: build the data set anew", folder / wrong[0])
    for name, pairs in found.items():
        _refuse_absent(pairs, manifest, name)
    with replacing_folder(folder, files_of_build) as fresh:
        for path in manifest.files:
            link_file(folder / path, fresh / path)
        made = [_judgments(name, pairs, manifest, fresh) for name, pairs in found.items()]
        _write_card(outcome, manifest, found, made, judges, fresh)
        _write_manifest(manifest, made, fresh)
    return made


def _by_config(outcome: Outcome, manifest: Manifest) -> dict[str, list[JudgedPair]]:
    """Return the pairs by config of the data set."""
    found: dict[str, list[JudgedPair]] = {}
    for pair in outcome.pairs:
        dataset, _, config = pair.config.partition("/")
        if dataset == manifest.dataset:
            found.setdefault(config or "all", []).append(pair)
    if not found:
        known = sorted({pair.config for pair in outcome.pairs})
        what = ", ".join(known) or "nothing"
        raise fail(f"the study is about {what}, this is {manifest.dataset!r}", manifest.path)
    for config in found:
        manifest.config(config)
    return found


def _refuse_absent(pairs: Sequence[JudgedPair], manifest: Manifest, config: str) -> None:
    """Raise :class:`InputError` where the config has no pair of some id."""
    known: set[str] = set()
    for path in manifest.paths(config):
        with reading_parquet(path):
            known.update(pq.read_table(path, columns=["id"])["id"].to_pylist())
    absent = [pair.id for pair in pairs if pair.id not in known]
    if absent:
        why = f"of {len(pairs)} pairs {len(absent)} are not in {config!r} {manifest.version}"
        near = candidates("ids", sorted(known), absent[0])
        raise fail(f"{why}, as {absent[0]} {near}: was the study made from another version?")


def _judgments(
    config: str, pairs: Sequence[JudgedPair], manifest: Manifest, fresh: Path
) -> BuiltConfig:
    """Write the config and the list of rejected pairs; return the config."""
    rows = [pair.to_json() for pair in sorted(pairs, key=lambda pair: (pair.uid, pair.id))]
    table = pa.Table.from_pylist(rows, schema=schema.JUDGMENTS)
    name = f"{config}-judgments"
    path = fresh / name / FILE
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)  # a link to the file that is replaced
    pq.write_table(table, path)
    digest = ContentDigest()
    digest.add(table)
    lines = (json.dumps(row, ensure_ascii=False) for row in rows if row["verdict"] == "drop")
    _replace(fresh / "excluded" / f"{config}.jsonl", "".join(f"{line}\n" for line in lines))
    languages = tuple(manifest.raw["configs"][config].get("languages", ()))
    return BuiltConfig(
        name, (), digest.content, table.nbytes, file_digest(path), path.stat().st_size, JUDGMENTS,
        schema.JUDGMENTS, languages,
    )  # fmt: skip


def _replace(path: Path, text: str) -> None:
    """Write a file in place of what may be a link."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    write_text(path, text)


def _write_card(
    outcome: Outcome, manifest: Manifest, found: Mapping[str, Sequence[JudgedPair]],
    made: Sequence[BuiltConfig], judges: str, fresh: Path,
) -> None:  # fmt: skip
    """Add the configs to the card's metadata, and what people found to its text."""
    card = DatasetCard((fresh / CARD).read_text(encoding="utf-8"))
    head: dict[str, Any] = card.data.to_dict()  # type: ignore[no-untyped-call]
    for key, new in (
        ("configs", [card_config(manifest.version, config) for config in made]),
        ("dataset_info", [card_info(config) for config in made]),
    ):
        head[key] = _instead(head[key], new, "config_name")
    text = card.text.strip()
    for name, pairs in found.items():
        groups = judged_groups(pairs, "paradigm", outcome.study.design)
        text = _with_section(text, name, "\n".join(_section(outcome, name, pairs, groups, judges)))
    names = ", ".join(f"`{name}`" for name in _judged_configs(text))
    note = f"People have judged pairs of {names}: see *Judged by people*. Others nobody has judged."
    text = _UNJUDGED.sub(f"<!-- unjudged -->{note}<!-- /unjudged -->", text)
    _replace(fresh / CARD, with_head(DatasetCardData(**head), f"{text}\n"))


def _instead(old: Sequence[Any], new: Sequence[Any], key: str) -> list[Any]:
    """Return entries with new ones in place of those of the same name, or at the end."""
    names = {one[key] for one in new}
    return [*(one for one in old if one[key] not in names), *new]


def _with_section(text: str, config: str, section: str) -> str:
    start, end = f"<!-- judged:{config} -->", f"<!-- /judged:{config} -->"
    block = f"{start}\n{section}\n{end}"
    if start in text:
        before, rest = text.split(start, 1)
        return before + block + rest.split(end, 1)[1]
    title = "" if _TITLE in text else f"\n\n{_TITLE}"
    return f"{text}{title}\n\n{block}"


def _judged_configs(text: str) -> list[str]:
    return re.findall(r"<!-- judged:(\S+) -->", text)


_TASKS = {
    "choice": "chose the better of the two sentences",
    "likert": "rated one sentence of a pair from 1 to 7",
    "expert": "said of each sentence, as experts, whether it is acceptable",
}


def _section(
    outcome: Outcome, config: str, pairs: Sequence[JudgedPair], groups: Sequence[JudgedGroup],
    judges: str,
) -> Iterator[str]:  # fmt: skip
    """Yield the lines of what the card says of a config."""
    study, whole = outcome.study, whole_group(pairs, outcome.study.design)
    out = sum(bool(record.reasons) for record in outcome.judges)
    yield f"### `{config}`\n"
    who = f" ({judges})" if judges else ""
    yield f"{whole.judges} judges{who} {_TASKS[study.design]}: {whole.answers:,} answers to"
    yield f"{whole.pairs} pairs of {len(groups)} paradigms. {out} further judges were left out by rules"
    yield f"declared before the collection (study `{study.id}`)."
    yield f"Individual accuracy is {_share(whole.individual)}, majority accuracy"
    yield f"{_share(whole.majority)}; agreement: {_agreement(whole, study.design)}."
    yield f"People reject {whole.pairs - whole.kept} pairs (`excluded/{config}.jsonl`); the config"
    yield f"`{config}-judgments` has the figures of each pair and a verdict.\n"
    below = [f"`{g.name}` ({g.kept} of {g.pairs})" for g in groups if not g.passes(study.rules)]
    if below:
        share = f"{100 * study.rules.paradigm:.0f} %"
        yield f"Fewer than {share} of the pairs are confirmed in: {', '.join(below)}.\n"
    yield "| paradigm | individual, % | pairs confirmed | answers |\n|---|---:|---:|---:|"
    for group in groups:
        share = f"{100 * group.individual.value:.1f}"
        yield f"| `{group.name}` | {share} | {group.kept} of {group.pairs} | {group.answers} |"


def _share(found: Any) -> str:
    low, high = 100 * found.low, 100 * found.high
    return f"{100 * found.value:.1f} % (95 % interval {low:.1f} to {high:.1f})"


def _agreement(group: JudgedGroup, design: str) -> str:
    second = "AC2" if design == "likert" else "AC1"
    return f"Krippendorff's α {group.alpha:.2f}, Gwet's {second} {group.ac1:.2f}"


def _write_manifest(manifest: Manifest, made: Sequence[BuiltConfig], fresh: Path) -> None:
    configs = {**manifest.raw["configs"], **{config.name: config.to_json() for config in made}}
    lists = [f"excluded/{config.name.removesuffix('-judgments')}.jsonl" for config in made]
    names = dict.fromkeys([*manifest.documents, *lists])
    documents = {name: asdict(_digest(fresh / name)) for name in names}
    value = {**manifest.raw, "documents": documents, "configs": configs}
    _replace(fresh / MANIFEST, json_of(value))


def _digest(path: Path) -> FileDigest:
    return FileDigest(file_digest(path), path.stat().st_size)
