"""Accuracies from files of surprisals alone: of suites, pairs and cloze items."""

from collections.abc import Callable, Sequence
from functools import partial
from math import log
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from cloze_items import ITEMS, forms
from drawing import make_root, template
from folders import write_tables
from solecism.commands import main
from solecism.datasets.build import build
from solecism.errors import InputError
from solecism.schema import CLOZE
from solecism.scoring.items import open_items
from solecism.scoring.methods.region import score_suites
from solecism.scoring.results import read_result
from solecism.scoring.surprisals import (
    SurprisalColumns,
    find_runs,
    line_reader,
    read_surprisals,
    score_surprisals,
    sentences_of,
)
from syntaxgym_suite import LINES, TABLES


def write_file(path: Path, sentences: Sequence[Sequence[tuple[str, float]]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["sentence_id\ttoken_id\ttoken\tsurprisal"]
    for number, sentence in enumerate(sentences, 1):
        lines += [f"{number}\t{n}\t{token}\t{bits}" for n, (token, bits) in enumerate(sentence, 1)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def flat(text: str, **bits: float) -> list[tuple[str, float]]:
    """A sentence whose tokens have one bit each, but those that are named."""
    return [(word, bits.get(word, 1.0)) for word in text.split()]


# reading files


def test_a_file_is_read_in_the_order_of_its_numbers(tmp_path: Path) -> None:
    path = tmp_path / "surprisals_x.tsv"
    rows = ["token\tsurprisal\tsentence_id\ttoken_id\tmore", "b\t2.5\t1\t2\t-", "a\t1\t1\t1\t-"]
    path.write_text("\ufeff" + "\r\n".join([*rows, '"\t3\t2\t1\t-', "", ""]), encoding="utf-8")
    lines = read_surprisals(path)
    assert lines[0].tokens == ("a", "b")
    assert lines[0].surprisals == (1.0, 2.5)
    assert lines[1].tokens == ('"',)


def test_columns_may_have_other_names_and_another_unit(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('sent,word,surp\n0,"a",0.693147\n0,",",1\n1,b,2\n')
    columns = SurprisalColumns.parse("sentence=sent,token=word,surprisal=surp,unit=nats")
    first, second = read_surprisals(path, columns)
    assert (first.tokens, second.tokens) == (("a", ","), ("b",))
    assert first.surprisals[0] == pytest.approx(1.0)
    for text, message in (("tokn=x", "did you mean 'token'"), ("unit=nat", "did you mean 'nats'")):
        with pytest.raises(InputError, match=message):
            SurprisalColumns.parse(text)


@pytest.mark.parametrize(("first", "last"), [("<s>", "<|endoftext|>"), ("[CLS]", "[SEP]")])
def test_marks_of_the_ends_of_sentences_are_left_out(tmp_path: Path, first: str, last: str) -> None:
    path = write_file(tmp_path / "x.tsv", [flat(f"{first} a 。 {last}")])
    assert read_surprisals(path)[0].tokens == ("a", "。")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sentence_id\ttoken\n1\ta", "x.tsv:1: has no column surprisal"),
        ("", "x.tsv:1: has no column sentence_id"),
        ("0\t0\tLe\tLe\t3.5\n0\t1\ta\ta\tmany", "x.tsv:2: not a sentence's number"),
        ("HEAD\n1\t1\ta\tinf", "x.tsv:2: not a sentence's number"),
        (
            "HEAD\n1\t1\ta\tNA\n1\t2\tb\tNA",
            "sentence 1: token 2, 'b', has no surprisal, which only",
        ),
        ("HEAD\n1\t1\ta\t1\n1\tx\ta\t1\n1\t1", "x.tsv:4: not a sentence's number"),
        ("HEAD\n1\t1\ta\t1\n3\t1\ta\t1", "the sentences are not numbered from 1: 2 is missing"),
        ("HEAD\n1\t1\ta\t1\n1\t3\ta\t1", r"sentence 1: its tokens are not .*: \[1, 3\]"),
    ],
)
def test_a_broken_file_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.tsv"
    head = "sentence_id\ttoken_id\ttoken\tsurprisal"
    path.write_text(text.replace("HEAD", head), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_surprisals(path)


def test_runs_are_named_after_their_folders(tmp_path: Path) -> None:
    for place in ("a/lstm/trial0", "a/lstm/seed-1", "a/rnng_seed2", "plm/0", "plain"):
        write_file(tmp_path / place / "surprisals_cls_none.tsv", [flat("a")])
    write_file(tmp_path / "plain" / "surprisals_output_gpo_adj.txt", [flat("a")])
    (tmp_path / "plain" / "notes.txt").write_text("no file of ours")
    found = sorted((run.model, len(run.files)) for run in find_runs(tmp_path))
    assert found == [
        ("a/lstm/seed-0", 1), ("a/lstm/seed-1", 1), ("a/rnng/seed-2", 1), ("plain", 2), ("plm/seed-0", 1),
    ]  # fmt: skip
    (run,) = find_runs(tmp_path / "a" / "lstm" / "trial0")
    assert run.model == "lstm/seed-0"
    assert [run.model for run in find_runs(tmp_path / "plain")] == ["plain"]


# our own suites

FRONT = "slots:\n  row: {from: item}\npredictions: bad.noun > good.noun\n"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    templates = {"one": template("one", FRONT, LINES), "two": template("two", FRONT, LINES)}
    root = make_root(tmp_path, TABLES, templates, language="zh")
    (tmp_path / "catalogue.toml").write_text('[tiny]\nversion = "1.0.0"\nconfigs = "paradigms"\n')
    build("tiny", out=tmp_path / "tiny", root=root)
    return tmp_path / "tiny"


def items(built: Path, config: str) -> pa.Table:
    return pq.read_table(next((built / config).glob("*.parquet")))


def read(table: pa.Table, path: Path) -> list[dict[str, Any]]:
    scored = score_suites([table], line_reader(read_surprisals(path), path))
    return pa.concat_tables(scored).to_pylist()  # type: ignore[no-any-return]


def sentences(good: float, bad: float) -> list[list[tuple[str, float]]]:
    return [
        flat("他 听到 了 一 首 歌曲 。", 歌曲=good),
        flat("他 听到 了 一 张 歌曲 。", 歌曲=bad),
        flat("他 养 了 一 只 白猫 。", 白猫=1.0),
        flat("他 养 了 一 条 白猫 。", 白猫=1.0),
    ]


def test_regions_are_found_by_words(built: Path, tmp_path: Path) -> None:
    path = write_file(tmp_path / "x.tsv", sentences(2.5, 4.0))
    first, second = read(items(built, "one"), path)
    assert first["terms"] == [
        {"condition": "bad", "region": "noun", "text": "歌曲 。", "surprisal": 5.0, "tokens": 2},
        {"condition": "good", "region": "noun", "text": "歌曲 。", "surprisal": 3.5, "tokens": 2},
    ]
    assert (first["decision"], second["decision"]) == (1.0, 0.5)
    assert first["logp_good"] - first["logp_bad"] == pytest.approx(first["margin"])


def test_pieces_of_words_are_put_together(built: Path, tmp_path: Path) -> None:
    """A region of several tokens, of which one reaches into the next word or the one before."""
    whole = [flat("▁他 听 到 了 一首 歌 曲 。", 歌=2.0), flat("▁他 听 到 了 一张 歌 曲。", 歌=3.0)]
    rest = [flat("他养 了一 只白 猫 。"), flat("他养 了一 条白 猫 。")]
    first, second = read(items(built, "one"), write_file(tmp_path / "x.tsv", [*whole, *rest]))
    assert [term["tokens"] for term in first["terms"]] == [2, 3]
    assert [term["surprisal"] for term in first["terms"]] == [4.0, 4.0]
    assert second["skipped"] == "no shared token boundary"
    assert second["decision"] is None


def test_other_sentences_are_told(built: Path, tmp_path: Path) -> None:
    some = sentences(1, 2)
    some[2] = flat("她 养 了 一 只 白猫 。")
    message = "sentence 3 is '她 养 了 一 只 白猫 。', the data has '他"
    with pytest.raises(InputError, match=message):
        read(items(built, "one"), write_file(tmp_path / "x.tsv", some))
    with pytest.raises(InputError, match="it has 3 sentences, the data has more"):
        read(items(built, "one"), write_file(tmp_path / "x.tsv", sentences(1, 2)[:3]))


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["score", *map(str, arguments)])


def test_command_scores_a_config_from_files(built: Path, tmp_path: Path) -> None:
    for seed, bad in ((0, 3.0), (1, 1.0)):
        folder = tmp_path / "s" / "lstm" / f"trial{seed}"
        write_file(folder / "surprisals_one.tsv", sentences(2, bad))
    done = run(built / "one", "--surprisals", tmp_path / "s", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    results = sorted((tmp_path / "out").glob("*.json"))
    found = [read_result(path) for path in results]
    assert [r.run["model"] for r in found] == ["lstm/seed-0", "lstm/seed-1"]
    assert [r.summary["overall"]["accuracy"] for r in found] == [0.75, 0.25]
    assert [r.summary["items"]["accuracy"] for r in found] == [0.75, 0.25]
    assert "all predictions of an item hold: 75.0 % of 2 items" in done.output
    told = CliRunner().invoke(main, ["report", str(tmp_path / "out"), "--by", "UID", "--group"])
    assert told.exit_code == 0
    assert "50.0" in told.output


def test_command_takes_a_file_for_each_suite_of_a_config(built: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_file(tmp_path / "s" / f"surprisals_{name}.tsv", sentences(2, 3))
    done = run(built / "all", "--surprisals", tmp_path / "s", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    (path,) = (tmp_path / "out").glob("*.json")
    assert set(read_result(path).summary["by"]["UID"]) == {"one", "two"}
    (tmp_path / "s" / "surprisals_two.tsv").rename(tmp_path / "s" / "surprisals_tow.tsv")
    done = run(built / "all", "--surprisals", tmp_path / "s", "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "no file surprisals_two.tsv (did you mean 'tow'?" in done.output


def test_arguments_that_make_no_sense_are_told(built: Path, tmp_path: Path) -> None:
    assert "takes the place of --model" in run("--surprisals", tmp_path, "--model", "x").output
    assert "name a config and a model" in run("--model", "x").output
    assert "name a config and a model" in run("x/y").output
    assert "is of one config" in run("--surprisals", tmp_path).output


Write = Callable[[list[list[str]], Path], None]


def bits(word: str) -> float:
    """The surprisal that every model here gives to a word."""
    return 1.5 + len(word) + sum(map(ord, word)) % 7 / 8


def columns(sentences: list[list[str]], path: Path) -> None:
    rows = [[(word, bits(word)) for word in words] for words in sentences]
    write_file(path.with_suffix(".tsv"), rows)


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


@pytest.mark.parametrize("none", ["NA", "nan", ""])
@pytest.mark.parametrize("start", ["", "<s> "])
def test_first_tokens_may_lack_their_surprisal(few: Path, none: str, start: str) -> None:
    table = pq.read_table(next(Path("few/fr").glob("*.parquet")))
    rows = table.to_pylist()
    rows[3]["tokens_bad"] = f"Quelques {rows[3]['tokens_bad']}"
    pairs = pa.Table.from_pylist(rows, table.schema)
    write_tables(Path("other"), {"fr": pairs})
    found = sentences_of(open_items("other/fr"))
    sentences = [(start + s.tokens).split(" ") for item in found for s in item]
    path = Path("few/surprisals_fr.tsv")
    columns(sentences, path.with_suffix(""))
    cells = [line.split("\t") for line in path.read_text().splitlines()]
    for row in cells[1:]:
        row[3] = none if row[1] == "1" else row[3]
    path.write_text("\n".join("\t".join(row) for row in cells))
    (result,) = score_surprisals("other/fr", "few")
    margins = [margin if n != 3 or start else None for n, margin in enumerate(wanted(pairs))]
    assert result.table["margin"].to_pylist() == pytest.approx(margins)
    reasons = result.summary["overall"]["skipped"]
    assert reasons == ({} if start else {"no surprisal of the first word": 1})
    assert ("first:none" in result.signature) == (not start)


def test_regions_without_the_first_word_are_scored(built: Path, tmp_path: Path) -> None:
    lines = sentences(1.0, 2.0)
    bare = [[("他", float("nan")), *line[1:]] for line in lines]
    rows, others = (
        read(items(built, "one"), write_file(tmp_path / "x.tsv", some)) for some in (bare, lines)
    )
    assert [row["decision"] for row in rows] == [row["decision"] for row in others]


def test_links_of_folders_to_themselves_are_not_followed(tmp_path: Path) -> None:
    write_file(tmp_path / "model" / "surprisals_x.tsv", [flat("a")])
    for name in ("one", "two"):
        (tmp_path / "model" / name).symlink_to(tmp_path / "model")
    assert [run.model for run in find_runs(tmp_path)] == ["model"]


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
