"""Surprisal of regions: sums over tokens in bits, widened alike in all conditions or skipped."""

import json
from functools import partial
from math import log
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from causal_models import by_hand, save_model
from drawing import make_root, template
from lm_eval_runs import run_lm_eval
from solecism.baselines.ngram import estimate, save_ngram
from solecism.commands import main
from solecism.datasets.build import build
from solecism.errors import InputError
from solecism.formula import WHOLE
from solecism.schema import SUITE
from solecism.scoring.encoding import words_of
from solecism.scoring.engines.causal import CausalReader
from solecism.scoring.methods.region import (
    METRICS,
    UNKNOWN,
    UNREAD,
    ReadSentence,
    SentenceReader,
    measured_items,
    read_with_causal,
    score_suites,
)
from solecism.scoring.models import Loaded, load_model
from solecism.scoring.results import UNALIGNED, read_result


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    folder = tmp_path_factory.mktemp("model")
    save_model(folder / "tiny", ["The cat sleeps here.", "The cats sleep here."] * 20)
    return load_model(str(folder / "tiny"))


def condition(name: str, text: str, *regions: tuple[str, str]) -> dict[str, Any]:
    """A condition whose regions are at their first place; words are what stands between spaces."""
    spans = []
    for region, part in regions:
        start = text.index(part)
        first = len(text[:start].split())
        places = {"start": start, "end": start + len(part), "first": first}
        spans.append({"name": region, "text": part, **places, "last": first + len(part.split())})
    return {"name": name, "text": text, "tokens": text, "regions": spans}


def suite(
    *conditions: dict[str, Any], predictions: tuple[str, ...] = (), metric: str = "sum"
) -> pa.Table:
    row = {
        "id": "1", "suite": "s", "phenomenon": "p", "modifier": "", "item": "1", "language": "en",
        "conditions": list(conditions), "predictions": list(predictions), "metric": metric,
    }  # fmt: skip
    return pa.Table.from_pylist([row], schema=SUITE)


def scored(loaded: Loaded, table: pa.Table) -> list[dict[str, Any]]:
    return regions(table, partial(read_with_causal, CausalReader(loaded)))


def regions(table: pa.Table, reader: SentenceReader) -> list[dict[str, Any]]:
    """A row for each region of each condition."""
    return [
        {"condition": condition["name"], **vars(region)}
        for item, measured in measured_items(table.to_pylist(), reader)
        for condition, found in zip(item["conditions"], measured, strict=True)
        for name, region in found.items()
        if name != WHOLE
    ]


def test_surprisal_is_in_bits_after_what_comes_before(loaded: Loaded) -> None:
    good = condition("good", "The cat sleeps here.", ("verb", "sleeps"), ("end", "here."))
    bad = condition("bad", "The cats sleeps here.", ("verb", "sleeps"), ("end", "here."))
    rows = scored(loaded, suite(good, bad))
    assert [(r["condition"], r["region"]) for r in rows] == [
        ("good", "verb"), ("good", "end"), ("bad", "verb"), ("bad", "end"),
    ]  # fmt: skip
    for number, before, through in [
        (0, "The cat", "The cat sleeps"), (3, "The cats sleeps", "The cats sleeps here."),
    ]:  # fmt: skip
        row = rows[number]
        wanted = (by_hand(loaded, before, [0]) - by_hand(loaded, through, [0])) / log(2)
        assert row["surprisal"] == pytest.approx(wanted, abs=1e-3)
        assert row["skipped"] is None


def test_regions_inside_tokens_are_skipped_in_all_conditions(loaded: Loaded) -> None:
    good = condition("good", "The cat sleeps here.", ("part", "leep"))
    bad = condition("bad", "The cat barks here.", ("part", "ark"))
    assert {r["skipped"] for r in scored(loaded, suite(good, bad))} == {UNALIGNED}


# measuring, without a model


def told(bits: list[float], text: str, *regions: tuple[str, str], metric: str = "sum") -> Any:
    """Measure one sentence whose words have these bits."""
    made = suite(condition("a", text, *regions), metric=metric)
    return measured(made, ReadSentence(words_of(text.split()), np.array(bits)))


def measured(table: pa.Table, sentence: ReadSentence | None) -> Any:
    """Measure the one condition of an item."""
    ((_, (found,)),) = measured_items(table.to_pylist(), lambda _: [sentence])
    return found


@pytest.mark.parametrize(
    ("metric", "function"),
    [("sum", sum), ("mean", mean), ("median", median), ("max", max), ("min", min)],
)
def test_metrics_are_those_of_syntaxgym(metric: str, function: Any) -> None:
    bits = [9.0, 1.5, 4.0, 2.5, 9.0]
    region = told(bits, "a b c d e", ("r", "b c d"), metric=metric)["r"]
    assert region.surprisal == function([1.5, 4.0, 2.5])
    assert told(bits, "a b c d e", ("r", "b c d"), metric="range")["r"].surprisal == 2.5
    assert set(METRICS) == {"sum", "mean", "median", "range", "max", "min"}


def test_an_unknown_metric_is_told() -> None:
    with pytest.raises(InputError, match=r"suite 's': unknown metric 'mode' .*metrics: sum, mean"):
        told([1.0], "a", ("r", "a"), metric="mode")


def test_an_empty_region_adds_nothing_and_the_whole_is_all() -> None:
    made = condition("a", "a b", ("r", "b"))
    made["regions"][0] |= {"text": "", "start": 3, "end": 3, "first": 2, "last": 2}
    found = measured(suite(made), ReadSentence(words_of(["a", "b"]), np.array([1.0, 2.0])))
    assert (found["r"].surprisal, found["r"].tokens) == (0.0, 0)
    assert (found[WHOLE].surprisal, found[WHOLE].tokens) == (3.0, 2)


