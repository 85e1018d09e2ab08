"""Keys by which matches are counted: a feature of a node, or something of an edge.

Source: https://grew.fr/doc/clustering.
"""

from __future__ import annotations

from collections.abc import Callable

import regex

from solecism.errors import fail, unknown_error
from solecism.query.graph import Graphs, Maps, label_features
from solecism.query.request import Request

Key = Callable[[Graphs, Maps], list[str]]
UNDEFINED = "__undefined__"
EDGE_KEYS = ("label", "length", "delta", "1", "2", "deep")
"""What an edge has."""
_PATH = regex.compile(r"(\w+\$?)\.(\w+(?:/\w+)*)")
_DISTANCE = regex.compile(r"(length|delta)\(\s*(\w+\$?)\s*,\s*(\w+\$?)\s*\)")


def read_key(text: str, request: Request, path: str) -> Key:
    """Return what a key has for each map; raises :class:`InputError` for names that are not in the
    pattern."""
    if match := _DISTANCE.fullmatch(text):
        kind, first, second = match.groups()
        for name in (first, second):
            _known(name, request, path)
        return _distance(kind, first, second)
    if not (match := _PATH.fullmatch(text)):
        raise fail(f"no key: {text!r} (as S.Case, e.label, e.length, delta(X,Y))", path)
    name, feature = match.groups()
    if name not in request.edges:
        _known(name, request, path)
        return lambda graphs, maps: _values(graphs, maps, name, feature.split("/"))
    above, below = request.edges[name]
    if feature in ("length", "delta"):
        return _distance(feature, above, below)
    return lambda graphs, maps: [
        label if feature == "label" else label_features(label).get(feature, UNDEFINED)
        for label in graphs.labels[maps[below]].texts()
    ]


def _known(name: str, request: Request, path: str) -> None:
    names = [*request.pattern.names, *request.edges]
    if name not in names:
        raise unknown_error("the pattern does not bind", name, "names", names, path)


def _values(graphs: Graphs, maps: Maps, name: str, features: list[str]) -> list[str]:
    """Return the first of some features that is there, for each map."""
    columns = [graphs.column(feature)[maps[name]].texts() for feature in features]
    return [next(filter(None, values), UNDEFINED) for values in zip(*columns, strict=True)]


def _distance(kind: str, first: str, second: str) -> Key:
    def of(graphs: Graphs, maps: Maps) -> list[str]:
        delta = (maps[second] - maps[first]).tolist()
        return [str(abs(one) if kind == "length" else one) for one in delta]

    return of
