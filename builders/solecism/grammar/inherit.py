"""What a template takes over: defaults, kinds of slots, and the templates it is ``like``.

All work on front matter, before it is read as a template. ``_defaults.yaml`` has the keys that all
templates of a folder share, unless they say otherwise (``KEY: ~`` drops one).

A slot ``book: object of sold`` is of the kind ``object of v`` of ``_slots.yaml``, with ``sold`` in
place of ``v`` in the tests of the kind; ``{kind: object of sold, Count: count}`` adds to it. With
``like: UID`` a template has all keys, slots, features and lines of that template but those that it
has itself.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from solecism.errors import InputError, unknown
from solecism.grammar.expression import renamed
from solecism.grammar.front_matter import Entry, read_front_matter
from solecism.lexicon.table import read_lines

DEFAULTS, SLOTS = "_defaults.yaml", "_slots.yaml"

_KIND = re.compile(r"(\w[\w ]*?)(?: of (\w+(?:, *\w+)*))?")
_DROPPED = "~"
_IT = "it"


def inherited(fronts: Sequence[Entry]) -> tuple[Entry, tuple[str, ...], list[InputError]]:
    """Return the front matter of a template (the first) with all that it takes over, the tests of
    the kinds of its slots, and what is wrong with it.

    The others are those of the templates above it, the nearest first. Raises :class:`InputError`
    for what is wrong with ``_slots.yaml`` or ``_defaults.yaml``.
    """
    own, folder = fronts[0], Path(fronts[0].path).parent
    for above in fronts[1:]:
        own = _over(above, own, fronts[0].fields["like"].line)
    own = _over(_yaml_file(folder / DEFAULTS), own, 1)
    fields = {key: entry for key, entry in own.fields.items() if key != "like"}
    tests: list[str] = []
    errors: list[InputError] = []
    slots = fields.get("slots")
    if slots and slots.fields:
        kinds = _yaml_file(folder / SLOTS)
        fields["slots"] = _filled(slots, _read_kinds(kinds), tests, errors)
    return replace(own, fields=fields), tuple(dict.fromkeys(tests)), errors


def _yaml_file(path: Path) -> Entry:
    """Read a file of front matter alone, empty where there is none."""
    return read_front_matter("\n".join(read_lines(path)), str(path)) if path.is_file() else Entry()


def _over(below: Entry, own: Entry, line: int) -> Entry:
    """Put what a template says over what the one it is like says, except its names and pairs."""
    own_keys = ("id", "like", "pairs")
    fields = {k: _at(e, own.path, line) for k, e in below.fields.items() if k not in own_keys}
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


def _at(entry: Entry, path: str, line: int) -> Entry:
    """Return an entry as if it stood in another place: that which took it over."""
    fields = {name: _at(inner, path, line) for name, inner in entry.fields.items()}
    return Entry(path, line, entry.text, tuple(_at(i, path, line) for i in entry.items), fields)


@dataclass(frozen=True)
class _SlotKind:
    """A kind of slots: what it asks, its tests, and the names in them that stand for slots."""

    fields: Mapping[str, Entry] = field(default_factory=dict)
    tests: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def tests_of(self, slot: str, others: Sequence[str]) -> Iterator[str]:
        """Yield the tests with the slots' names in them."""
        names = dict(zip(self.names, others, strict=True)) | {_IT: slot}
        return (renamed(test, names) for test in self.tests)


@lru_cache(maxsize=1 << 6)
def _read_kinds(front: Entry) -> dict[str, _SlotKind]:
    """Read ``_slots.yaml``; raises :class:`InputError`."""
    kinds: dict[str, _SlotKind] = {}
    for name, entry in front.fields.items():
        head, names = _called(name)
        if entry.text is not None or entry.items or not head:
            raise entry.fault(f"{name!r} wants a name and `{{from: TABLE, COLUMN: value, ...}}`")
        if head in kinds:
            raise entry.fault(f"there is a kind '{head} ...' already")
        fields = dict(entry.fields)
        tests = fields.pop("where", Entry()).tests()
        above = fields.pop("kind", None)
        if above is not None:  # it adds to a kind that stands above it
            known, others = _kind_called(above, kinds)
            fields = _added(known.fields, fields)
            tests = (*known.tests_of(_IT, others), *tests)
        kinds[head] = _SlotKind(fields, tests, names)
    return kinds


def _called(text: str) -> tuple[str, tuple[str, ...]]:
    """Return ``object of`` and ``(v,)`` for ``object of v``, ``("", ())`` for what is no name."""
    match = _KIND.fullmatch(text)
    if not match:
        return "", ()
    names = tuple(name.strip() for name in match[2].split(",")) if match[2] else ()
    return match[1] + (" of" if names else ""), names


def _filled(
    slots: Entry, kinds: Mapping[str, _SlotKind], tests: list[str], errors: list[InputError]
) -> Entry:
    """Return the slots with what their kinds ask; add the tests of these, and what is wrong."""
    fields: dict[str, Entry] = {}
    for name, entry in slots.fields.items():
        called = entry if entry.text is not None else entry.fields.get("kind")
        own = {key: inner for key, inner in entry.fields.items() if key not in ("kind", "where")}
        kind, others = _SlotKind(), tuple[str, ...]()
        if called is not None:
            try:
                kind, others = _kind_called(called, kinds, slots)
            except InputError as error:
                message = f"slot {name!r}: {error.problems[0].message}"
                errors.append(entry.fault(message))
                kind = _SlotKind({"oneof": Entry(text=name)})  # nothing else is reported
        above = {key: _at(e, entry.path, entry.line) for key, e in kind.fields.items()}
        fields[name] = replace(entry, text=None, fields=_added(above, own))
        more = _SlotKind(tests=entry.fields.get("where", Entry()).tests())
        tests += [*kind.tests_of(name, others), *more.tests_of(name, ())]
    return replace(slots, fields=fields)


def _added(below: Mapping[str, Entry], own: Mapping[str, Entry]) -> dict[str, Entry]:
    """Add columns to a slot: what it must not be is added to what its kind must not be."""
    fields = {**below, **own}
    if "not" in below and "not" in own:
        both = dict(below["not"].fields)
        for name, value in own["not"].fields.items():
            texts = [*(both[name].texts() if name in both else ()), *value.texts()]
            both[name] = replace(value, text=None, items=tuple(Entry(text=t) for t in texts))
        fields["not"] = replace(own["not"], fields=both)
    return fields


def _kind_called(
    entry: Entry, kinds: Mapping[str, _SlotKind], slots: Entry | None = None
) -> tuple[_SlotKind, tuple[str, ...]]:
    """Look up a kind and the names after "of", which must be among ``slots``, if they are given.

    Raises :class:`InputError` with the candidates.
    """
    text = entry.text or ""
    head, others = _called(text)
    kind = kinds.get(head)
    if kind is None or len(kind.names) != len(others):
        shown = [" ".join((head, ", ".join(kind.names))).strip() for head, kind in kinds.items()]
        if not kinds:
            raise entry.fault(f"there is no kind {text!r} (there is no {SLOTS})")
        raise unknown("there is no kind", text, "kinds", shown, entry.path, entry.line)
    for name in others if slots else ():
        if slots and name not in slots.fields:
            message = f"{text!r}: there is no slot"
            raise unknown(message, name, "slots", slots.fields, entry.path, entry.line)
    return kind, others
