"""The registry of scoring methods. Each file of this folder has one, or a family of them.

A file lists its methods (:class:`Method`) in ``METHODS``. Help, errors, :func:`solecism.score`,
signatures and names of files all read the registry, so a further file is all that a further method
needs. A file imports nothing that takes long (the model that it is given does the work), so that
``--help`` is fast and needs no torch.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from solecism.errors import candidates, fail

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from solecism.scoring.encoding import Encoded
    from solecism.scoring.items import ItemSet
    from solecism.scoring.normalise import Unigram
    from solecism.scoring.options import ScoreOptions
    from solecism.terminal import Tell

_KINDS = ("pair", "suite", "cloze")


class Reader(Protocol):
    """What reads items with a model.

    ``window``: how many items are scored together; ``tell`` is called with the share of them that
    is done.
    """

    window: int
    tell: Tell


class TextReader(Reader, Protocol):
    """What reads texts with a causal model: one of ours, or one behind a server.

    ``longest``: the number of positions that it has; ``word_level``: it reads the words of
    ``tokens`` columns, those of its ``vocabulary``.
    """

    longest: int
    word_level: bool
    vocabulary: Container[str]

    def encode(self, texts: Sequence[str], offsets: bool = True) -> list[Encoded]:
        """Return the tokens of texts."""

    def with_bos(self, ids: Sequence[int]) -> tuple[list[int], int]:
        """Return ids after BOS, and the first place with a probability."""

    def whole(self, ids: Sequence[int]) -> tuple[list[int], int]:
        """Return the ids of a whole text, as :meth:`with_bos` does."""

    def log_probs(self, rows: Sequence[Sequence[int]]) -> list[NDArray[np.float64]]:
        """Return the natural log probability of every token, 0 for those without."""


R = TypeVar("R", bound=Reader)


@dataclass(frozen=True)
class Run(Generic[R]):
    """A run of a method.

    ``reader`` is a :class:`TextReader` for causal models, a
    :class:`~solecism.scoring.engines.masked.MaskedReader` for masked ones, a
    :class:`~solecism.baselines.ngram.NgramModel` for n-gram models. ``items`` is the whole set.
    ``unigram`` is a unigram model over the model's tokens, if one was named.
    """

    reader: R
    items: ItemSet
    options: ScoreOptions
    unigram: Unigram | None = None


@dataclass(frozen=True)
class Method:
    """A way to score items.

    ``formula`` says in a line what is computed. ``items`` is the kind of items that it is for
    (``pair``, ``suite``, ``cloze``), ``models`` are the kinds of models (``causal``, ``masked``,
    ``n-gram``); two methods may share a name if they are for different ones. ``usual``: it is taken
    for these items and models where none is named. ``options`` are the options of
    :func:`solecism.score` that matter to it. ``signed`` is its name in signatures where that is
    another one; ``further`` returns parts that its signature has besides. ``window``: how many
    items go together, if the model does not say it (0).
    """

    name: str
    formula: str
    items: str
    models: tuple[str, ...]
    score: Callable[[Iterable[pa.Table], Run[Any]], Iterator[pa.Table]]
    usual: bool = False
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    signed: str = ""
    further: Callable[[Run[Any]], dict[str, str]] = lambda _: {}
    window: int = 0


@cache
def methods() -> tuple[Method, ...]:
    """Return all methods: those for pairs, suites, cloze items, of each the usual ones first."""
    names = sorted(module.name for module in iter_modules(__path__))
    found = [m for name in names for m in import_module(f"{__name__}.{name}").METHODS]
    return tuple(sorted(found, key=lambda method: (_KINDS.index(method.items), not method.usual)))


def method_names(*, items: str = "", model: str = "", usual: bool = False) -> list[str]:
    """Return the names of the methods for kinds of items and models, or of the usual ones.

    >>> method_names(items="suite")
    ['region']
    """
    fitting = (m for m in methods() if items in ("", m.items) and (not model or model in m.models))
    return list(dict.fromkeys(m.name for m in fitting if m.usual or not usual))


def choose(
    name: str | None, items: ItemSet, spec: str, kind_of: Callable[[], str], model: str
) -> tuple[Method, str]:
    """Return the method of a name, or the usual one, for items and a model, and the model's kind.

    ``kind_of`` returns the kind of the model; it is not asked where the name says it. Raises
    :class:`InputError` where the method is for other items or other models.
    """
    fitting = [method for method in methods() if method.items == items.kind]
    named = [method for method in fitting if name is None or name in (method.name, *method.aliases)]
    if not named:
        near = candidates("methods", method_names(items=items.kind), name or "")
        raise fail(f"method {name!r} is not for the {items.kind} items of {spec!r} {near}")
    items.require_pairs()
    kinds = {kind for method in named for kind in method.models}
    kind = "n-gram" if kinds == {"n-gram"} else kind_of()
    able = [method for method in named if kind in method.models]
    if able:
        return able[0], kind
    names = method_names(items=items.kind, model=kind)
    if names:
        near = candidates("methods", names)
        raise fail(f"method {name!r} is not for {kind} models, as {model!r} {near}")
    near = candidates("methods", method_names(model=kind))
    raise fail(f"the {items.kind} items of {spec!r} are not for {kind} models, as {model!r} {near}")