def test_what_was_not_read_or_not_known_is_skipped() -> None:
    item = suite(condition("a", "a b", ("r", "b")))
    assert [m.skipped for m in measured(item, None).values()] == [UNREAD, UNREAD]
    sentence = ReadSentence(words_of(["a", "b"]), np.array([1.0, 2.0]), unknown=frozenset([1]))
    assert measured(item, sentence)["r"].skipped == UNKNOWN


# n-gram models, results and the command


def test_rows_of_a_result(loaded: Loaded) -> None:
    good = condition("good", "The cat sleeps here.", ("verb", "sleeps"))
    bad = condition("bad", "The cats sleeps here.", ("verb", "sleeps"))
    predictions = ("bad.verb > good.verb", "bad.* - good.* > 0 - 1000", "(1;%bad%) = (1;%bad%)")
    item = suite(good, bad, predictions=predictions)
    (table,) = score_suites([item], partial(read_with_causal, CausalReader(loaded)))
    plain, sums, same = table.to_pylist()
    assert [row["id"] for row in (plain, sums, same)] == ["1-0", "1-1", "1-2"]
    assert {row["set_id"] for row in (plain, sums, same)} == {"1"}
    higher, lower = (term["surprisal"] for term in plain["terms"])
    assert plain["decision"] == float(higher > lower)
    assert plain["margin"] == pytest.approx((higher - lower) * log(2))
    assert plain["logp_good"] == pytest.approx(-lower * log(2))
    assert (sums["decision"], sums["margin"], sums["tokens_good"]) == (1.0, None, None)
    whole = -by_hand(loaded, "The cats sleeps here.", [0]) / log(2)
    assert sums["terms"][0]["surprisal"] == pytest.approx(whole, abs=1e-3)
    assert same["decision"] == 1.0


def test_unknown_regions_are_told_with_their_item(loaded: Loaded) -> None:
    table = suite(condition("a", "The cat.", ("verb", "cat")), predictions=("a.verb > b.verb",))
    with pytest.raises(InputError, match=r"item '1': prediction .* no condition 'b'"):
        list(score_suites([table], partial(read_with_causal, CausalReader(loaded))))


TABLES = {
    "item": """
        lemma  UPOS  Noun    Good    Bad
        i1     X     cat     sleeps  sleep
        i2     X     dog     barks   bark
        i3     X     author  writes  write
    """,
    "orthography": """
        rule     left  right  result
        capital  -     -      yes
        stop     -     -      .
    """,
}
FRONT = "slots:\n  row: {from: item}\npredictions: [bad.rest > good.rest, bad.verb > good.verb]\n"
LINES = """
good: the {{ row.Noun }} [verb: {{ row.Good }}] [rest: in the house]
bad: the {{ row.Noun }} [verb: {{ row.Bad }}] [rest: in the house]
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a data set of a suite, ``mandarin`` (the name of a task), and a model."""
    folder = tmp_path_factory.mktemp("suites")
    templates = {"classifier_none": template("classifier_none", FRONT, LINES)}
    root = make_root(folder / "root", TABLES, templates, dataset="mandarin")
    catalogue = '[mandarin]\nversion = "1.0.0"\nconfigs = "paradigms"\n'
    (folder / "root" / "catalogue.toml").write_text(catalogue)
    build("mandarin", out=folder / "mandarin", root=root)
    save_model(folder / "tiny", ["The cat sleeps in the house."] * 20)
    save_ngram(estimate(pa.array(["The cat sleeps in the house ."] * 3), 2), folder / "bigrams")
    return folder


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(main, ["score", *arguments, "--out", "out"])
    assert result.exit_code == 0, result.output
    return result


def made(pattern: str) -> Path:
    """The one result of a name; the fingerprint of the model is not known."""
    (path,) = Path("out").glob(f"{pattern}.json")
    return path.with_suffix("")


def test_the_command_scores_suites_by_region(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    done = run("mandarin/classifier_none", "--model", "tiny")
    assert "all predictions of an item hold: " in done.output
    result = read_result(made("tiny-*-mandarin-classifier_none-region"))
    assert result.run["method"] == "region"
    assert result.summary["rows"] == 6
    assert result.summary["items"]["n"] == 3
    predictions = {"bad.rest > good.rest", "bad.verb > good.verb"}
    assert set(result.summary["by"]["prediction"]) == predictions
    told = CliRunner().invoke(main, ["report", "out", "--by", "prediction"])
    assert told.exit_code == 0
    again = run("mandarin/all", "--model", "tiny", "--method", "region", "--json")
    json.loads(again.stdout)


def test_an_ngram_model_scores_suites(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    run("mandarin/classifier_none", "--model", "bigrams")
    result = read_result(made("bigrams-*-mandarin-classifier_none-region"))
    assert result.summary["overall"]["n"] == 3
    assert result.summary["overall"]["skipped"] == {UNKNOWN: 3}


def test_lm_eval_gives_the_same_numbers(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its own model, with our task: all tokens of this suite end where its regions do."""
    pytest.importorskip("lm_eval", reason="needs the extra `harness`")
    monkeypatch.chdir(work)
    run("mandarin/classifier_none", "--model", "tiny")
    rows = read_result(made("tiny-*-mandarin-classifier_none-region")).table.to_pylist()
    task = "solecism_mandarin_classifier_none"
    found, scores = run_lm_eval(work, monkeypatch, task)
    for sample in found:
        mine = [row["decision"] for row in rows if row["set_id"] == sample["doc"]["id"]]
        assert (sample["acc"], sample["all_hold"]) == (mean(mine), min(mine))
    assert len(found) == 3
    assert scores["acc,none"] == pytest.approx(mean(row["decision"] for row in rows))
