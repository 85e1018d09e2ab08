"""The data set blimp-pl: sizes, spelling, and that no bad sentence is good in another reading."""

import re

import pytest

from barred_pl import check_never, words_of
from drawing import Pairs, check_patterns, check_sizes, pairs_of, slot_of, spelt_of
from release import CHECKOUT

LEXICON = CHECKOUT / "lexicons" / "pl"
SIDES = ("sentence_good", "sentence_bad")


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-pl", "pl")


def test_paradigms_are_whole_and_words_vary(pairs: Pairs) -> None:
    check_sizes(pairs, paradigms=48, words=2000)


@pytest.mark.parametrize(
    ("words", "spelt"),
    [
        ("z szkoły , z stołu , z wsi , z wszystkimi", "ze szkoły, ze stołu, ze wsi, ze wszystkimi"),
        ("z szafy , z siostrą , z żoną , z rzeki", "z szafy, z siostrą, z żoną, z rzeki"),
        ("z studentem , z śpiewaczką , z zdjęciem", "ze studentem, ze śpiewaczką, ze zdjęciem"),
        ("z źródła , z mną , z złością , z zimą", "ze źródła, ze mną, ze złością, z zimą"),
        ("z czasem , z Sabiną , z synem , z szefem", "z czasem, z Sabiną, z synem, z szefem"),
        ("w wtorek , w Wrocławiu , w Francji", "we wtorek, we Wrocławiu, we Francji"),
        ("w wodzie , w filmie , w domu", "w wodzie, w filmie, w domu"),
        (
            "od mnie , nad mną , przed mną , przez mnie",
            "ode mnie, nade mną, przede mną, przeze mnie",
        ),
        ("nie- dobry dom", "niedobry dom"),
        ("że -byś kupił , żeby -m kupił , kupił -by", "żebyś kupił, żebym kupił, kupiłby"),
    ],
)
def test_words_are_spelt_with_their_neighbours(words: str, spelt: str) -> None:
    assert spelt_of(LEXICON, words) == spelt


UNSPELT = (
    r"\b[Zz] (?:s[bcćdfghjklłmnprtw]|sz[bcćdfghjklłmnprtw]|ś|z[bcdgklłmnprtw]|ws|mną)|"
    r"\b[Ww] [wf][bcdghjklłmnprst]|(?:^| )-|[^,] (?:że|żeby|żebym|żebyś|gdyby|ale|któr\w+)\b"
)
"""A preposition without its vowel, an ending by itself, a clause without its comma."""


def test_no_sentence_breaks_a_rule_of_spelling(pairs: Pairs) -> None:
    for uid, rows in pairs.items():
        for row in rows:
            for side in SIDES:
                assert not re.search(UNSPELT, row[side]), (uid, row[side])


