"""Slots: the words a template draws from, and what is told of slots that cannot be filled."""

from pathlib import Path

import pytest

from drawing import make_paradigm, sentences
from expecting import problems_of
from solecism.grammar.paradigm import load_paradigm
from solecism.grammar.phrases import Phrases
from solecism.grammar.slots import Domain, fill_slot
from solecism.grammar.template import Slot
from solecism.grammar.words import WHOLE
from solecism.lexicon.lexicon import Lexicon
from tiny import edit, make_root, rewrite

PRONOUNS = "lemma\tCase=Nom\tCase=Acc\tPerson\tNumber\nI\tI\tme\t1\tSing\nyou\tyou\tyou\t2\t\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_root(tmp_path)
    rewrite(tmp_path / "lexicons/xx/pron.tsv", PRONOUNS)
    rewrite(tmp_path / "lexicons/xx/adv.tsv", "lemma\tClass\nhere\tplace\nnow\ttime\n")
    return tmp_path


def fill(root: Path, tables: str, asked: str = WHOLE, **wants: str) -> Domain:
    lists = {name: tuple(value.split("|")) for name, value in wants.items()}
    slot = Slot("author", tuple(tables.split("|")), lists, 7)
    lexicon = Lexicon(root / "lexicons/xx")
    phrases = Phrases(root / "templates/demo/xx", lexicon)
    return fill_slot(slot, frozenset([asked]), phrases, "templates/x.jinja")


def texts(domain: Domain) -> list[str]:
    return [word.text for word in domain.words]


@pytest.mark.parametrize(
    ("tables", "wants", "expected"),
    [
        ("noun", {"Set": "1|2", "Number": "Plur"}, ["authors", "chefs", "guards", "pilots"]),
        ("verb", {"Object": "artwork", "Number": "Plur"}, ["like"]),
        ("pron", {"Number": "Sing", "Case": "Nom"}, ["I"]),
        (
            "noun|pron",
            {"Set": "2", "Case": "Nom"},
            ["chefs", "chef", "guards", "guard", "I", "you"],
        ),
        ("adv", {"Class": "place"}, ["here"]),
    ],
)
def test_properties_select_words_and_features_select_forms(
    root: Path, tables: str, wants: dict[str, str], expected: list[str]
) -> None:
    assert texts(fill(root, tables, **wants)) == expected


@pytest.mark.parametrize(
    ("tables", "wants", "message"),
    [
        (
            "noun|pron",
            {"Clas": "x"},
            "noun.tsv nor pron.tsv has no column 'Clas' (did you mean 'Class'? "
            "columns: lemma, Animacy, Class, Set, Number, Person, Case)",
        ),
        (
            "noun",
            {"Animacy": "Anmi"},
            "no word has Animacy 'Anmi' (did you mean 'Anim'? values: Anim, Inan)",
        ),
        ("noun", {"Set": "1|9"}, "no word has Set '9' (values: 1, 2, 3)"),
        ("noun", {"Set": "1", "Animacy": "Inan"}, "no word of noun fits {Set: 1, Animacy: Inan}"),
    ],
)
def test_a_slot_that_cannot_be_filled_is_told(
    root: Path, tables: str, wants: dict[str, str], message: str
) -> None:
    assert problems_of(lambda: fill(root, tables, **wants), root) == [
        f"templates/x.jinja:7: slot 'author': {message}"
    ]


SIMPLE = "templates/demo/xx/simple.jinja"


def told(root: Path, old: str, new: str) -> list[str]:
    """What is told of the tiny template ``simple`` with one text replaced."""
    edit(root / SIMPLE, old, new)
    return problems_of(lambda: load_paradigm(root / SIMPLE, Lexicon(root / "lexicons/xx")), root)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "{from: noun}",
            "{from: nuon}",
            "7: slot 'author': lexicon 'xx' has no table 'nuon' (did you mean 'noun'? "
            "tables: adv, det, noun, pron, verb)",
        ),
        (
            "{from: noun}",
            "{from: noun}\n  guard: {from: noun}",
            "8: slot 'guard' is used in no line",
        ),
    ],
)
def test_a_slot_is_told_with_the_line_of_the_template(
    root: Path, old: str, new: str, message: str
) -> None:
    assert told(root, old, new) == [f"{SIMPLE}:{message}"]


def test_problems_of_all_slots_come_at_once(root: Path) -> None:
    edit(root / SIMPLE, "{from: noun}", "{from: noun, Set: 7}")
    messages = told(root, "Frame: intransitive", "Fame: intransitive")
    assert [message.split(": ")[1] for message in messages] == ["slot 'author'", "slot 'laughs'"]


CONSTRUCT = """
    lemma   Number=Sing  Number=Plur  Definite=Cons|Number=Sing  Definite=Cons|Number=Plur
    dira    dira         dirot        dirat                      dirot-
"""


@pytest.mark.parametrize(
    ("state", "shown", "drawn"),
    [
        ("", "{{ flat }} {{ flat | form(Definite='Cons') }}", ["dira dirat", "dirot dirot-"]),
        (", Definite: Cons", "{{ flat }}", ["dirat", "dirot-"]),
    ],
)
def test_forms_that_must_be_asked_for_are_drawn_only_then(
    tmp_path: Path, state: str, shown: str, drawn: list[str]
) -> None:
    columns = "column\ttables\tvalues\tasked\tmeaning\nDefinite\tnoun\tDef,Cons\tCons\tstate\n"
    rewrite(tmp_path / "lexicons/columns.tsv", columns)
    front = f"slots: {{flat: {{from: noun, Number: [Sing, Plur]{state}}}}}"
    paradigm = make_paradigm(
        tmp_path, {"noun": CONSTRUCT}, front, f"good: a {shown}\nbad: b {shown}"
    )
    assert sorted(good for good, _ in sentences(paradigm)) == [f"a {text}" for text in drawn]


def test_a_part_hashes_as_its_main_table_and_repeats_none_of_its_words(tmp_path: Path) -> None:
    """Two slots that draw from a table and from a part of it never have the same word."""
    nouns = {"noun": "lemma  Number=Sing\na  a\nb  b", "noun.art": "lemma  Set\na  1"}
    front = "slots: {n: {from: noun.art}, m: {from: noun}}"
    paradigm = make_paradigm(tmp_path, nouns, front, "good: {{ n }} {{ m }}\nbad: {{ m }} {{ n }}")
    assert paradigm.plan.domains[0].names == ["noun:a:Number=Sing"]
    assert sentences(paradigm) == [("a b", "b a")]
