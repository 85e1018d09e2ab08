"""Results that lm-eval has written, read as results of ours.

lm-eval writes ``results_<time>.json``, and with ``--log_samples`` a file
``samples_<task>_<time>.jsonl`` for each task. Tasks of pairs are read from their samples, item by
item, so that every report can be made. Without samples there are the accuracies of the tasks.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from solecism.errors import fail
from solecism.inputs import COUNT, SHARE, Number, read_json, read_json_lines
from solecism.phenomena import renamed
from solecism.schema import ItemRow, pair_schema
from solecism.scoring.results import SCORES, Result, Summary, scores_table
from solecism.scoring.summary import Signature, Tally, summarize

_SHAPE = {
    "results": {str: {"acc,none?": SHARE}},
    "configs?": {str: {"metadata?": ({"dataset?": str, "config?": str, "uid?": str}, None)}},
    "groups?": dict,
    "group_subtasks?": {str: [str]},
    "n-samples?": {str: {"effective": COUNT}},
    "n-shot?": {str: (COUNT, None)},
    "task_hashes?": {str: str},
    "config?": ({"limit?": (Number(0), None)}, None),
    "model_name?": (str, None),
    "chat_template_sha?": (str, None),
    "system_instruction_sha?": (str, None),
}
_SAMPLE = {"doc": {"predictions?": list}, "resps": list, "acc?": SHARE}
_TEXTS = ("UID", "linguistics_term", "language", "sentence_good", "sentence_bad")
_PAIR = {"sentence_good", "sentence_bad"}

_SILENT = (
    "pretrained", "revision", "dtype", "device", "batch_size", "max_batch_size", "parallelize",
    "device_map", "max_memory_per_gpu", "max_cpu_memory", "offload_folder", "logits_cache",
    "trust_remote_code", "cache_dir", "token",
)  # fmt: skip
"""Arguments of a model that stand elsewhere in a signature, change no figure, or are a secret."""


_MOST = 1_000
"""Against a file of others that would keep a report busy for hours."""


class _Source(NamedTuple):
    """What tasks are of; ``uid``: ``each`` where each is one paradigm of the config."""

    data: str
    config: str
    uid: str = ""


class _Task(NamedTuple):
    """What is known of a task: its counts, and its items if they were logged and are pairs."""

    name: str
    counts: Tally
    rows: pa.Table | None


def is_from_lm_eval(path: Path) -> bool:
    """Return whether a file has the name that lm-eval gives to results."""
    return path.suffix == ".json" and path.name.startswith("results_")


def read_lm_eval(path: Path) -> list[Result]:
    """Return the results of a file, one for each config of a data set.

    Our tasks say what they are of. Tasks of others are the config ``all`` of their group, or of a
    data set of their own name. Raises :class:`InputError` for a file of another kind, samples that
    are not of pairs, and samples that contradict the figures.
    """
    found = read_json(path, _SHAPE, "result of lm-eval")
    groups = found.get("group_subtasks", {})
    home = {task: group for group in reversed(groups) for task in groups[group]}
    sources: dict[_Source, list[str]] = {}
    for name, known in found["results"].items():
        if name not in found.get("groups", {}) and "acc,none" in known:
            about = _about(found, name)
            source = _Source(home.get(name, name), "all")
            if "dataset" in about and "config" in about:
                source = _Source(about["dataset"], about["config"], "each" * ("uid" in about))
            sources.setdefault(source, []).append(name)
    if not 0 < len(sources) <= _MOST:
        many = f"has tasks of {len(sources):,} data sets, of which a report shows {_MOST:,} at most"
        raise fail(many if sources else "has no task with an accuracy (acc)", path)
    return [_result(path, found, source, names) for source, names in sources.items()]


def _about(found: Summary, task: str) -> Summary:
    """Return what a task says of itself, as our tasks do."""
    return (found.get("configs", {}).get(task) or {}).get("metadata") or {}


def _result(path: Path, found: Summary, source: _Source, names: Sequence[str]) -> Result:
    """Return the result of the tasks of one config."""
    tasks = [_task(path, found, name) for name in names]
    signature = _signature(found, source, names)
    tables = [task.rows for task in tasks if task.rows is not None]
    if len(tables) == len(tasks):
        rows = pa.concat_tables(tables)
        counted = summarize(rows, source.config)
        counted.pop("tokens_differ", None)
    else:
        rows = SCORES.empty_table()
        counted = _counted(found, source, tasks)
    head = {"signature": str(signature), "run": signature.to_json()}
    name = quote("#".join((path.stem, *filter(None, source))), safe="#")
    return Result(path.with_name(name), {**head, **counted, "environment": {}}, rows)


def _task(path: Path, found: Summary, name: str) -> _Task:
    """Return what a task's samples say; without any, what its accuracy says.

    The accuracy of a suite's task is a mean over items, of which each has several predictions.
    """
    accuracy = float(found["results"][name]["acc,none"])
    size = found.get("n-samples", {}).get(name, {}).get("effective")
    file = path.with_name(f"samples_{name}_{path.stem.partition('_')[2]}.jsonl")
    samples = read_json_lines(file, _SAMPLE, "sample of lm-eval") if file.is_file() else []
    rows = None
    counts = Tally(accuracy * (size or 0), size or 0, counted=not _is_suite(found, name))
    shares = [sample.get("acc", accuracy) for sample in samples]
    if samples and all(sample["doc"].keys() >= _PAIR for sample in samples):
        rows = _table(file, samples)
        # A tie counted as right in tasks of others, and in ours before version 0.2.
        good, bad = (rows[f"logp_{side}"].fill_null(0.0).to_numpy() for side in ("good", "bad"))
        right, ties = int((good > bad).sum()), int((good == bad).sum())
        shares = [min(max(accuracy, right / len(rows)), (right + ties) / len(rows))]
    elif samples and all("predictions" in sample["doc"] for sample in samples):
        numbers = [len(sample["doc"]["predictions"]) for sample in samples]
        counts = Tally(float(np.dot(shares, numbers)), sum(numbers))
    if samples and (
        len(samples) != (size or len(samples)) or abs(np.mean(shares) - accuracy) > 1e-6
    ):
        said = f"{len(samples)} samples with an accuracy of {np.mean(shares):.4f}"
        raise fail(f"{said}, {path.name} says {size} and {accuracy:.4f}: not of one run", file)
    return _Task(name, counts, rows)


def _is_suite(found: Summary, task: str) -> bool:
    return "all_hold,none" in found["results"][task]


def _table(path: Path, samples: Sequence[Summary]) -> pa.Table:
    """Return the scores of pairs."""
    docs = [sample["doc"] for sample in samples]
    logp = np.empty((2, len(docs)))
    for line, sample in enumerate(samples):
        try:
            logp[:, line] = [float(answer[0][0]) for answer in sample["resps"]]
        except (TypeError, ValueError, IndexError, KeyError):
            message = "resps are not the log probabilities of two sentences"
            raise fail(message, path, line + 1) from None
    texts = [[str(doc[f"sentence_{side}"]) for doc in docs] for side in ("good", "bad")]
    ones = np.ones((2, len(docs)))  # the number of tokens is not known, but not zero
    pairs, skipped = _pairs(docs), [None] * len(docs)
    table = scores_table(pairs, "sentence", logp, ones, texts, skipped)
    for name in ("tokens_good", "tokens_bad"):
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.nulls(len(table), pa.int32()))
    return table


def _pairs(docs: Sequence[ItemRow]) -> pa.Table:
    """Return the documents as pairs; BLiMP's have a ``pairID`` in place of our ids."""
    rows = []
    for number, doc in enumerate(docs):
        key = str(doc.get("id") or f"{doc.get('UID', '')}-{doc.get('pairID', number)}")
        texts = {name: str(doc.get(name) or "") for name in _TEXTS}
        texts |= {"id": key, "set_id": str(doc.get("set_id") or key)}
        rows.append({**texts, "features": doc.get("features")})
    fields = [pair_schema().field(name) for name in ("id", "set_id", *_TEXTS, "features")]
    return pa.Table.from_pylist(rows, pa.schema(fields))


