"""Items and pairs of what a request finds: which form is bad, what changes with it, what speaks
against a pair, and that the requests that ship find what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from solecism.commands import main
from solecism.errors import InputError
from solecism.query.mine import QueryForms
from solecism.query.run import mine_queries
from solecism.query.tests import read_tests, shipped_tests
from treebank import conllu

TEST = """
id: object_accusative
request: |
  pattern { V [upos=VERB]; V -[obj]-> O; O [upos=NOUN, Case=Acc] }
target: O
change: {Case: Nom}
agreeing: [amod]
forms: treebank
"""
SEES = """
    {who} {who} NOUN Case=Nom|Gender=Masc|Number=Sing 2 nsubj
    widzi widzieć VERB Number=Sing|Person=3 0 root
    {what}
    . . PUNCT _ 2 punct
"""
FORMS = """
    Kot kot NOUN Case=Nom|Gender=Masc|Number=Sing 3 nsubj
    mały mały ADJ Case=Nom|Gender=Masc|Number=Sing 1 amod
    śpi spać VERB Number=Sing|Person=3 0 root
    tam tam ADV _ 3 advmod
    . . PUNCT _ 3 punct
"""
OTHERS = """
    Kota kot NOUN Case=Gen|Gender=Masc|Number=Sing 5 obl
    kotów kot NOUN Case=Gen|Gender=Masc|Number=Plur 1 nmod
    koty kot NOUN Case=Acc|Gender=Masc|Number=Plur 1 nmod
    Jana Jan NOUN Case=Acc|Gender=Masc|Number=Sing 1 nmod
    śpią spać VERB Number=Plur|Person=3 0 root
    . . PUNCT _ 5 punct
