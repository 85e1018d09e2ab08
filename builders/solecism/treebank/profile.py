"""A language's profile: what agrees with what, from the evidence of its treebanks.

The words of a relation agree in a feature if, of the pairs in which both ends express it, at least
nine in ten have the same value, more than by chance, and if the values vary enough:

1. The pairs of a relation are divided by the kind of target (verb, auxiliary ...), by the side of
   the controller (before or after the target), and by noun or pronoun as controller. Such a group
   is a *leaf*. A leaf is left out if a one-sided exact binomial test rejects at :data:`LEVEL` that
   at least nine in ten of its pairs agree.
2. Of the pairs of all other leaves, at least nine in ten agree (:data:`SHARE`), and such a test
   rejects at :data:`LEVEL` that at most eight in ten do (:data:`FEWER`). It takes 14 pairs of 14,
   or 39 of 43.
3. Cohen's kappa is :data:`KAPPA` or more: if nine in ten words are singular, words that have
   nothing to do with each other agree in four of five pairs.
4. Of the pairs that agree, less than :data:`MAJORITY` have the most frequent value.

Targets may have features in layers (``Number[abs]``). Of the layers that pass, the one with the
highest share of agreement comes first. The others are then tried on the targets that do not have
it. This is how it is found that a Basque auxiliary agrees with its subject in ``[erg]``, or, if it
has no ``[erg]``, in ``[abs]``.

Source for the features: https://universaldependencies.org/u/overview/feat-layers.html. Compare
Chaudhary et al. (2020), Automatic Extraction of Rules Governing Morphological Agreement.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from solecism.treebank.candidates import find_candidates
from solecism.treebank.conllu import Tokens
from solecism.treebank.filters import FILTERS, capitals_by, count_habits, marks_by
from solecism.treebank.languages import ANY, Language, Rule, languages
from solecism.treebank.relations import AGREEMENT, KINDS, RELATIONS, bundle, is_finite, layered

SHARE, FEWER, LEVEL, KAPPA, MAJORITY = 0.9, 0.8, 0.05, 0.5, 0.98
LEAST = 10
"""The least number of pairs with a non-finite form for which this form counts as agreeing."""

_UNTOLD = ("oblique", "nonfinite", "avoir", "name")
"""Filters that cannot be used here, as they need to know what the profile is made to find."""
_PROBE = Language("", "", (), {"participle": ANY})
_DIRECT = frozenset({"Nom", "Abs"})
_BARE = frozenset({""})
_FOUND = ("verbforms", "cases", "third", "marks", "capitals")
"""The keys of a stanza that a profile finds, beside what agrees."""
_OWN_LAYERS = ("object", "indirect_object", "possessor")
"""Relations in which only features with a layer count: those without agree with the subject."""
_REASONS = {
    "too small": "too small: too few pairs to tell",
    "does not vary": "the features of agreement do not vary",
}
_NOMINAL_CASE = ("determiner", "modifying")


class Cell(NamedTuple):
    """What pairs have in common that are counted together.

    ``kind``: the kind of target; ``side``: where the controller stands, ``before`` or ``after``
    it; ``of``: what the controller is, ``NOUN`` or ``PRON``; ``target`` and ``controller``: the
    FEATS of the ends.
    """

    kind: str
    side: str
    of: str
    target: str
    controller: str

    @property
    def relation(self) -> str:
        """The relation that the kind belongs to."""
        return KINDS[self.kind]

    @property
    def verbform(self) -> str:
        """The VerbForm of a target of kind ``verb`` (``Fin`` if it is finite), else ``""``."""
        if self.kind != "verb":
            return ""
        feats = bundle(self.target)
        return "Fin" if is_finite(feats) else min(feats.get("VerbForm", _BARE))

    def values(self, feature: str, layer: str, third: bool) -> tuple[str, str] | None:
        """Return the values of target and controller: the same, if they share one.

        Returns None if either end does not express the feature. ``third``: nouns count as third
        person.
        """
        target = bundle(self.target).get(layered(feature, layer))
        controller = bundle(self.controller).get(feature)
        if controller is None and feature == "Person" and third and self.of == "NOUN":
            controller = _THIRD
        if not target or not controller:
            return None
        common = target & controller
        return min(common or target), min(common or controller)

    def layers(self) -> Iterator[str]:
        """Yield the layers of the target's features; ``""`` is for features without a layer.

        The layer ``psor`` is only for possessors, and possessors have no other one.
        """
        own = self.relation == "possessor"
        for name in bundle(self.target):
            feature, _, layer = name.rstrip("]").partition("[")
            if feature in AGREEMENT and (layer == "psor") == own:
                yield layer


_THIRD = frozenset({"3"})


@dataclass
class Evidence:
    """Counts from the treebanks of a language, from which its profile is made.

    ``cells``: pairs that might agree; ``habits``: :func:`~solecism.treebank.filters.count_habits`.
    """

    cells: Counter[Cell] = field(default_factory=Counter)
    habits: Counter[str] = field(default_factory=Counter)

    def add(self, tokens: Tokens) -> None:
        """Add the counts of a chunk; candidates that a filter drops are not counted."""
        if not len(tokens):
            return
        self.habits.update(count_habits(tokens))
        found = find_candidates(tokens, _PROBE)
        for name, filter_ in FILTERS.items():
            if name not in _UNTOLD:
                found = found[~filter_(found)]
        feats = tokens.feats
        columns = (
            found.kind, found.first, tokens.upos.isin("PRON")[found.pairs.controller],
            feats.codes[found.pairs.target], feats.codes[found.pairs.controller],
        )  # fmt: skip
        rows, counts = np.unique(np.array(columns, np.int64), axis=1, return_counts=True)
        names, texts = tuple(KINDS), feats.values
        for (kind, first, pronoun, *ends), count in zip(rows.T.tolist(), counts, strict=True):
            side, of = ("after", "before")[first], ("NOUN", "PRON")[pronoun]
            self.cells[Cell(names[kind], side, of, *(texts[end] for end in ends))] += int(count)


_Tally = Counter[tuple[str, str]]
"""Pairs in which both ends express a feature, by the values of target and controller."""


def _agreeing(tally: _Tally) -> int:
    return sum(count for (target, controller), count in tally.items() if target == controller)


def _fault_of(tally: _Tally) -> str:
    """Return why pairs do not show agreement in a feature, or an empty text."""
    both, agree = tally.total(), _agreeing(tally)
    if both == 0:
        return "not expressed"
    if agree / both < SHARE:
        return "too few agree"
    if binomial_above(agree, both) > LEVEL:
        return "too small"
    if max(tally[value, value] for value, _ in tally) / agree >= MAJORITY:
        return "does not vary"
    targets, controllers = Counter[str](), Counter[str]()
    for (target, controller), count in tally.items():
        targets[target] += count
        controllers[controller] += count
    chance = sum(targets[value] * controllers[value] for value in targets) / both**2
    kappa = 1.0 if chance == 1 else (agree / both - chance) / (1 - chance)
    return "" if kappa >= KAPPA else "by chance"


def binomial_above(agree: int, both: int, share: float = FEWER) -> float:
    """Return the probability that at least ``agree`` of ``both`` pairs agree.

    ``share`` is the probability that one pair does.

    >>> round(binomial_above(14, 14), 4), round(binomial_above(13, 13), 4)
    (0.044, 0.055)
    """
    terms = [0.0]
    for n in range(agree, both + 1):
        ways = math.lgamma(both + 1) - math.lgamma(n + 1) - math.lgamma(both - n + 1)
        terms.append(math.exp(ways + n * math.log(share) + (both - n) * math.log1p(-share)))
        if terms[-1] < terms[-2] and terms[-1] < 1e-12:
            break  # the rest adds nothing
    return min(1.0, math.fsum(terms))


def _surely_few(tally: _Tally) -> bool:
    """Return whether fewer than nine in ten of such pairs agree, and not by chance."""
    both = tally.total()
    return binomial_above(both - _agreeing(tally), both, 1 - SHARE) <= LEVEL


class _Leaf(NamedTuple):
    """A group of cells: see the module's docstring; leaves differ in ``verbform`` too."""

    kind: str
    side: str
    of: str
    verbform: str


