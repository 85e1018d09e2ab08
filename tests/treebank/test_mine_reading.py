"""Reading CoNLL-U: the columns against ``conllu``, and what broken input is told."""

import json
import os
from pathlib import Path
from time import process_time

import conllu
import numpy as np
import pytest
from click.testing import CliRunner

from expecting import problems_of
from release import TREEBANKS
from solecism.commands import main
from solecism.errors import InputError
from solecism.treebank.cloze import texts_of
from solecism.treebank.conllu import files_of, read_tokens
from solecism.treebank.forms import CountedForms, WordForm

FOLDER = TREEBANKS

GOOD = """\
# sent_id = a
# text = Cats sleep.
1\tCats\tcat\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_
2\tsleep\tsleep\tVERB\tVBP\tVerbForm=Fin\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
OTHER = GOOD.replace("sent_id = a", "sent_id = b").replace("Cats", "Dogs").replace("cat\t", "dog\t")


def read(path: Path, size: int = 1 << 22) -> list[dict[str, object]]:
    """All words of a file, as dictionaries."""
    rows = []
    for tokens in read_tokens(path, size):
        ids = [said.get("sent_id", "") for said in tokens.sentences.said]
        columns = {
            "sentence": [ids[n] for n in tokens.sentence],
            "id": tokens.number.tolist(),
            "form": tokens.forms.texts(),
            "lemma": tokens.lemmas.texts(),
            "upos": tokens.upos.texts(),
            "head": [int(tokens.number[head]) if head >= 0 else 0 for head in tokens.head],
            "deprel": tokens.deprel.arrow().to_pylist(),
            "feats": tokens.feats.arrow().to_pylist(),
        }
        rows += [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ]
    return rows


def plainly(path: Path) -> list[dict[str, object]]:
    """The same with ``conllu``."""
    names = ("id", "form", "lemma", "upos", "head", "deprel")
    return [
        {
            "sentence": sentence.metadata.get("sent_id", ""),
            **{name: token[name] for name in names},
            "feats": "|".join(f"{k}={v}" for k, v in (token["feats"] or {}).items()) or "_",
        }
        for sentence in conllu.parse(path.read_text(encoding="utf-8"))
        for token in sentence
        if isinstance(token["id"], int)
    ]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.conllu")), ids=lambda path: path.stem)
@pytest.mark.parametrize("size", [1, 300, 1 << 22])
def test_columns_are_those_of_conllu(path: Path, size: int) -> None:
    assert read(path, size) == plainly(path)


@pytest.mark.parametrize(
    "text",
    [
        GOOD + OTHER.rstrip("\n"),
        "\n\n" + GOOD + "\n\n\n" + OTHER,
        "# newdoc = 1\n\n" + GOOD + "# a comment\twith\ttabs alone\n\n" + OTHER,
        GOOD + OTHER.replace("3\t.", "# in the middle\n3\t."),
        GOOD + OTHER.replace("\n\n", "\n# at\tthe end\n\n"),
        GOOD + OTHER.replace("2\tsleep", "1.1\tmust\tmust\tAUX\t_\t_\t_\t_\t2:aux\t_\n2\tsleep")
    ],
    ids=["no end", "empty lines", "lone comments", "comment inside", "comment last", "empty node"],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 1 << 22])
def test_odd_places_of_comments_and_empty_lines(tmp_path: Path, text: str, size: int) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(text)
    found = [(row["sentence"], row["id"], row["form"], row["head"]) for row in read(path, size)]
    words = [(1, "{}", 2), (2, "sleep", 0), (3, ".", 2)]
    expected = [
        (s, n, form.format(noun), head)
        for s, noun in (("a", "Cats"), ("b", "Dogs"))
        for n, form, head in words
    ]
    assert found == expected


def test_sent_id_that_is_not_given_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(GOOD + OTHER.replace("# sent_id = b\n", "") + GOOD.replace("= a", "=z"))
    assert [row["sentence"] for row in read(path)] == ["a"] * 3 + [""] * 3 + ["z"] * 3


BROKEN = {
    "columns": (
        OTHER.replace("\tNOUN", "", 1),
        "9: 9 columns where CoNLL-U has 10: '1\\tDogs\\tdog\\tNNS\\tNumber=Plur\\t2\\tnsubj\\t_\\t_'"
    ),
    "blanks": (
        OTHER.replace("\t", " "),
        "9: 1 column where CoNLL-U has 10: '1 Dogs dog NOUN NNS Number=Plur 2 nsubj '"
    ),
    "empty column": (OTHER.replace("\tNOUN", "\t", 1), "9: column UPOS is empty"),
    "cycle": (
        OTHER.replace("2\tnsubj", "3\tnsubj").replace("2\tpunct", "1\tpunct"),
        "9: HEAD '3' is not 0, nor does it lead to a word with HEAD 0"
    ),
    "head too high": (
        OTHER.replace("2\tnsubj", "4\tnsubj"), "9: HEAD '4' is not a word of the sentence, nor 0"
    ),
    "head no number": (
        OTHER.replace("2\tnsubj", "_\tnsubj"), "9: HEAD '_' is not a word of the sentence, nor 0"
    ),
    "doubled id": (OTHER.replace("3\t.", "2\t."), "11: ID '2' where 3 should be"),
    "id from zero": (OTHER.replace("1\tDogs", "0\tDogs"), "9: ID '0' where 1 should be"),
    "strange id": (OTHER.replace("1\tDogs", "1a\tDogs"), "9: ID '1a' where 1 should be"),
    "range": (
        OTHER.replace("1\tDogs", "1-4\tDogs\t" + "\t".join("_" * 8) + "\n1\tDogs"),
        "13: the range 1-4 does not fit the words after it"
    ),
    "ranges overlap": (
        OTHER.replace("1\tDogs", "1-2\tDogs\t" + "\t".join("_" * 8) + "\n1\tDogs").replace(
            "2\tsleep", "2-3\tx\t" + "\t".join("_" * 8) + "\n2\tsleep", 1
        ),
        "11: the range 2-3 does not fit the words after it"
    ),
    "feats": (
        OTHER.replace("Number=Plur", "Plur"), "9: FEATS 'Plur' is not Feature=Value|..., nor _"
    ),
    "no conllu": (
        "Dogs sleep.\n\n", "7: 1 column where CoNLL-U has 10: 'Dogs sleep.'"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("size", [1, 1 << 22])
def test_broken_input_is_told_with_its_line(tmp_path: Path, name: str, size: int) -> None:
    text, message = BROKEN[name]
    path = tmp_path / "x.conllu"
    path.write_text(GOOD + text + GOOD)
    assert problems_of(lambda: read(path, size), tmp_path) == [f"x.conllu:{message}"]


def test_lines_may_end_in_cr_lf_and_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    path, other = tmp_path / "x.conllu", tmp_path / "y.conllu"
    path.write_bytes(b"\xef\xbb\xbf" + (GOOD + OTHER).replace("\n", "\r\n").encode())
    other.write_text(GOOD + OTHER)
    assert read(path) == read(path, 1) == read(other)


def test_wrong_encoding(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes((GOOD + OTHER.replace("Dogs", "Döge")).encode("latin-1"))
    assert problems_of(lambda: read(path), tmp_path) == ["x.conllu:8: not UTF-8"]


def test_files_of_folders(tmp_path: Path) -> None:
    for name in ("b/y.conllu", "b/x.conllu", "b/notes.txt", "a/z.conllu"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(GOOD)
    found = files_of([tmp_path / "b", tmp_path / "a" / "z.conllu"])
    assert [path.name for path in found] == ["x.conllu", "y.conllu", "z.conllu"]
    (tmp_path / "c").mkdir()
    assert problems_of(lambda: files_of([tmp_path / "c"]), tmp_path) == [
        "c: holds no .conllu files"
    ]
    with pytest.raises(InputError, match="there is no such file or folder"):
        files_of([tmp_path / "nowhere"])


@pytest.mark.parametrize("text", ["", "# only a comment\n\n", "# a comment\r# alone\r"])
def test_a_file_without_a_sentence_is_no_treebank(tmp_path: Path, text: str) -> None:
    path, out = tmp_path / "none.conllu", tmp_path / "out.parquet"
    path.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["mine", str(path), "--language", "en", "--out", str(out)])
    assert done.exit_code == 2
    assert done.output.strip() == f"{path}: holds no sentence"
    assert not out.exists()


def test_lines_may_end_in_cr(tmp_path: Path) -> None:
    path, other = tmp_path / "x.conllu", tmp_path / "y.conllu"
    path.write_bytes((GOOD + OTHER).replace("\n", "\r").encode())
    other.write_text(GOOD + OTHER)
    assert read(path) == read(other)


def _sentence(text: str, *forms: str) -> str:
    rows = [
        f"{n}\t{form}\t{form}\tNOUN\t_\t_\t{n - 1}\t{'dep' if n > 1 else 'root'}\t_\t_"
        for n, form in enumerate(forms, 1)
    ]
    return "\n".join([f"# text = {text}", *rows, "", ""])


def test_words_that_were_taken_away_must_be_merged_first(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(GOOD + _sentence("_ _ __", "_", "_", "_") + GOOD)
    message = "has no words (its forms are _): merge them first"
    assert problems_of(lambda: read(path), tmp_path) == [f"x.conllu:11: {message}"]
    path.write_text(GOOD + OTHER.replace("\t.\t.", "\t_\t_") + _sentence("a _ b", "a", "_", "b"))
    assert len(read(path)) == 9


@pytest.mark.parametrize(
    ("text", "forms", "expected", "misfits"),
    [
        (
            " Le  chien\u00a0\u2009court\u3000ici. ",
            "Le chien court ici .",
            "Le chien court ici.",
            0,
        ),
        ("Viva Nueva York.", "Viva Nueva_York .", "Viva Nueva York.", 0),
        ("Viva Nueva_York.", "Viva Nueva_York .", "Viva Nueva_York.", 0),
        ("l\u2019\u00e9t\u00e9 .", "l\u2019 e\u0301te\u0301 .", "l\u2019\u00e9t\u00e9 .", 0),
        ("l\u2019e\u0301te\u0301 .", "l\u2019 \u00e9t\u00e9 .", "l\u2019\u00e9t\u00e9 .", 0),
        ("Something else", "Le chien .", "Le chien .", 1),
    ],
    ids=["blanks", "blank in a form", "_ in a form", "NFD forms", "NFD text", "misfit"],
)
def test_texts_are_made_plain_and_hold_their_words(
    tmp_path: Path, text: str, forms: str, expected: str, misfits: int
) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(_sentence(text, *forms.split(" ")), encoding="utf-8")
    (tokens,) = read_tokens(path)
    texts, starts = texts_of(tokens, np.ones(1, bool))
    assert texts.texts() == [expected]
    words = tokens.surface.texts()
    assert [expected[at : at + len(word)] for at, word in zip(starts, words, strict=True)] == words
    assert tokens.sentences.misfits == misfits


def test_misfits_are_counted_by_profile_and_mine(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(GOOD + _sentence("Something else", "Le", "chien") * 2)
    asked = ["mine", str(path), "--language", "en", "--json"]
    for more in ([], ["--profile"]):
        done = CliRunner().invoke(main, [*asked, *more])
        assert json.loads(done.stdout)["misfits"] == 2


def test_long_sentences_and_wide_words_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(GOOD + _sentence("", *["a"] * 10_001))
    message = "a sentence of over 10,000 words: is a blank line missing?"
    assert problems_of(lambda: read(path, 1000), tmp_path) == [f"x.conllu:10008: {message}"]
    rows = [f"{n}\ta\ta\tNOUN\t_\t_\t1\tdep\t_\t_\n" for n in range(2, 1_003)]
    path.write_text("1\ta\ta\tVERB\t_\t_\t0\troot\t_\t_\n" + "".join(rows) + "\n")
    message = "HEAD '1' is not of a word with up to 1,000 dependents"
    assert problems_of(lambda: read(path), tmp_path) == [f"x.conllu:2: {message}"]


def test_reading_is_linear_in_lines_without_a_blank_one(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text("# a comment\n" * 400_000 + GOOD)
    started = process_time()
    assert len(read(path, 1)) == 3
    assert process_time() - started < 10


def test_a_lemma_with_too_many_forms_is_compared_with_none() -> None:
    words = [WordForm(f"a{n}", "a", "NOUN", f"Number=Sing|X{n}=Y") for n in range(2_001)]
    plural = WordForm("b", "a", "NOUN", "Number=Plur")
    for fewer, shown in ((1, frozenset({"Number"})), (0, frozenset())):
        forms = CountedForms(dict.fromkeys([*words[2 * fewer :], plural], 2))
        assert forms.contrasts(plural) == shown


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_and_devices_are_no_treebanks(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    os.mkfifo(tmp_path / "pipe.conllu")
    (folder / "zero.conllu").symlink_to("/dev/zero")
    for path, found in (
        (tmp_path / "pipe.conllu", "pipe.conllu"), (folder, "folder/zero.conllu")
    ):  # fmt: skip
        assert problems_of(lambda path=path: files_of([path]), tmp_path) == [f"{found}: is no file"]


def test_links_that_lead_to_themselves(tmp_path: Path) -> None:
    (tmp_path / "good.conllu").write_text(GOOD)
    (tmp_path / "self.conllu").symlink_to("self.conllu")
    (tmp_path / "loop").symlink_to(tmp_path)
    for path in (tmp_path, tmp_path / "self.conllu"):
        with pytest.raises(InputError, match=r"self.conllu"):
            files_of([path])
