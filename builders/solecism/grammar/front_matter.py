"""Read YAML in which every scalar is a text (``no`` is Norwegian) and has a path and a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import yaml

from solecism.errors import InputError, fail
from solecism.inputs import read_toml


@dataclass(frozen=True, eq=False)
class Entry:
    """A YAML node: a text, a list or a mapping.

    ``path`` and ``line`` are its place; a value has the line of its key.
    """

    path: str = ""
    line: int = 0
    text: str | None = None
    items: tuple[Entry, ...] = ()
    fields: Mapping[str, Entry] = field(default_factory=dict)

    def fault(self, message: str) -> InputError:
        """Return the error that something is wrong here."""
        return fail(message, self.path, self.line)

    def tests(self) -> tuple[str, ...]:
        """Return the tests in an entry; the mapping ``if A: B`` becomes ``not (A) or (B)``.

        Raises :class:`InputError` for other mappings.
        """
        if self.text is not None:
            return (self.text,)
        for key, entry in self.fields.items():
            if not key.startswith("if ") or entry.text is None:
                raise entry.fault("a test, a list of tests or `if TEST: TEST` is wanted here")
        implied = [f"not ({key[3:]}) or ({entry.text})" for key, entry in self.fields.items()]
        return (*implied, *(test for item in self.items for test in item.tests()))

    def texts(self) -> tuple[str, ...]:
        """Return a text or a list of texts as a tuple; raises :class:`InputError`."""
        if self.text is not None:
            return (self.text,)
        if self.fields or any(item.text is None for item in self.items):
            raise self.fault("a text or a list of texts is wanted here")
        return tuple(item.text or "" for item in self.items)


_FAST = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@lru_cache(maxsize=1 << 10)
def read_front_matter(text: str, path: str = "", first: int = 1) -> Entry:
    """Return front matter that begins in line ``first`` of its file; the result is cached.

    Raises :class:`InputError` for bad YAML and a key given twice.
    """
    try:
        try:
            node = yaml.compose(text, Loader=_FAST)
        except yaml.YAMLError:  # PyYAML explains faults better than libyaml
            node = yaml.compose(text, Loader=yaml.BaseLoader)
    except RecursionError:
        raise fail("YAML: too many lists are inside one another", path, first) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line if mark else 0
        raise fail(f"YAML: {_plain(error.problem or '')}", path, first + line) from None
    except yaml.reader.ReaderError as error:
        message = f"YAML: character {error.character:#x}: {error.reason}"
        raise fail(message, path, first + text.count("\n", 0, error.position)) from None
    if not isinstance(node, yaml.MappingNode):
        raise fail("the front matter must be `key: value` lines", path, first)
    return _entry(node, path, first, set())


_PLAIN: dict[str, str] = read_toml(Path(__file__).with_suffix(".toml"))["plain"]
"""What the parser says of frequent mistakes, and what an author should look for."""


def _plain(problem: str) -> str:
    """Return a problem with what to look for, if it is a frequent one."""
    for pattern, words in _PLAIN.items():
        if match := re.search(pattern, problem):
            return f"{match.expand(words)} ({problem})"
    return problem


def _entry(node: yaml.Node, path: str, first: int, seen: set[yaml.Node]) -> Entry:
    here = Entry(path, first + node.start_mark.line)
    if node in seen:  # by aliases of aliases a short text of others could grow without end
        message = "is named by an alias: a text that begins with & or * must be in quotes"
        raise fail(f"YAML: what stands here {message}", path, here.line)
    seen.add(node)
    if isinstance(node, yaml.ScalarNode):
        return replace(here, text=node.value)
    if isinstance(node, yaml.SequenceNode):
        return replace(here, items=tuple(_entry(item, path, first, seen) for item in node.value))
    fields: dict[str, Entry] = {}
    for key, value in node.value:
        line = first + key.start_mark.line
        if not isinstance(key, yaml.ScalarNode):
            raise fail("a key must be a text", path, line)
        if key.value in fields:
            raise fail(f"key {key.value!r} stands twice", path, line)
        fields[key.value] = replace(_entry(value, path, first, seen), line=line)
    return replace(here, fields=fields)
