"""Forms that leave a value open by the rules of ``neutral.toml``, and forms alike that do not."""

import re
import tomllib
from pathlib import Path

import pytest

import solecism.treebank
from solecism.treebank.candidates import ALL_VALUES
from solecism.treebank.catalogue import origin_languages
from solecism.treebank.forms import WordForm
from solecism.treebank.languages import languages, left_open, rules_of_forms
from solecism.treebank.relations import AGREEMENT, bundle

RULES = Path(solecism.treebank.__file__).with_name("neutral.toml").read_text(encoding="utf-8")
CODES = sorted({code for codes in tomllib.loads(RULES) for code in codes.split()})

CASES = [
    # language, form, lemma, upos, feats, what is left open
    ("de", "ehemaligen", "ehemalig", "ADJ", "Case=Acc|Gender=Neut|Number=Plur", "Gender Case"),
    ("de", "gleichen", "gleich", "ADJ", "Case=Dat|Gender=Neut|Number=Sing", "Gender Number Case"),
    ("de", "großen", "groß", "ADJ", "Case=Acc|Gender=Masc|Number=Sing", "Number Case"),
    ("de", "neues", "neu", "ADJ", "Case=Nom|Gender=Neut|Number=Sing", "Case"),
    ("de", "guter", "gut", "ADJ", "Case=Nom|Gender=Masc|Number=Sing", ""),
    ("de", "dem", "der", "DET", "Case=Dat|Gender=Masc|Number=Sing", "Gender"),
    ("de", "der", "der", "DET", "Case=Nom|Gender=Masc|Number=Sing", ""),
    ("de", "Arbeiter", "Arbeiter", "NOUN", "Case=Nom|Gender=Masc|Number=Sing", "Number Case"),
    ("de", "Kinder", "Kind", "NOUN", "Case=Nom|Gender=Neut|Number=Plur", "Case"),
    ("de", "Kindern", "Kind", "NOUN", "Case=Dat|Gender=Neut|Number=Plur", ""),
    ("de", "Staaten", "Staat", "NOUN", "Case=Dat|Gender=Masc|Number=Plur", "Case"),
    ("de", "Namen", "Name", "NOUN", "Case=Dat|Gender=Masc|Number=Sing", "Number Case"),
    ("de", "sie", "sie", "PRON", "Case=Nom|Number=Plur|Person=3", "Number"),
    ("de", "war", "sein", "AUX", "Number=Sing|Person=3|Tense=Past", "Person"),
    ("de", "ist", "sein", "AUX", "Number=Sing|Person=3|Tense=Pres", ""),
    ("en", "sheep", "sheep", "NOUN", "Number=Plur", "Number"),
    ("en", "dogs", "dog", "NOUN", "Number=Plur", ""),
    ("en", "expect", "expect", "VERB", "Number=Sing|Person=1", "Person"),
    ("en", "expect", "expect", "VERB", "Number=Plur|Person=3", ""),
    ("en", "am", "be", "AUX", "Number=Sing|Person=1", ""),
    ("es", "crisis", "crisis", "NOUN", "Gender=Fem|Number=Sing", "Number"),
    ("es", "mes", "mes", "NOUN", "Gender=Masc|Number=Sing", ""),
    ("es", "artista", "artista", "NOUN", "Gender=Fem|Number=Sing", "Gender"),
    ("es", "cantaba", "cantar", "VERB", "Number=Sing|Person=3|Tense=Imp", "Person"),
    ("es", "canta", "cantar", "VERB", "Number=Sing|Person=3|Tense=Pres", ""),
    ("fr", "pays", "pays", "NOUN", "Gender=Masc|Number=Sing", "Number"),
    ("fr", "chats", "chat", "NOUN", "Gender=Masc|Number=Plur", ""),
    ("fr", "artiste", "artiste", "NOUN", "Gender=Fem|Number=Sing", "Gender"),
    ("fr", "pris", "prendre", "VERB", "Gender=Masc|Number=Sing|VerbForm=Part", "Number"),
    ("fr", "prise", "prendre", "VERB", "Gender=Fem|Number=Sing|VerbForm=Part", ""),
    ("fr", "mange", "manger", "VERB", "Number=Sing|Person=3", "Person"),
    ("it", "città", "città", "NOUN", "Gender=Fem|Number=Sing", "Number"),
    ("it", "giorni", "giorno", "NOUN", "Gender=Masc|Number=Plur", ""),
    ("it", "collega", "collega", "NOUN", "Gender=Masc|Number=Sing", "Gender"),
    ("ru", "новых", "новый", "ADJ", "Case=Gen|Number=Plur", "Case Gender"),
    ("ru", "новую", "новый", "ADJ", "Case=Acc|Gender=Fem|Number=Sing", ""),
    ("ru", "новой", "новый", "ADJ", "Case=Dat|Gender=Fem|Number=Sing", "Case"),
    ("ru", "нового", "новый", "ADJ", "Case=Gen|Gender=Neut|Number=Sing", "Gender"),
    ("ru", "ночь", "ночь", "NOUN", "Animacy=Inan|Case=Acc|Gender=Fem|Number=Sing", "Case"),
    ("ru", "книгу", "книга", "NOUN", "Animacy=Inan|Case=Acc|Gender=Fem|Number=Sing", ""),
    ("ru", "врач", "врач", "NOUN", "Animacy=Anim|Case=Nom|Gender=Masc|Number=Sing", "Gender"),
    ("ru", "дом", "дом", "NOUN", "Animacy=Inan|Case=Nom|Gender=Masc|Number=Sing", "Case"),
    ("pl", "nowych", "nowy", "ADJ", "Case=Gen|Gender=Fem|Number=Plur", "Case Gender"),
    ("pl", "nową", "nowy", "ADJ", "Case=Acc|Gender=Fem|Number=Sing", "Case"),
    ("pl", "nowa", "nowy", "ADJ", "Case=Nom|Gender=Fem|Number=Sing", ""),
    ("pl", "książkę", "książka", "NOUN", "Case=Acc|Gender=Fem|Number=Sing", ""),
    ("pl", "kość", "kość", "NOUN", "Case=Acc|Gender=Fem|Number=Sing", "Case"),
    ("cs", "nového", "nový", "ADJ", "Case=Gen|Gender=Neut|Number=Sing", "Gender"),
    ("cs", "nové", "nový", "ADJ", "Case=Gen|Gender=Fem|Number=Sing", "Case"),
    ("cs", "novou", "nový", "ADJ", "Case=Acc|Gender=Fem|Number=Sing", ""),
    ("is", "betri", "góður", "ADJ", "Degree=Cmp|Gender=Fem|Number=Sing", "Case Gender Number"),
    ("is", "stefni", "stefna", "VERB", "Mood=Sub|Number=Sing|Person=3|Tense=Pres", "Number"),
    ("is", "stefnir", "stefna", "VERB", "Mood=Ind|Number=Sing|Person=3|Tense=Pres", ""),
    ("aln", "tjer", "tjetër", "ADJ", "Case=Nom|Gender=Masc|Number=Plur", "Case"),
    ("lt", "tokia", "toks", "DET", "Case=Ins|Gender=Fem|Number=Sing", "Case"),
    ("lt", "tokios", "toks", "DET", "Case=Gen|Gender=Fem|Number=Sing", ""),
    ("uk", "нові", "новий", "ADJ", "Case=Nom|Number=Plur", "Gender Case"),
    ("sv", "stora", "stor", "ADJ", "Gender=Com|Number=Plur", "Gender"),
    ("sv", "stort", "stor", "ADJ", "Gender=Neut|Number=Sing", ""),
    ("he", "כותב", "כתב", "VERB", "Gender=Masc|Number=Sing", ""),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def test_what_a_form_leaves_open(case: tuple[str, str, str, str, str, str]) -> None:
    code, form, lemma, upos, feats, expected = case
    assert left_open(code, WordForm(form, lemma, upos, feats)) == set(expected.split())


@pytest.mark.parametrize("code", CODES)
def test_rules_name_what_is_known(code: str) -> None:
    assert code in {*languages(), *origin_languages()}
    for rule in rules_of_forms(code):
        assert rule.feature.partition("[")[0] in AGREEMENT
        assert set(rule.upos.split()) <= {"ADJ", "AUX", "DET", "NOUN", "PRON", "VERB"}
        for name, values in bundle(rule.feats).items():
            assert name not in ALL_VALUES or values <= set(ALL_VALUES[name]), rule
        assert re.compile(rule.form)
        assert rule.form == rule.form.casefold() or "\\" in rule.form or "ß" in rule.form
        assert rule.lemma == rule.lemma.casefold()


def test_a_language_without_rules() -> None:
    assert rules_of_forms("xx") == ()
    assert not left_open("xx", WordForm("x", "x", "NOUN", "Number=Sing"))
