"""Words in a rendered text stand between marks, so that each is known again after spelling."""

from __future__ import annotations

import re
from functools import lru_cache

from solecism.words.orthography import Token, tokenize

__all__ = ["MOST", "marked", "tokens_of", "unmarked"]

_OPEN, _LAST_OPEN, _CLOSE = 0xE000, 0xF000, "\uf8ff"
_MARKED = re.compile(f"([\ue000-\uf000])(.*?){_CLOSE}", re.DOTALL)

MOST = _LAST_OPEN - _OPEN
"""Words that one text can mark."""


def marked(text: str, number: int) -> str:
    """Put a form between marks that carry its number among the words printed (below ``MOST``)."""
    return f"{chr(_OPEN + number)}{text}{_CLOSE}"


def unmarked(text: str) -> str:
    """Take the marks out of a rendered text."""
    return _MARKED.sub(r"\2", text)


@lru_cache(maxsize=1 << 16)
def tokens_of(text: str, glued: bool) -> tuple[Token, ...]:
    """Split a rendered expression into tokens; ``tags`` hold the number of the marked word."""
    out: list[Token] = []
    plain, *rest = _MARKED.split(text)  # plain text, then a mark, the word in it, plain text, ...
    parts = [(plain, ()), *_words(rest)]
    for part, tags in parts:
        if part:
            out += _tokenized(part, tags, glued)
            glued = not part[-1].isspace()
    return tuple(out)


def _words(rest: list[str]) -> list[tuple[str, tuple[int, ...]]]:
    out: list[tuple[str, tuple[int, ...]]] = []
    for mark, word, plain in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        out += ((word, (ord(mark) - _OPEN,)), (plain, ()))
    return out


@lru_cache(maxsize=1 << 16)
def _tokenized(text: str, tags: tuple[int, ...], glued: bool) -> tuple[Token, ...]:
    return tuple(tokenize(text, tags, glued))
