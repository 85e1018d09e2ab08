"""Results that lm-eval has written, read as results of ours.

lm-eval writes ``results_<time>.json``, and with ``--log_samples`` a file
``samples_<task>_<time>.jsonl`` for each task. Tasks of pairs are read from their samples, item by
item, so that every report can be made. Without samples there are the accuracies of the tasks.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from solecism.errors import fail
from solecism.inputs import read_json, read_json_lines
from solecism.schema import ItemRow, pair_schema
from solecism.scoring.results import SCORES, Result, Summary, scores_table
from solecism.scoring.summary import Signature, Tally, summarize

_SHAPE = {
    "results": {str: dict},
    "configs?": {str: dict},
    "config?": dict,
    "model_name?": (str, None),
}
_SAMPLE = {"doc": dict, "resps": list}
_TEXTS = ("UID", "linguistics_term", "language", "sentence_good", "sentence_bad")
_OURS = re.compile(r"solecism_(?P<data>[a-z]+)_?(?P<config>.*)")


def is_from_lm_eval(path: Path) -> bool:
    """Return whether a file has the name that lm-eval gives to results."""
    return path.suffix == ".json" and path.name.startswith("results_")


def read_lm_eval(path: Path) -> list[Result]:
    """Return the results of a file, one for each config of a data set.

    Tasks of one paradigm each (as those of BLiMP) go together into the config ``all``. Raises
    :class:`InputError` for a file of another kind, or samples that are not of pairs.
    """
    found = read_json(path, _SHAPE, "result of lm-eval")
    accuracies = {
        name: float(known["acc,none"])
        for name, known in found["results"].items()
        if name not in found.get("groups", {}) and isinstance(known.get("acc,none"), int | float)
    }
    if not accuracies:
        raise fail("has no task with an accuracy (acc)", path)
    groups: dict[tuple[str, str], dict[str, pa.Table | None]] = {}
    for name in accuracies:
        ours = _OURS.fullmatch(name)
        data = ours["data"] if ours else name.partition("_")[0]
        rows = _samples(path.with_name(f"samples_{name}_{path.stem.partition('_')[2]}.jsonl"))
        single = len(rows["UID"].unique()) == 1 if rows is not None else not ours
        config = "all" if single or not ours else ours["config"] or "all"
        groups.setdefault((data, config), {})[name] = rows
    results: list[Result] = []
    for (data, config), by_task in groups.items():
        signature = _signature(found, data, config, next(iter(by_task)))
        tables = [rows for rows in by_task.values() if rows is not None]
        if len(tables) == len(by_task):
            rows = pa.concat_tables(tables)
            counted = summarize(rows, config)
            counted.pop("tokens_differ", None)
        else:
            rows = SCORES.empty_table()
            counted = _counted(found, data, config, {name: accuracies[name] for name in by_task})
        head = {"signature": str(signature), "run": signature.to_json()}
        place = path.with_name(f"{path.stem}#{data}-{config}")
        results.append(Result(place, {**head, **counted, "environment": {}}, rows))
    return results


def _samples(path: Path) -> pa.Table | None:
    """Return the items of a task, None where they were not logged or are no pairs."""
    if not path.is_file():
        return None
    samples = read_json_lines(path, _SAMPLE, "sample of lm-eval")
    docs = [sample["doc"] for sample in samples]
    if not docs or not all({"sentence_good", "sentence_bad"} <= doc.keys() for doc in docs):
        return None
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


def _counted(found: Summary, data: str, config: str, accuracies: Mapping[str, float]) -> Summary:
    """Return the figures of tasks whose items are not known."""
    tallies, overall = {}, Tally()
    for name, accuracy in accuracies.items():
        n = int(found.get("n-samples", {}).get(name, {}).get("effective", 0))
        uid = name.removeprefix("solecism_").removeprefix(f"{data}_") or name
        tallies[uid] = Tally(accuracy * n, n).to_json()
        overall.add(Tally(accuracy * n, n))
    mean = sum(each["accuracy"] or 0.0 for each in tallies.values()) / len(tallies)
    by = {
        "UID": tallies,
        "config": {config: overall.to_json()},
        "phenomenon": {},
        "construction": {},
    }
    return {"rows": 0, "overall": overall.to_json(), "macro": {"UID": mean}, "by": by}


def _signature(found: Summary, data: str, config: str, task: str) -> Signature:
    known = found.get("config") or {}
    said = known.get("model_args") or ""
    if not isinstance(said, Mapping):  # older versions write a text
        said = dict(part.split("=", 1) for part in str(said).split(",") if "=" in part)
    about = (found.get("configs") or {}).get(task, {}).get("metadata") or {}
    return Signature(
        data=data, version=str(about.get("version", "")), digest="", config=config, method="sentence",
        model=str(found.get("model_name") or said.get("pretrained") or known.get("model") or "lm-eval"),
        revision=str(known.get("model_sha") or said.get("revision", "")),
        dtype=str(known.get("model_dtype") or said.get("dtype", "")).removeprefix("torch."),
        options={"lm-eval": str(found.get("lm_eval_version", "unknown"))},
    )  # fmt: skip
