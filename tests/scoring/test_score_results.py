"""Results: the table, its writing in a stream, the summary, bad input. A run that is cut short, at
whatever batch, and taken up again gives the same digits as one that is not."""

import json
import math
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from causal_models import save_model
from cloze_items import ITEMS, forms
from masked_models import pairs, reader
from scored import make_pairs, make_scores, signature, write_result
from solecism.errors import InputError
from solecism.scoring.engines.causal import CausalReader
from solecism.scoring.methods.cloze import score_cloze
from solecism.scoring.methods.masked import score_focus, score_pll
from solecism.scoring.methods.region import read_with_causal, score_suites
from solecism.scoring.methods.sentence import score_pairs
from solecism.scoring.models import Loaded, load_model
from solecism.scoring.results import read_result, scores_table, writing_result
from solecism.scoring.run import _unscored
from solecism.scoring.summary import summarize


def table_of(
    pairs: pa.Table, good: list[float], bad: list[float], skipped: list[str | None]
) -> pa.Table:
    ones, logp = np.ones((2, len(good)), int), (np.array(good), np.array(bad))
    return scores_table(pairs, "sentence", logp, ones, [["x"] * len(good)] * 2, skipped)


def test_decisions_margins_ties_and_skips() -> None:
    nan, inf = math.nan, math.inf
    good = [-1.0, -3.0, -2.0, nan, -inf, -5.0, -2.0]
    bad = [-2.0, -1.0, -2.0, nan, -inf, -inf, -2.0 + 1e-13]
    skipped = [None, None, None, "too long", None, None, None]
    table = table_of(make_pairs(7), good, bad, skipped)
    assert table["decision"].to_pylist() == [1.0, 0.0, 0.5, None, 0.5, 1.0, 0.5]
    assert table["margin"].to_pylist()[:6] == [1.0, -2.0, 0.0, None, 0.0, inf]
    assert table["logp_good"].to_pylist()[3] is None
    assert table["skipped"].to_pylist() == skipped


def test_a_score_that_is_no_number_names_the_item() -> None:
    with pytest.raises(InputError, match=r"score of 1 items is not a number \(NaN\): 'i1'"):
        table_of(make_pairs(2), [-1.0, math.nan], [-2.0, -2.0], [None, None])


def test_result_is_read_back_by_any_of_its_names(tmp_path: Path) -> None:
    scores = make_scores(make_pairs(40))
    write_result(tmp_path / "gpt-0.5", scores)
    for name in ("gpt-0.5", "gpt-0.5.json", "gpt-0.5.parquet"):
        result = read_result(tmp_path / name)
        assert result.table.equals(scores)
    assert result.run["model"] == "org/tiny"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["gpt-0.5.json", "gpt-0.5.parquet"]


@pytest.mark.parametrize(
    ("by", "change"),
    [
        ("overall", lambda summary: summary["overall"]),
        ("UID", lambda summary: next(iter(summary["by"]["UID"].values()))),
        ("match", lambda summary: summary["by"]["match"]["match"]),
        ("config", lambda summary: next(iter(summary["by"]["config"].values()))),
    ],
)
def test_a_summary_that_is_not_of_its_table(
    tmp_path: Path, by: str, change: Callable[[Any], Any]
) -> None:
    write_result(tmp_path / "r", make_scores(make_pairs(40)))
    path = tmp_path / "r.json"
    for key, value in (("accuracy", 0.99), ("n", 39)):
        summary = json.loads(path.read_text())
        change(summary)[key] = value
        changed = tmp_path / f"{key}.json"
        changed.write_text(json.dumps(summary))
        shutil.copy(path.with_suffix(".parquet"), changed.with_suffix(".parquet"))
        with pytest.raises(InputError, match=f"accuracy of '{by}.*' is not that of the table"):
            read_result(changed)


def test_a_table_that_is_not_of_its_summary(tmp_path: Path) -> None:
    write_result(tmp_path / "r", make_scores(make_pairs(40)))
    table = pq.read_table(tmp_path / "r.parquet")
    place = table.column_names.index("decision")
    ones = pa.array([1.0] * len(table))
    pq.write_table(table.set_column(place, "decision", ones), tmp_path / "r.parquet")
    with pytest.raises(InputError, match="is not that of the table"):
        read_result(tmp_path / "r")


def nothing(_: Path) -> dict[str, Any]:
    return {}


