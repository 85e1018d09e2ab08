"""The data set blimp-he: no wrong noun, adjective or article has a reading that is right."""

from typing import Any

import pytest

from drawing import Pairs, pairs_of
from release import CHECKOUT
from solecism.lexicon.features import Feats, subset
from solecism.lexicon.table import Row, read_table

LEXICON = CHECKOUT / "lexicons" / "he"
ADJECTIVES = (
    "adjective_gender",
    "adjective_number",
    "predicate_gender_attractor",
    "predicate_number_attractor",
    "irregular_plural",
    "plurale_tantum",
)

TWINS = {"מראה", "חוזה"}
"""Also a sight (masculine), a seer (feminine)."""

TWINS_IN_PLURAL = (
    "שושנים תינוקות כבשים נמלים יונים ערים מילים דבורים מפתחות מלונות יערות נהרות מקצועות קולות"
    " סודות שמות"
)
"""Plurals of two nouns, a masculine and a feminine one (*נמלים* "ports", "ants")."""

NOUN_PREDICATES = (
    "נעים לבן לבנה לבנות כבד כחול כחולה כתום מנוקד מנוקדת מסוכנים מסוכנת יקרה חומה דקה דקות חדשות יבשה"
    " רחבה מהירות נוחות צבעוני צבעוניות חשמלית כפריים אישי מדעי מסורתי מרובע מעניין איטיות"
    " אלגנטיות רכות"
)
"""Wrong adjectives that are also a noun, a verb (*נעים* "move") or a preposition and a noun."""

ADJECTIVES_TOO = {
    "שכן", "שכנה", "חבר", "חברה", "אורח", "אורחת", "שותף", "שותפה", "אלוף", "קשיש", "רופא", "רופאה",
}  # fmt: skip
"""Nouns that are adjectives or participles as well (*הבית השכן*, the neighbouring house)."""


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-he", "he")


def rows(table: str) -> list[Row]:
    """Return the words of a table."""
    return list(read_table(LEXICON / f"{table}.tsv").rows)


def texts(table: str, feats: str) -> set[str]:
    """Return the forms of a table in the cells with these features."""
    wanted = Feats.parse(feats)
    return {
        form for row in rows(table) for cell, form in row.forms.items() if subset(wanted, cell)
    }  # fmt: skip


def changed(row: dict[str, Any]) -> tuple[str, str]:
    """Return the only token in which the sentences differ, good and bad."""
    good, bad = row["tokens_good"].split(), row["tokens_bad"].split()
    ((ours, theirs),) = [(a, b) for a, b in zip(good, bad, strict=True) if a != b]
    return ours, theirs


