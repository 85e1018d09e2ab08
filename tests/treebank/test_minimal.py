"""What a wrong form may differ in, and what tells an item's answer."""

from typing import Any

import pytest

from solecism.treebank.cloze import wrong_answers
from solecism.treebank.forms import LanguageForms, WordForm
from solecism.treebank.languages import rules_of
from solecism.treebank.relations import bundle
from solecism.treebank.wrong_forms import WrongForms


@pytest.mark.parametrize(
    ("code", "answer", "like", "unlike"),
    [
        ("eu", "zeuden", "zegoen", "dagoen"),  # were: was, is
        ("eu", "dira", "gara", "ziren"),
        ("et", "asus", "asusin", "asuski"),
        ("sr", "sam", "si", "jesi"),
        ("el", "η", "οι", "αι"),
        ("pl", "swych", "swego", "swojego"),
        ("pl", "moje", "moja", "me"),
        ("it", "è", "sono", "son"),
        ("tr", "bakıyordu", "bakıyordular", "baktılar"),
        ("tr", "kaldı", "kaldım", "kalırdın"),
        ("tr", "gelecek", "geleceğim", "geldim"),
        ("fa", "آموخته", "آموخته", "آموختم"),
        ("he", "כספים", "כסף", "כספ"),
    ],
)
def test_a_form_has_the_tense_and_style_of_the_answer(
    code: str, answer: str, like: str, unlike: str
) -> None:
    replaces = rules_of(code).replaces
    assert replaces(answer, {}, like, {}, None)
    assert not replaces(answer, {}, unlike, {}, None)


def row(text: str, target: tuple[str, str], controller: tuple[str, str]) -> dict[str, Any]:
    """An item of Hebrew or Croatian whose controller is masked; ends are forms and FEATS."""
    ends = {
        name: {"form": form, "feats": feats, "start": text.index(form), "index": text.index(form),
               "end": text.index(form) + len(form)}
        for name, (form, feats) in {"target": target, "controller": controller}.items()
    }  # fmt: skip
    own = {"text": text, "masked": "controller", "relation": "modifying", "decides": ["Number"]}
    return {**own, **ends}


MANY = "Gender=Masc|Number=Plur"
ONE = "Gender=Masc|Number=Sing"


@pytest.mark.parametrize(
    ("between", "reasons"), [(MANY, ["another noun would license it"]), (ONE, [])]
)
def test_an_adjective_behind_two_nouns_tells_neither(between: str, reasons: list[str]) -> None:
    """*Clients of other banks*: the adjective may go with the banks alone."""
    known = {"UD_Own": {WordForm("banks", "bank", "NOUN", between): 5}}
    wrong_forms = WrongForms(rules_of("he"), LanguageForms("he", known))
    given = row("the clients banks others", ("others", MANY), ("clients", MANY))
    assert [*wrong_forms.of_masked(given)] == reasons
    given = row("the others banks clients", ("others", MANY), ("clients", MANY))
    assert not [*wrong_forms.of_masked(given)]


@pytest.mark.parametrize(("code", "reasons"), [("hr", ["case alone"]), ("ka", [])])
def test_a_case_alone_tells_nothing(code: str, reasons: list[str]) -> None:
    """*Oslabili su tu [skupinu]*: *tu* is also *there*, so that any case may follow."""
    wrong_forms = WrongForms(rules_of(code), LanguageForms(code, {}))
    given = row("tu skupinu", ("tu", "Case=Acc"), ("skupinu", "Case=Acc"))
    assert [*wrong_forms.of_masked({**given, "decides": ["Case"]})] == reasons
    assert not [*wrong_forms.of_masked({**given, "decides": ["Case", "Number"]})]


def test_of_forms_with_the_same_features_the_one_like_the_answer_is_wrong() -> None:
    """*Sådant* is beside *sådan*, *sånt* is another style of it."""
    common, neuter = "Gender=Com|Number=Sing", "Gender=Neut|Number=Sing"
    given = {
        "answer": "sådan", "language": "sv", "feats": common, "layer": None, "masked": "target",
        "agrees_in": ["Gender"], "decides": ["Gender"],
        "controller": {"form": "bok", "feats": common},
    }  # fmt: skip
    own = [("sånt", bundle(neuter)), ("sådant", bundle(neuter)), ("sådan", bundle(common))]
    assert wrong_answers(given, own) == ["sådant"]


@pytest.mark.parametrize(("number", "expected"), [("Sing", ["dugu"]), ("Plur", [])])
def test_we_may_be_said_of_a_plural_noun(number: str, expected: list[str]) -> None:
    """*Euskaldunek dugu* is good: we Basques have it."""
    feats = {3: "Number[erg]=Plur|Person[erg]=3", 1: "Number[erg]=Plur|Person[erg]=1"}
    given = {
        "answer": "dute", "language": "eu", "feats": feats[3], "layer": "erg", "masked": "target",
        "agrees_in": ["Person"], "decides": ["Person"],
        "controller": {"form": "euskaldunek", "feats": f"Case=Erg|Number={number}"},
    }  # fmt: skip
    own = [("dute", bundle(feats[3])), ("dugu", bundle(feats[1]))]
    assert wrong_answers(given, own) == expected


def test_a_genitive_may_go_with_another_noun() -> None:
    """*[Uusia] tieteen muotoja*: *uuden* goes with *tieteen*, *uudet* with neither."""
    many = "Case=Par|Number=Plur"
    given = {
        "answer": "uusia", "language": "fi", "feats": many, "layer": None, "masked": "target",
        "agrees_in": ["Case", "Number"], "decides": ["Case", "Number"],
        "controller": {"form": "muotoja", "feats": many},
    }  # fmt: skip
    genitive, plural = bundle("Case=Gen|Number=Sing"), bundle("Case=Nom|Number=Plur")
    own = [("uusia", bundle(many)), ("uuden", genitive), ("uudet", plural)]
    assert wrong_answers(given, own) == ["uudet"]
    # "Nende töö" is their work, whatever the number of the work.
    own = [("selle", bundle("Case=Gen|Number=Sing")), ("nende", bundle("Case=Gen|Number=Plur"))]
    one = {"answer": "selle", "language": "et", "feats": "Case=Gen|Number=Sing"}
    end = {"form": "töö", "feats": "Case=Gen|Number=Sing"}
    assert not wrong_answers({**given, **one, "controller": end}, own)


@pytest.mark.parametrize(("gender", "expected"), [("Masc", ["нового"]), ("Fem", [])])
def test_a_gender_that_the_answer_has_not_is_the_nouns(gender: str, expected: list[str]) -> None:
    """*[Новых] текстов*: *нового* differs in number alone, *новой* in gender, too."""
    many = "Case=Gen|Number=Plur"
    given = {
        "answer": "новых", "language": "ru", "feats": many, "layer": None, "masked": "target",
        "agrees_in": ["Number"], "decides": ["Number"],
        "controller": {"form": "текстов", "feats": f"{many}|Gender=Masc"},
    }  # fmt: skip
    own = [("новых", bundle(many)), ("нового", bundle(f"Case=Gen|Gender={gender}|Number=Sing"))]
    assert wrong_answers(given, own) == expected
