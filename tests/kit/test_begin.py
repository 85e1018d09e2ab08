"""The files of a new language, and the twelve paradigms."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from release import CHECKOUT
from solecism.commands import main
from solecism.grammar.phrases import Phrases
from solecism.lexicon.lexicon import Lexicon

CATALAN = CHECKOUT / "docs" / "catalan"
SENTENCES = str(CATALAN / "sentences.conllu")
SKELETON = CHECKOUT / "builders" / "solecism" / "kit" / "skeleton"


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["language", *arguments])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_new_writes_what_a_treebank_shows(here: Path) -> None:
    printed = run("new", "cat", "--treebank", SENTENCES, "--least", "12")
    assert (
        "verb: Mood, Number, Person, Tense, VerbForm; 1 cells seen more than 12 times (of 7)"
        in printed
    )
    assert "next: fill words.txt" in printed
    shown = tomllib.loads((here / "lexicons/ca/cells.toml").read_text(encoding="utf-8"))
    assert shown["verb"]["cells"] == ["Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"]
    assert shown["noun"]["properties"] == ["Gender"]
    assert shown["noun"]["usual"] == {"Count": "count"}
    assert shown["pron"]["properties"] == ["Number", "Person"]
    written = {path.name for path in (here / "lexicons/ca").iterdir()}
    assert written == {"words.txt", "cells.toml", "orthography.tsv", "unwanted.tsv", "README.md"}
    readme = (here / "lexicons/ca/README.md").read_text(encoding="utf-8")
    assert "# Lexicon: Catalan" in readme
    assert "BSD, MIT, Apache or CC BY" in readme
    for name in ("lexicons/columns.tsv", "lexicons/classes.tsv", "templates/phrases/kinds.yaml"):
        assert (here / name).read_bytes() == (CHECKOUT / name).read_bytes()


def test_new_reads_unimorph_too(here: Path) -> None:
    (here / "cat").write_text("anar\tva\tV;IND;PRS;3;SG\nanar\tvan\tV;IND;PRS;3;PL\n")
    assert "verb: Mood, Number" in run("new", "ca", "--unimorph", "cat", "--least", "0")


def test_a_cell_of_which_another_one_says_more_is_left_out(here: Path) -> None:
    rows = [("gran", "ADJ", "Number=Sing"), ("nou", "ADJ", "Gender=Masc|Number=Sing")]
    lines = [
        f"{n}\t{f}\t{f}\t{u}\t_\t{x}\t{n - 1}\tdep\t_\t_" for n, (f, u, x) in enumerate(rows, 1)
    ]
    (here / "bank.conllu").write_text("\n".join([*lines, "", ""]), encoding="utf-8")
    run("new", "ca", "--treebank", "bank.conllu", "--least", "0")
    shown = tomllib.loads((here / "lexicons/ca/cells.toml").read_text(encoding="utf-8"))
    assert shown["adj"]["cells"] == ["Gender=Masc|Number=Sing"]


def test_new_overwrites_nothing(here: Path) -> None:
    run("new", "ca")
    words = here / "lexicons/ca/words.txt"
    words.write_text("mine", encoding="utf-8")
    assert "words.txt: is there already: nothing was written" in run("new", "ca", code=2)
    assert words.read_text(encoding="utf-8") == "mine"


def test_a_code_leads_nowhere_else(here: Path) -> None:
    assert "language '../evil' is no name" in run("new", "../evil", code=2)
    assert "data set '..' is no name" in run("skeleton", "../ca", code=2)
    assert not list(here.iterdir())


@pytest.mark.parametrize("cases", [False, True])
def test_the_model_of_macros_can_be_read(here: Path, cases: bool) -> None:
    feats = "Case=Nom|Number=Sing" if cases else "Number=Sing"
    line = f"1\tdom\tdom\tNOUN\t_\t{feats}\t0\troot\t_\t_"
    (here / "bank.conllu").write_text(f"{line}\n\n", encoding="utf-8")
    run("new", "pl", "--treebank", "bank.conllu", "--least", "0")
    text = (here / "templates/phrases/pl.jinja").read_text(encoding="utf-8")
    assert ("Case=case" in text) == cases
    assert "<<" not in text
    assert "Macros of Polish" in text
    phrases = Phrases(here / "templates/mine/pl", Lexicon(here / "lexicons/pl"))
    assert phrases.problems("present(v, s)", ["v", "s"], "", 1) == []


def arguments(path: Path) -> dict[str, list[str]]:
    """Return the names of the arguments of each macro."""
    found = re.findall(r"macro (\w+)\((.*?)\) -?%}", path.read_text(encoding="utf-8"))
    return {name: re.sub(r'="\w*"', "", text).split(", ") for name, text in found}


@pytest.mark.parametrize("code", ["fr", "de"])
def test_macros_of_the_model_have_the_arguments_of_all_languages(code: str) -> None:
    ours = arguments(SKELETON.parent / "models/phrases.jinja")
    theirs = arguments(CHECKOUT / f"templates/phrases/{code}.jinja")
    shared = ours.keys() & theirs.keys()
    assert shared > {"np", "the", "present", "finite", "infinitive", "predicate", "self"}
    for name in shared:
        both = {*ours[name]} & {*theirs[name]}  # a language may lack what none of its lines passes
        found = [[a for a in some[name] if a in both] for some in (ours, theirs)]
        assert found[0] == found[1], name


def lexicon(here: Path) -> Path:
    """Write the lexicon and the macros that the page of the documentation makes."""
    run("new", "ca", "--treebank", SENTENCES, "--least", "0")
    folder = here / "lexicons/ca"
    shutil.copy(CATALAN / "words.txt", folder)
    with (folder / "cells.toml").open("a", encoding="utf-8") as file:
        file.write((CATALAN / "more-cells.toml").read_text(encoding="utf-8"))
    run("inflect", "ca", "--treebank", SENTENCES, "--forms", str(CATALAN / "forms.tsv"))
    page = (CHECKOUT / "docs/add-a-language.md").read_text(encoding="utf-8")
    for block in page.split("```file ")[1:]:
        name, text = block.partition("\n```")[0].split("\n", 1)
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(f"{text}\n", encoding="utf-8")
    return folder


def test_skeleton_says_what_draws_and_what_waits(here: Path) -> None:
    folder = lexicon(here)
    cconj = (folder / "cconj.tsv").read_text(encoding="utf-8")
    (folder / "cconj.tsv").unlink()
    printed = run("skeleton", "mine/ca")
    assert "12 paradigms: 9 draw; 3 wait\n" in printed
    assert (
        "waits: case_object (no Case=Acc in noun)\nwaits: coordinated_subject_number (no lemma in cconj)\n"
        in printed
    )
    assert "past_gender (no Gender, Mood=Ind, Tense=Past in verb)" in printed
    templates = here / "templates/mine/ca"
    assert len(list(templates.glob("*.jinja"))) == 9
    assert all("needs" not in path.read_text(encoding="utf-8") for path in templates.iterdir())
    # With few words a paradigm makes all pairs that there are.
    assert "draw:" not in (templates / "reflexive_person.jinja").read_text(encoding="utf-8")
    (folder / "cconj.tsv").write_text(cconj, encoding="utf-8")
    mine = templates / "present_person.jinja"
    mine.write_text(mine.read_text(encoding="utf-8") + "# Mine.\n", encoding="utf-8")
    printed = run("skeleton", "mine/ca")
    assert "12 paradigms: 10 draw; 2 wait" in printed
    assert printed.count("wrote") == 1
    assert mine.read_text(encoding="utf-8").endswith("# Mine.\n")


def test_a_paradigm_waits_for_its_macro(here: Path) -> None:
    lexicon(here)
    macros = here / "templates/phrases/ca.jinja"
    text = macros.read_text(encoding="utf-8").replace("macro rel(", "macro relative(")
    macros.write_text(text, encoding="utf-8")
    assert "present_number_relative (there is no macro 'rel'" in run("skeleton", "mine/ca")


def test_skeleton_refuses_a_form_that_nobody_wrote(here: Path) -> None:
    folder = lexicon(here)
    table = folder / "noun.tsv"
    table.write_text(table.read_text(encoding="utf-8").replace("nenes", "?"), encoding="utf-8")
    printed = run("skeleton", "mine/ca", code=2)
    assert "noun.tsv:4: 'nena': Number=Plur is ?: write it" in printed
    assert not (here / "templates/mine").exists()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("lexicons/ca/typical/adj.tsv", "lemma\tNoun\nvell\t*txt\n", "adj.tsv:2: unknown entry"),
        ("templates/phrases/ca.jinja", "{% macro the(n) %}{{ n", "phrases/ca.jinja:"),
        ("lexicons/ca/orthography.tsv", "rule\n", "orthography.tsv:1: the header"),
    ],
)
def test_a_file_that_cannot_be_read_is_no_reason_to_wait(
    here: Path, name: str, text: str, message: str
) -> None:
    lexicon(here)
    (here / name).write_text(text, encoding="utf-8")
    assert f"{here}/{name.rpartition('/')[0]}" in (printed := run("skeleton", "mine/ca", code=2))
    assert message in printed


def test_there_are_twelve_and_they_need_what_tables_have() -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in SKELETON.glob("*.jinja")}
    assert len(texts) == 12
    assert all(f"id: {uid}\nneeds: [" in text for uid, text in texts.items())
