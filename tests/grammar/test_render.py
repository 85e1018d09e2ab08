"""Units and stretches: lines cut into expressions, spelt in bulk, with the places of words and
regions."""

from pathlib import Path

import pytest

from drawing import make_paradigm, sentences
from solecism.errors import InputError
from solecism.grammar.paradigm import Paradigm

NOUN = """
lemma   Number=Sing  Number=Plur  Gender  Set
author  author       authors      Masc    1
actor   actor        actors       Masc    2
"""
VERB = """
lemma   Number=Sing  Number=Plur  Particle
laugh   laughs       laugh        -
get up  gets up      get up       early
"""
DET = """
lemma  Number=Sing  Number=Plur
a      a            some
"""
SPELLING = """
rule     left  right      result
article  a     [aeiou].*  an =
capital  -     -          yes
stop     -     -          .
"""
TABLES = {"noun": NOUN, "verb": VERB, "det": DET, "orthography": SPELLING}
PHRASES = """
{% macro np(n) %}{{ word("det", "a") | agree(n) }} {{ n }}{% endmacro %}
{% macro one(n) %}{% if n.Set == "1" %}only{% endif %}{% endmacro %}
"""
SLOTS = "slots:\n  n: {from: noun, Number: Sing}\n  v: {from: verb}"


def paradigm(folder: Path, good: str, front: str = SLOTS, **changes: str) -> Paradigm:
    """A paradigm whose bad sentence is ``bad`` and all words that ``good`` names."""
    lines = f"good: {good}\nbad: bad {{{{ n }}}} {{{{ v | agree(n) }}}}"
    return make_paradigm(folder, {**TABLES, **changes}, front, lines, PHRASES)


@pytest.mark.parametrize(
    ("good", "message"),
    [
        ("{{ word('verb', 'get up') }}", r"p\.jinja:\d+: which form of 'get up'\?"),
        ("{{ v | agree(n, Number='Dual') }}", "no words make a pair"),
        ("{{ v | agree(n, Case='Nom') }}", r"p\.jinja:\d+: no form .* expresses 'Case'"),
    ],
)
def test_what_cannot_be_rendered_is_told_with_the_line(
    tmp_path: Path, good: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        sentences(paradigm(tmp_path, f"{good} {{{{ n }}}} {{{{ v | agree(n) }}}}"))


def test_a_good_line_with_alternatives_is_told(tmp_path: Path) -> None:
    verbs = "lemma  Number=Sing  Number=Plur|Person=1  Number=Plur|Person=2\nb  x  y  z"
    lines = "good: {{ n }} {{ v | clash(n, 'Number', 'Person') }}\nbad: {{ n }} {{ v | agree(n) }}"
    made = make_paradigm(tmp_path, {**TABLES, "verb": verbs}, SLOTS, lines)
    with pytest.raises(InputError, match=r"p\.jinja:10: the good line has several alternatives"):
        sentences(made)
