"""A run that is cut short, at whatever batch, and taken up again gives the same digits as one that
is not."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from causal_models import save_model
from cloze_items import ITEMS, forms
from masked_models import pairs, reader
from scored import make_pairs, make_scores, write_result
from solecism.errors import InputError
from solecism.scoring.engines.causal import CausalReader
from solecism.scoring.methods.cloze import score_cloze
from solecism.scoring.methods.masked import score_focus, score_pll
from solecism.scoring.methods.region import causal_reader, score_suites
from solecism.scoring.methods.sentence import score_pairs
from solecism.scoring.models import Loaded, load_model
from solecism.scoring.results import writing_result
from solecism.scoring.run import _unscored

Tables = Iterable[pa.Table]
Score = Callable[[Tables], Iterator[pa.Table]]
WORDS = ("author", "pilot", "guard", "chef")


class KilledError(BaseException):
    """The end of a run."""


def many() -> list[pa.Table]:
    """Two tables of pairs that share beginnings and whole sentences."""
    starts = [f"The {one} near the {other}" for one in WORDS for other in WORDS[:2]]
    texts = [(f"{start} laughs.", f"{start} laugh.", None, None, None) for start in starts]
    table = pairs([*texts, *texts[:3]])
    return [table.slice(0, 7), table.slice(7)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    save_model(folder, [t for table in many() for t in table["sentence_good"].to_pylist()])
    return folder


def suites() -> list[pa.Table]:
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
    return [pa.Table.from_pylist(items)]


def case(name: str, model: Path) -> tuple[Score, list[pa.Table]]:
    """What scores, and what is scored."""
    if name in ("region", "sentence"):
        read = CausalReader(load_model(str(model)))
        if name == "region":
            return lambda tables: score_suites(tables, causal_reader(read)), suites()
        return lambda tables: score_pairs(tables, read), many()
    bert = reader("bert", window=3)
    if name == "cloze":
        table = pa.Table.from_pylist(ITEMS * 2)
        return lambda tables: score_cloze(tables, forms(), bert, fewest=1), [table, table]
    of = {"focus": score_focus, "pll": score_pll}[name]
    return lambda tables: of(tables, bert), many()


def run(stem: Path, score: Score, tables: list[pa.Table], end: int = -1) -> pa.Table:
    """Score into a result; the run dies before window ``end`` is written."""
    with writing_result(stem, "sig", lambda _: {}) as (done, write):
        for number, table in enumerate(score(_unscored(tables, done))):
            if number == end:
                raise KilledError
            write(table)
    return pq.read_table(f"{stem}.parquet")


@pytest.mark.parametrize("name", ["sentence", "region", "focus", "pll", "cloze"])
def test_a_run_that_is_cut_short_goes_on_after_its_windows(
    name: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Loaded, "window", lambda *_, **__: 4)
    monkeypatch.setattr("solecism.scoring.methods.region.WINDOW", 3)
    score, tables = case(name, model)
    wanted = run(tmp_path / "whole", score, tables)
    for end in (0, 1, 2):
        with suppress(KilledError):
            run(tmp_path / "r", score, tables, end)
    found = run(tmp_path / "r", score, tables)
    numbers = [found["logp_good"], found["logp_bad"]]
    for ours, theirs in zip(numbers, [wanted["logp_good"], wanted["logp_bad"]], strict=True):
        assert ours.to_pylist() == pytest.approx(theirs.to_pylist(), abs=1e-6)
    same = [name for name in wanted.column_names if not name.startswith(("logp", "margin"))]
    assert found.select(same).equals(wanted.select(same))
    assert name not in ("sentence", "region") or found.equals(wanted)
    assert not list(tmp_path.rglob("*.parts"))


def test_two_runs_do_not_write_one_result(tmp_path: Path) -> None:
    scores = make_scores(make_pairs(4))
    with (
        writing_result(tmp_path / "r", "sig", lambda _: {}) as (_, write),
        ThreadPoolExecutor() as pool,
    ):
        other = pool.submit(write_result, tmp_path / "r", scores)
        with pytest.raises(InputError, match="another run of solecism is writing here"):
            other.result()
        write(scores)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.json", "r.parquet"]
