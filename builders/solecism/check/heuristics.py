"""Named heuristics: what a model reaches that decides pairs without grammar.

Those of agreement let the word that agrees follow a noun of the sentence, whatever its role: the
first, the nearest or the last one (Linzen et al. 2016, *Assessing the ability of LSTMs to learn
syntax-sensitive dependencies*; Li et al. 2021, *Are Transformers a modern version of ELIZA?*).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from solecism.contrast import differing_span, surplus
from solecism.schema import ItemRow

_NOUNS = ("NOUN", "PROPN", "PRON")
PREFIX_WORDS = ("one_prefix_word_good", "one_prefix_word_bad", "two_prefix_word")

NounVotes = tuple[float | None, float | None, float | None]
"""What the first, the nearest and the last noun say of a pair; see :class:`Heuristics`."""


class PairTexts(NamedTuple):
    """What is audited of a pair.

    ``words``: the words that the prefix methods compare (None if a method cannot score the pair);
    ``lemmas``: the lemmas of its slots, empty if the data set has none; ``frequencies``: of both
    forms in treebanks, where the data have them.
    """

    good: str
    bad: str
    words: Sequence[str | None] = ()
    lemmas: Sequence[str] = ()
    nouns: NounVotes = (None, None, None)
    frequencies: tuple[int, int] | None = None


class Heuristics(NamedTuple):
    """The share of pairs that each heuristic gets right, of those to which it applies (None: none).

    A pair of which it cannot tell counts one half. ``nearest_noun``: the last noun before the word
    that agrees, or the first one after it where its controller stands there (as that of determiners
    does); ``shorter``: the sentence of fewer characters; ``frequent``: the more frequent one of two
    words, in treebanks where the data say so, else in the sentences of the data, good and bad.
    """

    first_noun: float | None
    nearest_noun: float | None
    last_noun: float | None
    shorter: float | None
    frequent: float | None


def pair_of(row: ItemRow) -> PairTexts:
    """Return what is audited of a row of pairs; columns but the sentences may be missing."""
    features, slots = row.get("features") or {}, row.get("slots") or ()
    counts = [str(features.get(name)) for name in ("frequency_good", "frequency_bad")]
    return PairTexts(
        row["sentence_good"], row["sentence_bad"], tuple(row.get(name) for name in PREFIX_WORDS),
        [slot["lemma"] for slot in slots if slot["lemma"]],
        _noun_votes(row["sentence_good"], row["sentence_bad"], slots, features),
        (int(counts[0]), int(counts[1])) if all(map(str.isdecimal, counts)) else None,
    )  # fmt: skip


def _noun_votes(
    good: str, bad: str, slots: Sequence[ItemRow], features: Mapping[str, str | None]
) -> NounVotes:
    """Return whether the first, the nearest and the last noun have the number of the controller.

    Nouns are those of slots, pronouns too, without the word that differs. Of mined pairs the slots
    have no other nouns.
    """
    number, place = features.get("controller_number"), differing_span(good, bad)[0].start
    nouns = sorted(
        (slot["good_start"], found["Number"], slot["lemma"])
        for slot in slots
        if slot["upos"] in _NOUNS and slot["good_start"] is not None
        and "Number" in (found := dict(f.partition("=")[::2] for f in (slot["feats"] or "").split("|") if f))
        and not slot["good_start"] <= place <= slot["good_end"]
    )  # fmt: skip
    controllers = [start for start, _, lemma in nouns if lemma == features.get("controller")]
    if not number or not controllers or features.get("treebank"):
        return None, None, None
    before = [value for start, value, _ in nouns if start < place]
    after = [value for start, value, _ in nouns if start >= place]
    values = nouns[0][1], (before[-1] if controllers[0] < place else after[0]), nouns[-1][1]
    first, nearest, last = (0.5 if "," in value else float(value == number) for value in values)
    return first, nearest, last


def word_counts(pairs: Iterable[PairTexts]) -> Counter[str]:
    """Return in how many sentences of both sides each word stands."""
    sentences = {sentence for pair in pairs for sentence in (pair.good, pair.bad)}
    return Counter(word for sentence in sentences for word in {*_words(sentence)})


def heuristics_of(pairs: Sequence[PairTexts], counts: Mapping[str, int]) -> Heuristics:
    """Return what heuristics reach on pairs; ``counts``: those of :func:`word_counts`."""
    votes = [
        (*pair.nouns, _vote(len(pair.bad), len(pair.good)), _frequent(pair, counts))
        for pair in pairs
    ]
    known = ([value for vote in votes if (value := vote[n]) is not None] for n in range(5))
    return Heuristics(*(round(fmean(some), 4) if some else None for some in known))


def _frequent(pair: PairTexts, counts: Mapping[str, int]) -> float | None:
    if pair.frequencies:
        return _vote(*pair.frequencies)
    ours, theirs = surplus(_words(pair.good), _words(pair.bad))
    if len(ours) != 1 or len(theirs) != 1:
        return None
    return _vote(counts[ours[0]], counts[theirs[0]])


def _vote(one: int, other: int) -> float:
    return 0.5 if one == other else float(one > other)


def _words(sentence: str) -> list[str]:
    return [word.strip(".,;:!?。，？！").lower() for word in sentence.split()]
