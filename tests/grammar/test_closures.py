"""Expressions and macros as functions: they give what Jinja gives, Jinja's own compiler being the judge."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import Undefined
from jinja2.exceptions import UndefinedError

from solecism.grammar.phrases import PHRASES, Sandbox
from solecism.grammar.words import Skip, TemplateFault, Word, unmarked
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
def box(tmp_path: Path) -> Sandbox:
    make_root(tmp_path)
    folder = tmp_path / "templates/demo/xx"
    rewrite(folder / PHRASES, MACROS)
    return Sandbox(folder, Lexicon(tmp_path / "lexicons/xx"))


def outcome(box: Sandbox, call: object) -> tuple[str, object]:
    """What an expression gives, so that two ways can be compared: words by form, errors by message."""
    assert callable(call)
    box.run.digits.clear()
    box.run.begin()
    try:
        value = call()
    except (TemplateFault, Skip, TypeError, UndefinedError) as error:
        return type(error).__name__, str(error)
    if isinstance(value, Word):
        return "word", (value.row.lemma, value.cell, value.text)
    if isinstance(value, Undefined):
        return "undefined", str(value)
    return type(value).__name__, unmarked(value) if isinstance(value, str) else value


@pytest.mark.parametrize("source", SOURCES)
def test_an_expression_gives_what_jinja_gives(box: Sandbox, source: str) -> None:
    jinja = box.env.compile_expression(source, undefined_to_none=False)
    expected = outcome(box, jinja)
    printed = [word.text for word in box.run.printed]
    assert outcome(box, box.compiled(source)) == expected
    assert [word.text for word in box.run.printed] == printed


def test_a_macro_may_call_one_that_stands_below_it_and_one_of_another_file(tmp_path: Path) -> None:
    make_root(tmp_path)
    folder = tmp_path / "templates/demo/xx"
    rewrite(folder / "more.jinja", '{% macro a(f) %}{{ b(f) }}.{% endmacro %}'
            '{% macro b(f) %}<{{ f }}>{% endmacro %}')  # fmt: skip
    rewrite(folder / PHRASES, '{% from "xx/more.jinja" import a as other %}'
            '{% macro b(f) %}{{ c(f) }}{% endmacro %}'
            '{% macro c(f) %}{{ other(f) }}!{% endmacro %}')  # fmt: skip
    box = Sandbox(folder, Lexicon(tmp_path / "lexicons/xx"))
    assert box.compiled('b("x")')() == "<x>.!"


def test_every_node_that_may_stand_in_a_template_is_known(box: Sandbox) -> None:
    seen = {outcome(box, box.compiled(source))[0] for source in SOURCES}
    assert {"word", "str", "bool", "int", "list", "tuple", "undefined", "TemplateFault"} <= seen
