"""The data set blimp-pl, agreement with the subject: no bad sentence is good in another reading."""

import re

import pytest

from barred_pl import check_never
from drawing import Pairs, pairs_of, slot_of
from release import CHECKOUT

LEXICON = CHECKOUT / "lexicons" / "pl"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-pl", "pl")


@pytest.mark.parametrize(
    ("uid", "pattern"),
    [
        # "Ty, wczoraj kupiłem rower": a call. "Ja kupił" is heard.
        ("past_person", r"^(?:Ja|On|Ona) .*(?:łem|łam|łeś|łaś) "),
        # A woman, as "którą" is no subject.
        ("distractor_agreement_relative_clause", r"^\w+ \w+[ai], którą "),
        # "Tę książkę" is no subject; "studenci" behind the verb would be a call.
        ("object_first_agreement", r" tę (?:\w+ )*?\w+ę \w+ła nasi "),
        # No uncoordinated name, which would be a call.
        ("coordinated_subject_virile", r"^(?:\w+ )+i \w+ \w+(?:li|ły) "),
        # Each verb is one without an object; the numeral has no adjective behind it.
        ("numeral_subject_neuter", r"^\w+ \w+ \w+ł[oy] "),
        # Każdy is a nominative, so that the plural has no silent subject.
        ("each_singular", r" każd[ya] ze? \w+ \w+(?:li|ły) "),
        ("clausal_subject_neuter", r"^To, że .*, \w+ła? "),
        # "Nie były moje klucze" is no sentence without its genitive.
        ("genitive_of_absence", r" nie był[ay]? (?:moje(?:go|j)|twoje(?:go|j)|moich|twoich) "),
    ],
)
def test_bad_sentences_have_one_reading(pairs: Pairs, uid: str, pattern: str) -> None:
    for row in pairs[uid]:
        assert re.search(pattern, row["sentence_bad"]), row["sentence_bad"]


@pytest.mark.parametrize(
    ("uid", "name", "barred"),
    [
        # "Siostra tego lekarza": "lekarz" is said of women, too.
        ("past_gender_attractor", "rolnik", "men_and_women"),
        # "Lekarze przyszły", "chłopaki przyszły" are good.
        ("past_virile", "koledzy", "depreciative_alike"),
        ("past_virile", "koledzy", "depreciative_said"),
        ("adjective_virile", "pianiści", "depreciative_alike"),
        ("predicate_virile", "pianiści", "depreciative_alike"),
        ("animate_accusative_adjective", "sąsiad", "depreciative_alike"),
        # "Młodzi lekarki": her young ones.
        ("adjective_virile", "zdolni", "adjectives_as_nouns"),
        ("animate_accusative_adjective", "miły", "adjectives_as_nouns"),
        ("adjective_case", "nowy", "adjectives_as_nouns"),
        # "Zjadł banana", "kupiła chleba", "szukała stołu" are good.
        ("animate_accusative", "brat", "m2_doubtful"),
        ("animate_accusative_adjective", "sąsiad", "m2_doubtful"),
        ("animate_accusative", "spotkała", "partitive_objects"),
        ("animal_accusative_plural", "zobaczyła", "genitive_or_accusative"),
        ("numeral_subject_neuter", "kobiety", "variable_genitive_plural"),
        ("numeral_subject_neuter", "przyszło", "also_transitive"),
        # Verbs that have the accusative, too.
        ("dative_object", "pomaga", "two_cases"),
        # "Zamknął zamknięty sklep", "szuka ciasnego mieszkania": nobody says so.
        ("animate_accusative_adjective", "miły", "of_a_state"),
        ("adjective_case", "nowy", "of_a_state"),
        ("adjective_case", "nowy", "flaws"),
        # "Niedawno nie naprawił": of what took place.
        ("negative_concord", "wczoraj", "of_what_happened"),
        ("negative_concord_object", "wczoraj", "of_what_happened"),
    ],
)
def test_words_that_give_a_reading_are_barred(
    pairs: Pairs, uid: str, name: str, barred: str
) -> None:
    check_never(LEXICON, barred, pairs[uid], name)


def test_the_object_of_a_plural_is_one_thing(pairs: Pairs) -> None:
    """No object can be the subject: "moje koleżanki kupiły książki"."""
    for uid, name in (("past_virile", "chleb"), ("coordinated_subject_virile", "rower")):
        assert all("Number=Sing" in slot_of(row, name)["feats"] for row in pairs[uid])


def test_what_one_wishes_joy_of_is_no_bad_form(pairs: Pairs) -> None:
    """*Pogratulowała brata* is of a brother: the bad form is no genitive."""
    for uid, name in (("dative_object", "siostra"), ("relative_pronoun_case", "koleżanka")):
        for row in pairs[uid]:
            if re.search(r"gratul|współczu", row["sentence_good"]):
                assert "Gender=Fem" in slot_of(row, name)["feats"], row["sentence_bad"]
    for row in pairs["sluicing_case"]:
        if re.search(r"gratul|współczu", row["sentence_good"]):
            assert row["sentence_bad"].endswith(" kim."), row["sentence_bad"]
