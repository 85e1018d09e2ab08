"""A language's profile: what agrees with what, from the evidence of its treebanks.

``docs/mining.md`` says when words count as agreeing (*What agrees: profiles from evidence*). Every
value of the controller is looked at by itself: a plural subject may take a singular verb where a
singular one never takes a plural.

Of the layers that pass (``Number[abs]``) the one with the highest share of agreement comes first;
the others are then tried on the targets that do not have it.

Source for the features: https://universaldependencies.org/u/overview/feat-layers.html. Compare
Chaudhary et al. (2020), Automatic Extraction of Rules Governing Morphological Agreement.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from solecism.treebank.candidates import (
    SPECIAL,
    base,
    find_candidates,
    finite_words,
    has_child,
    with_value,
)
from solecism.treebank.conllu import Coded, Flags, Tokens
from solecism.treebank.filters import FILTERS, capitals_by, count_habits, marks_by
from solecism.treebank.forms import inflected_adpositions
from solecism.treebank.languages import ANY, Language, Rule, languages
from solecism.treebank.relations import AGREEMENT, KINDS, RELATIONS, bundle, is_finite, layered

SHARE, FEWER, LEVEL, KAPPA = 0.9, 0.8, 0.05, 0.5
"""Of the pairs of a group SHARE must agree, surely more than FEWER, and at most half (KAPPA) as
many must lack a value as elsewhere; LEVEL is that of the tests."""
LEAST = 10
"""The least number of pairs with a non-finite form for which this form counts as agreeing."""

_UNTOLD = ("oblique", "nonfinite", "avoir", "name")
"""Filters that cannot be used here, as they need to know what the profile is made to find."""
_PROBE = Language("", "", (), {"participle": ANY})
_DIRECT = frozenset({"Nom", "Abs"})
_BARE = frozenset({""})
_FOUND = ("verbforms", "cases", "owners", "third", "marks", "capitals")
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
    FEATS of the ends. Cells of targets without a controller have empty texts in place of the last.
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
        person. Without a controller its value is an empty text.
        """
        target = bundle(self.target).get(layered(feature, layer))
        if target and not self.of:
            return min(target), ""
        controller = bundle(self.controller).get(feature)
        if controller is None and feature == "Person" and third and self.of == "NOUN":
            controller = _THIRD
        if not target or not controller:
            return None
        common = target & controller
        return min(common or target), min(common or controller)

    def layers(self) -> Iterator[str]:
        """Yield the layers of the target's features; ``""`` is for features without a layer.

        The layer ``psor`` is only for possessors, which have no other one, and for adpositions.
        """
        own = self.relation == "possessor"
        for name in bundle(self.target):
            feature, _, layer = name.rstrip("]").partition("[")
            if feature in AGREEMENT and (self.kind == "adposition" or (layer == "psor") == own):
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
        target, controller = found.pairs.target, found.pairs.controller
        kinds = Coded(found.kind, tuple(KINDS)).texts()
        sides = np.where(found.first, "before", "after").tolist()
        columns = (tokens.upos[controller], tokens.feats[target], tokens.feats[controller])
        self.cells.update(map(Cell, kinds, sides, *(column.texts() for column in columns)))
        for kind, flags in _alone(tokens).items():
            self.cells.update(Cell(kind, "", "", text, "") for text in tokens.feats[flags].texts())


def _alone(tokens: Tokens) -> dict[str, Flags]:
    """Return flags of the finite verbs without a subject, and of the nouns whose possessor and the
    adpositions whose noun is not expressed; imperatives are left out."""
    carries = base(tokens, "aux", "cop") & (tokens.head >= 0)
    clause = np.where(carries, tokens.head, np.arange(len(tokens)))
    verb = tokens.upos.isin("VERB", "AUX") & finite_words(tokens)
    verb &= ~with_value(tokens, "Mood", "Imp")
    verb &= ~has_child(tokens, base(tokens, "nsubj", "csubj"))[clause]
    noun = tokens.upos.isin("NOUN") & ~has_child(tokens, base(tokens, "nmod", "det"))
    adposition = inflected_adpositions(tokens) & ~base(tokens, "case")
    return {"verb": verb, "possessor": noun, "adposition": adposition}


def binomial_above(agree: int, both: int, share: float = FEWER) -> float:
    """Return the probability that at least ``agree`` of ``both`` pairs agree.

    ``share`` is the probability that one pair does.

    >>> round(binomial_above(14, 14), 4), round(binomial_above(13, 13), 4)
    (0.044, 0.055)
    """
    more, less = math.log(share), math.log1p(-share)
    chances = (_ways(both, n) + n * more + (both - n) * less for n in range(agree, both + 1))
    return min(1.0, math.fsum(map(math.exp, chances)))


