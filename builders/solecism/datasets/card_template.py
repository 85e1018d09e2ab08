"""The Jinja that a card may be written in: it looks at what was built, and can do nothing else.

Only the syntax, filters and methods listed here are known; texts, steps and seconds are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sized
from functools import partial
from pathlib import Path
from string import Formatter
from time import process_time
from typing import Any

from jinja2 import (
    StrictUndefined,
    Template,
    TemplateSyntaxError,
    Undefined,
    nodes,
    pass_environment,
)
from jinja2.filters import FILTERS, make_attrgetter
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.tests import TESTS
from jinja2.visitor import NodeTransformer

from solecism.errors import InputError, Problem, fail
from solecism.grammar.expression import TOO_DEEP, refused
from solecism.limits import CARD, STEPS

__all__ = ["render"]

_SYNTAX: tuple[type[nodes.Node], ...] = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem,
    nodes.Slice, nodes.Filter, nodes.Test, nodes.Call, nodes.Keyword, nodes.CondExpr, nodes.Compare,
    nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Concat, nodes.List, nodes.Tuple, nodes.If, nodes.For,
    nodes.Assign, nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Neg,
)  # fmt: skip
_FILTERS = (
    "abs", "capitalize", "count", "d", "default", "dictsort", "first", "groupby", "items", "last", "length",
    "list", "lower", "map", "max", "min", "reject", "rejectattr", "select", "selectattr", "sort", "sum",
    "title", "trim", "unique", "upper",
)  # fmt: skip
_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(
        ("endswith", "lower", "removeprefix", "removesuffix", "split", "startswith", "strip", "title", "upper")
    ),
    dict: frozenset(("get", "items", "keys", "values")),
}  # fmt: skip
_FORMAT = re.compile(r"[<>^]?[+ ]?0?\d{0,3}[,_]?(\.\d{1,2})?[a-zA-Z%]?")
_TEXT = CARD // 100
_LARGEST = 10**15
_SECONDS = 10.0


class _Fault(Exception):  # noqa: N818
    """An error for something that a card may not use."""


def render(text: str, path: Path, names: dict[str, object]) -> str:
    """Return the text of a card; ``names`` are the values that it can use.

    Raises :class:`InputError`, with the line of the card, for any error in it.
    """
    environment = _Cards()
    try:
        tree = environment.parse(text)
        problems = list(refused(tree, _SYNTAX, methods=True)) or list(_lists(tree))
        if problems:
            raise InputError(Problem(message, str(path), line) for line, message in problems)
        tree = _CountSteps().visit(tree)
        tree.set_environment(environment)
        code = environment.compile(tree, filename=str(path))
        template = Template.from_code(environment, code, environment.globals)
        return "".join(environment.written(template.generate(names)))
    except InputError:
        raise
    except TemplateSyntaxError as error:
        raise fail(f"Jinja: {error.message}", path, error.lineno) from None
    except Exception as error:
        message = str(error) or type(error).__name__
        if isinstance(error, RecursionError):
            message = TOO_DEEP
        raise fail(f"Jinja: {message}", path, _line(error, path)) from None


def _line(error: BaseException, path: Path) -> int | None:
    """Return the line of the card in which an error arose, from Jinja's traceback."""
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _lists(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """Yield line and message for lists that are not of constants: they could grow without end."""
    lists: list[nodes.List | nodes.Tuple] = [*tree.find_all(nodes.List)]
    lists += (node for node in tree.find_all(nodes.Tuple) if node.ctx != "store")
    for node in lists:
        if not all(isinstance(item, nodes.Const) for item in node.items):
            yield node.lineno, "a list may hold only constants"
    for loop in tree.find_all(nodes.For):
        if loop.recursive:
            yield loop.lineno, "a recursive loop is not allowed"


class _CountSteps(NodeTransformer):
    """A transformer that sends loops, joins and comparisons through filters that count."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802
        """Count the turns of a loop."""
        node.iter = _filtered(node.iter, "counted")
        return self.generic_visit(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        """Join as `join` does."""
        parts = nodes.List(node.nodes, lineno=node.lineno)
        return self.generic_visit(_filtered(parts, "join"))

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802
        """Count a comparison."""
        node.expr = _filtered(node.expr, "watched")
        return self.generic_visit(node)


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


class _Cards(ImmutableSandboxedEnvironment):
    """The environment of one rendering.

    Nothing can be called, filtered, tested or changed but what is named here, and no attribute
    begins with an underscore.
    """

    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "%"))

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, optimized=False,
            finalize=_shown, undefined=StrictUndefined, autoescape=False,
        )  # fmt: skip
        self.steps, self.end = 0, process_time() + _SECONDS
        self.filters = {name: FILTERS[name] for name in _FILTERS}
        self.filters |= {
            "counted": self._counted, "watched": self._watched, "join": _join, "replace": _replace,
        }  # fmt: skip
        self.tests = dict(TESTS)
        self.globals = {"range": _range}

    def spend(self, steps: int = 1) -> None:
        """Count steps; raises :class:`_Fault` if they are too many or took too long."""
        self.steps += steps
        if self.steps > STEPS or process_time() > self.end:
            raise _Fault(f"the card takes more than {STEPS:,} steps or {_SECONDS:g} seconds")

    def written(self, pieces: Iterable[str]) -> Iterator[str]:
        """Yield the pieces of the card; raises :class:`_Fault` if it is too long."""
        size = 0
        for piece in pieces:
            self.spend()
            size += len(piece)
            if size > CARD:
                raise _Fault(f"the card has more than {CARD:,} characters")
            yield piece

    def _counted(self, values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            self.spend()
            yield value

    def _watched(self, value: Any) -> Any:
        self.spend(len(value) // 100 + 1 if isinstance(value, Sized) else 1)
        return value

    def call_filter(self, name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Count the calls of `map` and similar filters."""
        self.spend()
        return super().call_filter(name, value, *args, **kwargs)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute or an entry, or a method that is known to be harmless."""
        if isinstance(obj, str) and attribute == "format":
            return partial(_formatted, obj)
        value = super().getattr(obj, attribute)
        if (
            callable(value)
            and not isinstance(value, Undefined)
            and not self.is_safe_callable(value)
        ):
            raise _Fault(f"{attribute!r} of {type(obj).__name__!r} cannot be used in a card")
        return value

    def unsafe_undefined(self, obj: Any, attribute: str) -> Undefined:
        """Raise an error at once, not when the value is used."""
        raise _Fault(f"{attribute!r} of {type(obj).__name__!r} is unsafe in a card")

    def call(self, context: Any, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a safe function; an undefined name raises an error with its name."""
        self.spend()
        return obj() if isinstance(obj, Undefined) else super().call(context, obj, *args, **kwargs)

    def is_safe_callable(self, obj: Any) -> bool:
        """Return whether this is `range`, `format`, a known method, or undefined."""
        if isinstance(obj, Undefined):
            return True
        owner, name = getattr(obj, "__self__", None), getattr(obj, "__name__", "")
        own = any(isinstance(owner, kind) and name in names for kind, names in _METHODS.items())
        return obj is _range or (isinstance(obj, partial) and obj.func is _formatted) or own

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Calculate, with numbers of a sensible size only."""
        for side in (left, right):
            if not isinstance(side, (int, float)) or abs(side) > _LARGEST:
                raise _Fault(
                    f"{operator!r} wants numbers below 10^15, not {str(type(side).__name__)!r}"
                )
        return super().call_binop(context, operator, left, right)


def _range(*limits: int) -> range:
    if len(range(*limits)) > 1_000:
        raise _Fault("a range has more than 1,000 numbers")
    return range(*limits)


def _shown(value: Any) -> str:
    """Return the text of a value; raises :class:`_Fault` for lists and mappings."""
    if isinstance(value, (list, tuple, dict, set, frozenset)) or hasattr(value, "__next__"):
        raise _Fault(f"a {type(value).__name__} cannot be printed: use `join`")
    text = str(value)
    _limited(len(text))
    return text


def _limited(size: int) -> None:
    if size > _TEXT:
        raise _Fault(f"a text of more than {_TEXT:,} characters")


@pass_environment
def _join(environment: Any, values: Iterable[Any], d: str = "", attribute: Any = None) -> str:
    get: Callable[[Any], Any] = make_attrgetter(environment, attribute) if attribute else _itself
    texts: list[str] = []
    size = 0
    for value in values:
        texts.append(_shown(get(value)))
        size += len(texts[-1]) + len(d)
        _limited(size - len(d))
    environment.spend(len(texts))
    return str(d).join(texts)


def _itself(value: Any) -> Any:
    return value


def _replace(text: str, old: str, new: str) -> str:
    text, old, new = _shown(text), _shown(old), _shown(new)
    _limited(len(text) + text.count(old) * len(new))
    return text.replace(old, new)


def _formatted(text: str, *values: Any, **named: Any) -> str:
    fields = [field for field in Formatter().parse(text) if field[1] is not None]
    for _, name, spec, conversion in fields:
        if not re.fullmatch(r"\w*", name or "") or not _FORMAT.fullmatch(spec or "") or conversion:
            raise _Fault(f"{text[:40]!r}: only simple fields, as {{:,}} or {{:.1f}}, are known")
    longest = max((len(_shown(value)) for value in (*values, *named.values())), default=0)
    _limited(len(text) + len(fields) * (longest + 1_000))
    return text.format(*values, **named)
