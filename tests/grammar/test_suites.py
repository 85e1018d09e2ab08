"""Suites: items of named conditions, with regions and predictions."""

from pathlib import Path

import pytest

from drawing import Files, make_paradigm, rows, suite_items
from solecism.datasets.from_templates import find_paradigm
from solecism.errors import InputError
from solecism.grammar.paradigm import Counts, Paradigm
from solecism.grammar.template import Template, read_templates
from solecism.root import Root

TABLES: Files = {
    "noun": """
        lemma  Number=Sing  Number=Plur
        key    key          keys
        box    box          boxes
        sheep  sheep        sheep
        news   news         -
    """,
    "verb": """
        lemma  Number=Sing  Number=Plur
        be     is           are
        put    put          put
    """,
    "orthography": """
        rule     left  right  result
        capital  -     -      yes
        stop     -     -      .
    """,
}
FRONT = """
phenomenon: agreement
construction: across a phrase
slots:
  key: {from: noun, Number: Sing, lemma: [key, box]}
  box: {from: noun, Number: Plur}
  was: {from: verb}
predictions:
  - ungrammatical.verb > match.verb
  - ungrammatical.verb > mismatch.verb
"""
LINES = """
match: the [subject: {{ key }} to the {{ box | form(Number="Sing") }}] [verb: {{ was | agree(key) }}] here
mismatch: the [subject: {{ key }} to the {{ box }}] [verb: {{ was | agree(key) }}] here
ungrammatical: the [subject: {{ key }} to the {{ box }}] [verb: {{ was | clash(key, "Number") }}] here
"""


def suite(folder: Path, front: str = FRONT, lines: str = LINES) -> Paradigm:
    return make_paradigm(folder, TABLES, front, lines)


def test_an_item_has_conditions_with_regions_and_predictions(tmp_path: Path) -> None:
    items = suite_items(suite(tmp_path))
    item = items[0]
    assert item == {
        "id": item["id"],
        "suite": "p",
        "phenomenon": "agreement",
        "modifier": "across a phrase",
        "item": item["id"],
        "language": "xx",
        "conditions": [
            condition("match", "The box to the key is here.", "box to the key", "is"),
            condition("mismatch", "The box to the keys is here.", "box to the keys", "is"),
            condition("ungrammatical", "The box to the keys are here.", "box to the keys", "are"),
        ],
        "predictions": ["ungrammatical.verb > match.verb", "ungrammatical.verb > mismatch.verb"],
        "metric": "sum",
    }
    assert len({item["id"] for item in items}) == len(items) == 4


def condition(name: str, text: str, subject: str, verb: str) -> dict[str, object]:
    stop = 4 + len(subject)
    last = 1 + len(subject.split())
    places = {"start": 4, "end": stop, "first": 1, "last": last}
    after = {"start": stop + 1, "end": stop + 1 + len(verb), "first": last, "last": last + 1}
    return {
        "name": name,
        "text": text,
        "tokens": text.replace(".", " ."),
        "regions": [
            {"name": "subject", "text": subject, **places},
            {"name": "verb", "text": verb, **after},
        ],
    }


def test_a_region_may_be_plain_text_or_nothing(tmp_path: Path) -> None:
    lines = (
        "match: [a: so] it [b: {{ key }}]\nother: it {{ '' }}[c: {{ '' }}] [b: {{ key }}] [d: ends]"
    )
    front = FRONT[: FRONT.index("  box")] + "predictions: a.b > b.b"
    item = suite_items(suite(tmp_path, front, lines))[0]
    regions = [[(r["name"], r["text"]) for r in made["regions"]] for made in item["conditions"]]
    assert regions == [[("a", "So"), ("b", "box")], [("b", "box"), ("d", "ends")]]


def test_a_combination_must_make_every_condition(tmp_path: Path) -> None:
    """`put` has no bad form, `news` no plural: neither is in an item."""
    counts = Counts()
    items = suite_items(suite(tmp_path), counts=counts)
    assert not any("put" in made["text"] for item in items for made in item["conditions"])
    assert counts == Counts(sets=4, pairs=4, skipped=counts.skipped)
    assert counts.skipped == {"syncretic": 4}


@pytest.mark.parametrize("number", [1, 3, 4])
def test_a_number_of_items_is_drawn(tmp_path: Path, number: int) -> None:
    every = {item["id"] for item in suite_items(suite(tmp_path))}
    counts = Counts()
    items = suite_items(suite(tmp_path, f"{FRONT.strip()}\ndraw: {number}"), counts=counts)
    assert len(items) == counts.sets == number
    assert {item["id"] for item in items} <= every
    assert counts.skipped.total() <= 4


def test_alternatives_in_a_condition_are_refused(tmp_path: Path) -> None:
    verbs = "lemma  Number=Sing  Number=Plur|Tense=Past  Number=Plur|Tense=Pres\nbe  is  are  art"
    paradigm = make_paradigm(tmp_path, {**TABLES, "verb": verbs}, FRONT, LINES)
    message = r"p\.jinja:17: condition 'ungrammatical' has several alternatives"
    with pytest.raises(InputError, match=message):
        suite_items(paradigm)


PAIRS = """pairs:
  number_pair:
    about: A verb agrees with its subject.
    good: mismatch
    bad: ungrammatical
    critical: here
"""


def pairs_of(folder: Path, pairs: str) -> tuple[Template, ...]:
    path = Path(suite(folder, FRONT, LINES).template.path)
    path.write_text(
        path.read_text("utf-8").replace("predictions:", pairs + "predictions:"), "utf-8"
    )
    return read_templates(path)


def test_a_suite_declares_pairs(tmp_path: Path) -> None:
    whole, pair = pairs_of(tmp_path, PAIRS)
    assert (whole.is_pair, pair.is_pair, pair.name) == (False, True, "tiny/xx/number_pair")
    assert pair.about == "A verb agrees with its subject."
    made = rows(find_paradigm(Root(tmp_path), "tiny", "xx", "number_pair"))
    assert [(row["sentence_good"], row["sentence_bad"]) for row in made[:1]] == [
        ("The box to the keys is here.", "The box to the keys are here.")
    ]
    assert {row["two_prefix_word"] for row in made} == {"here"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("good: mismatch", "good: mismtch", r"good: there is no line 'mismtch' .*'mismatch'"),
        ("critical: here", "critical: hare", "critical: line 'mismatch' has no 'hare'"),
        ("bad:", "worse:", r"unknown key 'worse' .*keys: good, bad, critical, about"),
        ("good: mismatch", "good: [a]", "'good' wants a text"),
    ],
)
def test_bad_pairs_are_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=f"number_pair.*{message}|{message}"):
        pairs_of(tmp_path, PAIRS.replace(old, new))
