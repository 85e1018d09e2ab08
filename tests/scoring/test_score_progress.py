"""What a slow model shows: progress inside a window."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytest.importorskip("torch", reason="needs the extra `score`")

import solecism
from causal_models import save_model
from scored import make_pairs

BATCHES = 6


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``some.parquet`` and the model ``tiny``."""
    monkeypatch.chdir(tmp_path)
    save_model(tmp_path / "tiny", ["Good bad calm."])
    pairs = make_pairs(60)
    texts = [f"{text} {number}" for number, text in enumerate(pairs["sentence_bad"].to_pylist())]
    place = pairs.column_names.index("sentence_bad")
    pq.write_table(pairs.set_column(place, "sentence_bad", [texts]), "some.parquet")
    return tmp_path


def test_progress_inside_a_window(slow: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    options = {"engine": "plain", "batch_tokens": 64}
    solecism.score("some.parquet", "tiny", progress=lambda *s: steps.append(s), **options)
    done = [step[1] for step in steps]
    assert done == sorted(done)
    assert len(set(done)) >= BATCHES
    assert done[0] == 0
    assert done[-1] == 60
    assert "sentences/s" in steps[1][0]
