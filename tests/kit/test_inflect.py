"""Tables of forms from sources: what is written, what is left to a person, what is refused."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from release import CHECKOUT
from solecism.commands import main
from solecism.lexicon.table import read_table

CELLS = """\
[noun]
properties = ["Gender"]
usual = {Count = "count"}
cells = ["Number=Sing", "Number=Plur"]
[adj]
cells = ["Gender=Masc|Number=Sing", "Gender=Fem|Number=Sing"]
[verb]
cells = ["Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin"]
"""

TREEBANK = [
    ("La", "el", "DET", "Gender=Fem|Number=Sing"),
    ("Casa", "casa", "NOUN", "Gender=Fem|Number=Sing"),
    ("cases", "casa", "NOUN", "Gender=Fem|Number=Plur"),
    ("csaes", "casa", "NOUN", "Gender=Fem|Number=Plur|Typo=Yes"),
    ("nen", "nen", "NOUN", "Gender=Masc|Number=Sing"),
    ("capital", "capital", "NOUN", "Gender=Fem|Number=Sing"),
    ("capital", "capital", "NOUN", "Gender=Masc|Number=Sing"),
    ("gran", "gran", "ADJ", "Number=Sing"),
    ("reia", "riure", "AUX", "Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin"),
]
UNIMORPH = "casa\tcasa\tN;SG\nriure\trigué\tV;IND;PST;3;SG\nriure\treia\tV;IND;PST;3;SG\n"


def word_line(lemma: str, pos: str = "noun", said: str = "building", more: str = "") -> str:
    return f"{lemma}\t{pos}\ta {lemma}\t{said}\t{more}\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a lexicon without words, with a treebank and a UniMorph list."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "lexicons" / "ca"
    folder.mkdir(parents=True)
    shared = (CHECKOUT / "lexicons" / "classes.tsv").read_text(encoding="utf-8")
    (folder.parent / "classes.tsv").write_text(shared, encoding="utf-8")
    (folder / "cells.toml").write_text(CELLS, encoding="utf-8")
    lines = [
        f"{n}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{int(n > 1)}\tdep\t_\t_"
        for n, (form, lemma, upos, feats) in enumerate(TREEBANK, 1)
    ]
    (tmp_path / "bank.conllu").write_text("\n".join([*lines, "", ""]), encoding="utf-8")
    (tmp_path / "cat").write_text(UNIMORPH, encoding="utf-8")
    return folder


def inflected(here: Path, *lines: str, code: int = 0, options: str = "") -> str:
    """Inflect some words; return what is printed."""
    text = "lemma\tpos\tgloss\tclass\tGender\n" + "".join(lines)
    (here / "words.txt").write_text(text, encoding="utf-8")
    arguments = ["language", "inflect", "ca", *(options or "--treebank bank.conllu").split()]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == code, done.output
    return done.output


def test_a_table_is_in_the_house_format(here: Path) -> None:
    printed = inflected(here, word_line("casa"), word_line("nen", said="minor"))
    assert "noun 2 words: 3 treebank, 1 ? (write them)" in printed
    head, columns, *rows = (here / "noun.tsv").read_text(encoding="utf-8").splitlines()
    assert head == "# Forms: 3 treebank, 1 ? (write them)"
    assert columns.split("\t")[-3:] == ["Gloss", "Number=Sing", "Number=Plur"]
    assert set(columns.split("\t")) >= {"Gender", "Class", "Count"}
    assert [row.split("\t")[-3:] for row in rows] == [
        ["a.casa", "casa", "cases"],
        ["a.nen", "nen", "?"],
    ]
    assert [row.properties["Gender"] for row in read_table(here / "noun.tsv").rows] == [
        "Fem",
        "Masc",
    ]


def test_a_form_without_gender_serves_both(here: Path) -> None:
    inflected(here, word_line("gran", "adj", "looks"))
    (row,) = read_table(here / "adj.tsv").rows
    assert set(row.forms.values()) == {"gran"}


def test_words_without_forms_need_no_class(here: Path) -> None:
    inflected(here, word_line("de", "adp", ""))
    assert (here / "adp.tsv").read_text(encoding="utf-8") == "lemma\tGloss\nde\ta.de\n"


def test_sources_are_counted_and_agree(here: Path) -> None:
    (here.parents[1] / "mine.tsv").write_text("lemma\tform\tFEATS\nnen\tnens\tNumber=Plur\n")
    options = "--treebank bank.conllu --unimorph cat --forms mine.tsv --json"
    lines = word_line("casa"), word_line("nen"), word_line("riure", "verb", "event")
    found = json.loads(inflected(here, *lines, options=options))
    assert found["tables"]["noun"] == {"treebank": 3, "mine": 1}
    assert found["words"] == {"noun": 2, "verb": 1}
    assert found["differing"] == found["refused"] == []
    # UniMorph has two forms, and the treebank one of them.
    assert found["tables"]["verb"] == {"treebank": 1}


def test_where_sources_differ_none_is_written(here: Path) -> None:
    (here.parents[1] / "cat").write_text("riure\trigué\tV;IND;PST;3;SG\n", encoding="utf-8")
    options = "--treebank bank.conllu --unimorph cat"
    printed = inflected(here, word_line("riure", "verb", "event"), options=options)
    assert "sources differ, write one: verb riure   Mood=Ind|" in printed
    assert "treebank reia   unimorph rigué" in printed
    (row,) = read_table(here / "verb.tsv").rows
    assert list(row.forms.values()) == ["?"]


def test_what_a_person_typed_stays(here: Path) -> None:
    lines = word_line("casa"), word_line("nen")
    inflected(here, *lines)
    table = here / "noun.tsv"
    text = table.read_text(encoding="utf-8")
    nan = text.splitlines()[-1].replace("nen", "nan")
    for old, new in (("\t?", "\tnens"), ("cases", "cassses"), ("a.nen", "boy")):
        text = text.replace(old, new)
    table.write_text(f"# Mine.\n{text}{nan}\n", encoding="utf-8")
    printed = inflected(here, *lines)
    assert "noun 2 words: 2 treebank, 2 kept" in printed
    casa, nen, nan = read_table(table).rows
    assert (*casa.forms.values(), *nen.forms.values()) == ("casa", "cassses", "nen", "nens")
    assert nen.properties["Gloss"] == "boy"
    assert nan.lemma == "nan"
    again = table.read_text(encoding="utf-8")
    assert "# Mine.\n" in again
    inflected(here, *lines)
    assert table.read_text(encoding="utf-8") == again
    columns = next(line for line in again.splitlines() if line[0] != "#").split("\t")
    assert columns == ["lemma", "Gender", "Count", "Class", "Gloss", "Number=Sing", "Number=Plur"]


def test_a_form_that_only_a_guesser_knows_is_refused(here: Path) -> None:
    forms = "lemma\tform\tFEATS\tsure\ncasar\tcasa\tNumber=Sing\tguessed\n"
    (here.parents[1] / "verbecc.tsv").write_text(forms, encoding="utf-8")
    options = "--treebank bank.conllu --forms verbecc.tsv"
    lines = word_line("casar"), word_line("nen")
    printed = inflected(here, *lines, code=1, options=options)
    refused = "refused: noun casar: no source has it; verbecc would guess. Did you mean casa?"
    assert refused in printed
    assert [row.lemma for row in read_table(here / "noun.tsv").rows] == ["nen"]


def test_a_lemma_of_two_genders_is_refused_without_marks(here: Path) -> None:
    printed = inflected(here, word_line("capital"), word_line("nen"), code=1)
    refused = "refused: noun capital   Gender   treebank Fem or Masc: say which in words.txt"
    assert refused in printed
    marked = [word_line(f"capital#{mark.lower()}", more=mark) for mark in ("Fem", "Masc")]
    inflected(here, *marked)
    rows = read_table(here / "noun.tsv").by_lemma
    assert rows["capital#fem"].properties["Gender"] == "Fem"
    assert "capital" in rows["capital#masc"].forms.values()


def test_a_cell_that_no_treebank_shows_is_a_note(here: Path) -> None:
    text = CELLS.replace('"Number=Plur"', '"Number=Dual"')
    (here / "cells.toml").write_text(text, encoding="utf-8")
    assert "note: noun: no treebank shows Number=Dual" in inflected(here, word_line("casa"))


def test_a_word_that_no_source_has_is_a_note(here: Path) -> None:
    inflected(here, word_line("cassa"))
    printed = inflected(here, word_line("cassa"))  # now with a row, but without any form
    assert "note: noun cassa: no source has it. Did you mean casa?" in printed
    assert "noun 1 word: 2 ? (write them)" in printed


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("casa\tnoun\thouse\t\n", "'casa': it has no class"),
        ("casa\tnoun\t\tbuilding\n", "'casa': it has no gloss"),
        ("casa\tnoun\thouse\tbuildin\n", "there is no class 'buildin' (did you mean 'building'?"),
        ("casa\tnuon\thouse\tbuilding\n", "no part of speech 'nuon' (did you mean 'noun'?"),
        (word_line("casa") * 2, "'casa': stands twice"),
        ("casa  noun  house  building\n", "are tabs turned into spaces?"),
        ("", "words.txt: has no words yet"),
    ],
)
def test_lines_that_are_wrong_are_refused(here: Path, line: str, message: str) -> None:
    printed = inflected(here, line, code=2)
    assert message in printed
    assert "words.txt" in printed
    assert not (here / "noun.tsv").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[nuon]\ncells = ["Number=Sing"]\n', "there is no table 'nuon' (did you mean 'noun'?"),
        ('[noun]\ncells = ["Number"]\n', "cells.toml: [noun]: 'Number' is not of the form"),
        ("[noun]\n", "noun has no cells"),
    ],
)
def test_cells_that_are_wrong_are_refused(here: Path, text: str, message: str) -> None:
    (here / "cells.toml").write_text(text, encoding="utf-8")
    assert message in inflected(here, word_line("casa"), code=2)


def test_a_source_must_be_named(here: Path) -> None:
    (here / "words.txt").write_text("lemma\tpos\tgloss\tclass\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["language", "inflect", "ca"])
    assert done.exit_code == 2
    assert "name a source: --treebank, --unimorph or --forms" in done.output


def test_a_list_without_forms_is_refused(here: Path) -> None:
    (here.parents[1] / "cat").write_text("casa\tcasa\tNumber=Sing\n", encoding="utf-8")
    printed = inflected(here, word_line("casa"), code=2, options="--unimorph cat")
    assert "cat: there are no forms in it that --unimorph can read" in printed


def test_a_form_with_other_features_than_uds_is_refused(here: Path) -> None:
    forms = here.parents[1] / "mine.tsv"
    forms.write_text("lemma\tform\tFEATS\ncasa\tcasa\tsingular\n", encoding="utf-8")
    printed = inflected(here, word_line("casa"), code=2, options="--forms mine.tsv")
    assert "mine.tsv:2: 'casa': 'singular' is not of the form Feature=Value" in printed


def test_the_help_says_who_may_write_a_row() -> None:
    printed = " ".join(CliRunner().invoke(main, ["language", "inflect", "--help"]).output.split())
    assert "BSD, MIT, Apache or CC BY" in printed
    assert "What wrote a form is not its witness" in printed
