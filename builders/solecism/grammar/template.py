"""Read template files: front matter, then a line for each condition (``docs/formats.md``)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import TemplateSyntaxError

from solecism.errors import InputError, Problem, candidates, fail, unknown_error
from solecism.grammar.front_matter import Entry, read_front_matter
from solecism.grammar.inherit import inherited
from solecism.grammar.syntax import LinePart, in_plain_words, read_parts, renamed
from solecism.inputs import check_name, read_lines
from solecism.phenomena import phenomenon_named

_TEXT_KEYS = ("id", "phenomenon", "field", "construction", "about", "source", "controller", "draw")
_LIST_KEYS = ("where", "balance", "may_repeat", "attractors", "predictions", "allow")
_KEYS = (*_TEXT_KEYS, "slots", "names", *_LIST_KEYS, "features", "pairs")
_PAIR_KEYS = ("good", "bad", "critical", "about")
ALSO = "also"
"""The name of lines with other good sentences of the same words."""
WEIGHT = 1000
"""The largest weight of a word, a form or a text."""

FIELDS = ("morphology", "syntax", "semantics", "syntax_semantics")
_RESERVED = "word|self|[Tt]rue|[Ff]alse|[Nn]one|and|or|not|in|is|if|else"
_NAME = re.compile(rf"(?!(?:{_RESERVED})$)[^\W\d]\w*")
_LINE = re.compile(r"([A-Za-z_][\w-]*):\s*(.*)")


@dataclass(frozen=True)
class Slot:
    """A word to draw: from which tables, and what is asked of its columns and features.

    ``wants``: the values wanted of each column or feature. ``under``: classes, in one of which (or
    below it) the word must be. ``without``: values that it must not have. ``oneof``: texts to draw
    from, in place of a table. ``weights``: how often each value of a column (or text of ``oneof``)
    is drawn, relative to the others. ``weight``: the name of a column with such numbers.
    """

    name: str
    tables: tuple[str, ...]
    wants: Mapping[str, tuple[str, ...]]
    line: int
    under: tuple[str, ...] = ()
    oneof: tuple[str, ...] = ()
    without: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    weights: Mapping[str, Mapping[str, int]] = dataclasses.field(default_factory=dict)
    weight: str = ""


@dataclass(frozen=True)
class TemplateLine:
    """One line: a condition's name and the parts of its sentence.

    ``line``: the number of the line; ``source``: its sentence as written. In ``parts`` names that
    the template gives to expressions are replaced by these.
    """

    name: str
    parts: tuple[LinePart, ...]
    line: int
    source: str

    @property
    def expressions(self) -> list[str]:
        """The Jinja expressions of the line."""
        return [part.value for part in self.parts if part.kind == "expression"]


@dataclass(frozen=True)
class Template:
    """A paradigm as written, not yet bound to a lexicon.

    ``also``: lines with good sentences; a bad sentence that is spelt like one of them is not made.
    ``allow``: codes of checks whose warnings are accepted. ``kind_tests``: the ``where`` tests of
    the kinds of its slots; as kinds are made for many templates, a test may have no effect in this
    one. ``lines``: the number of the line of each key. ``draw``: how many minimal sets are drawn,
    None for all.
    """

    path: str
    id: str
    slots: tuple[Slot, ...]
    conditions: tuple[TemplateLine, ...]
    lines: Mapping[str, int]
    phenomenon: str = ""
    field: str = "syntax"
    construction: str = ""
    about: str = ""
    source: str = ""
    controller: str = ""
    draw: int | None = None
    also: tuple[TemplateLine, ...] = ()
    where: tuple[str, ...] = ()
    kind_tests: tuple[str, ...] = ()
    balance: tuple[str, ...] = ()
    may_repeat: tuple[str, ...] = ()
    attractors: tuple[str, ...] = ()
    predictions: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    features: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return Path(self.path).parent

    @property
    def name(self) -> str:
        """``dataset/language/UID``."""
        return f"{self.folder.parent.name}/{self.folder.name}/{self.id}"

    @property
    def is_pair(self) -> bool:
        """True for a minimal pair (``good`` and ``bad`` without predictions), false for a suite."""
        return self.conditions[0].name == "good" and not self.predictions

    @property
    def line_expressions(self) -> list[str]:
        """The Jinja expressions of all lines."""
        lines = (*self.conditions, *self.also)
        return [source for condition in lines for source in condition.expressions]

    @property
    def tests(self) -> tuple[str, ...]:
        """All ``where`` tests, those of the kinds of slots last."""
        return self.where + self.kind_tests

    @property
    def slot_names(self) -> list[str]:
        """The names of the slots, in order."""
        return [slot.name for slot in self.slots]


def read_template(path: Path) -> Template:
    """Read a template file; raises :class:`InputError` with every problem that needs no lexicon."""
    return read_templates(path)[0]


def read_templates(path: Path) -> tuple[Template, ...]:
    """Read a template file; return its template, and one for each pair that a suite declares.

    Raises :class:`InputError` as :func:`read_template` does.
    """
    files = [_TemplateFile.read(path)]
    while like := files[-1].front.fields.get("like"):
        here = path.with_name(f"{check_name(like.text or '', 'like: template', path)}.jinja")
        if str(here) in [file.front.path for file in files]:
            raise fail(f"like: {like.text!r} is like this template itself", path)
        if not here.is_file():
            known = sorted(p.stem for p in path.parent.glob("[!_]*.jinja") if p != path)
            message = "like: there is no template"
            raise unknown_error(message, like.text or "", "templates", known, path)
        files.append(_TemplateFile.read(here))
    front, tests, errors = inherited([file.front for file in files])
    body = files[0].body
    if not body:
        taken = next((file.body for file in files if file.body), [])
        body = [(files[0].front.fields["like"].line, text) for _, text in taken]
    problems = [problem for error in errors for problem in error.problems]
    return _TemplateReader(path, front.fields, body, files[0].offset, problems).templates(tests)


class _TemplateFile(NamedTuple):
    """The parts of a template file.

    ``body``: the lines with sentences, each with its number; ``offset``: the number of the line
    before the first of them.
    """

    front: Entry
    body: list[tuple[int, str]]
    offset: int

    @classmethod
    def read(cls, path: Path) -> _TemplateFile:
        """Cut a file into its parts; indented lines are joined to the line above them."""
        texts = read_lines(path)
        fences = [n for n, text in enumerate(texts) if text.rstrip() == "---"][:2]
        if len(fences) < 2 or fences[0] != 0:
            raise fail("a template begins with front matter between two lines `---`", path, 1)
        front = read_front_matter("\n".join(texts[1 : fences[1]]), str(path), first=2)
        lines: list[tuple[int, str]] = []
        for number, text in enumerate(texts[fences[1] + 1 :], fences[1] + 2):
            if text[:1].isspace() and text.strip() and lines:
                lines[-1] = (lines[-1][0], f"{lines[-1][1]} {text.strip()}")
            elif text.strip() and not text.startswith("#"):
                lines.append((number, text.rstrip()))
        return cls(front, lines, fences[1] + 1)


@dataclass
class _TemplateReader:
    """Reads the parts of one template file, and collects the problems in them."""

    path: Path
    fields: Mapping[str, Entry]
    lines: Sequence[tuple[int, str]]
    offset: int
    problems: list[Problem]
    names: dict[str, str] = dataclasses.field(default_factory=dict)

    def templates(self, kind_tests: tuple[str, ...]) -> tuple[Template, ...]:
        """Return the template and those of its pairs; raises :class:`InputError`."""
        for key in [key for key in self.fields if key not in _KEYS][:20]:
            self._report(f"unknown key {key!r} {candidates('keys', _KEYS, key)}", key)
        if "id" not in self.fields:
            self._report("the front matter has no `id`", 1)
        if not self.lines:
            self._report("there is no line with a sentence", self.offset)
        slots = tuple(self._slots())
        self._read_names([slot.name for slot in slots])
        values: dict[str, Any] = self._texts(_TEXT_KEYS, self.fields)
        lists: dict[str, Any] = {
            key: self._list(key, self.fields[key]) for key in _LIST_KEYS if key in self.fields
        }
        lists["where"] = self._with_names(lists.get("where", ()))
        lists["balance"] = self._with_names(lists.get("balance", ()))
        named = self._named("features")
        texts = self._texts(tuple(named), named)
        features = dict(zip(texts, self._with_names([*texts.values()]), strict=True))
        draw = self._draw(values.pop("draw", "all"))
        lines = tuple(self._conditions())
        also = tuple(line for line in lines if line.name == ALSO)
        conditions = tuple(line for line in lines if line.name != ALSO)
        self._check_values(values, lists, [slot.name for slot in slots])
        if conditions and len(lines) == len(self.lines):
            self._check_conditions(conditions, also, lists.get("predictions", ()))
        pairs = list(self._pairs({condition.name: condition for condition in conditions}))
        if self.problems:
            raise InputError(self.problems)
        values.setdefault("construction", values["id"])
        if known := phenomenon_named(values.get("phenomenon", "")):
            values.setdefault("field", known.field)
        places = {key: entry.line for key, entry in self.fields.items()}
        whole = Template(
            str(self.path), slots=slots, conditions=conditions, draw=draw, lines=places,
            features=features, kind_tests=self._with_names(kind_tests), also=also, **values, **lists,
        )  # fmt: skip
        return (whole, *(
            dataclasses.replace(whole, id=uid, about=about or whole.about, conditions=lines, predictions=())
            for uid, about, lines in pairs
        ))  # fmt: skip

    def _read_names(self, slots: Sequence[str]) -> None:
        """Read the names that the template gives to expressions, which may name those before."""
        named = self._named("names")
        everything = " ".join([text for _, text in self.lines] + list(_all_texts(self.fields)))
        for name, source in self._texts(tuple(named), named).items():
            if name in slots or not _NAME.fullmatch(name):
                self._report(f"names: {name!r} is a slot or no name", named[name].line)
            elif not re.search(rf"\b{re.escape(name)}\b", everything):
                self._report(f"names: {name!r} is used nowhere", named[name].line)
            self.names[name] = f"({renamed(source, self.names)})"

    def _with_names(self, sources: Sequence[str]) -> tuple[str, ...]:
        """Return expressions in which names are replaced by what they stand for."""
        return tuple(renamed(source, self.names) for source in sources)

    def _pairs(
        self, conditions: Mapping[str, TemplateLine]
    ) -> Iterator[tuple[str, str, tuple[TemplateLine, ...]]]:
        """Yield id, ``about`` (may be empty) and the two lines of each pair of a suite."""
        for uid, entry in self._named("pairs").items():
            for key in set(entry.fields).difference(_PAIR_KEYS):
                near = candidates("keys", _PAIR_KEYS, key)
                self._report(f"pairs: {uid!r}: unknown key {key!r} {near}", entry.line)
            texts = self._texts(_PAIR_KEYS, entry.fields)
            try:
                lines = tuple(_pair_line(side, texts, conditions) for side in ("good", "bad"))
            except ValueError as error:
                self._report(f"pairs: {uid!r}: {error}", entry.line)
            else:
                yield uid, texts.get("about", ""), lines

    def _report(self, message: str, place: int | str) -> None:
        """Note a problem in a line, or in the line of a key."""
        line = self.fields[place].line if isinstance(place, str) else place
        self.problems.append(Problem(message, str(self.path), line))

    def _texts(self, keys: Sequence[str], fields: Mapping[str, Entry]) -> dict[str, str]:
        out: dict[str, str] = {}
        for key in keys:
            text = fields[key].text if key in fields else None
            if text is not None:
                out[key] = text
            elif key in fields:
                self._report(f"{key!r} wants a text", fields[key].line)
        return out

    def _list(self, key: str, entry: Entry) -> tuple[str, ...]:
        try:
            return entry.tests() if key == "where" else entry.texts()
        except InputError as error:
            (problem,) = error.problems
            self._report(f"{key!r}: {problem.message}", problem.line or entry.line)
            return ()

    def _named(self, key: str) -> Mapping[str, Entry]:
        entry = self.fields.get(key, Entry())
        if entry.text is not None or entry.items:
            self._report(f"{key!r} wants lines `name: ...`", entry.line)
        return entry.fields

    def _slots(self) -> Iterator[Slot]:
        for name, entry in self._named("slots").items():
            fields = dict(entry.fields)
            unwanted = fields.pop("not", Entry())
            if unwanted.text is not None or unwanted.items:
                self._report("`not` wants columns: not: {lemma: [...]}", unwanted.line)
            without = {key: self._list(key, inner) for key, inner in unwanted.fields.items()}
            weights = {key: self._weights(name, f) for key, f in fields.items() if f.fields}
            lists = {  # of weights such as `{the: 6, a: 4}` only the values
                key: tuple(f.fields) if f.fields else self._list(key, f)
                for key, f in fields.items()
            }
            tables, under, oneof = (lists.pop(key, ()) for key in ("from", "under", "oneof"))
            weight = "".join(lists.pop("weight", ()))
            if not _NAME.fullmatch(name):
                self._report(f"{name!r} cannot be the name of a slot", entry.line)
            elif oneof and (tables or under or lists or without or weight):
                self._report(f"slot {name!r}: beside `oneof` nothing can be asked", entry.line)
            elif len(set(oneof)) < len(oneof):
                self._report(f"slot {name!r}: a text of `oneof` stands twice", entry.line)
            elif not tables and not oneof:
                self._report(f"slot {name!r} does not say `from` which table", entry.line)
            else:
                yield Slot(name, tables, lists, entry.line, under, oneof, without, weights, weight)

    def _weights(self, slot: str, entry: Entry) -> dict[str, int]:
        """Return weights such as ``{the: 6, a: 4}``; wrong ones are reported and left out."""
        out = {}
        for value, inner in entry.fields.items():
            text = inner.text or ""
            if text.isdecimal() and 0 < int(text[:9]) <= WEIGHT:
                out[value] = int(text)
            else:
                wanted = f"no number from 1 to {WEIGHT:,}"
                self._report(f"slot {slot!r}: the weight of {value!r} is {wanted}", inner.line)
        return out

    def _draw(self, text: str) -> int | None:
        if text == "all":
            return None
        if re.fullmatch(r"0*[1-9]\d{0,8}", text):
            return int(text)
        self._report(f"draw: {text!r} is neither `all` nor a number from 1 to 999,999,999", "draw")
        return None

    def _check_values(
        self, values: Mapping[str, str], lists: Mapping[str, Sequence[str]], slots: Sequence[str]
    ) -> None:
        if values.get("id", self.path.stem) != self.path.stem:
            self._report(f"id {values['id']!r} is not the file's name {self.path.stem!r}", "id")
        if values.get("field", "syntax") not in FIELDS:
            near = candidates("fields", FIELDS, values["field"])
            self._report(f"field {values['field']!r} {near}", "field")
        for code in lists.get("allow", ()):
            if not re.fullmatch(r"[IT]\d{3}", code):
                kind = "of a check of templates or items, as I018"
                self._report(f"allow: {code!r} is not the code {kind}", "allow")
        named = [(key, n) for key in ("may_repeat", "attractors") for n in lists.get(key, ())]
        named += [("controller", values["controller"])] if values.get("controller") else []
        for key, name in named:
            if name not in slots:
                near = candidates("slots", slots, name)
                self._report(f"{key}: there is no slot {name!r} {near}", key)

    def _conditions(self) -> Iterator[TemplateLine]:
        for number, text in self.lines:
            match = _LINE.fullmatch(text)
            if not match:
                self._report(f"not a line of the form `name: sentence`: {text!r}", number)
                continue
            try:
                parts = (
                    p._replace(value=renamed(p.value, self.names)) if p.kind == "expression" else p
                    for p in read_parts(match[2])
                )
                yield TemplateLine(match[1], tuple(parts), number, match[2])
            except TemplateSyntaxError as error:
                self._report(in_plain_words(error.message), number)
            except ValueError as error:
                self._report(str(error), number)

    def _check_conditions(
        self,
        conditions: Sequence[TemplateLine],
        also: Sequence[TemplateLine],
        predictions: Sequence[str],
    ) -> None:
        names, line = [c.name for c in conditions], conditions[0].line
        if predictions or not {"good", "bad"} & set(names):
            if len(set(names)) < len(names):
                self._report(f"two lines have the same name: {names}", line)
            elif not predictions:
                self._report(f"the conditions {names} need `predictions`", line)
            for other in also:
                self._report(f"a line `{ALSO}` belongs to a minimal pair", other.line)
            return
        if names[0] != "good" or set(names) != {"good", "bad"} or names.count("good") > 1:
            wanted = "a minimal pair is a line `good` and then lines `bad`"
            self._report(f"{wanted}, found {names}", line)
        seen: dict[str, TemplateLine] = {}
        for condition in conditions:
            same = seen.setdefault(" ".join(condition.source.split()), condition)
            if same is not condition:
                which = "the good one" if same.name == "good" else f"that of line {same.line}"
                self._report(f"this bad line is equal to {which}", condition.line)


def _all_texts(fields: Mapping[str, Entry]) -> Iterator[str]:
    """Yield all texts in some fields, without their keys, but for tests (``if A: B``)."""
    for key, entry in fields.items():
        yield from filter(None, (entry.text, key if key.startswith("if ") else None))
        items = {str(number): item for number, item in enumerate(entry.items)}
        yield from _all_texts({**items, **entry.fields})


def _pair_line(
    side: str, pair: Mapping[str, str], conditions: Mapping[str, TemplateLine]
) -> TemplateLine:
    """Return a condition of a suite as the line of one side of a pair.

    Its regions are dropped; the words that the pair names as ``critical`` become the only region.
    Raises ``ValueError`` if there is no such condition, or if it does not have these words.
    """
    name, critical = pair.get(side, ""), pair.get("critical", "")
    if name not in conditions:
        near = candidates("lines", list(conditions), name)
        raise ValueError(f"{side}: there is no line {name!r} {near}")
    line = conditions[name]
    shown = {"text": "{}", "expression": "{{{{ {} }}}}"}
    source = "".join(shown[p.kind].format(p.value) for p in line.parts if p.kind in shown)
    if critical not in source:
        raise ValueError(f"critical: line {name!r} has no {critical!r}")
    if critical:
        source = source.replace(critical, f"[critical: {critical}]", 1)
    return TemplateLine(side, tuple(read_parts(source)), line.line, source)
