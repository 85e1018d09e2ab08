"""The error that bad input raises: it crosses from one process to another and obeys no text of
others."""

import io
import json
import pickle

from rich.table import Table
from rich.text import Text

from solecism.errors import InputError, Problem, visible
from solecism.terminal import Terminal


def test_problems_survive_pickling() -> None:
    problems = (Problem("no column", "noun.tsv", 3, "L001"), Problem("no form", "noun.tsv", 4))
    found = pickle.loads(pickle.dumps(InputError(problems)))
    assert isinstance(found, InputError)
    assert found.problems == problems
    assert str(found) == "noun.tsv:3: L001: no column\nnoun.tsv:4: no form"


COMMANDS = "a\x1b[31m\x9b\x07\x00\r\u202eb\u2067\u061c\udcff"


def test_what_a_terminal_would_obey_is_shown() -> None:
    assert visible(COMMANDS) == r"a\x1b[31m\u009b\x07\x00\x0d\u202eb\u2067\u061c\udcff"
    assert visible("a\tb\nc é 中 עב 🙂") == "a\tb\nc é 中 עב 🙂"
    assert visible("\u2067עב\u2069\x1b", keep="\u2067\u2069") == "\u2067עב\u2069\\x1b"
    text = {"a": "\x1b[0m\x9b\u202e"}
    assert json.loads(visible(json.dumps(text, ensure_ascii=False))) == text


def test_problems_obey_nothing_and_are_not_endless() -> None:
    problem = Problem(f"no {COMMANDS}", "a\x1b.jinja", 3)
    assert str(problem).startswith(r"a\x1b.jinja:3: no a\x1b[31m")
    assert str(InputError(problem)) == str(problem)
    said = str(Problem("x" * 100_000, "a.jinja", 3))
    assert len(said) < 2_000
    assert said.startswith("a.jinja:3: xxx")


def test_the_terminal_shows_escapes_and_markup_as_they_are() -> None:
    out = io.StringIO()
    console = Terminal(file=out, width=60, markup=False, emoji=False, highlight=False)
    table = Table("[red]head\x1b[2J", box=None)
    table.add_row(Text("cell\x1b]0;title\x07", style="green"))
    for part in ("[red]a[/b] :smile: \x1b[31m", Text("\u2067עב\u2069 \u202e"), table):
        console.print(part)
    console.print_json(json.dumps({"a": "\x9b\x1b"}))
    text = out.getvalue()
    assert "[red]a[/b] :smile: \\x1b[31m" in text
    assert "\u2067עב\u2069 \\u202e" in text
    assert "[red]head\\x1" in text
    assert "cell\\x1b]0;t" in text
    assert not set("\x1b\x9b\x07\u202e") & set(text)
