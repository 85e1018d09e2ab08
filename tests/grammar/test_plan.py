"""The plan: which combinations of words there are, and which of them a draw takes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import drawn, make_paradigm, never_list
from solecism.errors import InputError
from solecism.grammar.paradigm import Counts, Paradigm
from solecism.grammar.sampling import plan as plan_module
from solecism.grammar.sampling.elimination import Clause, Columns
from solecism.grammar.sampling.plan import DrawPlan
from solecism.grammar.slots import Domain
from solecism.grammar.template import Slot
from solecism.grammar.words import Evaluation, Word
from solecism.hashing import mix, text_hashes
from solecism.lexicon.table import Row, Table

SEED = text_hashes(["a seed"])


def domain(name: str, lemmas: Sequence[str], table: str = "noun") -> Domain:
    """A slot that may take these words."""
    rows = tuple(Row(lemma, {}, {}, "NOUN") for lemma in lemmas)
    words = Table("", table, (), (), rows)
    return Domain(
        Slot(name, (table,), {}, 1),
        tuple(Word(row, words, (), frozenset(), Evaluation(), None, name) for row in rows),
    )


def clause(scope: Sequence[int], sizes: Sequence[int], truths: Sequence[bool]) -> Clause:
    """A condition that tells every word from every other."""
    shape = [sizes[slot] for slot in scope]
    keys = tuple(np.arange(size) for size in shape)
    return Clause(tuple(scope), keys, np.array(truths, dtype=bool).reshape(shape))


def walked(plan: DrawPlan, batch: int = plan_module.BATCH) -> list[tuple[int, ...]]:
    return list(places(plan.walk(batch)))


def places(batches: Iterator[Columns]) -> Iterator[tuple[int, ...]]:
    for columns in batches:
        yield from zip(*(column.tolist() for column in columns), strict=True)


def sampled(plan: DrawPlan, number: int, seed: int = 0) -> list[tuple[int, ...]]:
    """The first combinations of a sample."""
    start = mix(SEED ^ np.uint64(seed))
    found = places(plan.sample(start, number))
    return [combination for combination, _ in zip(found, range(number), strict=False)]


def brute_force(plan: DrawPlan) -> list[tuple[int, ...]]:
    """All combinations, one by one."""
    out = []
    for combination in product(*(range(len(d)) for d in plan.domains)):
        words = [d.words[i] for d, i in zip(plan.domains, combination, strict=True)]
        lemmas = [(word.table.name, word.row.lemma) for word in words]
        allowed = all(
            c.table[tuple(k[combination[s]] for s, k in zip(c.scope, c.keys, strict=True))]
            for c in plan.clauses
        )
        if allowed and all(lemmas[a] != lemmas[b] for a, b in plan.apart):
            out.append(combination)
    return out


@st.composite
def plans(draw: st.DrawFn) -> DrawPlan:
    """Plans of up to four slots with clauses over one to three of them."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    lemmas = [draw(st.permutations("abcdefg"))[:size] for size in sizes]
    domains = [domain(f"s{n}", words) for n, words in enumerate(lemmas)]
    clauses = []
    for _ in range(draw(st.integers(0, 3))):
        slots = draw(st.permutations(range(len(sizes))))[: draw(st.integers(1, 3))]
        keys = [np.array([draw(st.integers(0, 2)) for _ in range(sizes[s])]) for s in slots]
        table = np.array(draw(st.lists(st.booleans(), min_size=27, max_size=27)))
        shaped = table[: 3 ** len(slots)].reshape([3] * len(slots))
        clauses.append(Clause(tuple(slots), tuple(keys), shaped))
    pairs = [(a, b) for b in range(len(sizes)) for a in range(b) if draw(st.booleans())]
    return DrawPlan(domains, clauses, pairs)


