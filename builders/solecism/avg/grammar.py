"""Attribute-varying grammars (``.avg``), the format of the CLAMS paper, and their sentences.

Source: Mueller et al. (2020), section 3; ``docs/avg.md`` says in what the original program differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path

from solecism.errors import InputError, Problem, candidates, fail
from solecism.files import filling_folder
from solecism.inputs import read_text

LINES = 10_000_000
"""How many sentences a template may make."""

_SYMBOL = re.compile(r"([^\s\[\]|]+)\s*\[([^\[\]]*)\]")
_PART = re.compile(rf"{_SYMBOL.pattern}|([^\s\[\]|]+)|(\S)")
_FORMS = "'vary: Name[...]; Name[...]', 'S[] ...', 'Name[...] terminal | terminal'"
_KINDS = {"vary": "vary statement", "S": "template"}


@dataclass(frozen=True)
class Symbol:
    """A preterminal and its attributes, ``V[3,s]``; the order of attributes does not count."""

    name: str
    attributes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}[{','.join(self.attributes)}]"

    @property
    def key(self) -> tuple[str, frozenset[str]]:
        """The name and the attributes in no order: two symbols with one key are the same."""
        return self.name, frozenset(self.attributes)

    def fits(self, other: Symbol) -> bool:
        """Return whether ``other`` has this name and all of these attributes (a logical AND)."""
        return self.name == other.name and set(self.attributes) <= set(other.attributes)


@dataclass(frozen=True)
class GrammarRule:
    """A line: the vary statement, a template or the definition of a preterminal.

    ``left``: ``vary``, ``S`` or the preterminal; ``right``: preterminals, and texts: the words of a
    template, or the terminals of a definition.
    """

    left: Symbol
    right: tuple[Symbol | str, ...]
    path: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The preterminals of the right-hand side."""
        return tuple(part for part in self.right if isinstance(part, Symbol))

    @property
    def terminals(self) -> tuple[str, ...]:
        """The texts of the right-hand side."""
        return tuple(part for part in self.right if isinstance(part, str))


@dataclass(frozen=True)
class Grammar:
    """An attribute-varying grammar; of ``definitions``, those of the shared file come first."""

    name: str
    vary: tuple[Symbol, ...]
    templates: tuple[GrammarRule, ...]
    definitions: tuple[GrammarRule, ...]

    def fitting(self, symbol: Symbol) -> tuple[GrammarRule, ...]:
        """Return the definitions of a symbol: the one with just its attributes or, without such a
        one, all that have its attributes and more."""
        exact = tuple(d for d in self.definitions if d.left.key == symbol.key)
        return exact or tuple(d for d in self.definitions if symbol.fits(d.left))

    def wrong(self, symbol: Symbol) -> tuple[GrammarRule, ...]:
        """Return the definitions whose terminals are ungrammatical in the place of a symbol.

        These have the symbol's name but are not among :meth:`fitting`, and they have all attributes
        of at least one preterminal of the vary statement.
        """
        right = self.fitting(symbol)
        varied = [s for s in self.vary if s.name == symbol.name]
        wrong = (d for d in self.definitions if any(s.fits(d.left) for s in varied))
        return tuple(d for d in wrong if d not in right)


def generate(grammar: Grammar) -> Iterator[tuple[bool, str]]:
    """Yield each sentence after its label, True for good ones.

    Each good sentence is followed by its bad ones, in which one varied place is wrong. Templates
    are in the order of the file. Of their places, varied ones change fastest, then the others, from
    left to right.
    """
    for template in grammar.templates:
        yield from _sentences(grammar, template)


def _sentences(grammar: Grammar, template: GrammarRule) -> Iterator[tuple[bool, str]]:
    """Yield a template's sentences with labels."""
    slots = [_choices(grammar, part) for part in template.right]
    names = {symbol.name for symbol in grammar.vary}
    varied = [i for i, p in enumerate(template.right) if isinstance(p, Symbol) and p.name in names]
    order = sorted(range(len(slots)), key=lambda i: (i in varied, -i))
    back = [order.index(i) for i in range(len(slots))]
    for chosen in product(*(slots[i] for i in order)):
        words = [chosen[k][0] for k in back]
        yield True, " ".join(words)
        for i in varied:
            for form in chosen[back[i]][1]:
                yield False, " ".join([*words[:i], form, *words[i + 1 :]])


