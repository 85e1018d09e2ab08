"""Minimal pairs: what every column of the data set says."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cases import CASES, FRENCH, Case
from drawing import Files, drawn, make_paradigm, rows
from solecism.errors import InputError
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts, Paradigm
from solecism.grammar.sampling import plan as plan_module
from solecism.schema import pair_schema

ENGLISH: Files = {
    "noun": """
        lemma   Number=Sing  Number=Plur  Gender  Animacy  Set
        author  author       authors      Masc    Anim     1
        waiter  waiter       waiters      Masc    Anim     2
        niece   niece        nieces       Fem     Anim     2
    """,
    "verb": """
        lemma  Number=Sing|Person=3  Number=Plur|Person=3  Number=Sing|Person=1  Frame
        like   likes                 like                  like                  transitive
        laugh  laughs                laugh                 laugh                 intransitive
        be up  is up                 are up                am up                 intransitive
    """,
    "pron": """
        lemma  Case=Nom  Case=Acc  Number  Person
        I      I         me        Sing    1
        they   they      them      Plur    3
    """,
    "orthography": """
        rule     left  right  result
        capital  -     -      yes
        stop     -     -      .
    """,
}
ACROSS = """
phenomenon: subject_verb_agreement
field: morphology
construction: across a relative clause
slots:
  author: {from: noun, Set: 1}
  waiter: {from: noun, Set: 2}
  likes: {from: verb, Frame: transitive}
  laughs: {from: verb, Frame: intransitive}
controller: author
attractors: [waiter]
"""
ACROSS_LINES = """
good: the {{ author }} that the {{ waiter }} {{ likes | agree(waiter) }} {{ laughs | agree(author) }} today
bad: the {{ author }} that the {{ waiter }} {{ likes | agree(waiter) }}
  {{ laughs | clash(author, "Number") }} today