@dataclass(frozen=True)
class ProfileRow:
    """One line of a profile: how often the ends agree in a feature.

    ``both``: the number of pairs in which both ends express the feature; ``agree``: the number of
    those that agree in it; ``noun`` and ``pronoun``: the shares that agree with such a controller,
    None without any pair; ``reason``: why this does not count as agreement, or an empty text.
    """

    relation: str
    feature: str
    kind: str
    side: str
    both: int
    agree: int
    noun: float | None
    pronoun: float | None
    reason: str


@dataclass(frozen=True)
class Profile:
    """What the evidence says of a language: its rules (``language``), and a table of counts.

    ``lemmas``: whether at least half of the words have a lemma.
    """

    language: Language
    rows: tuple[ProfileRow, ...]
    sentences: int
    lemmas: bool = True

    @property
    def reason(self) -> str:
        """Why nothing is found to agree, or an empty text."""
        if not self.lemmas:
            return "no lemmas are annotated"
        if any(self.language.agrees.values()):
            return ""
        if not self.rows:
            return "no features of agreement are annotated"
        most = max(self.rows, key=lambda row: row.both)  # the line with the most pairs
        few = binomial_above(most.both, most.both) > LEVEL  # even if all of them agreed
        return _REASONS.get("too small" if few else most.reason, "no agreement found")

    @property
    def mixed(self) -> frozenset[tuple[str, str]]:
        """The relations, each with ``Case``, in which too few pairs agree for any rule.

        Case should always agree, so the texts themselves mix cases, as late Latin does. Number and
        gender are not looked at: they may differ by a rule, as in Arabic plurals of things.
        """
        reasons: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in self.rows:
            if row.feature == "Case":
                reasons[row.relation, row.feature].add(row.reason)
        return frozenset(key for key, found in reasons.items() if found == {"too few agree"})

    def stanza(self) -> str:
        """Return the rules as a stanza of ``languages.toml``, for people to edit."""
        language, usual = self.language, Language("", "", (), {})
        values = {"name": language.name, "paper": [], **language.rule_texts()}
        for name in _FOUND:
            if getattr(language, name) != getattr(usual, name):
                values[name] = getattr(language, name)
        lines = (f"{n} = {json.dumps(v, ensure_ascii=False)}\n" for n, v in values.items())
        return f"[{language.code}]\n{''.join(lines)}"


