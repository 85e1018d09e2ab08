"""What a template takes over: defaults, kinds of slots, and the templates it is ``like``.

All work on front matter, before it is read as a template. ``_defaults.yaml`` has the keys that all
templates of a folder share, unless they say otherwise (``KEY: ~`` drops one).

A slot ``book: object of sold`` is of the kind ``object of v`` of ``_slots.yaml``, with ``sold`` in
place of ``v`` in the tests of the kind; ``{kind: object of sold, Count: count}`` adds to it. With
``like: UID`` a template has all keys, slots, features and lines of that template but those that it
has itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from pathlib import Path

from solecism.errors import Problem, candidates, fail
from solecism.grammar.expression import renamed
from solecism.grammar.front_matter import Entry, FrontMatterError, read_front_matter
from solecism.lexicon.table import read_lines

DEFAULTS, SLOTS = "_defaults.yaml", "_slots.yaml"

_LIKE = re.compile(r"like:\s*(\S+)\s*")
_KIND = re.compile(r"(\w[\w ]*?)(?: of (\w+(?:, *\w+)*))?")
_DROPPED = "~"
_IT = "it"


@dataclass(frozen=True)
class TemplateText:
    """The lines of a template, of the templates it is like (the nearest first), of ``_slots.yaml``
    and of ``_defaults.yaml``."""

    lines: tuple[str, ...]
    above: tuple[tuple[Path, tuple[str, ...]], ...] = ()
    kinds: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()


def read_text_of(path: Path) -> TemplateText:
    """Read the lines of a template and of all that it takes over; raises :class:`InputError`."""
    above: list[tuple[Path, tuple[str, ...]]] = []
    lines = own = tuple(read_lines(path))
    while name := _parent(own):
        here = path.parent / f"{name}.jinja"
        if here == path or here in dict(above):
            raise fail(f"like: {name!r} is like this template itself", path)
        if not here.is_file():
            known = sorted(p.stem for p in path.parent.glob("[!_]*.jinja") if p != path)
            near = candidates("templates", known, name)
            raise fail(f"like: there is no template {name!r} {near}", path)
        own = tuple(read_lines(here))
        above.append((here, own))
    shared = [path.with_name(name) for name in (SLOTS, DEFAULTS)]
    texts = [tuple(read_lines(file)) if file.is_file() else () for file in shared]
    return TemplateText(lines, tuple(above), *texts)


def _parent(lines: Sequence[str]) -> str:
    """Return the name after ``like:`` in front matter, or ``""``."""
    for text in lines[1:]:
        if text.rstrip() == "---":
            break
        match = _LIKE.fullmatch(text)
        if match:
            return match[1]
    return ""


def inherited(
    fronts: Sequence[Entry], text: TemplateText, path: Path
) -> tuple[Entry, tuple[str, ...], list[Problem]]:
    """Return the front matter of a template (the first) with all that it takes over, the tests of
    the kinds of its slots, and what is wrong with it.

    The others are those of the templates above it, the nearest first. Raises :class:`InputError`
    for what is wrong with ``_slots.yaml`` or ``_defaults.yaml``.
    """
    own = fronts[0]
    for above in fronts[1:]:
        own = _over(above, own, fronts[0].fields["like"].line)
    if text.defaults:
        try:
            defaults = read_front_matter("\n".join(text.defaults))
        except FrontMatterError as error:
            raise fail(error.message, path.with_name(DEFAULTS), error.line) from None
        own = _over(defaults, own, 1)
    fields = {key: entry for key, entry in own.fields.items() if key != "like"}
    slots, problems = fields.get("slots"), list[Problem]()
    tests: list[str] = []
    if slots and slots.fields:
        known = _read_kinds(text.kinds, path.parent / SLOTS)
        fields["slots"], tests, problems = _filled(slots, known, path)
    return replace(own, fields=fields), tuple(dict.fromkeys(tests)), problems


def _over(below: Entry, own: Entry, line: int) -> Entry:
    """Put what a template says over what the one it is like says, except its names and pairs."""
    own_keys = ("id", "like", "pairs")
    fields = {k: _at(entry, line) for k, entry in below.fields.items() if k not in own_keys}
    for key, entry in own.fields.items():
        known = fields.get(key)
        both = key in ("slots", "features") and known and known.fields and entry.fields
        fields[key] = _each_over(known, entry) if known and both else entry
    return replace(own, fields={k: e for k, e in fields.items() if e.text != _DROPPED})


def _each_over(below: Entry, own: Entry) -> Entry:
    """Put slots over slots, or features over features; ``~`` drops one."""
    fields = dict(below.fields)
    for name, entry in own.fields.items():
        fields[name] = _slot_over(fields[name], entry) if name in fields else entry
        if entry.text == _DROPPED:
            del fields[name]
    return replace(own, fields=fields)


def _slot_over(below: Entry, own: Entry) -> Entry:
    """Add columns to a slot; one that says where its words are from stands for itself."""
    if not own.fields or {"from", "oneof", "kind"} & set(own.fields):
        return own
    known = {"kind": below} if below.text is not None else below.fields
    return replace(own, fields={**known, **own.fields})


def _at(entry: Entry, line: int) -> Entry:
    """Return an entry as if it stood in another line: that which took it over."""
    fields = {name: _at(inner, line) for name, inner in entry.fields.items()}
    return Entry(line, entry.text, tuple(_at(item, line) for item in entry.items), fields)


@dataclass(frozen=True)
class _SlotKind:
    """A kind of slots: what it asks, its tests, and the names in them that stand for slots."""

    fields: Mapping[str, Entry]
    tests: tuple[str, ...] = ()
    names: tuple[str, ...] = field(default=())

    def tests_of(self, slot: str, others: Sequence[str]) -> Iterator[str]:
        """Yield the tests with the slots' names in them."""
        names = dict(zip(self.names, others, strict=True)) | {_IT: slot}
        return (renamed(test, names) for test in self.tests)