def tokens_more(row: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the tokens of both sentences from the first that differs."""
    good, bad = row["tokens_good"].split(), row["tokens_bad"].split()
    same = next(n for n, (a, b) in enumerate(zip(good, bad, strict=False)) if a != b)
    return good[same:], bad[same:]


@pytest.mark.parametrize("uid", ADJECTIVES)
def test_no_wrong_adjective_is_the_right_form_of_another(pairs: Pairs, uid: str) -> None:
    cells: dict[str, set[Feats]] = {}
    for word in rows("adj"):
        for cell, form in word.forms.items():
            cells.setdefault(form, set()).add(cell)
    for row in pairs[uid]:
        good, bad = changed(row)
        assert not cells[good] & cells[bad], row["sentence_bad"]


def test_no_noun_has_a_twin_of_the_other_gender(pairs: Pairs) -> None:
    """*ראתה את המראה הזה*: this sight."""
    for uid in ("adjective_gender", "demonstrative_gender", "predicate_gender_attractor"):
        for row in pairs[uid]:
            assert not TWINS.intersection(row["tokens_bad"].split()), row["sentence_bad"]
    plurals = set(TWINS_IN_PLURAL.split())
    for row in pairs["irregular_plural"]:
        assert not plurals.intersection(row["tokens_bad"].split()), row["sentence_bad"]


def test_no_wrong_predicate_is_a_noun(pairs: Pairs) -> None:
    """*המכנסיים של הילד לבן*: are for a son."""
    for uid in ("predicate_gender_attractor", "predicate_number_attractor", "plurale_tantum"):
        for row in pairs[uid]:
            _, bad = changed(row)
            assert bad not in NOUN_PREDICATES.split(), row["sentence_bad"]


def test_a_bare_noun_after_et_is_not_definite(pairs: Pairs) -> None:
    """*את שירה* is also "her song", *את ים* a name, *את הרגל* "the leg"."""
    doubtful = {"possessed", "name", "article", "clause"}
    forms = {
        form: set(word.properties["Readings"].split(","))
        for word in rows("noun") for form in word.forms.values()
    }  # fmt: skip
    for row in pairs["et_definite"]:
        good, bad = tokens_more(row)
        assert (good[0], good[1:]) == ("ה", bad), row["sentence_bad"]
        assert not forms[bad[0]] & doubtful, row["sentence_bad"]


def test_no_article_and_construct_state_are_another_noun(pairs: Pairs) -> None:
    """*הגינות* is also "the decency of"."""
    known = texts("noun", "Definite=Cons")
    for row in pairs["construct_article"]:
        _, bad = tokens_more(row)
        assert bad[0] == "ה", row["sentence_bad"]
        assert bad[0] + bad[1] not in known, row["sentence_bad"]


def test_the_second_noun_of_a_construct_state_is_no_adjective(pairs: Pairs) -> None:
    """*ראתה את הבית השכן*: the neighbouring house."""
    for uid in ("construct_article", "construct_singular", "construct_plural"):
        for row in pairs[uid]:
            last = row["tokens_bad"].split()[-1]
            (lemma,) = {slot["lemma"] for slot in row["slots"] if slot["form"] == last}
            assert lemma not in ADJECTIVES_TOO, row["sentence_bad"]


def test_no_subject_is_another_word_with_the_article(pairs: Pairs) -> None:
    """*הגינות* is also "the decency", *הנעים* "those that move"."""
    for uid in ("predicate_number_attractor", "adjective_number"):
        for row in pairs[uid]:
            words = set(row["sentence_bad"].rstrip(".").split())
            assert not words & {"הגינות", "הנעים"}, row["sentence_bad"]


@pytest.mark.parametrize("uid", ["construct_singular", "construct_plural"])
def test_an_absolute_noun_is_no_construct_state(pairs: Pairs, uid: str) -> None:
    known = texts("noun", "Definite=Cons")
    for row in pairs[uid]:
        good, bad = changed(row)
        assert good in known, row["sentence_good"]
        assert bad not in known, row["sentence_bad"]


def test_a_bare_noun_before_a_definite_modifier_is_no_construct_state(pairs: Pairs) -> None:
    """*ילדות הגבוהה* is also "girls of the tall one"."""
    known = texts("noun", "Definite=Cons")
    bare = [tokens_more(row)[1] for row in pairs["demonstrative_definite"]]
    nouns = [tokens[0] for tokens in bare if tokens[0] not in texts("det", "")]
    assert len(nouns) > 400
    assert not known.intersection(nouns)
    for row in pairs["noun_definite"]:
        good, bad = row["tokens_good"].split(), row["tokens_bad"].split()
        assert [*good[:-1], "ה", good[-1]] == bad, row["sentence_bad"]
        assert good[-2] not in known, row["sentence_bad"]


def test_numerals_have_a_noun_of_the_other_number(pairs: Pairs) -> None:
    one, many = texts("noun", "Number=Sing"), texts("noun", "Number=Plur")
    for uid in ("numeral_plural", "quantifier_number", "singular_before_one"):
        right, wrong = (one, many) if uid == "singular_before_one" else (many, one)
        for row in pairs[uid]:
            good, bad = changed(row)
            assert good in right, row["sentence_good"]
            assert bad in wrong - right, row["sentence_bad"]
