"""The islands and filler-gap paradigms of the data set blimp: what moves, what differs, and how
often."""

import re
from collections import Counter
from typing import Any

import pytest

from blimp import LEXICON, drawn
from release import CHECKOUT
from solecism.check.audit import cue_accuracy
from solecism.contrast import surplus
from solecism.lexicon.table import read_tsv

pytestmark = pytest.mark.nightly

LEFT_BRANCH = ["left_branch_island_echo_question", "left_branch_island_simple_question"]
REORDERED = [
    "adjunct_island", "complex_NP_island", "coordinate_structure_constraint_complex_left_branch",
    "coordinate_structure_constraint_object_extraction", *LEFT_BRANCH, "sentential_subject_island",
]  # fmt: skip
QUESTIONS = [
    "wh_questions_object_gap", "wh_questions_subject_gap", "wh_questions_subject_gap_long_distance",
]  # fmt: skip
NO_GAP = ["wh_vs_that_no_gap", "wh_vs_that_no_gap_long_distance"]
WITH_GAP = ["wh_vs_that_with_gap", "wh_vs_that_with_gap_long_distance"]


def rows(uid: str) -> list[dict[str, Any]]:
    return drawn(uid)[0]


def words(sentence: str) -> list[str]:
    """The words of a sentence, the first without its capital (names never stand first in a
    question)."""
    cut = sentence.rstrip(".?").split()
    return [cut[0].lower(), *cut[1:]]


def forms(row: dict[str, Any]) -> dict[str, str]:
    """The printed form of each slot."""
    return {slot["name"]: slot["form"] for slot in row["slots"]}


def lemmas(row: dict[str, Any]) -> dict[str, str]:
    return {slot["name"]: slot["lemma"] for slot in row["slots"]}


@pytest.mark.parametrize("uid", [*REORDERED, *QUESTIONS])
def test_the_same_words_in_another_order_so_no_word_is_a_cue(uid: str) -> None:
    bags = []
    for row in rows(uid):
        good, bad = (
            row[f"sentence_{side}"].rstrip(".?").lower().split() for side in ("good", "bad")
        )
        assert sorted(good) == sorted(bad)
        bags.append(surplus(good, bad))
    assert abs(cue_accuracy(bags) - 0.5) < 0.02
    assert len({(row["sentence_good"], row["sentence_bad"]) for row in rows(uid)}) == 1000


def contrasts(uid: str) -> set[tuple[str, str]]:
    """The words that differ, good and bad."""
    return {
        (a, b)
        for row in rows(uid)
        for a, b in zip(words(row["sentence_good"]), words(row["sentence_bad"]), strict=True)
        if a != b
    }


@pytest.mark.parametrize("uid", NO_GAP)
def test_without_a_gap_that_is_good(uid: str) -> None:
    assert contrasts(uid) == {("that", "who"), ("that", "what")}


@pytest.mark.parametrize("uid", WITH_GAP)
def test_with_a_gap_that_is_bad(uid: str) -> None:
    assert contrasts(uid) == {("who", "that"), ("what", "that")}


def test_a_subject_that_is_no_question_word_against_who() -> None:
    found = contrasts("wh_island")
    assert {bad for _, bad in found} == {"who"}
    assert {"I", "he", "she", "they", "we", "you"} == {good for good, _ in found}


@pytest.mark.parametrize("uid", [*WITH_GAP, "wh_island"])
def test_the_verb_before_the_bad_gap_never_goes_without_an_object(uid: str) -> None:
    (_, header), *table = read_tsv(CHECKOUT / "lexicons" / "en" / "verb.tsv", ["lemma"])
    verbs = [dict(zip(header, cells, strict=True)) for _, cells in table]
    strict = {verb["lemma"] for verb in verbs if verb["Alternation"] == "none"}
    for group in ("needs_object", "found_out"):
        strict |= {lemma.partition("#")[0] for _, lemma in LEXICON.typical.groups[group]}
    assert {lemmas(row)["met"] for row in rows(uid)} <= strict


@pytest.mark.parametrize("uid", WITH_GAP)
def test_nothing_follows_the_gap(uid: str) -> None:
    assert all(row["sentence_bad"].endswith(f" {forms(row)['met']}.") for row in rows(uid))


@pytest.mark.parametrize(
    "uid", [*LEFT_BRANCH, "coordinate_structure_constraint_complex_left_branch"]
)
def test_the_bad_question_word_leaves_its_noun_behind(uid: str) -> None:
    asked = ("what", "which", "whose")
    kinds: Counter[str] = Counter()
    for row in rows(uid):
        noun = forms(row)["senators" if "senators" in forms(row) else "snake"]
        good, bad = row["sentence_good"].lower(), row["sentence_bad"].lower()
        word = next(x for x in asked if bad.startswith(f"{x} "))
        assert f"{word} {noun.lower()}" in good
        assert not bad.startswith(f"{word} {noun.lower()}")
        kinds[word] += 1
    assert set(kinds.values()) == {333, 334}


def test_echo_questions_keep_their_word_in_place() -> None:
    for row in rows("left_branch_island_echo_question"):
        assert row["sentence_good"].endswith(f"{forms(row)['snake']}?")
        assert words(row["sentence_good"])[0] not in ("what", "which", "whose")


def test_the_first_part_of_a_coordination_is_moved() -> None:
    for row in rows("coordinate_structure_constraint_object_extraction"):
        at = forms(row)
        assert f" {at['cure']} and " in row["sentence_bad"]
        assert row["sentence_bad"].endswith(f" {at['gregory']}?")


def test_the_object_stands_in_the_island_or_outside() -> None:
    for row in rows("sentential_subject_island"):
        at = forms(row)
        assert f"{at['insulting']} {at['annoy']}" in row["sentence_bad"]
        assert row["sentence_good"].endswith(f" {at['annoy']}?")
    for row in rows("adjunct_island"):
        at = forms(row)
        assert row["sentence_bad"].endswith((f" {at['shocking']}?", f" {at['hug']}?"))
        assert row["sentence_good"].endswith(f" {at['richard']}?")
    for row in rows("complex_NP_island"):
        at = forms(row)
        assert row["sentence_bad"].endswith(f" {at['fired']}?")
        assert row["sentence_good"].endswith(f" {at['embarrass']}?")


@pytest.mark.parametrize("uid", QUESTIONS)
def test_no_noun_phrase_which_girls(uid: str) -> None:
    """*Which* could be the determiner of a name or a bare noun: then the bad sentence would be
    good."""
    after = {
        found[1]
        for row in rows(uid)
        for found in re.finditer(r"\bwhich (\w+)", row["sentence_bad"])
    }
    assert after <= {"the", "a", "an", "this", "these", "my", "our", "his", "her", "their"}


def test_no_small_clause_in_the_first_conjunct() -> None:
    """*What did they hear officers and Ann irritate?* is good: the verb must not take a bare
    clause."""
    uid = "coordinate_structure_constraint_complex_left_branch"
    bare = {
        "see", "hear", "watch", "feel", "help", "notice", "observe", "overhear", "let", "make", "have",
    }  # fmt: skip
    assert bare.isdisjoint(lemmas(row)["approach"] for row in rows(uid))
