"""A run that is cut short, at whatever batch, and taken up again gives the same digits as one that
is not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `score`")


from causal_models import save_model  # noqa: E402
from cloze_items import ITEMS, forms  # noqa: E402
from masked_models import pairs, reader  # noqa: E402
from scored import make_pairs, make_scores  # noqa: E402
from solecism.errors import InputError  # noqa: E402
from solecism.scoring.engines.causal import CausalReader  # noqa: E402
from solecism.scoring.methods.cloze import score_cloze  # noqa: E402
from solecism.scoring.methods.focus import score_focus  # noqa: E402
from solecism.scoring.methods.pll import score_pll  # noqa: E402
from solecism.scoring.methods.region import causal_reader, score_suites  # noqa: E402
from solecism.scoring.methods.sentence import score_pairs  # noqa: E402
from solecism.scoring.models import load_model  # noqa: E402
from solecism.scoring.results import Journal, ResultWriter  # noqa: E402
from solecism.scoring.run import _unscored  # noqa: E402

Tables = Iterable[pa.Table]
Score = Callable[[Tables, Journal], Iterator[pa.Table]]
WORDS = ("author", "pilot", "guard", "chef")
FEW = {"window": 3, "tokens": 60}


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests save every answer; what survives a crash of the machine is tested elsewhere."""
    monkeypatch.setattr("solecism.files.sync", lambda _: None)


class KilledError(BaseException):
    """The end of a run."""