def fisher_above(agree: int, both: int, found: int, others: int) -> float:
    """Return the probability that at least ``agree`` of ``both`` targets have a value.

    ``found``: how many of the ``others`` have it; the probability is that of a one-sided exact test
    by Fisher: whether a target is one of ``both`` makes no difference.

    >>> round(fisher_above(3, 3, 0, 3), 3)
    0.05
    """
    having, all_ = agree + found, both + others
    chances = (
        _ways(having, n) + _ways(all_ - having, both - n) - _ways(all_, both)
        for n in range(agree, min(both, having) + 1)
    )
    return min(1.0, math.fsum(map(math.exp, chances)))


def _ways(number: int, chosen: int) -> float:
    """Return the logarithm of how many ways there are to choose some of a number of things."""
    return math.lgamma(number + 1) - math.lgamma(chosen + 1) - math.lgamma(number - chosen + 1)


class _Group(NamedTuple):
    """Pairs that are tested together; ``value`` is the controller's, ``""`` without any."""

    kind: str
    side: str
    of: str
    verbform: str
    value: str


_Tally = Counter[str]
"""How many targets of a group have which value."""
_Groups = Mapping[_Group, _Tally]


def _surely_few(agree: int, both: int) -> bool:
    """Return whether fewer than nine in ten pairs agree, and not by chance."""
    return binomial_above(both - agree, both, 1 - SHARE) <= LEVEL


def _totals(groups: Iterable[tuple[_Group, _Tally]]) -> tuple[int, int]:
    """Return how many pairs of the groups agree, and how many there are."""
    counts = [(tally[group.value], tally.total()) for group, tally in groups]
    return sum(agree for agree, _ in counts), sum(both for _, both in counts)


class _Findings:
    """What groups of pairs say of a feature.

    ``left``: the groups that are left; ``fault``: why these do not show agreement, or an empty
    text; ``faults``: the same for each value by itself.
    """

    def __init__(self, groups: _Groups) -> None:
        self.groups = {group: tally for group, tally in groups.items() if group.of}
        self._alone = sum((groups[group] for group in groups if not group.of), _Tally())
        self.left = {
            group: tally for group, tally in self.groups.items()
            if not _surely_few(tally[group.value], tally.total())
        }  # fmt: skip
        torn = {group.value for group in self.groups if group not in self.left}
        self.faults = {value: self._fault({value}) for value in {g.value for g in self.groups}}
        sure = {value for value, fault in self.faults.items() if not fault}
        kept = sure | {v for v, fault in self.faults.items() if fault not in _BY_ITSELF} - torn
        self.fault = self._fault(kept)
        if self.fault and sure:
            self.fault, kept = "", sure
        self.left = {group: tally for group, tally in self.left.items() if group.value in kept}

    def _pairs(self, values: Set[str]) -> tuple[int, int]:
        """Return how many pairs left agree whose controller has one of the values, and how many
        there are."""
        return _totals((g, tally) for g, tally in self.left.items() if g.value in values)

    def _fault(self, values: Set[str]) -> str:
        """Return why pairs whose controllers have one of the values do not show agreement."""
        agree, both = self._pairs(values)
        if both == 0 or agree / both < SHARE:
            return "too few agree" if self.groups else "not expressed"
        if binomial_above(agree, both) > LEVEL:
            return "too small"
        by_value = {self._chance(group.value) for group in self.left if group.value in values}
        return "" if "" in by_value else max(by_value)

    def _chance(self, value: str) -> str:
        """Return why targets may have a value by chance, or an empty text."""
        agree, both = self._pairs({value})
        others = sum((t for g, t in self.groups.items() if g.value != value), _Tally())
        for compared in (others, self._alone):
            found, number = compared[value], compared.total()
            lacking = (number - found) * (1 - KAPPA) / max(number, 1)
            more = lacking > 0 and 1 - agree / both <= lacking
            if more and fisher_above(agree, both, found, number) <= LEVEL:
                return ""
        return "does not vary" if {value} >= {*others, *self._alone} else "by chance"


_BY_ITSELF = ("by chance", "does not vary")
"""Faults of a value that has enough pairs, of which enough agree."""


@dataclass(frozen=True)
class ProfileRow:
    """One line of a profile: how often the ends agree in a feature.

    ``value``, ``side`` and ``of``: what the controller is; ``both``: the number of pairs in which
    both ends express the feature; ``agree``: the number of those that agree in it; ``reason``: why
    this does not count as agreement, or an empty text.
    """

    relation: str
    feature: str
    value: str
    kind: str
    side: str
    of: str
    both: int
    agree: int
    reason: str


