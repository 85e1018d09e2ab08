"""The few limits on what an input may ask for."""

from pathlib import Path

from expecting import problems_of
from solecism.avg.grammar import build_avg
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import load_paradigm
from solecism.lexicon.lexicon import Lexicon
from tiny import make_root, rewrite

SIMPLE = "templates/demo/xx/simple.jinja"


def test_tests_that_link_very_many_words_are_refused(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    rows = "".join(f"n{n}\tn{n}\n" for n in range(400))
    rewrite(root / "lexicons/xx/noun.tsv", f"lemma\tNumber=Sing\n{rows}")
    names = [f"s{n}" for n in range(6)]
    where = "".join(f"  - {a}.lemma != {b}.lemma\n" for a in names for b in names if a < b)
    slots = "".join(f"  {name}: {{from: noun}}\n" for name in names)
    words = " ".join(f"{{{{ {name} }}}}" for name in names)
    rewrite(
        root / SIMPLE,
        f"---\nid: simple\nslots:\n{slots}where:\n{where}draw: 10\n---\ngood: {words}\nbad: x {words}\n",
    )
    paradigm = load_paradigm(root / SIMPLE, Lexicon(root / "lexicons/xx"))
    told = problems_of(lambda: next(draw_pairs(paradigm)), root)
    assert "where: the tests link too many words" in told[0]


def test_a_grammar_makes_so_many_sentences(tmp_path: Path) -> None:
    nouns = " | ".join(f"n{n}" for n in range(50))
    text = f"vary: V[]\nS[] {'N[] ' * 10}V[a]\nN[] {nouns}\nV[a] x\nV[b] y\n"
    rewrite(tmp_path / "in" / "a.avg", text)
    (problem,) = problems_of(lambda: build_avg(tmp_path / "in", tmp_path / "out"), tmp_path)
    assert problem == "in/a.avg:2: the template makes more than 10,000,000 sentences"
    assert not (tmp_path / "out").exists()