"""
KNOWN = (FORMS, OTHERS)
"""The other cells of *kot* and *Jan*: *kot* is surely a nominative, *Jan* no accusative."""


def pairs(tmp_path: Path, *sentences: str, test: str = TEST, code: str = "pl") -> list[str]:
    """The bad sentences that a test makes, with their doubts; then why others were not made."""
    Path(tmp_path / "t.yaml").write_text(test, encoding="utf-8")
    Path(tmp_path / "t.conllu").write_text(conllu(*sentences), encoding="utf-8")
    out = tmp_path / "pairs.parquet"
    done = mine_queries([tmp_path / "t.conllu"], read_tests(tmp_path / "t.yaml"), code, pairs=out)
    made = pq.read_table(out).to_pylist()
    told = [f"{row['sentence_bad']} {row['features']['doubt'] or ''}".strip() for row in made]
    return [*sorted(told), *sorted(done.forms.skipped)]


def sees(what: str, who: str = "Jan") -> str:
    return SEES.format(who=who, what=what)


KOTA = "kota kot NOUN Case=Acc|Gender=Masc|Number=Sing 2 obj"
SMALL = "małego mały ADJ Case=Acc|Gender=Masc|Number=Sing 4 amod\n    " + KOTA


def test_the_target_and_what_agrees_with_it_change(tmp_path: Path) -> None:
    assert pairs(tmp_path, *KNOWN, sees(KOTA)) == ["Jan widzi kot ."]
    assert pairs(tmp_path, *KNOWN, sees(SMALL)) == ["Jan widzi mały kot ."]
    silent = TEST.replace("agreeing: [amod]\n", "")
    assert pairs(tmp_path, *KNOWN, sees(SMALL), test=silent) == ["a partner would change"]
    assert pairs(tmp_path, *KNOWN[1:], FORMS.replace("mały mały", "duży duży"), sees(SMALL)) == [
        "a partner has no form"
    ]


def test_a_form_that_no_source_has_makes_no_pair(tmp_path: Path) -> None:
    assert pairs(tmp_path, sees(KOTA)) == ["no other form"]


def test_an_object_may_be_the_subject(tmp_path: Path) -> None:
    """*Dziecko widzi kot*: the cat sees the child, as the child has one form for both cases."""
    child = FORMS.replace("Kot kot NOUN Case=Nom", "Dziecko Dziecko NOUN Case=Acc")
    told = pairs(tmp_path, *KNOWN, child, sees(KOTA, "Dziecko"))
    assert "may be the subject" in told
    alone = (
        "Tam tam ADV _ 2 advmod\nwidzi widzieć VERB Number={}|Person=3 0 root\n"
        + KOTA
        + "\n. . PUNCT _ 2 punct"
    )
    assert "may be the subject" in pairs(tmp_path, *KNOWN, alone.format("Sing"))
    assert pairs(tmp_path, *KNOWN, alone.format("Plur")) == ["Tam widzi kot ."]


def test_a_form_of_the_wanted_cell_is_no_bad_form(tmp_path: Path) -> None:
    alike = FORMS.replace("Kot kot NOUN Case=Nom", "Kot kot NOUN Case=Acc")
    told = pairs(tmp_path, *KNOWN, alike, sees(KOTA))
    assert "Jan widzi kot ." not in told


def test_what_alternates_in_its_frame_is_not_bad(tmp_path: Path) -> None:
    other = sees(KOTA).replace("kota kot NOUN Case=Acc", "kot kot NOUN Case=Nom")
    assert "alternates" in pairs(tmp_path, *KNOWN, sees(KOTA), other)


def test_a_word_that_stands_there_already_gives_a_doubt(tmp_path: Path) -> None:
    twice = sees(KOTA).replace(
        ". . PUNCT", "kot kot NOUN Case=Nom|Gender=Masc|Number=Sing 2 obl\n    . . PUNCT"
    )
    assert [one for one in pairs(tmp_path, *KNOWN, twice) if "form twice" in one]


def test_names_and_quotations_give_a_doubt(tmp_path: Path) -> None:
    name = KOTA + "\n    Mruczka mruczek PROPN Case=Acc 3 flat"
    (told,) = pairs(tmp_path, *KNOWN, sees(name))
    assert told.endswith("name or quotation")


def test_kept_names_are_columns_of_pairs_and_items(tmp_path: Path) -> None:
    Path("t.yaml").write_text(TEST + "keep: [V, O]\n", encoding="utf-8")
    Path("pl_t.conllu").write_text(conllu(*KNOWN, sees(KOTA)), encoding="utf-8")
    asked = [
        "mine",
        "pl_t.conllu",
        "--query",
        "t.yaml",
        "--pairs",
        "p.parquet",
        "--items",
        "i.parquet",
    ]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0, done.output
    assert [line.split() for line in done.output.splitlines()][1] == [
        "object_accusative",
        "1",
        "1",
        "1",
        "0",
    ]
    (item,) = pq.read_table("i.parquet").to_pylist()
    assert (item["relation"], item["decides"], item["V_lemma"]) == (
        "object_accusative",
        ["Case"],
        "widzieć",
    )
    (pair,) = pq.read_table("p.parquet").to_pylist()
    assert (pair["UID"], pair["features"]["O_form"]) == ("object_accusative_case", "kota")
    assert pair["features"]["differs"] == "Case"
    shown = CliRunner().invoke(main, ["show", "p.parquet"])
    assert "*Jan widzi [kot] ." in shown.output


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("target: O", "target: P", "t.yaml:5: `target` cannot be 'P' (known: V, O)"),
        ("Case: Nom", "Case: Acc", "t.yaml:6: Case=Acc is what the request asks for already"),
        ("Case: Nom", "Case: Nmo", "t.yaml:6: no form has Case = 'Nmo' (did you mean 'Nom'?"),
        ("change: {Case: Nom}", "change: Nom", "t.yaml:6: `change` wants features with values"),
        ("forms: treebank", "forms: lexicon", "t.yaml:8: `forms` cannot be 'lexicon'"),
        ("agreeing:", "agreing:", "there is no key 'agreing' (did you mean 'agreeing'?"),
        ("[amod]", "[amood]", "t.yaml:7: `agreeing` cannot be 'amood' (did you mean 'amod'?"),
        ("upos=VERB]", "upos=VERB", "t.yaml:4: column 23: a comma or ] expected"),
        ("id: object_accusative", "", "the key `id` is missing"),
        ("id:", "phenomenon: cas\nid:", "`phenomenon` cannot be 'cas' (did you mean 'case'?"),
    ],
)  # fmt: skip
def test_mistakes_in_a_test_are_told_with_their_line(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    with pytest.raises(InputError) as raised:
        pairs(tmp_path, *KNOWN, sees(KOTA), test=TEST.replace(old, new, 1))
    assert told in str(raised.value)


def test_the_requests_that_ship_are_of_many_phenomena() -> None:
    tests = shipped_tests()
    assert len({test.id for test in tests}) >= 20
    assert all(test.about.endswith(".") and test.languages for test in tests)
    assert {type(QueryForms.marks)} == {tuple}


def shipped(name: str, code: str) -> str:
    """The file of a shipped test, as users would write it."""
    (test,) = (one for one in shipped_tests() if one.id == name and code in one.languages)
    change = [", ".join(f'"{k}": {v}' for k, v in one.items()) for one in test.changes]
    request = "\n".join("  " + line for line in test.request.text.splitlines())
    return (f"id: {test.id}\ntarget: {test.target}\nchange: [{', '.join(f'{{{c}}}' for c in change)}]\n"
            f"agreeing: [{', '.join(test.agreeing)}]\nrequest: |\n{request}\n")  # fmt: skip


def handmade() -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Yield the tests of ``shipped.txt``: name, language, sentences, and the pairs they make."""
    text = Path(__file__).with_name("shipped.txt").read_text(encoding="utf-8")
    text = re.sub("^#.*\n", "", text, flags=re.MULTILINE)
    for part in re.split("^== ", text, flags=re.MULTILINE)[1:]:
        head, *sentences = part.strip().split("\n\n")
        named, *wanted = head.splitlines()
        name, code = named.split(" ")
        yield name, code, sentences, wanted


@pytest.mark.parametrize(("name", "code", "sentences", "wanted"), list(handmade()))
def test_a_shipped_request_makes_the_pairs_it_should(
    tmp_path: Path, name: str, code: str, sentences: list[str], wanted: list[str]
) -> None:
    told = pairs(tmp_path, *sentences, test=shipped(name, code), code=code)
    assert len(sentences) == 10
    made = [(bad, doubt) for bad, stop, doubt in (one.partition(" .") for one in told) if stop]
    assert [f"{'?' if doubt else '>'} {bad} ." for bad, doubt in made] == wanted, told