@dataclass(frozen=True)
class Profile:
    """What the evidence says of a language: its rules (``language``), and a table of counts.

    ``flaws``: how many of the ``sentences`` have a comment ``# text`` with other words
    (``misfits``), how many hyphens have blanks around them (``spaced``), how many words are written
    twice (``doubled``); ``bare``: treebanks most of whose nouns have no features.
    """

    language: Language
    rows: tuple[ProfileRow, ...]
    sentences: int
    flaws: Mapping[str, int]
    bare: Sequence[str] = ()

    @property
    def reason(self) -> str:
        """Why nothing is found to agree, or an empty text."""
        if any(self.language.agrees.values()):
            return ""
        if not self.rows:
            return "no features of agreement are annotated"
        most = max(self.rows, key=lambda row: row.both)  # the line with the most pairs
        few = binomial_above(most.both, most.both) > LEVEL  # even if all of them agreed
        return _REASONS.get("too small" if few else most.reason, "no agreement found")

    def stanza(self) -> str:
        """Return the rules as a stanza of ``languages.toml``, for people to edit."""
        language = self.language
        values = {"name": language.name, "paper": [], **language.rule_texts()}
        found = {name: getattr(language, name) for name in _FOUND}
        values |= {n: value for n, value in found.items() if value != getattr(Language, n)}
        lines = (f"{n} = {json.dumps(v, ensure_ascii=False)}\n" for n, v in values.items())
        return f"[{language.code}]\n{''.join(lines)}"


def language_of(code: str, profile: Profile) -> Language:
    """Return what is known of a language: its stanza if that says what agrees, else its profile.

    If the stanza does not say what agrees, its lists of words are added to the profile.
    """
    found = profile.language
    stanza = languages().get(code, found)
    if stanza.agrees:
        return stanza
    return replace(stanza, agrees=found.agrees, **{name: getattr(found, name) for name in _FOUND})


def profile_of(evidence: Evidence, code: str) -> Profile:
    """Return the profile of a language from the evidence."""
    found, habits = _Profiler(evidence), evidence.habits
    for relation in RELATIONS:
        found.add(relation)
    language = Language(
        code, code, (), found.agrees, third=found.third, cases=found.cases(), owners=found.owners,
        verbforms=("Fin", *sorted(found.verbforms)),
        marks=marks_by(habits), capitals=capitals_by(habits),
    )  # fmt: skip
    flaws = {name: habits[name] for name in ("misfits", "spaced", "doubled")}
    return Profile(language, tuple(found.rows), habits["sentences"], flaws)


@dataclass
class _Profiler:
    """What the evidence says, one relation after the other."""

    evidence: Evidence
    rows: list[ProfileRow] = field(default_factory=list)
    agrees: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    verbforms: set[str] = field(default_factory=set)

    @cached_property
    def third(self) -> bool:
        """Whether verbs are third person with nouns that are not annotated for person.

        This is found as agreement is; the third person need not vary, nor differ from chance.
        """
        tally = Counter[bool]()
        for cell, count in self.evidence.cells.items():
            if cell.relation != "verb" or cell.of != "NOUN" or "Person" in bundle(cell.controller):
                continue
            found = (cell.values("Person", layer, True) for layer in ("", "subj", "erg", "abs"))
            if values := next(filter(None, found), None):
                tally[values[0] == values[1]] += count
        agree, both = tally[True], tally.total()
        return agree >= SHARE * both > 0 and binomial_above(agree, both) <= LEVEL

    def add(self, relation: str) -> None:
        """Add the rules and the rows of a relation."""
        own = {c: n for c, n in self.evidence.cells.items() if c.relation == relation}
        cells = {c: n for c, n in own.items() if not c.of or self._direct(c)}
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

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """The case of possessors, if it is the genitive: Turkish *bağ evi* is a compound."""
        number = sum(
            count for cell, count in self.evidence.cells.items()
            if cell.relation == "possessor" and "Gen" in bundle(cell.controller).get("Case", _BARE)
        )  # fmt: skip
        return ("Gen",) if number >= LEAST else ()

    def _direct(self, cell: Cell) -> bool:
        """Return whether pairs count for rules. Subjects in an oblique case do not, unless the
        target has features of a layer, which tells the case; nor possessors that are not in their
        case."""
        case = bundle(cell.controller).get("Case", _BARE)
        if cell.relation == "possessor":
            return not self.owners or bool(case & {*self.owners})
        return cell.relation != "verb" or any(cell.layers()) or bool(case & {"", *_DIRECT})

    def cases(self) -> tuple[str, ...]:
        """Return the cases of subjects with which verbs agree in features without a layer."""
        rules = [*self.agrees.get("verb", ()), *self.agrees.get("auxiliary", ())]
        features = {rule.feature for rule in rules if not rule.layer}
        groups: dict[str, dict[_Group, _Tally]] = defaultdict(lambda: defaultdict(Counter))
        for cell, count in self.evidence.cells.items():
            case = bundle(cell.controller).get("Case", _BARE)
            if cell.relation == "verb" and not case & {"", *_DIRECT}:
                for feature in features:
                    if values := cell.values(feature, "", self.third):
                        group = _Group("", "", cell.of, "", f"{feature} {values[1]}")
                        groups[min(case)][group][f"{feature} {values[0]}"] += count
        faults = {case: _Findings(found).fault for case, found in groups.items()}
        more = [case for case, fault in faults.items() if fault in ("", "does not vary")]
        return ("Nom", "Abs", *sorted(more))


