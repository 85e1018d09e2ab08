"""Requests: what is refused, with line and column, and what each kind of clause finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from solecism.commands import main
from solecism.errors import InputError
from solecism.query.graph import Graphs
from solecism.query.match import find_maps
from solecism.query.request import read_request
from solecism.treebank.conllu import tokens_of
from treebank import conllu

BAD = {
    # Parts.
    "": "",
    "X": "column 1: there is no part 'X'",
    "patern { X [] }": "did you mean 'pattern'?",
    "pattern X [] }": "column 9: { expected",
    "pattern { X []": "column 9: this { is never closed",
    "pattern { X [] } }": "column 18: pattern or with or without or global expected",
    "rule r { pattern { X [] } }": "'rule' is not for searching",
    "commands { del_node X }": "'commands' is not for searching",
    "package p { }": "'package' is not for searching",
    "strat main { r }": "'strat' is not for searching",
    'pattern { X [] } commands { X.a = "b" }': "column 18: 'commands' is not for searching",
    'include "a.grs"': "'include' is not for searching",
    "whether { X [] }": "'whether' is not for searching",
    "pattern { X [] } with Y { }": "column 23: { expected",
    "pattern pattern { X [] }": "column 9: { expected",
    # Clauses.
    "pattern { X }": "column 13: [, ., ->, -[, <, >, << or >> expected",
    "pattern { X [] Y [] }": "column 16: ; or } expected",
    "pattern { [] }": "column 11: a clause expected",
    "pattern { ; }": "column 11: a clause expected",
    "pattern { 1X [] }": "column 11: a clause expected",
    "pattern { * }": "-> or -[ expected",
    "pattern { X ! }": "expected",
    # Nodes.
    "pattern { X [upos=VERB }": "column 24: a comma or ] expected",
    "pattern { X [upos VERB] }": "a comma or ] expected",
    "pattern { X [=VERB] }": "column 14: a feature expected",
    "pattern { X [upos=] }": "column 19: a value expected",
    "pattern { X [upos=VERB|] }": "a value expected",
    "pattern { X [upos==VERB] }": "a value expected",
    'pattern { X [form="a] }': 'a closing " expected',
    "pattern { X [form=/a] }": "a value expected",
    'pattern { X [form=re"["] }': "no regular expression",
    "pattern { X [form=/(/] }": "no regular expression",
    "pattern { X [upos=VERB,] }": "",
    "pattern { X [upos=VERB]| }": "column 26: [ expected",
    'pattern { X [form=re"a"]; X [form=re"b"] }': "X.form has two constraints",
    "pattern { X [upos=VERB, upos=NOUN] }": "column 25: X.upos has two constraints",
    "pattern { X [upos=VERB] } pattern { X [upos<>VERB] }": "X.upos has two constraints",
    "pattern { X [form=été|l'a b] }": "a comma or ] expected",
    "pattern { X [!] }": "a feature expected",
    # Edges.
    "pattern { X -[nsubj-> Y }": "column 15: a value expected",
    "pattern { X -[]-> Y }": "a value expected",
    "pattern { X -[nsubj] Y }": "]-> expected",
    "pattern { X -> }": "a node expected",
    "pattern { X -- Y }": "-> or -[ expected",
    "pattern { * -> * }": "needs a name at each end",
    "pattern { e: X -> * }": "needs a name at each end",
    "pattern { X ->> * }": "needs a name at each end",
    "pattern { X -[1=aux, 2]-> Y }": "= or <> expected",
    "pattern { X -[1=]-> Y }": "a value expected",
    "pattern { X -[E:nsubj|]-> Y }": "a value expected",
    "pattern { e: X }": "-> or -[ expected",
    "pattern { X -[^]-> Y }": "a value expected",
    'pattern { X -[re"("]-> Y; X -[re"["]-> Z }': "no regular expression",
    # Comparisons.
    "pattern { X []; X.lemma = Z.lemma }": "no clause declares 'Z' (names: X)",
    "pattern { X []; Xy.lemma = X.lemma }": "(did you mean 'X'?",
    "pattern { X []; X.lemma = a|b }": "no | in a comparison",
    "pattern { X []; X. = a }": "a feature expected",
    "pattern { X []; X.lemma = }": "a value expected",
    "pattern { X []; X.n < abc }": "a number or X.feature expected",
    "pattern { X []; X.a << b }": "features are compared with",
    "pattern { X []; Y < X }": "no clause declares 'Y'",
    "pattern { X []; X < }": "a node or an edge expected",
    "pattern { X []; Y []; length(X) = 1 }": ", expected",
    "pattern { X []; Y []; length(X,Y) = a }": "a whole number expected",
    "pattern { X []; Y []; delta(X,Y) }": "expected",
    "pattern { X []; delta(X,Z) = 1 }": "no clause declares 'Z'",
    "pattern { X []; Y []; X >< Y }": ">< is not for a node and a node",
    "pattern { e: X -> Y; e < X }": "< is not for an edge and a node",
    "pattern { e: X -> Y; e.colour = a }": "an edge has no 'colour'",
    "pattern { X [] } without { Y.upos = VERB }": "no clause declares 'Y' (names: X)",
    # Sentences.
    "global { is_projectiv }": "did you mean 'is_projective'?",
    "global { X [] }": "; or } expected",
    "global { !text = a }": "leave out the value",
    "pattern { meta. = a }": "a comment's name expected",
}  # fmt: skip


@pytest.mark.parametrize(("text", "told"), BAD.items())
def test_what_is_refused_is_told_with_its_place(text: str, told: str) -> None:
    if not told:
        read_request(text)  # nothing at all is the empty request; a last comma is passed over
        return
    with pytest.raises(InputError) as raised:
        read_request(text, "q.txt", 3)
    (problem,) = raised.value.problems
    assert (problem.path, problem.line) == ("q.txt", 3)
    assert "column " in problem.message
    assert told in problem.message


def test_there_are_sixty_of_them() -> None:
    assert sum(map(bool, BAD.values())) >= 60


def test_the_line_of_a_mistake_is_told() -> None:
    with pytest.raises(InputError, match=r"q\.txt:5: column 7: a comma"):
        read_request("pattern {\n  X [a=b,\n  c=d e] }", "q.txt", 3)


SENTENCES = conllu(
    """
    Dogs dog NOUN Number=Plur|Case=Nom 2 nsubj
    bark bark VERB Number=Plur 0 root
    louder loud ADV Degree=Cmp 2 advmod:lmod
    . . PUNCT _ 2 punct
    """,
    """
    don+ do AUX Number=Sing 3 aux:pass
    't not PART Number[psor]=Sing 3 advmod
    go go VERB Case=Acc,Gen|Ten=10 0 root
    """,
)


def count(request: str) -> int:
    graphs = Graphs(tokens_of(SENTENCES.encode()))
    return sum(len(maps[""]) for maps in find_maps(graphs, read_request(request)))


@pytest.mark.parametrize(
    ("request_", "matches"),
    [
        ("pattern { }", 2),
        ("pattern { X [] }", 9),
        ('pattern { X [form="__0__"] }', 2),
        ("pattern { X [lemma] }", 7),
        ("pattern { X [upos=VERB, Number]|[upos=ADV] }", 2),
        ("pattern { X [Number__psor=Sing] }", 1),
        ('pattern { X [Case="Acc,Gen"] }', 1),
        ("pattern { X [Number=*, Case=*] }", 1),
        ("pattern { X [Number<>Sing] }", 2),
        ('pattern { X [form=/DOGS/i] }', 1),
        ('pattern { X [form=re"D\\\\(o\\\\|i\\\\)gs"] }', 1),
        ('pattern { X [form=re"D(o"] }', 0),
        ("pattern { X [SpaceAfter=No] }", 1),
        ('pattern { X [textform="don"] }', 1),
        ("pattern { X [Degree=Cmp/upos=VERB] }", 3),
        ("pattern { X -[aux]-> Y }", 0),
        ("pattern { X -[1=aux]-> Y }", 1),
        ("pattern { X -[2=pass|lmod]-> Y }", 2),
        ("pattern { X -[1<>punct, !2]-> Y }", 4),
        ("pattern { X []; X.Ten > 9 }", 1),
        ("pattern { X []; Y []; X.Number = Y.Number; X << Y }", 1),
        ("pattern { X []; !X.upos }", 2),
        ('pattern { X []; meta.sent_id = "s1" }', 5),
        ('global { sent_id = "s1"|"s3" } pattern { X [] }', 5),
        ("global { is_not_projective } pattern { X [] }", 0),
        ("global { is_tree; !author } pattern { X [] }", 9),
        ("pattern { e: X -> Y; f: X -> Z; e.label <> f.label; Y << Z }", 4),
        ("pattern { e: X -> Y; f: X -> Z; e << f }", 2),
        ("pattern { e: X -> Y; Z []; Z << e }", 5),
        ("pattern { X [upos=VERB]; Y$ [upos=VERB] }", 2),
        ("pattern { X [upos=VERB]; Y [upos=VERB] }", 0),
        ("pattern { X [upos]; Y [upos]; X.__id__ < Y.__id__ }", 9),
        ("% nothing\npattern { X [upos=VERB] } % verbs", 2),
    ],
)  # fmt: skip
def test_what_clauses_find(request_: str, matches: int) -> None:
    assert count(request_) == matches


CROSSED = conllu(
    """
    a a X _ 3 x
    b b X _ 4 y
    c c X _ 0 root
    d d X _ 3 z
    """
)


@pytest.mark.parametrize(
    ("request_", "matches"),
    [
        ("pattern { e: A -> B; f: C -> D; e >< f }", 4),
        ("pattern { e: X -> Y; f: X -> Z; e <> f }", 2),
        ("global { is_not_projective } pattern { X [] }", 5),
        ("pattern { X []; global.is_projective }", 0),
    ],
)
def test_edges_that_cross(request_: str, matches: int) -> None:
    graphs = Graphs(tokens_of(CROSSED.encode()))
    assert sum(len(maps[""]) for maps in find_maps(graphs, read_request(request_))) == matches


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("pattern { X [upos=VRB] }", "no word has upos=VRB (did you mean 'VERB'? values: ADV, AUX"),
        ('pattern { X []; X.lemma = "doog" }', "no word has lemma=doog\n"),
        ("pattern { X [Numbr] }", "no word has the feature Numbr\n"),
        ("pattern { X -[nsbj]-> Y }", "no word has label=nsbj (did you mean 'nsubj'?"),
        ("pattern { X [upos=VERB]; X -[1=punct]-> X }", ""),
    ],
)
def test_values_that_no_word_has_are_told(tmp_path: Path, request_: str, told: str) -> None:
    (tmp_path / "t.conllu").write_text(SENTENCES, encoding="utf-8")
    done = CliRunner().invoke(main, ["query", str(tmp_path), request_, "--count"])
    assert (done.exit_code, done.stdout) == (0, "0\n")
    assert told in done.stderr if told else not done.stderr
