"""What a slow model shows and keeps: progress inside a window, and every answer at Ctrl-C."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytest.importorskip("torch", reason="needs the extra `score`")

import solecism
from causal_models import save_model
from scored import make_pairs
from solecism.scoring import results
from solecism.scoring.engines import causal

BATCHES = 6


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``some.parquet`` and ``tiny``, a model each of whose batches takes a minute."""
    monkeypatch.chdir(tmp_path)
    save_model(tmp_path / "tiny", ["Good bad calm."])
    pairs = make_pairs(60)
    texts = [f"{text} {number}" for number, text in enumerate(pairs["sentence_bad"].to_pylist())]
    place = pairs.column_names.index("sentence_bad")
    pq.write_table(pairs.set_column(place, "sentence_bad", [texts]), "some.parquet")
    now = [0.0]

    def answers(self: causal.Plain, *given: object) -> object:
        now[0] += 60.0
        return padded(self, *given)

    padded = causal.Plain._padded
    monkeypatch.setattr(causal.Plain, "_padded", answers)
    monkeypatch.setattr(results, "monotonic", lambda: now[0])
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


def test_an_interrupted_run_keeps_its_answers(slow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"engine": "plain", "batch_tokens": 64}

    def stop(_: str, done: int, __: int) -> None:
        if done > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solecism.score("some.parquet", "tiny", progress=stop, **options)
    notes: list[str] = []
    found = solecism.score("some.parquet", "tiny", notice=notes.append, **options)
    assert "batches of the next that are scored already" in notes[0]
    whole = solecism.score("some.parquet", "tiny", out="other", **options)
    assert found.table == whole.table
