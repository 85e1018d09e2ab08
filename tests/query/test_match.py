"""Requests find what Grew finds: its counts on a treebank, and the same maps as a matcher that
tries all nodes for all names, on small random trees and random requests."""

from __future__ import annotations

import csv
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from release import SHARED
from solecism.query.graph import Graphs
from solecism.query.match import find_maps
from solecism.query.request import read_request
from solecism.treebank.conllu import read_tokens, tokens_of

Tree = list[tuple[str, str, int, str]]
"""Words of a sentence: form, part of speech, head and relation."""


def found(graphs: Graphs, text: str) -> list[dict[str, int]]:
    """The maps of a request: the number of each name's node."""
    maps = []
    for some in find_maps(graphs, read_request(text)):
        names = [name for name in some if name]
        maps += (
            [
                dict(zip(names, nodes, strict=True))
                for nodes in zip(*(some[n].tolist() for n in names), strict=True)
            ]
            if names
            else [{}] * len(some[""])
        )
    return maps


def test_counts_of_the_real_program() -> None:
    folder = SHARED / "reference" / "grew"
    if not folder.is_dir():
        pytest.skip("the treebank that Grew counted is not here")
    graphs = [Graphs(tokens) for tokens in read_tokens(folder / "fr_gsd-sud-test.conllu")]
    with (folder / "counts.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    counts = {
        row["request"]: sum(len(found(one, row["request"])) for one in graphs) for row in rows
    }
    assert counts == {row["request"]: int(row["matches"]) for row in rows}
    assert len(rows) >= 23


