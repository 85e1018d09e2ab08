"""From attribute-varying grammars to templates and lexicons (docs/avg.md)."""

from pathlib import Path

import pytest

from solecism.avg.grammar import generate, read_grammar
from solecism.avg.importer import import_avg
from solecism.errors import InputError
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import load_paradigm
from solecism.grammar.phrases import Phrases
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import read_table

Sentences = set[tuple[bool, str]]


def imported(folder: Path, text: str, common: str | None = None) -> Path:
    """Write a grammar and import it into ``folder/out``."""
    (folder / "g.avg").write_text(text, encoding="utf-8")
    if common is not None:
        (folder / "common.avg").write_text(common, encoding="utf-8")
    import_avg(folder / "g.avg", folder / "out", "xx", "demo")
    return folder / "out"


def drawn(out: Path, language: str = "xx", dataset: str = "demo") -> Sentences:
    """Draw every template below ``out``."""
    folder = out / "templates" / dataset / language
    lexicon = Lexicon(out / "lexicons" / language)
    sandbox = Phrases(folder, lexicon)
    found: Sentences = set()
    for path in folder.glob("*.jinja"):
        for table in draw_pairs(load_paradigm(path, lexicon, sandbox)):
            found |= {(True, sentence) for sentence in table["tokens_good"].to_pylist()}
            found |= {(False, sentence) for sentence in table["tokens_bad"].to_pylist()}
    return found


def template(out: Path, name: str = "g") -> str:
    return (out / "templates" / "demo" / "xx" / f"{name}.jinja").read_text(encoding="utf-8")


