"""The preset ``strict``: the forms of both ends show a value that they share.

A target shows a value if its lemma has another form that is spelt differently and differs in that
value alone, and if the form of neither end leaves the value open. An end that is not annotated for
a feature does not agree in it. The filters of :mod:`solecism.treebank.filters` look at the tree and
the text; those of this module (:data:`TESTS`) look at values and forms.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np

from solecism.hashing import Hashes
from solecism.treebank.candidates import (
    ALL_VALUES,
    SPECIAL,
    AgreeingPairs,
    bits_of,
    conflicts,
    find_candidates,
    with_any,
    with_value,
)
from solecism.treebank.conllu import Flags, Ints, Tokens
from solecism.treebank.filters import FILTERS, FLAWS, PROFORMS, flaws_of
from solecism.treebank.forms import LanguageForms, WordForm, distinct_words
from solecism.treebank.languages import Language, left_open, rules_of_forms
from solecism.treebank.relations import AGREEMENT, KINDS, layered

TESTS = (
    "disagree", "unshared", "elsewhere", "neutralised", "uniform", "syncretic", "undecided",
    "paradigm", "multiword",
)  # fmt: skip
"""The filters that look at values and forms, by name; ``docs/mining.md`` says what they remove."""

SWITCHES = [*FILTERS, *FLAWS, *(name for name in TESTS if name != "unshared")]
"""The filters that can be switched off."""

_PLAIN = np.array(
    [
        [sum(1 << n for n, value in enumerate(ALL_VALUES[name]) if value not in SPECIAL)]
        for name in AGREEMENT
    ],
    np.uint64,
)
"""For each feature of agreement, the bits of its plain values."""
_OF_LAYER = {"erg": ("Erg",), "abs": ("Abs", "Nom"), "dat": ("Dat",)}
"""For a layer, the cases of the arguments with which its features agree."""
_Question = Callable[[WordForm], frozenset[str]]
"""Returns the features that a word shows, or leaves open."""
_OWN = ("Gender", "Person")
"""Features that do not inflect nouns: what agrees in them does not tell the noun's form."""


def find_strictly(
    tokens: Tokens, language: Language, forms: LanguageForms | None, without: frozenset[str]
) -> tuple[AgreeingPairs, Counter[str]]:
    """Return the pairs of a chunk that overtly agree, and how many pairs each filter removes.

    A pair counts for the first filter that removes it. The filters ``undecided``, ``paradigm`` and
    ``multiword`` are about one end, so that a pair may count for each end that may not be masked.
    Filters in ``without`` are switched off. Without ``forms`` no filter asks for other forms.
    """
    finder = _StrictFinder(tokens, language, forms, without)
    return finder.agreeing(), finder.dropped