def test_parts_of_another_signature_are_discarded(tmp_path: Path) -> None:
    scores, said = make_scores(make_pairs(30)), list[str]()
    with suppress(KilledError):
        run(tmp_path / "r", iter, [scores.slice(0, 20), scores.slice(20)], end=1)
    with writing_result(tmp_path / "r", "new", nothing, notice=said.append) as (done, write):
        assert done == 0
        write(scores)
    assert pq.read_table(tmp_path / "r.parquet").equals(scores)
    assert "another signature" in said[0]


def test_nothing_to_write_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no item"), writing_result(tmp_path / "r", "sig", nothing):
        pass
    assert list(tmp_path.iterdir()) == []


def test_summary_equals_a_plain_count() -> None:
    scores = make_scores(make_pairs(400), reasons=("too long", "multi-piece"))
    summary, rows = summarize(scores, "xx"), scores.flatten().to_pandas().assign(config="xx")
    rows["features.intervenes"] = rows["features.intervenes"].map({True: "true"})
    rows["features.distance"] = rows["features.distance"].astype(str)
    columns = {name: f"features.{name}" for name in ("match", "intervenes", "distance", "mood")}
    columns |= {name: name for name in ("UID", "construction", "config")}
    for name, column in {**columns, "phenomenon": "linguistics_term"}.items():
        assert set(summary["by"][name]) == set(rows[column].dropna())
        for value, some in rows.groupby(column):
            scored, found = some["decision"][some["skipped"].isna()], summary["by"][name][value]
            assert (found["n"], found["ties"]) == (len(scored), sum(scored == 0.5))
            assert found["accuracy"] == pytest.approx(scored.mean())
            assert found["skipped"] == some["skipped"].value_counts().sort_index().to_dict()
            assert found["low"] < found["accuracy"] < found["high"]


def test_summary_order_totals_and_what_it_leaves_out() -> None:
    summary = summarize(make_scores(make_pairs(200)), "xx")
    distances = [int(key) for key in summary["by"]["distance"]]
    assert distances == sorted(distances)
    assert "controller" not in summary["by"]
    assert "attractor_number" not in summary["by"]
    assert summary["rows"] == 200
    assert summary["overall"] == summary["by"]["config"]["xx"]
    accuracies = [group["accuracy"] for group in summary["by"]["UID"].values()]
    assert summary["macro"]["UID"] == pytest.approx(np.mean(accuracies))


def test_signature_is_as_designed() -> None:
    sig = signature("gpt2", "he", revision="607a30d", options={"bos": "auto"}, solecism="0.1.0")
    assert str(sig) == (
        "acc|data:demo@1.0.0#4f3a9c1e|cfg:he|score:sentence|bos:auto|model:gpt2@607a30d|"
        "dtype:float32|solecism:0.1.0"
    )
    assert "|model:a%7Cb%257C:c%0Ad|" in str(signature("a|b%7C:c\nd"))


def test_missing_result_names_those_there_are(tmp_path: Path) -> None:
    write_result(tmp_path / "gpt2-he", make_scores(make_pairs(4)))
    with pytest.raises(InputError, match=r"no such file .did you mean 'gpt2-he.json'"):
        read_result(tmp_path / "gpt2-hr.json")
    with pytest.raises(InputError, match="no such file"):
        read_result(tmp_path / "nowhere" / "x.json")


def test_other_json_is_no_result(tmp_path: Path) -> None:
    path = write_result(tmp_path / "r", make_scores(make_pairs(4)))
    for text in ("{", "[1]", '{"results": {}}'):
        path.write_text(text, encoding="utf-8")
        message = "is not JSON" if text == "{" else "is no result of solecism score"
        with pytest.raises(InputError, match=message):
            read_result(path)


def _replaced(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, column)


def test_other_columns_are_refused(tmp_path: Path) -> None:
    scores = make_scores(make_pairs(4))
    path = write_result(tmp_path / "r", scores)
    others = {
        "rows have no column 'UID', 'margin'": scores.drop_columns(["margin", "UID"]),
        "column 'id' is string and string, wanted string": scores.append_column(
            "id", scores["set_id"]
        ),
        "'margin' is string": _replaced(scores, "margin", scores["margin"].cast(pa.string())),
        "'features' is string, wanted struct": _replaced(scores, "features", scores["id"]),
    }
    for said, table in others.items():
        pq.write_table(table, tmp_path / "r.parquet")
        with pytest.raises(InputError, match=said):
            read_result(path)


