"""What makes a wrong form right after all, in any language: items with a form that is refused, and
alike ones with a form that is taken."""

from dataclasses import replace
from typing import Any

import pytest

from solecism.treebank.forms import LanguageForms, WordForm
from solecism.treebank.languages import rules_of
from solecism.treebank.wrong_forms import WrongForms

FIN = "Number={}|Person={}|VerbForm=Fin"
KNOWN = [
    ("bark", "bark", "VERB", FIN.format("Plur", 3)),
    ("barks", "bark", "VERB", FIN.format("Sing", 3)),
    ("barkt", "bark", "VERB", FIN.format("Dual", 3)),
    ("barka", "bark", "VERB", FIN.format("Sing", 1)),
    ("si", "be", "AUX", FIN.format("Sing", 2)),
    ("e", "be", "AUX", FIN.format("Sing", 3)),
    ("si", "self", "PRON", "Case=Dat|PronType=Prs|Reflex=Yes"),
    ("bаrk", "bork", "VERB", FIN.format("Plur", 3)),  # the a is Cyrillic
    ("borks", "bork", "VERB", FIN.format("Sing", 3)),
    ("dog", "dog", "NOUN", "Gender=Masc|Number=Sing"),
    ("dogs", "dog", "NOUN", "Gender=Masc|Number=Plur"),
    ("dogo", "dogo", "NOUN", "Case=Nom|Gender=Masc|Number=Sing"),
    ("dogon", "dogo", "NOUN", "Case=Ess|Gender=Masc|Number=Sing"),
    ("dogob", "dogo", "NOUN", "Case=Acc|Gender=Masc|Number=Sing"),
    ("bigo", "big", "ADJ", "Case=Nom|Gender=Masc|Number=Sing"),
    ("bigon", "big", "ADJ", "Case=Ess|Gender=Masc|Number=Sing"),
    ("bigab", "bog", "ADJ", "Case=Acc|Gender=Masc|Number=Sing"),
    ("bigao", "bog", "ADJ", "Case=Nom|Gender=Masc|Number=Sing"),
    ("first", "first", "ADJ", "Definite=Def|Gender=Masc|Number=Sing"),
    ("firsto", "first", "ADJ", "Definite=Def|Gender=Neut|Number=Sing"),
    ("fine", "fine", "ADJ", "Gender=Masc|Number=Sing"),
    ("fineo", "fine", "ADJ", "Gender=Neut|Number=Sing"),
    ("which", "which", "PRON", "Number=Sing|PronType=Rel"),
    ("whiches", "which", "PRON", "Number=Plur|PronType=Rel"),
    ("who", "who", "PRON", "Number=Sing|PronType=Rel"),
]  # fmt: skip
FORMS = LanguageForms(
    "sv", {"UD_Own": {WordForm(*word): 20 for word in KNOWN}}, {"UD_Own": "CC0-1.0"}
)
RULES = replace(rules_of("sv"), free=False)
DOG = "Gender=Masc|Number=Sing"


def item(target: str, controller: str, of: str, feature: str, **more: Any) -> dict[str, Any]:
    """An item ``controller target`` whose target is masked; its FEATS are those of ``KNOWN``."""
    lemma, upos, feats = next(word[1:] for word in KNOWN if word[0] == target)
    end = {"form": controller, "lemma": controller, "feats": of, "index": 1}
    given = {"relation": "verb", "left": f"{controller} ", "right": ".", **more}
    return {
        "text": f"{given['left']}{target}{given['right']}", "answer": target, "lemma": lemma,
        "upos": upos, "feats": feats, "layer": None, "polite": None, "agrees_in": [feature],
        "controller": end, "target": {"form": target, "lemma": lemma, "index": 2}, **given,
    }  # fmt: skip


def found(given: dict[str, Any], wrong_forms: WrongForms | None = None) -> str:
    """Return the wrong form, or why there is none."""
    wrong_forms = wrong_forms or WrongForms(RULES, FORMS)
    forms = [wrong.form for wrong in wrong_forms.of_item(given)]
    return forms[0] if forms else next(iter(wrong_forms.skipped))


