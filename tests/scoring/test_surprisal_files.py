"""Pairs and cloze items from files of surprisals: our two formats, and that of rnng-pytorch."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from math import log
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from cloze_items import ITEMS, forms
from solecism.commands import main
from solecism.errors import InputError
from solecism.schema import CLOZE
from solecism.scoring.items import open_items
from solecism.scoring.sentences import sentences_of
from solecism.scoring.surprisal_files import in_order, read_surprisals
from solecism.scoring.surprisals import score_surprisals

Write = Callable[[list[list[str]], Path], None]


def bits(word: str) -> float:
    """The surprisal that every model here gives to a word."""
    return 1.5 + len(word) + sum(map(ord, word)) % 7 / 8


def columns(sentences: list[list[str]], path: Path) -> None:
    rows = ["sentence_id\ttoken_id\ttoken\tsurprisal"]
    for number, words in enumerate(sentences, 1):
        rows += [f"{number}\t{n}\t{word}\t{bits(word)}" for n, word in enumerate(words, 1)]
    path.with_suffix(".tsv").write_text("\n".join(rows), encoding="utf-8")


def rnng(sentences: list[list[str]], path: Path, pieces: bool = False) -> None:
    """As ``beam_search.py`` writes them: from 0, in nats, with a footer."""
    rows = []
    for number, words in enumerate(sentences):
        for n, word in enumerate(words):
            nats = bits(word) * log(2)
            more = f"\t{nats / 2} {nats / 2}" if pieces else ""
            rows.append(f"{number}\t{n}\t{word}\t{word}\t{nats}{more}")
    footer = ["-" * 35, "perplexity: 12.5 Time: 3.1 Throughput: 8.0"]
    path.with_suffix(".tsv").write_text("\n".join([*rows, *footer]), encoding="utf-8")


def rnng_pieces(sentences: list[list[str]], path: Path) -> None:
    rnng(sentences, path, pieces=True)


def by_name(path: Path) -> None:
    """Add surprisals to the JSON Lines that `convert` writes, in another order."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["surprisals"] = [bits(word) * log(2) for word in row["tokens"]]
        row["unit"] = "nats"
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in reversed(rows))
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def few(folder: Path) -> Path:
    """A folder with a data set ``few``: 30 pairs."""
    source = Path(open_items("clams/fr").files[0])
    (folder / "few").mkdir()
    pq.write_table(pq.read_table(source).slice(0, 30), folder / "few" / "fr.parquet")
    card = "---\nconfigs:\n- config_name: fr\n  data_files:\n  - path: fr.parquet\n---\n"
    (folder / "few" / "README.md").write_text(card)
    return folder


def wanted(pairs: pa.Table) -> list[float]:
    """The margins, in natural logarithms."""
    sides = [pairs[name].to_pylist() for name in ("tokens_good", "tokens_bad")]
    sums = [[sum(map(bits, text.split(" "))) for text in side] for side in sides]
    return [(bad - good) * log(2) for good, bad in zip(*sums, strict=True)]


@pytest.mark.parametrize("write", [columns, rnng, rnng_pieces])
def test_pairs_from_a_file_in_order(few: Path, write: Write) -> None:
    done = CliRunner().invoke(main, ["convert", "few/fr", "few.txt"])
    assert done.exit_code == 0, done.output
    sentences = [line.split(" ") for line in Path("few.txt").read_text().splitlines()]
    Path("theirs").mkdir()
    write(sentences, Path("theirs/surprisals_fr"))
    (found,) = score_surprisals("few/fr", "theirs")
    table = pq.read_table("few/fr.parquet")
    assert found.table["margin"].to_pylist() == pytest.approx(wanted(table))
    assert "|score:sentence|surprisals:files|model:theirs@" in found.signature
    assert found.summary["overall"]["n"] == 30


