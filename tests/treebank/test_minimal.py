"""What a wrong form may differ in, and what tells an item's answer."""

from dataclasses import replace
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


@pytest.mark.parametrize(("undoubted", "reasons"), [((), ["case alone"]), (("case alone",), [])])
def test_a_case_alone_tells_nothing(undoubted: tuple[str, ...], reasons: list[str]) -> None:
    """*Oslabili su tu [skupinu]*: *tu* is also *there*, so that any case may follow."""
    rules = replace(rules_of("hr"), undoubted=undoubted)
    wrong_forms = WrongForms(rules, LanguageForms("hr", {}))
    given = row("tu skupinu", ("tu", "Case=Acc"), ("skupinu", "Case=Acc"))
    assert [*wrong_forms.of_masked({**given, "decides": ["Case"]})] == reasons
    assert not [*wrong_forms.of_masked({**given, "decides": ["Case", "Number"]})]


def wrong(
    code: str, answer: str, feats: str, controller: str, forms: dict[str, str],
    names: tuple[str, ...], layer: str | None = None,
) -> list[str]:  # fmt: skip
    """The wrong forms in the place of a target that agrees in some features; ``forms``: their
    FEATS, by form; ``controller``: its FEATS."""
    given = {
        "answer": answer, "language": code, "feats": feats, "layer": layer, "masked": "target",
        "agrees_in": [*names], "decides": [*names], "controller": {"feats": controller},
        "relation": "modifying",
    }  # fmt: skip
    own = {answer: feats, **forms}
    return wrong_answers(given, [(form, bundle(theirs)) for form, theirs in own.items()])


def test_of_forms_with_the_same_features_the_one_like_the_answer_is_wrong() -> None:
    """*Sådant* is beside *sådan*, *sånt* is another style of it."""
    common, neuter = "Gender=Com|Number=Sing", "Gender=Neut|Number=Sing"
    forms = {"sånt": neuter, "sådant": neuter}
    assert wrong("sv", "sådan", common, common, forms, ("Gender",)) == ["sådant"]


@pytest.mark.parametrize(("number", "expected"), [("Sing", ["dugu"]), ("Plur", [])])
def test_we_may_be_said_of_a_plural_noun(number: str, expected: list[str]) -> None:
    """*Euskaldunek dugu* is good: we Basques have it."""
    they, we = (f"Number[erg]=Plur|Person[erg]={person}" for person in (3, 1))
    end = f"Case=Erg|Number={number}"
    assert wrong("eu", "dute", they, end, {"dugu": we}, ("Person",), "erg") == expected


def test_a_genitive_may_go_with_another_noun() -> None:
    """*[Uusia] tieteen muotoja*: *uuden* goes with *tieteen*, *uudet* with neither; *nende töö* is
    their work, whatever the number of the work."""
    many = "Case=Par|Number=Plur"
    forms = {"uuden": "Case=Gen|Number=Sing", "uudet": "Case=Nom|Number=Plur"}
    assert wrong("fi", "uusia", many, many, forms, ("Case", "Number")) == ["uudet"]
    one, several = "Case=Gen|Number=Sing", "Case=Gen|Number=Plur"
    assert not wrong("et", "selle", one, one, {"nende": several}, ("Case", "Number"))


@pytest.mark.parametrize(("gender", "expected"), [("Masc", ["нового"]), ("Fem", [])])
def test_a_gender_that_the_answer_has_not_is_the_nouns(gender: str, expected: list[str]) -> None:
    """*[Новых] текстов*: *нового* differs in number alone, *новой* in gender, too."""
    many, one = "Case=Gen|Number=Plur", f"Case=Gen|Gender={gender}|Number=Sing"
    end = f"{many}|Gender=Masc"
    assert wrong("ru", "новых", many, end, {"нового": one}, ("Number",)) == expected
