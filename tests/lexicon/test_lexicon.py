"""Lexicon tables: reading, writing, and what is told of bad ones. Lexicons of a language."""

from pathlib import Path

import pytest

from expecting import problems_of
from solecism.lexicon.features import Feats
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import Table, read_table, table_text
from tiny import rewrite

HEADER = "lemma\tNumber=Sing\tNumber=Plur\tGender\n"


def table(tmp_path: Path, text: str, name: str = "noun") -> Table:
    return read_table(rewrite(tmp_path / f"{name}.tsv", text))


def told(tmp_path: Path, text: str, name: str = "noun") -> list[str]:
    return problems_of(lambda: table(tmp_path, text, name), tmp_path)


def test_rows_are_read_whole_and_written_as_they_were_read(
    tmp_path: Path,
) -> None:
    text = (
        "# nouns\n\nlemma\tNumber=Sing\tNumber=Plur\tGender\tSet\n"
        "Band#1\tBand\tBänder\tNeut\t1\n# the other one\nBand#2\tBand\t\tMasc,Fem\t\n"
    )
    nouns = table(tmp_path, text)
    first, second = nouns.rows
    assert [first.line, second.line] == [4, 6]
    assert first.forms == {Feats.parse("Number=Sing"): "Band", Feats.parse("Number=Plur"): "Bänder"}
    assert second.forms == {Feats.parse("Number=Sing"): "Band"}
    assert second.properties == {"Gender": "Masc,Fem", "Set": ""}
    assert (first.shown, second.shown, first.upos) == ("Band", "Band", "NOUN")
    assert str(second.inherent) == "Gender=Fem,Masc"
    assert nouns.feature_names == ("Number",)
    assert nouns.row("Band#2") is second
    again = table(tmp_path, table_text(nouns, ["made by a test"]))
    assert again.rows == nouns.rows
    assert (again.cells, again.columns) == (nouns.cells, nouns.columns)


def test_other_tables_take_their_part_of_speech_from_a_column(tmp_path: Path) -> None:
    relatives = table(tmp_path, "lemma\tCase=Nom\tUPOS\nder\tder\tPRON\nwo\two\tADV\n", "rel")
    assert [row.upos for row in relatives.rows] == ["PRON", "ADV"]


def test_missing_cells_at_the_end_of_a_line_are_empty(tmp_path: Path) -> None:
    assert table(tmp_path, HEADER + "ami\tami\n") == table(tmp_path, HEADER + "ami\tami\t\t\n")


def test_a_marked_row_without_forms_has_those_of_its_lemma(tmp_path: Path) -> None:
    rows = table(tmp_path, HEADER + "ami\tami\tamis\tMasc\nami#2\t\t\tFem\nami#3\tami\n").rows
    assert rows[1].forms == rows[0].forms
    assert rows[1].properties == {"Gender": "Fem"}
    assert list(rows[2].forms.values()) == ["ami"]


NOUNS = HEADER + "ami\tami\tamis\tMasc\nami#2\t\t\tFem\nchat\tchat\tchats\tMasc\n"


def part_of(tmp_path: Path, text: str, *, main: bool = True) -> Table:
    """The table noun.art: a part of NOUNS if there is a ``main`` table."""
    if main:
        rewrite(tmp_path / "noun.tsv", NOUNS)
    rewrite(tmp_path / "noun.art.tsv", text)
    return Lexicon(tmp_path).table("noun.art")


def test_a_part_inherits_what_it_has_no_column_for(tmp_path: Path) -> None:
    part = part_of(tmp_path, "lemma\tSet\nchat\t1\nami#2\t2\nami#3\t3\n")
    assert part.columns == ("Set", "Gender")
    assert [row.properties["Gender"] for row in part.rows] == ["Masc", "Fem", "Masc"]
    assert [sorted(row.forms.values()) for row in part.rows] == [
        ["chat", "chats"], ["ami", "amis"], ["ami", "amis"]
    ]  # fmt: skip
    assert {row.upos for row in part.rows} == {"NOUN"}
    assert (part.main, part.key) == ("noun", "noun")


def test_a_part_may_say_what_ids_call_it(tmp_path: Path) -> None:
    assert part_of(tmp_path, "# key: art_noun\nlemma\tSet\nchat\t1\n").key == "art_noun"


@pytest.mark.parametrize("main", [True, False])
def test_a_part_with_forms_stands_alone(tmp_path: Path, *, main: bool) -> None:
    part = part_of(tmp_path, "lemma\tNumber=Plur\tSet\nchat\tCHATS\t1\n", main=main)
    assert list(part.rows[0].forms.values()) == ["CHATS"]
    assert part.columns == ("Set",)