"""


def across(folder: Path, **changes: str) -> Paradigm:
    return make_paradigm(folder, {**ENGLISH, **changes}, ACROSS, ACROSS_LINES)


def found(paradigm: Paradigm, good: str, bad: str = "") -> dict[str, Any]:
    """The pair with this good (and bad) sentence."""
    pairs = [row for row in rows(paradigm) if row["sentence_good"] == good]
    pairs = [row for row in pairs if bad in ("", row["sentence_bad"])]
    assert len(pairs) == 1, [row["sentence_bad"] for row in pairs] or rows(paradigm)[:4]
    return pairs[0]


def test_every_column_of_a_pair(tmp_path: Path) -> None:
    table = drawn(across(tmp_path))
    assert table.schema.equals(pair_schema())
    wanted = "The authors that the niece likes laugh today."
    assert found(across(tmp_path), wanted) == {
        "id": "b9251a1708f05edb",
        "set_id": "0ac25a14e54692fc",
        "UID": "p",
        "field": "morphology",
        "linguistics_term": "subject_verb_agreement",
        "language": "xx",
        "pair_id": 3,
        "sentence_good": wanted,
        "sentence_bad": "The authors that the niece likes laughs today.",
        "tokens_good": "the authors that the niece likes laugh today",
        "tokens_bad": "the authors that the niece likes laughs today",
        "simple_LM_method": True,
        "one_prefix_method": True,
        "two_prefix_method": False,
        "lexically_identical": False,
        "one_prefix_prefix": "The authors that the niece likes",
        "one_prefix_word_good": "laugh",
        "one_prefix_word_bad": "laughs",
        "two_prefix_prefix_good": None,
        "two_prefix_prefix_bad": None,
        "two_prefix_word": None,
        "slots": [
            slot(
                "author", "author", "authors", "NOUN", "Animacy=Anim|Gender=Masc|Number=Plur", 4, 11
            ),
            slot("waiter", "niece", "niece", "NOUN", "Animacy=Anim|Gender=Fem|Number=Sing", 21, 26),
            slot("likes", "like", "likes", "VERB", "Number=Sing|Person=3", 27, 32),
            slot("laughs", "laugh", "laugh", "VERB", "Number=Plur|Person=3", 33, 38, 33, 39),
        ],
        "features": {
            "construction": "across a relative clause",
            "controller": "author",
            "controller_number": "Plur",
            "controller_gender": "Masc",
            "controller_person": "3",
            "attractor": "niece",
            "attractor_number": "Sing",
            "attractor_gender": "Fem",
            "match": "mismatch",
            "intervenes": True,
            "distance": 5,
            "target": "laugh",
        },
    }


def slot(
    name: str, lemma: str, form: str, upos: str, feats: str, *places: int
) -> dict[str, str | int]:
    """A slot as the data set gives it; the places in the bad sentence may be those in the good
    one."""
    start, end, bad_start, bad_end = places if len(places) == 4 else (*places, *places)
    return {
        "name": name, "lemma": lemma, "form": form, "upos": upos, "feats": feats,
        "good_start": start, "good_end": end, "bad_start": bad_start, "bad_end": bad_end,
    }  # fmt: skip


# Ids.


def test_ids_are_told_by_paradigm_and_words_alone(tmp_path: Path) -> None:
    ids = drawn(across(tmp_path / "a"))["id"].to_pylist()
    assert len(set(ids)) == len(ids) == 16
    reordered = "\n".join([*(lines := ENGLISH["noun"].split("\n"))[:2], *lines[:1:-1]])
    assert drawn(across(tmp_path / "b", noun=reordered))["id"].to_pylist() == ids
    more = ENGLISH["noun"].rstrip() + "\n        aunt  aunt  aunts  Fem  Anim  2\n"
    assert set(ids) < set(drawn(across(tmp_path / "c", noun=more))["id"].to_pylist())


def test_ids_stay_when_another_word_makes_several_bad_sentences(tmp_path: Path) -> None:
    front = "slots:\n  n: {from: noun, lemma: author}\n  v: {from: verb}"
    lines = 'good: {{ n }} {{ v | agree(n) }}\nbad: {{ n }} {{ v | clash(n, "Number", "Person") }}'
    some = "\n".join(line for line in ENGLISH["verb"].split("\n") if "be up" not in line)
    once = rows(make_paradigm(tmp_path / "a", {**ENGLISH, "verb": some}, front, lines))
    more = rows(make_paradigm(tmp_path / "b", ENGLISH, front, lines))
    assert len(more) > len({pair["set_id"] for pair in more})
    kept = {pair["id"]: pair["sentence_bad"] for pair in more}
    assert {pair["id"]: pair["sentence_bad"] for pair in once}.items() <= kept.items()
    assert len(kept) == len(more)


def test_a_bad_sentence_spelt_like_the_good_one_makes_no_pair_but_others_of_its_set_do(
    tmp_path: Path,
) -> None:
    verbs = "lemma  Number=Sing|Person=3  Number=Plur|Person=3  Number=Sing|Person=1\nput  put  put  putt"
    front = "slots:\n  n: {from: noun, Set: 2, Number: Sing}\n  v: {from: verb}"
    lines = 'good: {{ n }} {{ v | agree(n) }}\nbad: {{ n }} {{ v | clash(n, "Number", "Person") }}'
    counts = Counts()
    paradigm = make_paradigm(tmp_path, {**ENGLISH, "verb": verbs}, front, lines)
    table = drawn(paradigm, counts=counts)
    assert table["sentence_bad"].to_pylist() == ["Niece putt.", "Waiter putt."]
    assert counts == Counts(sets=2, pairs=2, syncretic_forms=2)


def test_sentences_that_spelling_makes_equal_are_skipped(tmp_path: Path) -> None:
    front = "slots:\n  le: {from: det, lemma: le}\n  n: {from: noun, Set: [1, 2], Number: Sing}"
    lines = (
        'good: dans {{ le | agree(n) }} {{ n }}\nbad: dans {{ le | clash(n, "Gender") }} {{ n }}'
    )
    counts = Counts()
    drawn(make_paradigm(tmp_path, FRENCH, front, lines), counts=counts)
    assert (counts.sets, counts.skipped) == (1, {"equal": 3})  # only `garde` does not elide


@pytest.mark.parametrize("case", CASES[:6], ids=lambda case: case.name)
@pytest.mark.parametrize("batch", [1, 7])
def test_batches_make_no_difference(
    case: Case, batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, counts = drawn(case.write(tmp_path)), Counts()
    monkeypatch.setattr(plan_module, "BATCH", batch)
    monkeypatch.setattr(plan_module.DrawPlan.walk, "__defaults__", (batch,))
    batches = list(draw_pairs(case.write(tmp_path), 0, counts))
    assert len(batches) > 1
    assert pa.concat_tables(batches).equals(whole)
    assert counts.pairs == len(whole)


# The prefix methods and regions.


CRITICAL = """
good: the {{ n }} [critical: {{ v | agree(n) }}] today
bad: the {{ m }} [critical: {{ v | agree(n) }}] today
"""
CRITICAL_FRONT = """
slots:
  n: {from: noun, Set: 1}
  m: {from: noun, Set: 2}
  v: {from: verb, lemma: [be up, laugh]}