def _counted(found: Summary, source: _Source, tasks: Sequence[_Task]) -> Summary:
    """Return the figures of tasks whose items are not known."""
    tallies, overall = {}, Tally()
    for task in tasks:
        about = _about(found, task.name)
        uid = about.get("uid") or about.get("config") or task.name.removeprefix(f"{source.data}_")
        tallies[renamed(source.data).get(uid, uid)] = task.counts.to_json()
        overall.add(task.counts)
    mean = sum(each["accuracy"] or 0.0 for each in tallies.values()) / len(tallies)
    total = overall.to_json()
    by = {"UID": tallies, "config": {source.config: total}, "phenomenon": {}, "construction": {}}
    return {"rows": 0, "overall": total, "macro": {"UID": mean}, "by": by}


def _signature(found: Summary, source: _Source, names: Sequence[str]) -> Signature:
    """Return all that the figures of some tasks depend on, as far as the file says it.

    The digest is of what the model was asked, which lm-eval notes if it logs samples.
    """
    known, about = found.get("config") or {}, _about(found, names[0])
    said = known.get("model_args") or ""
    if not isinstance(said, Mapping):  # older versions write a text
        said = dict(part.split("=", 1) for part in str(said).split(",") if "=" in part)
    hashes = "".join(found.get("task_hashes", {}).get(name, "") for name in names)
    return Signature(
        data=source.data, version=str(about.get("version", "")), config=source.config,
        digest=hashlib.sha256(hashes.encode()).hexdigest()[:16] if hashes else "",
        method="region" if _is_suite(found, names[0]) else "sentence",
        model=str(found.get("model_name") or said.get("pretrained") or known.get("model") or "lm-eval"),
        revision=str(known.get("model_sha") or said.get("revision", "")),
        dtype=str(known.get("model_dtype") or said.get("dtype", "")).removeprefix("torch."),
        options=_settings(found, known, said, names) | ({"uid": source.uid} if source.uid else {}),
    )  # fmt: skip


def _settings(
    found: Summary, known: Summary, said: Mapping[str, object], names: Sequence[str]
) -> dict[str, str]:
    """Return the settings of a run that may change a figure, by name."""
    limit, shots = known.get("limit"), {found.get("n-shot", {}).get(name) or 0 for name in names}
    seed, turns = known.get("fewshot_seed"), found.get("fewshot_as_multiturn")
    settings = {
        "lm-eval": str(found.get("lm_eval_version", "unknown")),
        "limit": "" if limit is None else f"{limit:.15g}",
        "chat_template": (found.get("chat_template_sha") or "")[:12],
        "system_instruction": (found.get("system_instruction_sha") or "")[:12],
        "shots": f"{sorted(shots)} seed {seed}, turns {turns}" if any(shots) else "",
        "backend": str(known.get("model") or "hf").removeprefix("hf"),
    }
    given = {name: value for name, value in said.items() if name not in _SILENT}
    settings |= {re.sub(r"\W", "_", n): str(v) for n, v in given.items() if v is not None}
    return {name: value for name, value in settings.items() if value}