def test_a_word_of_a_part_that_the_main_table_lacks_is_told(tmp_path: Path) -> None:
    text = "lemma\tSet\nchat\t1\nchien\t2\n"
    assert problems_of(lambda: part_of(tmp_path, text), tmp_path) == [
        "noun.art.tsv:3: 'chien' has no form at all: noun.tsv has no such lemma"
    ]


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "noun.tsv"
    path.write_bytes("\ufefflemma\tNumber=Sing\r\nété\tété\r\n".encode())
    assert read_table(path).rows[0].lemma == "été"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "noun.tsv:1: the table is empty: it has no header"),
        (
            "word\tNumber=Sing\n",
            "noun.tsv:1: the header must begin with the column lemma (tabs between), "
            "found: 'word\\tNumber=Sing'",
        ),
        (
            HEADER + "ami    ami    amis    Masc\n",
            "noun.tsv:2: 'ami    ami    amis    Masc': 1 cell where the header has 4; "
            "are tabs turned into spaces?",
        ),
        (HEADER + "ami\tami\tamis\tMasc\t\n", "noun.tsv:2: 'ami': 5 cells where the header has 4"),
        (
            HEADER + "ami\tami\nami#2\nchat#2\n",
            "noun.tsv:4: 'chat#2' has no form at all: every form is empty",
        ),
        (HEADER + "\tami\tamis\tMasc\n", "noun.tsv:2: the lemma is empty"),
        (
            HEADER + "ami\tami\tamis\tMasc\nchat\tchat\tchats\tMasc\nami\tami\tamis\tMasc\n",
            "noun.tsv:4: lemma 'ami' stands already in line 2",
        ),
        (
            HEADER + "ami\t\t\tMasc\n",
            "noun.tsv:2: 'ami' has no form at all: every form is empty",
        ),
        (
            HEADER + "ami\tbon  ami\tamis\tMasc\n",
            "noun.tsv:2: 'ami': Number=Sing has space around it or twice within: 'bon  ami'",
        ),
        (
            HEADER + "ami\tami\tamis\tmasc\n",
            "noun.tsv:2: 'ami': value of Gender 'masc' is not spelt as UD spells it",
        ),
        (
            "lemma\tNumber=Sing\tGender\tGender\nami\tami\tMasc\tMasc\n",
            "noun.tsv:1: column 'Gender' stands twice",
        ),
        (
            "lemma\tCase=Dat|Number=Sing\tNumber=Sing|Case=Dat\nami\tami\tami\n",
            "noun.tsv:1: column 'Number=Sing|Case=Dat' stands twice",
        ),
        ("lemma\tNumber=Sing\t\nami\tami\tx\n", "noun.tsv:1: column 3 has no name"),
        (
            "lemma\tNumber=Sing\tGender \nami\tami\tMasc\n",
            "noun.tsv:1: column 'Gender ' has space around it",
        ),
        (
            "lemma\tNumber=sing\nami\tami\n",
            "noun.tsv:1: column 'Number=sing': value of Number 'sing' is not spelt as UD spells it",
        ),
        (
            "lemma\tNumber=Sing\ne\u0301te\u0301\te\u0301t\u00e9\n",
            r"noun.tsv:2: not in Unicode normal form C: 'e\u0301te\u0301', 'e\u0301t\xe9'",
        ),
    ],
)
def test_a_bad_table_is_told_with_place_and_culprit(
    tmp_path: Path, text: str, message: str
) -> None:
    assert told(tmp_path, text) == [message]


def test_a_table_named_after_no_part_of_speech_needs_a_column_for_it(tmp_path: Path) -> None:
    (message,) = told(tmp_path, "lemma\tNumber=Sing\nami\tami\n", "nuon")
    assert message.startswith("nuon.tsv:1: table 'nuon' is named after no part of speech (adj, adp")
    assert message.endswith("it needs a column UPOS")


def test_all_problems_of_a_table_come_at_once(tmp_path: Path) -> None:
    text = (
        "lemma\tNumber=Sing\tNumber=Sing\tGender\n"
        "ami\tami\tami\tmasc\nchat\tchat\tchat \tMasc\nami\t\t\tMasc\n"
    )
    assert told(tmp_path, text) == [
        "noun.tsv:1: column 'Number=Sing' stands twice",
        "noun.tsv:2: 'ami': value of Gender 'masc' is not spelt as UD spells it",
        "noun.tsv:3: 'chat': Number=Sing has space around it or twice within: 'chat '",
        "noun.tsv:4: lemma 'ami' stands already in line 2",
        "noun.tsv:4: 'ami' has no form at all: every form is empty",
    ]
