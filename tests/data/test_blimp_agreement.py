"""The agreement paradigms of the data set blimp: what differs, in which place, and how often."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from blimp import drawn
from release import CHECKOUT
from solecism.check.audit import cue_accuracy
from solecism.contrast import surplus
from solecism.lexicon.table import read_tsv

pytestmark = pytest.mark.nightly

LEXICON = CHECKOUT / "lexicons" / "en"

ANAPHOR = ["anaphor_gender_agreement", "anaphor_number_agreement"]
NOUN_DIFFERS = [
    "determiner_noun_agreement_1", "determiner_noun_agreement_irregular_1",
    "determiner_noun_agreement_with_adjective_1", "determiner_noun_agreement_with_adj_irregular_1",
]  # fmt: skip
DETERMINER_DIFFERS = [
    "determiner_noun_agreement_2", "determiner_noun_agreement_irregular_2",
    "determiner_noun_agreement_with_adj_2", "determiner_noun_agreement_with_adj_irregular_2",
]  # fmt: skip
DISTRACTORS = ["distractor_agreement_relational_noun", "distractor_agreement_relative_clause"]
VERB_DIFFERS = [
    *DISTRACTORS,
    "irregular_plural_subject_verb_agreement_1", "regular_plural_subject_verb_agreement_1",
]  # fmt: skip
SUBJECT_DIFFERS = [
    "irregular_plural_subject_verb_agreement_2", "regular_plural_subject_verb_agreement_2",
]  # fmt: skip
IRREGULAR = ["irregular_past_participle_adjectives", "irregular_past_participle_verbs"]
ALL = [
    *ANAPHOR, *NOUN_DIFFERS, *DETERMINER_DIFFERS, *VERB_DIFFERS, *SUBJECT_DIFFERS, *IRREGULAR,
]  # fmt: skip

OTHER_NUMBER = {
    "is": "are", "was": "were", "has": "have", "isn't": "aren't", "wasn't": "weren't",
    "hasn't": "haven't", "doesn't": "don't", "this": "these", "that": "those",
}  # fmt: skip
OTHER_NUMBER |= {plural: singular for singular, plural in OTHER_NUMBER.items()}


def pairs(uid: str) -> list[dict[str, Any]]:
    return drawn(uid)[0]


def words(sentence: str) -> list[str]:
    return sentence.rstrip(".").lower().split()


def contrasts(uid: str) -> list[tuple[str, str]]:
    """The one word that differs, good and bad."""
    found = []
    for pair in pairs(uid):
        sides = words(pair["sentence_good"]), words(pair["sentence_bad"])
        ((good, bad),) = [both for both in zip(*sides, strict=True) if both[0] != both[1]]
        found.append((good, bad))
    return found


def column(table: str, wanted: dict[str, str], *names: str) -> list[tuple[str, ...]]:
    """Columns of the rows of a lexicon table whose columns have these values."""
    (_, header), *rows = read_tsv(LEXICON / f"{table}.tsv", ["lemma"])
    words_ = [dict(zip(header, cells, strict=True)) for _, cells in rows]
    found = [word for word in words_ if all(word[k] == value for k, value in wanted.items())]
    return [tuple(word[name] for name in names) for word in found]


def balanced(found: Iterable[tuple[str, str]], slack: int) -> bool:
    """Whether each word is good as often as bad, but for ``slack`` pairs."""
    good, bad = (Counter(side) for side in zip(*found, strict=True))
    return all(abs(good[word] - bad[word]) <= slack for word in good | bad)


@pytest.mark.parametrize("uid", [uid for uid in ALL if uid not in IRREGULAR])
def test_no_word_tells_the_sides_apart(uid: str) -> None:
    bags = [surplus((good,), (bad,)) for good, bad in contrasts(uid)]
    assert cue_accuracy(bags) <= 0.55
    assert balanced(contrasts(uid), slack=16)


def test_reflexives_of_another_gender_or_number() -> None:
    gender = Counter(contrasts("anaphor_gender_agreement"))
    singular = {"himself", "herself", "itself"}
    assert set(gender) == {(a, b) for a in singular for b in singular - {a}}
    assert max(gender.values()) - min(gender.values()) <= 8
    number = set(contrasts("anaphor_number_agreement"))
    assert number == {pair for s in singular for pair in ((s, "themselves"), ("themselves", s))}


def test_no_singular_they_and_no_subject_of_either_number() -> None:
    zero = {form for (form,) in column("noun", {"Plural": "zero"}, "Number=Plur")}
    for pair in pairs("anaphor_number_agreement"):
        subject = words(pair["sentence_good"])[:2]
        assert zero.isdisjoint(subject)
        if words(pair["sentence_bad"])[-1] == "themselves":
            assert subject[0] in {"the", "this", "that"} or pair["features"]["controller_gender"]


@pytest.mark.parametrize("uid", NOUN_DIFFERS)
def test_the_noun_has_the_other_number(uid: str) -> None:
    forms = set(column("noun", {}, "Number=Sing", "Number=Plur"))
    lower = {(s.lower(), p.lower()) for s, p in forms}
    for pair, (good, bad) in zip(pairs(uid), contrasts(uid), strict=True):
        tokens = words(pair["sentence_good"])
        determiner = tokens[-3 if "with_adj" in uid else -2]
        one = determiner in {"this", "that"}
        assert one or determiner in {"these", "those"}
        assert ((good, bad) if one else (bad, good)) in lower
    assert len(set(contrasts(uid))) >= (70 if "irregular" in uid else 900)


@pytest.mark.parametrize("uid", DETERMINER_DIFFERS)
def test_the_demonstrative_has_the_other_number(uid: str) -> None:
    found = Counter(contrasts(uid))
    assert all(OTHER_NUMBER[good] == bad for good, bad in found)
    assert set(found.values()) == {250}
    assert {pair["two_prefix_word"] for pair in pairs(uid)} <= {
        pair["sentence_good"].rstrip(".").split()[-1] for pair in pairs(uid)
    }


@pytest.mark.parametrize("uid", [*NOUN_DIFFERS, *DETERMINER_DIFFERS])
def test_that_is_no_complementizer(uid: str) -> None:
    clausal = {lemma for lemma, frame in column("verb", {}, "lemma", "Frame") if "clausal" in frame}
    for pair in pairs(uid):
        slots = {slot["name"]: slot for slot in pair["slots"]}
        directly = slots["sold"]["good_end"] + 1 == slots["this"]["good_start"]
        assert not directly or slots["sold"]["lemma"] not in clausal


@pytest.mark.parametrize("uid", VERB_DIFFERS)
def test_the_finite_word_has_the_other_number(uid: str) -> None:
    names = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "VerbForm=Inf"
    verbs = set(column("verb", {}, *names))
    found = contrasts(uid)
    assert all(OTHER_NUMBER.get(a) == b or (a, b) in verbs or (b, a) in verbs for a, b in found)
    auxiliaries = [pair for pair in found if pair[0] in OTHER_NUMBER]
    assert balanced(auxiliaries, slack=1)
    assert len(set(found)) >= 120


@pytest.mark.parametrize("uid", VERB_DIFFERS)
def test_no_past_is_spelt_like_the_bad_present(uid: str) -> None:
    pasts = {form for (form,) in column("verb", {}, "Mood=Ind|Tense=Past|VerbForm=Fin")}
    # rend, resend; a second past of the same verb
    also = {"rent", "resent", "text", "knit", "sweat"}
    for good, bad in contrasts(uid):
        assert {good, bad}.isdisjoint(also)
        assert bad in OTHER_NUMBER or bad not in pasts


@pytest.mark.parametrize("uid", SUBJECT_DIFFERS)
def test_the_subject_has_the_other_number(uid: str) -> None:
    kind = uid.partition("_")[0]
    forms = column("noun", {"Count": "count", "Plural": kind}, "Number=Sing", "Number=Plur")
    lower = {(s.lower(), p.lower()) for s, p in forms}
    assert all((a, b) in lower or (b, a) in lower for a, b in contrasts(uid))
    assert {words(pair["sentence_good"])[0] for pair in pairs(uid)} <= {
        "the", "my", "your", "his", "her", "our", "their", "no",
    }  # fmt: skip


def test_past_and_participle() -> None:
    names = "Mood=Ind|Tense=Past|VerbForm=Fin", "Tense=Past|VerbForm=Part"
    forms = set(column("verb", {"Participle": "distinct"}, *names))
    adjectives, verbs = map(contrasts, IRREGULAR)
    assert all((bad, good) in forms for good, bad in adjectives)
    assert all(pair in forms for pair in verbs)
    second = {"bit", "hid", "forgot", "drank", "sung", "woke"}  # good as participle or as past too
    assert second.isdisjoint({word for pair in verbs for word in pair})
