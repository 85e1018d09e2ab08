"""All languages of a folder of clones are built as each is alone, and joined to one data set."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from release import CHECKOUT
from solecism.datasets.build import build
from solecism.datasets.manifest import read_manifest

pytest.importorskip("datatrove", reason="the extra scale is not installed")

SHARED = CHECKOUT.parent / "shared" / "ud"
TREEBANKS = ("UD_Hebrew-IAHLTwiki", "UD_Italian-ISDT")


def test_the_joined_data_set_is_what_a_build_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not SHARED.is_dir():
        pytest.skip("../shared is not there")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT / "builders"))
    for name in TREEBANKS:
        shutil.copytree(SHARED / name, tmp_path / "clones" / name)
    script = [sys.executable, str(CHECKOUT / "scripts" / "mine_many.py")]
    command = [*script, "clones", "--out", "many", "--workers", "2"]
    subprocess.run(command, check=True, capture_output=True)
    parts = {path: path.stat().st_mtime_ns for path in Path("many/parts").glob("*/*/*.parquet")}
    subprocess.run(command, check=True, capture_output=True)
    assert parts == {path: path.stat().st_mtime_ns for path in parts}
    monkeypatch.setenv("SOLECISM_SOURCES", "clones")
    build("agreement", ["he", "it"], out="alone")
    alone, many = read_manifest(Path("alone")), read_manifest(Path("many/agreement"))
    for config in [*alone.raw["configs"].values(), *many.raw["configs"].values()]:
        assert config.pop("memory_bytes") > 0  # it depends on how rows are put together
    assert alone.raw["configs"] == many.raw["configs"]
    lines = Path("many/languages.tsv").read_text("utf-8").splitlines()
    assert [line.split("\t")[0] for line in lines] == ["code", "he", "it"]
