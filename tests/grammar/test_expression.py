"""Phrases: what macros print, and how it is compared."""

from pathlib import Path

import pytest

from solecism.grammar.phrases import PHRASES, Phrases
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


@pytest.fixture
def box(tmp_path: Path) -> Phrases:
    make_root(tmp_path)
    folder = tmp_path / "templates/demo/xx"
    rewrite(folder / PHRASES, MACROS)
    return Phrases(folder, Lexicon(tmp_path / "lexicons/xx"))


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
