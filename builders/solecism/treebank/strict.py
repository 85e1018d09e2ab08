"""The preset ``strict``: the two ends overtly share a value.

A value is overt in the target where its lemma has another form that differs in that value alone and
is spelt differently, and where neither end's form leaves the value open. An end that is not
annotated for a feature does not agree in it. First come the filters that look at the tree alone
(:mod:`solecism.treebank.filters`), then those that look at values and forms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from solecism.hashing import Hashes
from solecism.treebank.candidates import KINDS, Candidates, find_candidates, with_any, with_value
from solecism.treebank.conllu import Flags, Ints, Tokens
from solecism.treebank.feature_bits import (
    AGREEMENT,
    ALL_VALUES,
    Bits,
    bits_of,
    conflicts,
    layered,
    shares,
    somewhere,
)
from solecism.treebank.filters import FILTERS, PROFORMS
from solecism.treebank.forms import Morphology, WordForm, distinct_words
from solecism.treebank.languages import Language, left_open, rules_of_forms
from solecism.treebank.relations import AgreeingPairs
from solecism.treebank.sentences import FLAWS, flaws_of

__all__ = ["SWITCHES", "TESTS", "EndValues", "PairFilter", "ends_of", "find_strictly"]

TESTS = {
    "disagree": "the ends differ in a feature in which they should agree: the annotation is wrong",
    "unshared": "the ends share no value of a feature in which they should agree",
    "elsewhere": "a determiner or an adjective of the sentence disagrees with its noun already",
    "neutralised": "by the rule of the language the form of an end leaves the shared value open",
    "uniform": "the target's lemma has no other form that differs in the shared value alone",
    "syncretic": "the form of an end leaves the shared value open: another is spelt the same",
    "undecided": "the form of the masked controller cannot be told by what the ends share",
    "paradigm": "the masked word has no other form",
    "multiword": "the masked word is a part of a multiword token",
}
"""The filters that look at values and forms, with their descriptions."""

SWITCHES = [*FILTERS, *FLAWS, *(name for name in TESTS if name != "unshared")]
"""The filters that can be switched off."""


class PairFilter:
    """Removes candidates, filter by filter, and counts them."""

    def __init__(self, size: int, without: frozenset[str] = frozenset()) -> None:
        self.left = np.ones(size, bool)
        self.dropped: Counter[str] = Counter()
        self._without = without

    def has(self, name: str) -> bool:
        """Return whether a filter is switched on."""
        return name not in self._without

    def remove(self, name: str, flags: Flags) -> bool:
        """Remove what has the flag; return whether the filter is switched on."""
        if not self.has(name):
            return False
        self.dropped[name] += int((self.left & flags).sum())
        self.left &= ~flags
        return True

    def filter(self, found: Candidates) -> None:
        """Remove what the filters by the tree remove."""
        for name, filter_ in FILTERS.items():
            self.remove(name, filter_(found))


@dataclass(frozen=True)
class EndValues:
    """What the ends of pairs express of what they should agree in.

    ``target`` and ``controller``: a column for each of :data:`AGREEMENT`, the values of every pair;
    ``layer``: a place in ``layers``, the layer of the target's features (``""``, ``"abs"``).
    """

    target: Bits
    controller: Bits
    layer: Ints
    layers: tuple[str, ...]

    @property
    def several(self) -> Flags:
        """Return, a row a feature, where an end is annotated with several values."""
        ends = zip(self.target, self.controller, strict=True)
        return np.array([_several(target) | _several(controller) for target, controller in ends])


def _several(values: Hashes) -> Flags:
    found: Flags = values & (values - np.uint64(1) * (values > 0)) > 0
    return found


def words_bits(tokens: Tokens, language: Language) -> Bits:
    """Return the values of words; nouns are third person, where the language has it so."""
    bits = bits_of(tokens.feats, ALL_VALUES)
    if not language.third:
        return bits
    place = AGREEMENT.index("Person")
    third = np.uint64(1 << ALL_VALUES["Person"].index("3"))
    person = np.where((bits[place] == 0) & tokens.upos.isin("NOUN"), third, bits[place])
    return *bits[:place], person, *bits[place + 1 :]


def ends_of(found: Candidates, bits: Bits) -> EndValues:
    """Return what the ends express of the features in which they should agree.

    ``bits`` are those of the words without a layer. A target agrees with its controller in the
    first layer of the language's rules of which it has any feature.
    """
    language, pairs = found.language, found.pairs
    layers = language.layers
    values = {name: bits_of(found.tokens.feats, ALL_VALUES, name) for name in layers if name}
    values[""] = bits
    target = np.zeros((len(AGREEMENT), len(pairs)), np.uint64)
    wanted = np.zeros(target.shape, bool)
    layer = np.zeros(len(pairs), np.int64)
    for place, kind in enumerate(KINDS):
        left = found.kind == place
        for name, rules in language.rules(kind, KINDS[kind]).items():
            column = np.array([feature[pairs.target] for feature in values[name]])
            rows = left & somewhere(column > 0)
            left &= ~rows
            target[:, rows], layer[rows] = column[:, rows], layers.index(name)
            rows = rows & _fits_case(found, name)
            for rule in rules:
                wanted[AGREEMENT.index(rule.feature)] |= rows & found.meet(rule)
    controller = np.array([feature[pairs.controller] for feature in bits])
    return EndValues(tuple(target * wanted), tuple(controller * wanted), layer, layers)


_OF_LAYER = {"erg": ("Erg",), "abs": ("Abs", "Nom"), "dat": ("Dat",)}


def _fits_case(found: Candidates, layer: str) -> Flags:
    """Return which controllers are in the case of a layer, or in none."""
    if layer not in _OF_LAYER:
        return np.ones(len(found), bool)
    tokens = found.tokens
    fits = with_value(tokens, "Case", *_OF_LAYER[layer]) | ~with_any(tokens, "Case")
    return fits[found.pairs.controller]


def find_strictly(
    tokens: Tokens, language: Language, forms: Morphology | None, without: frozenset[str]
) -> tuple[AgreeingPairs, Counter[str]]:
    """Find the pairs of a chunk that overtly agree, and count those that every filter removes.

    A pair counts for the first filter that removes it; ``undecided``, ``paradigm`` and
    ``multiword`` count, for either end, the pairs in which it may not be masked. Filters in
    ``without`` are switched off.
    """
    found = find_candidates(tokens, language)
    pairs_left = PairFilter(len(found), without)
    pairs_left.filter(found)
    bits = words_bits(tokens, language)
    ends = ends_of(found, bits)
    clash = _clashing(found, ends, pairs_left)
    shared = _compare(ends, pairs_left)
    _whole(found, clash, pairs_left)
    shared = _unneutralised(found, shared, ends, pairs_left)
    if forms is not None:
        shared = _overt(found, shared, ends, forms, pairs_left)
    own = _decided(found, shared)
    decides = np.array([own & ~_unvaried(found, own, forms, pairs_left), shared])
    kept = _maskable(found, own, decides, pairs_left)
    chosen = somewhere(kept)
    return AgreeingPairs(
        found.pairs[chosen], kept[:, chosen], shared[:, chosen], bits, decides[:, :, chosen],
        ends.layer[chosen], ends.layers,
    ), pairs_left.dropped  # fmt: skip


_SPECIAL = ("Com", "Coll", "Ptan", "Count", "Inv")
"""Values that one word has where another, that agrees with it, has a plain one (Com with Masc)."""

_PLAIN = [
    np.uint64(sum(1 << n for n, value in enumerate(ALL_VALUES[name]) if value not in _SPECIAL))
    for name in AGREEMENT
]


def _plain(values: Bits) -> Bits:
    return tuple(column & bits for column, bits in zip(values, _PLAIN, strict=True))


def _clashing(found: Candidates, ends: EndValues, pairs_left: PairFilter) -> Flags:
    """Return the sentences in which a determiner or an adjective disagrees with its noun."""
    clash = np.zeros(len(found.tokens.sentences), bool)
    if found.language.lax or not pairs_left.has("disagree"):
        return clash
    target, controller = _plain(ends.target), _plain(ends.controller)
    rows = pairs_left.left & found.of("determiner", "modifying") & conflicts(target, controller)
    clash[found.tokens.sentence[found.pairs.target[rows]]] = True
    return clash


def _whole(found: Candidates, clash: Flags, pairs_left: PairFilter) -> None:
    """Remove the pairs of sentences that are wrong elsewhere, or none."""
    sentence = found.tokens.sentence[found.pairs.target]
    pairs_left.remove("elsewhere", clash[sentence])
    wanted = np.zeros(len(clash), bool)
    wanted[sentence[pairs_left.left]] = True
    for name, flags in flaws_of(found.tokens, found.language, wanted).items():
        pairs_left.remove(name, flags[sentence])


def _unvaried(
    found: Candidates, own: Flags, forms: Morphology | None, pairs_left: PairFilter
) -> Flags:
    """Return, a row a feature, what a controller does not show since it has no other form.

    Nouns, and pronouns such as *who*, of which the forms must show it; plurals that are their own
    lemma.
    """
    out = np.zeros_like(own)
    if not pairs_left.has("paradigm"):
        return out
    tokens, rows = found.tokens, np.flatnonzero(pairs_left.left)
    words = found.pairs.controller[rows]
    noun = tokens.upos.isin("NOUN")
    proform = tokens.upos.isin("PRON") & with_value(tokens, "PronType", *PROFORMS)
    if forms is None:
        out[:, rows[proform[words]]] = True
    else:
        asked = rows[(proform | noun)[words]]
        out[:, asked] = ~_ask(tokens, found.pairs.controller[asked], "", forms.contrasts)
    plural = noun & with_value(tokens, "Number", "Plur", "Ptan")
    tantum = rows[plural[words]]
    tantum = tantum[_is_lemma(tokens, found.pairs.controller[tantum])]
    out[AGREEMENT.index("Number"), tantum] = True
    return out


def _is_lemma(tokens: Tokens, rows: Ints) -> Flags:
    """Return which words are their own lemmas, in small or large letters."""
    words, which = distinct_words(tokens, rows)
    alike = [word.form.casefold() == word.lemma.casefold() for word in words]
    return np.array(alike, bool)[which]


def _maskable(found: Candidates, own: Flags, decides: Flags, pairs_left: PairFilter) -> Flags:
    """Return which pairs are items when the controller (first row), or the target, is masked."""
    ends = np.array([found.pairs.controller, found.pairs.target])
    kept = np.repeat(pairs_left.left[None], len(ends), axis=0)
    for name, flags in (
        ("undecided", np.array([~somewhere(own), ~somewhere(decides[1])])),
        ("paradigm", ~decides.any(axis=1)),
        ("multiword", found.tokens.multiword[ends]),
    ):
        if pairs_left.has(name):
            pairs_left.dropped[name] += int((kept & flags).sum())
            kept &= ~flags
    return kept


_OWN = ("Gender", "Person")
"""Features that a noun has by itself: what agrees with it in these does not tell its form."""


def _decided(found: Candidates, shared: Flags) -> Flags:
    """Return, a row a feature, by what a masked controller can be told."""
    noun = found.tokens.upos.isin("NOUN")[found.pairs.controller]
    own = np.array([[name in _OWN] for name in AGREEMENT])
    return shared & ~(own & noun)


def _compare(ends: EndValues, pairs_left: PairFilter) -> Flags:
    """Return, a row a feature, which pairs share a value where they should."""
    pairs_left.remove("disagree", conflicts(ends.target, ends.controller))
    shared = shares(ends.target, ends.controller)
    pairs_left.remove("unshared", ~somewhere(shared))
    return shared


def _unneutralised(
    found: Candidates, shared: Flags, ends: EndValues, pairs_left: PairFilter
) -> Flags:
    """Keep the features that neither end leaves open.

    A feature is open by a rule of ``neutral.toml``, or when it is annotated with several values
    (``Gender=Fem,Masc``).
    """
    open_ = ends.several
    if rules_of_forms(found.language.code):
        ask = partial(left_open, found.language.code)
        open_ |= _left_open(found, shared, ends, pairs_left, ask)
    return (
        shared & ~open_ if pairs_left.remove("neutralised", ~somewhere(shared & ~open_)) else shared
    )


_Asked = Callable[[WordForm], frozenset[str]]


def _left_open(
    found: Candidates, shared: Flags, ends: EndValues, pairs_left: PairFilter, ask: _Asked
) -> Flags:
    """Ask which features either end leaves open; a row a feature, a column a pair."""
    rows = np.flatnonzero(pairs_left.left)
    open_ = np.zeros_like(shared)
    open_[:, rows] = _ask_targets(found, ends, rows, ask)
    open_[:, rows] |= _ask(found.tokens, found.pairs.controller[rows], "", ask)
    return open_


def _overt(
    found: Candidates, shared: Flags, ends: EndValues, forms: Morphology, pairs_left: PairFilter
) -> Flags:
    """Keep the features that the target shows by its form, and that neither end leaves open."""
    rows = np.flatnonzero(pairs_left.left)
    shown = np.zeros_like(shared)
    shown[:, rows] = shared[:, rows] & _ask_targets(found, ends, rows, forms.contrasts)
    if pairs_left.remove("uniform", ~somewhere(shown)):
        shared = shown
    open_ = _left_open(found, shared, ends, pairs_left, forms.ambiguous)
    if pairs_left.remove("syncretic", ~somewhere(shared & ~open_)):
        shared = shared & ~open_
    return shared


def _ask_targets(found: Candidates, ends: EndValues, rows: Ints, ask: _Asked) -> Flags:
    """Ask for the targets of some pairs, each in the layer in which it agrees."""
    out = np.zeros((len(AGREEMENT), len(rows)), bool)
    for place, layer in enumerate(ends.layers):
        of_layer = ends.layer[rows] == place
        if of_layer.any():
            words = found.pairs.target[rows[of_layer]]
            out[:, of_layer] = _ask(found.tokens, words, layer, ask)
    return out


def _ask(tokens: Tokens, rows: Ints, layer: str, ask: _Asked) -> Flags:
    """Return for every word which features are named; each distinct word is asked for once."""
    words, which = distinct_words(tokens, rows)
    names = [layered(name, layer) for name in AGREEMENT]
    table = np.array([[name in features for name in names] for features in map(ask, words)], bool)
    return table.reshape(-1, len(AGREEMENT))[which].T
