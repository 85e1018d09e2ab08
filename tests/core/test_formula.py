"""The language of predictions: what it means, what it refuses, and SyntaxGym's form of it."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solecism.errors import InputError
from solecism.formula import parse, unknown_terms

VALUES = {("a", "x"): 1.0, ("b", "x"): 2.0, ("a", "y"): 3.0, ("b", "5"): 2.0, ("b", "*"): 9.0}


def value(text: str) -> float:
    return parse(text)(lambda condition, region: VALUES[condition, region])


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("a.x < b.x", 1),
        ("b.x < a.x", 0),
        ("(x;%a%) < (x;%b%)", 1),
        ("( 5 ; %b% ) > (x;%a%)", 1),
        ("(5;%b%)<(y;%a%)", 1),
        ("b.* > 8.5", 1),
        ("(*;%b%) = 9", 1),
        ("b.x = b.5", 1),
        ("a.x = b.x", 0),
        ("b.x > b.5", 0.5),
        ("a.x + b.x = a.y", 1),
        ("a.y - a.x - a.x = 1", 1),
        ("a.y - (a.x - a.x) = 3", 1),
        ("a.y - a.x + a.x = 3", 1),
        ("10 - a.y > 6.5 + .4", 1),
        ("1e1 > 9", 1),
        ("a.x < b.x & b.x < a.y", 1),
        ("a.x < b.x & b.x > a.y", 0),
        ("a.x > b.x | b.x < a.y", 1),
        ("a.x > b.x & a.x < b.x | b.x < a.y", 1),
        ("b.x < a.y | a.x > b.x & a.x > b.x", 1),
        ("(b.x < a.y | a.x > b.x) & a.x > b.x", 0),
        ("b.x > b.5 & a.x < b.x", 0.5),
        ("b.x > b.5 | a.x < b.x", 1),
        ("b.x > b.5 | a.x > b.x", 0.5),
        ("((a.x)) < ((b.x))", 1),
        ("a.x<b.x", 1),
        ("a.x > -1.5", 1),
        ("a.x - b.x = - 1", 1),
    ],
)
def test_what_a_prediction_means(text: str, outcome: float) -> None:
    assert value(text) == outcome


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1<2<0", "'<' after a comparison: write `a < b & b < c`"),
        ("(1<2)<0", "'<' after a comparison"),
        ("0 < (1<2)", "'<' after a comparison"),
        ("a.x = b.x = a.y", "'=' after a comparison"),
        ("a.x & b.x", "'&' is for comparisons"),
        ("a.x | a.x < b.x", "'|' is for comparisons"),
        ("(a.x < b.x) + 1 > 2", "'+' is for surprisals"),
        ("a.x", "compares nothing"),
        ("a.x + b.x", "compares nothing"),
        ("", "cannot be read: "),
        ("a.x <", "cannot be read: "),
        ("< a.x", "cannot be read: "),
        ("(a.x < b.x", "cannot be read: '(' was never closed"),
        ("a.x < b.x)", "cannot be read: unmatched ')'"),
        ("a.x < b.x b.x", "cannot be read: "),
        ("a < b", "cannot be read from 'a < b'"),
        ("a.x != b.x", "cannot be read from '!= b.x'"),
        ("(5;match) < 2", "cannot be read from ';match) < 2'"),
        ("a.x <> b.x", "cannot be read: "),
        ("a.x > -b.x", "a sign without a number after it"),
        ("a.x (b.x) < 1", "cannot be read: a sign is missing before '('"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert str(caught.value).startswith(f"prediction {text!r}: {message}")


def test_a_plain_comparison_knows_which_side_should_be_lower() -> None:
    assert parse("bad.noun > good.noun").comparison == (1, 0)
    assert parse("good.noun < bad.noun").comparison == (0, 1)
    assert parse("good.noun = bad.noun").comparison is None
    assert parse("good.noun < 3").comparison is None


def test_unknown_conditions_and_regions_are_told_with_candidates() -> None:
    regions = {"good": ["verb", "noun"], "bad": ["verb", "noun"]}
    assert list(unknown_terms(parse("bad.noun > good.2"), regions)) == []
    assert list(unknown_terms(parse("(*;%bad%) > good.verb"), regions)) == []
    assert list(unknown_terms(parse("bud.noun > good.nuon & good.3 > good.0"), regions)) == [
        "prediction 'bud.noun > good.nuon & good.3 > good.0': there is no condition 'bud' "
        "(did you mean 'bad'? conditions: good, bad)",
        "prediction 'bud.noun > good.nuon & good.3 > good.0': condition 'good' has no region 'nuon' "
        "(did you mean 'noun'? regions: verb, noun)",
        "prediction 'bud.noun > good.nuon & good.3 > good.0': condition 'good' has no region '3' "
        "(regions: verb, noun)",
        "prediction 'bud.noun > good.nuon & good.3 > good.0': condition 'good' has no region '0' "
        "(regions: verb, noun)",
    ]


# against trees that are written out with as few and as many parentheses as wanted


@dataclass(frozen=True)
class Tree:
    """A prediction as it is meant: its value, its text, and how strongly its sign binds."""

    value: float
    text: str
    strength: int


LEVELS = {"|": 0, "&": 1, "<": 2, ">": 2, "+": 3, "-": 3}


def joined(sign: str, left: Tree, right: Tree, more: bool) -> Tree:
    level = LEVELS[sign]
    sides = []
    for place, side in enumerate((left, right)):
        needed = side.strength < level + (place == 1)
        sides.append(f"({side.text})" if needed or more else side.text)
    a, b = left.value, right.value
    less = 0.5 if a == b else float(a < b)
    result = {"|": max(a, b), "&": min(a, b), "<": less, ">": 1 - less, "+": a + b, "-": a - b}[
        sign
    ]
    return Tree(result, f" {sign} ".join(sides), level)


def leaf(number: int, written: bool) -> Tree:
    """A region whose surprisal is its number, or the number itself."""
    return Tree(float(number), f"(r{number};%c%)" if written else str(number), 4)


numbers = st.recursive(
    st.builds(leaf, st.integers(0, 9), st.booleans()),
    lambda inner: st.builds(joined, st.sampled_from("+-"), inner, inner, st.booleans()),
    max_leaves=6,
)
truths = st.recursive(
    st.builds(joined, st.sampled_from("<>"), numbers, numbers, st.booleans()),
    lambda inner: st.builds(joined, st.sampled_from("&|"), inner, inner, st.booleans()),
    max_leaves=6,
)


def of_number(condition: str, region: str) -> float:
    assert condition == "c"
    return float(region.removeprefix("r"))


@given(truths)
def test_precedence_is_that_of_the_tree(tree: Tree) -> None:
    assert parse(tree.text)(of_number) == tree.value


@given(truths)
def test_the_form_of_syntaxgym_means_the_same(tree: Tree) -> None:
    formula = parse(tree.text)
    written = formula.syntaxgym(lambda condition, region: int(region[1:]) + 1)
    again = parse(written)
    assert again.terms == tuple((c, str(int(r[1:]) + 1)) for c, r in formula.terms)
    assert again(lambda c, r: float(r) - 1) == formula(of_number)
