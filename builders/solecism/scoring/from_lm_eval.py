"""Results that lm-eval has written, read as results of ours.

lm-eval writes ``results_<time>.json``, and with ``--log_samples`` a file
``samples_<task>_<time>.jsonl`` for each task. Tasks of pairs are read from their samples, item by
item, so that every report can be made. Without samples there are the accuracies of the tasks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from solecism.errors import fail
from solecism.inputs import read_json, read_json_lines
from solecism.schema import pair_schema
from solecism.scoring.results import SCORES, Result, ResultInMemory, scores_table
from solecism.scoring.summary import Signature, Tally, summarize

__all__ = ["is_from_lm_eval", "read_lm_eval"]

_SHAPE = {
    "results": {str: dict},
    "configs?": {str: dict},
    "config?": dict,
    "model_name?": (str, None),
}
_SAMPLE = {"doc": dict, "resps": list}
_LENGTHS = ("tokens_good", "tokens_bad")
_NAMED = ("UID", "linguistics_term", "language")
_OURS = re.compile(r"solecism_(?P<data>[a-z]+)_?(?P<config>.*)")


@dataclass(frozen=True)
class _TaskRun:
    """A task: its data set and config, and its items."""

    name: str
    data: str
    config: str
    rows: pa.Table | None


def is_from_lm_eval(path: Path) -> bool:
    """Return whether a file has the name that lm-eval gives to results."""
    return path.suffix == ".json" and path.name.startswith("results_")


def read_lm_eval(path: Path) -> list[Result]:
    """Return the results of a file, one for each config of a data set.

    Tasks of one paradigm each (as those of BLiMP) go together into the config ``all``. Raises
    :class:`InputError` for a file of another kind, or samples that are not of pairs.
    """
    found = read_json(path, _SHAPE, "result of lm-eval")
    leaves = {
        name: known for name, known in found["results"].items() if _accuracy(known) is not None
    }
    runs = [_task(path, name) for name in leaves if name not in found.get("groups", {})]
    if not runs:
        raise fail("has no task with an accuracy (acc)", path)
    groups: dict[tuple[str, str], list[_TaskRun]] = {}
    for run in runs:
        groups.setdefault((run.data, run.config), []).append(run)
    return [_result(path, found, *key, tasks) for key, tasks in groups.items()]


def _accuracy(known: Mapping[str, Any]) -> float | None:
    value = known.get("acc,none")
    return float(value) if isinstance(value, int | float) else None


def _task(path: Path, name: str) -> _TaskRun:
    ours = _OURS.fullmatch(name)
    data = ours["data"] if ours else name.partition("_")[0]
    rows = _samples(path.with_name(f"samples_{name}_{path.stem.partition('_')[2]}.jsonl"))
    single = len(rows["UID"].unique()) == 1 if rows is not None else not ours
    return _TaskRun(name, data, "all" if single or not ours else ours["config"] or "all", rows)


def _samples(path: Path) -> pa.Table | None:
    """Return the items of a task, None where they were not logged or are no pairs."""
    if not path.is_file():
        return None
    samples = read_json_lines(path, _SAMPLE, "sample of lm-eval")
    docs = [sample["doc"] for sample in samples]
    if not docs or not all({"sentence_good", "sentence_bad"} <= doc.keys() for doc in docs):
        return None
    logp = np.array([_log_probs(sample, path, n) for n, sample in enumerate(samples, 1)]).T
    texts = [[str(doc[f"sentence_{side}"]) for doc in docs] for side in ("good", "bad")]
    sizes = [np.array([len(text.encode()) for text in side]) for side in texts]
    chars = [np.array([len(text) for text in side]) for side in texts]
    ones = np.ones((2, len(docs)))  # the number of tokens is not known, but not zero
    table = scores_table(
        _pairs(docs), "sentence", logp, ones, sizes, [None] * len(docs), chars=chars
    )
    for name in _LENGTHS:
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.nulls(len(table), pa.int32()))
    return table


def _log_probs(sample: Mapping[str, Any], path: Path, line: int) -> tuple[float, float]:
    try:
        good, bad = (float(answer[0][0]) for answer in sample["resps"])
    except (TypeError, ValueError, IndexError, KeyError):
        raise fail("resps are not the log probabilities of two sentences", path, line) from None
    return good, bad


def _pairs(docs: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return the documents as pairs; BLiMP's have a ``pairID`` in place of our ids."""
    rows = []
    for number, doc in enumerate(docs):
        key = str(doc.get("id") or f"{doc.get('UID', '')}-{doc.get('pairID', number)}")
        named = {name: str(doc.get(name) or "") for name in _NAMED}
        texts = {f"sentence_{side}": str(doc[f"sentence_{side}"]) for side in ("good", "bad")}
        rows.append({"id": key, "set_id": str(doc.get("set_id") or key), **named, **texts,
                     "features": doc.get("features")})  # fmt: skip
    schema = pa.schema([_field(name) for name in rows[0]])
    return pa.Table.from_pylist(rows, schema)


