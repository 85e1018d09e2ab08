"""What makes a wrong form right after all: items with a form that is refused, and alike ones with a
form that is taken."""

from dataclasses import replace
from typing import Any

import pytest

from solecism.treebank.forms import LanguageForms, ParadigmCell, WordForm
from solecism.treebank.languages import rules_of
from solecism.treebank.wrong_forms import WrongForms, doubt_of_form, doubt_of_item

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
DOG, DOGO = "Gender=Masc|Number=Sing", "Case=Nom|Gender=Masc|Number=Sing"


def item(text: str, target: str, controller: str, of: str, **more: Any) -> dict[str, Any]:
    """An item whose target is masked; its FEATS are those of ``KNOWN``, or given."""
    left, _, right = text.partition(target)
    known = {word[0]: word for word in reversed(KNOWN)}
    _, lemma, upos, feats = known.get(target, (None,) * 4)
    words = text.rstrip(".").split()
    noun = known.get(controller, (None, controller))[1]
    end = {"form": controller, "lemma": noun, "feats": of, "index": words.index(controller)}
    return {
        "text": text, "left": left, "right": right, "answer": target, "lemma": lemma, "upos": upos,
        "feats": feats, "layer": None, "polite": None, "relation": "verb", "controller": end,
        "target": {"form": target, "lemma": lemma, "index": words.index(target)}, **more,
    }  # fmt: skip


def found(
    target: str, controller: str, of: str, feature: str, wrong_forms: WrongForms | None = None,
    text: str = "", **more: str,
) -> str:  # fmt: skip
    """Return the wrong form in a feature, or why there is none."""
    wrong_forms = wrong_forms or WrongForms(RULES, FORMS)
    text = text or f"{controller} {target}."
    given = item(text, target, controller, of, agrees_in=[feature], **more)
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
    assert found(target, controller, of, feature) == expected


def test_a_plural_noun_may_stand_for_two() -> None:
    known = {WordForm(*word): 20 for word in KNOWN if word[0] != "barks"}
    forms = replace(FORMS, counts={"UD_Own": known})
    told = found("bark", "dogs", "Gender=Masc|Number=Plur", "Number", WrongForms(RULES, forms))
    assert told == "a plural noun may stand for two"
    assert found("bark", "dogs", "Gender=Masc|Number=Plur", "Number") == "barks"


@pytest.mark.parametrize(
    ("target", "expected"), [("first", "a neuter may stand alone"), ("fine", "fineo")]
)
def test_a_definite_neuter_may_stand_alone(target: str, expected: str) -> None:
    sure = WrongForms(replace(RULES, sure={"Masc": "dog"}), FORMS)
    assert found(target, "dog", DOG, "Gender", sure, relation="predicated") == expected


@pytest.mark.parametrize(
    ("target", "text", "expected"),
    [
        ("bigo", "", "a case in which it may stand alone"),
        ("bigao", "", "bigab"),
        ("bigao", "bigao dogo sleeps.", "bigab"),
        ("bigao", "bigao dogob dogo sleeps.", "another noun would license it"),
    ],
)
def test_adjectives_in_another_case(target: str, text: str, expected: str) -> None:
    assert found(target, "dogo", DOGO, "Case", text=text, relation="modifying") == expected


def test_what_the_treebank_mixes_and_what_readers_doubted() -> None:
    mixes = WrongForms(RULES, FORMS, frozenset({("verb", "Number")}))
    assert found("barks", "dog", DOG, "Number", mixes) == "the treebank itself mixes it"
    reason = "readers of the language doubted such pairs"
    for doubted, expected in {"verb": reason, "verb Sing>Plur": "barkt", "object": "bark"}.items():
        rules = replace(RULES, doubted=(doubted,))
        assert found("barks", "dog", DOG, "Number", WrongForms(rules, FORMS)) == expected


@pytest.mark.parametrize(
    ("controller", "expected"),
    [("dogo", "barka"), ("dogob", "a noun may be the object of a dropped subject")],
)
def test_a_noun_may_be_the_object_of_a_dropped_subject(controller: str, expected: str) -> None:
    rules = replace(RULES, drops=True, free=True)
    assert found("barks", controller, DOGO, "Person", WrongForms(rules, FORMS)) == expected


# Languages without rules.

NOM = "Case=Nom|Number=Sing"
CAREFUL = LanguageForms("sq", {"UD_Own": {
    WordForm("dogu", "dog", "NOUN", NOM): 5,
    WordForm("dogus", "dog", "NOUN", "Case=Nom|Number=Plur"): 5,
    WordForm("catu", "cat", "NOUN", NOM): 5,
    WordForm("catu", "cat", "NOUN", "Case=Acc|Number=Sing"): 5,
    WordForm("runat", "run", "VERB", "Number=Sing"): 5,
    WordForm("runan", "run", "NOUN", "Case=Nom|Number=Plur"): 2,
}}, {"UD_Own": "CC0-1.0"}, None, frozenset({"sleepun"}))  # fmt: skip
SLEEPS = {"upos": "VERB", "feats": "Number=Sing"}


@pytest.mark.parametrize(
    ("text", "controller", "of", "doubt"),
    [
        ("dogu now sleepat.", "dogu", NOM, ""),
        ("dogu , now sleepat.", "dogu", NOM, "a pause between the ends"),
        ("dogu runat and sleepat.", "dogu", NOM, "another verb between the ends"),
        ("dogu sees dogu sleepat.", "dogu", NOM, "the controller stands twice"),
        ("dogu sleepat.", "dogu", "Number=Sing", "a noun without case may be another argument"),
        ("catu sleepat.", "catu", NOM, "the noun has the form of another case too"),
        ("that sleepat.", "that", "Number=Sing|PronType=Dem", "a pronoun that may be a determiner"),
        ("she sleepat.", "she", "Number=Sing|PronType=Prs", "")
    ],
)  # fmt: skip
def test_what_may_be_right_with_another_form(
    text: str, controller: str, of: str, doubt: str
) -> None:
    assert doubt_of_item(item(text, "sleepat", controller, of, **SLEEPS), CAREFUL) == doubt


@pytest.mark.parametrize(
    ("target", "form", "feats", "doubt"),
    [
        ("sleepat", "sleepan", "Number=Plur", ""),
        ("sleepat", "sloptun", "Number=Plur", "too unlike the right form"),
        ("sleepat", "sleepan", "Number=Plur|Tense=Past", "differs in more"),
        ("sleepat", "sleepun", "Number=Plur", "right as another word"),
        ("runat", "runan", "Number=Plur", "right as another word"),
    ],
)
def test_what_a_form_may_be_beside(target: str, form: str, feats: str, doubt: str) -> None:
    given = item(f"dogu now {target}.", target, "dogu", NOM, **SLEEPS)
    assert doubt_of_form(given, "Number", ParadigmCell(form, feats, 3), CAREFUL) == doubt


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
    given = item(text, "bigu", "dogu", NOM, relation="modifying", upos="ADJ", feats=NOM)
    assert doubt_of_form(given, feature, ParadigmCell("bigus", feats, 3), CAREFUL) == doubt
