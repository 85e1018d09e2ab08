"""The language of predictions: what it means, what it refuses, and SyntaxGym's form of it."""

import pytest

from solecism.errors import InputError
from solecism.formula import parse, unknown_terms

VALUES = {("a", "x"): 1.0, ("b", "x"): 2.0, ("a", "y"): 3.0, ("b", "5"): 2.0, ("b", "*"): 9.0}


MEANINGS = [
    ("a.x < b.x", 1),
    ("b.x < a.x", 0),
    ("(x;%a%) < (x;%b%)", 1),
    ("( 5 ; %b% ) > (x;%a%)", 1),
    ("(5;%b%)<(y;%a%)", 1),
    ("b.* > 8.5", 1),
    ("(*;%b%) = 9", 1),
    ("b.x = b.5", 1),
    ("b.x > b.5", 0.5),
    ("a.x + b.x = a.y", 1),
    ("a.y - a.x - a.x = 1", 1),
    ("a.y - (a.x - a.x) = 3", 1),
    ("a.y - a.x + a.x = 3", 1),
    ("10 - a.y > 6.5 + .4", 1),
    ("1e1 > 9", 1),
    ("a.x < b.x & b.x < a.y", 1),
    ("a.x > b.x & a.x < b.x | b.x < a.y", 1),
    ("b.x < a.y | a.x > b.x & a.x > b.x", 1),
    ("(b.x < a.y | a.x > b.x) & a.x > b.x", 0),
    ("b.x > b.5 & a.x < b.x", 0.5),
    ("b.x > b.5 | a.x < b.x", 1),
    ("b.x > b.5 | a.x > b.x", 0.5),
    ("[ a.x < b.x ] & [[b.x - a.x] > [a.x - a.x]]", 1),
    ("a.x > -1.5", 1),
    ("a.x - b.x = - 1", 1),
]


def value(text: str) -> float:
    return parse(text)(lambda condition, region: VALUES[condition, region])


@pytest.mark.parametrize(("text", "outcome"), MEANINGS)
def test_what_a_prediction_means(text: str, outcome: float) -> None:
    assert value(text) == outcome


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1<2<0", "'<' after a comparison: write `a < b & b < c`"),
        ("(1<2)<0", "'<' after a comparison"),
        ("a.x = b.x = a.y", "'=' after a comparison"),
        ("a.x & b.x", "'&' is for comparisons"),
        ("(a.x < b.x) + 1 > 2", "'+' is for surprisals"),
        ("a.x", "compares nothing"),
        ("", "cannot be read: "),
        ("a.x <", "cannot be read: "),
        ("(a.x < b.x", "cannot be read: '(' was never closed"),
        ("a.x < b.x)", "cannot be read: unmatched ')'"),
        ("a < b", "cannot be read from 'a < b'"),
        ("a.x != b.x", "cannot be read from '!= b.x'"),
        ("(5;match) < 2", "cannot be read from ';match) < 2'"),
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


@pytest.mark.parametrize("text", [text for text, _ in MEANINGS])
def test_the_form_of_syntaxgym_means_the_same(text: str) -> None:
    formula = parse(text)
    names = list(formula.terms)
    again = parse(formula.syntaxgym(lambda *term: names.index(term) + 1))
    assert [condition for condition, _ in again.terms] == [condition for condition, _ in names]
    assert again(lambda _, number: VALUES[names[int(number) - 1]]) == value(text)
