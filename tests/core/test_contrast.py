"""Where two sentences differ: every function against its definition, written out."""

from hypothesis import given, settings
from hypothesis import strategies as st

from solecism.check.pairs import words_apart
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


@settings(deadline=None)
@given(SENTENCES, SENTENCES)
def test_numbers_of_differing_words(a: Words, b: Words) -> None:
    ours, theirs = stretches(a, b)
    apart = sum(x != y for x, y in zip(ours, theirs, strict=False))
    wanted = apart if len(ours) == len(theirs) else max(len(ours), len(theirs))
    assert words_apart(a, b, Orthography()) == wanted
