"""Where two sentences differ: every function against its definition, written out."""

from hypothesis import given, settings
from hypothesis import strategies as st

from solecism.check.pairs import words_apart
from solecism.contrast import differing_span, differing_words, surplus
from solecism.lexicon.orthography import Orthography

SENTENCES = st.lists(st.sampled_from("abc"), max_size=6)
Words = list[str]


def stretches(a: Words, b: Words) -> tuple[Words, Words]:
    """Take off the first words while they are alike, then the last ones."""
    while a and b and a[0] == b[0]:
        a, b = a[1:], b[1:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    return a, b


def without_shared(a: Words, b: Words) -> tuple[Words, Words]:
    """Take away what both have, one by one."""
    ours, theirs = list(a), list(b)
    for word in a:
        if word in theirs:
            ours.remove(word)
            theirs.remove(word)
    return sorted(ours), sorted(theirs)


@settings(deadline=None)
@given(SENTENCES, SENTENCES)
def test_the_part_between_shared_start_and_shared_end(a: Words, b: Words) -> None:
    ours, theirs = differing_span(a, b)
    assert (a[ours], b[theirs]) == stretches(a, b)


@settings(deadline=None)
@given(SENTENCES, SENTENCES)
def test_words_that_one_has_more_often(a: Words, b: Words) -> None:
    left = without_shared(a, b)
    assert surplus(a, b) == left
    places = {word for pair in zip(a, b, strict=False) if pair[0] != pair[1] for word in pair}
    assert differing_words(a, b) == ({*left[0], *left[1]} or places)


@settings(deadline=None)
@given(SENTENCES, SENTENCES)
def test_numbers_of_differing_words(a: Words, b: Words) -> None:
    ours, theirs = stretches(a, b)
    apart = sum(x != y for x, y in zip(ours, theirs, strict=False))
    wanted = apart if len(ours) == len(theirs) else max(len(ours), len(theirs))
    assert words_apart(a, b, Orthography()) == wanted
