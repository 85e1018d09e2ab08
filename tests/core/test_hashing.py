"""Hashes of texts that are made of those of their parts."""

from __future__ import annotations

import numpy as np

from solecism.hashing import polynomials


def test_the_polynomial_of_a_text_is_made_of_those_of_its_parts() -> None:
    numbers, powers = polynomials(["né", "née\0", "nee\0", ""])
    ends, room = polynomials(["e\0", "e\0", "", "née"])
    joined = numbers * room + ends
    assert joined[0] == numbers[1]
    assert numbers[1] != numbers[2]
    assert joined[2] == numbers[2]
    assert joined[3] == ends[3]
    assert np.array_equal((powers * room)[:1], powers[1:2])
