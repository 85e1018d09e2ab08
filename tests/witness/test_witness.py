"""Witnesses of forms: what sources have, what they contradict, and what is written of it."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from release import CHECKOUT
from solecism.commands import main
from solecism.errors import InputError
from solecism.language_tags import iso_of
from solecism.lexicon.evidence import claims, read_evidence
from solecism.lexicon.lexicon import Lexicon
from solecism.witness import analysers, witness
from solecism.witness.sources import fold, read_treebanks, read_unimorph_lists

LANGUAGES = sorted(path.parent.name for path in (CHECKOUT / "lexicons").glob("*/evidence.tsv"))


@pytest.fixture(autouse=True)
def no_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask no analyser that happens to be installed on this machine."""
    monkeypatch.setattr(analysers, "_printed", not_installed)


def not_installed(*_: object) -> str:
    raise FileNotFoundError


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
    found = read_treebanks([path], "xx").words
    return {(a.form, a.lemma, a.upos, str(a.feats)): a.times for a in found}


def test_hebrew_words_within_a_word(tmp_path: Path) -> None:
    text = conllu(
        ("יד_", "יד", "NOUN", "Number=Plur"), ("_הוא", "הוא", "PRON", "_"), ("_", "_", "SYM", "_")
    )
    assert set(counted(tmp_path, text)) == {("הוא", "הוא", "PRON", ""), ("_", "_", "SYM", "")}


def test_a_form_has_the_case_of_its_lemma(tmp_path: Path) -> None:
    text = conllu(("Chats", "chat", "NOUN", "_"), ("Paris", "Paris", "PROPN", "_"))
    assert {key[0] for key in counted(tmp_path, text)} == {"chats", "Paris"}


def test_of_a_folder_only_the_language_is_read(tmp_path: Path) -> None:
    for language, form in (("fr", "chat"), ("de", "Katze")):
        path = tmp_path / f"{language}_demo-ud-test.conllu"
        path.write_text(conllu((form, form, "NOUN", "_")), "utf-8")
        (tmp_path / iso_of(language)).write_text(f"{form}\t{form}\tN;SG\n", "utf-8")
    for place in (tmp_path, tmp_path / "fra"):
        words = read_unimorph_lists(place, "fr", {"chat", "Katze"})
        assert [word.form for word in words.words] == ["chat"]
    treebank = read_treebanks([tmp_path], "fr")
    assert [word.form for word in treebank.words] == ["chat"]
    assert re.fullmatch(r"fr_demo-ud-test\.conllu [0-9a-f]{8}", treebank.title)
    (word,) = read_treebanks([path], "fr").words  # a file that is named is read
    assert word.form == "Katze"


@pytest.mark.parametrize("read", [lambda p: read_treebanks([p], "it"),
                                  lambda p: read_unimorph_lists(p, "it", set())])  # fmt: skip
def test_a_folder_without_the_language_is_refused(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    (tmp_path / "fr_demo-ud-test.conllu").write_text(conllu(("a", "a", "X", "_")), "utf-8")
    with pytest.raises(InputError, match=r"holds no (treebank|list) of 'it'"):
        read(tmp_path)


def test_bad_features_of_a_treebank_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"xx_demo.*FEATS .number=Plur.: feature .number. is not"):
        counted(tmp_path, conllu(("chats", "chat", "NOUN", "number=Plur")))


# --- a small lexicon and small sources ---------------------------------------------------------

NOUNS = "lemma\tNumber=Sing\tNumber=Plur\tGender\n"
VERBS = (
    "lemma\tVerbForm=Inf\tMood=Ind|Number=Sing|Person=1,2|Tense=Pres|VerbForm=Fin"
    "\tMood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin\n"
)


def status(folder: Path, table: str, text: str, treebank: str = "", **more: str) -> dict[str, str]:
    """Ask sources about one table; the state of each form (the last of equal ones)."""
    found = ask(folder, {table: text}, treebank, **more)
    return {form.claim.form: state(form) for form in found.forms}


def state(form: witness.Witnessed) -> str:
    if form.against:
        return "disputed" if form.by else "contradicted"
    return "confirmed" if form.by else "unconfirmed"


