"""Complete the front matter of a template with what it takes over from other files.

There are three sources: ``_defaults.yaml``, kinds of slots, and the templates that it is ``like``.
``_defaults.yaml`` has the keys that all templates of a folder share. A template may replace such a
key, or drop it with ``KEY: ~``. The file may stand beside the template and in the folder of the
data set.

A slot ``book: object of sold`` is of the kind ``object of v``: it gets the columns and tests of the
kind, with the slot ``sold`` in place of ``v``. Kinds stand in ``templates/phrases/kinds.yaml`` for
all languages, ``templates/phrases/fr.yaml`` for one, and ``_slots.yaml`` of a data set or of one of
its languages; a kind replaces one of its name in a file before it, or adds to it. The form
``{kind: object of sold, Count: count}`` adds columns to those of the kind. With ``like: UID`` a
template takes over all keys, slots, features and lines of that template that it does not have
itself.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from solecism.errors import InputError, unknown_error
from solecism.grammar.front_matter import Entry, read_front_matter
from solecism.grammar.syntax import renamed
from solecism.inputs import read_lines
from solecism.root import SHARED

DEFAULTS, SLOTS = "_defaults.yaml", "_slots.yaml"

_KIND = re.compile(r"(\w[\w ]*?)(?: of (\w+(?:, *\w+)*))?")
_DROPPED = "~"
_IT = "it"


def inherited(fronts: Sequence[Entry]) -> tuple[Entry, tuple[str, ...], list[InputError]]:
    """Return the front matter of a template with all that it takes over.

    ``fronts``: the front matter of the template itself, then of the templates that it is ``like``,
    the nearest first. Return also the tests of its slots and of their kinds, and the errors in its
    slots. Raises :class:`InputError` if a file with defaults or kinds is wrong.
    """
    own, folder = fronts[0], Path(fronts[0].path).parent
    for below in fronts[1:]:
        own = _over(below, own, fronts[0].fields["like"].line)
    for place in (folder, folder.parent):
        own = _over(read_yaml(place / DEFAULTS), own, 1)
    fields = {key: entry for key, entry in own.fields.items() if key != "like"}
    tests: list[str] = []
    errors: list[InputError] = []
    slots = fields.get("slots")
    if slots and slots.fields:
        kinds = _kinds_of(tuple(map(read_yaml, kind_files(folder))))
        fields["slots"] = _filled(slots, kinds, tests, errors)
    return replace(own, fields=fields), tuple(dict.fromkeys(tests)), errors


def read_yaml(path: Path) -> Entry:
    """Return the front matter in a YAML file; an empty entry if there is no such file."""
    return read_front_matter("\n".join(read_lines(path)), str(path)) if path.is_file() else Entry()


def _over(below: Entry, own: Entry, line: int) -> Entry:
    """Return the keys of ``below`` and ``own`` together; a key that both have is that of ``own``.

    Slots and features are combined one by one. The keys ``id``, ``like`` and ``pairs`` of ``below``
    are not taken over. ``line``: where in ``own`` errors in what is taken over are reported.
    """
    own_keys = ("id", "like", "pairs")
    taken = {k: _at(e, own.path, line) for k, e in below.fields.items() if k not in own_keys}
    fields = _merged(taken, own.fields, _key_over)
    return replace(own, fields={k: e for k, e in fields.items() if e.text != _DROPPED})


_Fields = Mapping[str, Entry]


def _merged(
    below: _Fields, own: _Fields, how: Callable[[str, Entry, Entry], Entry]
) -> dict[str, Entry]:
    """Return the fields of both; ``how`` makes one of the name and the entries of a field that both
    have."""
    both = {name: how(name, below[name], entry) for name, entry in own.items() if name in below}
    return {**below, **own, **both}


def _key_over(key: str, below: Entry, own: Entry) -> Entry:
    """Return the slots (or features) of both, where ``~`` in ``own`` drops one of ``below``."""
    if key not in ("slots", "features") or not below.fields or not own.fields:
        return own
    dropped = {name for name, entry in own.fields.items() if entry.text == _DROPPED}
    fields = _merged(below.fields, own.fields, _slot_over)
    return replace(own, fields={n: e for n, e in fields.items() if n not in dropped})


def _slot_over(_: str, below: Entry, own: Entry) -> Entry:
    """Return a slot with the columns of ``below`` and ``own``.

    If ``own`` says where its words come from (``from``, ``oneof``, a kind), nothing is taken over.
    """
    if not own.fields or {"from", "oneof", "kind"} & set(own.fields):
        return own
    known = {"kind": below} if below.text is not None else below.fields
    return replace(own, fields={**known, **own.fields})


def _at(entry: Entry, path: str, line: int) -> Entry:
    """Return an entry as if it stood here, so that errors name the file that takes it over."""
    fields = {name: _at(inner, path, line) for name, inner in entry.fields.items()}
    return Entry(path, line, entry.text, tuple(_at(i, path, line) for i in entry.items), fields)


@dataclass(frozen=True)
class _SlotKind:
    """A kind of slots: its columns (``fields``), and its tests.

    ``names``: the names in the tests that are replaced by slots of a template.
    """

    fields: _Fields = field(default_factory=dict)
    tests: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def tests_of(self, slot: str, others: Sequence[str]) -> Iterator[str]:
        """Yield the tests, with ``slot`` in place of ``it``, and ``others`` in place of names."""
        names = dict(zip(self.names, others, strict=True)) | {_IT: slot}
        return (renamed(test, names) for test in self.tests)


def kind_files(folder: Path) -> list[Path]:
    """Return the files with kinds for the templates of a folder that there are, in order."""
    shared = folder.parents[1] / SHARED
    names = (shared / "kinds.yaml", shared / f"{folder.name}.yaml")
    return [p for p in (*names, folder.parent / SLOTS, folder / SLOTS) if p.is_file()]


@lru_cache(maxsize=1 << 6)
def _kinds_of(files: tuple[Entry, ...]) -> dict[str, _SlotKind]:
    """Return the kinds in some files, by the text before their names (``object of``).

    A later one replaces an earlier one of its name. Raises :class:`InputError`.
    """
    kinds: dict[str, _SlotKind] = {}
    for front in files:
        kinds |= _kinds_in(front, kinds)
    return kinds


def _kinds_in(front: Entry, known: Mapping[str, _SlotKind]) -> dict[str, _SlotKind]:
    """Return the kinds in a file, which may be made of those that are ``known``."""
    own: dict[str, _SlotKind] = {}
    for name, entry in front.fields.items():
        head, names = _called(name)
        if entry.text is not None or entry.items or not head:
            raise entry.fault(f"{name!r} wants a name and `{{from: TABLE, COLUMN: value, ...}}`")
        if head in own:
            raise entry.fault(f"there is a kind '{head} ...' already")
        fields = dict(entry.fields)
        tests = fields.pop("where", Entry()).tests()
        below = fields.pop("kind", None)
        if below is not None:  # this kind adds to one further up
            kind, others = _kind_called(below, {**known, **own})
            fields = _merged(kind.fields, fields, _column_over)
            tests = (*kind.tests_of(_IT, others), *tests)
        own[head] = _SlotKind(fields, tests, names)
    return own


def _called(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the two parts of a kind: ``object of`` and ``(v,)`` for ``object of v``.

    Return ``("", ())`` if the text does not have this form.
    """
    match = _KIND.fullmatch(text)
    if not match:
        return "", ()
    names = tuple(name.strip() for name in match[2].split(",")) if match[2] else ()
    return match[1] + (" of" if names else ""), names


