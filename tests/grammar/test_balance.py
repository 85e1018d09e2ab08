"""Balanced draws: each value as often as each other, in any first part, and stable."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from drawing import Files, drawn, make_paradigm, never_list, rows
from expecting import problems_of
from solecism.grammar.paradigm import Counts, Paradigm

SPELLING = """
    rule     left  right  result
    capital  -     -      yes
    stop     -     -      .
"""
LINES = """
    good: eva {{ sees }} {{ this | agree(cat) }} {{ cat }}
    bad:  eva {{ sees }} {{ this | agree(cat) }} {{ cat | clash(cat, "Number") }}
"""
SLOTS = """
    slots:
      sees: {from: verb}
      this: {from: det}
      cat:  {from: noun}
    where: cat is under(sees.Object)
"""


def tables(nouns: int = 40) -> Files:
    """Verbs of which one takes all nouns and two take every tenth."""
    words = [
        f"n{i:03}  n{i:03}  n{i:03}s  {'tenth' if i % 10 == 0 else 'thing'}" for i in range(nouns)
    ]
    return {
        "noun": "\n".join(["lemma  Number=Sing  Number=Plur  Class", *words]),
        "verb": "lemma  Object\nsees  -\nlikes  tenth\nhates  tenth",
        "det": "lemma  Number=Sing  Number=Plur\nthis  this  these\nthat  that  those",
        "classes": "class  parent\nthing  -\ntenth  thing",
        "orthography": SPELLING,
    }


def paradigm(folder: Path, balance: str, draw: int, nouns: int = 40) -> Paradigm:
    front = f"{SLOTS}    balance: {balance}\n    draw: {draw}"
    return make_paradigm(folder, tables(nouns), front, LINES)


def forms(table: pa.Table, slot: str) -> list[str]:
    return [s["form"] for row in table["slots"].to_pylist() for s in row if s["name"] == slot]


def number_of(form: str) -> str:
    return "Plur" if form.endswith("s") else "Sing"


def test_any_first_part_is_balanced(tmp_path: Path) -> None:
    table = drawn(paradigm(tmp_path, "[cat.Number, this.lemma]", 80))
    kinds = [
        (number_of(cat), this in ("this", "these"))
        for cat, this in zip(forms(table, "cat"), determiners(table), strict=True)
    ]
    for size in range(4, 81, 4):
        assert set(Counter(kinds[:size]).values()) == {size // 4}


def determiners(table: pa.Table) -> list[str]:
    return [text.split()[2] for text in table["sentence_good"].to_pylist()]


def test_a_value_with_few_combinations_gives_all_and_the_others_fill_up(tmp_path: Path) -> None:
    """likes and hates: 4 nouns x 2 numbers x 2 determiners each; sees gives the rest."""
    table = drawn(paradigm(tmp_path, "sees.lemma", 150))
    assert Counter(forms(table, "sees")) == {"sees": 118, "likes": 16, "hates": 16}


@pytest.mark.parametrize("listed", [True, False])
def test_a_word_that_is_added_leaves_most_of_a_draw_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: bool
) -> None:
    """With one noun more nearly all of 60 pairs keep their words."""
    if not listed:
        never_list(monkeypatch)
    kept = [
        set(drawn(paradigm(tmp_path / str(n), "[sees.lemma, cat.Number]", 60, n))["id"].to_pylist())
        for n in (101, 102)
    ]
    assert len(kept[0] & kept[1]) >= 54


@pytest.mark.parametrize(
    ("balance", "draw", "message"),
    [
        ("dog", "9", "there is no slot 'dog' (slots: sees, this, cat) in {{ dog }}"),
        ("cat.lemma ~ sees.lemma", "9", "must ask something of one slot"),
        ("cat.Genus", "9", "slot 'cat': noun.tsv has no column 'Genus'"),
        ("cat", "all", "balance: there is nothing to balance with `draw: all`"),
    ],
)
def test_a_bad_balance_is_told(tmp_path: Path, balance: str, draw: str, message: str) -> None:
    front = f"{SLOTS}    balance: {balance}\n    draw: {draw}"
    found = problems_of(lambda: make_paradigm(tmp_path, tables(), front, LINES), tmp_path)
    assert message in str(found)


def test_the_rarest_word_printed_is_measured(tmp_path: Path) -> None:
    """A word that is drawn but not printed does not count, nor one without a number."""
    files = {
        "noun": "lemma  Number=Sing  Freq\ncat  cat  4.99\ndog  dog  3.2\ncow  cow  -",
        "verb": "lemma  VerbForm=Inf  Freq\nmeow  meow  4.5\nmoo  moo  6",
        "orthography": SPELLING,
    }
    front = """
        slots:
          cat:  {from: noun}
          meow: {from: verb}
        features: {rarest: $rarest}
        draw: all
    """
    lines = """
        good: a {{ cat }} may {{ meow if meow.lemma == "meow" else "sit" }}
        bad:  a {{ cat }} must may {{ meow if meow.lemma == "meow" else "sit" }}
    """
    found = rows(make_paradigm(tmp_path, files, front, lines), extra=("rarest",))
    assert {row["sentence_good"]: row["features"]["rarest"] for row in found} == {
        "A cat may meow.": "4.5", "A cat may sit.": "4.5", "A dog may meow.": "3", "A dog may sit.": "3",
        "A cow may meow.": "4.5", "A cow may sit.": None,
    }  # fmt: skip


def test_features_can_be_measured_on_the_pair(tmp_path: Path) -> None:
    front = f"{SLOTS}    features: {{words: $length, crucial: $good, wrong: $bad, before: $before}}"
    extra = ("words", "crucial", "wrong", "before")
    row = rows(make_paradigm(tmp_path, tables(3), front, LINES), extra=extra)[0]
    assert row["sentence_good"] == "Eva hates those n000s."
    assert {name: row["features"][name] for name in extra} == {
        "words": "4", "crucial": "n000s", "wrong": "n000", "before": "3",
    }  # fmt: skip


def test_no_sentence_is_made_twice(tmp_path: Path) -> None:
    """A switch that does not show makes each sentence twice: one of the two is left out, and
    counted."""
    front = "slots: {cat: {from: noun}, side: {oneof: [left, right]}}\ndraw: 20"
    lines = """
        good: the {{ cat if side == "left" else cat }} sleeps
        bad:  the {{ cat if side == "left" else cat }} sleep
    """
    counts = Counts()
    table = drawn(make_paradigm(tmp_path, tables(10), front, lines), counts=counts)
    assert len(set(table["sentence_good"].to_pylist())) == 20
    assert counts.skipped["repeated"] > 0
