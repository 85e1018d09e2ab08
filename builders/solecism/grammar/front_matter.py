"""YAML in which every scalar is text (``no`` is Norwegian) and every value knows its line."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import yaml


class FrontMatterError(Exception):
    """An error in YAML, with its line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message, self.line = message, line


@dataclass(frozen=True)
class Entry:
    """A YAML node with its line: a text, a list or a mapping (a value has the line of its key)."""

    line: int
    text: str | None = None
    items: tuple[Entry, ...] = ()
    fields: Mapping[str, Entry] = dataclasses.field(default_factory=dict)

    def tests(self) -> tuple[str, ...]:
        """Return a test or a list of tests; ``if A: B`` (a mapping) is ``not (A) or (B)``.

        Raises :class:`FrontMatterError` for other mappings.
        """
        if self.text is not None:
            return (self.text,)
        for key, entry in self.fields.items():
            if not key.startswith("if ") or entry.text is None:
                message = "a test, a list of tests or `if TEST: TEST` is wanted here"
                raise FrontMatterError(message, entry.line)
        implied = [f"not ({key[3:]}) or ({entry.text})" for key, entry in self.fields.items()]
        return (*implied, *(test for item in self.items for test in item.tests()))

    def texts(self) -> tuple[str, ...]:
        """Return a text or a list of texts as a tuple; raises :class:`FrontMatterError`."""
        if self.text is not None:
            return (self.text,)
        if self.fields or any(item.text is None for item in self.items):
            raise FrontMatterError("a text or a list of texts is wanted here", self.line)
        return tuple(item.text or "" for item in self.items)


_FAST = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def read_front_matter(text: str, first: int = 1) -> Entry:
    """Read front matter that begins in line ``first`` of its file.

    Raises :class:`FrontMatterError` for bad YAML and a key given twice.
    """
    try:
        try:
            node = yaml.compose(text, Loader=_FAST)
        except yaml.YAMLError:  # PyYAML explains faults better than libyaml
            node = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line if mark else 0
        raise FrontMatterError(f"YAML: {_plain(error.problem or '')}", first + line) from None
    except yaml.reader.ReaderError as error:
        message = f"YAML: character {error.character:#x}: {error.reason}"
        raise FrontMatterError(message, first + text.count("\n", 0, error.position)) from None
    if not isinstance(node, yaml.MappingNode):
        raise FrontMatterError("the front matter must be `key: value` lines", first)
    return _entry(node, first)


_PLAIN = (
    (r"mapping values are not allowed", "a text with ': ' in it must be in quotes"),
    (r"found character '\\t'", "a tab: use spaces"),
    (r"found character '(.)' that cannot", r"a text that begins with \1 must be in quotes"),
    (r"alias|anchor", "a text that begins with & or * must be in quotes"),
    (r"unexpected end of stream", "a quotation mark is not closed"),
    (r"expected ',' or '(.)'", r"a comma is missing, or \1 at the end"),
    (r"could not find expected ':'", "a line is not of the form `key: value`"),
    (r"expected the node content, but found '(.)'", r"\1 without its beginning"),
    (r"but found '([}\]])'", r"\1 without its beginning"),
    (r"but found '<scalar>'", "a text goes on after its quotes: put all of it in quotes"),
    (r"expected <block end>", "the line is indented otherwise than those above it"),
)
"""What the parser says of frequent mistakes, and what an author should look for."""


def _plain(problem: str) -> str:
    for pattern, words in _PLAIN:
        if match := re.search(pattern, problem):
            return f"{match.expand(words)} ({problem})"
    return problem


def _entry(node: yaml.Node, first: int) -> Entry:
    line = first + node.start_mark.line
    if isinstance(node, yaml.ScalarNode):
        return Entry(line, text=node.value)
    if isinstance(node, yaml.SequenceNode):
        return Entry(line, items=tuple(_entry(item, first) for item in node.value))
    fields: dict[str, Entry] = {}
    for key, value in node.value:
        line = first + key.start_mark.line
        if not isinstance(key, yaml.ScalarNode):
            raise FrontMatterError("a key must be a text", line)
        if key.value in fields:
            raise FrontMatterError(f"key {key.value!r} stands twice", line)
        fields[key.value] = replace(_entry(value, first), line=line)
    return Entry(first + node.start_mark.line, fields=fields)
