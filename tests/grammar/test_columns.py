"""Differences: which words of a pair differ, after which shared text."""

from pathlib import Path
from typing import Any

import pytest

from cases import CASES, Case
from drawing import Files, make_paradigm, rows
from solecism import grouping

TABLES: Files = {
    "noun": """
        lemma   Number=Sing  Number=Plur
        author  author       authors
        cook    cook         cooks
    """,
    "verb": """
        lemma  Number=Sing  Number=Plur
        sleep  sleeps       sleep
    """,
    "orthography": """
        rule     left  right   result
        article  a     author  an =
        prefix   l     .+      =+=
        capital  -     -       yes
        stop     -     -       .
    """,
}
FRONT = "slots:\n  n: {from: noun, Number: Sing}\n  v: {from: verb}\ncontroller: n"


def pair(folder: Path, good: str, bad: str, front: str = FRONT) -> dict[str, Any]:
    """The first pair."""
    return rows(make_paradigm(folder, TABLES, front, f"good: {good}\nbad: {bad}"))[0]


@pytest.mark.parametrize(
    ("good", "bad", "prefix", "words", "target"),
    [
        ("the N G", "the N B", "The author", ("sleeps", "sleep"), "sleep"),
        ("the N G-so now", "the N B-so now", "The author", ("sleeps-so", "sleep-so"), "sleep"),
        ("l G of N", "l B of N", None, None, None),
        ("of l G of N", "of l B of N", "Of", ("lsleeps", "lsleep"), "sleep"),
        ("of N it is so G", "of N it is not G", "Of author it is", ("so", "not"), None),
        ("the N G", "the N B today", None, None, None),
        ("the N G!", "the N G?", "The author sleeps", ("!", "?"), None),
        ("of a N G", "of the N G", "Of", ("an", "the"), None),
        ("the N G", "the N no", "The author", ("sleeps", "no"), "sleep"),
    ],
)
def test_the_word_that_differs(
    tmp_path: Path,
    good: str,
    bad: str,
    prefix: str | None,
    words: tuple[str, str] | None,
    target: str | None,
) -> None:
    parts = {"N": "{{ n }}", "G": "{{ v | agree(n) }}", "B": '{{ v | clash(n, "Number") }}'}
    lines = ["".join(parts.get(piece, piece) for piece in _pieces(line)) for line in (good, bad)]
    front = FRONT if "G" in good + bad else FRONT.replace("  v: {from: verb}\n", "")
    found = pair(tmp_path, *lines, front)
    assert found["one_prefix_prefix"] == prefix
    shown = (found["one_prefix_word_good"], found["one_prefix_word_bad"])
    assert shown == (words or (None, None))
    assert found["features"]["target"] == target or prefix is None


def _pieces(line: str) -> list[str]:
    out = [""]
    for character in line:
        out += [character, ""] if character in "NGB" else []
        out[-1] += "" if character in "NGB" else character
    return out


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_small_and_large_numbers_of_combinations_are_compared_alike(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = rows(case.write(tmp_path))
    monkeypatch.setattr(grouping, "MAX_CODE", 3)
    assert rows(case.write(tmp_path)) == usual
