"""Verification of lexicons: what counts as confirmed, contradicted, disputed and explained."""

import shutil
from pathlib import Path

import pytest

import verify_lexicon as script
from release import CHECKOUT, SHARED
from solecism.errors import InputError
from verifying import verify as verification
from verifying.wordlists import count_forms

LANGUAGES = sorted({path.parent.name for path in (CHECKOUT / "lexicons").glob("*/*.tsv")})

# --- what a treebank attests -------------------------------------------------------------------


def conllu(*words: tuple[str, str, str, str], repeat: int = 1) -> str:
    """Write one-sentence CoNLL-U of (form, lemma, UPOS, FEATS), so many times."""
    lines = [
        "\t".join([str(n), form, lemma, upos, "_", feats, "0", "root", "_", "_"])
        for n, (form, lemma, upos, feats) in enumerate(words, 1)
    ]
    return ("# text\n" + "\n".join(lines) + "\n\n") * repeat


def counted(folder: Path, text: str) -> dict[tuple[str, str, str, str], int]:
    path = folder / "xx_demo-ud-test.conllu"
    path.write_text(text, "utf-8")
    found = count_forms([path])
    return {(a.form, a.lemma, a.upos, str(a.feats)): n for a, n in found.items()}


def test_hebrew_words_within_a_word(tmp_path: Path) -> None:
    text = conllu(
        ("יד_", "יד", "NOUN", "Number=Plur"), ("_הוא", "הוא", "PRON", "_"), ("_", "_", "SYM", "_")
    )
    assert set(counted(tmp_path, text)) == {("הוא", "הוא", "PRON", ""), ("_", "_", "SYM", "")}


def test_problems_of_a_treebank_name_file_and_line(tmp_path: Path) -> None:
    text = "1\ttoo\tfew\n" + conllu(("a", "a", "NOUN", "number=Plur"))
    with pytest.raises(InputError) as caught:
        counted(tmp_path, text)
    assert [problem.line for problem in caught.value.problems] == [1, 3]
    with pytest.raises(InputError, match="no such file"):
        count_forms([tmp_path / "nothing.conllu"])
    (tmp_path / "bad.conllu").write_bytes(b"# fine\n\xff\n")
    with pytest.raises(InputError, match=r"bad\.conllu:2: not UTF-8"):
        count_forms([tmp_path / "bad.conllu"])


# --- a small lexicon and small sources ---------------------------------------------------------

NOUNS = "lemma\tNumber=Sing\tNumber=Plur\tGender\n"
VERBS = (
    "lemma\tVerbForm=Inf\tMood=Ind|Number=Sing|Person=1,2|Tense=Pres|VerbForm=Fin"
    "\tMood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin\n"
)


def status(folder: Path, table: str, text: str, treebank: str = "", **more: str) -> dict[str, str]:
    """Verify one table against sources; the status of each form (the last of equal ones)."""
    report = verify(folder, {table: text}, treebank, **more)
    return {finding.form: finding.status for finding in report.findings}


def verify(
    folder: Path, tables: dict[str, str], treebank: str = "", unimorph: str = "", readme: str = "",
    language: str = "xx",
) -> verification.Verification:  # fmt: skip
    lexicon, shared = folder / "lexicons" / language, folder / "shared"
    code = verification.ISO_639_3.get(language, language)
    for place in (lexicon, shared):
        shutil.rmtree(place, ignore_errors=True)
    texts = {lexicon / f"{table}.tsv": text for table, text in tables.items()}
    texts[lexicon / "README.md"] = readme
    texts[shared / "ud" / "UD_Demo" / f"{language}_demo-ud-test.conllu"] = treebank
    texts[shared / "unimorph" / code] = unimorph
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if text or path.name == "README.md":
            path.write_text(text, "utf-8")
    return verification.verify(lexicon, shared)


CHEVAL = NOUNS + "cheval\tcheval\tchevals\tMasc\n"
CHAT = NOUNS + "chat\tchat\tchats\tMasc\n"
ACTRICE = NOUNS + "actrice\tactrice\tactrices\tFem\n"
NOV = "lemma\tCase=Nom|Gender=Masc|Number=Sing\tCase=Nom|Gender=Fem|Number=Sing\nn\tnov\tnova\n"
PAST = "lemma\tGender=Masc|Number=Plur|Person=2|Tense=Past\nצחק\tצחקו\n"
MASC, FEM = "Gender=Masc|Number=Plur", "Gender=Fem|Number=Plur"
SLIP, CHEVAUX = ("chevals", "cheval", "NOUN", MASC), ("chevaux", "cheval", "NOUN", MASC)
ACTRICES = conllu(("actrices", "acteur", "NOUN", FEM))


