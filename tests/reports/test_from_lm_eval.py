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
    folder: Path, tasks: dict[str, list[dict[str, Any]]], samples: bool = True, **more: Any
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
             "resps": [[[str(value), "False"]] for value in doc["resps"]],
             **({"acc": doc["acc"]} if "acc" in doc else {})}
            for n, doc in enumerate(docs)
        ]  # fmt: skip
        if samples:
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (folder / f"samples_{task}_{TIME}.jsonl").write_text(text)
    whole = {
        "results": results, "n-samples": sizes, "model_name": "gpt2", "lm_eval_version": "0.4.13",
        "config": {"model": "hf", "model_args": "pretrained=gpt2", "model_dtype": "torch.float32"},
        "configs": {task: {"task": task, "metadata": {"version": 1.0}} for task in tasks},
        **more,
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
    path = write_results(tmp_path, tasks, group_subtasks={"blimp": [*tasks]})
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
    about = {"version": "1.0.0", "dataset": "clams", "config": "fr"}
    write_results(
        tmp_path, {"solecism_clams_fr": docs}, configs={"solecism_clams_fr": {"metadata": about}}
    )
    (result,) = read_lm_eval(tmp_path / f"results_{TIME}.json")
    assert (result.run["data"], result.run["config"]) == ("clams", "fr")
    assert result.table["id"].to_pylist() == ["i0", "i1"]


def test_the_folder_of_lm_eval_is_read_and_compared(tmp_path: Path) -> None:
    about = {"version": "1.0.0", "dataset": "clams", "config": "fr"}
    configs = {"solecism_clams_fr": {"metadata": about}}
    docs = [doc | {"id": f"i{n}", "set_id": f"i{n}"} for n, doc in enumerate(documents("simple"))]
    for model, bad in (("gpt2", -8.0), ("other", -8.5)):
        docs[1]["resps"] = (-8.2, bad)
        run = {"model": "hf", "model_args": f"pretrained={model}", "model_dtype": "torch.float32"}
        write_results(
            tmp_path / model, {"solecism_clams_fr": docs}, configs=configs, config=run,
            model_name=model,
        )  # fmt: skip
    text = " ".join(solecism.report(tmp_path, diff=True).text().split())
    assert "all pairs 2 50.0 100.0 -50.0" in text


def test_without_samples_there_are_accuracies(tmp_path: Path) -> None:
    tasks = {f"blimp_{uid}": documents(uid) for uid in ("wh_island", "passive_1")}
    path = write_results(tmp_path, tasks, samples=False, group_subtasks={"blimp": [*tasks]})
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


def ours(*places: tuple[str, str, str]) -> dict[str, Any]:
    """Return the configs of tasks that say of which data set, config and paradigm they are."""
    return {
        f"t{n}": {
            "metadata": {"version": "1.0.0", "dataset": data, "config": config}
            | ({"uid": uid} if uid else {})
        }
        for n, (data, config, uid) in enumerate(places)
    }


def test_tasks_say_of_what_they_are(tmp_path: Path) -> None:
    places = [
        ("blimp-de", "verb_second", ""), ("blimp-ru", "odin_agreement", ""), ("my_pairs2", "en", ""),
        ("agreement", "de-pairs-wide", ""), ("clams", "fr", ""), ("clams", "fr", "simple_agrmt"),
        ("clams", "fr", "vp_coord"),
    ]  # fmt: skip
    tasks = {f"t{n}": documents(f"u{n}") for n in range(len(places))}
    tasks |= {name: documents(name) for name in ("blimp_x", "blimp_nl__x", "blimp_y", "blimp_z")}
    path = write_results(
        tmp_path, tasks, configs=ours(*places),
        group_subtasks={"blimp": ["blimp_y", "blimp_z"], "blimp_x": []},
    )  # fmt: skip
    found = read_lm_eval(path)
    named = {(r.run["data"], r.run["config"], r.run["options"].get("uid")): r for r in found}
    assert [*named] == [
        *((data, config, None) for data, config, _ in places[:5]), ("clams", "fr", "each"),
        ("blimp_x", "all", None), ("blimp_nl__x", "all", None), ("blimp", "all", None),
    ]  # fmt: skip
    assert named["clams", "fr", "each"].accuracies() == {"u5": 0.5, "u6": 0.5}
    assert len({result.path for result in found}) == len(found)
    assert "data:blimp-de@1.0.0|cfg:verb_second|" in found[0].signature
    one, two = (
        write_results(
            tmp_path / name, {"t0": documents("u0")}, configs=ours(places[0]), model_name=name
        )
        for name in ("a", "b")
    )
    compared = solecism.report([one, two], diff=True).difference
    assert compared
    assert compared.rows["all pairs"].n == 2


def test_signatures_have_all_settings(tmp_path: Path) -> None:
    tasks = {"t": documents("x")}
    config = {"model": "hf", "model_args": "pretrained=gpt2,dtype=float32"}
    arguments = {"pretrained": "gpt2", "dtype": "bfloat16", "device": "cpu", "token": "hf_secret"}
    changes: list[dict[str, Any]] = [
        {},
        {"config": config | {"limit": 20.0}},
        {"config": config | {"limit": 30.0}},
        {"config": config | {"model_args": {**arguments, "softmax_dtype": "float32"}}},
        {"config": config | {"model_args": {**arguments, "add_bos_token": False}}},
        {"config": config | {"model_args": {**arguments, "prefix_token_id": 3}}},
        {"config": config | {"model": "vllm"}},
        {"chat_template_sha": "0123456789abcdef"},
        {"system_instruction_sha": "0123456789abcdef"},
        {"n-shot": {"t": 2}},
        {"n-shot": {"t": 2}, "fewshot_as_multiturn": True},
        {"task_hashes": {"t": "0123456789abcdef"}},
    ]
    found = [
        read_lm_eval(write_results(tmp_path / str(n), tasks, **change))[0].signature
        for n, change in enumerate(changes)
    ]
    assert len(set(found)) == len(found)
    assert "|limit:20|" in found[1]
    assert "|softmax_dtype:float32|" in found[3]
    assert not any("secret" in text or "device" in text for text in found)


def suite(name: str, accuracies: list[float]) -> list[dict[str, Any]]:
    return [
        {"id": f"{name}{n}", "suite": name, "predictions": ["a", "b", "c", "d"], "acc": accuracy,
         "resps": (-1.0, -2.0)}
        for n, accuracy in enumerate(accuracies)
    ]  # fmt: skip


@pytest.mark.parametrize("samples", [True, False])
def test_suites_are_not_rounded(tmp_path: Path, samples: bool) -> None:
    accuracies = [0.5] * 29 + [0.25]
    whole = {"acc,none": sum(accuracies) / 30, "all_hold,none": 0.0}
    path = write_results(
        tmp_path, {"t0": suite("s", accuracies)}, samples=samples, results={"t0": whole},
        configs=ours(("mandarin", "s", "")),
    )  # fmt: skip
    (result,) = read_lm_eval(path)
    assert result.accuracy == pytest.approx(59 / 120)
    assert "|score:region|" in result.signature
    text = solecism.report(path, by="UID").text()
    assert "pairs" not in text
    assert "49.2 40.4–58.0" in text if samples else "49.2" in text and "–" not in text
    assert ("120 predictions" if samples else "30 items") in text
    assert "49.2" in solecism.report(path).latex()
    assert "49.2" in solecism.report(path).html()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"configs": {"t": {"metadata": "x"}}}, "metadata"),
        ({"n-samples": 5}, "n-samples"),
        ({"n-samples": {"t": {"effective": 1e308}}}, "effective"),
        ({"results": {"t": {"acc,none": 5}}}, "acc,none"),
        ({"config": {"limit": "all"}}, "limit"),
        ({"results": {"t": {"acc,none": 0.9}}}, "not of one run"),
        ({"n-samples": {"t": {"effective": 3}}}, "not of one run"),
    ],
)
def test_files_of_others(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = write_results(tmp_path, {"t": documents("x")}, **change)
    with pytest.raises(InputError, match=message):
        read_lm_eval(path)


def test_more_tasks_than_a_report_can_show(tmp_path: Path) -> None:
    path = write_results(tmp_path, {"t": documents("x")}, samples=False)
    whole = json.loads(path.read_text())
    whole["results"] = {f"t{n}": {"acc,none": 0.5} for n in range(10_000)}
    path.write_text(json.dumps(whole))
    with pytest.raises(InputError, match="tasks of 10,000 data sets"):
        read_lm_eval(path)