def ask(
    folder: Path, tables: dict[str, str], treebank: str = "", unimorph: str = "",
    exceptions: str = "", language: str = "xx", wrote: str = "",
) -> witness.Evidence:  # fmt: skip
    lexicon, shared = folder / "lexicons" / language, folder / "shared"
    for place in (lexicon, shared):
        shutil.rmtree(place, ignore_errors=True)
    texts = {lexicon / f"{table}.tsv": text for table, text in tables.items()}
    texts[lexicon / "exceptions.tsv"] = exceptions
    conllu_file = shared / "ud" / "UD_Demo" / f"{language}_demo-ud-test.conllu"
    texts[conllu_file] = treebank
    texts[shared / "unimorph" / (iso_of(language) or language)] = unimorph
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if text:
            path.write_text(text, "utf-8")
    treebanks = [conllu_file] if treebank else []
    lists = shared / "unimorph" if unimorph else None
    return witness.find_evidence(Lexicon(lexicon), lists, treebanks, [], [wrote] if wrote else [])


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
    assert status(tmp_path, "det", table, conllu(("la", "la", "DET", "_"))) == {"la": "confirmed"}


CHEVAUX_LISTED = "cheval\tchevaux\tN;PL\ncheval\tcheval\tN;SG\n"
REASON = "table\tlemma\tform\tsource\treason\nnoun\tcheval\tchevals\tUniMorph\tso they speak\n"


def test_other_forms_for_the_same_features_contradict(tmp_path: Path) -> None:
    found = ask(tmp_path, {"noun": CHEVAL}, unimorph=CHEVAUX_LISTED)
    (form,) = found.unexplained
    assert (form.claim.form, form.against, form.objections) == (
        "chevals", ["UniMorph"], ["other: chevaux"],
    )  # fmt: skip
    explained = ask(tmp_path, {"noun": CHEVAL}, unimorph=CHEVAUX_LISTED, exceptions=REASON)
    assert explained.counts["noun"]["contradicted"] == 1
    assert explained.unexplained == []


def test_what_wrote_a_form_is_not_its_witness_but_may_contradict_it(tmp_path: Path) -> None:
    found = ask(tmp_path, {"noun": CHEVAL}, unimorph=CHEVAUX_LISTED, wrote="UniMorph")
    assert [(f.claim.form, state(f)) for f in found.forms] == [
        ("cheval", "unconfirmed"), ("chevals", "contradicted"),
    ]  # fmt: skip
    witness.write_evidence(found)
    for names, kept in (([], ["UniMorph"]), (["verbecc", "a person"],) * 2):
        assert witness.find_evidence(found.lexicon, None, [], [], names).wrote == kept


def test_a_dictionary_that_wrote_a_form_is_its_first_witness(tmp_path: Path) -> None:
    """A word list or another dictionary is the second; what nobody lists has none."""
    for wrote, words, second in (
        ("UniMorph", "cheval chevals", "50.0 % have a second witness: 0.0 of the cell, 50.0"),
        ("UniMorph", "", "0.0 % have"),
        ("", "cheval", "50.0 % have a second witness: 0.0 of the cell, 50.0"),
    ):
        path = tmp_path / "words.txt"
        path.write_text(words)
        asked = ask(tmp_path, {"noun": CHEVAL}, unimorph=CHEVAUX_LISTED, wrote=wrote)
        unimorph = tmp_path / "shared" / "unimorph" / "xx"
        given = [wrote] if wrote else []
        found = witness.find_evidence(asked.lexicon, unimorph, [], [path], given)
        assert found.second.startswith(second)


def test_many_forms_without_two_witnesses_are_counted_by_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ask(tmp_path, {"noun": CHEVAL + "os\tos\tos\tMasc\n"}, unimorph=CHEVAUX_LISTED)
    for most, lemmas in ((3, ["cheval", "cheval", "os", "os"]), (2, ["cheval", "* 1", "* 2"])):
        monkeypatch.setattr(witness, "MOST_ROWS", most)
        witness.write_evidence(found)
        rows = read_evidence(found.lexicon.folder)
        assert sorted(row.lemma for row in rows) == sorted(lemmas)
        assert [row.lemma for row in rows if row.contradicted] == ["cheval"]
    assert "# noun\t4\t0\t1\t0\t2\t1" in (found.lexicon.folder / "evidence.tsv").read_text()


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


# --- the analysers -------------------------------------------------------------------------------


