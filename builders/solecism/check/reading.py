"""Checks of reading: what the readers and the engine refuse, under a code.

The docstring of a check is its message and, below, what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterator

from solecism.check.finding import Hit, hits
from solecism.errors import InputError

__all__ = ["classes_unreadable", "orthography_unreadable", "phrases_unreadable", "table_unreadable",
           "template_unbound", "template_undrawable", "template_unreadable", "template_unseen"]  # fmt: skip


def table_unreadable(error: InputError) -> Iterator[Hit]:
    """A lexicon table cannot be read.

    Correct what is named: the header, a cell, the encoding (`docs/formats.md`, Lexicon tables).
    """
    return hits(error)


def classes_unreadable(error: InputError) -> Iterator[Hit]:
    """The hierarchy of classes cannot be read.

    Every parent must be a class of its own line, none may stand below itself (`docs/formats.md`,
    classes.tsv).
    """
    return hits(error)


def orthography_unreadable(error: InputError) -> Iterator[Hit]:
    """The spelling rules cannot be read.

    Correct the rule that is named (`docs/formats.md`, Orthography).
    """
    return hits(error)


def template_unreadable(error: InputError) -> Iterator[Hit]:
    """A template cannot be read.

    Correct the front matter or the line that is named (`docs/formats.md`, Templates).
    """
    return hits(error)


def phrases_unreadable(error: InputError) -> Iterator[Hit]:
    """The macros of a language cannot be read.

    Correct `_phrases.jinja`; the templates of the language are not checked further until then.
    """
    return hits(error)


def template_unbound(error: InputError) -> Iterator[Hit]:
    """A template does not fit the lexicon.

    It names a slot, macro, table, column or value that does not exist, or no word fits.
    """
    return hits(error)


def template_undrawable(error: InputError) -> Iterator[Hit]:
    """No items can be drawn from a template.

    A form is ambiguous or lacking, or the words allow fewer items than `draw` wants.
    """
    return hits(error)


def template_unseen(error: InputError) -> Iterator[Hit]:
    """A template holds characters that cannot be seen.

    Remove control characters (but tabs), direction marks, zero-width and private-use characters; nothing
    reads the file until then. The joiners that Persian and Indic scripts need may follow a letter.
    """
    return hits(error)
