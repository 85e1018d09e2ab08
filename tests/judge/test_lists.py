"""Lists: equal length, nobody sees two members of a minimal set, a Latin square for ratings."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solecism.errors import InputError
from solecism.judge.lists import default_lists, divide, trial_keys

SETS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), min_size=8, max_size=80)


@given(SETS, st.integers(1, 8))
def test_lists_are_equal_and_sets_apart(drawn: list[tuple[int, int]], lists: int) -> None:
    sets = [(f"s{name}", f"p{uid}") for name, uid in drawn]
    largest = max(Counter(name for name, _ in sets).values())
    if largest > lists:
        with pytest.raises(InputError, match=f"needs at least {largest} lists"):
            divide(sets, lists)
        return
    numbers = divide(sets, lists)
    lengths = Counter(numbers)
    assert sum(lengths.values()) == len(sets)
    assert max(lengths.values()) - min(lengths[n] for n in range(lists)) <= 1
    assert len({(number, name) for number, (name, _) in zip(numbers, sets, strict=True)}) == len(
        sets
    )


def test_paradigms_are_spread_over_lists() -> None:
    sets = [(f"s{n}", f"p{n // 10}") for n in range(30)]
    numbers = divide(sets, 2)
    for uid in ("p0", "p1", "p2"):
        count = Counter(n for n, (_, one) in zip(numbers, sets, strict=True) if one == uid)
        assert abs(count[0] - count[1]) <= 1


def test_fewer_pairs_than_lists() -> None:
    with pytest.raises(InputError, match="2 pairs cannot be divided into 3 lists"):
        divide([("a", "p"), ("b", "p")], 3)


def test_likert_lists_are_a_latin_square() -> None:
    pairs = {f"i{n}": (f"s{n}", f"p{n % 2}") for n in range(20)}
    lists, groups = trial_keys("likert", pairs, 4)
    assert groups == 2
    for keys in lists:
        bare = [key.partition("-")[0] for key in keys]
        assert len(set(bare)) == len(bare) == 10  # nobody sees both sides
        sides = Counter(key.partition("-")[2] for key in keys)
        assert sides == {"good": 5, "bad": 5}
    seen = Counter(key for keys in lists for key in keys)
    assert len(seen) == 40
    assert set(seen.values()) == {1}


def test_likert_needs_an_even_number_of_lists() -> None:
    with pytest.raises(InputError, match="even number of lists, not 3"):
        trial_keys("likert", {"i1": ("s", "p")}, 3)


def test_experts_read_both_sides() -> None:
    lists, _ = trial_keys("expert", {"i1": ("a", "p"), "i2": ("b", "p")}, 1)
    assert lists == [["i1-good", "i1-bad", "i2-good", "i2-bad"]]


@pytest.mark.parametrize(("design", "lists"), [("choice", 7), ("likert", 14), ("expert", 1)])
def test_default_lists_have_at_most_fifty_items(design: str, lists: int) -> None:
    assert default_lists(design, 335) == lists
