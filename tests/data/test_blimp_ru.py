"""The data set blimp-ru: sizes, and that no wrong form is another right one."""

from collections import defaultdict

import pytest

from drawing import Pairs, pairs_of
from release import CHECKOUT
from solecism.lexicon.features import Feats, subset
from solecism.lexicon.table import read_table

LEXICON = CHECKOUT / "lexicons" / "ru"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-ru", "ru")


@pytest.fixture(scope="module")
def forms() -> dict[str, dict[str, set[Feats]]]:
    """Return the cells of each form, by table and lemma."""
    found: dict[str, dict[str, set[Feats]]] = defaultdict(lambda: defaultdict(set))
    for name in ("noun", "propn", "det", "adj", "verb", "pron.rel"):
        for row in read_table(LEXICON / f"{name}.tsv").rows:
            for cell, form in row.forms.items():
                found[form.lower()][f"{name}:{row.lemma}"].add(cell)
    return found


def test_each_paradigm_has_a_thousand_pairs_and_no_sentence_twice(pairs: Pairs) -> None:
    assert len(pairs) >= 40
    for uid, rows in pairs.items():
        for side in ("sentence_good", "sentence_bad"):
            assert len(rows) == len({row[side] for row in rows}) == 1000, uid


def test_no_wrong_form_is_the_right_one_too(
    pairs: Pairs, forms: dict[str, dict[str, set[Feats]]]
) -> None:
    """Where one word differs, the wrong form of it has no case and number of the right one."""
    compared = 0
    for uid, rows in pairs.items():
        for row in rows:
            good, bad = row["tokens_good"].lower().split(), row["tokens_bad"].lower().split()
            differ = [(a, b) for a, b in zip(good, bad, strict=False) if a != b]
            if len(good) != len(bad) or len(differ) != 1:
                continue
            ours, theirs = (forms.get(word, {}) for word in differ[0])
            for lemma in ours.keys() & theirs.keys():
                assert not ours[lemma] & theirs[lemma], (uid, row["sentence_bad"])
                compared += 1
    assert compared > 20_000


@pytest.mark.parametrize(
    ("uid", "reading"),
    [
        ("animate_accusative", "Case=Acc|Number=Plur"),  # *Потерял паспорта*: several.
        ("nominalisation_genitive", "Case=Gen"),  # *Покупкой одеяла*: of one.
        ("coordination_case", "Case=Nom|Number=Sing"),  # *Помогла брату и дочь*: so did she.
        ("passive_agent", "Case=Ins"),
    ],
)
def test_wrong_words_have_no_right_reading(
    pairs: Pairs, forms: dict[str, dict[str, set[Feats]]], uid: str, reading: str
) -> None:
    """The last word that differs is right with these features, so no noun of it has them."""
    for row in pairs[uid]:
        good, bad = row["tokens_good"].lower().split(), row["tokens_bad"].lower().split()
        wrong = [b for a, b in zip(good, bad, strict=True) if a != b][-1]
        for cells in forms[wrong].values():
            assert not any(subset(Feats.parse(reading), cell) for cell in cells), wrong


def test_each_case_of_a_name_that_declines_differs() -> None:
    """*Андрей удалось*: the dative was the nominative once, and *Зой* an accusative."""
    for row in read_table(LEXICON / "propn.tsv").rows:
        nominative, dative, accusative = (
            row.forms[Feats.parse(f"Case={case}")] for case in ("Nom", "Dat", "Acc")
        )
        assert dative != nominative != accusative, row.lemma
        assert accusative[-1] in ("ую" if nominative[-1] in "ая" else "ая"), row.lemma
