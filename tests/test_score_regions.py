"""Surprisal of regions: sums over tokens in bits, widened alike in all conditions or skipped."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `score`")
pytest.importorskip("transformers", reason="needs the extra `score`")

from solecism.items import SUITE  # noqa: E402
from solecism.score.causal import CausalScorer  # noqa: E402
from solecism.score.models import Loaded, load_causal  # noqa: E402
from solecism.score.regions import SURPRISALS, UNALIGNED, score_regions  # noqa: E402
from test_score_causal import by_hand, save_model  # noqa: E402


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    folder = tmp_path_factory.mktemp("model")
    save_model(folder / "tiny", ["The cat sleeps here.", "The cats sleep here."] * 20)
    return load_causal(str(folder / "tiny"))


def condition(name: str, text: str, *regions: tuple[str, str]) -> dict[str, Any]:
    spans = [
        {"name": r, "text": part, "start": text.index(part), "end": text.index(part) + len(part)}
        for r, part in regions
    ]
    return {"name": name, "text": text, "regions": spans}


def suite(*conditions: dict[str, Any]) -> pa.Table:
    row = {
        "id": "1", "suite": "s", "phenomenon": "p", "modifier": "", "item": "1", "language": "en",
        "conditions": list(conditions), "predictions": [],
    }  # fmt: skip
    return pa.Table.from_pylist([row], schema=SUITE)


def scored(loaded: Loaded, table: pa.Table) -> list[dict[str, Any]]:
    out = pa.concat_tables(score_regions([table], CausalScorer(loaded)))
    assert out.schema == SURPRISALS
    return out.to_pylist()


def test_surprisal_is_in_bits_after_what_comes_before(loaded: Loaded) -> None:
    good = condition("good", "The cat sleeps here.", ("verb", "sleeps"), ("end", "here."))
    bad = condition("bad", "The cats sleeps here.", ("verb", "sleeps"), ("end", "here."))
    rows = scored(loaded, suite(good, bad))
    assert [(r["condition"], r["region"]) for r in rows] == [
        ("good", "verb"), ("good", "end"), ("bad", "verb"), ("bad", "end"),
    ]  # fmt: skip
    for row, before, through in [
        (rows[0], "The cat", "The cat sleeps"),
        (rows[3], "The cats sleeps", "The cats sleeps here."),
    ]:
        wanted = (by_hand(loaded, before, [0]) - by_hand(loaded, through, [0])) / log(2)
        assert row["surprisal"] == pytest.approx(wanted, abs=1e-3)
        assert row["skipped"] is None


def test_regions_inside_tokens_are_skipped_in_all_conditions(loaded: Loaded) -> None:
    good = condition("good", "The cat sleeps here.", ("part", "leep"))
    bad = condition("bad", "The cat barks here.", ("part", "ark"))
    assert {r["skipped"] for r in scored(loaded, suite(good, bad))} == {UNALIGNED}


def test_a_widened_region_says_what_was_scored(loaded: Loaded, tmp_path: Path) -> None:
    one = condition("one", "The cat sleeps here.", ("part", "leep"))
    (row,) = scored(loaded, suite(one))
    assert row["text"].strip() in ("sleeps", "sleep")
    assert row["surprisal"] > 0
