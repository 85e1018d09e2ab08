"""From the preterminals of an attribute-varying grammar to lexicon tables (see ``avg_import``)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, count, permutations

from solecism.avg.grammar import Grammar, Rule, Symbol
from solecism.lexicon.features import Feats, subset
from solecism.lexicon.table import UPOS, Row, Table

__all__ = ["RESERVED", "WordTable", "identifier", "nfc", "ud_features", "word_tables"]

_FEATURES = {
    "1": ("Person", "1"), "2": ("Person", "2"), "3": ("Person", "3"),
    "s": ("Number", "Sing"), "p": ("Number", "Plur"),
    "m": ("Gender", "Masc"), "f": ("Gender", "Fem"), "n": ("Gender", "Neut"),
    "anim": ("Animacy", "Anim"), "inanim": ("Animacy", "Inan"),
}  # fmt: skip
_GUESSES = {
    "n": "NOUN", "np": "NOUN", "noun": "NOUN", "v": "VERB", "vp": "VERB", "verb": "VERB",
    "det": "DET", "p": "ADP", "pp": "ADP", "prep": "ADP", "pron": "PRON",
}  # fmt: skip
RESERVED = "and classes else false if in is none not or orthography true word"

Family = tuple[Rule, ...]
"""Definitions whose terminals are, position by position, forms of the same words."""


@dataclass(frozen=True)
class WordTable:
    """A preterminal as a lexicon table: the features of each definition's forms, and the properties
    of its words."""

    name: str
    upos: str
    families: tuple[Family, ...]
    cells: Mapping[Rule, Feats]
    properties: Mapping[Rule, Mapping[str, str]]

    def kin(self, rule: Rule) -> list[Feats]:
        """The features of all forms that a definition's words have."""
        return [self.cells[r] for family in self.families if rule in family for r in family]

    def table(self) -> Table:
        """The lexicon table."""
        cells = tuple(cell for cell in dict.fromkeys(self.cells.values()) if cell)
        names = dict.fromkeys(name for known in self.properties.values() for name in known)
        columns = (*(["UPOS"] if self.name not in UPOS else []), *names)
        seen: dict[str, int] = {}
        rows = tuple(
            self._row(family, i, columns, seen)
            for family in self.families
            for i in range(len(family[0].terminals))
        )
        return Table("", self.name, cells, columns, rows)

    def _row(self, family: Family, i: int, columns: tuple[str, ...], seen: dict[str, int]) -> Row:
        first = next((rule for rule in family if "s" in rule.left.attributes), family[0])
        lemma = nfc(first.terminals[i])
        seen[lemma] = seen.get(lemma, 0) + 1
        known = {"UPOS": self.upos, **self.properties[first]}
        return Row(
            lemma if seen[lemma] == 1 else f"{lemma}#{seen[lemma]}",
            {self.cells[rule]: nfc(rule.terminals[i]) for rule in family},
            {name: known.get(name, "") for name in columns},
            self.upos,
        )


def word_tables(grammar: Grammar) -> dict[str, WordTable]:
    tables: dict[str, WordTable] = {}
    for name in (s.name for template in grammar.templates for s in template.symbols):
        if name not in tables:
            taken = [*RESERVED.split(), *(words.name for words in tables.values())]
            tables[name] = _words(grammar, name, identifier(name, taken))
    return tables


def identifier(name: str, taken: Iterable[str]) -> str:
    base = re.sub(r"^(?![a-z])", "x_", re.sub(r"\W", "_", nfc(name).lower()))
    numbered = (f"{base}_{number}" for number in count(2))
    return next(found for found in chain([base], numbered) if found not in taken)


def _words(grammar: Grammar, name: str, table: str) -> WordTable:
    families = _families(grammar, [d for d in grammar.definitions if d.left.name == name])
    known = {rule: ud_features(rule.left) for family in families for rule in family}
    pairs = [pair for family in families for pair in permutations(family, 2)]
    unlike = {n for a, b in pairs for n in known[a] if known[a][n] != known[b].get(n)}
    forms = {"Number", "Person", *unlike}
    cells = {r: Feats.of({n: v for n, v in f.items() if n in forms}) for r, f in known.items()}
    words = {r: {n: ",".join(v) for n, v in f.items() if n not in forms} for r, f in known.items()}
    if any(subset(cells[a], cells[b]) for a, b in pairs) or len(set(map(bool, cells.values()))) > 1:
        marks = {r: Feats.of({"Form": str(i)}) for f in families for i, r in enumerate(f, 1)}
        cells = {rule: cell.updated(marks[rule]) for rule, cell in cells.items()}
    alike = any(words[f[0]].items() <= words[g[0]].items() for f, g in permutations(families, 2))
    if alike or any(set(rule.left.attributes) - set(_FEATURES) for rule in known):
        words = {r: {**words[r], "Variant": _variant(f, families)} for f in families for r in f}
    upos = UPOS.get(table) or _GUESSES.get(re.split("[^a-z]", name.lower())[0], "X")
    return WordTable(table, upos, families, cells, words)


def _families(grammar: Grammar, rules: list[Rule]) -> tuple[Family, ...]:
    """Join definitions that vary with each other, or differ in person and number alone."""
    symbols = {s for template in grammar.templates for s in template.symbols}
    varied = {(id(a), id(b)) for s in symbols for a in grammar.fitting(s) for b in grammar.wrong(s)}
    lexemes = {id(rule): _lexeme(rule) for rule in rules}
    family = {rule: {rule} for rule in rules}
    for a, b in permutations(rules, 2):
        if family[a] is family[b]:
            continue
        if (id(a), id(b)) in varied or lexemes[id(a)] == lexemes[id(b)]:
            family[a] |= family[b]
            family.update((rule, family[a]) for rule in family[b])
    return tuple(dict.fromkeys(tuple(r for r in rules if r in family[rule]) for rule in rules))


def _lexeme(rule: Rule) -> tuple[frozenset[str], int]:
    return frozenset(rule.left.attributes) - set("123sp"), len(rule.terminals)


def _variant(family: Family, families: tuple[Family, ...]) -> str:
    strange = [[a for a in f[0].left.attributes if a not in _FEATURES] for f in families]
    clear = all(strange.count(attributes) == 1 for attributes in strange)
    attributes = strange[families.index(family)] if clear else family[0].left.attributes
    return "_".join(map(nfc, attributes)) or "plain"


def ud_features(symbol: Symbol) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in (_FEATURES[a] for a in symbol.attributes if a in _FEATURES):
        found.setdefault(name, []).append(value)
    return found


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