class _Layer:
    """What the cells of a relation say of the features of a layer.

    ``agreeing``: the features in which they agree; ``share``, ``verbforms`` and ``rules`` depend on
    these.
    """

    def __init__(self, layer: str, cells: Mapping[Cell, int], third: bool) -> None:
        self.layer = layer
        groups: dict[str, dict[_Group, _Tally]] = {n: defaultdict(Counter) for n in AGREEMENT}
        kept = _NOMINAL_CASE if layer == "" else ()
        for cell, count in cells.items():
            for feature in AGREEMENT:
                if feature == "Case" and cell.kind not in kept:
                    continue  # of a subject and its predicate it is always the nominative
                if values := cell.values(feature, layer, third):
                    group = _Group(cell.kind, cell.side, cell.of, cell.verbform, values[1])
                    groups[feature][group][values[0]] += count
        self._found = {feature: _Findings(of_feature) for feature, of_feature in groups.items()}
        self.agreeing = [feature for feature, found in self._found.items() if not found.fault]

    @property
    def share(self) -> float:
        """The share of pairs, of all groups, that agree in the agreeing features; 0 without any."""
        groups = [pair for name in self.agreeing for pair in self._found[name].groups.items()]
        agree, both = _totals(groups)
        return agree / both if both else 0.0

    @property
    def verbforms(self) -> set[str]:
        """The non-finite forms of verbs that agree, as values of VerbForm."""
        counts: Counter[str] = Counter()
        for feature in self.agreeing:
            for group, tally in self._found[feature].left.items():
                if group.kind == "verb" and group.verbform != "Fin":
                    counts[group.verbform] += tally.total()
        return {name for name, count in counts.items() if count >= LEAST}

    def rules(self) -> Iterator[tuple[str, list[Rule]]]:
        """Yield each kind of target with its rules."""
        kinds = {group.kind for found in self._found.values() for group in found.groups}
        for kind in sorted(kinds):
            yield kind, [rule for feature in self.agreeing for rule in self._rules(kind, feature)]

    def _rules(self, kind: str, feature: str) -> Iterator[Rule]:
        """Yield the rules of a kind of target for a feature: of the rules without a limit, or with
        a value, a side or a kind of controller, the widest that let in only groups that are left.
        """
        found = self._found[feature]
        agreeing = {group.value for group in found.left}
        values = agreeing | (set(found.faults) - {*SPECIAL})
        out = [g for g in found.groups if g not in found.left and g.verbform in ("", "Fin")]
        every, left, without = (
            {(g.value, g.side, g.of) for g in groups if g.kind == kind and g.value in values}
            for groups in (found.groups, found.left, out)
        )
        left -= without
        covered = set[tuple[str, ...]]()
        tried = sorted({value for value, *_ in left})
        if agreeing == values:
            tried = ["", *tried]
        for limits in product(tried, ("", "before", "after"), ("", "NOUN", "PRON")):
            value, side, of = limits
            met = {own for own in every if {*own} >= {*limits} - {""}}
            if met and met <= left and not met <= covered:
                covered |= met
                yield Rule(feature, self.layer, side, of, value)

    def rows(self, relation: str) -> Iterator[ProfileRow]:
        """Yield the lines of the profile's table."""
        for feature, found in self._found.items():
            for group, tally in sorted(found.groups.items()):
                kind, side, of, form, value = group
                kind = kind if form in ("", "Fin") else f"{kind} {form}"
                agree, both = tally[value], tally.total()
                reason = found.fault if group in found.left else found.faults[value]
                yield ProfileRow(
                    relation, layered(feature, self.layer), value, kind, side, of, both, agree,
                    "too few agree" if _surely_few(agree, both) else reason,
                )  # fmt: skip
