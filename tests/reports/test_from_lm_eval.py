"""What lm-eval has written, in our reports."""

import json
from pathlib import Path
from typing import Any

import pytest

import solecism
from solecism.errors import InputError
from solecism.scoring.from_lm_eval import read_lm_eval

TIME = "2026-11-23T09-00-00.000000"
PAIRS = [
    ("The dogs bark.", "The dogs barks.", -12.5, -15.0),
    ("A cat sleeps.", "A cat sleep.", -9.0, -8.0),
]


def write_results(
    folder: Path, tasks: dict[str, list[dict[str, Any]]], samples: bool = True
) -> Path:
    """Write what lm-eval writes for tasks with documents; each document has its ``resps``."""
    folder.mkdir(parents=True, exist_ok=True)
    results, sizes = {}, {}
    for task, docs in tasks.items():
        right = [float(doc["resps"][0]) > float(doc["resps"][1]) for doc in docs]
        results[task] = {"alias": task, "acc,none": sum(right) / len(right), "acc_stderr,none": 0.1}
        sizes[task] = {"original": 1000, "effective": len(docs)}
        lines = [
            {"doc_id": n, "doc": {k: v for k, v in doc.items() if k != "resps"},
             "resps": [[[str(value), "False"]] for value in doc["resps"]]}
            for n, doc in enumerate(docs)
        ]  # fmt: skip
        if samples:
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (folder / f"samples_{task}_{TIME}.jsonl").write_text(text)
    whole = {
        "results": results, "n-samples": sizes, "model_name": "gpt2", "lm_eval_version": "0.4.13",
        "config": {"model": "hf", "model_args": "pretrained=gpt2", "model_dtype": "torch.float32"},
        "configs": {task: {"task": task, "metadata": {"version": 1.0}} for task in tasks},
    }  # fmt: skip
    path = folder / f"results_{TIME}.json"
    path.write_text(json.dumps(whole))
    return path


def documents(uid: str, **more: Any) -> list[dict[str, Any]]:
    return [
        {"sentence_good": good, "sentence_bad": bad, "UID": uid, "pairID": str(n),
         "linguistics_term": "agreement", "resps": (one, other), **more}
        for n, (good, bad, one, other) in enumerate(PAIRS)
    ]  # fmt: skip


def test_samples_are_read_item_by_item(tmp_path: Path) -> None:
    tasks = {f"blimp_{uid}": documents(uid) for uid in ("wh_island", "passive_1")}
    path = write_results(tmp_path, tasks)
    (result,) = read_lm_eval(path)
    assert result.run == {**result.run, "data": "blimp", "config": "all", "model": "gpt2"}
    assert result.run["options"] == {"lm-eval": "0.4.13"}
    rows = result.table.to_pylist()
    assert [row["id"] for row in rows[:2]] == ["wh_island-0", "wh_island-1"]
    assert [row["decision"] for row in rows] == [1.0, 0.0, 1.0, 0.0]
    assert rows[0] == {**rows[0], "margin": 2.5, "tokens_good": None, "chars_good": 14}
    assert result.accuracy == 0.5
    assert result.accuracies("UID") == {"passive_1": 0.5, "wh_island": 0.5}
    text = solecism.report(path).text()
    assert "agreement" in text
    assert "lm-eval:0.4.13" in text
    page = solecism.report(tmp_path).html()
    assert "wh_island" in page
    assert "char" in page


def test_ours_and_those_of_lm_eval_side_by_side(tmp_path: Path) -> None:
    docs = documents("simple", id="x", set_id="y")
    for number, doc in enumerate(docs):
        doc |= {"id": f"i{number}", "UID": f"u{number}"}
    write_results(tmp_path, {"solecism_clams_fr": docs})
    (result,) = read_lm_eval(tmp_path / f"results_{TIME}.json")
    assert (result.run["data"], result.run["config"]) == ("clams", "fr")
    assert result.table["id"].to_pylist() == ["i0", "i1"]


def test_without_samples_there_are_accuracies(tmp_path: Path) -> None:
    tasks = {f"blimp_{uid}": documents(uid) for uid in ("wh_island", "passive_1")}
    path = write_results(tmp_path, tasks, samples=False)
    report = solecism.report(path, by="UID")
    assert "wh_island" in report.text()
    cells = {name: cell.n for name, cell in report.columns[0].cells.items()}
    assert cells["wh_island"] == 2
    assert "passive_1" in report.html()


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results_1.json"
    path.write_text('{"results": {"squad": {"exact,none": 0.5}}}')
    with pytest.raises(InputError, match="no task with an accuracy"):
        read_lm_eval(path)
    path.write_text("[]")
    with pytest.raises(InputError, match="result of lm-eval"):
        read_lm_eval(path)
    found = write_results(tmp_path / "a", {"blimp_x": documents("x")})
    samples = next(found.parent.glob("samples_*"))
    samples.write_text(samples.read_text().replace('"-15.0"', '"much"'))
    with pytest.raises(InputError, match=r"samples_.*:1: resps are not"):
        read_lm_eval(found)
