"""Lists: which trials one person gets, so that nobody sees two members of a minimal set."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from solecism.errors import fail

__all__ = ["default_lists", "divide", "trial_keys"]

LENGTH = 50
"""The most items of a list that is divided without being told how."""


def default_lists(design: str, pairs: int) -> int:
    """Return a number of lists with at most 50 items each; experts read all.

    >>> default_lists("choice", 60), default_lists("likert", 60), default_lists("expert", 60)
    (2, 4, 1)
    """
    if design == "expert":
        return 1
    return math.ceil(pairs / LENGTH) * (2 if design == "likert" else 1)


def divide(sets: Sequence[tuple[str, str]], lists: int) -> list[int]:
    """Return the list (from 0) of each pair, given its set and its paradigm.

    The lists are equally long within one, and no list has two pairs of one set. Within that, each
    paradigm is spread evenly. Raises :class:`InputError` where a set has more pairs than there are
    lists, or where there are fewer pairs than lists.
    """
    if len(sets) < lists:
        raise fail(f"{len(sets)} pairs cannot be divided into {lists} lists")
    members: defaultdict[str, list[int]] = defaultdict(list)
    for place, (name, _) in enumerate(sets):
        members[name].append(place)
    largest = max(members, key=lambda name: len(members[name]))
    if len(members[largest]) > lists:
        size = len(members[largest])
        message = f"the minimal set {largest!r} has {size} pairs, and nobody may see two of them"
        raise fail(f"{message}: it needs at least {size} lists")
    out, length = [0] * len(sets), [0] * lists
    of_paradigm: defaultdict[str, list[int]] = defaultdict(lambda: [0] * lists)
    for places in members.values():
        uid = sets[places[0]][1]
        ranked = sorted(range(lists), key=lambda i: (length[i], of_paradigm[uid][i], i))
        for place, number in zip(places, ranked, strict=False):
            out[place] = number
            length[number] += 1
            of_paradigm[sets[place][1]][number] += 1
    return out


def trial_keys(
    design: str, pairs: Mapping[str, tuple[str, str]], lists: int
) -> tuple[list[list[str]], int]:
    """Return the trials of each list, and how many groups of pairs there are.

    ``pairs``: set and paradigm by key. Forced choice: a trial for each pair. Experts: one for each
    side, ``key-good`` and ``key-bad``. Likert: two lists for each group of pairs, a Latin square;
    in each, the pairs of a paradigm take turns in showing the good and the bad side.
    """
    if design == "likert" and lists % 2:
        raise fail(
            f"a Likert study needs an even number of lists, not {lists}: both sides of a pair"
        )
    groups = lists // 2 if design == "likert" else lists
    numbers = divide(list(pairs.values()), groups)
    keys: list[list[str]] = [[] for _ in range(groups)]
    for key, number in zip(pairs, numbers, strict=True):
        keys[number].append(key)
    if design == "choice":
        return keys, groups
    if design == "expert":
        return [
            [f"{key}-{side}" for key in group for side in ("good", "bad")] for group in keys
        ], groups
    return [_square(group, pairs, turn) for group in keys for turn in (0, 1)], groups


def _square(group: Sequence[str], pairs: Mapping[str, tuple[str, str]], turn: int) -> list[str]:
    ordered = sorted(group, key=lambda key: pairs[key][1])
    side = {key: ("good", "bad")[(rank + turn) % 2] for rank, key in enumerate(ordered)}
    return [f"{key}-{side[key]}" for key in group]