def test_other_values_are_refused(tmp_path: Path) -> None:
    scores = make_scores(make_pairs(4))
    path = write_result(tmp_path / "r", scores)
    others = {
        "column 'UID' has a value that is null": ("UID", ["a", None, "b", "c"]),
        r"column 'decision' has 0\.7, wanted 0, 0\.5 or 1": ("decision", [1.0, 0.7, 0.0, None]),
    }
    for said, (name, values) in others.items():
        pq.write_table(_replaced(scores, name, pa.array(values)), tmp_path / "r.parquet")
        for names in (None, [name]):
            with pytest.raises(InputError, match=said):
                read_result(path).read(names)


Tables = Iterable[pa.Table]
Score = Callable[[Tables], Iterator[pa.Table]]
WORDS = ("author", "pilot", "guard", "chef")


class KilledError(BaseException):
    """The end of a run."""


def many() -> list[pa.Table]:
    """Two tables of pairs that share beginnings and whole sentences."""
    starts = [f"The {one} near the {other}" for one in WORDS for other in WORDS[:2]]
    texts = [(f"{start} laughs.", f"{start} laugh.", None, None, None) for start in starts]
    table = pairs([*texts, *texts[:3]])
    return [table.slice(0, 7), table.slice(7)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    save_model(folder, [t for table in many() for t in table["sentence_good"].to_pylist()])
    return folder


def suites() -> list[pa.Table]:
    items = []
    for number, word in enumerate(WORDS):
        conditions = []
        for name, verb in (("good", "laughs"), ("bad", "laugh")):
            text = f"The {word} {verb}"
            region = {"name": "verb", "text": verb, "start": len(text) - len(verb), "end": len(text),
                      "first": 2, "last": 3}  # fmt: skip
            conditions.append({"name": name, "text": text, "tokens": text, "regions": [region]})
        items.append({
            "id": f"i{number}", "item": number, "suite": "s", "phenomenon": "p", "modifier": "m",
            "language": "en", "conditions": conditions, "metric": "sum",
            "predictions": ["good.verb < bad.verb", "good.verb > bad.verb"],
        })  # fmt: skip
    return [pa.Table.from_pylist(items)]


def case(name: str, model: Path) -> tuple[Score, list[pa.Table]]:
    """What scores, and what is scored."""
    if name in ("region", "sentence"):
        read = CausalReader(load_model(str(model)))
        if name == "region":
            return lambda tables: score_suites(tables, partial(read_with_causal, read)), suites()
        return lambda tables: score_pairs(tables, read), many()
    bert = reader("bert", window=3)
    if name == "cloze":
        table = pa.Table.from_pylist(ITEMS * 2)
        return lambda tables: score_cloze(tables, forms(), bert, fewest=1), [table, table]
    of = {"focus": score_focus, "pll": score_pll}[name]
    return lambda tables: of(tables, bert), many()


def run(stem: Path, score: Score, tables: list[pa.Table], end: int = -1) -> pa.Table:
    """Score into a result; the run dies before window ``end`` is written."""
    with writing_result(stem, "sig", nothing) as (done, write):
        for number, table in enumerate(score(_unscored(tables, done))):
            if number == end:
                raise KilledError
            write(table)
    return pq.read_table(f"{stem}.parquet")


@pytest.mark.parametrize("name", ["sentence", "region", "focus", "pll", "cloze"])
def test_a_run_that_is_cut_short_goes_on_after_its_windows(
    name: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Loaded, "window", lambda *_, **__: 4)
    monkeypatch.setattr("solecism.scoring.methods.region.WINDOW", 3)
    score, tables = case(name, model)
    wanted = run(tmp_path / "whole", score, tables)
    for end in (0, 1, 2):
        with suppress(KilledError):
            run(tmp_path / "r", score, tables, end)
    found = run(tmp_path / "r", score, tables)
    numbers = [found["logp_good"], found["logp_bad"]]
    for ours, theirs in zip(numbers, [wanted["logp_good"], wanted["logp_bad"]], strict=True):
        assert ours.to_pylist() == pytest.approx(theirs.to_pylist(), abs=1e-6)
    same = [name for name in wanted.column_names if not name.startswith(("logp", "margin"))]
    assert found.select(same).equals(wanted.select(same))
    assert name not in ("sentence", "region") or found.equals(wanted)
    assert not list(tmp_path.rglob("*.parts"))


def test_two_runs_do_not_write_one_result(tmp_path: Path) -> None:
    scores = make_scores(make_pairs(4))
    with (
        writing_result(tmp_path / "r", "sig", nothing) as (_, write),
        ThreadPoolExecutor() as pool,
    ):
        other = pool.submit(write_result, tmp_path / "r", scores)
        with pytest.raises(InputError, match="another run of solecism is writing here"):
            other.result()
        write(scores)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.json", "r.parquet"]
