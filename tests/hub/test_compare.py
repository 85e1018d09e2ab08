"""What changed between two builds, item by item, and the version that the change needs."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from expecting import problems_of
from folders import PLAIN, pair_row, write_folder, write_tables
from solecism.commands import main
from solecism.datasets.catalogue import Needs
from solecism.errors import InputError
from solecism.hub.compare import ConfigDifference, DatasetDifference, compare

ROWS = [pair_row(key, pair_id=n) for n, key in enumerate("abcd")]
SLOT = ROWS[0]["slots"]


def difference(
    tmp_path: Path,
    old: list[dict[str, Any]],
    new: list[dict[str, Any]],
    schema: pa.Schema = PLAIN,
    after: pa.Schema | None = None,
) -> DatasetDifference:
    """Compare two folders with the config `he`."""
    before = write_folder(tmp_path / "old", {"he": old}, schema=schema)
    now = write_folder(tmp_path / "new", {"he": new}, schema=after or schema)
    return compare(before, now)


def only(found: DatasetDifference) -> ConfigDifference:
    (config,) = found.configs
    return config


@pytest.mark.parametrize(
    ("column", "value", "leaf", "was", "now"),
    [
        ("sentence_good", "Else.", "sentence_good", "Sentence b.", "Else."),
        ("distance", 2, "distance", 1, 2),
        ("features", {"match": None}, "features.match", "match", None),
        ("slots", [{"name": "author", "start": 5}], "slots", SLOT, [{"name": "author", "start": 5}]),
    ],
)  # fmt: skip
def test_a_value_changed_under_an_id_needs_a_major_version(
    tmp_path: Path, column: str, value: object, leaf: str, was: object, now: object
) -> None:
    changed = [ROWS[0], {**ROWS[1], column: value}, *ROWS[2:]]
    found = difference(tmp_path, ROWS, changed)
    config = only(found)
    assert found.needs == "major"
    assert config.changed.count == 1
    assert config.changed_columns == {leaf: 1}
    (example,) = config.changed.examples
    assert (example.id, example.old, example.new) == ("b", {leaf: was}, {leaf: now})


WIDER = PLAIN.append(pa.field("note", pa.string()))
STRESSED = PLAIN.set(
    6, pa.field("features", pa.struct([("match", pa.string()), ("stress", pa.string())]))
)
WIDE = PLAIN.set(4, pa.field("distance", pa.int64()))


@pytest.mark.parametrize(
    ("old", "new", "needs", "added", "removed", "retyped"),
    [
        (PLAIN, WIDER, "minor", ("note: string",), (), ()),
        (WIDER, PLAIN, "major", (), ("note: string",), ()),
        (PLAIN, STRESSED, "minor", ("features.stress: string",), (), ()),
        (PLAIN, WIDE, "major", (), (), ("distance: int32 -> int64",)),
    ],
)
def test_columns(
    tmp_path: Path, old: pa.Schema, new: pa.Schema, needs: Needs, added: tuple[str, ...],
    removed: tuple[str, ...], retyped: tuple[str, ...],
) -> None:  # fmt: skip
    found = difference(tmp_path, ROWS, ROWS, old, new)
    config = only(found)
    assert (found.needs, config.changed.count) == (needs, 0)
    columns = config.columns_added, config.columns_removed, config.columns_retyped
    assert columns == (added, removed, retyped)


def test_configs_and_documents(tmp_path: Path) -> None:
    old = write_folder(tmp_path / "old", {"he": ROWS, "fr": ROWS})
    new = write_folder(tmp_path / "new", {"he": ROWS, "ru": ROWS[:3]}, "2.0.0")
    found = compare(old, new)
    assert (found.added_configs, found.removed_configs) == ({"ru": 3}, {"fr": 4})
    assert (found.configs, found.needs) == ((), "major")
    assert compare(write_folder(tmp_path / "less", {"he": ROWS}), old).needs == "minor"
    card = write_folder(tmp_path / "card", {"he": ROWS, "fr": ROWS}, card="# Tiny, better\n")
    (card / ".gitattributes").write_text("the hub's own")
    found = compare(old, card)
    assert found.documents == ("README.md", "manifest.json")
    assert (found.needs, found.smallest) == ("patch", "1.0.1")


def test_items_in_another_order_need_a_minor_version(tmp_path: Path) -> None:
    found = difference(tmp_path, ROWS, ROWS[::-1])
    assert (only(found).moved, found.needs) == (True, "minor")
    assert "* he: rows are in another order" in run(tmp_path / "old", tmp_path / "new")


FORMS = pa.schema([("form", pa.string()), ("upos", pa.string())])


def test_rows_without_ids_are_known_by_their_values(tmp_path: Path) -> None:
    old = [{"form": "laughs", "upos": "VERB"}, {"form": "laughs", "upos": None}]
    new = [*old, {"form": "laughs", "upos": "VERB"}, {"form": "laugh", "upos": "NOUN"}]
    config = only(difference(tmp_path, old, new, FORMS))
    assert (config.added.count, config.removed.count, config.changed.count) == (2, 0, 0)


# solecism diff


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["diff", *map(str, arguments)])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def test_command_prints_what_changed_and_what_it_needs(tmp_path: Path) -> None:
    old = write_folder(tmp_path / "old", {"he": ROWS})
    rows = [{**ROWS[0], "distance": 9}, *ROWS[2:], pair_row("z", pair_id=4)]
    new = write_folder(tmp_path / "new", {"he": rows}, "2.0.0")
    told = json.loads(run(old, new, "--json"))
    assert (told["needs"], told["smallest"], told["configs"][0]["added"]["count"]) == (
        "major", "2.0.0", 1,
    )  # fmt: skip
    assert run(old, new).splitlines() == [
        "1.0.0 -> 2.0.0",
        "* he: 1 item added (simple 1)",
        "* he: 1 item removed (simple 1)",
        "* he: 1 item changed in distance (simple 1)",
        "  + he z: Sentence z.",
        "  - he b: Sentence b.",
        "  ~ he a: distance 1 -> 9",
        "files that differ: manifest.json",
        "needs major: 2.0.0 or above",
    ]


def test_what_is_no_data_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    old = write_folder(tmp_path / "old", {"he": ROWS})
    assert "has no manifest.json" in run(tmp_path / "mine", old, code=2)
    assert "neither a folder nor a data set of a hub" in run("a/b/c", old, code=2)


def test_a_file_that_is_broken_or_has_a_column_twice_is_named(tmp_path: Path) -> None:
    old, new = (write_folder(tmp_path / name, {"he": ROWS}) for name in ("old", "new"))
    path = new / "he" / "test-00000-of-00001.parquet"
    table = pq.read_table(path)
    pq.write_table(table.append_column("id", table["id"]), path)
    (told,) = problems_of(lambda: compare(old, new), tmp_path)
    assert told == "new/he/test-00000-of-00001.parquet: column 'id' is there twice"
    path.write_bytes(b"PAR1 cut off")
    (told,) = problems_of(lambda: compare(old, new), tmp_path)
    assert told.startswith("new/he/test-00000-of-00001.parquet: is not a Parquet file")


def test_configs_of_other_columns_are_compared(tmp_path: Path) -> None:
    tables = (
        pa.table({"x": [[1]]}), pa.table({"x": [["a"]]}), pa.table({"y": [{"z": 1}]}),
        pa.table({"id": []}), pa.table({"id": [1.5]}),
    )  # fmt: skip
    for number, table in enumerate(tables):
        write_tables(tmp_path / str(number), {"he": pa.table({"id": ["a"]})})
        pq.write_table(table, tmp_path / str(number) / "he" / "test-00000-of-00001.parquet")
    for one, other in permutations(range(len(tables)), 2):
        assert compare(tmp_path / str(one), tmp_path / str(other)).needs == "major"
    file = tmp_path / "0" / "he" / "test-00000-of-00001.parquet"
    pq.write_table(pa.table({"id": [b"\xff"]}), file)
    with pytest.raises(InputError, match=f"{file.name}: is not a Parquet file that can be read"):
        compare(tmp_path / "1", tmp_path / "0")
