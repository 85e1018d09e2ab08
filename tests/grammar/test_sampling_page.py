"""The page on sampling tells the truth: its example is recomputed, by the engine and by hand."""

import doctest
from fractions import Fraction

import numpy as np

from release import CHECKOUT
from solecism.grammar.sampling.elimination import Clause

PAGE = CHECKOUT / "docs" / "sampling.md"
NOUNS, VERBS, DETERMINERS = ("cat", "dog", "toy"), ("sees", "feeds"), ("this", "that")
CLASSES = np.array([0, 0, 1])
TEST = Clause((0, 1), (CLASSES, np.array([0, 1])), np.array([[True, True], [True, False]]))


def test_the_examples_of_the_page_run() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted > 5
    assert found.failed == 0


def test_the_numbers_of_the_page_are_those_of_the_example() -> None:
    text = PAGE.read_text(encoding="utf-8")
    nouns = [sum(TEST.table[kind, verb] for kind in CLASSES) for verb in range(len(VERBS))]
    assert nouns == [3, 2]
    assert "(`sees`: 3, `feeds`: 2)" in " ".join(text.split())
    assert f"= {sum(nouns) * len(DETERMINERS)} combinations" in " ".join(text.split())
    assert f"1/2 · 1/2 · 1/2 = {Fraction(1, 2) ** 3}" in " ".join(text.split())
    assert f"2/5 · 1/2 · 1/2 = {Fraction(2, 5) / 4}" in " ".join(text.split())
