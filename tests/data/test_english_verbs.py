"""The English verbs, adjectives and adverbs: what the columns say of a word agrees with its forms,
with the other rows of the word and with the nouns, and every paradigm of BLiMP has enough words of
its kind."""

import pytest

from release import CHECKOUT
from solecism.lexicon.features import Feats
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import Row

pytestmark = pytest.mark.nightly

LEXICON = Lexicon(CHECKOUT / "lexicons/en")
VERBS = LEXICON.table("verb").rows
ADJECTIVES = LEXICON.table("adj").rows

INFINITIVE, PARTICIPLE, GERUND = (
    Feats.parse(text) for text in ("VerbForm=Inf", "Tense=Past|VerbForm=Part", "VerbForm=Ger,Part")
)
PAST = Feats.parse("Mood=Ind|Tense=Past|VerbForm=Fin")
THIRD = Feats.parse("Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin")

WITH_OBJECT = {"transitive", "ditransitive", "dative", "control_object", "object_infinitive"}


def listed(row: Row, column: str) -> set[str]:
    """The values of a property that may be a list."""
    return set(row.properties[column].split(","))


def having(rows: tuple[Row, ...], **wanted: str) -> list[Row]:
    """The rows that have each of some values, as a slot of a template selects them."""
    return [r for r in rows if all(value in listed(r, name) for name, value in wanted.items())]


def lemmas(rows: list[Row]) -> set[str]:
    return {row.shown for row in rows}


def test_past_and_participle_are_marked_as_they_are_spelt() -> None:
    for row in (r for r in VERBS if r.shown != "be"):
        infinitive, past, participle = (row.forms[c] for c in (INFINITIVE, PAST, PARTICIPLE))
        kind = row.properties["Past"]
        assert (kind == "plain") == (past == infinitive), row.lemma
        assert kind != "regular" or past.endswith("ed"), row.lemma
        if row.properties["Participle"] == "distinct":
            assert past != participle, row.lemma
        elif row.properties["Participle"] == "same":
            assert past == participle, row.lemma


def test_every_verb_has_all_forms_of_one_word() -> None:
    for row in (r for r in VERBS if r.shown != "be"):
        assert row.forms[INFINITIVE] == row.shown
        assert row.forms[THIRD].endswith("s"), row.lemma
        assert row.forms[GERUND].endswith("ing"), row.lemma
        assert len(row.forms) == 8, row.lemma


def test_an_intransitive_verb_without_alternation_takes_no_object_in_any_row() -> None:
    objects = {row.shown for row in VERBS if WITH_OBJECT & listed(row, "Frame")}
    strict = [r for r in having(VERBS, Alternation="none") if "intransitive" in listed(r, "Frame")]
    assert not lemmas(strict) & objects
    assert all(row.properties["Passive"] == "no" for row in strict)


def test_a_transitive_verb_without_alternation_stands_without_object_in_no_row() -> None:
    bare = {
        row.shown
        for row in VERBS
        if "intransitive" in listed(row, "Frame") or "causative" in listed(row, "Alternation")
    }
    assert not lemmas(having(VERBS, Alternation="none", Frame="transitive")) & bare


def test_causative_verbs_name_what_changes_as_their_object() -> None:
    for row in having(VERBS, Alternation="causative"):
        assert "transitive" in listed(row, "Frame"), row.lemma
        assert row.properties["Object"], row.lemma
        drops = "unspecified_object" in listed(row, "Alternation")
        assert ("intransitive" in listed(row, "Frame")) == drops, row.lemma


def test_tough_raising_and_control_adjectives_are_kept_apart() -> None:
    kinds = [lemmas(having(ADJECTIVES, Frame=f)) for f in ("tough", "raising", "control")]
    assert not kinds[0] & kinds[1]
    assert not kinds[0] & kinds[2]
    assert not kinds[1] & kinds[2]


def test_raising_and_control_verbs_are_kept_apart() -> None:
    for raising, control in (
        ("raising_subject", "control_subject"),
        ("raising_object", "control_object"),
    ):
        assert not lemmas(having(VERBS, Frame=raising)) & lemmas(having(VERBS, Frame=control))
