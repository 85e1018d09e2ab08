"""Slots: the words a template draws from, and what is told of slots that cannot be filled."""

from pathlib import Path

import pytest

from expecting import problems_of
from solecism.grammar.paradigm import load_paradigm
from solecism.grammar.phrases import Phrases
from solecism.grammar.slots import Domain, fill_slot
from solecism.grammar.template import Slot
from solecism.grammar.words import ROW, WHOLE
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
        ("noun", {"lemma": "chef|book", "Number": "Sing"}, ["book", "chef"]),
        ("verb", {"Object": "artwork", "Number": "Plur"}, ["like"]),
        ("verb", {"Person": "3", "Frame": "intransitive"}, ["laughs", "sells"]),
        ("pron", {"Case": "Acc"}, ["me", "you"]),
        ("pron", {"Number": "Sing", "Case": "Nom"}, ["I"]),
        (
            "noun|pron",
            {"Set": "2", "Case": "Nom"},
            ["chefs", "chef", "guards", "guard", "I", "you"],
        ),
        ("adv", {"Class": "place"}, ["here"]),
        ("adv", {}, ["here", "now"]),
    ],
)
def test_properties_select_words_and_features_select_forms(
    root: Path, tables: str, wants: dict[str, str], expected: list[str]
) -> None:
    assert texts(fill(root, tables, **wants)) == expected


def test_a_word_that_only_agrees_keeps_the_forms_that_fit(root: Path) -> None:
    (like,) = fill(root, "verb", ROW, Number="Plur", lemma="like").words
    assert [str(cell) for cell in like.cells] == ["Number=Plur|Tense=Pres"]


def test_the_order_of_the_rows_does_not_matter(root: Path) -> None:
    before = fill(root, "noun")
    path = root / "lexicons/xx/noun.tsv"
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    rewrite(path, "\n".join([header, *reversed(rows)]) + "\n")
    after = fill(root, "noun")
    assert after.names == before.names
    assert after.hashes.tolist() == before.hashes.tolist()


@pytest.mark.parametrize(
    ("tables", "wants", "messages"),
    [
        (
            "noun",
            {"Animcy": "Anim"},
            [
                "slot 'author': noun.tsv has no column 'Animcy' (did you mean 'Animacy'? "
                "columns: lemma, Animacy, Class, Set, Number)"
            ],
        ),
        (
            "noun|pron",
            {"Clas": "x"},
            [
                "slot 'author': noun.tsv nor pron.tsv has no column 'Clas' (did you mean 'Class'? "
                "columns: lemma, Animacy, Class, Set, Number, Person, Case)"
            ],
        ),
        (
            "noun",
            {"Animacy": "Anmi", "Set": "1|9"},
            [
                "slot 'author': no word has Animacy 'Anmi' (did you mean 'Anim'? "
                "values: Anim, Inan)",
                "slot 'author': no word has Set '9' (values: 1, 2, 3)",
            ],
        ),
        (
            "verb",
            {"Number": "Dual"},
            ["slot 'author': no word has Number 'Dual' (values: Plur, Sing)"],
        ),
        (
            "noun",
            {"lemma": "guards"},
            [
                "slot 'author': no word has lemma 'guards' (did you mean 'guard'? "
                "values: author, book, chef, guard, pilot)"
            ],
        ),
        (
            "noun",
            {"Set": "1", "Animacy": "Inan"},
            ["slot 'author': no word of noun fits {Set: 1, Animacy: Inan}"],
        ),
        (
            "det",
            {"lemma": "a", "Number": "Plur"},
            ["slot 'author': no word of det fits {lemma: a, Number: Plur}"],
        ),
    ],
)
def test_a_slot_that_cannot_be_filled_is_told(
    root: Path, tables: str, wants: dict[str, str], messages: list[str]
) -> None:
    assert problems_of(lambda: fill(root, tables, **wants), root) == [
        f"templates/x.jinja:7: {message}" for message in messages
    ]


def told(root: Path, old: str, new: str, path: str = "templates/demo/xx/simple.jinja") -> list[str]:
    """What is told of the tiny template ``simple`` with one text replaced."""
    edit(root / path, old, new)
    template = root / "templates/demo/xx/simple.jinja"
    return problems_of(lambda: load_paradigm(template, Lexicon(root / "lexicons/xx")), root)


SIMPLE = "templates/demo/xx/simple.jinja"


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
            "Frame: intransitive",
            "Frame: transitiv",
            "8: slot 'laughs': no word has Frame 'transitiv' (did you mean 'transitive'? "
            "values: intransitive, transitive)",
        ),
        (
            "{from: noun}",
            "{from: noun}\n  guard: {from: noun}",
            "8: slot 'guard' is used in no line",
        ),
        (
            "{{ the(author) }}",
            "{{ the(auhtor) }}",
            "12: there is no slot 'auhtor' (did you mean 'author'? slots: author, laughs) "
            "in {{ the(auhtor) }}",
        ),
        (
            "where: author is under(laughs.Subject)",
            "where: author.Animacy == laughs.Subjct",
            "9: where: slot 'laughs': verb.tsv has no column 'Subjct' (did you mean 'Subject'? "
            "columns: lemma, Frame, Number, Object, Person, Subject, Tense)",
        ),
    ],
)
def test_a_slot_is_told_with_the_line_of_the_template(
    root: Path, old: str, new: str, message: str
) -> None:
    assert told(root, old, new) == [f"{SIMPLE}:{message}"]


def test_a_bad_table_is_told_once_and_with_its_own_place(root: Path) -> None:
    edit(root / SIMPLE, "{from: noun}", "{from: noun}\n  guard: {from: noun}")
    edit(root / SIMPLE, "good: ", "good: {{ guard }} ")
    noun = "lexicons/xx/noun.tsv"
    assert told(root, "pilot\tpilot", "author\tpilot", noun) == [
        f"{noun}:4: lemma 'author' stands already in line 3"
    ]


def test_problems_of_all_slots_come_at_once(root: Path) -> None:
    edit(root / SIMPLE, "{from: noun}", "{from: noun, Set: 7}")
    messages = told(root, "Frame: intransitive", "Fame: intransitive")
    assert [message.split(": ")[1] for message in messages] == ["slot 'author'", "slot 'laughs'"]
