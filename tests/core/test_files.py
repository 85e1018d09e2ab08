"""Writing files and folders: whole or not at all, and nobody else's file is touched."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from release import bytes_of, small_root
from solecism import files
from solecism.commands import main
from solecism.datasets.build import build
from solecism.errors import InputError, fail
from solecism.files import (
    add_texts,
    csv_of,
    filling_folder,
    is_own_file,
    place_in,
    replacing_folder,
    write_text,
    writing,
)

CATALOGUE = '[clams]\nversion = "{}"\npretty_name = "Small"\n'


def names(folder: Path) -> list[str]:
    """The names of what is in a folder."""
    return sorted(path.name for path in folder.iterdir())


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), writing(path) as part:
        part.write_text(f"half{1 // 0}")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_link_is_followed_and_a_device_written_to(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    write_text(Path(os.devnull), "nothing")
    assert not Path(os.devnull).is_file()


def test_two_runs_do_not_write_to_one_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "WAIT", 0.2)
    holder = (
        "import sys; from pathlib import Path; from solecism.files import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    path = tmp_path / "a.txt"
    command = [sys.executable, "-c", holder, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with (
            pytest.raises(InputError, match="another run of solecism is writing here"),
            replacing_folder(path, listed),
        ):
            pass
        process.kill()
    with replacing_folder(path, listed) as fresh:
        made(fresh, "b")
    assert names(tmp_path) == ["a.txt"]


def test_texts_are_added_together_or_not_at_all(tmp_path: Path) -> None:
    texts = {tmp_path / "in/a.txt": "a", tmp_path / "in/b.txt": "b"}
    assert add_texts(tmp_path / "in", texts) == list(texts)
    (tmp_path / "in/b.txt").unlink()
    assert add_texts(tmp_path / "in", texts) == [tmp_path / "in/b.txt"]
    (tmp_path / "in/a.txt").write_text("mine")
    (tmp_path / "in/b.txt").unlink()
    with pytest.raises(InputError, match=r"a\.txt: is there already"):
        add_texts(tmp_path / "in", texts)
    assert bytes_of(tmp_path) == {"in/a.txt": b"mine"}


def test_filling_refuses_what_is_something_else(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.txt").write_text("mine")
    with (
        pytest.raises(InputError, match=r"a\.txt: is there already"),
        filling_folder(tmp_path / "out", lambda path: False) as fresh,
    ):
        made(fresh, "a.txt", "b.txt")
    assert bytes_of(tmp_path) == {"out/a.txt": b"mine"}


def test_an_error_leaves_no_new_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="broken"), filling_folder(tmp_path / "out"):
        raise fail("broken")
    assert not (tmp_path / "out").exists()


def listed(folder: Path) -> list[str]:
    """What is ours in the folders of these tests: what the file ``ours`` lists, and itself."""
    path = folder / "ours"
    return [*path.read_text().split(), "ours"] if path.is_file() else []


def made(folder: Path, *paths: str) -> None:
    """Write a folder with the file ``ours``."""
    for name in paths:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name} of ours")
    (folder / "ours").write_text(" ".join(paths))


def test_what_is_not_ours_moves_to_the_new_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    made(out, "a", "x/b", "gone/c")
    (out / "x/notes").write_text("mine")
    (out / "gone/notes").write_text("mine")
    (out / ".git/objects").mkdir(parents=True)
    (out / ".git/HEAD").write_text("mine")
    (out / "empty").mkdir()
    (out / "link").symlink_to("/nowhere")
    with replacing_folder(out, listed) as fresh:
        made(fresh, "a", "x/b", "y/d")
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*")) == [
        ".git", ".git/HEAD", ".git/objects", "a", "empty", "gone", "gone/notes", "link", "ours",
        "x", "x/b", "x/notes", "y", "y/d",
    ]  # fmt: skip
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("in_the_way", ["y", "y/d"])
def test_a_file_in_the_way_of_a_new_one_is_kept(tmp_path: Path, in_the_way: str) -> None:
    out = tmp_path / "out"
    made(out, "a")
    (out / in_the_way).parent.mkdir(exist_ok=True)
    (out / in_the_way).write_text("mine")
    before = bytes_of(out)
    with (
        pytest.raises(InputError, match=f"{in_the_way}: is not as it was built"),
        replacing_folder(out, listed) as fresh,
    ):
        made(fresh, "a", "y/d")
    assert bytes_of(tmp_path) == {f"out/{name}": data for name, data in before.items()}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
@pytest.mark.parametrize("mode", [0o700, 0o750, 0o2770, 0o1777])
def test_modes_are_kept(tmp_path: Path, mode: int) -> None:
    out = tmp_path / "out"
    made(out, "x/a")
    (out / "notes").write_text("mine")
    out.chmod(mode)
    (out / "notes").chmod(0o600)
    with replacing_folder(out, listed) as fresh:
        assert fresh.stat().st_mode & 0o7777 == mode
        made(fresh, "x/a")
    write_text(out / "notes", "new")
    modes = [path.stat().st_mode & 0o7777 for path in (out, out / "notes")]
    assert modes == [mode, 0o600]


def test_a_folder_is_recovered_after_a_kill_between_two_renames(tmp_path: Path) -> None:
    out = tmp_path / "out"
    made(tmp_path / ".solecism-old.out", "a")
    (tmp_path / ".solecism-old.out" / "notes").write_text("mine")
    made(tmp_path / ".solecism-part.out", "half")
    with pytest.raises(KeyboardInterrupt), replacing_folder(out, listed):
        raise KeyboardInterrupt
    assert set(bytes_of(tmp_path)) == {"out/a", "out/ours", "out/notes"}


# What `solecism build` takes for its own.


def run_build(root: Path, *arguments: str, code: int = 0) -> str:
    """Build in a folder of its own; return what was said."""
    done = CliRunner().invoke(main, ["build", *arguments, "--root", str(root)])
    assert done.exit_code == code, done.output
    return done.output


def test_build_does_not_take_any_manifest_for_its_own(tmp_path: Path) -> None:
    root = small_root(tmp_path / "root").path
    out = tmp_path / "extension"
    out.mkdir()
    (out / "manifest.json").write_text('{"manifest_version": 3, "name": "x", "version": "1.0"}')
    (out / "thesis.tex").write_text("years of work")
    before = bytes_of(out)
    said = run_build(root, "clams", "--out", str(out), code=2)
    assert f"{out}: exists and is no data set of ours" in said
    assert bytes_of(out) == before


@pytest.mark.parametrize("name", ["README.md", "he/test-00000-of-00001.parquet"])
def test_build_refuses_to_overwrite_what_was_changed(tmp_path: Path, name: str) -> None:
    root = small_root(tmp_path / "root").path
    out = tmp_path / "clams"
    run_build(root, "clams", "--out", str(out))
    (out / name).write_text("changed by hand")
    before = bytes_of(out)
    said = run_build(root, "clams", "--out", str(out), code=2)
    assert f"{out / name}: is not as it was built" in said
    assert bytes_of(out) == before


def test_build_refuses_the_folder_of_another_data_set(tmp_path: Path) -> None:
    root = small_root(tmp_path / "root").path
    out = tmp_path / "clams"
    run_build(root, "clams", "--out", str(out))
    (root / "templates/clams").rename(root / "templates/other")
    assert "holds the data set 'clams'" in run_build(root, "other", "--out", str(out), code=2)


# Configs that were built before.


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A root with two languages, and both built in the folder ``clams`` beside it."""
    root = small_root(tmp_path / "root", "he")
    small_root(tmp_path / "root", "fr")
    (root.path / "catalogue.toml").write_text(CATALOGUE.format("1.0.0"))
    build("clams", out=tmp_path / "clams", root=root)
    return root.path


