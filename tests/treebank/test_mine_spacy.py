"""Raw text: paragraphs, parses as CoNLL-U, and mining them from the command line."""

import json
from pathlib import Path

import pytest

pytest.importorskip("spacy", reason="the extra spacy is not installed")

import conllu
import pyarrow.parquet as pq
import spacy
from click.testing import CliRunner, Result
from spacy.language import Language
from spacy.tokens import Doc

from parsing import TEXTS, saved, trained
from solecism.commands import main
from solecism.errors import InputError
from solecism.treebank import spacy as spacy_text
from solecism.treebank.conllu import read_tokens
from solecism.treebank.spacy import (
    as_given,
    conllu_of,
    from_clear,
    is_blank,
    load_pipeline,
    paragraphs,
    parse_texts,
    texts_of,
)

pytestmark = pytest.mark.nightly


def doc(*rows: str) -> Doc:
    """A text from rows: form lemma upos feats head(from 1, 0 root) deprel; ``+`` at the end: no
    space."""
    cells = [row.rstrip("+").split(" ") for row in rows]
    heads = [int(cell[4]) - 1 for cell in cells]
    return Doc(
        spacy.blank("xx").vocab,
        words=[cell[0].replace("␣", " ").replace("¶", "\n") for cell in cells],
        spaces=[not row.endswith("+") for row in rows],
        lemmas=[cell[1] for cell in cells],
        pos=[cell[2] for cell in cells],
        morphs=["" if cell[3] == "_" else cell[3] for cell in cells],
        heads=[at if head < 0 else head for at, head in enumerate(heads)],
        deps=["ROOT" if cell[5] == "root" else cell[5] for cell in cells],
    )


def written(given: Doc) -> str:
    """The sentences of a text in CoNLL-U."""
    sentences = ([word for word in sentence if not is_blank(word)] for sentence in given.sents)
    return "".join(conllu_of(words, as_given(words)) for words in sentences if words)


def test_columns() -> None:
    given = doc(
        "les le DET Number=Plur 2 det",
        "filles fille NOUN Gender=Fem|Number=Plur 3 nsubj",
        "dorment dormir VERB Number=Plur|Person=3 0 root+",
        ". . PUNCT _ 3 punct",
    )
    assert written(given) == (
        "# text = les filles dorment.\n"
        "1\tles\tle\tDET\t_\tNumber=Plur\t2\tdet\t_\t_\n"
        "2\tfilles\tfille\tNOUN\t_\tGender=Fem|Number=Plur\t3\tnsubj\t_\t_\n"
        "3\tdorment\tdormir\tVERB\t_\tNumber=Plur|Person=3\t0\troot\t_\tSpaceAfter=No\n"
        "4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_\n\n"
    )


def test_white_space_is_no_word() -> None:
    given = doc("elle elle PRON Number=Sing 3 nsubj", "␣ _ SPACE _ 1 dep+", "dort dormir VERB _ 0 root+",
                "¶ _ SPACE _ 3 dep+", "bien bien ADV _ 4 advmod")  # fmt: skip
    (sentence,) = conllu.parse(written(given))
    told = [(word["form"], word["head"], word["misc"]) for word in sentence]
    assert told == [("elle", 2, None), ("dort", 0, None), ("bien", 2, None)]
    assert sentence.metadata["text"] == "elle dort bien"

    given = doc("¶ _ SPACE _ 0 root+", "Oui oui INTJ _ 1 dep")
    assert written(given) == "# text = Oui\n1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
    assert written(doc("¶ _ SPACE _ 0 root+")) == ""


def clear(*rows: str) -> list[str]:
    """A sentence with ClearNLP's relations as UD's: FORM HEAD RELATION."""
    words = list(doc(*rows))
    tree = from_clear(words)
    names = [*(word.text for word in words), "-"]  # the head of a root is -1
    arcs = [tree[word.i] for word in words]
    return [f"{words[n].text} {names[head]} {name}" for n, (head, name) in enumerate(arcs)]


def test_copulas_of_english_pipelines() -> None:
    assert clear(
        "They they PRON _ 3 nsubj", "have have AUX _ 3 aux", "been be AUX _ 0 root",
        "happy happy ADJ _ 3 acomp", "here here ADV _ 3 advmod"
    ) == [
        "They happy nsubj", "have happy aux", "been happy cop", "happy - root", "here happy advmod",
    ]  # fmt: skip
    assert clear("There there PRON _ 2 expl", "are be VERB _ 0 root", "cats cat NOUN _ 2 attr") == [
        "There are expl", "are - root", "cats are nsubj",
    ]  # fmt: skip
    assert clear("He he PRON _ 2 nsubj", "seems seem VERB _ 0 root", "old old ADJ _ 2 acomp") == [
        "He seems nsubj", "seems - root", "old seems xcomp",
    ]  # fmt: skip


def test_prepositions_of_english_pipelines() -> None:
    assert clear(
        "keys key NOUN _ 5 nsubjpass", "to to ADP _ 1 prep", "doors door NOUN _ 2 pobj",
        "were be AUX _ 5 auxpass", "made make VERB _ 0 root", "by by ADP _ 5 agent",
        "him he PRON _ 6 pobj", "after after ADP _ 5 prep", "sleeping sleep VERB _ 8 pcomp",
        "over over ADP _ 5 prep"
    ) == [
        "keys made nsubj:pass", "to doors case", "doors keys nmod", "were made aux:pass", "made - root",
        "by him case", "him made obl", "after sleeping mark", "sleeping made advcl", "over made advmod",
    ]  # fmt: skip


