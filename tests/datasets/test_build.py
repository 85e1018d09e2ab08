"""Building a data set folder: what it holds, that it is whole or not there, that bytes are
stable."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from datasets import Features, load_dataset

import solecism
from release import CHECKOUT, bytes_of, drop_first_row, small_root
from solecism.commands import main
from solecism.datasets.build import build
from solecism.errors import InputError
from solecism.root import Root
from solecism.schema import pair_schema
from tiny import edit


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "hf-cache")


def front_matter(folder: Path) -> dict[str, object]:
    text = (folder / "README.md").read_text(encoding="utf-8")
    return yaml.safe_load(text.split("---\n")[1])  # type: ignore[no-any-return]


def test_without_out_the_folder_is_called_as_the_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = small_root(tmp_path / "root").path
    monkeypatch.chdir(tmp_path)
    (one,) = solecism.build("clams", root=str(root))
    (other,) = solecism.build("clams", ["he"], root=root, out="elsewhere")
    assert bytes_of(tmp_path / "clams") == bytes_of(tmp_path / "elsewhere")
    assert one.content == other.content
    monkeypatch.setenv("SOLECISM_ROOT", str(root))
    assert solecism.build("clams")[0].content == one.content


def test_load_dataset_opens_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (built,) = build("clams", out=tmp_path / "clams", root=small_root(tmp_path))
    monkeypatch.chdir(tmp_path)
    pairs = load_dataset("clams", "he", split="test")
    (info,) = front_matter(tmp_path / "clams")["dataset_info"]  # type: ignore[misc,attr-defined]
    assert len(pairs) == built.rows == info["splits"][0]["num_examples"]
    assert pairs.features == Features.from_arrow_schema(pair_schema())
    assert pairs[0]["UID"] == "simple_agrmt"


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"}, {"PYTHONHASHSEED": "2", "LC_ALL": "tr_TR.UTF-8"}],
)
def test_bytes_do_not_depend_on_the_machine(tmp_path: Path, environment: dict[str, str]) -> None:
    root = small_root(tmp_path, "fr", ["simple_agrmt", "prep_inanim"])
    build("clams", out=tmp_path / "here" / "clams", root=root)
    command = [sys.executable, "-m", "solecism", "build", "clams", "--out", "there/clams"]
    subprocess.run(command, cwd=tmp_path, env={**os.environ, **environment}, check=True)
    assert bytes_of(tmp_path / "here") == bytes_of(tmp_path / "there")


def test_an_error_in_the_sources_leaves_the_old_build(tmp_path: Path) -> None:
    root = small_root(tmp_path)
    build("clams", out=tmp_path / "clams", root=root)
    before = bytes_of(tmp_path / "clams")
    edit(
        root.path / "templates" / "clams" / "_slots.yaml",
        "anybody: {from: noun",
        "anybody: {from: nuon",
    )
    with pytest.raises(InputError, match=r"did you mean 'noun\.clams'"):
        build("clams", out=tmp_path / "clams", root=Root(root.path))
    assert bytes_of(tmp_path / "clams") == before
    assert not list(tmp_path.glob(".clams*"))


def test_items_that_fail_a_check_are_not_released(tmp_path: Path) -> None:
    root = small_root(tmp_path, "en", ["simple_agrmt"])
    for name in ("noun", "noun.clams"):
        nouns = root.path / "lexicons" / "en" / f"{name}.tsv"
        lines = nouns.read_text(encoding="utf-8").splitlines()
        author = next(line for line in lines if line.startswith("author\t"))
        wug = author.replace("authors", "wug").replace("author", "wug")
        nouns.write_text("\n".join([*lines, wug]) + "\n", encoding="utf-8")
    path = root.path / "templates" / "clams" / "en" / "simple_agrmt.jinja"
    text = re.sub(r"^(balance|draw):.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="good in one pair and bad in another"):
        build("clams", out=tmp_path / "clams", root=root)
    assert not (tmp_path / "clams").exists()


def test_command_prints_a_line_a_config(tmp_path: Path) -> None:
    small_root(tmp_path)
    arguments = ["build", "clams", "--root", str(tmp_path), "--out", str(tmp_path / "clams")]
    plain = CliRunner().invoke(main, arguments)
    assert plain.exit_code == 0
    assert "he" in plain.output
    assert all(len(line) <= 80 for line in plain.output.splitlines() if "written" not in line)
    told = CliRunner().invoke(main, [*arguments, "--json"])
    assert json.loads(told.stdout)["configs"]["he"]["pairs"] > 100


def started_build(folder: Path) -> subprocess.Popen[bytes]:
    """Start a build of French and wait until it has begun to write."""
    arguments = ["-m", "solecism", "build", "clams", "fr", "--out", str(folder / "clams")]
    process = subprocess.Popen([sys.executable, *arguments], cwd=CHECKOUT, stderr=subprocess.PIPE)
    while process.poll() is None:
        if list(folder.glob(".solecism-part.clams/fr/*.parquet")):
            return process
        time.sleep(0.02)
    raise AssertionError("the build ended before it was seen to write")


@pytest.mark.nightly
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_leaves_nothing_behind(tmp_path: Path, number: int) -> None:
    process = started_build(tmp_path)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"Traceback" not in errors
    assert not list(tmp_path.iterdir())


@pytest.mark.nightly
def test_a_killed_build_is_cleaned_up_by_the_next(tmp_path: Path) -> None:
    process = started_build(tmp_path)
    process.kill()
    process.communicate(timeout=60)
    assert not (tmp_path / "clams").exists()
    assert list(tmp_path.glob(".solecism-part.clams"))
    build("clams", out=tmp_path / "clams", root=small_root(tmp_path / "small"))
    assert not list(tmp_path.glob(".solecism-part.clams"))
    assert (tmp_path / "clams" / "manifest.json").exists()


def test_content_of_a_language_does_not_depend_on_what_else_is_built(tmp_path: Path) -> None:
    root = small_root(tmp_path, "fr")  # whose templates add a feature
    small_root(tmp_path, "he")
    (alone,) = build("clams", ["he"], out=tmp_path / "alone", root=root)
    both = {built.name: built for built in build("clams", out=tmp_path / "both", root=root)}
    assert both["he"].content == alone.content
    assert "`audible`" in (tmp_path / "both" / "README.md").read_text(encoding="utf-8")


def test_rebuilt_data_are_not_read_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = small_root(tmp_path)
    build("clams", out=tmp_path / "clams", root=root)
    monkeypatch.chdir(tmp_path)
    before = load_dataset("clams", "he", split="test")["sentence_good"][:]
    word = drop_first_row(root.path / "lexicons" / "he" / "noun.clams.tsv")
    build("clams", out=tmp_path / "clams", root=Root(root.path))
    after = load_dataset("clams", "he", split="test")["sentence_good"][:]
    assert any(word in sentence for sentence in before)
    assert len(after) == len(before)
    assert set(after) != set(before)