@pytest.mark.parametrize(
    ("uid", "good", "bad"),
    [
        # "Na jego brata" is good: something stands behind the pronoun that is no noun.
        ("n_after_preposition", r" (?:nie\w+|nich|nią) ", r" (?:jego|jej|ją|ich) (?!\w+a\.)"),
        ("no_n_in_possessive", r" (?:jego|jej|ich) \w+\.$", r" (?:niego|niej|nich) \w+\.$"),
        # Kin: "swoje mieszkanie jest najlepsze" is good; in a clause, for proverbs have it first.
        (
            "reflexive_possessor_subject",
            r", że (?:jego|jej) ",
            r", że swo(?:ja|je|i|ój) |, że swój ",
        ),
        # No object, which would be in the genitive after nie.
        ("negative_concord", r"^Nikt z", r"^Nikt z.* (?:też|już) "),
        ("negative_concord_object", r" nie .* żadne(?:go|j) ", r" (?:też|już) .* żadne(?:go|j) "),
        ("person_ending_on_conjunction", r", żeby[mś] \w+[łła] ", r", żeby \w+(?:em|am|eś|aś) "),
        # Będzie with an infinitive or a past; nothing else that it could be.
        ("future_aspect", r" będzie \w+", r" będzie \w+"),
        # "Na godzinę, przez godzinę" go with perfective verbs.
        ("duration_aspect", r" (?:długo|cał[yae]\w*) ", r"^(?!.*(?:godzin|chwil))"),
        ("passive_aspect", r" został[ao]? \w+\.$", r" został[ao]? \w+\.$"),
        ("wish_past", r", żeby ", r", żeby "),
        ("condition_past", r"^Gdyby ", r"^Gdyby .*, .* by (?:się )?\w+"),
        # The sentence ends with the question word: "kim jest" would be good.
        ("sluicing_case", r", (?:kogo|komu|kim)\.$", r", (?:kogo|kim)\.$"),
        # Pięcioma, not pięciu, which other cases have, too; not dwoma, dwiema.
        ("numeral_oblique", r" ze? \w+(?:oma|ema|kilkoma) ", r" ze? (?!dwoma|dwiema|pięciu)\w+ma "),
        # Które of a neuter: the letter is masculine or feminine, and its verb shows it.
        ("relative_pronoun_gender", r", któr[ya] ", r", któr[ya] przysz"),
    ],
)
def test_sentences_have_one_reading(pairs: Pairs, uid: str, good: str, bad: str) -> None:
    check_patterns(pairs[uid], good, bad)


@pytest.mark.parametrize(
    ("uid", "name", "wanted"),
    [
        # "Ładne" could be heard as an adverb.
        ("adverb_with_look_verbs", "zupa", {"Fem", "Masc"}),
        ("relative_pronoun_gender", "list", {"Fem", "Masc"}),
    ],
)
def test_genders_that_have_one_reading(pairs: Pairs, uid: str, name: str, wanted: set[str]) -> None:
    found = {re.search(r"Gender=(\w+)", slot_of(row, name)["feats"]) for row in pairs[uid]}
    assert {match[1] for match in found if match} == wanted


@pytest.mark.parametrize(
    ("uid", "name", "barred"),
    [
        ("passive_aspect", "sprzedać", "adjectival_participles"),
        ("negative_concord_object", "kupiła", "partitive_objects"),
        ("person_ending_on_conjunction", "kupił", "variable_past"),
        ("numeral_oblique", "koleżanki", "variable_genitive_plural"),
        # Kamil: "niż Kamila" is than a woman of that name, too.
        ("comparative_preposition", "brat", "twin_names"),
        ("numeral_virile", "kolega", "depreciative_alike"),
        ("numeral_virile", "kolega", "depreciative_said"),
    ],
)
def test_words_that_give_a_reading_are_barred(
    pairs: Pairs, uid: str, name: str, barred: str
) -> None:
    check_never(LEXICON, barred, pairs[uid], name)


@pytest.mark.parametrize("barred", ["delimitatives", "biaspectual"])
def test_no_verb_that_goes_with_a_span_of_time_is_bad_there(pairs: Pairs, barred: str) -> None:
    """*Długo poczytała* is good; the word of the bad side alone is named in no slot of a pair."""
    stems = tuple(word.removesuffix("ć") for word in words_of(barred))
    for row in pairs["duration_aspect"]:
        words = row["sentence_bad"].lower().split()
        assert not any(word.startswith(stems) for word in words), row["sentence_bad"]


def test_nobody_visits_or_draws_a_lock(pairs: Pairs) -> None:
    """*Zamek* is a castle (zamku) and a lock (zamka)."""
    seen = re.compile(r"\b(zwied|rysow|narysow|malow|fotograf|podziwia|widzia|zobacz)\w*.* zamka\b")
    rows = [row["sentence_good"] for own in pairs.values() for row in own]
    assert any("zamku" in sentence for sentence in rows)
    assert [sentence for sentence in rows if seen.search(sentence)] == []