@pytest.mark.parametrize(
    ("table", "text", "treebank", "form", "expected"),
    [
        # without features nothing is confirmed
        ("noun", CHAT, conllu(("chat", "chat", "NOUN", "_")), "chat", "unconfirmed"),
        ("noun", CHAT, conllu(("chat", "chat", "NOUN", "Gender=Masc|Number=Sing")), "chat", "confirmed"),
        # a lemma that a source lacks is looked up by its form
        ("noun", ACTRICE, ACTRICES, "actrices", "confirmed"),
        ("noun", ACTRICE, ACTRICES + conllu(("actrice", "actrice", "NOUN", "Gender=Fem|Number=Sing")),
         "actrices", "unconfirmed"),
        # a treebank needs three words to contradict
        ("noun", CHEVAL, conllu(CHEVAUX, repeat=2), "chevals", "unconfirmed"),
        ("noun", CHEVAL, conllu(CHEVAUX, repeat=3), "chevals", "contradicted"),
        # a slip of a treebank does not confirm
        ("noun", CHEVAL, conllu(SLIP) + conllu(CHEVAUX, repeat=9), "chevals", "confirmed"),
        ("noun", CHEVAL, conllu(SLIP) + conllu(CHEVAUX, repeat=10), "chevals", "contradicted"),
        ("noun", CHEVAL, conllu((*SLIP[:3], f"{MASC}|Typo=Yes")), "chevals", "unconfirmed"),
        # a function for which there is no column does not contradict
        ("adj", NOV, conllu(("nov", "n", "ADJ", "Case=Acc|Gender=Masc|Number=Sing"), repeat=5), "nov",
         "unconfirmed"),
        ("adj", NOV, conllu(("nov", "n", "ADJ", "Case=Nom|Gender=Fem|Number=Sing"), repeat=5), "nov",
         "contradicted"),
        # a marked form is no other form for the same features
        ("noun", NOUNS + "מלצר\tמלצר\tמלצרים\tMasc\n",
         conllu(("מלצרי", "מלצר", "NOUN", f"Definite=Cons|{MASC}"), repeat=5), "מלצרים", "unconfirmed"),
        # a Hebrew past is finite and indicative
        ("verb", PAST, conllu(("צחקו", "צחק", "VERB", f"{MASC}|Person=1,2,3|VerbForm=Part")), "צחקו",
         "unconfirmed"),
        # closed classes are looked up by form
        ("pron", "lemma\tNumber=Sing\tPerson\tPronType\nelle\telle\t3\tPrs\n",
         conllu(("elle", "lui", "PRON", "Number=Sing|Person=3|PronType=Prs"), ("lui", "lui", "PRON", "_")),
         "elle", "confirmed"),
        # a table without forms holds its lemmas
        ("pron", "lemma\tPerson\tNumber\nich\t2\tSing\n",
         conllu(("ich", "ich", "PRON", "Case=Nom|Number=Sing|Person=1|PronType=Prs"), repeat=3), "ich",
         "contradicted"),
    ],
)  # fmt: skip
def test_what_a_treebank_says_of_a_form(
    tmp_path: Path, table: str, text: str, treebank: str, form: str, expected: str
) -> None:
    assert status(tmp_path, table, text, treebank)[form] == expected


def test_word_lists_confirm_and_invariable_words_need_no_features(tmp_path: Path) -> None:
    assert status(tmp_path, "noun", CHAT, unimorph="chat\tchats\tN;PL\n")["chats"] == "confirmed"
    imperative = "צחק\tצחקו\tV;2;PL;IMP;MASC\n"
    assert status(tmp_path, "verb", PAST, unimorph=imperative) == {"צחקו": "unconfirmed"}
    table = "lemma\tNumber=Sing\tNumber=Plur\nla\tla\tla\n"
    assert verify(tmp_path, {"det": table}, conllu(("la", "la", "DET", "_"))).of("confirmed")


def test_other_forms_for_the_same_features_contradict(tmp_path: Path) -> None:
    report = verify(
        tmp_path, {"noun": CHEVAL}, unimorph="cheval\tchevaux\tN;PL\ncheval\tcheval\tN;SG\n"
    )
    (finding,) = report.of("contradicted")
    assert finding.place == f"{tmp_path / 'lexicons' / 'xx' / 'noun.tsv'}:2"
    assert (finding.form, finding.features) == ("chevals", "Gender=Masc|Number=Plur")
    assert finding.objections == ("UniMorph has chevaux (Number=Plur)",)


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ("живёт", "живет", "confirmed"),
        ("Genuß", "Genuss", "unconfirmed"),
        ("חבב", "חִבֵּב", "confirmed"),
        ("schläft", "schlaft", "contradicted"),
        ("plaît", "plaise", "contradicted"),
    ],
)
def test_variants_of_spelling(tmp_path: Path, ours: str, theirs: str, expected: str) -> None:
    table = f"lemma\tNumber=Sing\tNumber=Plur\nx\t{ours}\ty\n"
    assert status(tmp_path, "noun", table, unimorph=f"x\t{theirs}\tN;SG\n")[ours] == expected


def test_a_contradiction_outweighed_by_another_source_is_disputed(tmp_path: Path) -> None:
    table = NOUNS + "Koch\tKoch\tKochs\t\n"
    word, listed = ("Kochs", "Koch", "NOUN", "Number=Plur"), "Koch\tKoches\tN;PL\n"
    for repeat, expected in ((2, "contradicted"), (3, "disputed")):
        words = conllu(word, repeat=repeat)
        assert status(tmp_path, "noun", table, words, unimorph=listed)["Kochs"] == expected