def language_of(code: str, profile: Callable[[], Profile]) -> Language:
    """Return what is known of a language: its stanza if that says what agrees, else its profile.

    If the stanza does not say what agrees, its lists of words are added to the profile.
    """
    stanza = languages().get(code)
    if stanza and stanza.agrees:
        return stanza
    found = profile().language
    if stanza is None:
        return found
    return replace(stanza, agrees=found.agrees, **{name: getattr(found, name) for name in _FOUND})


def profile_of(evidence: Evidence, code: str) -> Profile:
    """Return the profile of a language from the evidence."""
    return _Profiler(evidence).profile(code)


@dataclass
class _Profiler:
    """Makes a profile of the evidence, one relation after the other."""

    evidence: Evidence
    rows: list[ProfileRow] = field(default_factory=list)
    agrees: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    verbforms: set[str] = field(default_factory=set)

    def profile(self, code: str) -> Profile:
        for relation in RELATIONS:
            self._relation(relation)
        habits = self.evidence.habits
        language = Language(
            code, code, (), self.agrees, third=self.third, cases=self._cases(),
            verbforms=("Fin", *sorted(self.verbforms)),
            marks=marks_by(habits), capitals=capitals_by(habits),
        )  # fmt: skip
        lemmas = habits["without_lemma"] <= habits["words"] / 2
        return Profile(language, tuple(self.rows), habits["sentences"], lemmas)

    @cached_property
    def third(self) -> bool:
        """Whether verbs are third person with nouns that are not annotated for person.

        This is found as agreement is; the third person need not vary, nor differ from chance.
        """
        tally = _Tally()
        for cell, count in self.evidence.cells.items():
            if cell.relation != "verb" or cell.of != "NOUN" or "Person" in bundle(cell.controller):
                continue
            for layer in ("", "subj", "erg", "abs"):
                if values := cell.values("Person", layer, True):
                    tally[values] += count
                    break
        return _fault_of(tally) in ("", "does not vary", "by chance")

    def _relation(self, relation: str) -> None:
        cells = {
            c: n for c, n in self.evidence.cells.items() if c.relation == relation and _direct(c)
        }
        layers = sorted({layer for cell in cells for layer in cell.layers()})
        if relation in _OWN_LAYERS:
            layers = [layer for layer in layers if layer]
        rules: dict[str, list[Rule]] = defaultdict(list)
        while layers:
            tried = [_Layer(layer, cells, self.third) for layer in layers]
            best = max(tried, key=lambda found: found.share)
            done = best.share == 0
            for found in tried if done else [best]:
                self.rows += found.rows(relation)
                self.verbforms |= found.verbforms
            if done:
                break
            for kind, of_kind in best.rules():
                rules[kind] += of_kind
            layers.remove(best.layer)
            cells = {c: n for c, n in cells.items() if best.layer not in c.layers()}
        self._keep(relation, rules)

    def _keep(self, relation: str, rules: Mapping[str, list[Rule]]) -> None:
        """Keep the rules of a relation, and of each of its kinds the rules that differ from them.

        The rules of participles are always kept as their own.
        """
        if not any(rules.values()):
            return
        usual = max(rules, key=lambda kind: len(rules[kind])) if relation not in rules else relation
        shared = tuple(rules[usual])
        if usual != "participle":
            self.agrees[relation] = shared
        for kind in (kind for kind, of in KINDS.items() if of == relation and kind in rules):
            own = tuple(rules[kind])
            if kind != relation and (own if kind == "participle" else own != shared):
                self.agrees[kind] = own

    def _cases(self) -> tuple[str, ...]:
        """Return the cases of subjects with which verbs agree in features without a layer."""
        rules = [*self.agrees.get("verb", ()), *self.agrees.get("auxiliary", ())]
        features = {rule.feature for rule in rules if not rule.layer}
        tallies: dict[str, _Tally] = defaultdict(Counter)
        for cell, count in self.evidence.cells.items():
            case = bundle(cell.controller).get("Case", _BARE)
            if cell.relation == "verb" and not case & {"", *_DIRECT}:
                for feature in features:
                    if values := cell.values(feature, "", self.third):
                        tallies[min(case)][values] += count
        more = [c for c, tally in tallies.items() if _fault_of(tally) in ("", "does not vary")]
        return ("Nom", "Abs", *sorted(more))


