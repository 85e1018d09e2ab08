"""`solecism judge new` and `page`: from a config, from suites, and what they refuse."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from people import pairs_in
from solecism.commands import main
from solecism.judge.design import read_study
from solecism.schema import SUITE
from tiny import edit


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    rows = [
        {**pair, "sentence_good": pair["good"], "sentence_bad": pair["bad"]}
        for pair in pairs_in("he")
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "he.parquet")
    return tmp_path / "he.parquet"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--design", "likert", "--lists", "3"], "even number of lists, not 3"),
        (["--lists", "30"], "10 pairs cannot be divided into 30 lists"),
        (["--catch", "50"], "sentences have 4 different words or more, 54 are wanted"),
        (["--to", "datapipe"], "name the experiment at DataPipe"),
        (["--conditions", "a:b"], "has pairs, no conditions"),
    ],
)
def test_new_refuses_and_writes_nothing(
    tmp_path: Path, pairs: Path, options: list[str], said: str
) -> None:
    result = run("judge", "new", pairs, "--out", tmp_path / "study", *options, code=2)
    assert said in result.stderr
    assert not (tmp_path / "study").exists()


def test_page_is_written_again(tmp_path: Path, pairs: Path) -> None:
    run("judge", "new", pairs, "--out", tmp_path / "study")
    before = (tmp_path / "study/page/study.js").read_text("utf-8")
    edit(tmp_path / "study/study.toml", 'contact = ""', 'contact = "us@example.org"')
    run("judge", "export", tmp_path / "study", "--to", "page")
    after = (tmp_path / "study/page/study.js").read_text("utf-8")
    assert "us@example.org" not in before
    assert "us@example.org" in after


def test_suites_become_pairs_of_conditions(tmp_path: Path) -> None:
    """By their predictions, or as they are named."""
    regions = [{"name": "x", "text": "a", "start": 0, "end": 1, "first": 0, "last": 1}]
    texts = {"good": "key is", "bad": "key are", "other": "keys are"}
    rows = [
        {
            "id": f"r{n}", "suite": "number", "phenomenon": "agreement", "modifier": None,
            "item": str(n), "language": "en", "predictions": ["bad.x > good.x", "good.x = 1"],
            "metric": "sum",
            "conditions": [
                {"name": name, "text": f"The {text} here {n}.", "tokens": f"the {text} here {n}",
                 "regions": regions}
                for name, text in texts.items()
            ],
        }
        for n in range(20)
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows, schema=SUITE), tmp_path / "en.parquet")
    options = ["judge", "new", tmp_path / "en.parquet", "--practice", 0, "--catch", 0]
    for name, more, good in (("a", [], "key is"), ("b", ["--conditions", "other:bad"], "keys are")):
        run(*options, *more, "--out", tmp_path / name)
        items = read_study(tmp_path / name).items.values()
        assert len(items) == 5
        assert all(good in item["good"] and "key are" in item["bad"] for item in items)
        assert {item["UID"] for item in items} == {"number"}
    wrong = run(*options, "--conditions", "othr:bad", "--out", tmp_path / "c", code=2)
    assert "unknown condition 'othr'" in wrong.stderr
    assert "did you mean 'other'?" in wrong.stderr


def test_new_makes_a_study_and_says_what_it_costs(tmp_path: Path, pairs: Path) -> None:
    result = run("judge", "new", pairs, "--out", tmp_path / "study", "--pairs", 3)
    lines = result.stdout.splitlines()
    study = read_study(tmp_path / "study")
    assert lines[:2] == [
        f"study {study.id}: 6 items in 1 list, 14 trials each, about 5 minutes",
        "20 participants, 1.25 EUR each, 25.00 in all",
    ]
    assert "institution is empty" in lines[3]
    assert study.rules.native_language == ("he",)
    names = {path.name for path in (tmp_path / "study/page").iterdir()}
    assert {"index.html", "study.js", "page.js", "jspsych.js", "LICENSE.txt"} <= names
