"""Add what people found to a data set: a config of judgments, a part of its card, a list.

The folder of a data set gets the config ``<config>-judgments`` (a row a pair:
:data:`~solecism.judge.schema.JUDGMENTS`), ``excluded/<config>.jsonl`` (the pairs that people
reject), and a section *Judged by people* in its card. A new build of the data set removes all of
these: accept the study again after it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import DatasetCard, DatasetCardData
from yaml import YAMLError

from solecism.datasets import manifest as manifests
from solecism.datasets.card import card_config, card_info, with_head
from solecism.datasets.configs import FILE, JUDGMENTS, BuiltConfig
from solecism.datasets.manifest import FileDigest, Manifest, changed_files, read_manifest
from solecism.errors import candidates, fail
from solecism.files import is_own_file, json_of, link_file, replacing_folder, write_text
from solecism.hashing import file_digest
from solecism.inputs import check_name, parquet_tables, read_text
from solecism.judge import schema
from solecism.judge.outcome import Outcome, records
from solecism.scoring.summary import Interval

CARD = "README.md"

_UNJUDGED = re.compile(r"<!-- unjudged -->.*?<!-- /unjudged -->", re.DOTALL)
_TITLE = "## Judged by people"


def accept(outcome: Outcome, folder: Path, judges: str = "") -> list[BuiltConfig]:
    """Write the outcome of a study into the folder of a data set; return the new configs.

    ``judges``: who the judges were and how they were found, for the card. The folder is replaced as
    a whole, or stays as it was. Raises :class:`InputError` if the study is about another data set,
    and if a pair is not in the data.
    """
    manifest = read_manifest(folder)
    pairs = _by_config(outcome, manifest)
    for path in (*manifest.files, CARD, manifests.MANIFEST):
        # Others may have made the folder: a link would lead what is written to another file.
        if not is_own_file(folder, path):
            raise fail("is no file in the folder, or a link: build it anew", folder / path)
    files = {p: f for name in pairs for p, f in manifest.config(name).files.items()}
    if wrong := changed_files(folder, files):
        raise fail("is not as it was built: build the data set anew", folder / wrong[0])
    try:
        card = DatasetCard(read_text(folder / CARD))
    except (ValueError, YAMLError) as error:
        raise fail(f"its head cannot be read: {error}", folder / CARD) from None
    text = card.text.strip()
    for name, some in pairs.items():
        _refuse_absent(list(some["id"]), manifest, name)
        section = "\n".join(_section(outcome, name, some, judges))
        text = _with_section(text, name, section, folder / CARD)
    with replacing_folder(folder, manifests.files_of_build) as fresh:
        for path in manifest.files:
            link_file(folder / path, fresh / path)
        made = [_judgments(name, some, manifest, fresh) for name, some in pairs.items()]
        write_text(fresh / CARD, _with_configs(card, text, manifest.version, made))
        _write_manifest(manifest, made, fresh)
    return made


def _by_config(outcome: Outcome, manifest: Manifest) -> dict[str, pd.DataFrame]:
    """Return the judged pairs by config of the data set; raises :class:`InputError`."""
    pairs: dict[str, pd.DataFrame] = {}
    for spec, some in outcome.pairs.groupby("config"):
        dataset, _, config = str(spec).partition("/")
        if dataset == manifest.dataset:
            pairs[check_name(config or "all", "config")] = some
            for word in (config, *some["UID"]):
                if not re.fullmatch(r"(-?[\w.+ ])*", word):
                    raise fail(f"{word!r} cannot stand in a card: it has signs of Markdown")
    if not pairs:
        what = ", ".join(sorted(set(outcome.pairs["config"]))) or "nothing"
        raise fail(f"the study is about {what}, this is {manifest.dataset!r}", manifest.path)
    return pairs


def _refuse_absent(ids: list[str], manifest: Manifest, config: str) -> None:
    """Raise :class:`InputError` if the config lacks a pair with one of these ids."""
    known: set[str] = set()
    for path in manifest.paths(config):
        for table in parquet_tables(path, ["id"]):
            known.update(table["id"].to_pylist())
    if absent := [key for key in ids if key not in known]:
        why = f"of {len(ids)} pairs {len(absent)} are not in {config!r} {manifest.version}"
        near = candidates("ids", sorted(known), absent[0])
        raise fail(f"{why}, as {absent[0]} {near}: was the study made from another version?")


def _judgments(config: str, pairs: pd.DataFrame, manifest: Manifest, fresh: Path) -> BuiltConfig:
    """Write the config and the list of rejected pairs; return the config."""
    rows = pairs.sort_values(["UID", "id"])[schema.JUDGMENTS.names]
    table = pa.Table.from_pylist(records(rows), schema=schema.JUDGMENTS)
    name = f"{config}-judgments"
    path = fresh / name / FILE
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)  # a link to the file that is replaced
    pq.write_table(table, path)
    content = manifests.content_of([path])
    dropped = (row for row in table.to_pylist() if row["verdict"] == "drop")
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in dropped)
    write_text(fresh / "excluded" / f"{config}.jsonl", "".join(lines))
    return BuiltConfig(
        name, (), content, table.nbytes, file_digest(path), path.stat().st_size, JUDGMENTS,
        schema.JUDGMENTS, manifest.config(config).languages, tags=manifest.config(config).tags,
    )  # fmt: skip


def _with_section(text: str, config: str, section: str, path: Path) -> str:
    """Return the text of a card with the section of a config, in place of an earlier one."""
    start, end = f"<!-- judged:{config} -->", f"<!-- /judged:{config} -->"
    block = f"{start}\n{section}\n{end}"
    before, _, rest = text.partition(start)
    if start not in text:
        title = "" if _TITLE in text else f"\n\n{_TITLE}"
        return f"{text}{title}\n\n{block}"
    if end not in rest:
        raise fail(f"has {start} without {end} after it: add it, or build the data set anew", path)
    return before + block + rest.partition(end)[2]


def _with_configs(card: DatasetCard, text: str, version: str, made: list[BuiltConfig]) -> str:
    """Return the card with the new configs in its metadata, and a note on which are judged."""
    head = card.data.to_dict()  # type: ignore[no-untyped-call]
    names = {config.name for config in made}
    for key, entry in (("configs", partial(card_config, version)), ("dataset_info", card_info)):
        others = [one for one in head.get(key, []) if one["config_name"] not in names]
        head[key] = [*others, *map(entry, made)]
    judged = ", ".join(f"`{name}`" for name in re.findall(r"<!-- judged:(\S+) -->", text))
    note = f"People have judged pairs of {judged}: see *Judged by people*."
    note += " Others nobody has judged."
    text = _UNJUDGED.sub(lambda _: f"<!-- unjudged -->{note}<!-- /unjudged -->", text)
    return with_head(DatasetCardData(**head), f"{text}\n")


_TASKS = {
    "choice": "chose the better of the two sentences",
    "likert": "rated one sentence of a pair from 1 to 7",
    "expert": "said of each sentence, as experts, whether it is acceptable",
}


def _section(outcome: Outcome, config: str, pairs: pd.DataFrame, judges: str) -> Iterator[str]:
    """Yield the lines of what the card says of a config."""
    study, whole, out = outcome.study, outcome.group(config, pairs), len(outcome.excluded)
    groups = outcome.by("paradigm", pairs)
    second = "AC2" if study.design == "likert" else "AC1"
    yield f"### `{config}`\n"
    who = f" ({judges})" if judges else ""
    yield f"{whole.judges} judges{who} {_TASKS[study.design]}: {whole.answers:,} answers to"
    yield f"{whole.pairs} pairs of {len(groups)} paradigms. {out} further judges were left out by rules"
    yield f"declared before the collection (study `{study.id}`)."
    yield f"Individual accuracy is {_share(whole.individual)}, majority accuracy"
    yield f"{_share(whole.majority)}; agreement: Krippendorff's α {whole.alpha:.2f},"
    yield f"Gwet's {second} {whole.ac1:.2f}."
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


def _share(found: Interval) -> str:
    low, high = 100 * found.low, 100 * found.high
    return f"{100 * found.value:.1f} % (95 % interval {low:.1f} to {high:.1f})"


def _write_manifest(manifest: Manifest, made: list[BuiltConfig], fresh: Path) -> None:
    configs = {**manifest.raw["configs"], **{config.name: config.to_json() for config in made}}
    lists = [f"excluded/{config.name.removesuffix('-judgments')}.jsonl" for config in made]
    paths = {name: fresh / name for name in dict.fromkeys([*manifest.documents, *lists])}
    documents = {n: asdict(FileDigest(file_digest(p), p.stat().st_size)) for n, p in paths.items()}
    value = {**manifest.raw, "documents": documents, "configs": configs}
    write_text(fresh / manifests.MANIFEST, json_of(value))
