"""The data set blimp-de: sizes, and that no wrong form is another right one."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from drawing import Pairs, check_sizes, pairs_of
from release import CHECKOUT
from solecism.lexicon.features import Feats, agree
from solecism.lexicon.table import Row, Table, read_table

LEXICON = CHECKOUT / "lexicons" / "de"

Readings = dict[str, list[tuple[Row, Feats]]]
"""What a form can be: its rows, each with features."""


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-de", "de")


@pytest.fixture(scope="module")
def readings() -> dict[str, Readings]:
    """Return what the forms of determiners, adjectives, nouns and relative pronouns can be."""
    return {name: _readings(read_table(LEXICON / f"{name}.tsv"))
            for name in ("det", "adj", "noun", "pron.rel")}  # fmt: skip


def _readings(table: Table) -> Readings:
    found: Readings = defaultdict(list)
    for row in table.rows:
        for cell, form in row.forms.items():
            if "Variant" in cell:  # adjectives after the copula
                continue
            found[form].append((row, cell.updated(row.inherent)))
    return found


def test_each_paradigm_has_a_thousand_pairs_and_no_sentence_twice(pairs: Pairs) -> None:
    check_sizes(pairs, paradigms=40)


def _differences(row: dict[str, Any]) -> Iterator[tuple[list[str], list[str], int]]:
    """Yield the words of both sides and the place of the one that differs, if it is one."""
    good, bad = row["tokens_good"].split(), row["tokens_bad"].split()
    places = [n for n, (a, b) in enumerate(zip(good, bad, strict=False)) if a != b]
    if len(good) == len(bad) and len(places) == 1:
        yield good, bad, places[0]


def _noun_phrase(words: list[str], place: int, readings: dict[str, Readings]) -> slice:
    """Return where the noun phrase is that has a determiner or an adjective at ``place``."""
    start = place - (words[place] in readings["adj"] and words[place - 1] in readings["det"])
    ends = [n for n in range(place + 1, min(place + 3, len(words))) if words[n] in readings["noun"]]
    return slice(start, ends[0] + 1 if ends else start)


def _cases(words: list[str], readings: dict[str, Readings]) -> set[str]:
    """Return the cases in which a determiner, an adjective and a noun can stand together."""
    if not words:
        return set()
    *before, noun = words
    tables = [readings["det" if word in readings["det"] else "adj"] for word in before]
    options = [table.get(word, []) for table, word in zip(tables, before, strict=True)]
    found: set[str] = set()
    for *others, (_, feats) in product(*options, readings["noun"][noun]):
        kinds = [row.properties["Strength"] for row, _ in others if "Strength" in row.properties]
        wanted = Feats.of({"Strength": kinds[0] if kinds else "Strong"})
        if all(agree(other, feats) and agree(other, wanted) for _, other in others):
            found |= frozenset.intersection(
                *(f.get("Case", feats["Case"]) for f in (feats, *(o for _, o in others)))
            )
    return found


def test_no_wrong_noun_phrase_is_right_in_another_reading(
    pairs: Pairs, readings: dict[str, Readings]
) -> None:
    """*mit den Studenten* for *mit dem Studenten* would be a plural, which is right."""
    checked, wrong = 0, []
    rows = [(uid, row) for uid, rows in pairs.items() for row in rows]
    for uid, row in ((uid, row) for uid, row in rows if row["field"] == "morphology"):
        for good, bad, place in _differences(row):
            if good[place] in readings["det"] or good[place] in readings["adj"]:
                phrase = _noun_phrase(good, place, readings)
                cases = [_cases(side[phrase], readings) for side in (good, bad)]
                checked += bool(cases[0])
                if cases[0] & cases[1]:
                    wrong.append((uid, row["sentence_good"], row["sentence_bad"]))
    assert checked > 10_000
    assert not wrong, (len(wrong), wrong[:10])


def test_no_wrong_relative_pronoun_has_the_case_of_the_right_one(
    pairs: Pairs, readings: dict[str, Readings]
) -> None:
    for row in pairs["relative_pronoun_case"]:
        for good, bad, place in _differences(row):
            noun = good[place - 1] if good[place - 1] != "," else good[place - 2]
            right, wrong = (
                {c for _, feats in readings["noun"][noun] for _, rel in readings["pron.rel"][word]
                 if agree(rel, feats, ignoring=("Case",)) for c in rel["Case"]}
                for word in (good[place], bad[place])
            )  # fmt: skip
            assert right, row["sentence_good"]
            assert not right & wrong, row["sentence_bad"]


def test_no_name_is_a_dative_beside_an_object_that_may_be_the_subject(
    pairs: Pairs, readings: dict[str, Readings]
) -> None:
    """*Lena ähnelt ihre Großmutter* would be said of the grandmother, who resembles Lena."""
    names = {row.lemma for row in read_table(LEXICON / "propn.tsv").rows}
    nominative = Feats.of({"Case": "Nom", "Number": "Sing"})
    checked = 0
    for row in pairs["dative_object"]:
        for _, bad, place in _differences(row):
            if bad[0] in names:
                checked += 1
                both = product(readings["det"][bad[place]], readings["noun"][bad[place + 1]])
                assert not any(
                    agree(det, noun) and agree(det, nominative) and agree(noun, nominative)
                    for (_, det), (_, noun) in both
                ), row["sentence_bad"]
    assert checked > 50


TIME = r"(am \w+|gestern Abend|heute Morgen|letzte Woche|letzten Montag|vor einer Woche)"
READABLE = {
    "an order: hang my picture": (
        "two_way_preposition_state", r"^(Das|Die|Meine|Unsere) \w+ hängt |^(Mein|Unser) Bild hängt "),
    "when it was my bed": ("comparative_als", r" als (mein|unser)"),
    "a drop of blood, coughed": (
        "passive_of_intransitive", r" (geschwitzt|gefroren|gehustet|geschlafen|gestorben)\.$"),
    "silent for the whole break": ("passive_of_intransitive", r"^\w+ (Pause|Sitzung|Reise|Prüfung) "),
    "on the Friday of the doctor": (
        "wh_without_gap", rf", wem .* {TIME} (der|meiner|unserer|dieser) \w+ \w+ (hat|haben|ist|sind)\.$"),
    "recognised that ...": ("wh_with_gap", r"(erkannt|verhaftet|geküsst) (hat|haben)\.$"),
    "he asked whether": ("dass_clause", r"\b(meint|meinten?|meinen|denkt|denken|dachten?), ob"),
    "all the soup": ("quantifier_number", r"^Alle (Suppe|Soße|Milch|Butter|Schokolade|Wurst) "),
    "wrote to old newspapers": ("adjective_without_determiner", r" (schreib|schrieb)\w* \w+en \w+en\.$"),
    "began it together": ("preposition_dative", r" mit .*(gesprochen|gespielt|angefangen)\.$"),
    "told whom of it": ("preposition_stranding", r" von erzählt\?$"),
    "the fool, the cage, the fringe": ("article_gender", r"^(Der (Tor|Schild|Pony)|Das (Bauer|Band)) "),
    "at two o'clock": ("numeral_plural", r" (zwei|drei|vier) Uhr "),
    "on the teachers' Sunday": ("verb_second", r" der (Lehrer|Bäcker|Kellner) \w+ (eine|die|das) \w+\.$"),
    "that which fell": ("relative_pronoun_gender", r"^Das ist .*, das "),
    "applauded him, gave him notice": (
        "passive_keeps_dative", r"(applaudiert|gekündigt)\.$"),
    "applauded whom": ("relative_pronoun_case", r"(applaudiert|gekündigt) (hast|hat|habe|haben)\.$"),
    "potatoes without an ending": ("numeral_plural", r" (zwei|drei|vier) (Kartoffel|Zwiebel|Muschel|Gabel) "),
    "married several": ("object_first_agreement", r"geheiratet\.$"),
    "so that it is better": ("equative_wie", r" (ist|war) so "),
}  # fmt: skip


@pytest.mark.parametrize("reading", READABLE)
def test_no_bad_sentence_is_good_in_this_reading(pairs: Pairs, reading: str) -> None:
    uid, pattern = READABLE[reading]
    found = [row["sentence_bad"] for row in pairs[uid] if re.search(pattern, row["sentence_bad"])]
    assert not found, (len(found), found[:10])
