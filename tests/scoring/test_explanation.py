"""The surprisals of the tokens of a pair: their sums are the scores, and they are drawn as bars."""

import io
import json
import math
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from rich.cells import cell_len

import solecism
from causal_models import save_model
from masked_models import PAIRS, loaded, pairs
from solecism.commands import main
from solecism.errors import InputError
from solecism.reports.explained import explained_page, explained_parts, token_rows
from solecism.scoring.explanation import ExplainedPair, explain
from solecism.scoring.items import find_pair, folders_of_data, open_items
from solecism.terminal import Terminal

BITS = math.log(2)


def scored(data: str, model: str, **options: Any) -> dict[str, dict[str, Any]]:
    """What ``solecism.score`` says of each pair."""
    rows = solecism.score(data, model, **options).table.to_pylist()
    return {row["id"]: row for row in rows}


def sums_agree(pair: ExplainedPair, row: dict[str, Any]) -> None:
    for side, sentence in (("good", pair.good), ("bad", pair.bad)):
        assert sentence.surprisal * BITS == pytest.approx(-row[f"logp_{side}"], abs=1e-4)
        assert sum(token.tokens for token in sentence.tokens) == row[f"tokens_{side}"]


def test_tokens_of_ngram_models_add_up_to_scores(folder: Path) -> None:
    name, row = next(iter(scored("clams/fr", "trigrams", limit=1).items()))
    pair = explain(name, "trigrams", "clams/fr")
    sums_agree(pair, row)
    assert pair.good.tokens[-1].note == "end of sentence"
    assert pair.to_json()["good"]["surprisal"] == pair.good.surprisal
    assert (pair.uid, pair.language, pair.data) == (row["UID"], "fr", "clams/fr")


@pytest.mark.parametrize("bos", ["auto", "never"])
def test_tokens_of_causal_models_add_up_to_scores(
    folder: Path, french: list[str], bos: str
) -> None:
    save_model(folder / "tiny", french)
    name, row = next(iter(scored("clams/fr", "tiny", limit=1, bos=bos).items()))
    pair = explain(name, "tiny", bos=bos)
    none = sum(token.surprisal is None for token in pair.good.tokens)
    assert none == (bos == "never")
    for side, sentence in (("good", pair.good), ("bad", pair.bad)):
        assert sentence.surprisal * BITS == pytest.approx(-row[f"logp_{side}"], abs=1e-4)
        assert "".join(t.text for t in sentence.tokens) == sentence.text.replace(" ", "")
    assert pair.margin * BITS == pytest.approx(row["margin"], abs=1e-4)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("method", ["pll", "pll:original"])
def test_tokens_of_masked_models_add_up_to_scores(kind: str, method: str) -> None:
    pq.write_table(pairs(), "some.parquet")
    model = loaded(kind).name
    rows = scored("some.parquet", model, method=method)
    for number in (0, 5):
        name = f"i{number}"
        sums_agree(explain(name, model, "some.parquet", method=method), rows[name])


def test_characters_of_several_tokens_are_one() -> None:
    table = pairs([("他昨天来了。", "他明天来了。", None, None, None)])
    pq.write_table(table, "zh.parquet")
    save_model(Path("tiny"), ["no Chinese here"])
    pair = explain("i0", "tiny", "zh.parquet")
    assert [token.text for token in pair.good.tokens] == list("他昨天来了。")
    assert {token.tokens for token in pair.good.tokens} == {3}
    rows = [(r.good and r.good.text, r.bad and r.bad.text, r.same) for r in token_rows(pair)]
    assert rows[1] == ("昨", "明", False)
    assert [same for *_, same in rows].count(False) == 1


def test_a_method_without_tokens_is_refused(folder: Path) -> None:
    name = next(open_items("clams/fr").tables())["id"][0].as_py()
    with pytest.raises(InputError, match=r"'focus' gives no surprisals of n-gram models"):
        explain(name, "trigrams", method="focus")


def test_pairs_are_found_by_the_beginning_of_an_id(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = next(open_items("clams/fr").tables())["id"][0].as_py()
    assert folders_of_data() == ["clams"]
    assert find_pair(name)[1]["id"] == find_pair(name[:9], "clams")[1]["id"] == name
    with pytest.raises(InputError, match=r"no pair has the id 'nope' \(clams/fr\)"):
        find_pair("nope")
    with pytest.raises(InputError, match="no pair has the id"):
        find_pair(name[:2])
    monkeypatch.delenv("SOLECISM_DATA")
    with pytest.raises(InputError, match="give --data, as clams/he"):
        find_pair(name)


def test_an_id_that_stands_for_more_than_one_pair() -> None:
    table = pairs(PAIRS[:3])
    ids = pa.array(["number1", "number2", "number1"])
    pq.write_table(table.set_column(0, "id", ids), "some.parquet")
    message = r"more than one pair has the id 'numb' \(--data names one\)"
    with pytest.raises(InputError, match=message):
        find_pair("numb", "some.parquet")
    with pytest.raises(InputError, match="number1 of some"):
        find_pair("number1", "some.parquet")
    assert find_pair("number2", "some.parquet")[1]["sentence_good"] == PAIRS[1][0]


def test_the_verb_prints_80_columns(folder: Path) -> None:
    name = next(open_items("clams/fr").tables())["id"][0].as_py()
    done = CliRunner().invoke(main, ["explain", name, "--model", "trigrams", "--html", "e.html"])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert lines[0].startswith(f"{name} · clams/fr · ")
    assert re.search(r"^\S+ +\d+\.\d .*█", done.output, re.MULTILINE)
    assert " ≠ " in done.output
    assert "bits less surprising than" in done.output
    assert "wrote e.html" in done.output
    assert Path("e.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    done = CliRunner().invoke(main, ["explain", name, "--model", "trigrams", "--json"])
    assert json.loads(done.output)["id"] == name


def test_right_to_left_is_kept_apart_in_terminals_and_on_pages(tmp_path: Path) -> None:
    pq.write_table(pairs([PAIRS[5]]), tmp_path / "he.parquet")
    pair = explain("i0", loaded("bert").name, str(tmp_path / "he.parquet"))
    console = Terminal(width=80, file=io.StringIO())
    console.print(*explained_parts(pair), sep="\n")
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    (token,) = [line for line in lines if line.startswith("\u2067הסופרים")]
    assert token.index("\u2069") < token.index(".")
    assert max(map(cell_len, lines[2:])) <= 80
    page = explained_page(pair)
    assert page.count('dir="rtl"') == 4
    assert not re.search(r"https?://|url\(|@import|<script", page)
    assert "<small>" not in page
