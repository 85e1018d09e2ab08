"""A grid of models and data sets is scored as each is alone, and goes on where it was."""

import subprocess
import sys
from pathlib import Path

import pytest

from causal_models import save_model
from release import CHECKOUT
from solecism.files import write_text
from solecism.scoring.results import read_result

pytest.importorskip("datatrove", reason="the extra scale is not installed")

PAIRS = "sentence_good,sentence_bad\nLes gérants rient.,Les gérants rit.\nIl rit.,Il rient.\n"


def grid(*datasets: str) -> str:
    """Score two models with two workers, and return the table."""
    script = [sys.executable, str(CHECKOUT / "scripts" / "score_many.py")]
    cells = ["models.txt", ",".join(datasets), "--out", "grid", "--workers", "2"]
    subprocess.run([*script, *cells, "--", "--limit", "1"], check=True, capture_output=True)
    return Path("grid/table.txt").read_text("utf-8")


def test_models_on_data_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT / "builders"))
    for name in ("first", "second"):
        save_model(tmp_path / name, ["Les gérants rient.", name])
    write_text(tmp_path / "models.txt", "first\nsecond\n")
    write_text(tmp_path / "one.csv", PAIRS)
    table = grid("one.csv", "missing.csv")
    assert all(name in table for name in ("first", "second"))
    made = sorted(Path("grid").glob("*.json"))
    assert len(made) == 2
    assert {read_result(path.with_suffix("")).summary["overall"]["n"] for path in made} == {1}
    times = [path.stat().st_mtime_ns for path in made]
    write_text(tmp_path / "missing.csv", PAIRS)
    grid("one.csv", "missing.csv")
    assert len(list(Path("grid").glob("*.json"))) == 4
    assert [path.stat().st_mtime_ns for path in made] == times
