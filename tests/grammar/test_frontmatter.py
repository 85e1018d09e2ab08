"""Front matter: YAML in which every scalar is text, keys stand once and lines are known."""

import pytest

from solecism.errors import InputError
from solecism.grammar.front_matter import read_front_matter


def told(text: str) -> tuple[int, str]:
    with pytest.raises(InputError) as caught:
        read_front_matter(text)
    (problem,) = caught.value.problems
    return problem.line or 0, problem.message


def test_every_scalar_is_text() -> None:
    text = "draw: 10\nguard: {language: no}\nabout: >\n  One sentence\n  on two lines.\nempty:\n"
    fields = read_front_matter(text).fields
    assert (fields["draw"].text, fields["empty"].text) == ("10", "")
    assert fields["guard"].fields["language"].text == "no"
    assert fields["about"].text == "One sentence on two lines.\n"


@pytest.mark.parametrize("value", ["{a: b}", "[a, [b]]", "[a, {b: c}]"])
def test_other_values_are_no_texts(value: str) -> None:
    entry = read_front_matter(f"id: x\nkey: {value}").fields["key"]
    with pytest.raises(InputError, match=r":2: a text or a list of texts is wanted here$"):
        entry.texts()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("id: a\ndraw: 1\nid: b", 3, "key 'id' stands twice"),
        (
            "id: a\nabout: so: it is",
            2,
            "YAML: a text with ': ' in it must be in quotes (mapping values are not allowed here)",
        ),
        (
            "id: a\n\tdraw: 1",
            2,
            "YAML: a tab: use spaces (found character '\\t' that cannot start any token)",
        ),
        (
            "id: a\nwhere: 'b",
            2,
            "YAML: a quotation mark is not closed (found unexpected end of stream)",
        ),
        (
            "id: a\n- b",
            2,
            "YAML: the line is indented otherwise than those above it (expected <block end>, but found '-')",
        ),
        (
            "id: a\nwhere: *x",
            2,
            "YAML: a text that begins with & or * must be in quotes (found undefined alias 'x')",
        ),
        ("id: a\nabout: \x07", 2, "YAML: character 0x7: special characters are not allowed"),
        ("id: a\n? [b]\n: c", 2, "a key must be a text"),
        (
            "id: a\nb: &x [c]\nd: [*x, *x]",
            2,
            "YAML: what stands here is named by an alias: a text that begins with & or * must be in quotes",
        ),
        (
            "id: a\nwhere: &a [*a]",
            2,
            "YAML: what stands here is named by an alias: a text that begins with & or * must be in quotes",
        ),
        (
            "id: a\nb: " + "[" * 20_000,
            1,
            "YAML: too many lists are inside one another",
        ),
        (
            "id: a\nb: " + "[" * 20_000 + "]" * 20_000,
            1,
            "YAML: too many lists are inside one another",
        ),
        ("", 1, "the front matter must be `key: value` lines"),
    ],
)
def test_bad_front_matter_is_told_with_its_line(text: str, line: int, message: str) -> None:
    assert told(text) == (line, message)