def test_russian_is_looked_up_in_pymorphy(tmp_path: Path) -> None:
    pytest.importorskip("pymorphy3")
    words = analysers.ask_analyser("pymorphy3", "ru", {("", "певица"), ("", "режиссёров")})
    assert isinstance(words, witness.WordList)
    assert "Animacy=Anim|Case=Ins|Gender=Fem|Number=Sing" in {
        str(a.feats) for a in words.by_form["певицей"]
    }
    assert words.by_form[fold("режиссёров")][0].lemma == "режиссёр"


def test_ukrainian_is_looked_up_in_pymorphy() -> None:
    """Infinitives, forms in -но and names have tags of their own; names are in small letters."""
    pytest.importorskip("pymorphy3_dicts_uk")
    pairs = {("", word) for word in ("знайдено", "знайти", "Тарасові")}
    words = analysers.ask_analyser("pymorphy3", "uk", pairs)
    assert isinstance(words, witness.WordList)
    for form, lemma, upos, feats in (
        ("знайдено", "знайти", "VERB", "Aspect=Perf|Mood=Ind|Person=0|Tense=Past|VerbForm=Fin"),
        ("знайти", "знайти", "VERB", "Aspect=Perf|VerbForm=Inf"),
        ("Тарасові", "Тарас", "PROPN", "Animacy=Anim|Case=Dat|Gender=Masc"),
    ):
        found = {(a.lemma, a.upos, str(a.feats)) for a in words.by_form[form]}
        assert (lemma, upos, feats) in found


def test_english_is_looked_up_in_lemminflect(tmp_path: Path) -> None:
    pytest.importorskip("lemminflect")
    nouns = "lemma\tNumber=Sing\tNumber=Plur\nman\tman\tmans\nchild\tchild\tchildren\n"
    found = status(tmp_path, "noun", nouns, language="en")
    assert found == {
        "man": "confirmed", "mans": "contradicted", "child": "confirmed", "children": "confirmed"
    }  # fmt: skip
    verbs = VERBS + "be\tbe\tare\tis\nlaugh\tlaugh\tlaughs\tlaugh\n"
    forms = ask(tmp_path, {"verb": verbs}, language="en").forms
    assert [(f.claim.form, state(f)) for f in forms][2:] == [
        ("is", "confirmed"), ("laugh", "confirmed"), ("laughs", "contradicted"),
        ("laugh", "contradicted"),
    ]  # fmt: skip
    assert "lemminflect" not in forms[1].by


class Morfeusz:
    """Stands for morfeusz2.Morfeusz: the tags list cases and genders, and obsolete forms say so."""

    def generate(self, lemma: str) -> list[tuple[str, str, str, list[str], list[str]]]:
        banan = [
            ("banan", "banan:Sm3", "subst:sg:nom.acc:m3", ["nazwa_pospolita"], []),
            ("banana", "banan:Sm2", "subst:sg:gen.acc:m2", ["nazwa_pospolita"], ["pot."]),
            ("banany", "banan:Sm1", "depr:pl:nom:m2", ["nazwa_pospolita"], []),
            ("bananie", "banan:Sm3", "subst:sg:voc:m3", ["nazwa_pospolita"], ["daw."]),
        ]
        return banan if lemma == "banan" else [("Ewę", "Ewa", "subst:sg:acc:f", ["imię"], [])]


def test_polish_is_looked_up_in_morfeusz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysers, "import_module", lambda _: SimpleNamespace(Morfeusz=Morfeusz))
    monkeypatch.setattr(analysers, "version", lambda _: "1.0")
    words = analysers.ask_analyser("morfeusz2", "pl", {("banan", "banana"), ("Ewa", "Ewę")})
    assert isinstance(words, witness.WordList)
    assert sorted((a.form, a.lemma, a.upos, str(a.feats)) for a in words.words) == [
        ("Ewę", "Ewa", "PROPN", "Case=Acc|Gender=Fem|Number=Sing"),
        ("banan", "banan", "NOUN", "Animacy=Inan|Case=Acc|Gender=Masc|Number=Sing"),
        ("banan", "banan", "NOUN", "Animacy=Inan|Case=Nom|Gender=Masc|Number=Sing"),
        ("banana", "banan", "NOUN", "Animacy=Nhum|Case=Acc|Gender=Masc|Number=Sing"),
        ("banana", "banan", "NOUN", "Animacy=Nhum|Case=Gen|Gender=Masc|Number=Sing"),
    ]


