"""Spelling rules across words, splitting into words, and the two renderings of a sentence."""

import re
from pathlib import Path

import pytest

from expecting import problems_of
from solecism.lexicon.orthography import (
    Orthography,
    SpellingRule,
    Token,
    read_orthography,
    tokenize,
)
from tiny import rewrite

HEADER = "rule\tleft\tright\tresult\n"
RULES = {
    "elision": "elision\tle|la\t[aeiou].*\tl'+=\n",
    "contraction": "contraction\tde\tle\tdu\n",
    "prefix": "prefix\t[והש]\t.+\t=+=\n",
    "article": "article\ta\t[aeiou].*\tan =\n",
    "form": "form\tsi\til\ts' y\n",
    "group": "group\t(.*)ando\t-(lo|la)\t\\1ándo+\\1\n",
}
SETTINGS = "capital\t\t\tyes\nstop\t\t\t.\nspace\t\t\tyes\n"


def written(tmp_path: Path, rows: str) -> Path:
    return rewrite(tmp_path / "orthography.tsv", HEADER + rows)


def rules(*names: str) -> Orthography:
    made = []
    for name in names:
        _, left, right, result = RULES[name].rstrip("\n").split("\t")
        made.append(_rule(name, left, right, result))
    return Orthography(tuple(made))


def _rule(name: str, left: str, right: str, result: str) -> SpellingRule:
    glue = "+" in result
    first, _, second = result.partition("+" if glue else " ")
    return SpellingRule(name, re.compile(left), re.compile(right), first, second or None, glue)


def shown(tokens: list[Token]) -> str:
    """Words with a space before those that are not written together with the word before."""
    return "".join(t.text if t.glued else f" {t.text}" for t in tokens).strip()


def spelt(spelling: Orthography, text: str) -> str:
    return shown(spelling.spell(tokenize(text)))


@pytest.fixture
def all_rules(tmp_path: Path) -> Orthography:
    return read_orthography(written(tmp_path, "".join(RULES.values()) + SETTINGS))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("le ami de la amie", "l'ami de l'amie"),
        ("le chat de le chien", "le chat du chien"),
        ("de le ami", "de l'ami"),
        ("ו ש ה מלצר", "ושהמלצר"),
        ("a owl and a cat", "an owl and a cat"),
        ("si il", "s' y"),
        ("le , ami", "le, ami"),
        ("comprando -lo", "comprándolo"),
    ],
)
def test_words_are_spelt_with_their_neighbours(
    all_rules: Orthography, text: str, expected: str
) -> None:
    assert spelt(all_rules, text) == expected


def test_rules_run_in_the_order_of_the_file() -> None:
    assert spelt(rules("elision", "contraction"), "de le ami") == "de l'ami"
    assert spelt(rules("contraction", "elision"), "de le ami") == "du ami"


def test_each_rule_runs_once_from_left_to_right() -> None:
    assert spelt(rules("contraction"), "de le le") == "du le"
    assert spelt(rules("contraction"), "de le de le") == "du du"


def test_a_word_that_is_dropped_leaves_its_marks_to_the_word_before() -> None:
    tokens = [Token("de", tags=(1,)), Token("le", tags=(2, -1)), Token("chat", tags=(3,))]
    assert rules("contraction").spell(tokens) == [
        Token("du", tags=(1, 2, -1)),
        Token("chat", tags=(3,)),
    ]


@pytest.mark.parametrize(
    ("text", "stop", "expected"),
    [
        ("il dort", ".", "il dort."),
        ("dort il ?", ".", "dort il?"),
        ("il dort.", ".", "il dort."),
        ("孩子 睡觉", "。", "孩子 睡觉。"),
        ("il dort", "", "il dort"),
        ("", ".", "."),
    ],
)
def test_the_final_stop_is_added_where_there_is_none(text: str, stop: str, expected: str) -> None:
    assert shown(Orthography(stop=stop).finish(tokenize(text))) == expected


@pytest.mark.parametrize(
    ("text", "glued", "expected"),
    [
        ("le chat, noir", False, [("le", False), ("chat", False), (",", True), ("noir", False)]),
        ("l'ami", False, [("l'ami", False)]),
        ("3,5 kg", False, [("3,5", False), ("kg", False)]),
        (", le", False, [(",", True), ("le", False)]),
        ("s dort", True, [("s", True), ("dort", False)]),
        (" \n ", True, []),
    ],
)
def test_a_text_is_split_into_words_and_marks(
    text: str, glued: bool, expected: list[tuple[str, bool]]
) -> None:
    assert [(t.text, t.glued) for t in tokenize(text, glued=glued)] == expected


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "elision\tle|(la\ta.*\tl'+=\n",
            "rule 'elision': not a regular expression: missing ), unterminated subpattern",
        ),
        (
            "elision\tle\t\tl'+=\n",
            "rule 'elision': rule, left, right and result must not be empty",
        ),
        (
            "captial\t\t\tyes\n",
            "rule 'captial': rule, left, right and result must not be empty "
            "(did you mean 'capital'? settings: capital, space, stop)",
        ),
        (
            "elision\tle\ta.*\tl' + =\n",
            "rule 'elision': result \"l' + =\" is not one word, or two with a space or + between",
        ),
        (
            "elision\tle\ta.*\tl'+\n",
            "rule 'elision': result \"l'+\" is not one word, or two with a space or + between",
        ),
        ("x\ta{99999999999}\ta\t= =\n", "rule 'x': not a regular expression: the repetition"),
        ("x\t" + "(" * 500 + "a" + ")" * 500 + "\ta\t= =\n", "rule 'x': not a regular expression: "),
        ("x\tle\t([ae]).*\tl'\\1+=\n", "rule 'x': result \"l'\\\\1+=\": there is no such group"),
        ("x\t(d)e\tle\t\\1u\n", "rule 'x': result '\\\\1u': there is no such group"),
        ("x\tle\tla\tl\\n+=\n", "rule 'x': result 'l\\\\n+=': '\\\\' would be printed"),
        ("capital\t\t\tYes\n", "rule 'capital': 'Yes' is not a value (did you mean 'yes'? values: yes, no)"),
        ("space\t\t\t\n", "rule 'space': '' is not a value (values: yes, no)"),
        ("stop\t\t\t.\n", "rule 'stop': the setting stands twice"),
    ],
)  # fmt: skip
def test_a_bad_rule_is_told(tmp_path: Path, row: str, message: str) -> None:
    path = written(tmp_path, "stop\t\t\t.\n# now the bad one\n" + row)
    (told,) = problems_of(lambda: read_orthography(path), tmp_path)
    assert told.startswith(f"orthography.tsv:4: {message}")
