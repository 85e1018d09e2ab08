"""The reader and generator of attribute-varying grammars (docs/avg.md)."""

from pathlib import Path

import pytest

from solecism.avg.grammar import Grammar, build_avg, generate, read_grammar
from solecism.errors import InputError

VERBS = "V[1,s] pense\nV[2,s] penses\nV[1,p] pensons\nV[2,p] pensez\n"
PAPER = "vary: {}\n\nS[] je V[1,s]\n\n" + VERBS


def read(folder: Path, text: str, common: str | None = None) -> Grammar:
    path = folder / "g.avg"
    path.write_bytes(text.encode("utf-8"))
    if common is None:
        return read_grammar(path)
    (folder / "common.avg").write_text(common, encoding="utf-8")
    return read_grammar(path, folder / "common.avg")


def run(folder: Path, text: str, common: str | None = None) -> list[tuple[bool, str]]:
    return list(generate(read(folder, text, common)))


def good_and_bad(folder: Path, text: str, common: str | None = None) -> tuple[list[str], list[str]]:
    pairs = run(folder, text, common)
    return [s for label, s in pairs if label], [s for label, s in pairs if not label]


def messages(folder: Path, text: str, common: str | None = None) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(folder, text, common)
    return [str(p).removeprefix(f"{folder}/") for p in caught.value.problems]


# --- the paper's example --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vary", "bad"),
    [
        ("V[]", ["penses", "pensons", "pensez"]),
        ("V[1]", ["pensons"]),
        ("V[1,s]", []),
        ("V[1]; V[s]", ["penses", "pensons"]),
        ("V[p,2]", ["pensez"]),
    ],
)
def test_paper_example(vary: str, bad: list[str], tmp_path: Path) -> None:
    expected = [(True, "je pense"), *((False, f"je {form}") for form in bad)]
    assert run(tmp_path, PAPER.format(vary)) == expected


# --- order ----------------------------------------------------------------------------------------


def test_varied_place_turns_fastest_then_from_the_left(tmp_path: Path) -> None:
    text = (
        "vary: V[]\nS[] A[] V[s] B[]\n"
        "A[] a1 | a2\nB[] b1 | b2\nV[s] v1 | v2\nV[p] w1 | w2\n"
    )  # fmt: skip
    good, bad = good_and_bad(tmp_path, text)
    assert good == [
        "a1 v1 b1", "a1 v2 b1", "a2 v1 b1", "a2 v2 b1",
        "a1 v1 b2", "a1 v2 b2", "a2 v1 b2", "a2 v2 b2",
    ]  # fmt: skip
    assert bad == [sentence.replace("v", "w") for sentence in good]


# --- meaning --------------------------------------------------------------------------------------


MEANING = {
    "terminals correspond by position":
        ("V[]\nS[] il V[3,s]\nV[3,s] rit | dort\nV[3,p] rient | dorment",
         "+il rit -il rient +il dort -il dorment"),
    "the order of attributes says nothing":
        ("V[s,2]\nS[] je V[s,1]\nV[1,s] pense\nV[2,s] penses\nV[2,p] pensez",
         "+je pense -je penses"),
    "an exact definition comes before those with more attributes":
        ("V[]\nS[] NP[s] V[s]\nNP[s] le roi\nNP[s,de] du roi\nV[s] rit\nV[p] rient",
         "+le roi rit -le roi rient"),
    "fewer attributes stand for every definition that has them":
        ("V[]\nS[] on V[s]\nV[1,s] suis\nV[3,s] est\nV[3,p] sont",
         "+on suis -on sont +on est -on sont"),
    "attributes and terminals of several words":
        ("V[ second  person ]\nS[] je ne V[first person,s] pas\n"
         "V[first person, s] pense  plus | vois\nV[second   person,s] penses plus | voit",
         "+je ne pense plus pas -je ne penses plus pas +je ne vois pas -je ne voit pas"),
    "a syncretic form is withheld":
        ("V[]\nS[] N[] V[1]\nN[] a | b\nV[1] mange | vois\nV[3] mange | voit",
         "+a mange +a vois -a voit +b mange +b vois -b voit"),
    "a form that is right elsewhere in the list is withheld":
        ("Det[]\nS[] Det[f] Reise\nDet[f] die | eine\nDet[m] der | die",
         "+die Reise -der Reise +eine Reise"),
    "the same bad form is emitted once":
        ("V[]\nS[] tu V[2]\nV[1] pense\nV[2] penses\nV[3] pense", "+tu penses -tu pense"),
    "a preterminal that varies twice is wrong in one place at a time":
        ("V[]\nS[] il V[s] et V[s]\nV[s] rit\nV[p] rient",
         "+il rit et rit -il rient et rit -il rit et rient"),
    "two varied preterminals":
        ("Det[]; V[]\nS[] Det[s] roi V[s]\nDet[s] le\nDet[p] les\nV[s] rit\nV[p] rient",
         "+le roi rit -les roi rit -le roi rient"),
    "a template without a varied place is good alone":
        ("V[]\nS[] oui\nS[] il V[s]\nV[s] rit\nV[p] rient", "+oui +il rit -il rient"),
}  # fmt: skip
"""What a grammar means: good (+) and bad (-) sentences in their order."""


