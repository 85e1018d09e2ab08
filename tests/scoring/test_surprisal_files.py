"""Pairs and cloze items from files of surprisals: tables, and the output of rnng-pytorch."""

from collections.abc import Callable
from functools import partial
from math import log
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from cloze_items import ITEMS, forms
from folders import write_tables
from solecism.commands import main
from solecism.schema import CLOZE
from solecism.scoring.items import open_items
from solecism.scoring.surprisals import score_surprisals, sentences_of

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


@pytest.fixture
def few(folder: Path) -> Path:
    """A folder with a data set ``few``: 30 pairs."""
    table = next(open_items("clams/fr").tables(limit=30))
    write_tables(folder / "few", {"fr": table})
    return folder


def wanted(pairs: pa.Table) -> list[float]:
    """The margins, in natural logarithms."""
    sides = [pairs[name].to_pylist() for name in ("tokens_good", "tokens_bad")]
    sums = [[sum(map(bits, text.split(" "))) for text in side] for side in sides]
    return [(bad - good) * log(2) for good, bad in zip(*sums, strict=True)]


@pytest.mark.parametrize("write", [columns, rnng, partial(rnng, pieces=True)])
def test_pairs_from_a_file_in_order(few: Path, write: Write) -> None:
    done = CliRunner().invoke(main, ["convert", "few/fr", "few.txt"])
    assert done.exit_code == 0, done.output
    sentences = [line.split(" ") for line in Path("few.txt").read_text().splitlines()]
    Path("theirs").mkdir()
    write(sentences, Path("theirs/surprisals_fr"))
    (found,) = score_surprisals("few/fr", "theirs")
    table = pq.read_table(next(Path("few/fr").glob("*.parquet")))
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
    tables = {"xx": pa.Table.from_pylist(items, CLOZE), "xx-forms": forms()}
    write_tables(folder / "mined", tables)
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
