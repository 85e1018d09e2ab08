"""What changed between two builds, item by item, and the version that the change needs."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from expecting import problems_of
from folders import PLAIN, pair_row, write_folder
from solecism.commands import main
from solecism.datasets.catalogue import Needs
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


def test_added_items_need_a_minor_version(tmp_path: Path) -> None:
    more = [*ROWS, pair_row("e", UID="across", sentence_good="The authors laugh.")]
    found = difference(tmp_path, ROWS, more)
    config = only(found)
    assert (found.needs, found.smallest) == ("minor", "1.1.0")
    assert (config.added.count, config.removed.count, config.changed.count) == (1, 0, 0)
    assert config.added.by == {"across": 1}
    (example,) = config.added.examples
    assert (example.id, dict(example.old)) == ("e", {})
    assert example.new == {"sentence_good": "The authors laugh."}
    assert (config.old_rows, config.new_rows, config.moved) == (4, 5, False)


@pytest.mark.parametrize(
    ("column", "value", "leaf", "was", "now"),
    [
        ("sentence_good", "Else.", "sentence_good", "Sentence b.", "Else."),
        ("sentence_good", None, "sentence_good", "Sentence b.", None),
        ("distance", 2, "distance", 1, 2),
        ("features", {"match": None}, "features.match", "match", None),
        ("slots", [{"name": "cook", "start": 4}], "slots", SLOT, [{"name": "cook", "start": 4}]),
        ("slots", [{"name": "author", "start": 5}], "slots", SLOT, [{"name": "author", "start": 5}]),
        ("slots", None, "slots", SLOT, None),
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
    tmp_path: Path,
    old: pa.Schema,
    new: pa.Schema,
    needs: Needs,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    retyped: tuple[str, ...],
) -> None:
    found = difference(tmp_path, ROWS, ROWS, old, new)
    config = only(found)
    assert found.needs == needs
    assert (config.columns_added, config.columns_removed) == (added, removed)
    assert config.columns_retyped == retyped
    assert config.changed.count == 0


def test_configs(tmp_path: Path) -> None:
    old = write_folder(tmp_path / "old", {"he": ROWS, "fr": ROWS})
    new = write_folder(tmp_path / "new", {"he": ROWS, "ru": ROWS[:3]}, "2.0.0")
    found = compare(old, new)
    assert (found.added_configs, found.removed_configs) == ({"ru": 3}, {"fr": 4})
    assert (found.configs, found.needs) == ((), "major")
    assert compare(write_folder(tmp_path / "less", {"he": ROWS}), old).needs == "minor"


def test_documents_need_a_patch(tmp_path: Path) -> None:
    old = write_folder(tmp_path / "old", {"he": ROWS})
    new = write_folder(tmp_path / "new", {"he": ROWS}, card="# Tiny, better\n")
    (new / ".gitattributes").write_text("the hub's own")
    found = compare(old, new)
    assert found.documents == ("README.md", "manifest.json")
    assert (found.needs, found.smallest) == ("patch", "1.0.1")


FORMS = pa.schema([("form", pa.string()), ("upos", pa.string())])


def test_rows_without_ids_are_known_by_their_values(tmp_path: Path) -> None:
    old = [{"form": "laughs", "upos": "VERB"}, {"form": "laughs", "upos": None}]
    new = [*old, {"form": "laughs", "upos": "VERB"}, {"form": "laugh", "upos": "NOUN"}]
    config = only(difference(tmp_path, old, new, FORMS))
    assert (config.added.count, config.removed.count, config.changed.count) == (2, 0, 0)


TEXTS = st.none() | st.sampled_from(["", "a", "b", "ab"])
SLOTS = st.none() | st.lists(
    st.none() | st.fixed_dictionaries({"name": TEXTS, "start": st.none() | st.integers(0, 2)}),
    max_size=2,
)
ANY_ROW = st.fixed_dictionaries(
    {
        "id": st.sampled_from("abcdef"),
        "UID": st.just("u"),
        "pair_id": st.just(0),
        "sentence_good": TEXTS,
        "distance": st.none() | st.integers(0, 1),
        "slots": SLOTS,
        "features": st.fixed_dictionaries({"match": TEXTS}),
    }
)
TABLES = st.lists(ANY_ROW, max_size=6, unique_by=lambda row: row["id"])


@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(old=TABLES, new=TABLES)
def test_as_a_comparison_of_dictionaries(
    tmp_path_factory: pytest.TempPathFactory, old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("compared")
    found = difference(folder, old, new)
    before, after = ({row["id"]: row for row in rows} for rows in (old, new))
    added, removed = after.keys() - before.keys(), before.keys() - after.keys()
    changed = {key for key in before.keys() & after.keys() if before[key] != after[key]}
    stayed = [row["id"] for row in new if row["id"] in before]
    order = [list(before).index(key) for key in stayed]
    moved = order != sorted(order)
    if not (added or removed or changed or moved):
        assert not found.configs
        return
    config = only(found)
    counts = (config.added.count, config.removed.count, config.changed.count)
    assert counts == (len(added), len(removed), len(changed))
    assert config.moved == moved
    assert {example.id for example in config.changed.examples} <= changed


# solecism diff


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["diff", *map(str, arguments)])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def test_command_prints_what_changed_and_what_it_needs(tmp_path: Path) -> None:
    old = write_folder(tmp_path / "old", {"he": ROWS})
    new = write_folder(
        tmp_path / "new",
        {"he": [{**ROWS[0], "distance": 9}, *ROWS[2:], pair_row("z", pair_id=4)]},
        "2.0.0",
    )
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


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    old = write_folder(tmp_path / "old", {"he": ROWS})
    new = write_folder(tmp_path / "new", {"he": ROWS[:-1]})
    (new / "he" / "test-00000-of-00001.parquet").write_bytes(b"PAR1 cut off")
    (told,) = problems_of(lambda: compare(old, new), tmp_path)
    assert told.startswith("new/he/test-00000-of-00001.parquet: is not a Parquet file")


def test_a_column_that_is_there_twice_is_named(tmp_path: Path) -> None:
    old = write_folder(tmp_path / "old", {"he": ROWS})
    new = write_folder(tmp_path / "new", {"he": ROWS})
    path = new / "he" / "test-00000-of-00001.parquet"
    table = pq.read_table(path)
    pq.write_table(table.append_column("id", table["id"]), path)
    (told,) = problems_of(lambda: compare(old, new), tmp_path)
    assert told == "new/he/test-00000-of-00001.parquet: column 'id' is there twice"
