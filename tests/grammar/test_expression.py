"""Expressions and macros as functions: they give what Jinja gives, Jinja's own compiler being the
judge."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, Undefined
from jinja2.exceptions import UndefinedError

from solecism.grammar.expression import FILTERS
from solecism.grammar.phrases import PHRASES, Phrases
from solecism.grammar.words import Phrase, Skip, TemplateFault, Word, printed
from solecism.lexicon.lexicon import Lexicon
from tiny import make_root, rewrite

MACROS = """\
{% macro the(n) %}{{ word("det", "the") | agree(n) }} {{ n }}{% endmacro %}
{% macro both(a, b) -%} {{ the(a) }} and {{ later(b, kind="x") }} {%- endmacro %}
{% macro later(n, kind=n.Class, mark="!") %}{{ n }}{{ mark }}{{ kind }}{% endmacro %}
{% macro choice(f) -%}
  {% if f == "a" %}first{% elif f in ["b", "c"] %}second {{ f }}{% else %}{{ f }}, else{% endif %}
{%- endmacro %}
{% macro lone(f) %}{% if f == "a" %}{{ f }}{% endif %}{% endmacro %}
{% macro nothing() %}{% endmacro %}
"""
AUTHOR = '(word("noun", "author") | form(Number="Sing"))'
BOOKS = '(word("noun", "book") | form(Number="Plur"))'

SOURCES = [
    '"a" ~ "b" ~ 3',
    f'{AUTHOR} ~ "-" ~ "x"',
    f"{AUTHOR}.Class",
    f"{AUTHOR}.lemma == {BOOKS}.lemma",
    f'{AUTHOR}.Number != {BOOKS}.Number and {AUTHOR}.upos == "NOUN"',
    f'{AUTHOR}.Nothing or "no"',
    f'not {AUTHOR} is under("human")',
    f'{AUTHOR} is not under("human")',
    f'{AUTHOR} == "author"',
    f'"o" in {AUTHOR}.lemma',
    f'" " not in {AUTHOR}.lemma',
    f'{AUTHOR}.lemma in ["author", "guard"]',
    f'{AUTHOR}.lemma not in ("author", {BOOKS}.lemma)',
    '1 < 2 < 3',
    '1 < 2 > 3',
    '"b" > "a" >= "a" <= "b"',
    '"" or "x" and "y"',
    '"" and "x"',
    '"x" if "" else "y"',
    '"x" if 1 == 1',
    '"x" if 1 == 2',
    'none', 'true and 3', '"it\\n"', '[1, "a"]', '(1, "a")',
    f"the({AUTHOR})",
    f"both({AUTHOR}, {BOOKS})",
    f"both(b={AUTHOR}, a={BOOKS})",
    f'later({AUTHOR}, mark="?")',
    f'later({AUTHOR}, "kind", "?")',
    'choice("a")', 'choice("b")', 'choice("c")', 'choice("d")', 'choice(f="d")',
    'lone("a") ~ "|"', 'lone("b") ~ "|"', "nothing()",
    'choice(3)', 'choice(1 == 1)',
    f'"x" | agree({AUTHOR})',
    'word("det", "the") | agree("x")',
    f'word("det", "the") | agree({AUTHOR}, 3)',
    f'word("det", "the") | agree({AUTHOR}, Number="Sing")',
    'word("det", "nothing")',
    '"x".lemma',
    '("x" if 1 == 2).lemma',
    '"a" < 1',
]  # fmt: skip


@pytest.fixture
def box(tmp_path: Path) -> Phrases:
    make_root(tmp_path)
    folder = tmp_path / "templates/demo/xx"
    rewrite(folder / PHRASES, MACROS)
    return Phrases(folder, Lexicon(tmp_path / "lexicons/xx"))


class Judge(Environment):
    """Jinja's own compiler, with our word, filters and test; it prints words as texts.

    ``words`` are the words that it has printed.
    """

    def __init__(self, phrases: Phrases) -> None:
        super().__init__(autoescape=False, finalize=self._shown)
        self.words: list[Word] = []
        self.filters = {name: partial(_filtered, name) for name in FILTERS}
        self.tests = phrases._tests
        self.globals = {"word": phrases._word}
        macros = self.from_string(MACROS).module
        self.globals |= {name: getattr(macros, name) for name in phrases.macros}

    def getattr(self, obj: object, attribute: str) -> object:
        if isinstance(obj, Word):
            return obj.lookup(attribute)
        raise TemplateFault(f"{attribute!r}: only words have properties")

    def _shown(self, value: object) -> object:
        self.words += [value] if isinstance(value, Word) else []
        if not isinstance(value, (str, Word, Undefined)):
            raise TemplateFault(f"only words and texts can be printed, not {value!r}")
        return value


def _filtered(name: str, word: object, *models: object, **wanted: object) -> Word:
    if not isinstance(word, Word):
        raise TemplateFault(f"{name}: {word!r} is no word")
    try:
        return getattr(word, name)(*models, **wanted)  # type: ignore[no-any-return]
    except TypeError:
        raise TemplateFault(f"{name}: write it as {FILTERS[name]}") from None


def outcome(box: Phrases, function: Callable[[dict[str, Any]], Any]) -> tuple[str, object]:
    """What an expression gives, so that two ways can be compared: words by form, errors by
    message."""
    try:
        value = box.run.first(function, {})
    except (TemplateFault, Skip, TypeError, UndefinedError) as error:
        return type(error).__name__, str(error)
    if isinstance(value, Word):
        return "word", (value.row.lemma, value.cell, value.text)
    if isinstance(value, (str, Phrase, Undefined)):
        return "text", str(value)
    return type(value).__name__, value


@pytest.mark.parametrize("source", SOURCES)
def test_an_expression_gives_what_jinja_gives(box: Phrases, source: str) -> None:
    judge = Judge(box)
    compiled = judge.compile_expression(source, undefined_to_none=False)
    expected = outcome(box, lambda names: compiled())
    assert outcome(box, box.compiled(source)) == expected
    if expected[0] == "text" and "~" not in source:
        value = printed(box.run.first(box.compiled(source), {}))
        words = [word.text for word in value if isinstance(word, Word)]
        assert words == [word.text for word in judge.words]


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        (f'{AUTHOR} ~ "-" ~ "x"', ["<noun author>", "-", "x"]),
        (f"the({AUTHOR})", ["<det the>", " ", "<noun author>"]),
        (f"the({AUTHOR}) ~ {BOOKS}", ["<det the>", " ", "<noun author>", "<noun book>"]),
        ('choice("b")', ["second b"]),
        ("nothing()", [""]),
    ],
)
def test_a_phrase_knows_its_words(box: Phrases, source: str, parts: list[str]) -> None:
    value = printed(box.run.first(box.compiled(source), {}))
    assert [repr(part) if isinstance(part, Word) else part for part in value] == parts


def test_a_phrase_is_compared_by_its_text(box: Phrases) -> None:
    assert box.compiled(f'the({AUTHOR}) == "the author"')({}) is True
    assert box.compiled(f'the({AUTHOR}) != "the author"')({}) is False
    assert box.compiled(f'the({AUTHOR}) in ["the author"]')({}) is True
    assert box.compiled(f"the({AUTHOR}) == the({AUTHOR})")({}) is False
    assert len({box.compiled(f"the({AUTHOR})")({})}) == 1


def test_a_macro_may_call_one_that_stands_below_it_and_one_of_another_file(tmp_path: Path) -> None:
    make_root(tmp_path)
    folder = tmp_path / "templates/demo/xx"
    rewrite(folder / "more.jinja", '{% macro a(f) %}{{ b(f) }}.{% endmacro %}'
            '{% macro b(f) %}<{{ f }}>{% endmacro %}')  # fmt: skip
    rewrite(folder / PHRASES, '{% from "xx/more.jinja" import a as other %}'
            '{% macro b(f) %}{{ c(f) }}{% endmacro %}'
            '{% macro c(f) %}{{ other(f) }}!{% endmacro %}')  # fmt: skip
    box = Phrases(folder, Lexicon(tmp_path / "lexicons/xx"))
    assert box.compiled('b("x")')({}) == "<x>.!"


def test_every_node_that_may_stand_in_a_template_is_known(box: Phrases) -> None:
    seen = {outcome(box, box.compiled(source))[0] for source in SOURCES}
    assert {"word", "text", "bool", "int", "list", "tuple", "TemplateFault"} <= seen
