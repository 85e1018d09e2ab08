"""Front matter: YAML in which every scalar is text, duplicate keys are refused and lines are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import yaml

from solecism.characters import unseen
from solecism.limits import TooDeepError, check_nesting

__all__ = ["Entry", "FrontMatterError", "read_front_matter"]


class FrontMatterError(Exception):
    """What is wrong with the YAML, and in which of its lines (counted from 1)."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message, self.line = message, line


@dataclass(frozen=True)
class Entry:
    """A YAML node: a text, a list or a mapping of entries, with its line (a value has its key's)."""

    line: int
    text: str | None = None
    items: tuple[Entry, ...] = ()
    fields: Mapping[str, Entry] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """``"text"``, ``"mapping"`` or ``"list"``."""
        return "text" if self.text is not None else "mapping" if self.fields else "list"

    def texts(self) -> tuple[str, ...]:
        """Give a text, or a list of texts, as a tuple; raises :class:`FrontMatterError` otherwise."""
        if self.text is not None:
            return (self.text,)
        if self.fields or any(item.text is None for item in self.items):
            raise FrontMatterError("a text or a list of texts is wanted here", self.line)
        return tuple(item.text or "" for item in self.items)


_FAST = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def read_front_matter(text: str) -> Entry:
    """Read front matter; raises :class:`FrontMatterError` for bad YAML, a key given twice, an alias."""
    try:
        if "&" in text or "*" in text:
            _refuse_references(text)
        node = _compose(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise FrontMatterError(f"YAML: {error.problem}", mark.line + 1 if mark else 1) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise FrontMatterError(
            f"YAML: character {error.character:#x}: {error.reason}", line
        ) from None
    if not isinstance(node, yaml.MappingNode):
        raise FrontMatterError("the front matter must be `key: value` lines", 1)
    return _entry(node)


def _compose(text: str) -> yaml.Node | None:
    """Read with libyaml where there is one; what it refuses is read again by PyYAML, which says more."""
    try:
        check_nesting(text)
        return yaml.compose(text, Loader=_FAST)
    except TooDeepError:
        raise
    except yaml.YAMLError:
        return yaml.compose(text, Loader=yaml.BaseLoader)


def _refuse_references(text: str) -> None:
    for token in yaml.scan(text, Loader=yaml.BaseLoader):
        if isinstance(token, (yaml.AnchorToken, yaml.AliasToken)):
            message = "anchors and aliases are not allowed (quote a text that begins with & or *)"
            raise FrontMatterError(message, token.start_mark.line + 1)


def _entry(node: yaml.Node) -> Entry:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode):
        return Entry(line, text=_seen(node.value, line))
    if isinstance(node, yaml.SequenceNode):
        return Entry(line, items=tuple(map(_entry, node.value)))
    fields: dict[str, Entry] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise FrontMatterError("a key must be a text", key.start_mark.line + 1)
        _seen(key.value, key.start_mark.line + 1)
        if key.value in fields:
            raise FrontMatterError(f"key {key.value!r} stands twice", key.start_mark.line + 1)
        fields[key.value] = replace(_entry(value), line=key.start_mark.line + 1)
    return Entry(line, fields=fields)


def _seen(text: str, line: int) -> str:
    """Give back a text, which YAML may have made of escapes (``"\\u202e"``), if all of it can be seen."""
    for _, name in unseen(text):
        raise FrontMatterError(f"{name} is not allowed", line)
    return text
