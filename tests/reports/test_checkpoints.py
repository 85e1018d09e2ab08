"""Learning curves over the checkpoints of a model, scored for real."""

import re
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

pytest.importorskip("torch", reason="needs the extra `score`")

import solecism
from causal_models import save_model
from scored import make_pairs
from solecism.commands import main
from solecism.errors import InputError
from solecism.reports.charts import checkpoint_curves

STEPS = ("chck_1M", "chck_2M", "chck_10M", "chck_100M", "main")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results of the checkpoints of a model, and of a model without any."""
    work = tmp_path_factory.mktemp("checkpoints")
    for name in STEPS:
        save_model(work / "tiny" / name, ["Good bad calm."])
    pairs = make_pairs(40)
    rows = [{**row, "sentence_bad": f"Bad{n}"} for n, row in enumerate(pairs.to_pylist())]
    pq.write_table(pa.Table.from_pylist(rows, pairs.schema), work / "some.parquet")
    data, out = str(work / "some.parquet"), work / "out"
    solecism.score_all(data, str(work / "tiny"), revisions=["chck_*", "main"], out=out)
    solecism.score(data, str(work / "tiny" / "main"), out=out)
    return out


def test_the_curves_of_a_model(results: Path) -> None:
    found = solecism.report(results).results
    (chart,) = checkpoint_curves(found)
    assert chart.title == "tiny on some/some: accuracy by phenomenon over checkpoints"
    assert list(chart.curves) == ["agreement", "npi_licensing", "all pairs"]
    assert [point.label for point in chart.curves["all pairs"]] == list(STEPS)
    assert "all pairs: chck_1M: " in chart.chart


def test_the_command_writes_one_file(results: Path, tmp_path: Path) -> None:
    file = tmp_path / "curve.svg"
    done = CliRunner().invoke(main, ["report", str(results), "--by", "UID", "--curve", str(file)])
    assert done.exit_code == 0, done.output
    assert file.read_text().startswith("<?xml")
    assert "accuracy by UID over checkpoints" in file.read_text()


def test_a_single_checkpoint_is_no_curve(results: Path) -> None:
    found = [r for r in solecism.report(results).results if not r.run["options"].get("checkpoint")]
    with pytest.raises(InputError, match="no two checkpoints of one model"):
        solecism.report(found).curve()


def test_all_runs_are_in_one_chart_too(results: Path) -> None:
    ours = [one for one in solecism.report(results).results if one.run["options"].get("checkpoint")]
    runs = [{**one.summary, "run": {**one.run, "model": "other"}} for one in ours]
    others = [replace(one, summary=run) for one, run in zip(ours[1:], runs[1:], strict=True)]
    chart = checkpoint_curves([*ours, *others])[-1]
    assert chart.title == "all runs on some/some: accuracy over checkpoints"
    assert list(chart.curves) == ["tiny", "other"]
    assert list(map(len, chart.curves.values())) == [len(ours), len(ours) - 1]


@pytest.mark.parametrize("by", ["phenomenon", "config"])
def test_columns_are_in_order_of_steps_and_named(results: Path, by: str) -> None:
    made = solecism.report(results, by=by)
    labels = [column.label for column in made.columns]
    assert [label.split(":")[-1] for label in labels if "chck" in label] == [*STEPS[:-1]]
    assert all(label.startswith("tiny") for label in labels if "chck" in label)
    assert not any("sha256" in label for label in labels if "chck" in label)
    page = made.html().partition('id="signatures"')[0]
    heads = re.findall(r'class="head">([^<]*chck[^<]*)</th>', page)[: len(STEPS) - 1]
    assert [head.split(":")[-1] for head in heads] == [*STEPS[:-1]]
    assert "sha256" not in page
