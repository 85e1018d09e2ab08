"""The relations of mined agreement as requests, which docs/query.md shows, find what the miner
finds before its filters."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from release import CHECKOUT, SHARED
from solecism.query.graph import Graphs
from solecism.query.match import find_maps
from solecism.query.request import read_request
from solecism.treebank.candidates import find_candidates, layered_words
from solecism.treebank.conllu import Flags, Tokens, files_of, read_tokens
from solecism.treebank.forms import inflected_adpositions
from solecism.treebank.languages import find_language

ROWS = re.findall(
    r"(?m)^\| ([a-z ]+) \| `(pattern .*)` \|$", (CHECKOUT / "docs/query.md").read_text()
)
ENDS = {
    "determiner": ("D", "N"), "modifying": ("A", "N"), "predicated": ("A", "S"), "verb": ("V", "S"),
    "object": ("V", "O"), "indirect object": ("V", "O"), "adposition": ("P", "N"), "possessor": ("N", "O"),
}  # fmt: skip
"""The names of target and controller."""
Pairs = set[tuple[int, int]]


def asked_of(kind: str, tokens: Tokens) -> Flags:
    """What the miner asks of a target beside the tree: forms that carry what would agree."""
    if kind in ("object", "indirect object"):
        return layered_words(tokens)
    if kind == "adposition":
        return inflected_adpositions(tokens)
    if kind == "possessor":
        return tokens.feats.table(lambda text: "[psor]" in text, bool)
    return np.ones(len(tokens), bool)


def test_all_relations_are_shown() -> None:
    assert [name for name, _ in ROWS] == [*ENDS]


@pytest.mark.parametrize(("kind", "text"), ROWS)
@pytest.mark.parametrize("treebank", ["UD_Polish-PDB", "UD_French-GSD", "UD_Finnish-TDT"])
def test_a_request_finds_the_pairs_of_a_relation(kind: str, text: str, treebank: str) -> None:
    if not (SHARED / "ud").is_dir():
        pytest.skip("the treebanks are not here")
    request = read_request(text.replace("\\|", "|"))
    for path in files_of([Path(SHARED / "ud" / treebank)])[:1]:
        for tokens in read_tokens(path):
            language = find_language(path.name.partition("_")[0])
            known = find_candidates(tokens, language)
            some = known[known.of(kind.replace(" ", "_"))]
            mined = {*zip(some.pairs.target.tolist(), some.pairs.controller.tolist(), strict=True)}
            graphs, found = Graphs(tokens), Pairs()
            target, controller = ENDS[kind]
            for maps in find_maps(graphs, request):
                rows = (graphs.row[maps[name]].tolist() for name in (target, controller))
                found |= {*zip(*rows, strict=True)}
            carries = asked_of(kind, tokens)
            found = {pair for pair in found if carries[pair[0]]}
            if kind == "verb":  # a participle beside an auxiliary is a kind of its own
                other = known[known.of("participle")]
                found -= {
                    *zip(other.pairs.target.tolist(), other.pairs.controller.tolist(), strict=True)
                }
            assert found == mined
