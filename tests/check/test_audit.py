"""The audit of pairs: counts by hand, the cue classifier, the readers, and released BLiMP's own
numbers."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from expecting import problems_of
from solecism.check.audit import (
    Audit,
    audit,
    audit_pairs,
    contrast,
    cue_accuracy,
    number_disagrees,
    read_pairs,
    total,
    words_of,
)
from solecism.check.heuristics import PairTexts, heuristics_of, pair_of, word_counts
from solecism.commands import main
from solecism.contrast import surplus


def audited(*sides: tuple[str, str], nouns: Mapping[str, str] = MappingProxyType({})) -> Audit:
    return audit_pairs("p", [PairTexts(*side) for side in sides], nouns)


@pytest.mark.parametrize(
    ("good", "bad", "wanted"),
    [
        ("Susan saw herself.", "Susan saw themselves.", (("herself",), ("themselves",))),
        ("Had Bruce slept?", "Bruce had slept.", (("had", "Bruce"), ("Bruce", "had"))),
        ("No dog sleeps.", "Dogs sleep.", (("no", "dog", "sleeps"), ("dogs", "sleep"))),
        ("A a b.", "A a a b.", ((), ("a",))),
    ],
)
def test_contrasts_by_hand(good: str, bad: str, wanted: tuple[tuple[str, ...], ...]) -> None:
    assert contrast(good, bad) == wanted


def test_sameness_duplicates_and_lengths() -> None:
    found = audited(("A b c.", "A b."), ("A b c.", "A b d."), ("X y.", "X y."), ("U v.", "W v z."))
    assert (found.pairs, found.same, found.duplicates) == (4, 1, 1)
    assert (found.unequal, found.good_longer) == (2, 1)
    assert found.shorter == (0 + 0.5 + 0.5 + 1) / 4
    assert found.contrasts == 4


def test_leaks_of_final_mark_and_capital() -> None:
    found = audited(
        ("Had Bruce ever played?", "Bruce had ever played."),
        ("Who did Ann see?", "Who did ann see?"),
        ("the cat sleeps.", "The cat sleep."),
        ("He said Ann left.", "Ann said he left."),
    )
    assert found.mark == 1
    assert found.capital == 2


@pytest.mark.parametrize(
    ("good", "bad", "more"),
    [
        ("They have left.", "They has left.", 0),
        ("They haven't left.", "They has left.", 1),
        ("It would please Ann.", "It wouldn't force Ann.", 1),
        ("Ann broke it.", "Ann appeared it.", 0),
    ],
)
def test_auxiliaries_that_change_more_than_the_contrast(good: str, bad: str, more: int) -> None:
    assert audited((good, bad)).more == more


def test_words_of_the_prefix_methods() -> None:
    words = ("herself", " herself", "has been", "", None)
    found = [PairTexts("A.", "B.", [word]) for word in words]
    assert audit_pairs("p", found).prefix_words == 3


NOUNS = {"cat": "Sing", "cats": "Plur", "store": "Sing", "grocery": "Sing", "stores": "Plur"}


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("Ann saw one cat and Bo saw more sad cat.", True),
        ("Ann saw this small cats.", True),
        ("These grocery store sell milk.", True),
        ("A lot of cats slept.", False),
        ("That cats sleep is known.", False),
        ("Ann saw two big sad grocery stores.", False),
    ],
)
def test_number_inside_the_good_sentence(sentence: str, wrong: bool) -> None:
    assert number_disagrees(words_of(sentence), NOUNS) is wrong


def test_a_cue_that_is_always_good_is_found() -> None:
    bags = [surplus(("only", f"w{n}"), ("even", f"w{n}")) for n in range(50)]
    assert bags[0] == (["only"], ["even"])
    assert cue_accuracy(bags) == 1.0
    assert cue_accuracy(bags, ["one contrast"] * 50) == 0.5


def test_a_balanced_cue_is_at_chance() -> None:
    both = [(["has"], ["have"]), (["have"], ["has"])] * 100
    assert cue_accuracy(both) < 0.6
    assert cue_accuracy(both, [frozenset({"has", "have"})] * 200) == 0.5
    assert cue_accuracy([([], [])] * 10) == 0.5
    assert cue_accuracy([]) == 0.5


def test_bigrams_tell_what_words_cannot() -> None:
    found = audited(*[(f"Who left Ann {n}?", f"Who Ann left {n}?") for n in range(20)])
    assert found.reordered == 20
    assert (found.cue, found.cue_bigrams) == (0.5, 1.0)


def test_the_total_adds_counts_and_takes_the_mean_of_shares() -> None:
    one, two = audited(("A b c.", "A b.")), audited(("X y.", "X y."), ("U v.", "U w."))
    both = total([one, two])
    assert (both.uid, both.pairs, both.unequal, both.same) == ("total", 3, 1, 1)
    assert both.shorter == (0 + 0.5) / 2


def test_every_format_gives_the_same_pairs(tmp_path: Path) -> None:
    (tmp_path / "clams").mkdir()
    (tmp_path / "clams/simple.txt").write_text("True\ta b\nFalse\ta c\nTrue\td e\nFalse\td f\n")
    row = {"sentence_good": "a b", "sentence_bad": "a c", "UID": "simple"}
    other = {"sentence_good": "d e", "sentence_bad": "d f", "UID": "simple"}
    text = "".join(json.dumps(r) + "\n" for r in (row, other))
    (tmp_path / "simple.jsonl").write_text(text)
    for config in ("all", "simple"):
        (tmp_path / "built" / config).mkdir(parents=True)
        path = tmp_path / "built" / config / "test-00000-of-00001.parquet"
        pq.write_table(pa.Table.from_pylist([row, other]), path)
    for path in ("clams", "simple.jsonl", "built"):
        (found,) = read_pairs([tmp_path / path]).items()
        assert found == (
            "simple",
            [PairTexts("a b", "a c", (None,) * 3, []), PairTexts("d e", "d f", (None,) * 3, [])],
        )


def test_several_languages_are_told_apart(tmp_path: Path) -> None:
    rows = [
        {"sentence_good": "a", "sentence_bad": "b", "UID": "x", "language": language}
        for language in ("en", "fr")
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    assert list(read_pairs([tmp_path])) == ["en/x", "fr/x"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", '{"sentence_good": "x"}\n', ":1: is no minimal pair: it has no sentence_bad"),
        ("a.jsonl", "{\n", ":1: is not JSON: "),
        *(
            (
                "a.jsonl",
                f'{{"sentence_good": "x", "sentence_bad": "y", {more}}}',
                ":1: is no minimal",
            )
            for more in ('"UID": []', '"language": {}', '"slots": [1]', '"features": "x"')
        ),
        ("a.txt", "False\tx\n", ":1: is not `True<tab>sentence`"),
        ("a.doc", "x\n", ": is not a folder built by"),
        ("a.csv", "x\n", ": there is no column 'sentence_good'"),
        ("a.jsonl", "", ": holds no minimal pairs: name "),
    ],
)
def test_what_holds_no_pairs_is_told(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    found = problems_of(lambda: read_pairs([tmp_path / name]), tmp_path)
    assert found[0].startswith(f"{name}{message}")


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("features", ["x"], "column 'features' is string, wanted a struct"),
        ("UID", [{"a": 1}], "is not a Parquet file that can be read: "),
        ("sentence_bad", [b"\xff"], "is not a Parquet file that can be read: "),
    ],
)
def test_odd_columns_are_told(tmp_path: Path, column: str, values: Any, message: str) -> None:
    table = pa.table({"sentence_good": ["x"], "sentence_bad": ["y"]} | {column: values})
    pq.write_table(table, tmp_path / "a.parquet")
    (told,) = problems_of(lambda: read_pairs([tmp_path / "a.parquet"]), tmp_path)
    assert told.startswith(f"a.parquet: {message}")


def test_a_sentence_says_what_to_make_of_each_finding(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        "".join(
            json.dumps({"sentence_good": f"Dog {n} runs fast", "sentence_bad": f"Dog {n} run."})
            + "\n"
            for n in range(40)
        )
    )
    printed = " ".join(
        CliRunner().invoke(main, ["audit", str(tmp_path / "a.jsonl")]).output.split()
    )
    assert "mark: leak: the final mark tells the bad sentence (a)" in printed
    assert "cue: look: the words that differ tell the label" in printed
    (tmp_path / "b.jsonl").write_text('{"sentence_good": "aa b", "sentence_bad": "ab a"}\n')
    printed = CliRunner().invoke(main, ["audit", str(tmp_path / "b.jsonl")]).output
    assert "nothing gives the labels away" in printed


def test_the_verb_prints_tables_of_80_columns_and_json(tmp_path: Path) -> None:
    path = tmp_path / "a_paradigm_with_a_very_long_name_that_is_still_whole.jsonl"
    path.write_text('{"sentence_good": "A b.", "sentence_bad": "A c."}\n')
    other = tmp_path / "b.txt"
    other.write_text("True\tthe cat sleeps\nFalse\tthe cat sleep\n")
    shown = CliRunner().invoke(main, ["audit", str(path), str(other)])
    assert shown.exit_code == 0, shown.output
    assert max(map(len, shown.output.splitlines())) <= 80
    assert "total" in shown.output
    text = CliRunner().invoke(main, ["audit", str(path), "--json"]).output
    found = json.loads(text)
    assert found["paradigms"][0]["contrasts"] == 1
    assert found["total"]["pairs"] == 1


def test_a_paradigm_is_audited_alone(tmp_path: Path) -> None:
    for name in ("agreement", "licensing"):
        (tmp_path / f"{name}.txt").write_text("True\tthe cat sleeps\nFalse\tthe cat sleep\n")
    assert [one.uid for one in audit(tmp_path / "licensing")] == ["licensing"]
    shown = CliRunner().invoke(main, ["audit", str(tmp_path / "licensing")]).output
    assert "total" not in shown
    (told,) = problems_of(lambda: audit(tmp_path / "licencing"), tmp_path)
    assert "there is no paradigm 'licencing' (did you mean 'licensing'?" in str(told)
    (told,) = problems_of(lambda: audit(tmp_path / "nowhere" / "licensing"), tmp_path)
    assert "there is no such folder or file" in str(told)
    (told,) = problems_of(lambda: audit("nowhere"), tmp_path)
    assert "there is no such folder or file" in str(told)


def agreeing(
    good: str, bad: str, *nouns: tuple[str, str], controller: int = 0
) -> dict[str, object]:
    """A row of a pair, with a slot for each noun of the good sentence, and its number."""
    slots = [
        {"lemma": noun, "upos": "NOUN", "feats": f"Animacy=Anim|Number={number}",
         "good_start": good.index(noun), "good_end": good.index(noun) + len(noun)}
        for noun, number in nouns
    ]  # fmt: skip
    lemma, number = nouns[controller]
    features = {"controller": lemma, "controller_number": number}
    texts = {"sentence_good": good, "sentence_bad": bad}
    return {**texts, "slots": slots, "features": features}


def test_heuristics_by_hand() -> None:
    """The columns are the first, the nearest and the last noun, and the shorter sentence."""
    near = agreeing(
        "The author near the guards likes the book.", "The author near the guards like the book.",
        ("author", "Sing"), ("guards", "Plur"), ("book", "Sing"),
    )  # fmt: skip
    within = agreeing(
        "Guards that the author likes rest.", "Guards that the author like rest.",
        ("Guards", "Plur"), ("author", "Sing"), controller=1,
    )  # fmt: skip
    these = agreeing(
        "Sheep saw these books.", "Sheep saw this books.",
        ("Sheep", "Plur,Sing"), ("books", "Plur"), controller=1,
    )  # fmt: skip
    of_noun = agreeing("Ann saw this book.", "Ann saw this books.", ("book", "Sing"))
    mined = {**near, "features": {"treebank": "UD_x", "frequency_good": "2", "frequency_bad": "9"}}
    for row, wanted in (
        (near, (1.0, 0.0, 1.0, 0.0)), (within, (0.0, 1.0, 1.0, 0.0)), (these, (0.5, 1.0, 1.0, 0.0)),
        (of_noun, (None, None, None, 1.0)), (mined, (None, None, None, 0.0)),
    ):  # fmt: skip
        found = heuristics_of([pair_of(row)], word_counts([pair_of(row)]))
        assert found[:4] == wanted, row
    assert found.frequent == 0.0
    both = [pair_of(near), PairTexts("We like it.", "We like it now.")]
    assert heuristics_of(both, word_counts(both)).frequent == 0.0
    assert heuristics_of(both, word_counts(both)).first_noun == 1.0
    assert heuristics_of([], {}).shorter is None


def test_heuristics_are_columns_of_the_audit(tmp_path: Path) -> None:
    path = tmp_path / "mine" / "en" / "test.parquet"
    path.parent.mkdir(parents=True)
    row = agreeing("The dogs run.", "The dogs runs.", ("dogs", "Plur"))
    pq.write_table(pa.Table.from_pylist([{**row, "UID": "simple", "language": "en"}]), path)
    (tmp_path / "plain.jsonl").write_text('{"sentence_good": "A a.", "sentence_bad": "B b b."}\n')
    done = CliRunner().invoke(main, ["audit", str(path), str(tmp_path / "plain.jsonl")])
    assert done.exit_code == 0, done.output
    rows = [line.split() for line in done.output.partition("heuristics")[2].splitlines()]
    assert ["en/simple", "1.000", "1.000", "1.000", "1.000", "0.500"] in rows
    assert ["plain", "–", "–", "–", "1.000", "–"] in rows
    assert ["total", "1.000", "1.000", "1.000", "1.000", "0.500"] in rows