def _field(name: str) -> pa.Field:
    return pair_schema().field(name) if name == "features" else pa.field(name, pa.string())


def _result(
    path: Path, found: Mapping[str, Any], data: str, config: str, tasks: Sequence[_TaskRun]
) -> ResultInMemory:
    signature = _signature(found, data, config, tasks[0].name)
    tables = [task.rows for task in tasks if task.rows is not None]
    if len(tables) == len(tasks):
        rows = pa.concat_tables(tables)
        counted = summarize(rows, config)
        counted.pop("tokens_differ", None)
        if not counted.get("normalised", {}).get("overall"):
            counted.pop("normalised", None)
    else:
        rows, counted = SCORES.empty_table(), _counted(found, config, tasks)
    summary = {
        "signature": str(signature),
        "run": signature.to_json(),
        **counted,
        "environment": {},
    }
    return ResultInMemory(path.with_name(f"{path.stem}#{data}-{config}"), summary, rows)


def _counted(found: Mapping[str, Any], config: str, tasks: Sequence[_TaskRun]) -> dict[str, Any]:
    """Return the figures of tasks whose items are not known."""
    sizes = found.get("n-samples", {})
    tallies: dict[str, Tally] = {}
    for task in tasks:
        n = int(sizes.get(task.name, {}).get("effective", 0))
        uid = task.name.removeprefix("solecism_").removeprefix(f"{task.data}_") or task.name
        tallies[uid] = Tally((_accuracy(found["results"][task.name]) or 0.0) * n, n)
    overall = Tally()
    for tally in tallies.values():
        overall.add(tally)
    by = {"UID": tallies, "config": {config: overall}}
    groups = {name: {uid: t.to_json() for uid, t in some.items()} for name, some in by.items()}
    mean = sum(each["accuracy"] or 0.0 for each in groups["UID"].values()) / len(tallies)
    return {"rows": 0, "overall": overall.to_json(), "macro": {"UID": mean},
            "by": {**groups, "phenomenon": {}, "construction": {}}}  # fmt: skip


def _signature(found: Mapping[str, Any], data: str, config: str, task: str) -> Signature:
    known = found.get("config") or {}
    arguments = _arguments(known.get("model_args"))
    about = (found.get("configs") or {}).get(task, {}).get("metadata") or {}
    return Signature(
        data=data, version=str(about.get("version", "")), digest="", config=config, method="sentence",
        model=str(found.get("model_name") or arguments.get("pretrained") or known.get("model") or "lm-eval"),
        revision=str(known.get("model_sha") or arguments.get("revision", "")),
        dtype=str(known.get("model_dtype") or arguments.get("dtype", "")).removeprefix("torch."),
        options={"lm-eval": str(found.get("lm_eval_version", "unknown"))},
    )  # fmt: skip


def _arguments(said: object) -> Mapping[str, Any]:
    """Return lm-eval's model arguments, which newer versions write as a mapping."""
    if isinstance(said, Mapping):
        return said
    pairs: Iterator[Sequence[str]] = (part.split("=", 1) for part in str(said or "").split(","))
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
