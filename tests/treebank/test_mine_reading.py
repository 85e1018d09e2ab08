"""Reading CoNLL-U: the columns against ``conllu``, and what broken input is told."""

import json
from pathlib import Path

import conllu
import pytest
from click.testing import CliRunner

from expecting import problems_of
from release import TREEBANKS
from solecism.commands import main
from solecism.errors import InputError
from solecism.treebank.conllu import (
    files_of,
    read_tokens,
)

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
        ids = tokens.sentences.sent_id.texts()
        columns = {
            "sentence": [ids[n] for n in tokens.sentence],
            "id": tokens.number.tolist(),
            **{name: tokens.column(name.upper()).texts() for name in ("form", "lemma", "upos")},
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
        "x.conllu:9: 9 columns where CoNLL-U has 10"
    ),
    "blanks": (
        OTHER.replace("\t", " "),
        "x.conllu:9: 1 column (are there tabs between them?) where CoNLL-U has 10 (and 2 more lines)"
    ),
    "empty column": (OTHER.replace("\tNOUN", "\t", 1), "x.conllu:9: column UPOS is empty"),
    "cycle": (
        OTHER.replace("2\tnsubj", "3\tnsubj").replace("2\tpunct", "1\tpunct"),
        "x.conllu:9: word 1 is in a cycle of heads, or below one\n"
        "x.conllu:11: word 3 is in a cycle of heads, or below one"
    ),
    "head too high": (
        OTHER.replace("2\tnsubj", "4\tnsubj"),
        "x.conllu:9: HEAD '4' is no word of the sentence (1 to 3, 0 for the root)"
    ),
    "head no number": (
        OTHER.replace("2\tnsubj", "_\tnsubj"),
        "x.conllu:9: HEAD '_' is no word of the sentence (1 to 3, 0 for the root)"
    ),
    "doubled id": (OTHER.replace("3\t.", "2\t."), "x.conllu:11: ID 2 where 3 should be"),
    "id from zero": (OTHER.replace("1\tDogs", "0\tDogs"), "x.conllu:9: ID 0 where 1 should be"),
    "strange id": (
        OTHER.replace("1\tDogs", "1a\tDogs"),
        "x.conllu:9: ID '1a' is neither a number, nor a rising range, nor an empty node's"
    ),
    "range": (
        OTHER.replace("1\tDogs", "1-4\tDogs\t" + "\t".join("_" * 8) + "\n1\tDogs"),
        "x.conllu:9: the range of a multiword token does not fit the words beside it"
    ),
    "ranges overlap": (
        OTHER.replace("1\tDogs", "1-2\tDogs\t" + "\t".join("_" * 8) + "\n1\tDogs").replace(
            "2\tsleep", "2-3\tx\t" + "\t".join("_" * 8) + "\n2\tsleep", 1
        ),
        "x.conllu:11: the range of a multiword token does not fit the words beside it"
    ),
    "feats": (
        OTHER.replace("Number=Plur", "Plur"),
        "x.conllu:9: FEATS 'Plur' is not of the form Feature=Value|..., nor _"
    ),
    "no conllu": (
        "Dogs sleep.\n\n",
        "x.conllu:7: neither a comment, nor a word, nor an empty line: 'Dogs sleep.'"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("size", [1, 1 << 22])
def test_broken_input_is_told_with_its_line(tmp_path: Path, name: str, size: int) -> None:
    text, message = BROKEN[name]
    path = tmp_path / "x.conllu"
    path.write_text(GOOD + text + GOOD)
    assert "\n".join(problems_of(lambda: read(path, size), tmp_path)) == message


def test_crlf_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes((GOOD + OTHER).replace("\n", "\r\n").encode())
    message = "x.conllu:1: lines end in CR LF, where CoNLL-U has LF (and 9 more lines)"
    assert problems_of(lambda: read(path), tmp_path) == [message]
    skipped: list[int] = []
    assert sum(len(t) for t in read_tokens(path, skipped=skipped.append)) == 0
    assert sum(skipped) == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((GOOD + OTHER.replace("Dogs", "Döge")).encode("latin-1"), "x.conllu:8: not UTF-8 (and 1 more line)"),
        (b"\xef\xbb\xbf" + GOOD.encode(), "x.conllu:1: the file begins with a byte order mark")
    ],
    ids=["latin-1", "bom"],
)  # fmt: skip
def test_wrong_encoding(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes(data)
    assert problems_of(lambda: read(path), tmp_path)[0] == message


def test_many_different_problems_are_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text("".join(GOOD.replace("Number=Plur", f"F{n}") for n in range(30)))
    problems = problems_of(lambda: read(path), tmp_path)
    assert len(problems) == 21
    assert problems[-1] == "x.conllu: 10 more problems"


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


@pytest.mark.parametrize(
    ("text", "more"), [("# only a comment\n\n", ()), ("", ()), ("1\tx\n\n", ("--lenient",))]
)
def test_a_file_without_words_gives_no_items(
    tmp_path: Path, text: str, more: tuple[str, ...]
) -> None:
    path = tmp_path / "none.conllu"
    path.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["mine", str(path), "--language", "en", "--json", *more])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["items"] == 0
