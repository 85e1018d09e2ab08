"""Tests of `where`: tables made at once equal those made one by one; slots that ask for classes and
numbers."""

from pathlib import Path

import pytest

from drawing import make_paradigm, rows
from expecting import problems_of
from solecism.grammar.paradigm import Paradigm

TABLES = {
    "noun": """
        lemma   Number=Sing  Number=Plur  Class        Kind   Freq
        cat     cat          cats         pet          small  4.50
        bear    bear         bears        animal       large  3.20
        table   table        tables       thing        large  5.00
        toy     toy          toys         thing,pet    small  3.00
        idea    idea         -            -            none   -
    """,
    "verb": """
        lemma  Object        Wants
        sees   -             small
        feeds  animal        large
        buys   thing,pet     small
        moves  thing         none
    """,
    "pron": """
        lemma  Case=Nom  Gender=Masc|Number=Sing  Gender=Fem|Number=Sing  Gender
        self   -         himself                  herself                 -
        she    she       -                        -                       Fem
    """,
    "classes": """
        class   parent
        animal  -
        pet     animal
        thing   -
    """,
}
LINES = "good: {{ sees }} {{ cat }}\nbad: {{ cat }} {{ sees }}"


def paradigm(folder: Path, where: str = "", cat: str = "{from: noun}") -> Paradigm:
    front = f"slots:\n  sees: {{from: verb}}\n  cat: {cat}\n" + (f"where: {where}" if where else "")
    return make_paradigm(folder, TABLES, front, LINES)


def test_selection_by_hand(tmp_path: Path) -> None:
    made = {row["sentence_good"] for row in rows(paradigm(tmp_path, "cat is under(sees.Object)"))}
    assert {text for text in made if text.startswith("feeds")} == {
        "feeds cat", "feeds cats", "feeds bear", "feeds bears", "feeds toy", "feeds toys",
    }  # fmt: skip
    assert {text for text in made if text.startswith("moves")} == {
        "moves table", "moves tables", "moves toy", "moves toys",
    }  # fmt: skip


def lemmas(paradigm: Paradigm, slot: int = 1) -> set[str]:
    return {word.row.lemma for word in paradigm.plan.domains[slot].words}


@pytest.mark.parametrize(
    ("cat", "wanted"),
    [
        ("{from: noun, under: animal}", {"cat", "bear", "toy"}),
        ("{from: noun, under: [pet, thing]}", {"cat", "toy", "table"}),
        ('{from: noun, Freq: ">=3.2"}', {"cat", "bear", "table"}),
        ('{from: noun, Freq: [">3", "<4.6"]}', {"cat", "bear"}),
        ('{from: noun, Freq: ["<=3.2", "5.00"]}', set()),
        ("{from: noun, under: animal, Kind: small}", {"cat", "toy"}),
    ],
)
def test_a_slot_asks_for_classes_and_numbers(tmp_path: Path, cat: str, wanted: set[str]) -> None:
    if wanted:
        assert lemmas(paradigm(tmp_path, "", cat)) == wanted
    else:
        found = problems_of(lambda: paradigm(tmp_path, "", cat), tmp_path)
        assert "slot 'cat': no word of noun fits {Freq: <=3.2|5.00}" in found[0]


@pytest.mark.parametrize(
    ("cat", "message"),
    [
        ("{from: noun, under: anmal}", "slot 'cat': under: there is no class 'anmal'"),
        ("{from: pron, under: animal}", "slot 'cat': under: pron.tsv has no column 'Class'"),
        ('{from: noun, Kind: ">3"}', "slot 'cat': Kind '>3': no word has a number there"),
        ("{from: noun, oneof: [a]}", "slot 'cat': beside `oneof` nothing can be asked"),
        ("{oneof: [a, a]}", "slot 'cat': a text of `oneof` stands twice"),
    ],
)
def test_a_bad_slot_is_told(tmp_path: Path, cat: str, message: str) -> None:
    found = problems_of(lambda: paradigm(tmp_path, "", cat), tmp_path)
    assert any(message in one for one in found)


def test_a_feature_that_is_a_property_too_narrows_the_forms_of_words_without_it(
    tmp_path: Path,
) -> None:
    words = paradigm(tmp_path, "", "{from: pron, Gender: Fem}").plan.domains[1].words
    assert [word.text for word in words] == ["herself", "she"]


@pytest.mark.parametrize("test", ['cat.Gender == "Fem"', '(cat.Gender == "Fem" or cat == "x")'])
def test_a_word_without_a_property_leaves_it_to_its_form(tmp_path: Path, test: str) -> None:
    """The column Gender of `self` is empty, and its forms differ in gender."""
    made = paradigm(tmp_path, f"'{test}'", "{from: pron, Number: Sing}")
    assert {row["sentence_good"].split()[1] for row in rows(made)} == {"herself"}


@pytest.mark.parametrize(
    "test", ['cat.lemma != "cat#2"', 'cat.Kind == "small" or cat.lemma in ["toy", "cat#2"]']
)
def test_a_lemma_with_a_mark_is_refused(tmp_path: Path, test: str) -> None:
    found = problems_of(lambda: paradigm(tmp_path, f"'{test}'"), tmp_path)
    assert "where: 'cat#2': a lemma is without its mark here: 'cat'" in found[0]


def test_a_word_equals_its_form(tmp_path: Path) -> None:
    made = rows(paradigm(tmp_path, '\'cat == "cats" and sees != "sees"\''))
    assert {row["sentence_good"] for row in made} == {"feeds cats", "buys cats", "moves cats"}
