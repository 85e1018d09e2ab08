"""The expressions and macros of a language: read, checked and compiled.

A template's expressions may call the macros of its language, ``templates/phrases/fr.jinja``, and
those of ``_phrases.jinja``, which stands beside it; a macro there may call and replace the others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from graphlib import CycleError
from pathlib import Path
from typing import Any

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.parser import Parser

from solecism.errors import InputError, Problem, candidates, fail
from solecism.grammar.compiler import FILTERS, Compiler, Function
from solecism.grammar.syntax import (
    EXPRESSION,
    PHRASE,
    in_plain_words,
    misplaced,
    parsed,
    refused,
    typical_asked,
    wrong_calls,
)
from solecism.grammar.uses import LARGEST, Macro, Uses, calls_of, in_order, uses_of
from solecism.grammar.words import TYPICAL_FORM, Evaluation, TemplateFault, Word, typical, under
from solecism.inputs import read_lines
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.typical import TYPICAL
from solecism.root import SHARED

PHRASES = "_phrases.jinja"

_JINJA = Environment(autoescape=True)  # only its parser is used

Found = Iterator[tuple[int, str]]
"""The line and the message of each thing that is wrong."""


def _expression(source: str) -> nodes.Expr:
    parser = Parser(_JINJA, source, state="variable")
    expression = parser.parse_expression()
    if not parser.stream.eos:
        parser.fail(f"{parser.stream.current.value!r} after the end of the expression")
    return expression


def macro_files(folder: Path) -> list[Path]:
    """Return the files with macros for the templates of a folder that there are, in order."""
    shared = folder.parents[1] / SHARED / f"{folder.name}.jinja"
    return [path for path in (shared, folder / PHRASES) if path.is_file()]


class Phrases:
    """The macros of one language of one data set, and the expressions that may call them.

    ``folder`` is ``templates/<dataset>/<language>``. ``memo`` keeps what the paradigms of the
    language have in common. Raises :class:`InputError` for what is wrong with a file of macros.
    """

    def __init__(self, folder: Path, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.run = Evaluation()
        self.memo: dict[Any, Any] = {}
        self._tests: dict[str, Callable[..., bool]] = {
            "under": partial(under, lexicon=lexicon),
            TYPICAL: lambda *words: typical(*words, of=lexicon.typical),
        }
        self._words: dict[tuple[str, str], Word] = {}
        self._trees: dict[str, nodes.Expr] = {}
        self._known_uses: dict[str, Uses] = {}
        self._functions: dict[nodes.Node, Function] = {}
        self._macros: dict[str, Macro] = {}
        for path in macro_files(folder):
            self._read(path)
        self._compiler = self._compiler_of(self._macros)

    def tree(self, source: str) -> nodes.Expr:
        """Parse an expression to its syntax tree; raises ``TemplateSyntaxError``."""
        if source not in self._trees:
            self._trees[source] = parsed(lambda: _expression(source))
        return self._trees[source]

    def uses(self, source: str) -> Uses:
        """Return what an expression asks of each slot that it names."""
        if source not in self._known_uses:
            self._known_uses[source] = uses_of(self.tree(source), self._macros, self.lexicon)
        return self._known_uses[source]

    def compiled(self, source: str) -> Function:
        """Return the function of an expression, to be called with the words of slots by name.

        Its value is a word, a text, a phrase of both, or a truth.
        """
        return self.function(self.tree(source))

    def function(self, tree: nodes.Node) -> Function:
        """Return the function of a syntax tree, or of a part of one."""
        if tree not in self._functions:
            self._functions[tree] = self._compiler.function(tree)
        return self._functions[tree]

    def problems(self, source: str, names: list[str], path: str, line: int) -> list[Problem]:
        """List what is wrong with an expression whose slots are ``names``."""
        macros = {name: macro.node for name, macro in self._macros.items()}
        try:
            tree = nodes.Output([self.tree(source)], lineno=1)
            found = [message for _, message in refused(tree, EXPRESSION)]
            found = found or [m for _, m in self._unknown(tree, names, "slot", macros)]
            if not found:
                self.compiled(source)
        except TemplateSyntaxError as error:
            found = [in_plain_words(error.message)]
        except TemplateFault as fault:
            found = [str(fault)]
        return [Problem(f"{m} in {{{{ {source} }}}}", path, line) for m in dict.fromkeys(found)]

    def _word(self, *names: object) -> Word:
        """Return the word that ``word(TABLE, LEMMA)`` names; raises :class:`TemplateFault`."""
        texts = [name for name in names if isinstance(name, str)]
        if len(names) != 2 or len(texts) != 2:
            raise TemplateFault('word wants a table and a lemma: word("det", "le")')
        key = texts[0], texts[1]
        if key not in self._words:
            try:
                table = self.lexicon.table(key[0])
                row = table.row(key[1])
            except InputError as error:
                if any(problem.line for problem in error.problems):
                    raise
                raise TemplateFault(error.problems[0].message) from None
            cells = tuple(cell for cell in table.usual_cells(()) if cell in row.forms)
            known = frozenset((*table.columns, *table.feature_names, *self.lexicon.columns))
            self._words[key] = Word(row, table, cells, known, self.run)
        return self._words[key]

    def _compiler_of(self, macros: Mapping[str, Macro]) -> Compiler:
        """Return a compiler of expressions that may call ``word`` and these macros."""
        called = {"word": self._word, **{name: macro.call for name, macro in macros.items()}}
        return Compiler(called, self._tests)

    def _read(self, path: Path) -> None:
        """Add the macros of a file to those that are known."""
        try:
            text = "\n".join(read_lines(path))
            tree = parsed(lambda: _JINJA.parse(text))
        except TemplateSyntaxError as error:
            raise fail(in_plain_words(error.message), path, error.lineno) from None
        except TemplateFault as fault:
            raise fail(str(fault), path, 1) from None
        found = list(refused(tree, PHRASE)) or list(misplaced(tree))
        known = self._macros
        own = {macro.name: macro for macro in tree.find_all(nodes.Macro)}
        found = found or list(self._macro_problems(own, known))
        if found:
            problems = sorted(set(found))
            raise InputError(Problem(message, str(path), line) for line, message in problems)
        for called in in_order(own):
            macro = own[called]
            body = nodes.Output([*macro.body, *macro.defaults])
            uses = uses_of(body, known, self.lexicon)
            if (calls := calls_of(body, known)) > LARGEST:
                message = f"macro {called!r}: it calls other macros over {LARGEST:,} times"
                raise fail(message, path, macro.lineno)
            known[called] = Macro(macro, self._compiler_of(known).macro(macro), uses, calls)

    def _macro_problems(self, own: Mapping[str, nodes.Macro], shared: Mapping[str, Macro]) -> Found:
        """Yield what is wrong with the macros of a file; ``shared`` are those of the language."""
        known = {**{name: macro.node for name, macro in shared.items()}, **own}
        for macro in own.values():
            arguments = [argument.name for argument in macro.args]
            if len(set(arguments)) < len(arguments):
                yield macro.lineno, f"macro {macro.name!r} has two arguments of the same name"
            yield from self._unknown(macro, arguments, "argument", known)
        try:
            in_order(own)
        except CycleError as error:
            looped = min(error.args[1], key=list(own).index)
            yield own[looped].lineno, f"macro {looped!r} calls itself"

    def _unknown(
        self, tree: nodes.Node, names: Sequence[str], kind: str, macros: Mapping[str, nodes.Macro]
    ) -> Found:
        """Yield line and message for unknown names, macros, filters, tests and words."""
        called = {id(call.node) for call in tree.find_all(nodes.Call)}
        callable_names = ["word", *sorted(macros)]
        for name in tree.find_all(nodes.Name):
            what, known = ("macro", callable_names) if id(name) in called else (kind, names)
            if name.name not in known:
                near = candidates(f"{what}s", known, name.name)
                yield name.lineno, f"there is no {what} {name.name!r} {near}"
            elif what == "macro" and name.name in names:
                yield name.lineno, f"{name.name!r} is a macro and this {kind}: rename the {kind}"
        yield from wrong_calls(tree, macros)
        yield from self._unknown_filters(tree)
        yield from self._unknown_words(tree)

    def _unknown_filters(self, tree: nodes.Node) -> Found:
        """Yield the filters and tests that do not exist or are used wrongly."""
        for node in tree.find_all((nodes.Filter, nodes.Test)):
            kind = "filter" if isinstance(node, nodes.Filter) else "test"
            if node.name == TYPICAL and kind == "test" and not typical_asked(node):
                yield node.lineno, f"write the test as {TYPICAL_FORM}"
            known = sorted(FILTERS if kind == "filter" else self._tests)
            if node.name not in known:
                near = candidates(f"{kind}s", known, node.name)
                yield node.lineno, f"there is no {kind} {node.name!r} {near}"

    def _unknown_words(self, tree: nodes.Node) -> Found:
        """Yield the calls of ``word`` that name no word of the lexicon."""
        for call in tree.find_all(nodes.Call):
            word = isinstance(call.node, nodes.Name) and call.node.name == "word"
            if not word or not all(isinstance(value, nodes.Const) for value in call.args):
                continue
            try:
                with suppress(InputError):  # reported where the table is used
                    self._word(*[value.as_const() for value in call.args])
            except TemplateFault as fault:
                yield call.lineno, str(fault)