def table(out: Path, name: str) -> list[list[str]]:
    text = (out / "lexicons" / "xx" / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


# --- the same sentences ---------------------------------------------------------------------------


PERSONS = "V[1,s] pense\nV[2,s] penses\nV[1,p] pensons\nV[2,p] pensez\n"

GRAMMARS = {
    "paper, some": f"vary: V[1]; V[s]\nS[] je V[1,s]\nS[] nous V[1,p]\n{PERSONS}",
    "person of a noun": (
        "vary: V[]\nS[] N[3,s,m] V[3,s]\nS[] N[3,p,m] V[3,p]\nN[3,s,m] roi | fou\n"
        "N[3,p,m] rois | fous\nV[1,s] ris\nV[3,s] rit\nV[1,p] rions\nV[3,p] rient\n"
    ),
    "articles": (
        "vary: Det[]\nS[] Det[m,s] N[m,s] rit\nS[] Det[f,s] N[f,s] rit\n"
        "Det[m,s] le\nDet[f,s] la\nDet[p] les\nN[m,s] roi | chat\nN[f,s] reine\n"
    ),
    "unknown attributes": (
        "vary: Prep[]\nS[] il va Prep[to] N[f]\nPrep[to] à | vers\nPrep[from] de | depuis\n"
        "N[f] Rome\nN[m] Paris\n"
    ),
    "two places": (
        "vary: V[]\nS[] N[s] V[s] et V[s]\nS[] N[p] V[p] et V[p]\n"
        "N[s] roi | fou\nN[p] rois | fous\nV[s] rit | dort\nV[p] rient | dorment\n"
    ),
    "noun varies": (
        "vary: N[]\nS[] Det[s] N[s] V[s]\nS[] Det[p] N[p] V[p]\nDet[s] le\nDet[p] les\n"
        "N[s] roi | chat\nN[p] rois | chats\nV[s] rit\nV[p] rient\n"
    ),
    "odd names": (
        "vary: In[]\nS[] Not[] In[s] Word[] or {x} a#b 1[] \\ É[] in[]\nNot[] non\nIn[s] dans | en\n"
        "In[p] dedans | y\nWord[] mot | {{mot}}\n1[] un\nÉ[] été\nin[] voilà\n"
    ),
    "unequal lists": (
        "vary: V[]\nS[] N[s] V[s]\nS[] N[p] V[p]\nN[s] roi | fou | chat\nN[p] rois | fous\n"
        "V[s] rit | dort\nV[p] rient | dorment\n"
    ),
    "same attributes but one": (
        "vary: V[]\nS[] V[s] vite\nV[s] rit | dort\nV[p] rient | dorment\nV[s,x] vit | mord\n"
        "V[s,p] va | mange\n"
    ),
    "no attributes": "vary: V[]\nS[] V[]\nV[] ri\nV[s] rit\nV[p] rient\nV[p,s] riz\n",
    "persons together": (
        "vary: V[]\nS[] je V[1,s]\nS[] il V[3,s]\nV[1,3,s] parle\nV[1,s] suis\nV[3,s] est\n"
        "V[1,p] sommes\n"
    ),
    "some without a pair": "vary: V[p]\nS[] ah V[p]\nS[] oh V[s]\nV[s] rit\nV[p] rient\n",
    "number of nouns alone": (
        "vary: V[]\nS[] N[s] de M[p] V[s]\nS[] N[p] de M[s] V[p]\nN[s] roi\nN[p] rois\n"
        "M[s] fou\nM[p] fous\nV[s] rit\nV[p] rient\n"
    ),
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_small_grammars_make_the_same_sentences(name: str, tmp_path: Path) -> None:
    out = imported(tmp_path, GRAMMARS[name])
    expected = set(generate(read_grammar(tmp_path / "g.avg")))
    if name == "some without a pair":
        expected -= {(True, "ah rient")}
    assert drawn(out) == expected


def test_syncretic_forms_make_no_pair(tmp_path: Path) -> None:
    text = "vary: V[]\nS[] N[] V[1]\nN[] Anne\nV[1] mange | vois\nV[3] mange | voit\n"
    assert drawn(imported(tmp_path, text)) == {(True, "Anne vois"), (False, "Anne voit")}


# --- what is written ------------------------------------------------------------------------------

RELATIVE = (
    "vary: V[]\n"
    "S[] Det[] N_1[3,s,m,anim] que Det[] N_2[3,s] W[3,s] V[3,s]\n"
    "S[] Det[] N_1[3,s,m,anim] que Det[] N_2[3,p] W[3,p] V[3,s]\n"
    "S[] Det[] N_1[3,p,m,anim] que Det[] N_2[3,s] W[3,s] V[3,p]\n"
    "S[] Det[] N_1[3,p,m,anim] que Det[] N_2[3,p] W[3,p] V[3,p]\n"
    "N_2[3,s] fou\nN_2[3,p] fous\nV[3,s] rit\nV[3,p] rient\nW[3,s] aime | voit\nW[3,p] aiment | voient\n"
)
SHARED_WORDS = (
    "Det[] tel\nN_1[3,p,m,anim] rois | chats\nN_1[3,s,m,anim] roi | chat\n"
    "N_1[3,s,f,inanim] photo\nN_1[3,p,f,inanim] photos\n"
)


def test_lines_that_differ_in_number_become_one_template(tmp_path: Path) -> None:
    out = imported(tmp_path, RELATIVE, SHARED_WORDS)
    assert [path.name for path in (out / "templates/demo/xx").iterdir()] == ["g.jinja"]
    assert template(out) == (
        "---\n"
        "id: g\n"
        'about: "Imported from g.avg, line 2, 3, 4, 5; say here what is tested."\n'
        "phenomenon: subject_verb_agreement\n"
        "may_repeat: [det, det_2]\n"
        "attractors: [n_2]\n"
        "controller: n_1\n"
        "slots:\n"
        "  det: {from: det}\n"
        "  n_1: {from: n_1, Gender: Masc, Animacy: Anim, Number: [Sing, Plur]}\n"
        "  det_2: {from: det}\n"
        "  n_2: {from: n_2, Number: [Sing, Plur]}\n"
        "  w: {from: w}\n"
        "  v: {from: v}\n"
        "---\n"
        "good: {{ det }} {{ n_1 }} que {{ det_2 }} {{ n_2 }} {{ w | agree(n_2) }} {{ v | agree(n_1) }}\n"
        "bad: {{ det }} {{ n_1 }} que {{ det_2 }} {{ n_2 }} {{ w | agree(n_2) }}"
        ' {{ v | clash(n_1, "Number") }}\n'
    )


def test_homonyms_are_numbered(tmp_path: Path) -> None:
    text = "vary: V[]\nS[] N[no one] V[s]\nN[] roi\nN[no one] roi\nV[s] rit\nV[p] rient\n"
    out = imported(tmp_path, text)
    assert table(out, "n") == [
        ["lemma", "UPOS", "Variant"], ["roi", "NOUN", "plain"], ["roi#2", "NOUN", "no one"],
    ]  # fmt: skip
    assert 'n: {from: n, Variant: "no one"}' in template(out)


def test_unknown_attributes_become_a_property_or_a_form(tmp_path: Path) -> None:
    out = imported(tmp_path, GRAMMARS["unknown attributes"])
    assert table(out, "prep")[:2] == [
        ["lemma", "Form=1", "Form=2", "UPOS", "Variant"], ["à", "à", "de", "ADP", "to"],
    ]  # fmt: skip
    assert 'bad: il va {{ prep | form(Form="2") }} {{ n }}' in template(out)


def test_common_is_read_and_paths_are_returned(tmp_path: Path) -> None:
    (tmp_path / "common.avg").write_text(PERSONS)
    (tmp_path / "je.avg").write_text("vary: V[]\nS[] je V[1,s]\nS[] nous V[1,p]\n")
    made = import_avg(tmp_path / "je.avg", tmp_path / "out", "fr", "demo")
    assert [str(path.relative_to(tmp_path / "out")) for path in made] == [
        "lexicons/fr/v.tsv", "templates/demo/fr/je_1.jinja", "templates/demo/fr/je_2.jinja",
    ]  # fmt: skip
    (tmp_path / "je.avg").rename(tmp_path / "h.avg")  # its words are there already
    made = import_avg(tmp_path / "h.avg", tmp_path / "out", "fr", "demo")
    assert [path.name for path in made] == ["h_1.jinja", "h_2.jinja"]


def _two_grammars(folder: Path, *texts: str) -> Path:
    for number, text in enumerate(texts):
        (folder / f"g{number}.avg").write_text(text, encoding="utf-8")
        import_avg(folder / f"g{number}.avg", folder / "two", "xx", "demo")
    return folder / "two"


def test_words_are_added_to_a_table_that_is_there(tmp_path: Path) -> None:
    less = GRAMMARS["noun varies"]
    more = less.replace("rit", "dort | rit").replace("rient", "dorment | rient")
    out = _two_grammars(tmp_path, less, more, less)
    assert table(out, "v") == [
        ["lemma", "Number=Sing", "Number=Plur", "UPOS"],
        ["rit", "rit", "rient", "VERB"], ["dort", "dort", "dorment", "VERB"],
    ]  # fmt: skip
    assert drawn(out) == set(generate(read_grammar(tmp_path / "g1.avg")))


def test_a_lemma_with_other_cells_is_named(tmp_path: Path) -> None:
    less = GRAMMARS["noun varies"]
    message = r"v\.tsv: lemma 'rit' is there already with other cells$"
    with pytest.raises(InputError, match=message):
        _two_grammars(tmp_path, less, less.replace("rient", "riront"))
    assert not (tmp_path / "two/templates/demo/xx/g1_1.jinja").exists()


# --- errors ---------------------------------------------------------------------------------------


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    out = imported(tmp_path, RELATIVE, SHARED_WORDS)
    (out / "lexicons/xx/v.tsv").write_text("mine")
    (out / "lexicons/xx/w.tsv").unlink()
    with pytest.raises(InputError) as caught:
        imported(tmp_path, RELATIVE, SHARED_WORDS)
    assert [str(problem) for problem in caught.value.problems] == [
        f"{out}/lexicons/xx/v.tsv: is there already (nothing was written): move it, or choose another folder"
    ]
    assert (out / "lexicons/xx/v.tsv").read_text() == "mine"
    assert not (out / "lexicons/xx/w.tsv").exists()
    assert sorted(path.name for path in out.iterdir()) == ["lexicons", "templates"]


def test_grammar_problems_come_through(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"g\.avg:2: preterminal 'W' is not defined"):
        imported(tmp_path, "vary: V[]\nS[] W[]\nS[] V[]\nV[] x\n")
    assert not (tmp_path / "out").exists()


def test_part_of_speech_is_guessed_from_the_name(tmp_path: Path) -> None:
    guesses = {"NP": "NOUN", "VP2": "VERB", "Prep": "ADP", "Pron": "PRON", "Neg": "X"}
    words = "".join(f"{name}[] x\n" for name in guesses)
    text = f"vary: V[]\nS[] {'[] '.join(guesses)}[] V[s]\n{words}V[s] rit\nV[p] rient\n"
    out = imported(tmp_path, text)
    for name, upos in guesses.items():
        assert read_table(out / f"lexicons/xx/{name.lower()}.tsv").rows[0].upos == upos