@pytest.mark.parametrize("name", MEANING)
def test_meaning(name: str, tmp_path: Path) -> None:
    grammar, sentences = MEANING[name]
    shown = [
        f"{'+' if label else '-'}{text}" for label, text in run(tmp_path, f"vary: {grammar}\n")
    ]
    assert " ".join(shown) == sentences


# --- shared definitions ---------------------------------------------------------------------------


def test_common_holds_shared_preterminals(tmp_path: Path) -> None:
    """An own definition adds to the shared ones, or replaces the one with its attributes."""
    text = "vary: V[]\nS[] je V[1,s]\n"
    good, bad = good_and_bad(tmp_path, text, VERBS)
    assert (good, len(bad)) == (["je pense"], 3)
    assert good_and_bad(tmp_path, f"{text}V[3,s] pensa\n", VERBS)[1][-1] == "je pensa"
    assert good_and_bad(tmp_path, f"{text}V[s,1] songe\n", VERBS)[0] == ["je songe"]


# --- spelling of the file -------------------------------------------------------------------------

LIBERAL = [
    "\ufeff" + PAPER.format("V[1]; V[s]"),
    PAPER.format("V[1]; V[s]").replace("\n", "\r\n"),
    PAPER.format("V[1]; V[s]").rstrip("\n"),
    PAPER.format("V[1]; V[s]").replace("\n", " \t \n\n\n"),
    PAPER.format("\tV[ 1 ]  ;V [s];  "),
    "# a comment\n  # another\n" + PAPER.format("V[1];V[s]").replace("vary:", "Vary :"),
    PAPER.format("V[1];V[s]").replace("S[] je V[1,s]", "  S[ ]   je   V [ 1 , s ]"),
]


@pytest.mark.parametrize("text", LIBERAL)
def test_white_space_is_free(text: str, tmp_path: Path) -> None:
    expected = [(True, "je pense"), (False, "je penses"), (False, "je pensons")]
    assert run(tmp_path, text) == expected


# --- errors ---------------------------------------------------------------------------------------

HEAD = "vary: V[]\nS[] il V[s]\nV[s] rit\nV[p] rient\n"

ONE_ERROR = [
    ("S[] le roi VV[s]", "preterminal 'VV' is not defined (did you mean 'V'? preterminals: V)"),
    ("S[] V[3,s] roi",
     "no definition has all attributes of V[3,s] (did you mean 'V[s]'? defined: V[s], V[p])"),
    ("S[] il V", "preterminal 'V' lacks its [...] (defined: V[s], V[p])"),
    ("S[] il V[s] | elle V[s]", "S: '|' has no meaning in a template"),
    ("S[]", "S: the template is empty"),
    ("N[s] Det[] roi", "N: a terminal may hold no preterminal: Det[]"),
    ("N[s] roi | | fou", "N: there is an empty terminal"),
    ("N[s roi",
     "'N[s roi' is none of 'vary: Name[...]; Name[...]', 'S[] ...', 'Name[...] terminal | terminal'"),
    ("V[s] dort", "V[s] stands already in line 3"),
    ("vary: V[s]", "vary statement stands already in line 1"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), ONE_ERROR)