class _StrictFinder:
    """The candidates of a chunk, and the filters that remove some of them one after the other.

    ``left``: flags of the pairs that no filter has removed; ``bits``: the values of all words
    (:func:`bits_of`); ``target`` and ``controller``: the values of the ends for the features in
    which they should agree, a row for each feature; ``mutual``: flags of the features in which
    they agree whatever the value; ``layer``: the layer of the target's features, as a place in the
    language's layers; ``shared``: a row for each feature, with flags of the pairs
    that agree in it.
    """

    def __init__(
        self,
        tokens: Tokens,
        language: Language,
        forms: LanguageForms | None,
        without: frozenset[str],
    ) -> None:
        self.tokens, self.language, self.forms, self.without = tokens, language, forms, without
        self.found = find_candidates(tokens, language)
        self.pairs = self.found.pairs
        self.left = np.ones(len(self.found), bool)
        self.dropped: Counter[str] = Counter()
        self.bits = bits_of(tokens.feats, ALL_VALUES)
        if language.third:  # nouns are third person
            person = self.bits[AGREEMENT.index("Person")]
            third = 1 << ALL_VALUES["Person"].index("3")
            person[(person == 0) & tokens.upos.isin("NOUN")] = third
        self.mutual = np.zeros((len(AGREEMENT), len(self.found)), bool)
        self.target, self.controller, self.layer = self._values()
        self.shared = self.target & self.controller > 0

    def agreeing(self) -> AgreeingPairs:
        """Run all filters and return the pairs that they leave."""
        for name, filter_ in FILTERS.items():
            self._remove(name, filter_(self.found))
        sentence = self.tokens.sentence[self.pairs.target]
        clash = self._clashing(sentence)
        self._remove("disagree", conflicts(self.target, self.controller))
        self._remove("unshared", ~np.any(self.shared, axis=0))
        self._remove("elsewhere", clash[sentence])
        wanted = np.zeros(len(clash), bool)
        wanted[sentence[self.left]] = True
        for name, flags in flaws_of(self.tokens, self.language, wanted).items():
            self._remove(name, flags[sentence])
        self._keep_overt()
        noun = self.tokens.upos.isin("NOUN")[self.pairs.controller]
        told = self.shared & self.mutual & ~(np.isin(AGREEMENT, _OWN)[:, None] & noun)
        decides = np.array([told & ~self._unvaried(), self.shared])
        kept = self._maskable(told, decides)
        chosen = np.any(kept, axis=0)
        return AgreeingPairs(
            self.pairs[chosen], kept[:, chosen], self.shared[:, chosen], self.bits,
            decides[:, :, chosen], self.layer[chosen], self.language.layers,
        )  # fmt: skip

    def _remove(self, name: str, flags: Flags) -> bool:
        """Remove the flagged pairs and count them; return whether the filter is switched on."""
        if name in self.without:
            return False
        self.dropped[name] += int((self.left & flags).sum())
        self.left &= ~flags
        return True

    def _values(self) -> tuple[Hashes, Hashes, Ints]:
        """Return the values of target and controller in what they should agree in, and the layer.

        Values are a row for each feature, 0 where the ends need not agree. Of the layers in the
        language's rules, the first of which the target has any feature counts.
        """
        found, tokens, language = self.found, self.tokens, self.language
        values = {name: bits_of(tokens.feats, ALL_VALUES, name) for name in language.layers if name}
        values[""] = self.bits
        target = np.zeros((len(AGREEMENT), len(found)), np.uint64)
        wanted = np.zeros(target.shape, bool)
        layer = np.zeros(len(found), np.int64)
        for place, kind in enumerate(KINDS):
            left = found.kind == place
            for name, rules in language.rules(kind, KINDS[kind]).items():
                column = values[name][:, self.pairs.target]
                rows = left & np.any(column, axis=0)
                left &= ~rows
                target[:, rows], layer[rows] = column[:, rows], language.layers.index(name)
                if name in _OF_LAYER:  # the controller must be in the case of the layer, or in none
                    fits = with_value(tokens, "Case", *_OF_LAYER[name]) | ~with_any(tokens, "Case")
                    rows &= fits[self.pairs.controller]
                for rule in rules:
                    met = rows & found.meet(rule)
                    wanted[AGREEMENT.index(rule.feature)] |= met
                    self.mutual[AGREEMENT.index(rule.feature)] |= met & (not rule.value)
        return target * wanted, self.bits[:, self.pairs.controller] * wanted, layer

    def _clashing(self, sentence: Ints) -> Flags:
        """Return flags of the sentences in which a determiner or an adjective disagrees with its
        noun: their annotation is doubtful. None is found in a language that is ``lax``, or if the
        filter ``disagree`` is switched off.
        """
        clash = np.zeros(len(self.tokens.sentences), bool)
        if not self.language.lax and "disagree" not in self.without:
            nominal = self.left & self.found.of("determiner", "modifying")
            differs = conflicts(self.target & _PLAIN, self.controller & _PLAIN)
            clash[sentence[nominal & differs]] = True
        return clash

    def _keep_overt(self) -> None:
        """Keep only the features that the target's form shows and that neither end leaves open.

        An end leaves a feature open by a rule of ``neutral.toml``, if it is annotated with several
        values (``Gender=Fem,Masc``), or if its form also has another value elsewhere.
        """
        ends = (self.target, self.controller)
        one = np.uint64(1)
        # end & (end - 1) is not 0 if more than one bit is set: several values.
        open_: Flags = np.logical_or(*(end & (end - one * (end > 0)) > 0 for end in ends))
        if rules_of_forms(self.language.code):
            open_ |= self._left_open(partial(left_open, self.language.code))
        self._keep("neutralised", self.shared & ~open_)
        if self.forms is None:
            return
        shown = self._ask(self.pairs.target, self.left, self.layer, self.forms.contrasts)
        self._keep("uniform", self.shared & shown)
        self._keep("syncretic", self.shared & ~self._left_open(self.forms.ambiguous))

    def _keep(self, name: str, shared: Flags) -> None:
        """Remove the pairs that agree in no feature of ``shared``, and replace ours by it.

        Nothing is done if the filter is switched off.
        """
        if self._remove(name, ~np.any(shared, axis=0)):
            self.shared = shared

    def _left_open(self, question: _Question) -> Flags:
        """Return flags of the features that either end leaves open.

        A row is a feature, a column a pair; ``question`` returns the features that a word leaves
        open.
        """
        plain = np.zeros_like(self.layer)
        open_ = self._ask(self.pairs.controller, self.left, plain, question)
        return open_ | self._ask(self.pairs.target, self.left, self.layer, question)

    def _ask(self, words: Ints, asked: Flags, layer: Ints, question: _Question) -> Flags:
        """Return flags of the features that ``question`` returns for words, in their layers.

        A row is a feature, a column a word; those that are not ``asked`` about have no flags. The
        question is asked once for each distinct word.
        """
        out = np.zeros((len(AGREEMENT), len(words)), bool)
        for place, name in enumerate(self.language.layers):
            rows = np.flatnonzero(asked & (layer == place))
            if len(rows):
                distinct, which = distinct_words(self.tokens, words[rows])
                names = [layered(feature, name) for feature in AGREEMENT]
                named = [[n in features for n in names] for features in map(question, distinct)]
                out[:, rows] = np.array(named, bool)[which].T
        return out

    def _unvaried(self) -> Flags:
        """Return flags of the features that controllers do not show, as they have no other form.

        A row is a feature, a column a pair. Nouns, and pronouns such as *who*, show a feature only
        if their lemma has a form that differs in it. Plural nouns that are their own lemma do not
        show their number.
        """
        out = np.zeros_like(self.shared)
        if "paradigm" in self.without:
            return out
        tokens, words = self.tokens, self.pairs.controller
        noun = tokens.upos.isin("NOUN")
        proform = tokens.upos.isin("PRON") & with_value(tokens, "PronType", *PROFORMS)
        if self.forms is None:
            out |= proform[words]
        else:
            asked = self.left & (proform | noun)[words]
            plain = np.zeros_like(self.layer)
            out |= asked & ~self._ask(words, asked, plain, self.forms.contrasts)
        form, lemma = (c.table(str.casefold, object) for c in (tokens.forms, tokens.lemmas))
        plural = noun & with_value(tokens, "Number", "Plur", "Ptan") & (form == lemma)
        out[AGREEMENT.index("Number")] |= plural[words]
        return out

    def _maskable(self, told: Flags, decides: Flags) -> Flags:
        """Return flags of the pairs that are items if an end is masked.

        The first row is for the controller, the second for the target. ``told``: features in which
        the target tells the form of the controller; ``decides``: for either end, the features that
        tell its form.
        """
        ends = np.array([self.pairs.controller, self.pairs.target])
        kept = np.repeat(self.left[None], len(ends), axis=0)
        for name, flags in (
            ("undecided", ~np.array([told, decides[1]]).any(axis=1)),
            ("paradigm", ~decides.any(axis=1)),
            ("multiword", self.tokens.multiword[ends]),
        ):
            if name not in self.without:
                self.dropped[name] += int((kept & flags).sum())
                kept &= ~flags
        return kept
