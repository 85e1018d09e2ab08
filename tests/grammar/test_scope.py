"""Scopes: which words an expression can tell apart, and the numbers of what it is evaluated for."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawing import make_paradigm
from solecism import grouping
from solecism.grammar import slots as slots_module
from solecism.grammar.expression import merge_uses
from solecism.grammar.slots import Domain, Scope
from solecism.grammar.words import FEATS, ROW, WHOLE
from solecism.grouping import distinct_codes, pack_columns

NOUN = """
lemma    Number=Sing  Number=Plur  Gender  Class
author   author       authors      Masc    human
actress  actress      actresses    Fem     human
book     book         books        Masc    thing
"""
VERB = """
lemma  Number=Sing  Number=Plur
laugh  laughs       laugh
cry    cries        cry
"""


def domains(folder: Path) -> list[Domain]:
    """A slot of nouns whose forms are drawn, and one of verbs whose are not."""
    front = "slots:\n  a: {from: noun}\n  v: {from: verb}"
    lines = "good: {{ a }} {{ v | agree(a) }}\nbad: {{ a }} {{ v | clash(a, 'Number') }}"
    return list(make_paradigm(folder, {"noun": NOUN, "verb": VERB}, front, lines).plan.domains)


@pytest.mark.parametrize(
    ("asked", "groups"),
    [
        (WHOLE, [[0], [1], [2], [3], [4], [5]]),
        (FEATS, [[0], [1], [2, 4], [3, 5]]),
        (ROW, [[0, 1], [2, 3], [4, 5]]),
        ("Class", [[0, 1, 2, 3], [4, 5]]),
        ("Number", [[0, 2, 4], [1, 3, 5]]),
    ],
)
def test_words_that_an_expression_cannot_tell_apart_make_a_group(
    tmp_path: Path, asked: str, groups: list[list[int]]
) -> None:
    # Entries in order: actress, actresses, author, authors, book, books (plural first).
    scope = Scope.of({"a": frozenset([asked])}, domains(tmp_path))
    assert scope.slots == (0,)
    found = [np.flatnonzero(scope.keys[0] == key).tolist() for key in range(scope.size)]
    assert found == groups
    assert [first[0] for first in groups] == list(scope.firsts[0])


def test_codes_number_the_combinations_of_groups(tmp_path: Path) -> None:
    slots = domains(tmp_path)
    scope = Scope.of({"a": frozenset(["Class"]), "v": frozenset([ROW])}, slots)
    assert scope.size == 2 * 2
    columns = [np.repeat(np.arange(6), 2).astype(np.int32), np.tile([0, 1], 6).astype(np.int32)]
    codes = scope.codes(columns, 12)
    assert set(codes.tolist()) == set(range(4))
    for row, code in enumerate(codes.tolist()):
        here = {slot: int(column[row]) for slot, column in enumerate(columns)}
        (words,) = scope.each([code])
        assert words["a"].lookup("Class") == slots[0].words[here[0]].lookup("Class")
        assert words["v"].row is slots[1].words[here[1]].row


def test_an_expression_without_slots_has_one_code(tmp_path: Path) -> None:
    scope = Scope.of({}, domains(tmp_path))
    assert (scope.size, list(scope.each([0]))) == (1, [{}])
    assert scope.codes([], 3).tolist() == [0, 0, 0]


def test_codes_beyond_64_bits_are_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scope = Scope.of({"a": frozenset([WHOLE]), "v": frozenset([ROW])}, domains(tmp_path))
    columns = [np.array([5, 0, 3, 5], dtype=np.int32), np.array([1, 0, 1, 1], dtype=np.int32)]
    usual = scope.codes(columns, 4)
    monkeypatch.setattr(slots_module, "MAX_CODE", 5)
    large = scope.codes(columns, 4)
    assert large.dtype == object
    assert large.tolist() == usual.tolist()
    unique, inverse = distinct_codes(large, scope.size)
    assert [unique[i] for i in inverse] == usual.tolist()


@given(st.lists(st.integers(0, 500), max_size=60))
def test_distinct_codes_and_their_places(codes: list[int]) -> None:
    column = np.array(codes, dtype=np.intp)
    for size in (501, 1 << 40):
        unique, inverse = distinct_codes(column, size)
        assert unique.tolist() == sorted(set(codes))
        assert unique[inverse].tolist() == codes


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(0, 2)), max_size=40))
def test_packed_numbers_are_alike_where_rows_are(rows: list[tuple[int, int, int]]) -> None:
    columns = [np.array([row[i] for row in rows], dtype=np.intp) for i in range(3)]
    with pytest.MonkeyPatch.context() as patch:
        for most in (1 << 62, 20, 1):
            patch.setattr(grouping, "MAX_CODE", most)
            code, _ = pack_columns(columns, len(rows))
            numbers = dict(zip(rows, code.tolist(), strict=True))
            assert [numbers[row] for row in rows] == code.tolist()
            assert len(set(numbers.values())) == len(set(rows))


def test_uses_are_merged_by_slot() -> None:
    merged = merge_uses([{"a": frozenset("x")}, {}, {"a": frozenset("y"), "b": frozenset()}])
    assert merged == {"a": frozenset("xy"), "b": frozenset()}