def test_one_error(line: str, message: str, tmp_path: Path) -> None:
    assert messages(tmp_path, HEAD + line) == [f"g.avg:5: {message}"]


VARY_ERRORS = [
    ("vary: W[]", "g.avg:1: preterminal 'W' is not defined (preterminals: V, N)"),
    ("vary: N[]", "g.avg:1: 'N' varies but is in no template (preterminals there: V)"),
    ("vary: V[], N[]", "g.avg:1: vary: 'V[], N[]' is not of the form Name[...]"),
    ("", "g.avg: there is no vary statement"),
]


@pytest.mark.parametrize(("line", "message"), VARY_ERRORS)
def test_vary_error(line: str, message: str, tmp_path: Path) -> None:
    text = f"{line}\nS[] il V[s]\nV[s] rit\nV[p] rient\nN[] roi\n"
    assert messages(tmp_path, text) == [message]


def test_unequal_lists_name_both_places(tmp_path: Path) -> None:
    text = "vary: V[]\nS[] il V[s]\nS[] ils V[p]\nV[s] rit | dort\nV[p] rient\n"
    assert messages(tmp_path, text) == [
        "g.avg:5: lists of unequal length, 2 in V[s] (g.avg:4) and 1 in V[p]:"
        " what varies is paired by position"
    ]


def test_all_problems_at_once(tmp_path: Path) -> None:
    text = "vary: W[]\nS[] Dt[] N[s] V[x]\nnonsense\nV[s] rit |\nDet[] le\n"
    found = messages(tmp_path, text, "Det[] la\nvary: V[]\nS[] a\nDet[] une\n")
    assert [message.split(": ")[0] for message in found] == [
        "common.avg:2", "common.avg:3", "common.avg:4",
        "g.avg:3", "g.avg:4", "g.avg:1", "g.avg:2", "g.avg:2", "g.avg:2",
    ]  # fmt: skip
    assert "did you mean 'Det'? preterminals: Det, V" in found[6]


# --- building -------------------------------------------------------------------------------------


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "grammars"
    folder.mkdir()
    (folder / "common.avg").write_text("V[s] rit\nV[p] rient\n")
    (folder / "sing.avg").write_text("vary: V[]\nS[] il V[s]\n")
    (folder / "plur.avg").write_text("vary: V[]\nS[] ils V[p]\nS[] elles V[p]\n")
    (folder / "._sing.avg").write_bytes(b"\x00\x05\x16\x07")
    (folder / "README.md").write_text("notes")
    return folder


def test_build_writes_one_file_a_grammar(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    for others in ([], ["mine.txt"]):
        assert build_avg(source, out) == {"plur": 4, "sing": 2}
        assert (out / "sing.txt").read_bytes() == b"True\til rit\nFalse\til rient\n"
        assert sorted(p.name for p in out.iterdir()) == [*others, "plur.txt", "sing.txt"]
        assert [path.name for path in out.parent.iterdir()] == ["out"]
        (out / "sing.txt").write_text("False\told\n")
        (out / "mine.txt").write_text("mine")


def test_build_does_not_replace_a_file_of_somebody_else(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "sing.txt").write_text("my notes")
    with pytest.raises(InputError, match=r"sing\.txt: is there already"):
        build_avg(source, out)
    assert (out / "sing.txt").read_text() == "my notes"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["grammars", "out"]


def test_build_reports_all_grammars_and_writes_nothing(source: Path, tmp_path: Path) -> None:
    (source / "common.avg").write_text("V[s] rit\nV[p] rient\nnonsense\n")
    (source / "sing.avg").write_text("vary: V[]\nS[] il Vb[s]\n")
    (source / "plur.avg").write_text("vary: V[]\nS[] ils V[p,3]\n")
    with pytest.raises(InputError) as caught:
        build_avg(source, tmp_path / "out")
    places = [str(p).removeprefix(f"{source}/").split(": ")[0] for p in caught.value.problems]
    assert places == ["common.avg:3", "plur.avg:2", "sing.avg:1", "sing.avg:2"]
    assert [path.name for path in tmp_path.iterdir()] == ["grammars"]
