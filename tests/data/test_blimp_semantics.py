"""BLiMP's polarity, quantifier and ellipsis paradigms: the contrast of each pair is what it should
be."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from blimp import LEXICON, drawn, few_repeated

PHENOMENA = {
    "matrix_question_npi_licensor_present": "npi_licensing",
    "npi_present_1": "npi_licensing",
    "npi_present_2": "npi_licensing",
    "only_npi_licensor_present": "npi_licensing",
    "only_npi_scope": "npi_licensing",
    "sentential_negation_npi_licensor_present": "npi_licensing",
    "sentential_negation_npi_scope": "npi_licensing",
    "existential_there_quantifiers_1": "quantifiers",
    "existential_there_quantifiers_2": "quantifiers",
    "superlative_quantifiers_1": "quantifiers",
    "superlative_quantifiers_2": "quantifiers",
    "ellipsis_n_bar_1": "ellipsis",
    "ellipsis_n_bar_2": "ellipsis",
}
ONE_WORD = ["npi_present_1", "npi_present_2", "only_npi_licensor_present"]
ONE_WORD += ["sentential_negation_npi_licensor_present"]
SUPERLATIVE = ["superlative_quantifiers_1", "superlative_quantifiers_2"]
TWO_PREFIX = {uid: "ever" for uid in PHENOMENA if "npi_" in uid and "npi_present" not in uid}
STRONG = ("each", "every", "most", "both")


def pairs(uid: str) -> tuple[list[dict[str, Any]], bool]:
    """All pairs of a paradigm, and whether few combinations were skipped."""
    rows, counts = drawn(uid)
    return rows, few_repeated(counts)


def words(sentence: str) -> list[str]:
    return sentence.rstrip(".?").lower().split()


def sides(uid: str) -> list[tuple[list[str], list[str]]]:
    return [(words(row["sentence_good"]), words(row["sentence_bad"])) for row in pairs(uid)[0]]


@pytest.mark.parametrize(("uid", "phenomenon"), PHENOMENA.items())
def test_a_thousand_pairs_of_equal_length_and_no_sentence_twice(uid: str, phenomenon: str) -> None:
    rows, few_skipped = pairs(uid)
    assert len(rows) == 1000
    assert few_skipped
    assert {(row["UID"], row["linguistics_term"]) for row in rows} == {(uid, phenomenon)}
    assert len({row[side] for row in rows for side in ("sentence_good", "sentence_bad")}) == 2000
    assert all(len(good) == len(bad) for good, bad in sides(uid))
    assert all(row["sentence_good"][-1] == row["sentence_bad"][-1] for row in rows)


@pytest.mark.parametrize("uid", [uid for uid in PHENOMENA if uid not in (*ONE_WORD, *SUPERLATIVE)])
def test_the_words_are_the_same_in_another_order(uid: str) -> None:
    for good, bad in sides(uid):
        assert good != bad
        assert Counter("a" if w == "an" else w for w in good) == Counter(
            "a" if w == "an" else w for w in bad
        )


@pytest.mark.parametrize("uid", ONE_WORD)
def test_one_word_differs_and_what_stands_in_its_place_is_that_of_the_paper(uid: str) -> None:
    found = [[(a, b) for a, b in zip(good, bad, strict=True) if a != b] for good, bad in sides(uid)]
    assert all(len(differing) == 1 for differing in found)
    good, bad = (Counter(differing[0][side] for differing in found) for side in (0, 1))
    fixed, free = (good, bad) if len(good) == 1 else (bad, good)
    assert set(fixed) in ({"ever"}, {"only"}, {"not"})
    adverbs = {"often", "really", "certainly", "clearly"}
    if uid == "only_npi_licensor_present":
        assert set(free) == {"even"}
    elif uid == "npi_present_2":
        assert sum(free[word] for word in adverbs) >= 600
        assert max(free.values()) <= 1.4 * min(free[word] for word in adverbs)
    else:
        assert len(free) >= 12
        assert max(free.values()) <= 1.5 * sum(free.values()) / len(free)


@pytest.mark.parametrize(("uid", "critical"), TWO_PREFIX.items())
def test_ever_is_the_word_that_two_prefixes_decide_on(uid: str, critical: str) -> None:
    rows, _ = pairs(uid)
    assert {row["two_prefix_word"] for row in rows} == {critical}
    assert all(row["two_prefix_prefix_good"] != row["two_prefix_prefix_bad"] for row in rows)


def test_other_prefix_fields() -> None:
    for uid in ("npi_present_1", "npi_present_2"):
        assert {row["one_prefix_word_bad"] for row in pairs(uid)[0]} == {"ever"}
    found = {row["one_prefix_word_bad"] for row in pairs("superlative_quantifiers_1")[0]}
    assert found == {"at"} or found == {None}


def test_a_question_has_its_auxiliary_first_and_keeps_its_mark() -> None:
    rows, _ = pairs("matrix_question_npi_licensor_present")
    auxiliaries = {"has", "have", "had", "did", "will", "would", "could", "can"}
    for row in rows:
        good, bad = words(row["sentence_good"]), words(row["sentence_bad"])
        assert row["sentence_good"].endswith("?")
        assert row["sentence_bad"].endswith("?")
        assert good[0] in auxiliaries
        assert bad[0] not in auxiliaries


@pytest.mark.parametrize("uid", ["only_npi_scope", "sentential_negation_npi_scope"])
def test_the_licenser_stands_in_the_relative_clause_of_the_bad_sentence(uid: str) -> None:
    licenser = "only" if uid == "only_npi_scope" else "not"
    for good, bad in sides(uid):
        where_good, where_bad = good.index(licenser), bad.index(licenser)
        pronoun = "who" if "who" in bad else "that"
        assert pronoun in bad[1:where_bad]
        assert where_good == 0 if licenser == "only" else good[where_good + 1] == "ever"


def test_a_strong_quantifier_follows_existential_there_only_in_the_bad_sentence() -> None:
    for uid in ("existential_there_quantifiers_1", "existential_there_quantifiers_2"):
        for good, bad in sides(uid):
            assert bad[0] == "there"
            assert next(w for w in bad[2:] if w not in ("be", "been")) in STRONG
            first = good[0] if uid.endswith("2") else good[2]
            assert (first in STRONG) == uid.endswith("2")


def test_at_most_is_in_the_scope_of_no_only_in_the_bad_sentence() -> None:
    """No driver fixed fewer than (bad: at most) six cars; every (bad: no) driver fixed at most."""
    for good, bad in sides("superlative_quantifiers_1"):
        assert good[0] == bad[0] == "no"
        place = bad.index("at")
        assert bad[place + 1] == "most"
        assert good[place : place + 2] == ["fewer", "than"]
    for good, bad in sides("superlative_quantifiers_2"):
        assert bad[0] == "no"
        assert good[0] != "no"
        assert good[1:] == bad[1:] or len(good) == len(bad)
        assert "most" in good


@pytest.mark.parametrize("uid", ["ellipsis_n_bar_1", "ellipsis_n_bar_2"])
def test_the_adjective_is_left_behind_at_the_end_of_the_bad_sentence(uid: str) -> None:
    rows = LEXICON.table("adj").rows
    adjectives = {row.lemma.partition("#")[0] for row in rows}
    for good, bad in sides(uid):
        assert bad[-1] in adjectives
        assert good[-1] == bad[-2]
        assert sum(w in adjectives for w in bad[:-1]) >= (uid == "ellipsis_n_bar_2")
