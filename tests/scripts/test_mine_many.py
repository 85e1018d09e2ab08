"""Many treebanks are mined as each is alone, and joined without duplicates."""

import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from release import CHECKOUT
from solecism import mine

pytestmark = pytest.mark.nightly
pytest.importorskip("datatrove", reason="the extra scale is not installed")


def test_two_treebanks_and_a_copy_of_one(tmp_path: Path) -> None:
    names = ("relations", "oblique", "copy")
    folders = [tmp_path / f"UD_French-{name}" for name in names]
    for name, folder in zip(("relations", "oblique", "relations"), folders, strict=True):
        folder.mkdir()
        source = CHECKOUT / "tests" / "treebanks" / f"{name}.conllu"
        shutil.copyfile(source, folder / f"fr_{folder.name[10:]}-ud-test.conllu")
    script = [sys.executable, str(CHECKOUT / "scripts" / "mine_many.py"), "--preset", "paper"]
    subprocess.run([*script, *map(str, folders), "--out", "mined"], check=True)
    alone = [mine(folder, preset="paper").items for folder in folders]
    for folder, items in zip(folders, alone, strict=True):
        assert pq.read_table(Path("mined") / f"{folder.name}.parquet").equals(items)
    joined = pq.read_table("mined/items.parquet")
    assert joined["id"].to_pylist() == [*alone[0]["id"].to_pylist(), *alone[1]["id"].to_pylist()]
