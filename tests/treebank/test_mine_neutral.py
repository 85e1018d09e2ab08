"""Forms that leave a value open by the rules of ``neutral.toml``, and forms alike that do not."""

import re
import tomllib
from pathlib import Path

import pytest

import solecism.treebank
from solecism.treebank.candidates import ALL_VALUES
from solecism.treebank.forms import WordForm
from solecism.treebank.languages import languages, left_open, rules_of_forms
from solecism.treebank.relations import AGREEMENT, bundle
from solecism.works.catalogue import origin_languages

RULES = Path(solecism.treebank.__file__).with_name("neutral.toml").read_text(encoding="utf-8")
CODES = sorted({code for codes in tomllib.loads(RULES) for code in codes.split()})

CASES = [
    # language, form, lemma, upos, feats, what is left open
    ("de", "ehemaligen", "ehemalig", "ADJ", "Case=Acc|Gender=Neut|Number=Plur", "Gender Case"),
    ("de", "großen", "groß", "ADJ", "Case=Acc|Gender=Masc|Number=Sing", "Number Case"),
    ("de", "neues", "neu", "ADJ", "Case=Nom|Gender=Neut|Number=Sing", "Case"),
    ("de", "guter", "gut", "ADJ", "Case=Nom|Gender=Masc|Number=Sing", ""),
    ("de", "dem", "der", "DET", "Case=Dat|Gender=Masc|Number=Sing", "Gender"),
    ("de", "Arbeiter", "Arbeiter", "NOUN", "Case=Nom|Gender=Masc|Number=Sing", "Number Case"),
    ("de", "Kinder", "Kind", "NOUN", "Case=Nom|Gender=Neut|Number=Plur", "Case"),
    ("de", "Namen", "Name", "NOUN", "Case=Dat|Gender=Masc|Number=Sing", "Number Case"),
    ("de", "sie", "sie", "PRON", "Case=Nom|Number=Plur|Person=3", "Number"),
    ("de", "ist", "sein", "AUX", "Number=Sing|Person=3|Tense=Pres", ""),
    ("en", "sheep", "sheep", "NOUN", "Number=Plur", "Number"),
    ("en", "expect", "expect", "VERB", "Number=Sing|Person=1", "Person"),
    ("en", "expect", "expect", "VERB", "Number=Plur|Person=3", ""),
    ("es", "crisis", "crisis", "NOUN", "Gender=Fem|Number=Sing", "Number"),
    ("fr", "pris", "prendre", "VERB", "Gender=Masc|Number=Sing|VerbForm=Part", "Number"),
    ("fr", "mange", "manger", "VERB", "Number=Sing|Person=3", "Person"),
    ("it", "città", "città", "NOUN", "Gender=Fem|Number=Sing", "Number"),
    ("ru", "новых", "новый", "ADJ", "Case=Gen|Number=Plur", "Case Gender"),
    ("ru", "нового", "новый", "ADJ", "Case=Gen|Gender=Neut|Number=Sing", "Gender"),
    ("ru", "ночь", "ночь", "NOUN", "Animacy=Inan|Case=Acc|Gender=Fem|Number=Sing", "Case"),
    ("ru", "врач", "врач", "NOUN", "Animacy=Anim|Case=Nom|Gender=Masc|Number=Sing", "Gender"),
    ("pl", "nowych", "nowy", "ADJ", "Case=Gen|Gender=Fem|Number=Plur", "Case Gender"),
    ("pl", "nową", "nowy", "ADJ", "Case=Acc|Gender=Fem|Number=Sing", "Case"),
    ("cs", "nového", "nový", "ADJ", "Case=Gen|Gender=Neut|Number=Sing", "Gender"),
    ("is", "betri", "góður", "ADJ", "Degree=Cmp|Gender=Fem|Number=Sing", "Case Gender Number"),
    ("is", "stefni", "stefna", "VERB", "Mood=Sub|Number=Sing|Person=3|Tense=Pres", "Number"),
    ("aln", "tjer", "tjetër", "ADJ", "Case=Nom|Gender=Masc|Number=Plur", "Case"),
    ("lt", "tokia", "toks", "DET", "Case=Ins|Gender=Fem|Number=Sing", "Case"),
    ("sv", "stora", "stor", "ADJ", "Gender=Com|Number=Plur", "Gender"),
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