def _filled(
    slots: Entry, kinds: Mapping[str, _SlotKind], tests: list[str], errors: list[InputError]
) -> Entry:
    """Return the slots with the columns of their kinds; append to ``tests`` and ``errors``."""
    fields: dict[str, Entry] = {}
    for name, entry in slots.fields.items():
        called = entry if entry.text is not None else entry.fields.get("kind")
        own = {key: inner for key, inner in entry.fields.items() if key not in ("kind", "where")}
        kind, others = _SlotKind(), tuple[str, ...]()
        if called is not None:
            try:
                kind, others = _kind_called(called, kinds, slots)
            except InputError as error:
                errors.append(entry.fault(f"slot {name!r}: {error.problems[0].message}"))
                kind, own = _SlotKind({"oneof": Entry(text=name)}), {}  # nothing else is reported
        below = {key: _at(e, entry.path, entry.line) for key, e in kind.fields.items()}
        fields[name] = replace(entry, text=None, fields=_merged(below, own, _column_over))
        asked = entry.fields.get("where", Entry()).tests()
        tests += [*kind.tests_of(name, others), *(renamed(test, {_IT: name}) for test in asked)]
    return replace(slots, fields=fields)


def _column_over(column: str, below: Entry, own: Entry) -> Entry:
    """Return the column of a slot, which replaces that of its kind; ``not`` adds its values."""
    if column != "not":
        return own
    return replace(own, fields=_merged(below.fields, own.fields, _values_of_both))


def _values_of_both(_: str, below: Entry, own: Entry) -> Entry:
    texts = (*below.texts(), *own.texts())
    return replace(own, text=None, items=tuple(Entry(text=text) for text in texts))


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
        raise unknown_error("there is no kind", text, "kinds", shown, entry.path, entry.line)
    for name in others if slots else ():
        if slots and name not in slots.fields:
            message = f"{text!r}: there is no slot"
            raise unknown_error(message, name, "slots", slots.fields, entry.path, entry.line)
    return kind, others
