"""Normalised scores: their formulas, ties, summaries, and the unigram models that SLOR needs."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

import solecism
from scored import make_pairs, make_scores, write_result
from solecism.baselines.ngram import load_ngram
from solecism.commands import main
from solecism.scoring.normalise import (
    DIFFERENCES,
    NORMALISERS,
    estimate_unigram,
    find_normaliser,
    margins,
)
from solecism.scoring.results import Result, read_result, right_or_tie, scores_table
from solecism.scoring.summary import renormalise, summarize


def table(*rows: tuple[Any, ...], unigrams: Any = None) -> pa.Table:
    """A result of rows: log P, tokens, bytes and characters of the good and the bad side."""
    logp, tokens = np.array([row[:2] for row in rows]).T, np.array([row[2:4] for row in rows]).T
    texts = [
        ["é" * (row[n] - row[n + 2]) + "e" * (2 * row[n + 2] - row[n]) for row in rows]
        for n in (4, 5)
    ]
    pairs, skipped = make_pairs(len(rows)), [None] * len(rows)
    return scores_table(pairs, "sentence", logp, tokens, texts, skipped, unigrams)


def decisions(table: pa.Table, name: str) -> pa.Array:
    return pa.array(right_or_tie(margins(table, find_normaliser(name))), from_pandas=True)


LONGER = (-20.0, -18.0, 10, 8, 40, 30, 36, 30)
"""A pair whose good side is longer, and worse by the sum alone."""


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("sum", -20.0, -18.0),
        ("token", -2.0, -2.25),
        ("byte", -0.5, -0.6),
        ("char", -20 / 36, -0.6),
        ("slln", -20 / math.sqrt(10), -18 / math.sqrt(8)),
        ("slln:0.8", -20 / 10**0.8, -18 / 8**0.8),
        ("slor", (-20 + 50) / 10, (-18 + 45) / 8),
    ],
)
def test_formulas(name: str, good: float, bad: float) -> None:
    found = table(LONGER, unigrams=([-50.0], [-45.0]))
    normaliser = find_normaliser(name)
    length = {"chars": 36, "bytes": 40}.get(normaliser.length, 10) ** normaliser.alpha
    assert margins(found, normaliser)[0] / length == pytest.approx(good - bad)
    assert decisions(found, name).to_pylist() == [float(good > bad)]


def test_sides_of_one_length_are_decided_as_by_the_sum() -> None:
    rng = np.random.default_rng(0)
    good = rng.normal(-40, 3, 500)
    bad = good + rng.choice([0.0, 5e-10, -5e-10, 2e-9, -2e-9, 1.0], 500)
    same = rng.integers(1, 30, 500)
    found = table(*((g, b, n, n, n, n, n, n) for g, b, n in zip(good, bad, same, strict=True)))
    for name in ("token", "char", "byte", "slln", "slln:0.3"):
        assert decisions(found, name).to_pylist() == found["decision"].to_pylist()
    assert 0.5 in found["decision"].to_pylist()


def test_the_summary_counts_each_normaliser() -> None:
    rng = np.random.default_rng(1)
    n = 400
    logp = rng.normal(-30, 3, (2, n))
    tokens, *lengths = rng.integers(1, 12, (2, 2, n))
    skipped = ["too long" if rng.random() < 0.1 else None for _ in range(n)]
    texts = [["x" * length for length in side] for side in lengths[0]]
    made = scores_table(make_pairs(n), "sentence", logp, tokens, texts, skipped, logp - 5)
    found, rows = summarize(made, "xx"), made.to_pandas().query("skipped.isnull()")
    for name in [name for name in NORMALISERS if name != "sum"]:
        wanted = decisions(made, name).to_pandas()[rows.index]
        overall = found["normalised"]["overall"][name]
        assert (overall["n"], overall["ties"]) == (len(rows), sum(wanted == 0.5))
        assert overall["accuracy"] == pytest.approx(wanted.mean())
        assert overall["low"] < overall["accuracy"] < overall["high"]
        assert "skipped" not in overall
        for uid, some in wanted.groupby(rows["UID"]):
            own = found["normalised"]["UID"][uid][name]
            assert (own["n"], own["accuracy"]) == (len(some), pytest.approx(some.mean()))
    apart = (rows["tokens_good"] - rows["tokens_bad"]).clip(-3, 3)
    assert found["tokens_differ"]["share"] == pytest.approx((apart != 0).mean())
    assert list(found["tokens_differ"]["by"]) == list(DIFFERENCES)
    for difference, some in rows["decision"].groupby(apart):
        by = found["tokens_differ"]["by"][DIFFERENCES[int(difference) + 3]]
        assert (by["n"], by["accuracy"]) == (len(some), pytest.approx(some.mean()))


def test_without_sums_the_summary_has_none() -> None:
    scores = make_scores(make_pairs(8))
    place = scores.column_names.index("method")
    cloze = scores.set_column(place, "method", pa.array(["cloze"] * 8))
    assert not {"normalised", "tokens_differ"} & set(summarize(cloze, "xx"))


@pytest.fixture
def result(tmp_path: Path) -> Result:
    """A result of which half the good sides have a token more."""
    pairs, rng = make_pairs(200), np.random.default_rng(2)
    logp = rng.normal(-20, 2, (2, 200))
    tokens = np.array([[6, 5] * 100, [5] * 200])
    skipped = ["too long", *[None] * 199]
    texts = [["x" * length for length in side] for side in tokens]
    made = scores_table(pairs, "sentence", logp, tokens, texts, skipped)
    return read_result(write_result(tmp_path / "one", made))


def test_a_result_is_recounted(result: Result) -> None:
    found = renormalise(result, "slln:0.8")
    assert renormalise(result, "sum") is result
    assert "|normaliser:slln:0.8|" in found.signature
    assert found.run["options"]["normaliser"] == "slln:0.8"
    assert "normaliser" not in result.signature
    wanted = decisions(result.table, "slln:0.8").to_pylist()
    assert found.table["decision"].to_pylist() == wanted
    assert found.read(["id", "decision"])["decision"].to_pylist() == wanted
    assert found.read(["logp_good"]).column_names == ["logp_good"]
    assert wanted[0] is None
    assert found.accuracy == pytest.approx(np.mean(wanted[1:]))
    assert found.accuracy != result.accuracy
    assert found.summary["overall"]["skipped"] == {"too long": 1}
    token = renormalise(result, "token").summary
    assert token["overall"]["accuracy"] == token["normalised"]["overall"]["token"]["accuracy"]
    assert set(token["by"]["UID"]) == set(result.summary["by"]["UID"])


def test_reports_by_a_normaliser(result: Result) -> None:
    made = solecism.report(result, by="UID", normaliser="token")
    assert made.results[0].accuracy == renormalise(result, "token").accuracy
    done = CliRunner().invoke(main, ["report", str(result.path), "--normaliser", "token"])
    assert done.exit_code == 0
    assert "|normaliser:token|" in done.stdout
    wrong = CliRunner().invoke(main, ["report", str(result.path), "--normaliser", "slor"])
    assert wrong.exit_code == 2
    assert "one.json: the result has nothing in column 'unigram_good'" in wrong.stderr
    unknown = CliRunner().invoke(main, ["report", str(result.path), "--normaliser", "tokn"])
    assert "unknown normaliser 'tokn' (did you mean 'token'?" in unknown.stderr


TEXT = "le chat dort\n\nle chien dort\n  le chat mange  \n"


def test_a_unigram_model_adds_one_to_each_count(folder: Path) -> None:
    sentence = "le chat que"
    (folder / "text.txt").write_text(TEXT * 3)
    model = load_ngram("trigrams")
    found = estimate_unigram("text.txt", model)
    words = Counter(word if word in model.words else "<unk>" for word in TEXT.split() * 3)
    words["</s>"] = 9
    total = math.log(sum(words.values()) + len(model.words))
    asked = [*(w if w in model.words else "<unk>" for w in sentence.split()), "</s>"]
    wanted = sum(math.log(words[word] + 1) - total for word in asked)
    texts = pa.array([sentence, "", sentence])
    assert found.of_words(model, texts).tolist()[::2] == pytest.approx([wanted] * 2)
    assert np.exp(found.logp).sum() == pytest.approx(1.0)
    assert str(found) == f"text.txt#{found.digest[:8]}"


def test_the_unigram_model_is_in_signature_and_name(folder: Path) -> None:
    (folder / "text.txt").write_text(TEXT)
    arguments = ["score", "clams/fr", "--model", "trigrams", "--limit", "30"]
    done = CliRunner().invoke(main, [*arguments, "--unigram", str(folder / "text.txt")])
    assert done.exit_code == 0, done.output
    assert "by normaliser: sum " in done.output
    assert "as many tokens" in done.output
    (path,) = Path("results").glob("*unigram_text.txt_*.json")
    result = read_result(path)
    assert "|unigram:text.txt#" in result.signature
    assert set(result.summary["normalised"]["overall"]) == set(NORMALISERS) - {"sum"}
    plain = solecism.score("clams/fr", "trigrams", limit=30)
    assert "unigram" not in plain.signature
    assert plain.table["unigram_good"].null_count == 30
    assert plain.table["logp_good"].equals(result.table["logp_good"])
