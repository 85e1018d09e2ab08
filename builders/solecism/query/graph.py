"""The sentences of a treebank as graphs, as Grew sees them.

A sentence is its words and, before them, an *anchor*, on which its roots depend. All nodes of a
chunk are numbered: each anchor, then its words. Source: https://grew.fr/doc/conllu.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solecism.treebank.conllu import Coded, Flags, Ints, Tokens

_FIELDS = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos"}
_TEXTS = {"textform", "wordform"}


def features_of(text: str) -> dict[str, str]:
    """Return the features of a FEATS or MISC text, as annotated."""
    return dict(part.split("=", 1) for part in text.split("|") if "=" in part)


def label_features(label: str) -> dict[str, str]:
    """Return the features of a relation: its parts 1 and 2, and what is behind ``@``.

    >>> label_features("comp:aux@pass")
    {'1': 'comp', '2': 'aux', 'deep': 'pass'}
    """
    rest, _, deep = label.partition("@")
    first, _, second = rest.partition(":")
    parts = {"1": first, "2": second, "deep": deep}
    return {name: part for name, part in parts.items() if part}


class Graphs:
    """The graphs of a chunk.

    ``sentence``: the number of each node's sentence; ``anchor``: the anchor of each sentence;
    ``head``: the node on which each node depends, -1 for an anchor; ``labels``: its relation to it.
    """

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        words, sentences = len(tokens), len(tokens.sentences)
        self.size = words + sentences
        self.anchor = tokens.sentences.start + np.arange(sentences)
        self.node = np.arange(words) + tokens.sentence + 1
        self.sentence = np.repeat(
            np.arange(sentences), tokens.sentences.end - tokens.sentences.start + 1
        )
        self.head = np.full(self.size, -1)
        self.head[self.node] = np.where(
            tokens.head < 0, self.anchor[tokens.sentence], self.node[tokens.head]
        )
        self.labels = self._with_anchors(tokens.deprel)
        self._columns: dict[str, Coded] = {}

    @cached_property
    def position(self) -> Ints:
        """The place of each node in its sentence; an anchor has 0."""
        return np.arange(self.size) - self.anchor[self.sentence]

    @cached_property
    def row(self) -> Ints:
        """The row of each node in the tokens; -1 for an anchor."""
        rows = np.full(self.size, -1)
        rows[self.node] = np.arange(len(self.node))
        return rows

    @cached_property
    def dependents(self) -> tuple[Ints, Ints]:
        """All words in the order of their heads, and where the dependents of each node begin."""
        order = self.node[np.argsort(self.head[self.node], kind="stable")]
        return order, np.searchsorted(self.head[order], np.arange(self.size + 1))

    def column(self, name: str) -> Coded:
        """Return the values of a feature, empty where a node does not have it.

        Features are form, lemma, upos, xpos, textform, wordform, those of FEATS, and those of MISC;
        ``Number__psor`` is ``Number[psor]``, ``__MISC__Case`` is the Case in MISC.
        """
        if name not in self._columns:
            self._columns[name] = self._read(name)
        return self._columns[name]

    def flags(self, name: str, test: Callable[[str], object]) -> Flags:
        """Return flags of the nodes that have a feature whose value passes a test."""
        return passing(self.column(name), test)

    def _read(self, name: str) -> Coded:
        tokens = self.tokens
        if name == "form":
            return self._with_anchors(tokens.forms, "__0__")
        if name == "__id__":
            return Coded(np.arange(self.size), tuple(map(str, range(self.size))))
        if name in _FIELDS:
            coded: Coded = getattr(tokens, _FIELDS[name])
            values = tuple("" if value == "_" else value for value in coded.values)
            return self._with_anchors(Coded(coded.codes, values))
        if name.startswith("__MISC__"):
            return self._of(_values(tokens.misc, name.removeprefix("__MISC__")))
        first, layered, layer = name.partition("__")
        found = _values(tokens.feats, f"{first}[{layer}]" if layered and layer else name)
        other = _values(tokens.misc, name)
        found = np.where(found == "", other, found)
        if name in _TEXTS:
            found = np.where(found == "", self._texts(name), found)
        return self._of(found)

    def _texts(self, name: str) -> NDArray[np.object_]:
        """Return the form of each word, or what is written of it: the first word of a token has
        the token's form, the others have ``_``."""
        tokens = self.tokens
        forms = np.array(tokens.forms.texts(), object)
        if name == "textform":
            forms = np.array(tokens.surface.texts(), object)[tokens.written]
            forms[1:][tokens.written[1:] == tokens.written[:-1]] = "_"
        return forms

    def _of(self, texts: NDArray[np.object_]) -> Coded:
        return self._with_anchors(Coded.of(texts.tolist()))

    def _with_anchors(self, words: Coded, anchor: str = "") -> Coded:
        codes = np.full(self.size, len(words.values))
        codes[self.node] = words.codes
        return Coded(codes, (*words.values, anchor))


def _values(feats: Coded, name: str) -> NDArray[np.object_]:
    """Return a feature's value in each FEATS or MISC text, empty where it is not."""
    return feats.table(lambda text: features_of(text).get(name, ""), object)


def passing(column: Coded, test: Callable[[str], object] = bool) -> Flags:
    """Return flags of the values that are there and pass a test."""
    return column.table(lambda value: bool(value) and bool(test(value)), bool)


Maps = Mapping[str, Ints]
"""Maps of a request: the node of each name, map by map; the name ``""`` has the sentences."""


def spread(counts: Ints) -> tuple[Ints, Ints]:
    """Return for rows that stand so many times each: their numbers, and a count from 0 in each.

    >>> [part.tolist() for part in spread(np.array([2, 0, 1]))]
    [[0, 0, 2], [0, 1, 0]]
    """
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
