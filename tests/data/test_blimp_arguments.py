"""The paradigms of blimp on argument structure, raising and binding: what differs, and how
often."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from blimp import LEXICON, drawn
from solecism.check.audit import cue_accuracy
from solecism.contrast import surplus

STRUCTURE = [
    "causative", "drop_argument", "inchoative", "intransitive", "passive_1", "passive_2", "transitive",
]  # fmt: skip
ANIMACY = ["animate_subject_passive", "animate_subject_trans"]
RAISING = [
    "existential_there_object_raising", "existential_there_subject_raising",
    "expletive_it_object_raising", "tough_vs_raising_1", "tough_vs_raising_2",
]  # fmt: skip
REFLEXIVE_DIFFERS = ["principle_A_c_command", "principle_A_domain_2"]
PRONOUN_OR_REFLEXIVE = ["principle_A_case_1", "principle_A_domain_1"]
SAME_WORDS = ["animate_subject_trans", "principle_A_domain_3", "principle_A_reconstruction"]
BINDING = [
    *REFLEXIVE_DIFFERS, *PRONOUN_OR_REFLEXIVE,
    "principle_A_case_2", "principle_A_domain_3", "principle_A_reconstruction",
]  # fmt: skip
ALL = [*STRUCTURE, *ANIMACY, *RAISING, *BINDING]
ONE_PREFIX = [
    "animate_subject_passive", "passive_1", "passive_2", "principle_A_case_2",
    *REFLEXIVE_DIFFERS, *PRONOUN_OR_REFLEXIVE,
]  # fmt: skip
TWO_PREFIX = {
    "animate_subject_trans": None, "transitive": None, "expletive_it_object_raising": None,
    "existential_there_object_raising": {"there"},
    "principle_A_domain_3": {"himself", "herself", "themselves"},
}  # fmt: skip
TERM = {
    **dict.fromkeys(STRUCTURE, "argument_structure"), **dict.fromkeys(ANIMACY, "s-selection"),
    **dict.fromkeys(RAISING, "control_raising"), **dict.fromkeys(BINDING, "binding"),
}  # fmt: skip
SELVES = {"himself", "herself", "themselves"}


def pairs(uid: str) -> list[dict[str, Any]]:
    return drawn(uid)[0]


def words(row: dict[str, Any], side: str) -> list[str]:
    """The words of the good or the bad sentence, without case and stop."""
    return str(row[f"sentence_{side}"]).rstrip(".").lower().split()


def bags(uid: str) -> list[tuple[list[str], list[str]]]:
    """Of each pair the words that only the good and that only the bad sentence has."""
    found = (surplus(words(row, "good"), words(row, "bad")) for row in pairs(uid))
    return [([str(word) for word in good], [str(word) for word in bad]) for good, bad in found]


def lemmas(row: dict[str, Any], *names: str) -> list[str]:
    """The lemmas of the slots of these names."""
    return [slot["lemma"] for slot in row["slots"] if slot["name"] in names]


@pytest.mark.parametrize("uid", ALL)
def test_a_thousand_pairs_of_equal_length_without_repeats(uid: str) -> None:
    rows = pairs(uid)
    assert len(rows) == 1000
    sentences = [row[f"sentence_{side}"] for row in rows for side in ("good", "bad")]
    assert len(set(sentences)) == 2000
    assert all(len(words(row, "good")) == len(words(row, "bad")) for row in rows)
    assert {row["linguistics_term"] for row in rows} == {TERM[uid]}


@pytest.mark.parametrize("uid", [uid for uid in ALL if uid not in SAME_WORDS])
def test_one_word_differs(uid: str) -> None:
    for good, bad in bags(uid):
        assert len(good) == len(bad) == 1


@pytest.mark.parametrize("uid", SAME_WORDS)
def test_the_same_words_in_another_order(uid: str) -> None:
    for row in pairs(uid):
        assert sorted(words(row, "good")) == sorted(words(row, "bad")), row["sentence_good"]
        assert row["lexically_identical"]


@pytest.mark.parametrize("uid", [*STRUCTURE, *ANIMACY[:1], *RAISING])
def test_many_contrasts(uid: str) -> None:
    contrasts = {(*good, *bad) for good, bad in bags(uid)}
    assert len(contrasts) >= 140


@pytest.mark.parametrize("uid", REFLEXIVE_DIFFERS)
def test_each_reflexive_is_good_as_often_as_bad(uid: str) -> None:
    found = bags(uid)
    good = Counter(word for bag, _ in found for word in bag)
    bad = Counter(word for _, bag in found for word in bag)
    assert set(good) == set(bad) == SELVES
    assert all(abs(good[word] - bad[word]) <= 5 for word in SELVES)
    assert cue_accuracy(found) <= 0.55


@pytest.mark.parametrize("uid", REFLEXIVE_DIFFERS)
def test_the_bad_reflexive_agrees_with_the_other_noun(uid: str) -> None:
    wrong = {"principle_A_c_command": "brother", "principle_A_domain_2": "donald"}[uid]
    right = {"principle_A_c_command": "sister", "principle_A_domain_2": "girl"}[uid]
    for row in pairs(uid):
        assert reflexive(slot_of(row, wrong)) == words(row, "bad")[-1]
        assert reflexive(slot_of(row, right)) == words(row, "good")[-1]


def slot_of(row: dict[str, Any], name: str) -> dict[str, Any]:
    """The slot of this name."""
    return next(slot for slot in row["slots"] if slot["name"] == name)


def reflexive(slot: dict[str, Any]) -> str:
    """The reflexive that refers to a noun or name: the gender of names and nouns stands in their
    tables."""
    if slot["form"] != slot["lemma"]:
        return "themselves"
    gender = next(
        row.properties["Gender"]
        for table in ("noun", "propn")
        for row in LEXICON.table(table).rows
        if row.lemma == slot["lemma"] and row.properties["Gender"]
    )
    return {"Fem": "herself", "Masc": "himself"}[gender]


@pytest.mark.parametrize("uid", PRONOUN_OR_REFLEXIVE)
def test_a_pronoun_is_good_and_its_reflexive_bad(uid: str) -> None:
    case = {
        "principle_A_case_1": {"he": "himself", "she": "herself", "they": "themselves"},
        "principle_A_domain_1": {"him": "himself", "her": "herself", "them": "themselves"},
    }[uid]
    for good, bad in bags(uid):
        assert [case[word] for word in good] == list(bad)


def test_the_participle_after_a_reflexive_is_good_and_a_finite_verb_bad() -> None:
    for good, bad in bags("principle_A_case_2"):
        assert next(iter(good)).endswith("ing")
        assert not next(iter(bad)).endswith("ing")


def test_the_verbs_of_the_two_sides_are_of_different_classes() -> None:
    verbs = {row.lemma: row for row in LEXICON.table("verb").rows}
    for row in pairs("passive_1"):
        (good,) = lemmas(row, "confused")
        assert "transitive" in verbs[good].properties["Frame"].split(",")
        assert verbs[good].properties["Passive"] == "yes"


@pytest.mark.parametrize("uid", ONE_PREFIX)
def test_one_prefix_fields_are_filled(uid: str) -> None:
    for row in pairs(uid):
        assert row["one_prefix_method"]
        assert row["one_prefix_word_good"] != row["one_prefix_word_bad"]
        assert row["sentence_good"].startswith(row["one_prefix_prefix"])


@pytest.mark.parametrize("uid", list(TWO_PREFIX))
def test_two_prefix_fields_are_filled(uid: str) -> None:
    found = {row["two_prefix_word"] for row in pairs(uid)}
    assert all(row["two_prefix_method"] for row in pairs(uid))
    assert not any(" " in word for word in found)
    assert found == (TWO_PREFIX[uid] or found)


@pytest.mark.parametrize("uid", STRUCTURE)
def test_the_critical_verbs_are_many(uid: str) -> None:
    for side in (0, 1):
        few = uid == "causative" and side == 1  # the release has eight such verbs
        assert len({word for pair in bags(uid) for word in pair[side]}) >= (20 if few else 50)
