"""The parts of a template's line: plain text, expressions, and where regions begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from jinja2 import Environment

__all__ = ["Part", "read_parts"]

_REGION = re.compile(r"\\([\[\]\\])|\[([A-Za-z_][\w-]*):\s?|\]")
_LEXER = Environment(autoescape=True)  # only its lexer is used


@dataclass(frozen=True)
class Part:
    """A part of a line: ``kind`` is ``text``, ``expression``, ``open`` or ``close`` (of a region)."""

    kind: str
    value: str


def read_parts(text: str) -> Iterator[Part]:
    """Cut a sentence into parts.

    Raises ``TemplateSyntaxError`` for bad Jinja, ``ValueError`` for a block, a stray mark, a region that is
    not closed or stands in another, and for a sentence without anything in it.
    """
    depth, empty = 0, True
    for part in _pieces(text):
        empty = empty and (part.kind in ("open", "close") or not part.value.strip())
        depth += {"open": 1, "close": -1}.get(part.kind, 0)
        if depth not in (0, 1):
            raise ValueError("a region `[name: ...]` inside another, or `]` without `[name:`")
        yield part
    if depth:
        raise ValueError("a region `[name: ...]` is not closed")
    if empty:
        raise ValueError("the line has no sentence")


def _pieces(text: str) -> Iterator[Part]:
    for part in _jinja_parts(text):
        yield from [part] if part.kind == "expression" else _region_parts(part.value)


def _jinja_parts(text: str) -> Iterator[Part]:
    inside: str | None = None
    for _, kind, value in _LEXER.lex(text):
        if kind in ("block_begin", "raw_begin"):
            raise ValueError("a block `{% ... %}` is not allowed in a line")
        if kind == "data":
            yield _plain(value)
        elif kind == "variable_end":
            yield Part("expression", (inside or "").strip())
            inside = None
        elif kind == "variable_begin":
            inside = ""
        elif inside is not None:  # else it is a part of a comment
            inside += value
    if inside is not None:
        raise ValueError(f"`{{{{{inside}` is not closed by `}}}}`")


def _plain(text: str) -> Part:
    for close, begin in ("}}", "{{"), ("%}", "{%"), ("#}", "{#"):
        if close in text:
            raise ValueError(f"`{close}` without `{begin}`")
    return Part("text", text)


def _region_parts(text: str) -> Iterator[Part]:
    place, literal = 0, ""
    for match in _REGION.finditer(text):
        literal += text[place : match.start()]
        place = match.end()
        if match[1]:
            literal += match[1]
            continue
        if literal:
            yield Part("text", literal)
            literal = ""
        yield Part("open", match[2]) if match[2] else Part("close", "")
    literal += text[place:]
    if literal:
        yield Part("text", literal)
