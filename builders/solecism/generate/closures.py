"""Jinja's syntax trees as Python functions: expressions and macros without a template's machinery.

Only the nodes that :mod:`solecism.generate.syntax` allows are known. What Jinja would do with them is done
here in the same way; a template makes a context anew for each value, which costs ten times as much.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from jinja2 import Environment, Undefined, nodes

from solecism.generate.syntax import compared_texts
from solecism.generate.values import Word, printed

__all__ = ["Called", "Closure", "Closures"]

Called = dict[str, Callable[..., Any]]
"""What expressions may call, by name: ``word`` and macros."""

Closure = Callable[[Mapping[str, Any]], Any]
"""Gives the value of an expression for the values of its names."""

_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "lteq": operator.le, "gt": operator.gt,
    "gteq": operator.ge, "in": lambda a, b: a in b, "notin": lambda a, b: a not in b,
}  # fmt: skip


class Closures:
    """Turns the nodes of an environment into functions; a macro may join ``called`` after its callers."""

    def __init__(self, env: Environment, called: Called) -> None:
        self.env, self.called = env, called

    def of(self, node: nodes.Node) -> Closure:
        """Give the function of an expression."""
        made: Closure = getattr(self, f"_{type(node).__name__.lower()}")(node)
        return made

    def macro(self, node: nodes.Macro) -> Callable[..., str]:
        """Give the function of a macro, called as the macro is."""
        names = [argument.name for argument in node.args]
        defaults = dict(zip(reversed(names), map(self.of, reversed(node.defaults)), strict=False))
        body = self.body(node.body)

        def complete(given: dict[str, Any]) -> None:
            for name in names:
                if name not in given:
                    default = defaults.get(name)
                    given[name] = self._missing(name) if default is None else default(given)

        def call(*values: Any, **named: Any) -> str:
            given = dict(zip(names, values, strict=False))
            if named or len(given) < len(names):
                given.update(named)
                complete(given)
            return body(given)

        return call

    def body(self, parts: Sequence[nodes.Node]) -> Callable[[Mapping[str, Any]], str]:
        """Give the function of text, outputs and conditions one after another."""
        made = [piece for part in parts for piece in self._pieces(part)]
        if len(made) == 1:
            return made[0]
        return lambda names: "".join([piece(names) for piece in made])

    def _missing(self, name: str) -> Any:
        return self.env.undefined(f"parameter {name!r} was not provided", name=name)

    def _pieces(self, node: nodes.Node) -> list[Callable[[Mapping[str, Any]], str]]:
        if isinstance(node, nodes.If):
            return [self._if(node)]
        return [self._shown(part) for part in getattr(node, "nodes", ())]

    def _shown(self, node: nodes.Node) -> Callable[[Mapping[str, Any]], str]:
        if isinstance(node, nodes.TemplateData):
            text = node.data
            return lambda names: text
        value = self.of(node)

        def show(names: Mapping[str, Any]) -> str:
            shown = value(names)
            if type(shown) is Word:
                return shown.run.mark(shown)
            return shown if type(shown) is str else str(printed(shown))

        return show

    def _if(self, node: nodes.If) -> Callable[[Mapping[str, Any]], str]:
        cases = [(self.of(case.test), self.body(case.body)) for case in (node, *node.elif_)]
        otherwise = self.body(node.else_)

        def choose(names: Mapping[str, Any]) -> str:
            for test, body in cases:
                if test(names):
                    return body(names)
            return otherwise(names)

        name = _text_asked(node)
        if not name:
            return choose
        known: dict[str, Callable[[Mapping[str, Any]], str]] = {}

        def choose_by_text(names: Mapping[str, Any]) -> str:
            value = names[name]
            text = value.text if type(value) is Word else value
            if type(text) is not str:
                return choose(names)
            if text not in known:
                known[text] = next((body for test, body in cases if test(names)), otherwise)
            return known[text](names)

        return choose_by_text

    def _name(self, node: nodes.Name) -> Closure:
        return operator.itemgetter(node.name)

    def _const(self, node: nodes.Const) -> Closure:
        value = node.value
        return lambda names: value

    def _getattr(self, node: nodes.Getattr) -> Closure:
        value, column, env = self.of(node.node), node.attr, self.env

        def get(names: Mapping[str, Any]) -> Any:
            asked = value(names)
            return asked.lookup(column) if type(asked) is Word else env.getattr(asked, column)

        return get

    def _filter(self, node: nodes.Filter) -> Closure:
        assert node.node is not None
        return self._applied(self.env.filters[node.name], [node.node, *node.args], node.kwargs)

    def _test(self, node: nodes.Test) -> Closure:
        test = cast(Callable[..., Any], self.env.tests[node.name])
        return self._applied(test, [node.node, *node.args], node.kwargs)

    def _call(self, node: nodes.Call) -> Closure:
        assert isinstance(node.node, nodes.Name)
        name, called = node.node.name, self.called
        if name in called:
            return self._applied(called[name], node.args, node.kwargs)
        return self._applied(lambda *a, **k: called[name](*a, **k), node.args, node.kwargs)

    def _applied(
        self, function: Callable[..., Any], arguments: Sequence[nodes.Node], named: Any
    ) -> Closure:
        values = [self.of(argument) for argument in arguments]
        keywords = [(keyword.key, self.of(keyword.value)) for keyword in named or ()]
        if not keywords:
            return lambda names: function(*[value(names) for value in values])
        return lambda names: function(
            *[value(names) for value in values],
            **{key: value(names) for key, value in keywords},
        )

    def _condexpr(self, node: nodes.CondExpr) -> Closure:
        test, first = self.of(node.test), self.of(node.expr1)
        if node.expr2 is None:  # prints as nothing
            return lambda names: first(names) if test(names) else Undefined()
        second = self.of(node.expr2)
        return lambda names: first(names) if test(names) else second(names)

    def _compare(self, node: nodes.Compare) -> Closure:
        first = self.of(node.expr)
        rest = [(_COMPARED[operand.op], self.of(operand.expr)) for operand in node.ops]
        if len(rest) == 1:
            ((test, second),) = rest
            return lambda names: test(first(names), second(names))

        def compare(names: Mapping[str, Any]) -> Any:
            left, outcome = first(names), True
            for test, value in rest:
                right = value(names)
                outcome = test(left, right)
                if not outcome:
                    break
                left = right
            return outcome

        return compare

    def _and(self, node: nodes.And) -> Closure:
        left, right = self.of(node.left), self.of(node.right)
        return lambda names: left(names) and right(names)

    def _or(self, node: nodes.Or) -> Closure:
        left, right = self.of(node.left), self.of(node.right)
        return lambda names: left(names) or right(names)

    def _not(self, node: nodes.Not) -> Closure:
        value = self.of(node.node)
        return lambda names: not value(names)

    def _concat(self, node: nodes.Concat) -> Closure:
        values = [self.of(part) for part in node.nodes]
        return lambda names: "".join([str(value(names)) for value in values])

    def _list(self, node: nodes.List) -> Closure:
        values = [self.of(item) for item in node.items]
        if all(isinstance(item, nodes.Const) for item in node.items):
            made = [value({}) for value in values]
            return lambda names: made
        return lambda names: [value(names) for value in values]

    def _tuple(self, node: nodes.Tuple) -> Closure:
        values = [self.of(item) for item in node.items]
        return lambda names: tuple(value(names) for value in values)


def _text_asked(node: nodes.If) -> str:
    """The name that all tests compare with texts and with nothing else, or ``""``."""
    names = {_compared(case.test) for case in (node, *node.elif_)}
    return names.pop() if len(names) == 1 else ""


def _compared(test: nodes.Node) -> str:
    """The name in ``name == "text"`` and ``name in ["text", ...]`` (and their opposites), or ``""``."""
    if not isinstance(test, nodes.Compare) or not isinstance(test.expr, nodes.Name):
        return ""
    return "" if compared_texts(test) is None else test.expr.name
