"""The data set blimp-ru: sizes, and that no wrong form is another right one."""

from collections import defaultdict
from typing import Any

import pytest

from release import CHECKOUT
from solecism.datasets.from_templates import load_paradigms, templates_of_language
from solecism.grammar.pairs import draw_pairs
from solecism.lexicon.features import Feats, subset
from solecism.lexicon.table import read_table
from solecism.root import Root

LEXICON = CHECKOUT / "lexicons" / "ru"

Pairs = dict[str, list[dict[str, Any]]]
"""Pairs by UID."""


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    root = Root(CHECKOUT)
    paradigms = load_paradigms(root, "blimp-ru", templates_of_language(root, "blimp-ru", "ru"))
    return {
        paradigm.template.id: [row for table in draw_pairs(paradigm) for row in table.to_pylist()]
        for paradigm in paradigms.values()
    }


@pytest.fixture(scope="module")
def forms() -> dict[str, dict[str, set[Feats]]]:
    """Return the cells of each form, by table and lemma."""
    found: dict[str, dict[str, set[Feats]]] = defaultdict(lambda: defaultdict(set))
    for name in ("noun", "propn", "determiner", "adjective", "valency", "rel"):
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


def test_wrong_animate_accusatives_are_no_plurals(
    pairs: Pairs, forms: dict[str, dict[str, set[Feats]]]
) -> None:
    """*Потерял паспорта* is right: several passports."""
    several = Feats.parse("Case=Acc|Number=Plur")
    for row in pairs["animate_accusative"]:
        good, bad = row["tokens_good"].lower().split(), row["tokens_bad"].lower().split()
        ((_, wrong),) = [(a, b) for a, b in zip(good, bad, strict=True) if a != b]
        for cells in forms[wrong].values():
            assert not any(subset(several, cell) for cell in cells), wrong