where: n.Number != m.Number
"""


def test_a_critical_region_makes_a_pair_for_the_two_prefix_method(tmp_path: Path) -> None:
    paradigm = make_paradigm(tmp_path, ENGLISH, CRITICAL_FRONT, CRITICAL)
    pair = found(paradigm, "The author is up today.", "The nieces is up today.")
    assert pair["two_prefix_method"] is True
    assert pair["two_prefix_prefix_good"] == "The author"
    assert pair["two_prefix_prefix_bad"] == "The nieces"
    assert pair["two_prefix_word"] == "is up"
    assert pair["one_prefix_method"] is False
    assert {pair[name] for name in pair if name.startswith("one_prefix_")} == {False, None}


@pytest.mark.parametrize(
    ("good", "bad", "identical"),
    [
        ("the cat saw dogs", "the dogs saw cat", True),
        ("the cat saw dogs", "the cat saw the dogs", False),
        ("no, the cat saw dogs", "the cat, no saw dogs", True),
    ],
)
def test_lexically_identical_sentences_have_the_same_words(
    tmp_path: Path, good: str, bad: str, identical: bool
) -> None:
    pair = rows(make_paradigm(tmp_path, ENGLISH, "", f"good: {good}\nbad: {bad}"))[0]
    assert pair["lexically_identical"] is identical


# Features.


def features(paradigm: Paradigm, good: str, extra: tuple[str, ...] = ()) -> dict[str, Any]:
    pairs = [row for row in rows(paradigm, extra=extra) if row["sentence_good"] == good]
    return pairs[0]["features"]  # type: ignore[no-any-return]


def test_several_attractors_are_joined_and_match_only_together(tmp_path: Path) -> None:
    front = """
        slots:
          a: {from: noun, Set: 1}
          b: {from: noun, lemma: niece}
          c: {from: noun, lemma: waiter}
          v: {from: verb, lemma: laugh}
        controller: a
        attractors: [b, c]
    """
    lines = """
        good: the {{ b }} {{ a }} by the {{ c }} {{ v | agree(a) }}
        bad: the {{ b }} {{ a }} by the {{ c }} {{ v | clash(a, "Number") }}
    """
    paradigm = make_paradigm(tmp_path, ENGLISH, front, lines)
    one = features(paradigm, "The nieces author by the waiter laughs.")
    assert (one["attractor"], one["attractor_number"]) == ("niece,waiter", "Plur,Sing")
    assert (one["attractor_gender"], one["match"]) == ("Fem,Masc", "mismatch")
    assert (one["distance"], one["intervenes"]) == (4, True)
    assert features(paradigm, "The niece author by the waiter laughs.")["match"] == "match"


@pytest.mark.parametrize(
    ("line", "intervenes", "distance"),
    [
        ("{{ b }} {{ a }} V", False, 1),
        ("{{ a }} {{ b }} V", True, 2),
        ("V {{ b }} {{ a }}", True, 2),
        ("V {{ a }} {{ b }}", False, 1),
        ("{{ a }} so V {{ b }}", False, 2),
    ],
)
def test_an_attractor_intervenes_where_it_stands_between_controller_and_target(
    tmp_path: Path, line: str, intervenes: bool, distance: int
) -> None:
    slots = "  a: {from: noun, Set: 1}\n  b: {from: noun, Set: 2}\n  v: {from: verb, lemma: laugh}"
    front = f"slots:\n{slots}\ncontroller: a\nattractors: [b]"
    good = line.replace("V", "{{ v | agree(a) }}")
    bad = line.replace("V", '{{ v | clash(a, "Number") }}')
    for row in rows(make_paradigm(tmp_path, ENGLISH, front, f"good: so {good}\nbad: so {bad}")):
        assert row["features"]["intervenes"] is intervenes
        assert row["features"]["distance"] == distance


def test_further_features_are_texts_or_nothing(tmp_path: Path) -> None:
    front = f"""{ACROSS.strip()}
features:
  same: author.Gender == waiter.Gender
  verb: laughs.lemma
  noun: waiter | form(Number="Sing")
  phrase: twice(author)
  first: laughs | agree(author, Person="1")
"""
    phrases = "{% macro twice(n) %}{{ n }} {{ n }}{% endmacro %}"
    paradigm = make_paradigm(tmp_path, ENGLISH, front, ACROSS_LINES, phrases)
    extra = ("first", "noun", "other", "phrase", "same", "verb")
    assert drawn(paradigm, extra=extra).schema.equals(pair_schema(extra))
    good = "The author that the nieces like laughs today."
    assert {name: features(paradigm, good, extra)[name] for name in extra} == {
        "first": "laugh",
        "noun": "niece",
        "other": None,
        "phrase": "author author",
        "same": "False",
        "verb": "laugh",
    }
    plural = "The authors that the nieces like laugh today."
    assert features(paradigm, plural, extra)["first"] is None


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ("x: author | agree(waiter, Case='Nom')", "features: no form in noun.tsv expresses 'Case'"),
        ("x: auhtor.Gender", "there is no slot 'auhtor'"),
        ("match: author.Gender", "features: every pair has 'match' already"),
    ],
)
def test_a_feature_that_cannot_be_is_told_with_its_line(
    tmp_path: Path, feature: str, message: str
) -> None:
    front = f"{ACROSS.strip()}\nfeatures:\n  {feature}"
    with pytest.raises(InputError, match=rf"p\.jinja:1[3-6]: .*{message}"):
        drawn(make_paradigm(tmp_path, ENGLISH, front, ACROSS_LINES))


def test_a_space_larger_than_allowed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="makes up to 16 minimal sets, more than 15"):
        list(draw_pairs(across(tmp_path), most=15))
    assert len(list(draw_pairs(across(tmp_path), most=16))) == 1
