"""Expressions turned into functions from words to a value: a word, a text, a phrase, a truth."""

from collections.abc import Callable, Mapping, Sequence
from math import inf

from jinja2 import nodes

from solecism.grammar.syntax import name_of, typical_asked
from solecism.grammar.uses import LARGEST
from solecism.grammar.words import Phrase, TemplateFault, Word, joined, printed

Called = Mapping[str, Callable[..., object]]
"""What expressions may call, by name: ``word`` and macros."""


Function = Callable[[Mapping[str, object]], object]
"""A function that returns the value of an expression, given the values of its names."""


FILTERS = {"agree": "agree(x)", "clash": 'clash(x, "Number")', "form": 'form(Number="Plur")'}
"""The filters, which are methods of :class:`Word`, with an example of each."""


_SIGNS = {
    "eq": "==", "ne": "!=", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">=", "in": "in", "notin": "not in",
}  # fmt: skip


class Compiler:
    """Turns syntax trees into functions that call ``called`` and apply ``tests``.

    A tree is written as Python source, which can use only the few functions given to it here. No
    expression that :func:`~solecism.grammar.syntax.refused` accepts can name anything else.
    """

    def __init__(self, called: Called, tests: Called) -> None:
        filters = {name: _filter(name) for name in FILTERS}
        self._called = called
        self._known: dict[str, object] = {
            "__builtins__": {}, "called": called, "tests": tests, "filters": filters, "inf": inf,
            "lookup": _lookup, "printed": printed, "joined": joined, "concat": _concat,
        }  # fmt: skip

    def function(self, node: nodes.Node) -> Function:
        """Return the function of an expression."""
        return self._made(self._python(node))

    def _made(self, source: str) -> Function:
        made: Function = eval(f"lambda names: {source}", self._known)
        return made

    def macro(self, node: nodes.Macro) -> Callable[..., object]:
        """Return the function of a macro, which takes the arguments of the macro."""
        names = [argument.name for argument in node.args]
        optional = names[len(names) - len(node.defaults) :]
        defaults = dict(zip(optional, map(self.function, node.defaults), strict=True))
        body = self._made(f"joined({self._list_of_printed(node.body)})")

        def call(*values: object, **named: object) -> object:
            given = dict(zip(names, values, strict=False)) | named
            for name, default in defaults.items():
                if name not in given:
                    given[name] = default(given)
            made = body(given)
            if sum(len(part) if type(part) is str else 1 for part in printed(made)) > LARGEST:
                raise TemplateFault(f"macro {node.name!r} makes over {LARGEST:,} letters")
            return made

        return call

    def _list_of_printed(self, body: Sequence[nodes.Node]) -> str:
        """Return Python source for a list of all that a part of a macro prints."""
        parts: list[str] = []
        for node in body:
            if isinstance(node, nodes.If):
                cases = [(c.test, self._list_of_printed(c.body)) for c in (node, *node.elif_)]
                chosen = "".join(f"{shown} if {self._python(test)} else " for test, shown in cases)
                parts.append(f"*({chosen}{self._list_of_printed(node.else_)})")
            for part in getattr(node, "nodes", ()):
                text = isinstance(part, nodes.TemplateData)
                parts.append(repr(part.data) if text else f"*printed({self._python(part)})")
        return f"[{', '.join(parts)}]"

    def _python(self, node: nodes.Node) -> str:
        """Return an expression as Python source."""
        match node:
            case nodes.Name():
                return f"names[{node.name!r}]"
            case nodes.Const():
                return repr(node.value)
            case nodes.Getattr():
                return f"lookup({self._python(node.node)}, {node.attr!r})"
            case nodes.Filter() | nodes.Test() | nodes.Call():
                return self._python_of_call(node)
            case nodes.CondExpr():
                other = self._python(node.expr2 or nodes.Const(""))
                return f"({self._python(node.expr1)} if {self._python(node.test)} else {other})"
            case nodes.Compare():
                signs = (f" {_SIGNS[o.op]} {self._python(o.expr)}" for o in node.ops)
                return f"({self._python(node.expr)}{''.join(signs)})"
        return self._python_of_parts(node)

    def _python_of_parts(self, node: nodes.Node) -> str:
        """Return Python source for ``and``, ``or``, ``not``, ``~``, a list or a tuple."""
        parts = [self._python(part) for part in node.iter_child_nodes()]
        match node:
            case nodes.And() | nodes.Or():
                return f"({parts[0]} {type(node).__name__.lower()} {parts[1]})"
            case nodes.Not():
                return f"(not {parts[0]})"
            case nodes.Concat():
                return f"concat({', '.join(parts)})"
            case nodes.List():
                return f"[{', '.join(parts)}]"
            case nodes.Tuple():
                return f"({''.join(f'{part}, ' for part in parts)})"
        raise TemplateFault(f"{name_of(node)} is not allowed here")

    def _python_of_call(self, node: nodes.Filter | nodes.Test | nodes.Call) -> str:
        """Return Python source for a call of a filter, a test, a macro or ``word``."""
        values = [self._python(value) for value in node.args]
        if asked := typical_asked(node):
            values = [f"names[{asked[0]!r}]", f"names[{asked[1]!r}]", repr(asked[2])]
        elif not isinstance(node, nodes.Call):
            assert node.node is not None
            values.insert(0, self._python(node.node))
        name = getattr(node.node if isinstance(node, nodes.Call) else node, "name", "")
        if isinstance(node, nodes.Call) and name not in self._called:
            raise TemplateFault("only a macro and `word` can be called")
        values += [f"**{{{pair.key!r}: {self._python(pair.value)}}}" for pair in node.kwargs]
        kinds = {"Filter": "filters", "Test": "tests", "Call": "called"}
        return f"{kinds[type(node).__name__]}[{name!r}]({', '.join(values)})"


def _lookup(word: object, column: str) -> str:
    """Return the property of a word."""
    if not isinstance(word, Word):
        raise TemplateFault(f"{column!r}: only words have properties")
    return word.lookup(column)


def _concat(*values: object) -> object:
    """Join words, texts and other values, which become texts."""
    texts = [value if isinstance(value, (str, Word, Phrase)) else str(value) for value in values]
    return joined([part for text in texts for part in printed(text)])


def _filter(name: str) -> Callable[..., Word]:
    """Return the filter ``name``: the method of words with that name."""

    def call(word: object, *models: object, **wanted: object) -> Word:
        if not isinstance(word, Word):
            raise TemplateFault(f"{name}: {word!r} is no word")
        try:
            return getattr(word, name)(*models, **wanted)  # type: ignore[no-any-return]
        except TypeError:
            raise TemplateFault(f"{name}: write it as {FILTERS[name]}") from None

    return call
