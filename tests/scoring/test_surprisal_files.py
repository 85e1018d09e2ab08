"""Pairs and cloze items from files of surprisals: tables, and the output of rnng-pytorch."""

from __future__ import annotations

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
from solecism.scoring.surprisals import read_surprisals, score_surprisals, sentences_of

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


def test_a_broken_row_of_an_rnng(few: Path) -> None:
    path = Path("x.tsv")
    path.write_text("0\t0\tLe\tLe\t3.5\n0\t1\tchat\tchat\tmany\n")
    with pytest.raises(InputError, match=r"x\.tsv:2: not a sentence's number"):
        read_surprisals(path)
    shutil.rmtree("few")
