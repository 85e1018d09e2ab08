"""The data set blimp-uk: sizes, spelling, and that no wrong form is the right one too."""

import re

import pytest

from drawing import Pairs, check_sizes, check_wrong_forms, forms_of, pairs_of, spelt_of
from release import CHECKOUT

LEXICON = CHECKOUT / "lexicons" / "uk"
VOWELS, CONSONANTS = "аеєиіїоуюя", "бвгґджзйклмнпрстфхцчшщь"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-uk", "uk")


def test_paradigms_are_whole_and_words_vary(pairs: Pairs) -> None:
    check_sizes(pairs, paradigms=45, words=2000)


@pytest.mark.parametrize(
    ("words", "spelt"),
    [
        ("брат у місті , сестра у місті", "брат у місті, сестра в місті"),
        ("сестра у вазі , сестра у школі", "сестра у вазі, сестра в школі"),
        ("вона у Львові , він у Одесі", "вона у Львові, він в Одесі"),
        ("вона у своїй кімнаті , у твого брата", "вона у своїй кімнаті, у твого брата"),
        ("Оксана учора , Тарас учора", "Оксана вчора, Тарас учора"),
        ("наша учителька , наш учень", "наша вчителька, наш учень"),
        ("мати удома увечері , він уже удома", "мати вдома ввечері, він уже вдома"),
        ("Оксана і Марія , Тарас і Марія", "Оксана й Марія, Тарас і Марія"),
        ("Оксана і Юрій , Оксана і Остап", "Оксана і Юрій, Оксана й Остап"),
        ("вона з братом , він з братом", "вона з братом, він із братом"),
        ("з сестрою , з школи , з столу", "із сестрою, зі школи, зі столу"),
        ("брат з Одеси , він з мною", "брат з Одеси, він зі мною"),
        ("Оксана би пішла , Тарас би пішов", "Оксана б пішла, Тарас би пішов"),
    ],
)
def test_words_are_spelt_with_their_neighbours(words: str, spelt: str) -> None:
    assert spelt_of(LEXICON, words) == spelt


UNSPELT = (
    rf"[{VOWELS}] (?:у (?![вф]|льв|[сткхздшчц]в)|і (?![йяюєї])|би\b|учора|уже\b|удома)|"
    rf"[{CONSONANTS}] (?:й|б) |\bв (?:[вф]|льв|[сткхздшчц]в)|\bу [аеиіоу]|\bй [йяюєї]|"
    rf"\bз [сзшжцч]|\bіз [сзшжцч][{CONSONANTS}]|\b(?:із|зі) [{VOWELS}]|[{CONSONANTS}] з [{CONSONANTS}]|"
    r"[’ʼ`]|[ыэъёa-z]|[^,] (?:що|щоб|як(?:ий|а|е|і|ого|ої|ому|ій|у|им|ою|их|ими)|якби|але)\b"
)
"""A preposition or conjunction that its neighbours do not allow, another apostrophe, a letter of
Russian or English, a clause without its comma."""


def test_no_sentence_breaks_a_rule_of_spelling(pairs: Pairs) -> None:
    for uid, rows in pairs.items():
        for row in rows:
            for side in ("sentence_good", "sentence_bad"):
                assert not re.search(UNSPELT, row[side].lower()), (uid, row[side])


def test_no_wrong_form_is_the_right_one_too(pairs: Pairs) -> None:
    """Where one word differs, the wrong form has no features that the right form has (U1)."""
    tables = ("noun", "propn", "adj", "det", "pron", "pron.rel", "verb", "num")
    check_wrong_forms(pairs, forms_of(LEXICON, tables), 20000)


def test_the_sides_differ_in_the_contrast_alone(pairs: Pairs) -> None:
    """A form of another sound at its end would change the word after it (U3: *Тарас учора*)."""
    for uid, rows in pairs.items():
        for row in rows:
            good, bad = (row[f"tokens_{side}"].split() for side in ("good", "bad"))
            if len(good) == len(bad):
                differ = [(a, b) for a, b in zip(good, bad, strict=True) if a != b]
                spelt = [pair for pair in differ if {*pair} in ALIKE]
                assert not spelt, (uid, row["sentence_bad"])


ALIKE = [{"у", "в"}, {"і", "й"}, {"з", "із"}, {"з", "зі"}, {"би", "б"}, {"учора", "вчора"}]
"""Words that are one, but for what stands beside them."""