def conllu(tree: Tree) -> str:
    lines = [
        f"{n}\t{form}\t{form}\t{upos}\t_\t_\t{head}\t{relation}\t_\t_"
        for n, (form, upos, head, relation) in enumerate(tree, 1)
    ]
    return "\n".join(["# sent_id = s", *lines, "", ""])


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A tree of up to six words: each depends on an earlier one of a random order."""
    size = draw(st.integers(1, 6))
    order = draw(st.permutations(range(1, size + 1)))
    heads = {order[0]: 0}
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    relation = st.sampled_from(["nsubj", "obj", "aux:pass", "aux"])
    return [
        (draw(st.sampled_from("ab")), draw(st.sampled_from(["NOUN", "VERB"])), heads[n],
         draw(relation) if heads[n] else "root")
        for n in range(1, size + 1)
    ]  # fmt: skip


NAMES = ("X", "Y", "Z$")
Clause = tuple[str, ...]


@st.composite
def clauses(draw: st.DrawFn) -> Clause:
    kind = draw(
        st.sampled_from(["node", "edge", "order", "star", "above", "same", "delta", "absent"])
    )
    x, y = draw(st.sampled_from(NAMES)), draw(st.sampled_from(NAMES))
    label = draw(
        st.sampled_from(["", "nsubj|obj", "^nsubj|obj", "1=aux", "1=aux, 2=pass", "!2", 're"a.*"'])
    )
    upos = draw(
        st.sampled_from(["upos=VERB", "upos<>VERB", "upos", "!upos", 'form="a"', "upos=NOUN|VERB"])
    )
    sign = draw(st.sampled_from(["<", ">", "<<", ">>"]))
    return {
        "node": ("node", x, upos), "edge": ("edge", x, label, y), "order": ("order", x, sign, y),
        "star": ("star", draw(st.sampled_from(["up", "down"])), x, label), "above": ("above", x, y),
        "same": ("same", x, draw(st.sampled_from(["=", "<>"])), y), "absent": ("absent", x),
        "delta": ("delta", draw(st.sampled_from(["length", "delta"])), x, y,
                  draw(st.sampled_from(["=", "<", ">="])), str(draw(st.integers(-2, 3)))),
    }[kind]  # fmt: skip


@st.composite
def requests(draw: st.DrawFn) -> list[tuple[str, list[Clause]]]:
    """Parts of a request: one pattern, and up to two others."""
    parts = [("pattern", draw(st.lists(clauses(), max_size=3)))]
    kinds = st.sampled_from(["with", "without"])
    return parts + draw(
        st.lists(st.tuples(kinds, st.lists(clauses(), min_size=1, max_size=2)), max_size=2)
    )


def written(clause: Clause) -> str:  # noqa: C901
    """A clause as a request has it."""
    match clause:
        case "node", x, asked:
            return f"{x} [{asked}]"
        case "edge", x, label, y:
            return f"{x} {f'-[{label}]->' if label else '->'} {y}"
        case "order", x, sign, y:
            return f"{x} {sign} {y}"
        case "star", "up", x, label:
            return f"* {f'-[{label}]->' if label else '->'} {x}"
        case "star", _, x, label:
            return f"{x} {f'-[{label}]->' if label else '->'} *"
        case "above", x, y:
            return f"{x} ->> {y}"
        case "same", x, sign, y:
            return f"{x}.form {sign} {y}.form"
        case "delta", kind, x, y, sign, number:
            return f"{kind}({x},{y}) {sign} {number}"
        case _:
            return f"!{clause[1]}.upos"


def labelled(label: str, relation: str) -> bool:
    first, _, second = relation.partition(":")
    return bool(relation) and {
        "": True, "nsubj|obj": relation in ("nsubj", "obj"),
        "^nsubj|obj": relation not in ("nsubj", "obj"), "1=aux": first == "aux",
        "1=aux, 2=pass": (first, second) == ("aux", "pass"), "!2": not second,
        're"a.*"': relation.startswith("a"),
    }[label]  # fmt: skip


def compared(a: int, sign: str, b: int) -> bool:
    return {"=": a == b, "<": a < b, ">=": a >= b}[sign]


def holds(clause: Clause, tree: Tree, at: dict[str, int]) -> bool:  # noqa: C901
    """Whether a clause holds; node 0 is the anchor."""
    words = [("__0__", "", -1, ""), *tree]
    match clause:
        case "node", x, asked:
            form, upos = words[at[x]][:2]
            return {"upos=VERB": upos == "VERB", "upos<>VERB": upos not in ("", "VERB"),
                    "upos": bool(upos), "!upos": not upos, 'form="a"': form == "a",
                    "upos=NOUN|VERB": bool(upos)}[asked]  # fmt: skip
        case "edge", x, label, y:
            return words[at[y]][2] == at[x] and labelled(label, words[at[y]][3])
        case "order", x, sign, y:
            gap = at[y] - at[x]
            return {"<": gap == 1, ">": gap == -1, "<<": gap > 0, ">>": gap < 0}[sign]
        case "star", "up", x, label:
            return labelled(label, words[at[x]][3])
        case "star", _, x, label:
            return any(head == at[x] and labelled(label, own) for _, _, head, own in words)
        case "above", x, y:
            node = words[at[y]][2]
            while node >= 0 and node != at[x]:
                node = words[node][2]
            return node == at[x]
        case "same", x, sign, y:
            return (words[at[x]][0] == words[at[y]][0]) == (sign == "=")
        case "delta", kind, x, y, sign, number:
            delta = at[y] - at[x]
            return compared(abs(delta) if kind == "length" else delta, sign, int(number))
        case _:
            return not words[at[clause[1]]][1]


BINDING = {"node": (1,), "edge": (1, 3), "star": (2,), "above": (1, 2)}


def bound(part: list[Clause]) -> list[str]:
    return list(dict.fromkeys(c[n] for c in part for n in BINDING.get(c[0], ())))


def used(part: list[Clause]) -> set[str]:
    return {word for clause in part for word in clause if word in NAMES}


def brute(tree: Tree, parts: list[tuple[str, list[Clause]]]) -> list[dict[str, int]]:
    """All maps of the pattern's names that meet it, and that the others do not rule out."""

    def extended(at: dict[str, int], part: list[Clause]) -> list[dict[str, int]]:
        new = [name for name in bound(part) if name not in at]
        maps = []
        for nodes in product(range(len(tree) + 1), repeat=len(new)):
            more = {**at, **dict(zip(new, nodes, strict=True))}
            plain = [node for name, node in more.items() if "$" not in name]
            if len({*plain}) == len(plain) and all(holds(clause, tree, more) for clause in part):
                maps.append(more)
        return maps

    maps = extended({}, parts[0][1])
    for kind, part in parts[1:]:
        maps = [at for at in maps if bool(extended(at, part)) == (kind == "with")]
    return maps


@settings(max_examples=2000, deadline=None)
@given(trees(), requests())
def test_the_maps_of_a_brute_force_matcher(tree: Tree, parts: list[Any]) -> None:
    known = bound(parts[0][1])
    for _, part in parts:
        if not used(part) <= {*known, *bound(part)}:
            return  # a name that no clause declares is an error
    for _, part in parts:
        nodes = {c[1:] for c in part if c[0] == "node"}
        if len({(x, asked.strip("!").split("=")[0].split("<")[0]) for x, asked in nodes}) < len(
            nodes
        ):
            return  # so are two constraints on one feature
    text = " ".join(f"{kind} {{ {'; '.join(map(written, part))} }}" for kind, part in parts)
    maps = found(Graphs(tokens_of(conllu(tree).encode())), text)
    key = lambda at: sorted(at.items())  # noqa: E731
    assert sorted(maps, key=key) == sorted(brute(tree, parts), key=key), text