@lru_cache(maxsize=1 << 6)
def _read_kinds(lines: tuple[str, ...], path: Path) -> dict[str, _SlotKind]:
    """Read ``_slots.yaml``; raises :class:`InputError`."""
    if not lines:
        return {}
    kinds: dict[str, _SlotKind] = {}
    try:
        for name, entry in read_front_matter("\n".join(lines)).fields.items():
            head, names = _called(name)
            if entry.text is not None or entry.items or not head:
                message = f"{name!r} wants a name and `{{from: TABLE, COLUMN: value, ...}}`"
                raise FrontMatterError(message, entry.line)
            if head in kinds:
                raise FrontMatterError(f"there is a kind '{head} ...' already", entry.line)
            kinds[head] = _kind(entry, names, kinds)
    except FrontMatterError as error:
        raise fail(error.message, path, error.line) from None
    return kinds


def _kind(entry: Entry, names: tuple[str, ...], kinds: Mapping[str, _SlotKind]) -> _SlotKind:
    """Read a kind, which may add to one that stands above it."""
    fields = dict(entry.fields)
    tests = fields.pop("where", Entry(entry.line)).tests()
    above = fields.pop("kind", None)
    if above is None:
        return _SlotKind(fields, tests, names)
    try:
        known, others = _kind_called(above.text or "", kinds)
    except ValueError as error:
        raise FrontMatterError(str(error), above.line) from None
    merged = reduce(_added, fields.items(), known.fields)
    return _SlotKind(merged, (*known.tests_of(_IT, others), *tests), names)


def _called(text: str) -> tuple[str, tuple[str, ...]]:
    """Return ``object of`` and ``(v,)`` for ``object of v``, ``("", ())`` for what is no name."""
    match = _KIND.fullmatch(text)
    if not match:
        return "", ()
    names = tuple(name.strip() for name in match[2].split(",")) if match[2] else ()
    return match[1] + (" of" if names else ""), names


def _filled(
    slots: Entry, kinds: Mapping[str, _SlotKind], path: Path
) -> tuple[Entry, list[str], list[Problem]]:
    """Return the slots with what their kinds ask, the tests of these, and what is wrong."""
    fields: dict[str, Entry] = {}
    tests: list[str] = []
    problems: list[Problem] = []
    for name, entry in slots.fields.items():
        called = entry if entry.text is not None else entry.fields.get("kind")
        own = {key: inner for key, inner in entry.fields.items() if key not in ("kind", "where")}
        kind, others = _SlotKind({}), tuple[str, ...]()
        if called is not None:
            try:
                kind, others = _kind_of(called.text or "", kinds, slots)
            except ValueError as error:
                problems.append(Problem(f"slot {name!r}: {error}", str(path), entry.line))
                kind = _SlotKind({"oneof": Entry(entry.line, name)})  # nothing else is reported
        above = {key: _at(inner, entry.line) for key, inner in kind.fields.items()}
        fields[name] = replace(entry, text=None, fields=reduce(_added, own.items(), above))
        more = _SlotKind({}, entry.fields.get("where", Entry(entry.line)).tests())
        tests += [*kind.tests_of(name, others), *more.tests_of(name, ())]
    return replace(slots, fields=fields), tests, problems


def _added(fields: Mapping[str, Entry], own: tuple[str, Entry]) -> dict[str, Entry]:
    """Add a column to a slot: what it must not be is added to what its kind must not be."""
    key, entry = own
    below = fields.get(key)
    if key == "not" and below:
        both = {
            name: _listed(below.fields.get(name), value) for name, value in entry.fields.items()
        }
        entry = replace(entry, fields={**below.fields, **both})
    return {**fields, key: entry}


def _listed(below: Entry | None, own: Entry) -> Entry:
    """Return the values of two entries as one list."""
    texts = [*(below.texts() if below else ()), *own.texts()]
    return Entry(own.line, items=tuple(Entry(own.line, text) for text in texts))


def _kind_called(text: str, kinds: Mapping[str, _SlotKind]) -> tuple[_SlotKind, tuple[str, ...]]:
    """Look up a kind and the names after "of"; raises ``ValueError`` with the candidates."""
    head, others = _called(text)
    kind = kinds.get(head)
    if kind is None or len(kind.names) != len(others):
        shown = [" ".join((head, ", ".join(kind.names))).strip() for head, kind in kinds.items()]
        where = candidates("kinds", shown, text) if kinds else f"(there is no {SLOTS})"
        raise ValueError(f"there is no kind {text!r} {where}")
    return kind, others


def _kind_of(
    text: str, kinds: Mapping[str, _SlotKind], slots: Entry
) -> tuple[_SlotKind, tuple[str, ...]]:
    """Look up the kind of a slot; the names after "of" must be slots. Raises as above."""
    kind, others = _kind_called(text, kinds)
    for name in others:
        if name not in slots.fields:
            near = candidates("slots", list(slots.fields), name)
            raise ValueError(f"{text!r}: there is no slot {name!r} {near}")
    return kind, others
