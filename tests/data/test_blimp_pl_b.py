"""The data set blimp-pl, case, negation, numerals: no wrong form is right in another reading."""

import re

import pytest

from barred_pl import check_never
from drawing import Pairs, check_patterns, lemmas_of, pairs_of
from release import CHECKOUT

LEXICON = CHECKOUT / "lexicons" / "pl"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-pl", "pl")


@pytest.mark.parametrize(
    ("uid", "good", "bad"),
    [
        # Prepositions of one case; "przez rzeki" are several rivers.
        (
            "preposition_case",
            r" (?:do|od|przez) \w+\.$",
            r" (?:do|od|przez (?!\w+[kgw]i\b)) ?\w+\.$",
        ),
        # "Wysiadła na peronie, wspinała się na skale, weszła na górze": there.
        ("two_way_preposition_state", r" na \w+\.$", r" na (?!peronie|skale|górze|stacji)\w+\.$"),
        # One negated verb, and one infinitive right behind it.
        (
            "genitive_of_negation_infinitive",
            r" nie (?:chc|m[oóu])\w+ \w+[ćc] ",
            r" nie \w+ \w+[ćc] \w+\.$",
        ),
        ("genitive_of_negation", r" nie \w+ \w+ \w+\.$", r" nie \w+ \w+ \w+\.$"),
        ("nominalisation_genitive", r"^\w+[nc]ie \w+[iyaęu] ", r"^\w+[nc]ie \w+ zajęło "),
        # "Babcia, było zimno; Anna, bolała głowa" call somebody: a noun in a clause, never a name.
        ("dative_experiencer", r", że [^A-ZŁŚŻ]\w+ było ", r", że [^A-ZŁŚŻ]\w+ było "),
        (
            "accusative_experiencer",
            r", że [^A-ZŁŚŻ]\w+ ",
            r", że [^A-ZŁŚŻ]\w+ (?:roz)?(?:bol|swęd)",
        ),
        # Feminine, for "znaleziono klucz" is good; not negated.
        ("impersonal_accusative", r"^(?!.* nie ).*[nt]o \w+ę\.$", r"^(?!.* nie ).*[nt]o \w+a\.$"),
        # "Której Anna pomaga": whose Anna.
        ("relative_pronoun_case", r", któr\w+ (?:[mt]w?oja|[mt]w?ój|nasza?) ", r", któr\w+ [mn]"),
        # "Kurtka Anny jest lepsza niż brata": that of the brother.
        (
            "comparative_preposition",
            r"^\w+ jest .* (?:od|niż) ",
            r"^\w+ jest .* (?:od|niż) (?:\w+ )?\w+\.$",
        ),
        # "Chwalą, krytykują, piszą sobie nawzajem prace".
        (
            "reciprocal_case",
            r" (?:sobie|siebie) nawzajem\.$",
            r"^(?!.*(?:chwal|krytyk|pisz|szuka))",
        ),
        (
            "numeral_paucal",
            r" (?:dwa|dwie|trzy|cztery) \w+\.$",
            r" (?:dwa|dwie|trzy|cztery) \w+\.$",
        ),
    ],
)
def test_sentences_have_one_reading(pairs: Pairs, uid: str, good: str, bad: str) -> None:
    check_patterns(pairs[uid], good, bad)


@pytest.mark.parametrize(
    ("uid", "name", "barred"),
    [
        # "Aleksandra boi się mysz": the mouse is afraid of Aleksander.
        ("genitive_object", "anna", "twin_names"),
        # "Spotkała mechanik": a woman may be called so, and the word then has one form.
        ("animate_accusative", "brat", "men_and_women"),
        ("predicate_gender_attractor", "brat", "men_and_women"),
        # "Lekarz tych chłopców zachorowali": the plural of respect of dialects.
        ("past_number_attractor", "siostra", "men_and_women"),
        ("genitive_of_negation", "anna", "twin_names"),
        ("genitive_of_negation_infinitive", "anna", "twin_names"),
        # "Kieruje samochód, słucha muzykę" are heard.
        ("instrumental_object", "interesuje", "two_cases"),
        ("genitive_object", "unika", "genitive_or_accusative"),
        # "Została księgowa", as "została sama".
        ("predicate_instrumental", "lekarka", "noun_like_adjectives"),
    ],
)
def test_words_that_give_a_reading_are_barred(
    pairs: Pairs, uid: str, name: str, barred: str
) -> None:
    check_never(LEXICON, barred, pairs[uid], name)


def test_men_have_numerals_of_their_own(pairs: Pairs) -> None:
    """*Pięciu kolegów, pięć kubków*: both are good in the data, each a bad one elsewhere."""
    men = r" (?:pięciu|sześciu|siedmiu|ośmiu|dziesięciu|kilku) "
    found = [bool(re.search(men, row["sentence_good"])) for row in pairs["numeral_virile"]]
    assert 300 < sum(found) < 700
    for row, virile in zip(pairs["numeral_virile"], found, strict=True):
        assert bool(re.search(men, row["sentence_bad"])) != virile, row["sentence_bad"]


@pytest.mark.parametrize(
    ("uid", "name"),
    [
        # "Pomogła bratu i siostra": the sister helped, too; "idę do, babcia": a call.
        ("coordination_case", "siostrze"),
        ("preposition_case", "lekarki"),
    ],
)
def test_the_wrong_form_is_no_nominative(pairs: Pairs, uid: str, name: str) -> None:
    for row in pairs[uid]:
        (lemma,) = lemmas_of([row], name)
        assert not row["sentence_bad"].endswith(f" {lemma.partition('#')[0]}."), row["sentence_bad"]
