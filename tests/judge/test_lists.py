"""Lists: equal length, nobody sees two members of a minimal set, a Latin square for ratings."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solecism.errors import InputError
from solecism.judge.creation import StudyPair, lists_of_pairs, trials_of_lists

SETS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), min_size=8, max_size=80)


def pairs_of(sets: list[tuple[int, int]]) -> dict[str, StudyPair]:
    """Return pairs by key, given the set and the paradigm of each."""
    return {
        f"i{n}": {"config": "c", "id": f"{n}", "set_id": f"s{name}", "UID": f"p{uid}"}
        for n, (name, uid) in enumerate(sets)
    }


@given(SETS, st.integers(1, 8))
def test_lists_are_equal_and_sets_apart(drawn: list[tuple[int, int]], lists: int) -> None:
    pairs = pairs_of(drawn)
    largest = max(Counter(name for name, _ in drawn).values())
    if largest > lists:
        with pytest.raises(InputError, match=f"needs at least {largest} lists"):
            lists_of_pairs(pairs, lists)
        return
    found = lists_of_pairs(pairs, lists)
    assert sorted(key for keys in found for key in keys) == sorted(pairs)
    assert max(map(len, found)) - min(map(len, found)) <= 1
    for keys in found:
        assert len({pairs[key]["set_id"] for key in keys}) == len(keys)


def test_paradigms_are_spread_over_lists() -> None:
    pairs = pairs_of([(n, n // 10) for n in range(30)])
    one, two = lists_of_pairs(pairs, 2)
    for uid in ("p0", "p1", "p2"):
        counts = [sum(pairs[key]["UID"] == uid for key in keys) for keys in (one, two)]
        assert abs(counts[0] - counts[1]) <= 1


def test_likert_lists_are_a_latin_square() -> None:
    lists = trials_of_lists("likert", pairs_of([(n, n % 2) for n in range(20)]), 4)
    for keys in lists:
        bare = [key.partition("-")[0] for key in keys]
        assert len(set(bare)) == len(bare) == 10  # nobody sees both sides
        sides = Counter(key.partition("-")[2] for key in keys)
        assert sides == {"good": 5, "bad": 5}
    seen = Counter(key for keys in lists for key in keys)
    assert len(seen) == 40
    assert set(seen.values()) == {1}
