"""The expressions and macros of a language: parsed, checked, analysed and compiled.

A template cannot loop, assign, do arithmetic, reach Python attributes or import from outside its data
set: only the syntax nodes that :mod:`solecism.grammar.expression` lists are accepted, and only words have
attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from graphlib import CycleError
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, TemplateSyntaxError, nodes
from jinja2.parser import Parser

from solecism.errors import InputError, Problem, candidates, fail
from solecism.grammar.expression import (
    EXPRESSION,
    PHRASE,
    TOO_DEEP,
    Called,
    Closure,
    Closures,
    Uses,
    WordEnvironment,
    calls_of,
    filters,
    in_order,
    misplaced,
    refused,
    under,
    walk,
    wrong_calls,
)
from solecism.grammar.words import (
    FEATS,
    ROW,
    WHOLE,
    Evaluation,
    TemplateFault,
    Word,
    printed,
)
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import read_lines
from solecism.limits import DEPTH

__all__ = ["FEATS", "PHRASES", "ROW", "WHOLE", "Sandbox", "Uses"]

PHRASES = "_phrases.jinja"


class Sandbox:
    """Expressions of one language of one data set: parsed, checked, analysed and compiled.

    ``folder`` is ``templates/<dataset>/<language>``; imports reach no further than its data set. Raises
    :class:`InputError` for what is wrong with the language's ``_phrases.jinja``.
    """

    def __init__(self, folder: Path, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.run = Evaluation()
        self.path = folder / PHRASES
        self.env = WordEnvironment(
            loader=FileSystemLoader(folder.parent),
            finalize=printed,
        )
        self.env.globals = {"word": self._word}
        self.env.filters = filters()
        tests: dict[str, Any] = {"under": partial(under, hierarchy=lexicon.hierarchy)}
        self.env.tests = tests
        self.memo: dict[Any, Any] = {}
        self._macros: dict[str, nodes.Macro] = {}
        self._known_uses: dict[str, Uses] = {}
        self._trees: dict[str, nodes.Output] = {}
        self._known_closures: dict[str, Closure] = {}
        self._words: dict[tuple[str, ...], Word] = {}
        self._files: dict[str, tuple[dict[str, nodes.Macro], Called]] = {}
        self._heights: dict[nodes.Macro, int] = {}
        self._macro_uses: dict[str, Uses] = {}
        called: Called = {"word": self._word}
        if self.path.exists():
            self._macros, called = self._load_phrases(f"{folder.name}/{PHRASES}", ())
            self._export(f"{folder.name}/{PHRASES}")
        for name in in_order(self._macros):
            macro = self._macros[name]
            self._macro_uses[name] = self._uses(nodes.Output([*macro.body, *macro.defaults]))
        self._closures = Closures(self.env, called, self.run)

    @property
    def macros(self) -> list[str]:
        """The names of the macros that expressions may call."""
        return sorted(self._macros)

    def _word(self, *names: object) -> Word:
        texts = [name for name in names if isinstance(name, str)]
        if len(names) != 2 or len(texts) != 2:
            raise TemplateFault('word wants a table and a lemma: word("det", "le")')
        if (*texts,) not in self._words:
            self._words[(*texts,)] = self._found(*texts)
        return self._words[(*texts,)]

    def _found(self, name: str, lemma: str) -> Word:
        try:
            found = self.lexicon.table(name)
            row = found.row(lemma)
        except InputError as error:
            if any(problem.line for problem in error.problems):
                raise
            raise TemplateFault(error.problems[0].message) from None
        cells = tuple(cell for cell in found.cells if cell in row.forms)
        return Word(row, found, cells, frozenset((*found.columns, *found.feature_names)), self.run)

    def _load_phrases(
        self, name: str, above: tuple[str, ...]
    ) -> tuple[dict[str, nodes.Macro], Called]:
        """Read and check a file of macros (once), and those it imports (``above`` import it).

        Gives its macros as trees and as functions.
        """
        if name not in self._files:
            self._files[name] = self._read_phrases(name, above)
        return self._files[name]

    def _read_phrases(
        self, name: str, above: tuple[str, ...]
    ) -> tuple[dict[str, nodes.Macro], Called]:
        path = self.path.parent.parent / name
        try:
            tree = self.env.parse("\n".join(read_lines(path)))
        except TemplateSyntaxError as error:
            raise fail(f"Jinja: {error.message}", path, error.lineno) from None
        except (RecursionError, ValueError) as error:
            raise fail(f"Jinja: {_unparsed(error)}", path) from None
        found = list(refused(tree, PHRASE)) or list(misplaced(tree))
        imported: dict[str, nodes.Macro] = {}
        called: Called = {"word": self._word}
        for node in tree.find_all(nodes.FromImport):
            found += self._import(node, (*above, name), imported, called)
        own = {macro.name: macro for macro in tree.find_all(nodes.Macro)}
        found = found or list(self._macro_problems(own, {**imported, **own}))
        if found:
            raise InputError(Problem(message, str(path), line) for line, message in sorted(found))
        closures = Closures(self.env, called, self.run)
        called.update((macro, closures.macro(node)) for macro, node in own.items())
        return own, called

    def _import(
        self,
        node: nodes.FromImport,
        above: tuple[str, ...],
        out: dict[str, nodes.Macro],
        called: Called,
    ) -> Iterator[tuple[int, str]]:
        """Put the imported macros into ``out`` and ``called``; yield line and message of what is wrong."""
        target = node.template.value if isinstance(node.template, nodes.Const) else None
        if not isinstance(target, str) or not self._inside(target):
            message = "must name a file inside the data set's folder of templates"
            yield node.lineno, f"import from {target!r}: it {message}"
        elif target in above:
            yield node.lineno, f"import from {target!r}: the files import each other"
        elif len(above) >= DEPTH:
            yield node.lineno, f"import from {target!r}: more than {DEPTH} files import each other"
        else:
            macros, functions = self._load_phrases(target, above)
            for item in node.names:
                name, alias = item if isinstance(item, tuple) else (item, item)
                if name in macros:
                    out[alias], called[alias] = macros[name], functions[name]
                else:
                    near = candidates("macros", sorted(macros), name)
                    yield node.lineno, f"import from {target!r}: there is no macro {name!r} {near}"

    def _inside(self, name: str) -> bool:
        root = self.path.parent.parent.resolve()
        path = (root / name).resolve()
        return ".." not in Path(name).parts and path.is_file() and root in path.parents

    def _macro_problems(
        self, own: Mapping[str, nodes.Macro], known: Mapping[str, nodes.Macro]
    ) -> Iterator[tuple[int, str]]:
        for macro in own.values():
            arguments = [argument.name for argument in macro.args]
            if len(set(arguments)) < len(arguments):
                yield macro.lineno, f"macro {macro.name!r} has two arguments of the same name"
            yield from self._unknown(macro, arguments, "argument", known)
        try:
            order = in_order(own)
        except CycleError as error:
            looped = min(error.args[1], key=list(own).index)
            yield own[looped].lineno, f"macro {looped!r} calls itself"
            return
        calls = calls_of(own)
        for name in order:
            below = (self._heights.get(known[n], 0) for n in calls[name] if n in known)
            self._heights[own[name]] = 1 + max(below, default=0)
            if self._heights[own[name]] == DEPTH + 1:
                yield own[name].lineno, f"macro {name!r}: more than {DEPTH} macros call each other"

    def _export(self, name: str) -> None:
        try:
            module = self.env.get_template(name).module
        except TemplateSyntaxError as error:
            raise fail(f"Jinja: {error.message}", error.filename or name, error.lineno) from None
        self.env.globals.update({macro: getattr(module, macro) for macro in self._macros})

    def problems(self, source: str, names: list[str], path: str, line: int) -> list[Problem]:
        """List what is wrong with an expression whose slots are ``names``."""
        try:
            tree = self._parse(source)
            found = [message for _, message in refused(tree, EXPRESSION)]
            found = found or [m for _, m in self._unknown(tree, names, "slot", self._macros)]
            if not found:
                self.compiled(source)
        except TemplateSyntaxError as error:
            found = [f"Jinja: {error.message}"]
        except (RecursionError, ValueError) as error:
            found = [f"Jinja: {_unparsed(error)}"]
        return [Problem(f"{m} in {{{{ {source} }}}}", path, line) for m in dict.fromkeys(found)]

    def _parse(self, source: str) -> nodes.Output:
        if source not in self._trees:
            self._trees[source] = self._parsed(source)
        return self._trees[source]

    def _parsed(self, source: str) -> nodes.Output:
        parser = Parser(self.env, source, state="variable")
        expression = parser.parse_expression()
        if not parser.stream.eos:
            parser.fail(f"{parser.stream.current.value!r} after the end of the expression")
        return nodes.Output([expression], lineno=1)

    def tree(self, source: str) -> nodes.Node:
        """Parse an expression to its syntax tree."""
        return self._parse(source).nodes[0]

    def _unknown(
        self, tree: nodes.Node, names: Sequence[str], kind: str, macros: Mapping[str, nodes.Macro]
    ) -> Iterator[tuple[int, str]]:
        """Yield line and message for names, macros, filters, tests and words that there are not."""
        called = {id(call.node) for call in tree.find_all(nodes.Call)}
        callable_names = ["word", *sorted(macros)]
        for name in tree.find_all(nodes.Name):
            if id(name) not in called and name.name not in names:
                near = candidates(f"{kind}s", names, name.name)
                yield name.lineno, f"there is no {kind} {name.name!r} {near}"
            elif id(name) in called and name.name not in callable_names:
                near = candidates("macros", callable_names, name.name)
                yield name.lineno, f"there is no macro {name.name!r} {near}"
            elif id(name) in called and name.name in names:
                yield name.lineno, f"{name.name!r} is the name of a macro and of this {kind}"
        yield from wrong_calls(tree, macros)
        yield from self._unknown_filters(tree)
        yield from self._unknown_words(tree)

    def _unknown_filters(self, tree: nodes.Node) -> Iterator[tuple[int, str]]:
        for node in tree.find_all((nodes.Filter, nodes.Test)):
            kind = "filter" if isinstance(node, nodes.Filter) else "test"
            known = sorted(self.env.filters if kind == "filter" else self.env.tests)
            if node.name not in known:
                near = candidates(f"{kind}s", known, node.name)
                yield node.lineno, f"there is no {kind} {node.name!r} {near}"

    def _unknown_words(self, tree: nodes.Node) -> Iterator[tuple[int, str]]:
        for call in tree.find_all(nodes.Call):
            word = isinstance(call.node, nodes.Name) and call.node.name == "word"
            if not word or not all(isinstance(value, nodes.Const) for value in call.args):
                continue
            try:
                with suppress(InputError):  # told where the table is used
                    self._word(*[value.as_const() for value in call.args])
            except TemplateFault as fault:
                yield call.lineno, str(fault)

    def uses(self, source: str) -> Uses:
        """Tell what an expression asks of each slot that it names."""
        if source not in self._known_uses:
            self._known_uses[source] = self._uses(self._parse(source))
        return self._known_uses[source]

    def columns(self, source: str) -> list[tuple[str, str]]:
        """List the columns that an expression asks for itself: names of slots and columns."""
        found = self._parse(source).find_all(nodes.Getattr)
        return [(n.node.name, n.attr) for n in found if isinstance(n.node, nodes.Name)]

    def _uses(self, tree: nodes.Node) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for name, use in walk(tree, self._argument_use):
            found[name] = found.get(name, frozenset()) | use
        return found

    def _argument_use(self, call: nodes.Call, place: int | str) -> frozenset[str]:
        macro = self._macros.get(call.node.name) if isinstance(call.node, nodes.Name) else None
        if macro is None:
            return frozenset({WHOLE})
        names = [argument.name for argument in macro.args]
        name = place if isinstance(place, str) else names[place] if place < len(names) else ""
        return self._macro_uses[macro.name].get(name, frozenset()) if name else frozenset({WHOLE})

    def closure(self, source: str) -> Closure:
        """Compile an expression: called with the slots by name, it gives a word, a text or a truth."""
        if source not in self._known_closures:
            self._known_closures[source] = self._closures.of(self.tree(source))
        return self._known_closures[source]

    def compiled(self, source: str) -> Callable[..., Any]:
        """The same, called with the slots as keywords."""
        return partial(_with_names, self.closure(source))


def _unparsed(error: Exception) -> str:
    return TOO_DEEP if isinstance(error, RecursionError) else str(error)


def _with_names(closure: Closure, /, **words: Word) -> Any:
    return closure(words)
