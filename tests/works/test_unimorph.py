"""The UniMorph reader: columns, errors, and the mapping of every kind of tag to UD."""

from pathlib import Path

import pytest

from release import SHARED
from solecism.errors import InputError
from solecism.works.unimorph import read_unimorph, to_ud


def write(folder: Path, text: str, name: str = "eng") -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8"))
    return path


@pytest.mark.parametrize(
    ("tags", "upos", "feats"),
    [
        ("N;ESS;SG", "NOUN", "Case=Loc|Number=Sing"),
        ("N;IN+ABL;SG", "NOUN", "Case=Ela|Number=Sing"),
        ("N;GEN/DAT;SG;INDF", "NOUN", "Case=Dat,Gen|Definite=Ind|Number=Sing"),
        ("N;IN+ABL(PL;PSS(2,SG))", "NOUN", "Case=Ela|Number=Plur|Number[psor]=Sing|Person[psor]=2"),
        ("N;SG;PSSD", "NOUN", "Definite=Cons|Number=Sing"),
        ("N;PSSD;PSS3S;FEM", "NOUN", "Definite=Def|Gender[psor]=Fem|Number[psor]=Sing|Person[psor]=3"),
        ("ADJ;INDF;MASC+FEM;SG", "ADJ", "Definite=Ind|Gender=Fem,Masc|Number=Sing"),
        ("ADJ;DEF;SPRL", "ADJ", "Definite=Def|Degree=Sup"),
        ("V;IND;SG;3;PRS", "VERB", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
        ("V;V.PTCP;PST", "VERB", "Tense=Past|VerbForm=Part"),
        ("V.CVB;PST", "VERB", "Tense=Past|VerbForm=Conv"),
        ("V;SG;PRS;MASC", "VERB", "Gender=Masc|Number=Sing|Tense=Pres|VerbForm=Part"),
        ("V;NFIN;ACC(2,SG)", "VERB", "Number[obj]=Sing|Person[obj]=2|VerbForm=Inf"),
        ("V;DAT(3,PL);NOM(INFM,2)", "VERB", "Number[dat]=Plur|Person=2|Person[dat]=3|Polite=Infm|VerbForm=Fin"),
        ("V;SBJV;PST;2;SG;LGSPEC1", "VERB", "Mood=Sub|Number=Sing|Person=2|Tense=Past|VerbForm=Fin")
    ],
)  # fmt: skip
def test_tags_in_terms_of_ud(tags: str, upos: str, feats: str) -> None:
    found = to_ud(tags)
    assert (found[0], str(found[1])) == (upos, feats)


@pytest.mark.parametrize(
    ("language", "tags", "feats"),
    [
        ("fra", "V;IND;PST;3;SG;IPFV", "Mood=Ind|Number=Sing|Person=3|Tense=Imp|VerbForm=Fin"),
        ("ron", "V;IND;PST;1;SG;PRF", "Mood=Ind|Number=Sing|Person=1|Tense=Pqp|VerbForm=Fin"),
        ("ita", "V.CVB;PRS", "Tense=Pres|VerbForm=Ger"),
        ("rus", "ADJ;NEUT;SG;LGSPEC1", "Gender=Neut|Number=Sing|Variant=Short"),
    ],
)
def test_tags_that_a_language_has_its_own_way(language: str, tags: str, feats: str) -> None:
    assert str(to_ud(tags, language)[1]) == feats


def test_reads_triples(tmp_path: Path) -> None:
    path = write(tmp_path, "\nwalk\twalks\tV;PRS;NOM(3,SG)\r\n\nox\toxen\tN;PL\toxen|en\n")
    first, second = read_unimorph(path)
    assert (first.lemma, first.form, first.upos) == ("walk", "walks", "VERB")
    assert (second.form, second.upos, str(second.feats)) == ("oxen", "NOUN", "Number=Plur")


def test_tags_may_stand_in_the_middle_and_texts_are_given_in_nfc(tmp_path: Path) -> None:
    text = "walk\tV;PST\twalked\nv\tV\tN;SG\ncafe\u0301\tcafe\u0301s\tN;PL\n"
    triples = [(t.form, t.upos) for t in read_unimorph(write(tmp_path, text))]
    assert triples == [("walked", "VERB"), ("V", "NOUN"), ("caf\u00e9s", "NOUN")]


def test_the_language_tells_what_a_tag_means(tmp_path: Path) -> None:
    path = write(tmp_path, "новый\tнова\tADJ;FEM;SG;LGSPEC1\n", "rus")
    assert "Variant" in next(read_unimorph(path, "rus")).feats
    assert "Variant" not in next(read_unimorph(path)).feats


def test_all_problems_at_once_each_where_it_is_first_met(tmp_path: Path) -> None:
    text = "a\tb\na\tas\tN;PL\nb\tbs\tN;PLU\nc\tcs\tN;PLU\n\tx\tN\nx\t\tN\nx\tx\tSG;N\n"
    path = write(tmp_path, text)
    triples = read_unimorph(path)
    assert next(triples).form == "as"
    with pytest.raises(InputError) as caught:
        list(triples)
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [
        (str(path), n) for n in (1, 3, 5, 6, 7)
    ]
    assert "2 columns where a triple has 3" in str(caught.value)
    assert "no such tag: 'PLU' (did you mean 'PL'?" in str(caught.value)
    assert "do not begin with a part of speech" in str(caught.value)
    assert "the lemma is empty" in str(caught.value)
    assert "the form is empty" in str(caught.value)


def test_a_file_that_is_absent_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing: there is no such file"):
        list(read_unimorph(tmp_path / "nothing"))
    path = tmp_path / "eng"
    path.write_bytes(b"a\tas\tN;PL\n\xff\tx\tN\n")
    with pytest.raises(InputError, match=r"eng:2: not UTF-8"):
        list(read_unimorph(path))


@pytest.mark.parametrize(
    ("name", "triples"),
    [
        ("cat", 81576), ("dan", 31903), ("deu", 198691), ("eng.args", 115523), ("fin", 175843),
        ("fra", 34355), ("heb", 33177), ("ita", 34641), ("nld", 55467), ("pol", 79770),
        ("ron", 80266), ("rus", 78147), ("spa", 177984), ("ukr", 20904),
    ],
)  # fmt: skip
def test_every_tag_of_the_real_files_is_known(name: str, triples: int) -> None:
    path = SHARED / "unimorph" / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    assert sum(1 for _ in read_unimorph(path)) == triples