def test_configs_of_an_earlier_build_are_built_anew(two: Path, tmp_path: Path) -> None:
    whole = bytes_of(tmp_path / "clams")
    run_build(two, "clams", "he", "--out", str(tmp_path / "clams"))
    assert bytes_of(tmp_path / "clams") == whole
    run_build(two, "clams", "he", "--out", str(tmp_path / "one"))
    (two / "catalogue.toml").write_text(CATALOGUE.format("1.1.0"))
    run_build(two, "clams", "fr", "--out", str(tmp_path / "one"))
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert (manifest["version"], list(manifest["configs"])) == ("1.1.0", ["fr", "he"])


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_texts_of_a_table_are_no_formulas(start: str) -> None:
    records = [{"a": f"{start}1+1", "b": -1.5, "c": None, "d": "a-b"}]
    (line,) = list(csv.reader(io.StringIO(csv_of(records), newline="")))[1:]
    assert line == [f"'{start}1+1".replace("\r", "\n"), "-1.5", "", "a-b"]
    assert f"{start}1+1" in csv_of(records, exact=True)


def test_what_a_listing_names_is_inside(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "out").mkdir()
    for name in (str(tmp_path / "mine"), "../mine", "\0", "in/../../mine", "a" * 300):
        assert not is_own_file(tmp_path / "out", name)
    with replacing_folder(tmp_path / "out", lambda _: ["../mine", str(tmp_path / "mine")]):
        pass
    assert bytes_of(tmp_path) == {"mine": b"mine"}


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "study" / "page").mkdir(parents=True)
    (tmp_path / "study" / "page" / "index.html").symlink_to(tmp_path / "mine")
    (tmp_path / "study" / "texts").symlink_to(tmp_path)
    write_text(place_in(tmp_path / "study", "page/index.html"), "page")
    with pytest.raises(InputError, match="texts: is a link"):
        place_in(tmp_path / "study", "texts/mine")
    assert (tmp_path / "mine").read_text() == "mine"
    assert (tmp_path / "study" / "page" / "index.html").read_text() == "page"


def test_build_follows_no_link_out_of_its_folder(tmp_path: Path) -> None:
    root = small_root(tmp_path / "root").path
    out = tmp_path / "clams"
    run_build(root, "clams", "--out", str(out))
    (out / "he").rename(tmp_path / "elsewhere")
    (out / "he").symlink_to(tmp_path / "elsewhere")
    before = bytes_of(tmp_path / "elsewhere")
    run_build(root, "clams", "--out", str(out), code=2)
    assert bytes_of(tmp_path / "elsewhere") == before


def test_build_keeps_notes_in_its_folder(tmp_path: Path) -> None:
    root = small_root(tmp_path / "root").path
    out = tmp_path / "clams"
    run_build(root, "clams", "--out", str(out))
    first = bytes_of(out)
    mine = {
        "notes.txt": b"mine",
        "he/notes.txt": b"mine",
        "results/a.json": b"{}",
        ".git/HEAD": b"ref",
    }
    for name, data in mine.items():
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_bytes(data)
    run_build(root, "clams", "--out", str(out))
    assert bytes_of(out) == {**first, **mine}
