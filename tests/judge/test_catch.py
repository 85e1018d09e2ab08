"""Catch trials: words in disorder, the same on every machine, in any script."""

from collections import Counter
from itertools import pairwise

import pytest

from people import pairs_in
from solecism.judge.creation import scramble, scrambled, words_of_sentence


@pytest.mark.parametrize("language", ["en", "he", "zh"])
def test_no_two_neighbours_stay_together(language: str) -> None:
    for pair in pairs_in(language):
        text = scramble(pair["good"], pair["tokens"])
        assert text is not None
        assert text == scramble(pair["good"], pair["tokens"])
        assert text[-1] == pair["good"][-1]
        assert Counter(text.lower()) == Counter(pair["good"].lower())
        if language != "zh":
            words = [w.lower() for w in words_of_sentence(pair["good"])]
            now = [w.lower() for w in words_of_sentence(text)]
            assert not {*pairwise(words)} & {*pairwise(now)}
            assert now[0] != words[0]


def test_short_sentences_are_not_taken() -> None:
    assert scramble("She laughs.") is None
    assert scramble("") is None


def test_catch_trials_avoid_the_sets_of_the_study() -> None:
    pairs = pairs_in()
    chosen = scrambled(pairs, 4, 0, pairs[:5])
    assert not {pair["set_id"] for pair, _ in chosen} & {pair["set_id"] for pair in pairs[:5]}
    assert {pair["UID"] for pair, _ in chosen} == {"p0", "p1"}
