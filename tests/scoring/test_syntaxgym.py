"""SyntaxGym's JSON: read as the format says, and what we write is read back equal."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from drawing import make_paradigm
from solecism.commands import main
from solecism.errors import InputError
from solecism.formula import parse
from solecism.grammar.suites import draw_suites
from solecism.schema import SUITE
from solecism.scoring.syntaxgym import read_syntaxgym, write_syntaxgym
from syntaxgym_suite import AGREEMENT, LINES, TABLES


def write(folder: Path, suite: object) -> Path:
    path = folder / "suite.json"
    path.write_text(json.dumps(suite), encoding="utf-8")
    return path


def changed(*keys: Any, to: Any = None) -> Any:
    """The suite with one value replaced (``to`` None: gone)."""
    suite = json.loads(json.dumps(AGREEMENT))
    inner = suite
    for key in keys[:-1]:
        inner = inner[key]
    if to is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = to
    return suite


def test_a_suite_is_read_as_the_format_says(tmp_path: Path) -> None:
    table = read_syntaxgym(write(tmp_path, AGREEMENT))
    assert table.schema.equals(SUITE)
    (item,) = table.to_pylist()
    names = {"id": "number-7", "suite": "number", "item": "7", "metric": "sum"}
    assert {key: item[key] for key in names} == names
    assert item["predictions"] == ["(2;%mismatch%) > (2;%match%)"]
    match, mismatch = item["conditions"]
    assert match["text"] == "The old woman sings in here."
    assert match["regions"] == [
        {"name": "subject", "text": "The old woman", "start": 0, "end": 13, "first": 0, "last": 3},
        {"name": "verb", "text": "sings", "start": 14, "end": 19, "first": 3, "last": 4},
        {"name": "rest", "text": "in here.", "start": 20, "end": 28, "first": 4, "last": 6},
    ]
    assert mismatch["text"] == mismatch["tokens"] == "The old woman sing"
    assert mismatch["regions"][2] == {
        "name": "rest", "text": "", "start": 18, "end": 18, "first": 4, "last": 4,
    }  # fmt: skip


@pytest.mark.parametrize("names", [{"1": "a", "2": "a", "3": "b"}, {"1": "a", "2": "", "3": "b"}])
def test_names_that_do_not_tell_regions_apart_give_way_to_numbers(
    tmp_path: Path, names: dict[str, str]
) -> None:
    table = read_syntaxgym(write(tmp_path, changed("region_meta", to=names)))
    regions = table["conditions"][0].as_py()[0]["regions"]
    assert [region["name"] for region in regions] == ["1", "2", "3"]


REGION, FORMULA = ("items", 0, "conditions", 0, "regions", 0), ("predictions", 0, "formula")


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        (changed("meta", "metric", to="maximum"), "meta.metric is 'maximum' .*known: sum, mean"),
        (changed("meta"), "is no suite: it has no meta"),
        (changed("items", 0, "item_number", to="1"), "item_number is '1', not a whole number"),
        (changed(*REGION, "region_number", to=4), r"are not numbered 1, 2, ...: \[4, 1, 3\]"),
        (changed("region_meta", "3"), "region_meta has no region 3"),
        (changed(*FORMULA, to="(2;%match%) > (2;%mach%)"), "'mach' .did you mean 'match'"),
        (changed(*FORMULA, to="(4;%match%) > 1"), "no region '4'"),
        (
            changed("predictions", 0, "type", to="code"),
            r"predictions\[1\].type is \'code\', not formula",
        ),
        (changed("predictions", to=[]), "has no predictions"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, suite: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_syntaxgym(write(tmp_path, suite))


def test_blanks_of_regions_are_made_plain(tmp_path: Path) -> None:
    suite = json.loads(json.dumps(AGREEMENT))
    for condition in suite["items"][0]["conditions"]:
        for region in condition["regions"]:
            region["content"] = f" {region['content'].replace(' ', chr(0xA0) + ' ')}\u2009"
    with pytest.warns(UserWarning, match=r"suite.json: blanks were left out of 6 regions"):
        table = read_syntaxgym(write(tmp_path, suite))
    assert table.equals(read_syntaxgym(write(tmp_path, AGREEMENT)))


def test_predictions_of_the_files_of_hu_et_al(tmp_path: Path) -> None:
    """They are under ``meta``, and the list of predictions is empty."""
    formula = "[(2;%match%) < (2;%mismatch%)] & [(1;%match%) - (1;%mismatch%) < 1]"
    suite = {**AGREEMENT, "predictions": []}
    suite["meta"] = {**AGREEMENT["meta"], "author": "", "string_predictions": [formula]}
    table = read_syntaxgym(write(tmp_path, suite))
    assert table["predictions"].to_pylist() == [[formula]]
    surprisals = {("match", "2"): 1.0, ("mismatch", "2"): 2.0}
    assert parse(formula)(lambda *term: surprisals.get(term, 0.0)) == 1.0


def again(table: pa.Table, folder: Path) -> pa.Table:
    path = folder / "again.json"
    write_syntaxgym(table.to_pylist(), path)
    return read_syntaxgym(path)


FRONT = "slots:\n  row: {from: item}\npredictions: [bad.noun - bad.verb > good.noun - good.verb]\n"


def test_regions_in_two_orders_cannot_be_written(tmp_path: Path) -> None:
    (row,) = read_syntaxgym(write(tmp_path, AGREEMENT)).to_pylist()
    row["conditions"][1]["regions"].reverse()
    with pytest.raises(InputError, match=r"regions .*'verb'.* have not the same order"):
        write_syntaxgym([row], tmp_path / "x.json")


def test_gaps_and_missing_regions_are_written_and_read_back_equal(tmp_path: Path) -> None:
    """Words stand outside of regions; one region is empty, and in one condition alone."""
    (row,) = read_syntaxgym(write(tmp_path, AGREEMENT)).to_pylist()
    match, mismatch = (condition["regions"] for condition in row["conditions"])
    del match[0], match[-1], mismatch[0]
    row["predictions"] = ["match.* < mismatch.verb", "(*;%match%) > 1 & 2 > 1"]
    table = pa.Table.from_pylist([row], schema=SUITE)
    assert again(table, tmp_path).equals(table)
    written = json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))
    for condition, given in zip(written["items"][0]["conditions"], row["conditions"], strict=True):
        contents = [region["content"] for region in condition["regions"]]
        assert " ".join(filter(None, contents)) == given["tokens"]
        assert len(contents) == len(written["region_meta"]) == 4


# the command


def test_convert_writes_every_kind(tmp_path: Path) -> None:
    table = pa.concat_tables(draw_suites(make_paradigm(tmp_path, TABLES, FRONT, LINES)))
    write_syntaxgym(table.to_pylist(), tmp_path / "a.json")
    for source, target in (
        ("a.json", "b.parquet"),
        ("b.parquet", "c.txt"),
        ("b.parquet", "folder"),
    ):
        done = CliRunner().invoke(main, ["convert", str(tmp_path / source), str(tmp_path / target)])
        assert done.exit_code == 0, done.output
    assert pq.read_table(tmp_path / "b.parquet").equals(table)
    assert (tmp_path / "c.txt").read_text(encoding="utf-8").splitlines()[:2] == [
        "他 养 了 一 只 白猫 。", "他 养 了 一 条 白猫 。",
    ]  # fmt: skip
    assert read_syntaxgym(tmp_path / "folder" / "p.json").equals(table)