def _choices(grammar: Grammar, part: Symbol | str) -> list[tuple[str, list[str]]]:
    """Return each terminal of a part, with the wrong forms that may be in its place.

    Wrong forms that are spelt like a right one are left out.
    """
    if isinstance(part, str):
        return [(part, [])]
    wrong = [definition.terminals for definition in grammar.wrong(part)]
    goods = [pair for d in grammar.fitting(part) for pair in enumerate(d.terminals)]
    right = {good for _, good in goods}
    forms = [(good, dict.fromkeys(terminals[i] for terminals in wrong)) for i, good in goods]
    return [(good, [form for form in bad if form not in right]) for good, bad in forms]


def read_grammar(path: Path, common: Path | None = None) -> Grammar:
    """Return the grammar of a file, with the definitions of the file ``common`` if it is given.

    A definition of ``path`` replaces that of ``common`` with the same name and attributes. Raises
    :class:`InputError` with every problem of both files.
    """
    return _read_all([path], common)[0]


def _read_all(paths: Sequence[Path], common: Path | None) -> list[Grammar]:
    shared, shared_problems = _read(common) if common else ([], [])
    files = [(path, *_read(path)) for path in paths]
    grammars = []
    for path, own, _ in files:
        vary = tuple(symbol for rule in own if rule.left.name == "vary" for symbol in rule.symbols)
        templates = tuple(rule for rule in own if rule.left.name == "S")
        known = {r.left.key: r for r in shared + own if r.left.name not in ("vary", "S")}
        grammars.append(Grammar(path.stem, vary, templates, tuple(known.values())))
    problems = [*shared_problems, *(_shape(common, shared, True) if common else ())]
    for (path, own, found), grammar in zip(files, grammars, strict=True):
        problems += [*found, *_shape(path, own, False), *_problems(grammar, own)]
    if problems:
        raise InputError(dict.fromkeys(problems))
    return grammars


def _read(path: Path) -> tuple[list[GrammarRule], list[Problem]]:
    try:
        lines = read_text(path, "utf-8-sig").splitlines()
    except InputError as error:
        return [], list(error.problems)
    texts = [(" ".join(line.split()), number) for number, line in enumerate(lines, 1)]
    used = [(text, number) for text, number in texts if text and text[0] != "#"]
    found = [part for text, number in used for part in _parse(text, str(path), number)]
    rules = [part for part in found if isinstance(part, GrammarRule)]
    return rules, [part for part in found if isinstance(part, Problem)]


def _parse(text: str, path: str, line: int) -> Iterator[GrammarRule | Problem]:
    head = re.match(r"(vary)\s*(:)", text, re.IGNORECASE) or _SYMBOL.match(text)
    if not head:
        yield Problem(f"{text[:60]!r} is none of {_FORMS}", path, line)
        return
    left = Symbol("vary") if head[2] == ":" else _symbol(head)
    parse = {"vary": _vary, "S": _template}.get(left.name, _definition)
    right, messages = parse(text[head.end() :].strip())
    yield GrammarRule(left, tuple(right), path, line)
    yield from (Problem(f"{left.name}: {message}", path, line) for message in messages)


def _symbol(match: re.Match[str]) -> Symbol:
    return Symbol(match[1], tuple(a.strip() for a in match[2].split(",") if a.strip()))


def _vary(text: str) -> tuple[list[Symbol | str], list[str]]:
    pieces = [piece.strip() for piece in text.split(";") if piece.strip()] or [""]
    found = [(piece, _SYMBOL.fullmatch(piece)) for piece in pieces]
    messages = [f"{piece!r} is not of the form Name[...]" for piece, match in found if not match]
    return [_symbol(match) for _, match in found if match], messages


def _template(text: str) -> tuple[list[Symbol | str], list[str]]:
    matches = list(_PART.finditer(text))
    stray = [f"{match[4]!r} has no meaning in a template" for match in matches if match[4]]
    parts: list[Symbol | str] = [m[3] or _symbol(m) for m in matches if not m[4]]
    return parts, stray if text else ["the template is empty"]


def _definition(text: str) -> tuple[list[Symbol | str], list[str]]:
    terminals = [terminal.strip() for terminal in text.split("|")]
    messages = [] if all(terminals) else ["there is an empty terminal"]
    held = [word for word in text.split() if "[" in word or "]" in word]
    return [*terminals], messages + [f"a terminal may hold no preterminal: {x}" for x in held]