def _direct(cell: Cell) -> bool:
    """Return whether pairs count for rules. Subjects in an oblique case do not, unless the target
    has features of a layer, which tells the case."""
    if cell.relation != "verb" or any(cell.layers()):
        return True
    return bool(bundle(cell.controller).get("Case", _BARE) & {"", *_DIRECT})


class _Layer:
    """What the cells of a relation say of the features of a layer.

    ``agreeing``: the features in which they agree; ``share``, ``verbforms`` and ``rules`` depend on
    these.
    """

    def __init__(self, layer: str, cells: Mapping[Cell, int], third: bool) -> None:
        self.layer = layer
        self._tallies: dict[str, dict[_Leaf, _Tally]] = {n: defaultdict(Counter) for n in AGREEMENT}
        kept = _NOMINAL_CASE if layer == "" else ()
        for cell, count in cells.items():
            leaf = _Leaf(cell.kind, cell.side, cell.of, cell.verbform)
            for feature in AGREEMENT:
                if feature == "Case" and cell.kind not in kept:
                    continue  # of a subject and its predicate it is always the nominative
                if values := cell.values(feature, layer, third):
                    self._tallies[feature][leaf][values] += count
        self._left: dict[str, dict[_Leaf, _Tally]] = {}
        for feature, tallies in self._tallies.items():
            self._left[feature] = {
                leaf: tally for leaf, tally in tallies.items() if not _surely_few(tally)
            }
        self._faults = {
            n: _fault_of(sum(left.values(), _Tally())) for n, left in self._left.items()
        }
        self.agreeing = [feature for feature, fault in self._faults.items() if not fault]

    @property
    def share(self) -> float:
        """The share of pairs, of all leaves, that agree in the agreeing features; 0 without any."""
        tallies = (t for feature in self.agreeing for t in self._tallies[feature].values())
        total = sum(tallies, _Tally())
        return _agreeing(total) / total.total() if total else 0.0

    @property
    def verbforms(self) -> set[str]:
        """The non-finite forms of verbs that agree, as values of VerbForm."""
        counts: Counter[str] = Counter()
        for feature in self.agreeing:
            for leaf, tally in self._left[feature].items():
                if leaf.kind == "verb" and leaf.verbform != "Fin":
                    counts[leaf.verbform] += tally.total()
        return {name for name, count in counts.items() if count >= LEAST}

    def rules(self) -> Iterator[tuple[str, list[Rule]]]:
        """Yield each kind of target with its rules."""
        kinds = {leaf.kind for feature in AGREEMENT for leaf in self._tallies[feature]}
        for kind in sorted(kinds):
            found = (self._rule(kind, feature) for feature in self.agreeing)
            yield kind, [rule for rule in found if rule]

    def _rule(self, kind: str, feature: str) -> Rule | None:
        """Return the rule of a kind of target for a feature, None if all its leaves are left out.

        If all leaves of one side, or of one kind of controller, are left out, the rule is limited
        to the other.
        """
        left = [leaf for leaf in self._left[feature] if leaf.kind == kind]
        every = [leaf for leaf in self._tallies[feature] if leaf.kind == kind]
        sides, all_sides = {leaf.side for leaf in left}, {leaf.side for leaf in every}
        kinds, all_kinds = {leaf.of for leaf in left}, {leaf.of for leaf in every}
        side = "" if sides == all_sides else min(sides, default="")
        of = "" if kinds == all_kinds else min(kinds, default="")
        return Rule(feature, self.layer, side, of) if left else None

    def rows(self, relation: str) -> Iterator[ProfileRow]:
        """Yield the lines of the profile's table."""
        for feature, tallies in self._tallies.items():
            groups: dict[tuple[str, str], list[_Leaf]] = defaultdict(list)
            for leaf in tallies:
                kind = leaf.kind if leaf.verbform in ("", "Fin") else f"{leaf.kind} {leaf.verbform}"
                groups[kind, leaf.side].append(leaf)
            for (kind, side), leaves in sorted(groups.items()):
                both, noun, pronoun = (
                    sum((tallies[leaf] for leaf in leaves if leaf.of in of), _Tally())
                    for of in (("NOUN", "PRON"), ("NOUN",), ("PRON",))
                )
                left = any(leaf in self._left[feature] for leaf in leaves)
                yield ProfileRow(
                    relation, layered(feature, self.layer), kind, side, both.total(), _agreeing(both),
                    _agreeing(noun) / noun.total() if noun else None,
                    _agreeing(pronoun) / pronoun.total() if pronoun else None,
                    self._faults[feature] if left else "too few agree",
                )  # fmt: skip