def test_pairs_from_json_lines_in_any_order(few: Path) -> None:
    path = Path("theirs/surprisals_fr.jsonl")
    path.parent.mkdir()
    assert CliRunner().invoke(main, ["convert", "few/fr", str(path)]).exit_code == 0
    by_name(path)
    (found,) = score_surprisals("few/fr", "theirs")
    table = pq.read_table("few/fr.parquet")
    assert found.table["margin"].to_pylist() == pytest.approx(wanted(table))
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[1:]))
    with pytest.raises(InputError, match=r"has no line with id '.*' and side 'bad'"):
        score_surprisals("few/fr", "theirs", "other")


def test_a_pair_with_an_unknown_critical_word_is_skipped(few: Path) -> None:
    sentences = [s for item in sentences_of(open_items("few/fr")) for s in item]
    rnng([s.tokens.split(" ") for s in sentences], Path("few/surprisals_fr"))
    path = Path("few/surprisals_fr.tsv")
    good, bad = (s.tokens.split(" ") for s in sentences[:2])
    place = next(n for n, (g, b) in enumerate(zip(good, bad, strict=True)) if g != b)
    text = path.read_text()
    row = f"0\t{place}\t{good[place]}\t{good[place]}\t"
    path.write_text(text.replace(row, f"0\t{place}\t{good[place]}\t<unk-s>\t"))
    (found,) = score_surprisals("few/fr", "few")
    assert found.table["skipped"].to_pylist() == ["out of vocabulary"] + [None] * 29


def test_cloze_items_compare_the_answer_with_other_forms(folder: Path) -> None:
    items = [item for item in ITEMS if item["upos"] == "VERB"][:2]
    items.append({**items[0], "id": "alone", "lemma": "unheard"})
    (folder / "mined").mkdir()
    pq.write_table(pa.Table.from_pylist(items, CLOZE), folder / "mined" / "xx.parquet")
    pq.write_table(forms(), folder / "mined" / "forms.parquet")
    entries = "".join(
        f"- config_name: {name}\n  data_files:\n  - path: {file}.parquet\n"
        for name, file in (("xx", "xx"), ("xx-forms", "forms"))
    )
    (folder / "mined" / "README.md").write_text(f"---\nconfigs:\n{entries}---\n")
    found = list(sentences_of(open_items("mined/xx")))
    assert [(s.side, s.tokens) for s in found[0]] == [
        ("good", "The author laughs ."), ("bad-1", "The author laugh ."),
    ]  # fmt: skip
    assert len(found[2]) == 1
    columns([s.tokens.split(" ") for item in found for s in item], Path("mined/surprisals_xx"))
    (result,) = score_surprisals("mined/xx", "mined")
    difference = (bits("laugh") - bits("laughs")) * log(2)
    assert result.table["margin"].to_pylist()[0] == pytest.approx(difference)
    assert result.table["skipped"].to_pylist() == [None, None, "no other form"]
    assert "|score:cloze:two_forms|" in result.signature.replace("%3A", ":")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"tokens": ["a"], "surprisals": [1, 2]}', "has 1 tokens and 2 surprisals"),
        ('{"tokens": ["a"]}', "x.jsonl:1: has no 'surprisals'"),
        ("[1]", "is not an object with lists"),
        ("{", "is not JSON"),
        ('{"tokens": ["a"], "surprisals": [1], "unit": "bit"}', "unknown unit 'bit' .did you mean"),
        ('{"tokens": ["a"], "surprisals": [NaN]}', "no finite number"),
        ('{"tokens": ["a", "b"], "surprisals": [1, null]}', "x.jsonl:1: "),
    ],
)
def test_broken_json_lines_are_told(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=message):
        read_surprisals(path)


def test_a_first_token_without_probability(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"tokens": ["a", "b"], "surprisals": [null, 2]}\n')
    assert in_order(read_surprisals(path), [], path)[1].surprisals == (0.0, 2.0)


def test_a_broken_row_of_an_rnng(few: Path) -> None:
    path = Path("x.tsv")
    path.write_text("0\t0\tLe\tLe\t3.5\n0\t1\tchat\tchat\tmany\n")
    with pytest.raises(InputError, match=r"x\.tsv:2: not a sentence's number"):
        read_surprisals(path)
    shutil.rmtree("few")
