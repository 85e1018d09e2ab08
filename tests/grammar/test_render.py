"""Units and stretches: lines cut into expressions, spelt in bulk, with the places of words and
regions."""

from pathlib import Path

import pytest

from drawing import make_paradigm, make_root, sentences, template
from solecism.datasets.from_templates import load_paradigms, templates_of_language
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


def test_paradigms_of_one_language_share_what_they_render_but_never_mix_it_up(
    tmp_path: Path,
) -> None:
    """The slots of the two stand in another order: what was kept must be found by name."""
    phrases = (
        '{% macro both(a, b) %}{{ word("det", "a") | agree(a) }} {{ word("det", "a") | agree(b) }}'
        "{% endmacro %}"
    )
    lines = "good: {{ both(x, y) }} {{ x }} {{ y }}\nbad: {{ x }} {{ both(x, y) }} {{ y }}"
    slots = ["x: {from: noun, Set: 1}", "y: {from: noun, Set: 2}"]
    fronts = ["\n  ".join(["slots:", *order]) for order in (slots, slots[::-1])]
    texts = {f"p{n}": template(f"p{n}", front, lines) for n, front in enumerate(fronts)}
    root = make_root(tmp_path, {"noun": NOUN, "det": DET}, texts, phrases)
    one, other = load_paradigms(root, templates_of_language(root, "tiny", "xx")).values()
    assert one.phrases is other.phrases
    assert sorted(sentences(one)) == sorted(sentences(other))
    assert ("a some author actors", "author a some actors") in sentences(other)