def test_conjuncts_of_english_pipelines() -> None:
    assert clear(
        "cats cat NOUN _ 5 nsubj", "dogs dog NOUN _ 1 conj", "and and CCONJ _ 2 cc",
        "cows cow NOUN _ 2 conj", "sleep sleep VERB _ 0 root",
    )[1:4:2] == ["dogs cats conj", "cows cats conj"]  # fmt: skip


def test_paragraphs(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffla fille\r\n dort \t bien.\r\n\r\n \n\nle\u00a0chat dort.".encode())
    assert list(paragraphs(path)) == ["la fille dort bien.", "le\u00a0chat dort."]
    path.write_bytes(b"")
    assert list(paragraphs(path)) == []
    path.write_bytes(b"good\ncaf\xe9\n")
    with pytest.raises(InputError, match=r"a.txt:2: not UTF-8"):
        list(paragraphs(path))


def test_files(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.conllu"):
        (tmp_path / name).touch()
    (tmp_path / "empty").mkdir()
    assert [path.name for path in texts_of([tmp_path])] == ["a.txt", "b.txt"]
    assert texts_of([tmp_path / "b.txt"]) == [tmp_path / "b.txt"]
    faults = {"absent": "no such file", "empty": "no .txt files", "c.conllu": "parsed already"}
    for name, message in faults.items():
        with pytest.raises(InputError, match=message):
            texts_of([tmp_path / name])


def told(pipeline: Language) -> str:
    """What is said against a pipeline."""
    with pytest.raises(InputError) as error:
        list(parse_texts(["la fille dort."], pipeline, "a"))
    return str(error.value)


def test_pipelines_that_lack_something() -> None:
    assert told(spacy.blank("fr")) == "the spaCy pipeline fr_pipeline has no parser"
    pipeline = trained()
    with pipeline.select_pipes(disable="morphologizer"):
        assert told(pipeline) == "the spaCy pipeline fr_small gives no parts of speech and features"
    with pipeline.select_pipes(disable="trainable_lemmatizer"):
        assert told(pipeline) == "the spaCy pipeline fr_small gives no lemmas"


def test_relations_that_are_not_of_ud() -> None:
    pipeline = spacy.blank("de")

    @Language.component("solecism_tiger")
    def tiger(given: Doc) -> Doc:
        for token in given:
            token.head, token.dep_, token.pos_ = given[len(given) - 1], "sb", "NOUN"
        return given

    pipeline.add_pipe("solecism_tiger")
    assert told(pipeline).endswith("has relations that UD lacks: sb")


def test_paragraphs_that_are_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy_text, "_LONGEST", 5)
    (tmp_path / "long.txt").write_text("eins zwei drei\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"long.txt: a paragraph of 14 letters is too long"):
        paragraphs(tmp_path / "long.txt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a trained pipeline and a text."""
    path = tmp_path_factory.mktemp("spacy")
    saved(path / "pipeline")
    (path / "text.txt").write_text("\n\n".join(TEXTS), encoding="utf-8")
    return path


def mine(folder: Path, *more: str) -> Result:
    """``solecism mine`` of the text."""
    command = ["mine", str(folder / "text.txt"), "--spacy", str(folder / "pipeline"), *more]
    return CliRunner().invoke(main, command)


def test_mining_from_the_command_line(folder: Path) -> None:
    counts = json.loads(mine(folder, "--json").output)
    assert counts["language"] == "fr", "told by the pipeline"
    assert counts["sentences"] == 4
    more = ["--mask", "target", "--without", "cut"]  # the text is in small letters
    out = mine(folder, *more, "--out", str(folder / "items.parquet"))
    assert out.exit_code == 0, out.output
    items = pq.read_table(folder / "items.parquet").to_pylist()
    verbs = {f"{i['left']}[{i['answer']}]{i['right']}" for i in items if i["relation"] == "verb"}
    assert verbs == {
        "la fille [dort].", "les filles [dorment].", "le chat [dort].", "les chats [dorment].",
    }  # fmt: skip
    assert {item["treebank"] for item in items} == {"text"}
    assert {item["sent_id"] for item in items} == {f"text-{n}" for n in (1, 2, 3, 4)}


def test_the_parse_mines_as_a_treebank_does(folder: Path) -> None:
    path = folder / "text.conllu"
    pipeline = load_pipeline(str(folder / "pipeline"))
    path.write_text("".join(parse_texts(paragraphs(folder / "text.txt"), pipeline, "text")))
    (tokens,) = read_tokens(path)
    assert len(tokens) == 16
    command = ["mine", str(path), "--language", "fr", "--json"]
    assert CliRunner().invoke(main, command).output == mine(folder, "--json").output


@pytest.mark.parametrize(
    ("name", "message"),
    [("text.txt", "the spaCy pipeline 'xx_absent' cannot be loaded: [E050]"),
     ("absent.txt", "no such file")],
)  # fmt: skip
def test_bad_pipelines_and_texts(folder: Path, name: str, message: str) -> None:
    out = CliRunner().invoke(main, ["mine", str(folder / name), "--spacy", "xx_absent"])
    assert out.exit_code == 2
    assert message in out.output