def _shape(path: Path, rules: list[GrammarRule], shared: bool) -> Iterator[Problem]:
    """Yield problems of a file by itself: lines that are missing, repeated, or not for it."""
    if not shared:
        missing = [n for n in ("vary", "S") if all(rule.left.name != n for rule in rules)]
        yield from (Problem(f"there is no {_KINDS[name]}", str(path)) for name in missing)
    first: dict[object, int] = {}
    for rule in rules:
        line = first.setdefault(rule.left.key, rule.line)
        if rule.left.name != "S" and line != rule.line:
            what = _KINDS.get(rule.left.name, rule.left)
            yield Problem(f"{what} stands already in line {line}", rule.path, rule.line)
        if shared and (kind := _KINDS.get(rule.left.name)):
            yield Problem(f"a shared file holds no {kind}", rule.path, rule.line)


def _problems(grammar: Grammar, own: list[GrammarRule]) -> Iterator[Problem]:
    """Yield problems of what the lines of a grammar mean together."""
    for rule in (rule for rule in own if rule.left.name in _KINDS):
        messages = [_unknown(grammar, part) for part in rule.right]
        if rule.left.name == "vary":
            messages = [m or _idle(grammar, s) for m, s in zip(messages, rule.symbols, strict=True)]
        yield from (Problem(message, rule.path, rule.line) for message in messages if message)
    for symbol in dict.fromkeys(s for template in grammar.templates for s in template.symbols):
        for both in product(grammar.fitting(symbol), grammar.wrong(symbol)):
            one, two = sorted(both, key=lambda rule: (rule.path, rule.line))
            if len(one.right) != len(two.right):
                first = f"{len(one.right)} in {one.left} ({Path(one.path).name}:{one.line})"
                message = f"lists of unequal length, {first} and {len(two.right)} in {two.left}"
                yield Problem(f"{message}: what varies is paired by position", two.path, two.line)


def _unknown(grammar: Grammar, part: Symbol | str) -> str:
    """Return why a part of a template has no definition, or an empty text."""
    name = part if isinstance(part, str) else part.name
    kin = [str(d.left) for d in grammar.definitions if d.left.name == name]
    if isinstance(part, str):
        return f"preterminal {name!r} lacks its [...] {candidates('defined', kin)}" if kin else ""
    if not kin:
        names = list(dict.fromkeys(d.left.name for d in grammar.definitions))
        return f"preterminal {name!r} is not defined {candidates('preterminals', names, name)}"
    near = candidates("defined", kin, str(part))
    return "" if grammar.fitting(part) else f"no definition has all attributes of {part} {near}"


def _idle(grammar: Grammar, symbol: Symbol) -> str:
    """Return a message if a symbol of the vary statement is in no template, or an empty text."""
    names = list(dict.fromkeys(s.name for t in grammar.templates for s in t.symbols))
    near = candidates("preterminals there", names, symbol.name)
    return "" if symbol.name in names else f"{symbol.name!r} varies but is in no template {near}"


def build_avg(source: Path, out: Path) -> dict[str, int]:
    """Write the sentences of all grammars of the folder ``source``; return their numbers by name.

    ``NAME.avg`` makes ``NAME.txt``; ``common.avg`` holds the definitions that all share. Nothing in
    ``out`` changes before all files are made; its other files stay. Raises :class:`InputError` with
    every problem of every grammar, and for a file that would be replaced although it holds no
    labelled sentences.
    """
    paths = {p.name: p for p in sorted(source.glob("*.avg")) if p.name[0] != "."}
    common = paths.pop("common.avg", None)
    grammars = _read_all(list(paths.values()), common)
    if not grammars:
        raise fail("there is no grammar (*.avg) in this folder", source)
    for grammar in grammars:
        for template in grammar.templates:
            slots = [_choices(grammar, part) for part in template.right]
            bad = sum(max(len(wrong) for _, wrong in slot) for slot in slots)
            if prod(map(len, slots)) * (1 + bad) > LINES:
                message = f"the template makes more than {LINES:,} sentences"
                raise fail(message, template.path, template.line)
    counts = {}
    with filling_folder(out.resolve(), _is_set) as folder:
        for grammar in grammars:
            with (folder / f"{grammar.name}.txt").open("w", encoding="utf-8", newline="\n") as file:
                lines = (f"{label}\t{text}\n" for label, text in generate(grammar))
                counts[grammar.name] = sum(file.write(line) > 0 for line in lines)
    return counts


def _is_set(path: Path) -> bool:
    """Return whether a file may be one of :func:`build_avg`: it is empty or begins with a label."""
    with path.open("rb") as file:
        start = file.read(len("False\t"))
    return not start or start.startswith((b"True\t", b"False\t"))