def test_commands_print_readings_or_words_that_they_do_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed = {"apertium": "^chats/chat<n><m><pl>/chat<strange>$ ^xy/*xy$", "hspell": "xy\n"}
    monkeypatch.setattr(analysers, "_printed", lambda name, *_: printed[name])
    monkeypatch.setattr(analysers, "version_of", lambda files: files[0].name)
    pairs = {("", "chats"), ("", "xy"), ("", "ab-xy")}
    words = analysers.ask_analyser("apertium", "fr", pairs)
    assert isinstance(words, witness.WordList)
    assert [(a.form, str(a.feats)) for a in words.words] == [("chats", "Gender=Masc|Number=Plur")]
    assert words.title == "apertium-fra-cat.automorf.bin".removeprefix("apertium-")
    spelt = analysers.ask_analyser("hspell", "he", pairs)
    assert spelt == ("hebrew.wgz, spelling", {("", "chats")})


@pytest.mark.parametrize("language", ["de", "en", "fr", "he", "ru"])
def test_hunspell_is_asked_for_each_language_that_has_a_dictionary(language: str) -> None:
    assert "hunspell" in analysers.analysers_of(language)


# --- the command line ----------------------------------------------------------------------------


def run(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["language", "witness", *arguments, "--root", str(folder)])


def test_prints_counts_and_fails_where_a_contradiction_has_no_reason(tmp_path: Path) -> None:
    ask(tmp_path, {"noun": CHEVAL}, unimorph=CHEVAUX_LISTED)
    (tmp_path / "templates").mkdir()
    words = tmp_path / "words.txt"
    words.write_text("cheval chevals\n", "utf-8")
    lists = ["--unimorph", str(tmp_path / "shared" / "unimorph"), "--words", str(words)]
    result = run(tmp_path, "xx", *lists)
    assert result.exit_code == 2, result.output
    assert "UniMorph has other: chevaux" in result.output
    assert json.loads(run(tmp_path, "xx", *lists, "--json").output)["tables"] == {
        "noun": {"forms": 2, "two": 0, "one": 1, "spelling": 0, "none": 0, "contradicted": 1}
    }
    (tmp_path / "lexicons" / "xx" / "exceptions.tsv").write_text(REASON, "utf-8")
    for place in ("unimorph", "unimorph/xx"):  # the folder, or the list itself
        assert run(tmp_path, "xx", "--unimorph", str(tmp_path / "shared" / place)).exit_code == 0
    alone = run(tmp_path, "xx", "--words", str(words))
    assert "spelling" in (tmp_path / "lexicons" / "xx" / "evidence.tsv").read_text("utf-8")
    assert alone.exit_code == 0


def test_without_a_source_it_says_how_to_get_one(tmp_path: Path) -> None:
    ask(tmp_path, {"noun": CHEVAL})
    (tmp_path / "templates").mkdir()
    result = run(tmp_path, "xx")
    assert result.exit_code == 0
    assert "pip install simplemma" in result.output
    assert not (tmp_path / "lexicons" / "xx" / "evidence.tsv").exists()
    (tmp_path / "lexicons" / "xx").rename(tmp_path / "lexicons" / "de")
    assert "hunspell-de-de" in run(tmp_path, "deu").output
    unknown = run(tmp_path, "xy")
    assert (unknown.exit_code, "there is no lexicon 'xy'" in unknown.output) == (2, True)


# --- the real lexicons ---------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_evidence_counts_every_form_of_the_lexicon(language: str) -> None:
    folder = CHECKOUT / "lexicons" / language
    lexicon = Lexicon(folder)
    claimed = Counter(table.name for table, *_ in claims(map(lexicon.table, lexicon.names)))
    lines = (folder / "evidence.tsv").read_text("utf-8").splitlines()
    rows = (line[2:].split("\t") for line in lines if line.startswith("# ") and "\t" in line)
    assert {name: int(forms) for name, forms, *_ in rows if forms != "forms"} == claimed


COUNT = re.compile(r"^\| `(\w[\w.]*\.tsv)` \| ([\d,]+)(?: rows|,? \|)", re.M)


@pytest.mark.parametrize("readme", sorted((CHECKOUT / "lexicons").glob("*/README.md")), ids=str)
def test_counts_of_rows_in_a_readme_are_those_of_the_tables(readme: Path) -> None:
    counts = dict(COUNT.findall(readme.read_text("utf-8")))
    lexicon = Lexicon(readme.parent)
    rows = {name: f"{len(lexicon.table(name[:-4]).rows):,}" for name in counts}
    assert counts == rows