@pytest.mark.parametrize(
    ("target", "controller", "of", "feature", "expected"),
    [
        ("barks", "dog", DOG, "Number", "bark"),
        ("barks", "this", "Number=Sing|PronType=Dem", "Number", "a demonstrative may go with the predicate"),
        ("barks", "who", "Number=Sing|PronType=Rel", "Number", "noun may be of either number"),
        ("barks", "which", "Number=Sing|PronType=Rel", "Number", "bark"),
        ("barks", "who", "Number=Sing|PronType=Int", "Person", "who may be of any person"),
        ("barks", "she", "Number=Sing|Person=3|PronType=Prs", "Person", "barka"),
        ("e", "she", "Number=Sing|Person=3|PronType=Prs", "Person", "right as another word"),
        ("borks", "dog", DOG, "Number", "letters of two scripts")
    ],
)  # fmt: skip
def test_of_a_clause(target: str, controller: str, of: str, feature: str, expected: str) -> None:
    assert found(item(target, controller, of, feature)) == expected


def test_a_plural_noun_may_stand_for_two() -> None:
    without = [word for word in KNOWN if word[0] != "barks"]
    forms = replace(FORMS, counts={"UD_Own": {WordForm(*word): 20 for word in without}})
    given = item("bark", "dogs", "Gender=Masc|Number=Plur", "Number")
    given["controller"]["lemma"] = "dog"
    assert found(given, WrongForms(RULES, forms)) == "a plural noun may stand for two"
    assert found(given) == "barks"


@pytest.mark.parametrize(
    ("target", "expected"), [("first", "a neuter may stand alone"), ("fine", "fineo")]
)
def test_a_definite_neuter_may_stand_alone(target: str, expected: str) -> None:
    rules = replace(RULES, sure={"Masc": "dog"})
    given = item(target, "dog", DOG, "Gender", relation="predicated")
    assert found(given, WrongForms(rules, FORMS)) == expected


@pytest.mark.parametrize(
    ("target", "expected"), [("bigo", "a case in which it may stand alone"), ("bigao", "bigab")]
)
def test_an_adjective_in_a_local_case_may_stand_alone(target: str, expected: str) -> None:
    of = "Case=Nom|Gender=Masc|Number=Sing"
    given = item(target, "dogo", of, "Case", relation="modifying", left="dogo ")
    assert found(given) == expected


def test_a_noun_between_an_adjective_and_its_noun() -> None:
    of = "Case=Nom|Gender=Masc|Number=Sing"
    more = {"relation": "modifying", "left": ""}
    given = item("bigao", "dogo", of, "Case", right=" dogo sleeps.", **more)
    given["target"]["index"], given["controller"]["index"] = 1, 2
    assert found(given) == "bigab"
    given = item("bigao", "dogo", of, "Case", right=" dogob dogo sleeps.", **more)
    given["target"]["index"], given["controller"]["index"] = 1, 3
    assert found(given) == "another noun would license it"


def test_what_the_treebank_mixes_and_what_readers_doubted() -> None:
    given = item("barks", "dog", DOG, "Number")
    assert found(given, WrongForms(RULES, FORMS, frozenset({("verb", "Number")}))) == (
        "the treebank itself mixes it"
    )
    reason = "readers of the language doubted such pairs"
    for doubted, expected in {"verb": reason, "verb Sing>Plur": "barkt", "object": "bark"}.items():
        assert found(given, WrongForms(replace(RULES, doubted=(doubted,)), FORMS)) == expected


@pytest.mark.parametrize(
    ("controller", "expected"),
    [("dogo", "barka"), ("dogob", "a noun may be the object of a dropped subject")],
)
def test_a_noun_may_be_the_object_of_a_dropped_subject(controller: str, expected: str) -> None:
    rules = replace(RULES, drops=True, free=True)
    given = item("barks", controller, "Case=Nom|Gender=Masc|Number=Sing", "Person")
    assert found(given, WrongForms(rules, FORMS)) == expected
