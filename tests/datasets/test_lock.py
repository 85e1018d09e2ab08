"""The lock: content cannot change under a version without anybody noticing."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from expecting import problems_of
from folders import pair_row, write_folder
from release import drop_first_row, small_root
from solecism.commands import main
from solecism.datasets.build import build
from solecism.datasets.lock import (
    LOCK,
    note_commits,
    read_lock,
    record,
)
from solecism.datasets.manifest import contents_of, read_manifest
from solecism.errors import InputError
from solecism.root import Root

ROWS = [pair_row(key) for key in "abc"]
CATALOGUE = '[tiny]\nversion = "1.0.0"\n'


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """An author's folder with a catalogue."""
    for name in ("templates", "lexicons"):
        (tmp_path / name).mkdir()
    (tmp_path / "catalogue.toml").write_text(CATALOGUE)
    return Root(tmp_path)


def run(root: Root, *arguments: object, code: int = 0) -> Result:
    words = ["lock", *map(str, arguments), "--root", str(root.path)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def test_what_was_built_is_locked_and_then_checked(root: Root, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tiny", {"he": ROWS, "fr": ROWS[:1]})
    assert "is not in the lock" in run(root, folder, "--check", code=2).output
    assert not (tmp_path / LOCK).exists()
    run(root, folder)
    locked = json.loads((tmp_path / LOCK).read_text())["tiny"]["1.0.0"]
    assert {name: facts["rows"] for name, facts in locked["configs"].items()} == {"fr": 1, "he": 3}
    before = (tmp_path / LOCK).read_bytes()
    assert "is as locked" in run(root, folder).output
    assert "is as locked" in run(root, folder, "--check").output
    assert (tmp_path / LOCK).read_bytes() == before


def test_changed_content_under_an_old_version_is_refused(root: Root, tmp_path: Path) -> None:
    run(root, write_folder(tmp_path / "old", {"he": ROWS, "fr": ROWS}))
    before = (tmp_path / LOCK).read_bytes()
    changed = write_folder(tmp_path / "new", {"he": ROWS[:2], "ru": ROWS})
    for option in ("--check", None):
        lines = run(root, changed, *filter(None, [option]), code=2).output.splitlines()
        assert [line.split(": ")[1].split(" (")[0] for line in lines] == [
            "tiny/fr 1.0.0 is in the lock and was not built",
            "tiny/he 1.0.0 has changed",
            "tiny/ru 1.0.0 is not in the lock",
        ]
        assert "(3 -> 2 rows" in lines[1]
        assert all("raise the version" in line for line in lines)
    assert (tmp_path / LOCK).read_bytes() == before


def test_a_version_that_nobody_has_seen_may_be_replaced(root: Root, tmp_path: Path) -> None:
    run(root, write_folder(tmp_path / "old", {"he": ROWS}))
    changed = write_folder(tmp_path / "new", {"he": ROWS[:2]})
    run(root, changed, "--replace")
    assert read_lock(tmp_path / LOCK)["tiny"]["1.0.0"].configs["he"].rows == 2
    assert note_commits(tmp_path / LOCK, "tiny", {"v1.0.0": "c0ffee"}) == ["1.0.0"]
    again = contents_of(read_manifest(tmp_path / "old"))
    with pytest.raises(InputError, match="has changed"):
        record(tmp_path / LOCK, "tiny", "1.0.0", again, replacing=True)


def test_commits_of_tags_are_noted_once(root: Root, tmp_path: Path) -> None:
    path = tmp_path / LOCK
    for version, rows in (("1.0.0", ROWS), ("1.1.0", ROWS[:1]), ("2.0.0", ROWS[:2])):
        run(root, write_folder(tmp_path / version, {"he": rows}, version))
    tags = {"v1.0.0": "aaa", "v1.1.0": "bbb", "v9.0.0": "ccc", "demo": "ddd"}
    assert note_commits(path, "tiny", tags) == ["1.0.0", "1.1.0"]
    assert note_commits(path, "tiny", tags) == []
    assert [locked.commit for locked in read_lock(path)["tiny"].values()] == ["aaa", "bbb", ""]
    (told,) = problems_of(lambda: note_commits(path, "tiny", {"v1.0.0": "zzz"}), tmp_path)
    assert told == f"{LOCK}: tag v1.0.0 names zzz and the lock says aaa: it was moved"


def test_an_author_cannot_lock_a_variant_of_ours(tmp_path: Path) -> None:
    root = small_root(tmp_path)
    build("clams", out=tmp_path / "clams", root=root)
    told = run(root, tmp_path / "clams", code=2).output
    assert "catalogue.toml: has no stanza [clams], so this root" in told
    assert "has changed" in run(root, tmp_path / "clams", "--check", code=2).output


def test_a_broken_lock_is_named(root: Root, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tiny", {"he": ROWS})
    for text in ("{", "[]", '{"tiny": {"1.0.0": {"configs": {"he": {}}}}}'):
        (tmp_path / LOCK).write_text(text)
        told = run(root, folder, "--check", code=2).output
        assert re.search(rf"{LOCK}(:1)?: is (no|not) (a )?(lock|JSON)", told)


def test_a_build_tells_what_departs_from_the_lock(tmp_path: Path) -> None:
    root = small_root(tmp_path)
    (tmp_path / "catalogue.toml").write_text('[clams]\nversion = "3.0.0"\n')
    build("clams", out=tmp_path / "clams", root=root)
    run(root, tmp_path / "clams")
    drop_first_row(root.path / "lexicons" / "he" / "noun.clams.tsv")
    arguments = ["build", "clams", "--out", str(tmp_path / "clams"), "--root", str(tmp_path)]
    told = CliRunner().invoke(main, arguments)
    assert told.exit_code == 0
    assert "note: clams/he 3.0.0 has changed" in told.stderr
