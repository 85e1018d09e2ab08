"""Features: reading and writing them, agreement, clashes."""

from copy import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solecism.lexicon.features import Feats, agree, clash

ANY_FEATURES = st.dictionaries(
    st.from_regex(r"[A-Z][A-Za-z0-9]{0,6}(\[[a-z0-9]{1,4}\])?", fullmatch=True),
    st.sets(st.from_regex(r"[A-Z0-9][A-Za-z0-9]{0,4}", fullmatch=True), min_size=1, max_size=3),
    max_size=6,
).map(Feats.of)


@settings(deadline=None)
@given(ANY_FEATURES)
def test_what_is_written_is_read_again(feats: Feats) -> None:
    read = Feats.parse(str(feats))
    assert read == feats
    assert hash(read) == hash(feats)
    assert str(read) == str(feats)
    assert copy(feats) is feats


def test_features_are_sorted_without_regard_to_case_and_values_by_letter() -> None:
    feats = Feats.parse("PronType=Prs|Person=2,1|Poss=Yes|NumType=Card|Number=Sing")
    assert str(feats) == "Number=Sing|NumType=Card|Person=1,2|Poss=Yes|PronType=Prs"
    assert list(feats) == ["Number", "NumType", "Person", "Poss", "PronType"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Number", "'Number' is not of the form Feature=Value"),
        ("Number=Sing|Number=Plur", "feature 'Number' stands twice in 'Number=Sing|Number=Plur'"),
        ("number=Sing", "feature 'number' is not spelt as UD spells it"),
        ("Number=sing", "value of Number 'sing' is not spelt as UD spells it"),
        ("Person=1,", "value of Person '' is not spelt as UD spells it"),
    ],
)
def test_bad_features_are_named(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        Feats.parse(text)
    assert str(caught.value) == message


def test_a_feature_without_a_value_is_refused() -> None:
    with pytest.raises(ValueError, match="feature 'Case' has no value"):
        Feats.of({"Case": []})


@pytest.mark.parametrize(
    ("a", "b", "names", "expected"),
    [
        ("Number=Sing|Person=3", "Number=Plur|Person=3", ["Number"], True),
        ("Number=Sing|Person=3", "Number=Plur|Person=2", ["Number"], False),
        ("Number=Sing|Person=3", "Number=Plur|Person=2", ["Number", "Person"], True),
        ("Number=Sing|Person=3", "Number=Plur|Person=3", ["Number", "Person"], True),
        ("Number=Sing|Person=1,3", "Number=Sing|Person=3", ["Person"], False),
        ("Number=Sing", "Person=3", ["Number"], False),
        ("Number=Sing", "Number=Plur", [], False),
    ],
)
def test_clashing_in_one_of_the_names_and_nothing_else(
    a: str, b: str, names: list[str], expected: bool
) -> None:
    assert clash(Feats.parse(a), Feats.parse(b), names) is expected


def test_one_common_value_is_enough_to_agree() -> None:
    assert agree(Feats.parse("Person=1,3"), Feats.parse("Person=2,3"))
    assert not agree(Feats.parse("Person=1,3"), Feats.parse("Person=2"))
    assert agree(Feats.parse("Person=1"), Feats.parse("Person=2"), ignoring=["Person"])
    assert agree(Feats.parse("Person=1"), Feats.parse("Number=Sing"))
