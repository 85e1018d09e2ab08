"""Pairs of one's own: files of any kind, tables in memory, data sets of others."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from datasets import Dataset

import solecism
from causal_models import save_model
from release import small_root
from solecism.commands import main
from solecism.datasets.build import build
from solecism.errors import InputError
from solecism.own_pairs import own_pairs

ROWS = 500


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    build("clams", out=folder / "clams", root=small_root(folder))
    return folder / "clams"


@pytest.fixture(scope="module")
def rows(built: Path) -> list[dict[str, Any]]:
    (path,) = (built / "he").glob("*.parquet")
    columns = ["id", "UID", "sentence_good", "sentence_bad"]
    return pq.read_table(path, columns=columns).slice(0, ROWS).to_pylist()  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> str:
    folder = tmp_path_factory.mktemp("model") / "tiny"
    save_model(folder, [row["sentence_good"] for row in rows])
    return str(folder)


@pytest.fixture(scope="module")
def expected(built: Path, model: str, tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    """The scores of the same pairs in the folder that was built."""
    out = tmp_path_factory.mktemp("expected")
    return solecism.score(f"{built}/he", model, limit=ROWS, out=out).table


def polars_frame(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(rows)


IN_MEMORY: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "list": list,
    "Dataset": Dataset.from_list,
    "pandas": pd.DataFrame,
    "polars": polars_frame,
    "Arrow": pa.Table.from_pylist,
}


def write_parquet_of_pandas(rows: list[dict[str, Any]], path: Path) -> None:
    pd.DataFrame(rows).to_parquet(path)


def write_parquet_of_polars(rows: list[dict[str, Any]], path: Path) -> None:
    polars_frame(rows).write_parquet(path)


def write_json(rows: list[dict[str, Any]], path: Path) -> None:
    path.write_text(json.dumps(rows), encoding="utf-8")


def write_jsonl(rows: list[dict[str, Any]], path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_csv(rows: list[dict[str, Any]], path: Path) -> None:
    pd.DataFrame(rows).to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")


FILES = {
    "a.jsonl": write_jsonl, "a.json": write_json, "a.csv": write_csv, "a.tsv": write_csv,
    "pandas.parquet": write_parquet_of_pandas, "polars.parquet": write_parquet_of_polars,
}  # fmt: skip


def same(found: pa.Table, expected: pa.Table) -> bool:
    columns = [name for name in expected.column_names if name.startswith(("id", "logp", "margin"))]
    assert len(columns) > 2
    return bool(found.select(columns) == expected.select(columns))


@pytest.mark.parametrize("kind", IN_MEMORY)
def test_pairs_in_memory_get_the_same_scores(
    kind: str, rows: list[dict[str, Any]], model: str, expected: pa.Table
) -> None:
    result = solecism.score(IN_MEMORY[kind](rows), model)
    assert same(result.table, expected)
    assert result.table["UID"].to_pylist() == [row["UID"] for row in rows]


@pytest.mark.parametrize("name", FILES)
def test_files_get_the_same_scores(
    name: str, rows: list[dict[str, Any]], model: str, expected: pa.Table
) -> None:
    FILES[name](rows, Path(name))
    assert same(solecism.score(name, model).table, expected)
    assert same(solecism.score(Path(name), model, out="again").table, expected)


def test_ids_are_made_and_further_columns_are_features() -> None:
    row = {"sentence_good": "a b", "sentence_bad": "b a"}
    rows = [row, {**row, "genre": "news"}]
    table = pq.read_table(own_pairs(rows))
    ids = table["id"].to_pylist()
    assert len({*ids}) == 2
    assert [row["genre"] for row in table["features"].to_pylist()] == [None, "news"]
    assert pq.read_table(own_pairs(rows))["id"].to_pylist() == ids


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "sentence_good,sentence_bad\na,b\n ,b\n", "row 2: sentence_good is ' ', not a"),
        ("a.csv", "sentence_good,sentence_bad\na,a\n", "row 1: both sentences are 'a'"),
        ("a.csv", "good,sentence_bad\na,b\n", "a.csv: there is no column 'sentence_good'"),
        ("a.csv", "sentence_good,sentence_bad\na,b,c\n", "a.csv:2: 3 cells under 2 heads"),
        ("a.tsv", "", "a.tsv: there is no column 'sentence_good'"),
        ("a.json", "{}", "a.json: is no list of pairs: it is {}, not a list"),
        ("a.jsonl", '{"sentence_good": null, "sentence_bad": "b"}', "sentence_good is None"),
        ("a.jsonl", '{"sentence_good": "a", "sentence_bad": "b", "id": "1"}\n' * 2,
         "'1' is the id of two items"),
        ("a.jsonl", '{"x": 1}\n{"x": "y"}\n', "rows with values of several types"),
    ],
)  # fmt: skip
def test_what_is_no_pair_is_told_with_its_row(
    name: str, text: str, message: str, model: str
) -> None:
    Path(name).write_text(text)
    with pytest.raises(InputError) as error:
        solecism.score(name, model)
    assert message in str(error.value)
    assert not Path("results").exists()


def test_what_holds_no_pairs_is_refused(model: str) -> None:
    with pytest.raises(InputError, match="int holds no pairs: give a name, a Dataset, a data fr"):
        solecism.score(3, model)


def run(*words: str) -> Result:
    result = CliRunner().invoke(main, [*words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def test_all_commands_take_other_columns(rows: list[dict[str, Any]], model: str) -> None:
    plain = [{"ok": row["sentence_good"], "ko": row["sentence_bad"]} for row in rows]
    write_csv(plain, Path("own.csv"))
    named = ("own.csv", "--good", "ok", "--bad", "ko")
    assert "own" in run("score", *named, "--model", model).output
    shown = run("show", *named, "-n", "1", "--json").output
    identifier = json.loads(shown)["id"]
    assert (
        identifier
        in run("explain", identifier, "--data", *named, "--model", model, "--json").output
    )
    assert f" {ROWS} " in run("audit", *named).output
    assert "nothing changed" in run("diff", "own.csv", *named).output
    assert "index.html" in run("site", *named, "--out", "site").output
    run("convert", "own.csv", "out.tsv", "--good", "ok", "--bad", "ko")
    assert len(Path("out.tsv").read_text(encoding="utf-8").splitlines()) == ROWS + 1
    run("judge", "new", *named, "--out", "study", "--design", "expert", "--pairs", "3",
        "--practice", "0", "--catch", "0")  # fmt: skip
    assert Path("study", "study.toml").is_file()


def test_a_file_that_holds_no_items_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"text": ["x"]}), "texts.parquet")
    shown = CliRunner().invoke(main, ["show", "texts.parquet"])
    assert (shown.exit_code, "holds no items: its columns are text" in shown.output) == (2, True)
    for name in ("none.jsonl", "here/none.parquet"):
        scored = CliRunner().invoke(main, ["score", name, "--model", "gpt2"])
        assert (scored.exit_code, scored.stderr) == (2, f"there is no file '{name}'\n")
