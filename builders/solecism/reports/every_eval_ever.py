"""Results in the format of Every Eval Ever (version 0.3.0): an aggregate JSON file for each result,
and the items in JSON Lines beside it.

https://github.com/evaleval/every_eval_ever. Files lie where its data store has them,
``data/<collection>/<developer>/<model>/<UUID>.json``. The UUID follows from the signature of the
result, so that the same result is the same file.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from solecism.files import write_text
from solecism.scoring.lookup import pairs_of, rows_by_id
from solecism.scoring.results import Result

__all__ = ["write_every_eval_ever"]

VERSION = "0.3.0"

_SIDES = ("sentence_good", "sentence_bad")
_ROWS = ("id", "UID", "decision", "logp_good", "logp_bad", "tokens_good", "tokens_bad", "margin")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def write_every_eval_ever(results: Iterable[Result], folder: Path) -> list[Path]:
    """Write results below a folder and return the files.

    Items are written where the data set is here, since they need its sentences; each stands in the
    figure of its paradigm.
    """
    return [path for result in results for path in _write(result, folder)]


def _write(result: Result, folder: Path) -> Iterator[Path]:
    run, name = result.run, _uuid(result.signature)
    model = _model_id(run["model"])
    place = Path("data", _safe(f"solecism_{run['data']}"), *map(_safe, model.split("/", 1)))
    whole = _aggregate(result, model)
    lines = [json.dumps(each, ensure_ascii=False) for each in _items(result, model, whole)]
    if lines:
        text = "\n".join([*lines, ""])
        samples = place / f"{name}_samples.jsonl"
        whole["detailed_evaluation_results"] = {
            "format": "jsonl", "file_path": samples.as_posix(), "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(text.encode()).hexdigest(), "total_rows": len(lines),
        }  # fmt: skip
        yield _written(folder / samples, text)
    yield _written(folder / place / f"{name}.json", json.dumps(whole, ensure_ascii=False, indent=2))


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    return path


def _uuid(text: str) -> str:
    return str(uuid.UUID(bytes=hashlib.sha256(text.encode()).digest()[:16], version=4))


def _safe(name: str) -> str:
    return _UNSAFE.sub("_", name).strip("._") or "unnamed"


def _model_id(model: str) -> str:
    """Return the name on the hub; a model of a folder, or without an owner, is ``local``'s."""
    owner, slash, name = model.rpartition("/")
    return f"{_safe(owner)}/{_safe(name)}" if slash and owner else f"local/{_safe(model)}"


def _aggregate(result: Result, model: str) -> dict[str, Any]:
    run = result.run
    when = str(int(result.path.stat().st_mtime)) if result.path.is_file() else "0"
    return {
        "schema_version": VERSION,
        "evaluation_id": f"{run['data']}/{run['config']}/{model}/{_uuid(result.signature)}",
        "retrieved_timestamp": when,
        "source_metadata": {
            "source_name": "solecism", "source_type": "evaluation_run",
            "source_organization_name": "unknown", "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "solecism", "version": run["solecism"],
            "additional_details": {"signature": result.signature},
        },
        "model_info": {
            "name": run["model"], "id": model,
            "additional_details": {
                "deployment_type": "self_deployed", "model_availability": "unknown",
                "revision": run["revision"], "dtype": run["dtype"],
            },
        },
        "evaluation_results": list(_figures(result)),
    }  # fmt: skip


def _figures(result: Result) -> Iterator[dict[str, Any]]:
    """Yield the accuracy of all items, and of each paradigm."""
    summary = result.summary
    yield from _figure(result, "all", summary["overall"])
    for uid, tally in summary["by"]["UID"].items():
        yield from _figure(result, uid, tally)


def _figure(result: Result, name: str, tally: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if tally["accuracy"] is None:
        return
    run = result.run
    ends = {"lower": tally["low"], "upper": tally["high"], "confidence_level": 0.95}
    yield {
        "evaluation_result_id": f"accuracy/{name}",
        "evaluation_name": _evaluation(run, name),
        "source_data": _source(run),
        "metric_config": {
            "evaluation_description": "Share of items in which the model prefers the good side.",
            "metric_id": "accuracy", "metric_name": "Accuracy", "metric_kind": "accuracy",
            "metric_unit": "proportion", "lower_is_better": False,
            "score_type": "continuous", "min_score": 0.0, "max_score": 1.0,
            "metric_parameters": {"method": run["method"], **run["options"]},
        },
        "score_details": {
            "score": tally["accuracy"],
            "details": {"ties (each a half)": str(tally["ties"])},
            "uncertainty": {
                "confidence_interval": {**ends, "method": "Wilson"}, "num_samples": tally["n"],
            },
        },
    }  # fmt: skip


def _evaluation(run: Mapping[str, Any], name: str) -> str:
    return f"{run['data']}/{run['config']}" + ("" if name == "all" else f"/{name}")


def _source(run: Mapping[str, Any]) -> dict[str, Any]:
    on_hub = "/" in run["data"]
    return {
        "dataset_name": f"{run['data']}/{run['config']}",
        "source_type": "hf_dataset" if on_hub else "other",
        **({"hf_repo": run["data"], "hf_split": "test"} if on_hub else {}),
        "additional_details": {"version": run["version"], "sha256": run["digest"]},
    }


def _items(result: Result, model: str, whole: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    run = result.run
    items = pairs_of(run["data"], run["config"], run["digest"])
    if items is None or not set(_SIDES) <= set(items.columns):
        return
    rows = result.read(_ROWS).to_pylist()
    texts = rows_by_id(items, [row["id"] for row in rows], _SIDES)
    for row in rows:
        if row["decision"] is not None and row["id"] in texts:
            sides = [texts[row["id"]][side] for side in _SIDES]
            yield _item(row, sides, {
                "schema_version": VERSION, "evaluation_id": whole["evaluation_id"],
                "model_id": model, "evaluation_name": _evaluation(run, row["UID"]),
            })  # fmt: skip


def _item(row: Mapping[str, Any], sides: Sequence[str], head: Mapping[str, Any]) -> dict[str, Any]:
    preferred = sides[row["decision"] == 0.0]
    asked = {"raw": "", "reference": [sides[0]]}
    key = json.dumps({"raw": "", "reference": sides[0]}, sort_keys=True)
    return {
        **head,
        "evaluation_result_id": f"accuracy/{row['UID']}",
        "sample_id": row["id"],
        "sample_hash": hashlib.sha256(key.encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {**asked, "choices": list(sides)},
        "output": {"raw": [preferred]},
        "answer_attribution": [
            {
                "turn_idx": 0, "source": "output.raw", "extracted_value": preferred,
                "extraction_method": "higher_log_probability", "is_terminal": True,
            }
        ],
        "evaluation": {"score": row["decision"], "is_correct": row["decision"] == 1.0},
        "metadata": {name: str(row[name]) for name in _ROWS[3:] if row[name] is not None},
    }  # fmt: skip
