"""Template files: what is read, and what is told of bad ones."""

from pathlib import Path

import pytest

from expecting import problems_of
from solecism.grammar.syntax import read_parts
from solecism.grammar.template import Template, read_template
from tiny import rewrite

FRONT = """\
id: rel
phenomenon: agreement
slots:
  author: {from: noun, Set: 1}
  likes: {from: [verb, adj], Frame: [transitive, copular]}
"""
LINES = """\
good: the {{ author }} {{ likes | agree(author) }}
bad:  the {{ author }} {{ likes | clash(author, "Number") }}
"""


def written(tmp_path: Path, front: str = FRONT, lines: str = LINES) -> Path:
    return rewrite(tmp_path / "rel.jinja", f"---\n{front}---\n{lines}")


def read(tmp_path: Path, front: str = FRONT, lines: str = LINES) -> Template:
    return read_template(written(tmp_path, front, lines))


def told(tmp_path: Path, front: str = FRONT, lines: str = LINES) -> list[str]:
    path = written(tmp_path, front, lines)
    return problems_of(lambda: read_template(path), tmp_path)


def parts(text: str) -> list[tuple[str, str]]:
    return [(part.kind, part.value) for part in read_parts(text)]


def test_good_and_bad_with_predictions_make_a_suite(tmp_path: Path) -> None:
    suite = read(tmp_path, FRONT + "predictions: [bad.x > good.x]\n", "good: [x: a]\nbad: [x: b]\n")
    assert not suite.is_pair


def test_a_line_is_cut_into_texts_expressions_and_regions() -> None:
    assert parts('a [verb: {{ likes | agree(x, Case="Dat") }} b] c.') == [
        ("text", "a "), ("open", "verb"), ("expression", 'likes | agree(x, Case="Dat")'),
        ("text", " b"), ("close", ""), ("text", " c."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"a \[b: c\] \\ d", [("text", "a [b: c] \\ d")]),
        ("a [b] c", None),
        ("a [ b", [("text", "a [ b")]),
        ("a{# not printed #} b", [("text", "a"), ("text", " b")]),
        ("{{ '}}' }} a", [("expression", "'}}'"), ("text", " a")]),
    ],
)
def test_brackets_and_braces(text: str, expected: list[tuple[str, str]] | None) -> None:
    if expected is None:
        with pytest.raises(ValueError, match="without"):
            parts(text)
    else:
        assert parts(text) == expected


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("{{ author", "`{{ author` is not closed by `}}`"),
        ("{{ author }", "Jinja: unexpected '}' (an expression ends with }}, a block with %})"),
        ("{{ (author }}", "Jinja: unexpected '}', expected ')' (a bracket or a comma is missing)"),
        (
            "{{ 'author }}",
            'Jinja: unexpected char "\'" at 3 '
            '(filters have | before them, texts straight quotes ("), comparisons ==)',
        ),
        ("{ author }}", "`}}` without `{{`"),
        ("a #} b", "`#}` without `{#`"),
        ("a {# b", "Jinja: Missing end of comment tag"),
        ("{% if author %}a{% endif %}", "a block `{% ... %}` is not allowed in a line"),
        ("a [verb: b", "a region `[name: ...]` is not closed"),
        ("a [v: b [n: c]]", "a region `[name: ...]` inside another, or `]` without `[name:`"),
        ("a b]", "a region `[name: ...]` inside another, or `]` without `[name:`"),
        ("", "the line has no sentence"),
        ("[verb: ]", "the line has no sentence"),
    ],
)
def test_a_bad_sentence_is_told_with_its_line(tmp_path: Path, sentence: str, message: str) -> None:
    lines = f"good: a\n# comment\nbad: {sentence}\n"
    assert told(tmp_path, lines=lines) == [f"rel.jinja:10: {message}"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "7: there is no line with a sentence"),
        ("good: a\nBad one\n", "9: not a line of the form `name: sentence`: 'Bad one'"),
        ("good: a\nbad: b\nbad:  a\n", "10: this bad line is equal to the good one"),
        ("good: a\nbad: b\nbad: b\n", "10: this bad line is equal to that of line 9"),
        (
            "good: a\nbad: b\ngood: c\n",
            "8: a minimal pair is a line `good` and then lines `bad`, "
            "found ['good', 'bad', 'good']",
        ),
        ("one: a\ntwo: b\n", "8: the conditions ['one', 'two'] need `predictions`"),
        ("one: a\none: b\n", "8: two lines have the same name: ['one', 'one']"),
    ],
)
def test_bad_lines_are_told(tmp_path: Path, lines: str, message: str) -> None:
    assert told(tmp_path, lines=lines) == [f"rel.jinja:{message}"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "drow: 10\n",
            "7: unknown key 'drow' (did you mean 'draw'? keys: id, phenomenon, field, construction, "
            "about, source, controller, draw, slots, names, where, balance, may_repeat, attractors, "
            "predictions, allow, "
            "features, pairs)",
        ),
        ("draw: ten\n", "7: draw: 'ten' is neither `all` nor a number from 1 to 999,999,999"),
        (
            "field: sintax\n",
            "7: field 'sintax' (did you mean 'syntax'? fields: morphology, syntax, semantics, "
            "syntax_semantics)",
        ),
        (
            "attractors: [author, guard]\n",
            "7: attractors: there is no slot 'guard' (slots: author, likes)",
        ),
        (
            "where: {a: b}\n",
            "7: 'where': a test, a list of tests or `if TEST: TEST` is wanted here",
        ),
        ("features: [a]\n", "7: 'features' wants lines `name: ...`"),
        ("features: {same: [a, b]}\n", "7: 'same' wants a text"),
    ],
)
def test_bad_keys_are_told(tmp_path: Path, rows: str, message: str) -> None:
    assert told(tmp_path, FRONT + rows) == [f"rel.jinja:{message}"]