def many() -> list[pa.Table]:
    """Two tables of pairs that share beginnings and whole sentences."""
    texts = [
        (
            f"The {one} near the {other} laughs.",
            f"The {one} near the {other} laugh.",
            None,
            None,
            None,
        )
        for one in WORDS
        for other in WORDS[:2]
    ]
    table = pairs([*texts, *texts[:3]])
    return [table.slice(0, 7), table.slice(7)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    save_model(folder, [t for table in many() for t in table["sentence_good"].to_pylist()])
    return folder


def causal(model: Path, engine: str) -> tuple[Score, list[pa.Table]]:
    read = load_model(str(model))

    def score(tables: Tables, journal: Journal) -> Iterator[pa.Table]:
        return score_pairs(tables, CausalReader(read, engine=engine, tokens=64, journal=journal))

    return score, many()


def suites(model: Path) -> tuple[Score, list[pa.Table]]:
    read = load_model(str(model))
    items = []
    for number, word in enumerate(WORDS):
        conditions = []
        for name, verb in (("good", "laughs"), ("bad", "laugh")):
            text = f"The {word} {verb}"
            region = {"name": "verb", "text": verb, "start": len(text) - len(verb), "end": len(text),
                      "first": 2, "last": 3}  # fmt: skip
            conditions.append({"name": name, "text": text, "tokens": text, "regions": [region]})
        items.append({
            "id": f"i{number}", "item": number, "suite": "s", "phenomenon": "p", "modifier": "m",
            "language": "en", "conditions": conditions, "metric": "sum",
            "predictions": ["good.verb < bad.verb", "good.verb > bad.verb"],
        })  # fmt: skip

    def score(tables: Tables, journal: Journal) -> Iterator[pa.Table]:
        return score_suites(tables, causal_reader(CausalReader(read, tokens=16, journal=journal)))

    return score, [pa.Table.from_pylist(items)]


def case(name: str, model: Path) -> tuple[Score, list[pa.Table]]:
    """What scores, and what is scored."""
    if name in ("tree", "cached", "plain", "loop"):
        return causal(model, name)
    if name == "region":
        return suites(model)
    bert = reader("bert", **FEW)
    if name == "cloze":
        table = pa.Table.from_pylist(ITEMS * 2)
        return (
            lambda t, j: score_cloze(t, forms(), replace(bert, journal=j), fewest=1),
            [table, table],
        )
    of = {"focus": score_focus, "pll": score_pll}[name]
    return lambda t, j: of(t, replace(bert, journal=j)), many()


def run(stem: Path, score: Score, tables: list[pa.Table], end: int | None = None) -> pa.Table:
    """Score into a result; with ``end`` the run dies when it asks its model for that batch."""
    asked = 0
    with ResultWriter(stem, "sig", rows=5, seconds=0.0) as writer:
        answer = writer.journal.answer

        def counted(ask: Any) -> Any:
            def asks() -> Any:
                nonlocal asked
                asked += 1
                if asked == end:
                    raise KilledError
                return ask()

            return answer(asks)

        writer.journal.answer = counted  # type: ignore[method-assign]
        for table in score(_unscored(tables, writer.done), writer.journal):
            writer.write(table)
    return pq.read_table(f"{stem}.parquet")


@pytest.mark.parametrize(
    "name", ["tree", "cached", "plain", "loop", "region", "focus", "pll", "cloze"]
)
@pytest.mark.parametrize("killed", [True, False])
def test_a_run_that_is_cut_short_gives_the_same_digits(
    name: str, killed: bool, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solecism.scoring.methods.sentence.WINDOW", 4)
    monkeypatch.setattr("solecism.scoring.methods.region.WINDOW", 3)
    score, tables = case(name, model)
    wanted = run(tmp_path / "whole", score, tables)
    if killed:  # nothing is done at the end of a run that is killed
        monkeypatch.setattr(ResultWriter, "_keep", lambda self: None)
    for end in (1, 2, 4):
        stem = tmp_path / f"{end}"
        for _ in range(2):  # cut short, and once more
            with suppress(KilledError):
                run(stem, score, tables, end)
        found = run(stem, score, tables)
        assert found.equals(wanted), end
    assert not list(tmp_path.rglob("*.parts"))


def test_what_a_model_answered_is_saved_inside_a_window(model: Path, tmp_path: Path) -> None:
    score, tables = case("loop", model)
    with pytest.raises(KilledError):
        run(tmp_path / "r", score, tables, 3)
    assert not list(tmp_path.glob("r.parts/part-*"))
    assert len(list(tmp_path.glob("r.parts/answers-*"))) == 2


def test_answers_that_are_broken_are_asked_again(model: Path, tmp_path: Path) -> None:
    score, tables = case("loop", model)
    wanted = run(tmp_path / "whole", score, tables)
    with pytest.raises(KilledError):
        run(tmp_path / "r", score, tables, 4)
    second = sorted(tmp_path.glob("r.parts/answers-*"))[1]
    second.write_bytes(second.read_bytes()[:-30])
    assert run(tmp_path / "r", score, tables).equals(wanted)


def test_batches_that_did_not_fit_are_as_small_again(tmp_path: Path) -> None:
    def ask() -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    journal = Journal(tmp_path, 0.0)
    journal.answer(lambda: np.array([1.0]))
    with pytest.raises(torch.OutOfMemoryError):
        journal.answer(ask)
    journal.answer(lambda: np.array([2.0, 3.0]))
    again = Journal(tmp_path)
    assert again.open(0)
    assert again.answer(ask).tolist() == [1.0]
    with pytest.raises(MemoryError):
        again.answer(ask)
    assert again.answer(ask).tolist() == [2.0, 3.0]
    assert again.answer(lambda: np.array([4.0])).tolist() == [4.0]
    again.restart(8)
    assert list(tmp_path.iterdir()) == []


def test_a_broken_part_is_scored_anew_with_a_note(tmp_path: Path) -> None:
    scores, said = make_scores(make_pairs(40)), list[str]()
    with suppress(KilledError), ResultWriter(tmp_path / "r", "sig", rows=8) as writer:
        for start in range(0, 32, 8):
            writer.write(scores.slice(start, 8))
        raise KilledError
    part = tmp_path / "r.parts" / "part-000002.parquet"
    data = bytearray(part.read_bytes())
    data[len(data) // 3] ^= 1
    part.write_bytes(bytes(data))
    with ResultWriter(tmp_path / "r", "sig", notice=said.append) as writer:
        assert writer.done == 16
        writer.write(scores.slice(16))
    assert pq.read_table(tmp_path / "r.parquet").equals(scores)
    assert "part-000002.parquet: is broken" in said[0]
    assert [path.name for path in tmp_path.iterdir()] == ["r.parquet"]


_OTHER = """
import sys
from solecism.scoring.results import ResultWriter
with ResultWriter({stem!r}, "sig"):
    print("here", flush=True)
    sys.stdin.read()
"""


def test_two_runs_do_not_write_one_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solecism.files.WAIT", 0.1)
    command = [sys.executable, "-c", _OTHER.format(stem=str(tmp_path / "r"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(InputError, match="another run"), ResultWriter(tmp_path / "r", "sig"):
            pass
        other.kill()
    with ResultWriter(tmp_path / "r", "sig") as writer:
        writer.write(make_scores(make_pairs(4)))
    assert [path.name for path in tmp_path.iterdir()] == ["r.parquet"]
