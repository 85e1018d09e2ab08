"""The English lexicon: nouns, names and closed classes, held against rules written here anew."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import add_frequency
from release import CHECKOUT
from solecism.lexicon.features import Feats, agree
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import Row

pytestmark = pytest.mark.nightly

ROOT = CHECKOUT
ENGLISH = Lexicon(ROOT / "lexicons" / "en")
SING, PLUR = Feats.parse("Number=Sing"), Feats.parse("Number=Plur")
NOUNS = ENGLISH.table("noun").rows
NAMES = ENGLISH.table("propn").rows
TOPS = ("animate", "institution", "inanimate")

BODIES = {
    "flock", "herd", "swarm", "enemy", "pair", "dozen", "half", "number", "expedition",
}  # fmt: skip
"""Collective nouns that are no institutions."""

_ES_AFTER_O = {"echo", "hero", "mango", "mosquito", "potato", "tomato", "tornado", "torpedo",
               "volcano", "fresco"}  # fmt: skip


def regular(noun: str) -> str:
    """Spell the regular plural (Quirk et al. 1985, sections 5.80 and 5.81)."""
    if noun.endswith(("stomach", "monarch")):
        return noun + "s"
    if noun in _ES_AFTER_O or re.search(r"(s|x|z|ch|sh)$", noun):
        return (noun + "z" if noun == "quiz" else noun) + "es"
    return noun[:-1] + "ies" if re.search(r"[^aeiou]y$", noun) else noun + "s"


def below(row: Row, above: str) -> bool:
    return above in ENGLISH.hierarchy.above(row.properties["Class"])


@pytest.mark.parametrize("kind", ["regular", "irregular", "zero", "variable", "suppletive", ""])
def test_plurals_are_of_the_kind_that_they_say(kind: str) -> None:
    rows = [row for row in NOUNS if row.properties["Plural"] == kind]
    assert rows
    for row in rows:
        sing, plur = row.forms[SING], row.forms.get(PLUR, "")
        made = {
            "regular": plur == regular(sing),
            "irregular": plur not in (regular(sing), sing, ""),
            "zero": plur == sing,
            "variable": plur not in (sing, ""),
            "suppletive": plur == "people",
            "": not plur,
        }
        assert made[kind], (sing, plur)


def test_count_says_which_nouns_have_a_plural() -> None:
    for row in NOUNS:
        assert row.properties["Count"] in ("count", "mass", "collective")
        assert (PLUR in row.forms) == (row.properties["Count"] != "mass"), row.lemma
        if row.properties["Count"] == "collective":
            assert below(row, "institution") or row.lemma in BODIES


@pytest.mark.parametrize("table", ["noun", "propn"])
def test_animacy_follows_from_the_class(table: str) -> None:
    for row in ENGLISH.table(table).rows:
        classes = row.properties["Class"].split(",")
        tops = {top for top in TOPS for c in classes if top in ENGLISH.hierarchy.upwards(c)}
        if len(tops) > 1:
            tops -= {"institution"}
        wanted = {"animate": "Anim", "inanimate": "Inan", "institution": ""}
        assert [row.properties["Animacy"]] == [wanted[top] for top in tops], row.lemma


def test_of_names_classes_and_never_stands_with_nouns_of_measure() -> None:
    relational = {row.lemma: row.properties["Of"] for row in NOUNS if row.properties["Of"]}
    for lemma, classes in relational.items():
        assert set(classes.split(",")) <= set(ENGLISH.hierarchy.parents), lemma
    assert relational["mother"] == "human"
    assert len(relational) >= 100
    assert not {"number", "pair", "couple", "dozen", "half", "amount", "lot"} & set(relational)


def test_gender_only_of_people() -> None:
    assert all(below(row, "human") for row in NOUNS if row.properties["Gender"])


def test_names_are_no_words_and_of_one_kind() -> None:
    nouns = {row.shown.casefold() for row in NOUNS}
    shown = [row.shown for row in NAMES]
    assert not [name for name in shown if name.casefold() in nouns]
    assert len(set(shown)) == len(shown)
    assert not {"Florence", "Austin", "Georgia", "Jordan", "Rose", "Mark"} & set(shown)


# --- closed classes ----------------------------------------------------------------------------

PERSONAL = {
    "I": ("I", "me", "my", "myself"), "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "her", "herself"), "we": ("we", "us", "our", "ourselves"),
    "they": ("they", "them", "their", "themselves"), "it": ("it", "it", "its", "itself"),
}  # fmt: skip


@pytest.mark.parametrize("lemma", PERSONAL)
def test_personal_pronouns_have_all_cases_and_one_reflexive(lemma: str) -> None:
    row, table = ENGLISH.table("pron").row(lemma), ENGLISH.table("pron")
    by_case = {cell.text("Case"): form for cell, form in row.forms.items()}
    number = next(cell.text("Number") for cell in row.forms)
    wanted = row.inherent.updated(Feats.parse(f"Number={number}"))
    reflexive = {form for cell, form in table.row("self").forms.items() if agree(cell, wanted)}
    assert (by_case["Nom"], by_case["Acc"], by_case["Gen"], *reflexive) == PERSONAL[lemma]


def _determiners(**wanted: str) -> set[str]:
    rows = ENGLISH.table("det").rows
    return {r.lemma for r in rows if all(r.properties[n] == v for n, v in wanted.items())}


def test_strong_determiners_are_those_barred_from_existential_there() -> None:
    """Milsark (1974): universals, definites, partitives and proportional *most*."""
    strong = _determiners(Strength="strong")
    assert {"the", "every", "each", "all", "both", "most", "this", "that", "neither"} <= strong
    assert not strong & {"a", "some", "no", "many", "few", "several", "a few", "a lot of", "one"}


def test_downward_determiners_license_polarity_items() -> None:
    assert _determiners(Scope="down") == {"no", "neither", "few", "little", "none of the"}


# --- frequency and verification ----------------------------------------------------------------


def test_frequency_is_filled_in_and_all_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "noun.tsv"
    before = "# words\nlemma\tNumber=Sing\tClass\n\nbank#1\tbank\tplace\n# more\nkey\tkey\t\n"
    path.write_text(before, "utf-8")
    after = add_frequency.with_frequency(path, lambda word: len(word) + 0.126)
    assert after == (
        "# words\nlemma\tNumber=Sing\tClass\tFreq\n\n"
        "bank#1\tbank\tplace\t4.13\n# more\nkey\tkey\t\t3.13\n"
    )
    path.write_text(after, "utf-8")
    again = add_frequency.with_frequency(path, lambda word: 1)
    assert again == after.replace("4.13", "1.00").replace("3.13", "1.00")


def test_frequency_of_a_table_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("wordfreq")
    done = CliRunner().invoke(add_frequency.main, ["en", "nuon", "--lexicons", str(tmp_path)])
    assert done.exit_code == 2
    assert "nuon.tsv: there is no such file" in done.stderr
