"""What may be written in templates: expressions, macros and lines, read by Jinja's parser.

Jinja parses; everything else happens here, in ``uses.py`` and in ``compiler.py``. A template cannot
loop, assign, do arithmetic, reach Python attributes or call anything but ``word`` and macros:
:func:`refused` accepts only the nodes that :data:`EXPRESSION` and :data:`PHRASE` list.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, nodes

from solecism.grammar.words import TemplateFault
from solecism.inputs import read_toml, unseen
from solecism.lexicon.typical import TYPICAL

_KNOWN = read_toml(Path(__file__).with_suffix(".toml"))


_PLAIN: dict[str, str] = _KNOWN["plain"]
"""What Jinja says of frequent mistakes, and what an author should look for."""


def in_plain_words(message: str | None) -> str:
    """Return what Jinja says of a mistake, with what to look for."""
    said = f"Jinja: {message}".rstrip(".")
    for pattern, words in _PLAIN.items():
        if re.search(pattern, said):
            return f"{said} ({words})"
    return said


EXPRESSION: tuple[type[nodes.Node], ...] = (
    nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr, nodes.Filter, nodes.Call,
    nodes.Keyword, nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Test,
    nodes.Concat, nodes.List, nodes.Tuple,
    nodes.Pair, nodes.Slice,  # these stand only in what is refused
)  # fmt: skip


PHRASE: tuple[type[nodes.Node], ...] = (
    *EXPRESSION, nodes.Template, nodes.Macro, nodes.If,
)  # fmt: skip


_DEEPEST = 60
"""The most expressions and blocks inside one another: more would be too many for the compiler."""


_TOO_DEEP = "too many expressions are inside one another"


_QUOTED = r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""


_NAMES = re.compile(rf"{_QUOTED}|(?<![\w.])([^\W\d]\w*)\b(?!\s*=(?!=))")
"""Matches the quoted texts and the names in an expression, but not properties and keywords."""


_CALLED: dict[str, str] = _KNOWN["called"]


def renamed(source: str, names: Mapping[str, str]) -> str:
    """Return the source of an expression with other names in place of some of its names.

    >>> renamed('the.lemma == "the"', {"the": "it"})
    'it.lemma == "the"'
    """
    return _NAMES.sub(lambda match: match[1] or names.get(match[2], match[2]), source)


def parsed(parse: Callable[[], nodes.Node]) -> Any:
    """Return the syntax tree that a function of Jinja makes.

    Raises ``TemplateSyntaxError``, and :class:`TemplateFault` for a tree that is too deep.
    """
    try:
        tree = parse()
    except ValueError:
        raise TemplateFault("a number has thousands of digits") from None
    except RecursionError:
        raise TemplateFault(_TOO_DEEP) from None
    level: list[nodes.Node] = [tree]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in node.iter_child_nodes()]
    if level:
        raise TemplateFault(_TOO_DEEP)
    return tree


def refused(tree: nodes.Node, allowed: tuple[type[nodes.Node], ...]) -> Iterator[tuple[int, str]]:
    """Yield line and message for nodes that are not ``allowed``; only names can be called."""
    for node in (tree, *tree.find_all(nodes.Node)):
        if message := _refusal(node, allowed):
            inner = (one.lineno for one in node.find_all(nodes.Node) if one.lineno)
            yield node.lineno or next(inner, 1), message  # some nodes have no line


def _refusal(node: nodes.Node, allowed: tuple[type[nodes.Node], ...]) -> str:
    keywords = [keyword.key for keyword in getattr(node, "kwargs", None) or ()]
    if not isinstance(node, allowed):
        return f"{name_of(node)} is not allowed here"
    if isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
        return f"attribute {node.attr!r} is not allowed"
    if isinstance(node, nodes.Call) and not isinstance(node.node, nodes.Name):
        return "only a macro and `word` can be called"
    if getattr(node, "dyn_args", None) or getattr(node, "dyn_kwargs", None):
        return "* and ** are not allowed here"
    if len(set(keywords)) < len(keywords):
        return "a keyword stands twice"
    hidden = unseen(str(node.value)) if isinstance(node, nodes.Const) else ()
    return "".join([f"{name} is not allowed" for _, name in hidden][:1])


def name_of(node: nodes.Node) -> str:
    if isinstance(node, (nodes.BinExpr, nodes.UnaryExpr)):
        return "arithmetic"
    return _CALLED.get(type(node).__name__, type(node).__name__)


def wrong_calls(tree: nodes.Node, macros: Mapping[str, nodes.Macro]) -> Iterator[tuple[int, str]]:
    """Yield line and message for calls of macros with too many or too few arguments."""
    for call in tree.find_all(nodes.Call):
        macro = macros.get(call.node.name) if isinstance(call.node, nodes.Name) else None
        if macro is None:
            continue
        names = [argument.name for argument in macro.args]
        given = [*names[: len(call.args)], *(keyword.key for keyword in call.kwargs)]
        used = {name.name for name in macro.find_all(nodes.Name) if name.ctx == "load"}
        wanted = used & set(names[: len(names) - len(macro.defaults)])
        twice = len(set(given)) < len(given) or len(call.args) > len(names)
        if twice or not wanted <= set(given) <= set(names):
            listed = ", ".join(names) or "none"
            yield call.lineno, f"macro {macro.name!r} takes the arguments: {listed}"


def misplaced(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """Yield line and message for what stands outside macros but is no macro or text."""
    for node in tree.body:
        if isinstance(node, nodes.Macro):
            for inner in node.find_all(nodes.Macro):
                yield inner.lineno, f"a macro inside macro {node.name!r}"
        elif not isinstance(node, nodes.Output) or any(
            not isinstance(inner, nodes.TemplateData) for inner in node.nodes
        ):
            yield node.lineno, "only macros may stand here"


def typical_asked(test: nodes.Node) -> tuple[str, str, str] | None:
    """Return ``x``, ``y`` and ``Role`` of ``x is typical(y.Role)``; None for anything else."""
    if not isinstance(test, nodes.Test) or test.name != TYPICAL or test.kwargs:
        return None
    argument = test.args[0] if len(test.args) == 1 else None
    word, head = test.node, getattr(argument, "node", None)
    if not isinstance(argument, nodes.Getattr) or not isinstance(word, nodes.Name):
        return None
    return (word.name, head.name, argument.attr) if isinstance(head, nodes.Name) else None


_REGION = re.compile(r"\\([\[\]\\])|\[([A-Za-z_][\w-]*):\s?|\]")


_LEXER = Environment(autoescape=True)  # only its lexer is used


class LinePart(NamedTuple):
    """A part of a line; ``kind``: text, expression, or ``open`` or ``close`` of a region."""

    kind: str
    value: str


def read_parts(text: str) -> Iterator[LinePart]:
    """Cut a sentence into parts.

    Raises ``TemplateSyntaxError`` for bad Jinja, ``ValueError`` for a block, a stray mark, a region
    that is not closed or stands in another, and for a sentence without anything in it.
    """
    depth, empty = 0, True
    jinja_parts = _jinja_parts(text)
    pieces = ([p] if p.kind == "expression" else _region_parts(p.value) for p in jinja_parts)
    for part in chain.from_iterable(pieces):
        empty = empty and (part.kind in ("open", "close") or not part.value.strip())
        depth += {"open": 1, "close": -1}.get(part.kind, 0)
        if depth not in (0, 1):
            raise ValueError("a region `[name: ...]` inside another, or `]` without `[name:`")
        yield part
    if depth:
        raise ValueError("a region `[name: ...]` is not closed")
    if empty:
        raise ValueError("the line has no sentence")


def _jinja_parts(text: str) -> Iterator[LinePart]:
    """Cut a sentence into expressions and the texts between them; raises ``ValueError``."""
    inside: str | None = None
    for _, kind, value in _LEXER.lex(text):
        if kind in ("block_begin", "raw_begin"):
            raise ValueError("a block `{% ... %}` is not allowed in a line")
        if kind == "data":
            yield LinePart("text", value)
        elif kind == "variable_end":
            yield LinePart("expression", (inside or "").strip())
        if kind in ("variable_begin", "variable_end"):
            inside = "" if kind == "variable_begin" else None
        elif inside is not None:  # otherwise it is a part of a comment
            inside += value
    if inside is not None:
        raise ValueError(f"`{{{{{inside}` is not closed by `}}}}`")


def _region_parts(text: str) -> Iterator[LinePart]:
    """Cut a text at the marks of regions; raises ``ValueError`` for a stray ``}}``."""
    if stray := re.search(r"[}%#]\}", text):
        raise ValueError(f"`{stray[0]}` without `{stray[0][::-1].replace('}', '{')}`")
    place, literal = 0, ""
    for match in _REGION.finditer(text):
        literal += text[place : match.start()]
        place = match.end()
        if match[1]:
            literal += match[1]
            continue
        if literal:
            yield LinePart("text", literal)
            literal = ""
        yield LinePart("open", match[2]) if match[2] else LinePart("close", "")
    literal += text[place:]
    if literal:
        yield LinePart("text", literal)
