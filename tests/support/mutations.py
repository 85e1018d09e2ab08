"""Mutations of JSON by its structure: other types, missing keys, nonsense in the place of the
whole."""

import copy
from collections.abc import Iterator
from typing import Any

OTHERS = (None, [], {}, "x", -1, 1.5, True, [[]], {"x": []}, "../x", "\0", 10**30)
"""What stands in the place of a value."""


def mutations(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield whole values with one thing changed, each with the place and what stands there.

    Of a list only the first element is looked into.
    """
    for other in OTHERS:
        yield f"{other!r:.20}", other
    for place in _places(value):
        name = ".".join(map(str, place))
        yield f"{name} is gone", _changed(value, place, gone=True)
        for other in OTHERS:
            yield f"{name} is {other!r:.20}", _changed(value, place, other)


def _places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        inside = list(value.items())
    else:
        inside = list(enumerate(value[:1])) if isinstance(value, list) else []
    for key, below in inside:
        yield (*above, key)
        yield from _places(below, (*above, key))


def _changed(value: Any, place: tuple[Any, ...], other: Any = None, gone: bool = False) -> Any:
    made = copy.deepcopy(value)
    holder = made
    for key in place[:-1]:
        holder = holder[key]
    if gone:
        del holder[place[-1]]
    else:
        holder[place[-1]] = other
    return made
