"""The feature inventory: what treebanks and UniMorph hold, joined."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from solecism.schema import FORMS
from solecism.treebank.conllu import tokens_of
from solecism.treebank.forms import LanguageForms, WordForm, count_words, read_list
from treebank import conllu

FRENCH = conllu(
    """
    La le DET Definite=Def|Gender=Fem|Number=Sing|PronType=Art 2 det
    fille fille NOUN Gender=Fem|Number=Sing 3 nsubj
    chante chanter VERB Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin 0 root
    """,
    """
    Les le DET Definite=Def|Gender=Fem|Number=Plur|PronType=Art 2 det
    filles fille NOUN Gender=Fem|Number=Plur 4 nsubj
    ont avoir AUX Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin 4 aux
    chanté chanter VERB Tense=Past|VerbForm=Part 0 root
    """,
    """
    la le DET Definite=Def|Gender=Fem|Number=Sing|PronType=Art 2 det
    FILLE fille NOUN Number=Sing|Gender=Fem 0 root
    __ _ NOUN Number=Sing 2 dep
    """,
)
UNIMORPH = (
    "chanter\tchante\tV;IND;PRS;3;SG\nchanter\tchante\tV;IND;PRS;1;SG\n"
    "chanter\tchantent\tV;IND;PRS;3;PL\navoir\ta\tV;IND;PRS;3;SG\navoir\tont\tV;IND;PRS;3;PL\n"
    "fille\tfille\tN;SG\nfille\tdes filles\tN;PL\n"
)


def counted(text: str) -> Counter[WordForm]:
    counts: Counter[WordForm] = Counter()
    count_words(tokens_of(text.encode()), counts)
    return counts


@pytest.fixture
def french(tmp_path: Path) -> LanguageForms:
    path = tmp_path / "fra"
    path.write_text(UNIMORPH, encoding="utf-8")
    words = read_list([path], "fra", frozenset({"avoir"}))
    counts = {
        "UD_French-A": counted(FRENCH),
        "UD_French-B": counted(FRENCH.split("\n\n")[0] + "\n\n"),
    }
    licences = {"UD_French-A": "CC-BY-SA-4.0", "UD_French-B": "LGPL-LR"}
    return LanguageForms("fr", counts, licences, words, list_licence="CC-BY-SA-3.0")


def rows(inventory: LanguageForms) -> list[dict[str, Any]]:
    table = pa.concat_tables(inventory.tables())
    assert table.schema == FORMS
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def of(inventory: LanguageForms, form: str, upos: str = "VERB") -> list[dict[str, Any]]:
    return [row for row in rows(inventory) if (row["form"], row["upos"]) == (form, upos)]


def test_a_form_of_both_sources_keeps_all_its_bundles(french: LanguageForms) -> None:
    first, third = sorted(of(french, "chante"), key=lambda row: row["feats"])
    assert (first["source"], first["frequency"], first["treebanks"]) == ("UniMorph", 0, [])
    assert "Person=1" in first["feats"]
    assert (third["source"], third["frequency"]) == ("both", 2)
    assert third["treebanks"] == ["UD_French-A", "UD_French-B"]
    assert third["licences"] == ["CC-BY-SA-3.0", "CC-BY-SA-4.0", "LGPL-LR"]


def test_it_answers_the_miner_from_both_sources(french: LanguageForms) -> None:
    sings = WordForm(
        "chante", "chanter", "VERB", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
    )
    assert french.contrasts(sings) == {"Number"}  # chantent, which only UniMorph has
    assert french.ambiguous(sings) == {"Person"}  # je chante
    girl = WordForm("fille", "fille", "NOUN", "Gender=Fem|Number=Sing")
    assert french.contrasts(girl) == {"Number"}  # filles, which only the treebank has
    alone = LanguageForms("fr", french.counts, french.licences)
    assert not alone.contrasts(sings)


@pytest.mark.parametrize(
    ("form", "lemma", "language", "expected"),
    [
        ("HAUS", "Haus", "de", "Haus"),
        ("Das", "der", "de", "das"),
        ("I", "I", "en", "I"),
        ("İki", "iki", "tr", "iki"),
        ("ISINIYOR", "ısınmak", "tr", "ısınıyor"),
    ],
)
def test_capitals_that_the_lemma_has_stay(
    form: str, lemma: str, language: str, expected: str
) -> None:
    words = {"UD_X": {WordForm(form, lemma, "NOUN", "Number=Sing"): 1}}
    (row,) = rows(LanguageForms(language, words, {"UD_X": ""}))
    assert row["form"] == expected


def test_features_that_ud_would_not_spell_so_are_dropped() -> None:
    words = {"UD_X": {WordForm("a", "a", "ADJ", "Number=Sing|case=x|Case=nom"): 1}}
    (row,) = rows(LanguageForms("xx", words, {"UD_X": ""}))
    assert row["feats"] == "Number=Sing"
