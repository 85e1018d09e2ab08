"""What is known of a language: what agrees, which forms leave a value open, how pairs are made.

Each of these is in a TOML file beside this module, which describes its keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import regex

from solecism.errors import candidates, fail, unknown_error
from solecism.inputs import Json, read_toml, with_tuples
from solecism.treebank.forms import WordForm
from solecism.treebank.relations import AGREEMENT, KINDS, Bundle, bundle, layered, other_layers

_RULE = re.compile(
    r"(\w+)(?:\[(?P<layer>\w+)\])?(?:=(?P<value>\w+))?(?: (?P<side>before|after))?(?: (?P<of>NOUN|PRON))?"
)


@dataclass(frozen=True)
class Rule:
    """A feature in which a target agrees with its controller.

    ``layer``: the layer of the target's feature, ``""`` without one; ``side``: where the controller
    must stand, ``before`` or ``after`` the target; ``of``: what the controller must be, ``NOUN`` or
    ``PRON``; ``value``: what its value must be. Empty texts ask nothing.

    A rule with a value says nothing of controllers that are masked: where a plural subject may take
    a singular verb, such a verb does not tell the subject's number.
    """

    feature: str
    layer: str = ""
    side: str = ""
    of: str = ""
    value: str = ""

    @classmethod
    def read(cls, text: str) -> Rule:
        """Read ``Number``, ``Number[abs]`` or ``Number=Sing before NOUN``.

        Raises :class:`InputError` for other texts.

        >>> Rule.read("Number[abs] before")
        Rule(feature='Number', layer='abs', side='before', of='', value='')
        """
        match = _RULE.fullmatch(text)
        if not match or match[1] not in AGREEMENT:
            raise unknown_error("no rule of agreement:", text, "features", AGREEMENT)
        return cls(match[1], **match.groupdict(""))

    def __str__(self) -> str:
        value = f"={self.value}" if self.value else ""
        feature = layered(self.feature, self.layer) + value
        return " ".join(filter(None, (feature, self.side, self.of)))


@dataclass(frozen=True)
class Language:
    """Agreement in one language: a stanza of ``languages.toml``, which describes the keys.

    ``paper``: the relations that the presets of the paper mine; ``agrees``: for each relation, or
    kind of target, the features in which target and controller agree; ``cases``: the cases of
    subjects that a verb agrees with; ``owners``: those of possessors, if not any; ``third``:
    whether nouns count as third person; ``ergative``: a value (``Aspect=Perf``) of verbs that agree
    with their object, if they have one; ``marks``: whether sentences end with a mark; ``capitals``:
    which words begin with a capital: ``none``, the first of a sentence (``start``), or ``nouns``
    too; ``lax``: whether adjectives often differ from their nouns by a rule of the grammar.
    """

    code: str
    name: str
    paper: tuple[str, ...]
    agrees: Mapping[str, tuple[Rule, ...]]
    grammar: str = ""
    verbforms: tuple[str, ...] = ("Fin",)
    be: tuple[str, ...] = ()
    polite: tuple[str, ...] = ()
    quantity: tuple[str, ...] = ()
    collective: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    honorifics: tuple[str, ...] = ()
    existential: tuple[str, ...] = ()
    dummy: tuple[str, ...] = ()
    cases: tuple[str, ...] = ("Nom", "Abs")
    owners: tuple[str, ...] = ()
    third: bool = False
    marks: bool = True
    capitals: str = "start"
    lax: bool = False
    ergative: str = ""

    @cached_property
    def layers(self) -> tuple[str, ...]:
        """The layers of all rules; ``""``, no layer, is always there and comes first."""
        found = (rule.layer for rules in self.agrees.values() for rule in rules)
        return tuple(dict.fromkeys(("", *found)))

    def rule_texts(self) -> dict[str, list[str]]:
        """Return ``agrees`` with the rules as texts."""
        return {kind: [*map(str, rules)] for kind, rules in self.agrees.items()}

    def rules(self, kind: str, relation: str) -> Mapping[str, tuple[Rule, ...]]:
        """Return the rules of a kind of target by layer, in their order.

        A kind without rules of its own has the rules of its relation, except participles.
        """
        relation = "" if kind == "participle" else relation
        found: dict[str, tuple[Rule, ...]] = {}
        for rule in self.agrees.get(kind, self.agrees.get(relation, ())):
            found[rule.layer] = (*found.get(rule.layer, ()), rule)
        return found


ANY = tuple(map(Rule, AGREEMENT))
"""A rule for each feature of agreement, without conditions: for relations without known rules."""


@cache
def _table(name: str) -> Mapping[str, Json]:
    """Return the stanzas of a file beside this one, ``NAME.toml``, which describes its keys."""
    return read_toml(Path(__file__).with_name(f"{name}.toml"))


@cache
def languages() -> Mapping[str, Language]:
    """Return all languages of ``languages.toml`` by their code."""
    return {code: _language(code, dict(stanza)) for code, stanza in _table("languages").items()}


def _language(code: str, stanza: dict[str, Json]) -> Language:
    named = [name for name in KINDS if name in stanza]
    agrees = {name: tuple(map(Rule.read, stanza.pop(name))) for name in named}
    known = {name: value for name, value in stanza.items() if isinstance(value, list | str | bool)}
    return Language(code, agrees=agrees, **with_tuples(known))


def doubtful_sources() -> Mapping[str, str]:
    """Return the languages and treebanks that are built only if they are named, with the reason.

    People who read samples found too many wrong or doubtful items or pairs there (docs/mining.md).
    """
    return _table("doubtful")


def read_stanza(path: Path, code: str) -> Language:
    """Read a stanza that ``solecism mine --profile`` wrote; raises :class:`InputError`."""
    stanza = read_toml(path, {str: dict}).get(code)
    if stanza is None:
        raise fail(f"there is no stanza [{code}]", path)
    try:
        return _language(code, stanza)
    except (TypeError, AttributeError) as error:
        raise fail(f"no stanza of languages.toml: {error}", path) from None


def find_language(code: str) -> Language:
    """Return a language of ``languages.toml`` by its code, as UD's files begin with it.

    Raises :class:`InputError` with similar codes for one that is not there.
    """
    if code in languages():
        return languages()[code]
    names = sorted(languages(), key=lambda name: (name[0] != code[:1], name))
    near = candidates("languages", names, code)
    message = f"what agrees in {code!r} is not known: languages.toml has no stanza of it {near}"
    raise fail(f"{message}; write one and name it with --stanza (see docs/mining.md)")


@dataclass(frozen=True)
class NeutralRule:
    """A rule of ``neutral.toml``: words that meet its conditions leave ``feature`` open."""

    feature: str
    upos: str
    feats: str = ""
    form: str = ""
    lemma: str = ""
    bare: bool = False

    def meets(self, word: WordForm) -> bool:
        """Return whether a word meets all conditions."""
        ours, wanted = bundle(word.feats), bundle(self.feats)
        form, lemma = word.form.casefold(), word.lemma.casefold()
        if word.upos not in self.upos.split() or (self.bare and form != lemma):
            return False
        if any(not values & ours.get(name, frozenset()) for name, values in wanted.items()):
            return False
        return bool(re.search(self.form, form) and re.search(self.lemma, lemma))


@cache
def rules_of_forms(code: str) -> tuple[NeutralRule, ...]:
    """Return the rules of ``neutral.toml`` for a language; there may be none."""
    stanzas = [rules for codes, rules in _table("neutral").items() if code in codes.split()]
    return tuple(NeutralRule(**rule) for rules in stanzas for rule in rules)


def left_open(code: str, word: WordForm) -> frozenset[str]:
    """Return the features of agreement that a form leaves open by the rules of a language.

    A form leaves a feature open if the word has the same form for another value of it, all other
    features being equal (Baerman, Brown and Corbett 2005, *The Syntax-Morphology Interface*).
    """
    return frozenset(rule.feature for rule in rules_of_forms(code) if rule.meets(word))


_VOWELS = frozenset("aeiouyhœæàâäáãåèéêëìíîïòóôöõùúûü")
_LETTERS = r"[\p{L}\p{M}\u200c\u200d]+"
_WORDS = regex.compile(rf"{_LETTERS}(?:[-\u05be\"״'’]{_LETTERS})*['’]?")
_PLAIN = regex.compile(rf"{_LETTERS}(?:[-\u05be\u2010]{_LETTERS})*")


@dataclass(frozen=True)
class PairRules:
    """What making pairs must know of a language: a stanza of ``pairs.toml``, and ``honours``.

    ``honours``: whether a verb may be plural out of respect; the other keys are described there.
    """

    code: str
    drops: bool = False
    free: bool = False
    careful: bool = False
    honours: bool = False
    invariable: str = ""
    sure: Mapping[str, str] = field(default_factory=dict)
    double: tuple[str, ...] = ()
    shaky: tuple[str, ...] = ()
    irrealis: tuple[str, ...] = ()
    subjunctive: str = ""
    elides: tuple[str, ...] = ()
    contracts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    plain: str = ""
    shunned: tuple[str, ...] = ()
    prefixes: str = ""
    attributive: tuple[str, ...] = ()
    doubted: tuple[str, ...] = ()
    verb_first: bool = False
    bare: bool = False
    spelling: Mapping[str, str] = field(default_factory=dict)
    nominative: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    verbal_nouns: bool = False
    converbs: str = ""
    comitative: str = ""
    sound: str = ""
    unwritten: tuple[str, ...] = ()
    chain: bool = False
    genitive: tuple[str, ...] = ()
    kept: str = ""
    readings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    undoubted: tuple[str, ...] = ()
    after_vowel: tuple[str, ...] = ()

    def replaces(
        self, answer: str, ours: Bundle, form: str, theirs: Bundle, layer: str | None
    ) -> bool:
        """Return whether a form has all that another one has beside features of a layer, or of
        none: other layers, and preverb, subordinator, negation or article.

        Of Basque *dituzte*, *digute* has a dative; of *dela*, *nintzelarik* another subordinator.
        Welsh *gwelir hi* is impersonal.
        """
        if {"0", "4"} & theirs.get("Person", frozenset()):
            return False
        kept = [re.findall(self.kept, word.casefold()) for word in (answer, form) if self.kept]
        return kept[:1] == kept[1:] and other_layers(ours, layer) == other_layers(theirs, layer)

    def is_plain(self, form: str) -> bool:
        """Return whether a form is one plain word: no number, no abbreviation, not elided."""
        return bool(_PLAIN.fullmatch(self.spelt(form)))

    def is_broken(self, form: str) -> bool:
        """Return whether a plural has none of the endings of ``sound``."""
        return bool(self.sound) and not re.search(self.sound, form)

    def spelt(self, form: str) -> str:
        """Return a form in small letters, without variants of spelling."""
        form = form.casefold()
        for variant, usual in self.spelling.items():
            form = form.replace(variant, usual)
        return form

    @cached_property
    def unsure_nouns(self) -> frozenset[str]:
        """Controllers whose number a verb need not follow: lemmas and forms, in lower case."""
        table = languages().get(self.code)
        more = (*table.quantity, *table.collective) if table else ()
        return frozenset(word.casefold() for word in (*self.shaky, *more))

    def varies(self, form: str) -> bool:
        """Return whether a noun, by its ending, surely has another form in the other number."""
        return bool(self.invariable) and not re.search(self.invariable, form.casefold())

    def is_sure(self, gender: str, form: str, lemma: str) -> bool:
        """Return whether a noun surely has a gender by its ending."""
        ending = self.sure.get(gender)
        if not ending or {form.casefold(), lemma.casefold()} & self.doubles:
            return False
        return bool(re.search(f"(?:{ending})$", form.casefold()))

    @cached_property
    def doubles(self) -> frozenset[str]:
        """The lemmas, in lower case, of nouns that can have both genders."""
        return frozenset(word.casefold() for word in self.double)

    def fits(self, left: str, good: str, bad: str, right: str, determiner: bool) -> bool:
        """Return whether a wrong form can replace the right one without a change of its neighbours.

        ``left`` and ``right`` are the texts beside it. A neighbour would change if it is elided
        (*l'ami*) or contracted (*de le* to *du*) before one of the forms only.
        """
        before = words_of(left)[-1:]
        last = before[0].casefold() if before and left.rstrip().endswith(before[0]) else ""
        was_vowel, is_vowel = (word[:1].casefold() in _VOWELS for word in (good, bad))
        if last.endswith(("'", "’")) and was_vowel != is_vowel:
            return False
        if last in self.elides and is_vowel:
            return False
        if bad.casefold() in self.contracts.get(last, ()) or bad.casefold() in self.shunned:
            return False
        behind = right.casefold().startswith(self.after_vowel)
        if behind and (good[-1:].casefold() in _VOWELS) != (bad[-1:].casefold() in _VOWELS):
            return False
        # A determiner has its plain form only before some beginnings of words: *il*, not *lo*.
        plain = re.match(self.plain, right.lstrip().casefold())
        return not determiner or plain is not None


def words_of(text: str) -> list[str]:
    """Return the words of a text; marks and numbers are left out."""
    found: list[str] = _WORDS.findall(text)
    return found


_CAREFUL = {"drops": True, "free": True, "careful": True}


@cache
def rules_of(code: str) -> PairRules:
    """Return what making pairs must know of a language.

    Of a language without a stanza in ``pairs.toml``, it is assumed that subjects may be dropped and
    objects may stand first, and any doubt speaks against a form.
    """
    table = _table("pairs")
    stanza = table.get(code, _CAREFUL)
    stanza = {**(_CAREFUL if stanza.get("careful") else {}), **stanza}
    return PairRules(code, **with_tuples(stanza), honours=code in table["honours"])