def test_explained_contradictions(tmp_path: Path) -> None:
    readme = """# Lexicon

- `noun:cheval:cheval` stands elsewhere.

## Explained contradictions

What UniMorph has wrong:

- `noun:cheval:chevals`: so they speak here.

## More

- `noun:os:os`
"""
    excused = tmp_path / "README.md"
    excused.write_text(readme, "utf-8")
    assert verification.explained(excused) == {"noun:cheval:chevals"}
    assert verification.explained(tmp_path / "nothing.md") == frozenset()
    words = "cheval\tchevaux\tN;PL\n"
    assert status(tmp_path, "noun", CHEVAL, unimorph=words, readme=readme)["chevals"] == "explained"


# --- the analysers -------------------------------------------------------------------------------


def test_russian_is_looked_up_in_pymorphy(tmp_path: Path) -> None:
    pytest.importorskip("pymorphy3")
    table = (
        "lemma\tCase=Nom|Number=Sing\tCase=Gen|Number=Plur\tGender\tAnimacy\n"
        "режиссёр\tрежиссёр\tрежиссёров\tMasc\tAnim\nпевица\tпевица\tпевицей\tFem\tAnim\n"
    )
    report = verify(tmp_path, {"noun": table}, language="ru")
    assert {f.form: f.status for f in report.findings} == {
        "режиссёр": "confirmed", "режиссёров": "confirmed",
        "певица": "confirmed", "певицей": "contradicted",
    }  # fmt: skip
    assert "pymorphy3 has певиц " in report.of("contradicted")[0].objections[0]
    wrong = NOUNS + "песня\tпесня\tпесни\tMasc\n"
    report = verify(tmp_path, {"noun": wrong}, language="ru")
    assert [finding.status for finding in report.findings] == ["contradicted"] * 2
    assert report.findings[0].objections[0].startswith("pymorphy3 has only песня (Animacy=Inan|")


def test_english_is_looked_up_in_lemminflect(tmp_path: Path) -> None:
    pytest.importorskip("lemminflect")
    nouns = "lemma\tNumber=Sing\tNumber=Plur\nman\tman\tmans\nchild\tchild\tchildren\n"
    found = status(tmp_path, "noun", nouns, language="en")
    assert found == {
        "man": "confirmed", "mans": "contradicted", "child": "confirmed", "children": "confirmed"
    }  # fmt: skip
    verbs = VERBS + "be\tbe\tare\tis\nlaugh\tlaugh\tlaughs\tlaugh\n"
    report = verify(tmp_path, {"verb": verbs}, language="en")
    assert [(f.lemma, f.form, f.status) for f in report.findings] == [
        ("be", "be", "confirmed"), ("be", "are", "confirmed"), ("be", "is", "confirmed"),
        ("laugh", "laugh", "confirmed"), ("laugh", "laughs", "contradicted"),
        ("laugh", "laugh", "contradicted"),
    ]  # fmt: skip
    are = report.findings[1]
    assert "lemminflect" not in are.by


# --- the command line ----------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> list[str]:
    table = CHEVAL + "os\tos\tos\tMasc\n"
    verify(tmp_path, {"noun": table}, unimorph="cheval\tchevaux\tN;PL\ncheval\tcheval\tN;SG\n")
    return ["--lexicons", str(tmp_path / "lexicons"), "--shared", str(tmp_path / "shared")]


def test_prints_counts_within_80_columns(
    place: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main([*place, "xx"]) == 1
    out = capsys.readouterr().out
    assert "xx: 4 forms" in out
    assert "UD: nothing for 'xx'" in out
    lines = {
        line.split()[0]: line.split()[1:] for line in out.splitlines() if line.startswith("noun")
    }
    assert lines["noun"][:6] == ["4", "1", "2", "0", "1", "0"]
    assert max(map(len, out.splitlines())) <= 80
    assert "chevals" not in out


def test_an_unknown_language_or_a_bad_table_is_an_error(
    place: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main([*place, "xy"]) == 2
    assert "there is no lexicon 'xy' (languages: xx)" in capsys.readouterr().err
    (tmp_path / "lexicons" / "xx" / "verb.tsv").write_text("lemma\nonly one\ttoo many\n", "utf-8")
    assert script.main(place) == 2
    assert "verb.tsv:2" in capsys.readouterr().err


# --- the real lexicons ---------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_source_contradicts_the_lexicon(language: str) -> None:
    if not SHARED.exists():
        pytest.skip(f"{SHARED} is not here")
    report = verification.verify(CHECKOUT / "lexicons" / language, SHARED)
    assert "UD" in report.sources
    assert not [f"{f.place}: {f.form}: {f.objections}" for f in report.of("contradicted")]
    if language != "zh":  # its rows are items, and its words have no forms
        assert "UniMorph" in report.sources
        assert len(report.of("confirmed")) > 0.75 * len(report.findings)