@given(plans(), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_a_walk_gives_every_combination_in_order_whatever_the_batches(
    plan: DrawPlan, batch: int
) -> None:
    wanted = brute_force(plan)
    assert walked(plan) == wanted
    assert walked(plan, batch) == wanted
    assert plan.size() == len(wanted)
    assert plan.bound == len(brute_force(DrawPlan(plan.domains, plan.clauses)))


@given(plans(), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_a_sample_gives_every_combination_once(plan: DrawPlan, seed: int) -> None:
    every = brute_force(plan)
    found = sampled(plan, 10_000, seed)
    assert len(set(found)) == len(found)
    assert sorted(found) == every


THREE = DrawPlan(
    [domain("x", "abcd"), domain("y", "abc"), domain("z", "ab", "verb")],
    [clause([0], [4], [True, True, True, False]), clause([2, 1], [0, 3, 2], [1, 1, 0, 1, 1, 1])],
    [(0, 1)],
)


def chi_square(found: Sequence[tuple[int, ...]], every: Sequence[tuple[int, ...]]) -> float:
    counts, expected = Counter(found), len(found) / len(every)
    assert set(counts) <= set(every)
    return sum((counts[e] - expected) ** 2 / expected for e in every)


@pytest.mark.parametrize("listed", [True, False])
def test_every_combination_is_as_likely_as_every_other(
    listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not listed:
        never_list(monkeypatch)
    every = brute_force(THREE)
    assert len(every) == 10
    first = [sampled(THREE, 1, seed)[0] for seed in range(1000)]
    assert chi_square(first, every) < 27.9  # 99.9 % for 9 degrees of freedom


def test_a_large_space_is_sampled_without_being_listed() -> None:
    lemmas = [f"w{i}" for i in range(1000)]
    names = ["a", "b", "c", "d"]
    odd = np.arange(1000) % 2
    same = Clause((0, 3), (odd, odd), np.eye(2, dtype=bool))
    plan = DrawPlan([domain(n, lemmas) for n in names], [same], [(0, 1), (1, 2), (0, 3)])
    assert plan.bound == 10**12 // 2
    assert plan.size() == plan.bound
    found = sampled(plan, 300)
    assert len(set(found)) == 300
    for a, b, c, d in found:
        assert a % 2 == d % 2
        assert a != b != c
        assert a != d


# Draws from lexicons.


def nouns(numbers: Sequence[int], more: str = "", column: str = "") -> str:
    head = f"lemma  Number=Sing  Number=Plur  Animacy  Set{column and '  ' + column}"
    rows = [f"n{i}  n{i}  n{i}s  Anim  {1 + i % 3 % 2}{column and f'  p{i}'}" for i in numbers]
    return "\n".join([head, *rows, *([more] if more else [])])


SYNCRETIC = """
lemma  Number=Sing  Number=Plur
sheep  sheep        sheep
see    sees         see
put    put          -
go     goes         go
cut    cut          cut
do     does         do
"""


def syncretic(folder: Path, draw: str, noun: str = "") -> Paradigm:
    tables = {"noun": noun or nouns(range(5)), "verb": SYNCRETIC}
    slots = "slots:\n  a: {from: noun, Number: Sing, Animacy: Anim}\n  v: {from: verb}"
    lines = "good: the {{ a }} {{ v | agree(a) }}\nbad: the {{ a }} {{ v | clash(a, 'Number') }}"
    return make_paradigm(folder, tables, f"{slots}\ndraw: {draw}", lines)


@pytest.mark.parametrize("listed", [True, False])
def test_a_draw_does_not_depend_on_words_that_fit_no_slot_or_on_further_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: bool
) -> None:
    if not listed:
        never_list(monkeypatch)
    changes = (nouns(range(5), "thing  thing  things  Inan  2"), nouns(range(5), column="Class"))
    usual, *changed = (
        drawn(syncretic(tmp_path / str(n), "9", noun))["id"]
        for n, noun in enumerate(("", *changes))
    )
    assert changed == [usual, usual]


@pytest.mark.parametrize("number", [1, 7, 15])
def test_a_draw_makes_up_for_what_it_skips(tmp_path: Path, number: int) -> None:
    counts = Counts()
    table = drawn(syncretic(tmp_path, str(number)), counts=counts)
    assert len(set(table["set_id"].to_pylist())) == counts.sets == number
    assert set(counts.skipped) <= {"syncretic", "lacking"}
    assert sum(counts.skipped.values()) <= 15


def test_too_few_pairs_are_told_with_what_was_left_out(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"16 minimal sets .* allow 15 \(left out: 5 lacking, 10 syncretic\)"
    ):
        drawn(syncretic(tmp_path, "16"))


def test_a_draw_from_a_large_space_gives_up_where_next_to_nothing_makes_a_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_list(monkeypatch)
    monkeypatch.setattr("solecism.grammar.paradigm.PATIENCE", 20_000)
    many = "\n".join(
        ["lemma  Number=Sing  Number=Plur  Set", *(f"n{i}  n{i}  -  1" for i in range(300))]
    )
    slots = "\n".join(f"  {name}: {{from: noun}}" for name in "abc")
    front = f"slots:\n{slots}\n  v: {{from: verb}}\ndraw: 30"
    nouns = "{{ a }} {{ b }} {{ c }}"
    verbs = "{{ v | agree(a) }}", '{{ v | clash(a, "Number") }}'
    lines = f"good: {nouns} {verbs[0]}\nbad: {nouns} {verbs[1]}"
    tables = {"noun": many, "verb": "lemma  Number=Sing  Number=Plur\nput  put  put"}
    message = (
        r"30 minimal sets are wanted, the first [\d,]+ combinations of words make 0 \(left out"
    )
    with pytest.raises(InputError, match=message):
        drawn(make_paradigm(tmp_path, tables, front, lines))


# Clauses as templates write them.


def plan_of(folder: Path, where: str) -> DrawPlan:
    front = f"slots:\n  a: {{from: noun}}\n  b: {{from: noun}}\n  v: {{from: verb}}\nwhere: {where}"
    lines = "good: {{ a }} {{ b }} {{ v }}\nbad: {{ b }} {{ a }} {{ v }}"
    tables = {"noun": nouns(range(4)), "verb": SYNCRETIC.replace("put    put          -\n", "")}
    return make_paradigm(folder, tables, front, lines).plan


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("'1 == 1'", "asks nothing of any slot"),
        ("a.Set == 'x'", r"no words pass \"a.Set == 'x'\""),
        ("a.Sett == '1'", "has no column 'Sett'"),
        ("(v | form(Number='Dual')).lemma == 'go'", "a form is lacking"),
        ("(v | form(Case='Nom')).lemma == 'go'", "where: no form in verb.tsv expresses 'Case'"),
    ],
)
def test_a_clause_that_cannot_be_is_told_with_its_line(
    tmp_path: Path, where: str, message: str
) -> None:
    with pytest.raises(InputError, match=rf"p\.jinja:10: .*{message}"):
        plan_of(tmp_path, where if where.startswith("'") else f'"{where}"')


def test_a_clause_over_too_many_words_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solecism.grammar.where.LARGEST_CLAUSE", 30)
    plan_of(tmp_path / "few", "a.Set == b.Set")
    with pytest.raises(InputError, match="'a != b' compares too many words"):
        plan_of(tmp_path / "many", "a != b")


def test_tests_that_no_words_pass_together_are_no_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_list(monkeypatch)
    words = "lemma  Number=Sing  Number=Plur\nn0  n0  n0s\nn1  n1  n1s"
    verbs = (
        "lemma  Number=Sing  Number=Plur  First  Second\ngo  goes  go  n0  -\nsee  sees  see  -  n1"
    )
    front = "slots:\n  a: {from: noun}\n  b: {from: noun}\n  v: {from: verb}\n"
    front += "where: [a.lemma == v.First, b.lemma == v.Second]\nbalance: [v.lemma]\ndraw: 30"
    lines = 'good: {{ a }} {{ b }} {{ v | agree(a) }}\nbad: {{ a }} {{ b }} {{ v | clash(a, "Number") }}'
    with pytest.raises(InputError, match="the words allow 0"):
        drawn(make_paradigm(tmp_path, {"noun": words, "verb": verbs}, front, lines))