@pytest.mark.parametrize(
    ("slots", "message"),
    [
        ("slots: noun\n", "3: 'slots' wants lines `name: ...`"),
        (
            "slots:\n  author: noun\n",
            "4: slot 'author': there is no kind 'noun' (there is no _slots.yaml)",
        ),
        ("slots:\n  author:\n    Set: 1\n", "4: slot 'author' does not say `from` which table"),
        ("slots: {word: {from: noun}}\n", "3: 'word' cannot be the name of a slot"),
    ],
)
def test_bad_slots_are_told(tmp_path: Path, slots: str, message: str) -> None:
    assert told(tmp_path, f"id: rel\n{slots}", "good: a\nbad: b\n") == [f"rel.jinja:{message}"]


@pytest.mark.parametrize("name", ["a/b", "../rel", "a\\b", "''"])
def test_a_template_is_like_one_of_its_folder(tmp_path: Path, name: str) -> None:
    (found,) = told(tmp_path, f"id: rel\nlike: {name}\n", "good: a\nbad: b\n")
    assert found.startswith(
        f"rel.jinja: like: template {name!r} is no name"
        if name != "''"
        else "rel.jinja: like: template '' is no name"
    )


def test_the_id_must_be_the_name_of_the_file(tmp_path: Path) -> None:
    assert told(tmp_path, FRONT.replace("id: rel\n", "")) == [
        "rel.jinja:1: the front matter has no `id`"
    ]
    assert told(tmp_path, FRONT.replace("id: rel", "id: rell")) == [
        "rel.jinja:2: id 'rell' is not the file's name 'rel'"
    ]


@pytest.mark.parametrize(
    "text", ["", "good: a\nbad: b\n", "---\nid: rel\ngood: a\n", "\n---\n---\n"]
)
def test_front_matter_must_stand_between_two_lines(tmp_path: Path, text: str) -> None:
    path = rewrite(tmp_path / "rel.jinja", text)
    assert problems_of(lambda: read_template(path), tmp_path) == [
        "rel.jinja:1: a template begins with front matter between two lines `---`"
    ]


def test_all_problems_of_a_template_come_at_once(tmp_path: Path) -> None:
    front = (
        "field: sintax\nabout: [x]\nslots:\n  author: noun\n  likes: {from: verb}\n"
        "where: {a: b}\ndraw: some\ncontroller: guard\nsuorce: x\n"
    )
    lines = "good: {{ likes\nbad: [x: b\nbad\n"
    messages = told(tmp_path, front, lines)
    assert sorted(int(message.split(":")[1]) for message in messages) == [
        1, 2, 3, 5, 7, 8, 9, 10, 12, 13, 14,
    ]  # fmt: skip
