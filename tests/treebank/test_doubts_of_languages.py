"""Doubts about wrong forms in languages without rules: each with a form that it refuses, and one
that it lets pass."""

from typing import Any

import pytest

from solecism.treebank.forms import LanguageForms, ParadigmCell, WordForm
from solecism.treebank.languages import rules_of
from solecism.treebank.wrong_forms import doubt_of_form, doubt_of_item

KNOWN = {
    WordForm("dogu", "dog", "NOUN", "Case=Nom|Number=Sing"): 5,
    WordForm("dogus", "dog", "NOUN", "Case=Nom|Number=Plur"): 5,
    WordForm("catu", "cat", "NOUN", "Case=Nom|Number=Sing"): 5,
    WordForm("catu", "cat", "NOUN", "Case=Acc|Number=Sing"): 5,
    WordForm("sleepat", "sleep", "VERB", "Number=Sing"): 5,
    WordForm("sleepan", "sleep", "VERB", "Number=Plur"): 5,
    WordForm("runat", "run", "VERB", "Number=Sing"): 5,
    WordForm("runan", "run", "NOUN", "Case=Nom|Number=Plur"): 2,
}
FORMS = LanguageForms("sq", {"UD_Own": KNOWN}, {"UD_Own": "CC0-1.0"}, None, frozenset({"sleepun"}))


def item(text: str, target: str, controller: str, **more: Any) -> dict[str, Any]:
    """An item whose target is masked; the controller is nominative, if nothing else is said."""
    left, _, right = text.partition(target)
    words = text.rstrip(".").split()
    end = {"form": controller, "lemma": controller, "feats": "Case=Nom|Number=Sing",
           "index": words.index(controller) + 1}  # fmt: skip
    end["feats"] = more.pop("of", end["feats"])
    given = {"relation": "verb", "upos": "VERB", "feats": "Number=Sing", "layer": None, **more}
    target_end = {"form": target, "index": words.index(target) + 1}
    return {"text": text, "left": left, "right": right, "answer": target, "controller": end,
            "target": target_end, **given}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "controller", "of", "doubt"),
    [
        ("dogu now sleepat.", "dogu", "Case=Nom|Number=Sing", ""),
        ("dogu , now sleepat.", "dogu", "Case=Nom|Number=Sing", "a pause between the ends"),
        ("dogu runat and sleepat.", "dogu", "Case=Nom|Number=Sing", "another verb between the ends"),
        ("dogu sees dogu sleepat.", "dogu", "Case=Nom|Number=Sing", "the controller stands twice"),
        ("dogu sleepat.", "dogu", "Number=Sing", "a noun without case may be another argument"),
        ("catu sleepat.", "catu", "Case=Nom|Number=Sing", "the noun has the form of another case too"),
        ("that sleepat.", "that", "Number=Sing|PronType=Dem", "a pronoun that may be a determiner"),
        ("she sleepat.", "she", "Number=Sing|PronType=Prs", "")
    ],
)  # fmt: skip
def test_what_may_be_right_with_another_form(
    text: str, controller: str, of: str, doubt: str
) -> None:
    assert doubt_of_item(item(text, "sleepat", controller, of=of), FORMS) == doubt


@pytest.mark.parametrize(
    ("form", "feats", "doubt"),
    [
        ("sleepan", "Number=Plur", ""),
        ("sloptun", "Number=Plur", "too unlike the right form"),
        ("sleepan", "Number=Plur|Tense=Past", "differs in more"),
        ("sleepun", "Number=Plur", "right as another word"),
    ],
)
def test_what_a_form_may_be_beside(form: str, feats: str, doubt: str) -> None:
    given = item("dogu now sleepat.", "sleepat", "dogu")
    assert doubt_of_form(given, "Number", ParadigmCell(form, feats, 3), FORMS) == doubt


def test_a_form_that_is_a_noun_too_is_refused() -> None:
    given = item("dogu now runat.", "runat", "dogu")
    cell = ParadigmCell("runan", "Number=Plur", 3)
    assert doubt_of_form(given, "Number", cell, FORMS) == "right as another word"


@pytest.mark.parametrize(
    ("feature", "feats", "text", "doubt"),
    [
        ("Case", "Case=Gen|Number=Sing", "bigu dogu sleeps.", "a case in which it may stand alone"),
        ("Case", "Case=Acc|Number=Sing", "bigu dogu sleeps.", ""),
        ("Number", "Case=Nom|Number=Plur", "bigu dogus dogu sleeps.", "another noun would license it"),
        ("Number", "Case=Nom|Number=Plur", "bigu dogu sleeps.", "")
    ],
)  # fmt: skip
def test_adjectives_and_the_nouns_beside_them(
    feature: str, feats: str, text: str, doubt: str
) -> None:
    given = item(
        text, "bigu", "dogu", relation="modifying", upos="ADJ", feats="Case=Nom|Number=Sing"
    )
    assert doubt_of_form(given, feature, ParadigmCell("bigus", feats, 3), FORMS) == doubt


def test_languages_without_a_stanza_are_treated_so() -> None:
    assert rules_of("sq").careful
    assert not rules_of("fr").careful
    assert rules_of("fa").honours
    assert not rules_of("sq").honours
