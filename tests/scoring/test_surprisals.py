"""Accuracies from files of surprisals alone, and those of Wang et al. (2021)."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from drawing import make_root, template
from release import CHECKOUT
from solecism.commands import main
from solecism.datasets.build import build
from solecism.errors import InputError
from solecism.scoring.methods.region import measured_items, score_suites
from solecism.scoring.results import read_result
from solecism.scoring.study import (
    CLASSES,
    class_accuracy,
    find_suite,
    read_sentences,
    table_rows,
    write_sentences,
)
from solecism.scoring.summary import items_right
from solecism.scoring.surprisal_files import read_surprisals
from solecism.scoring.surprisals import find_runs, line_reader

SHARED = CHECKOUT.parent / "shared" / "reference" / "mandarin"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs the data in ../shared")


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
    assert lines[1].tokens == ("a", "b")
    assert lines[1].surprisals == (1.0, 2.5)
    assert lines[2].tokens == ('"',)


@pytest.mark.parametrize(
    ("first", "last"), [("<s>", "</s>"), ("<|endoftext|>", "<eos>"), ("[CLS]", "[SEP]")]
)
def test_marks_of_the_ends_of_sentences_are_left_out(tmp_path: Path, first: str, last: str) -> None:
    path = write_file(tmp_path / "x.tsv", [flat(f"{first} a 。 {last}")])
    assert read_surprisals(path)[1].tokens == ("a", "。")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sentence_id\ttoken\tsurprisal\n1\ta\t1", "x.tsv:1: has no column token_id"),
        ("", "x.tsv:1: has no column sentence_id"),
        ("HEAD\n1\t1\ta\tnan", "x.tsv:2: not a sentence's number"),
        ("HEAD\n1\t1\ta\tinf", "x.tsv:2: not a sentence's number"),
        ("HEAD\n1\t1\ta\t1\n1\tx\ta\t1\n1\t1", "x.tsv:4: not a sentence's number"),
        ("HEAD\n1\t1\ta\t1\n3\t1\ta\t1", "the sentences are not numbered from 1: 2 is missing"),
        ("HEAD\n1\t1\ta\t1\n1\t3\ta\t1", r"sentence 1: its tokens are not .*: \[1, 3\]"),
        ("HEAD\n1\t1\ta\t1\n1\t1\ta\t1", r"sentence 1: its tokens are not .*: \[1, 1\]"),
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
    found = sorted((run.model, run.seed, sorted(run.files)) for run in find_runs(tmp_path))
    assert found == [
        ("a/lstm", "0", ["cls_none"]),
        ("a/lstm", "1", ["cls_none"]),
        ("a/rnng", "2", ["cls_none"]),
        ("plain", "", ["cls_none", "gpo_adj"]),
        ("plm", "0", ["cls_none"]),
    ]
    (run,) = find_runs(tmp_path / "a" / "lstm" / "trial0")
    assert (run.model, run.seed) == ("lstm", "0")
    assert [run.model for run in find_runs(tmp_path / "plain")] == ["plain"]


def test_two_files_of_a_suite_are_told(tmp_path: Path) -> None:
    write_file(tmp_path / "surprisals_cls_none.tsv", [flat("a")])
    write_file(tmp_path / "surprisals_output_cls_none.txt", [flat("a")])
    with pytest.raises(InputError, match=r"is of the same suite as surprisals_cls_none.tsv"):
        find_runs(tmp_path)
    with pytest.raises(InputError, match=r"holds no file surprisals_SUITE.tsv"):
        find_runs(tmp_path.parent / "nothing")


# our own suites

TABLES = {
    "item": """
        lemma  UPOS  Verb  Good  Bad  Noun
        i2     X     听到  首    张   歌曲
        i1     X     养    只    条   白猫
    """,
    "orthography": """
        rule   left  right  result
        space  -     -      no
    """,
}
FRONT = "slots:\n  row: {from: item}\npredictions: bad.noun > good.noun\n"
LINES = """
good: 他 {{ row.Verb }} 了 一 {{ row.Good }} [noun: {{ row.Noun }} 。]
bad: 他 {{ row.Verb }} 了 一 {{ row.Bad }} [noun: {{ row.Noun }} 。]
"""


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


def test_unknown_words_of_a_model_do_no_harm(built: Path, tmp_path: Path) -> None:
    some = sentences(2.0, 1.0)
    some[0][5], some[1][1] = ("<unk>", 2.0), ("UNK-CHN", 9.0)
    first, _ = read(items(built, "one"), write_file(tmp_path / "x.tsv", some))
    assert first["decision"] == 0.0


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
    with pytest.raises(
        InputError, match="sentence 3 is '她 养 了 一 只 白猫 。', the data has '他"
    ):
        read(items(built, "one"), write_file(tmp_path / "x.tsv", some))
    with pytest.raises(InputError, match="it has 3 sentences, the data has more"):
        read(items(built, "one"), write_file(tmp_path / "x.tsv", sentences(1, 2)[:3]))


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["score", *map(str, arguments)])


def test_command_scores_a_config_from_files(built: Path, tmp_path: Path) -> None:
    for seed, bad in ((0, 3.0), (1, 1.0)):
        write_file(
            tmp_path / "s" / "lstm" / f"trial{seed}" / "surprisals_one.tsv", sentences(2, bad)
        )
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
    assert "no file surprisals_two.tsv or .jsonl (did you mean 'tow'?" in done.output


def test_arguments_that_make_no_sense_are_told(built: Path, tmp_path: Path) -> None:
    assert "takes the place of --model" in run("--surprisals", tmp_path, "--model", "x").output
    assert "name a config and a model" in run("--model", "x").output
    assert "name a config and a model" in run("x/y").output


def test_no_model_is_loaded(tmp_path: Path) -> None:
    """torch is not imported."""
    write_file(tmp_path / "surprisals_sd_none.tsv", [flat("a 。"), flat("b 。")])
    code = (
        "import sys; from solecism.commands import main\n"
        "try: main(sys.argv[1:])\nfinally: print('torch' in sys.modules)"
    )
    arguments = ["score", "--surprisals", str(tmp_path), "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("False\n")


# the study


def sentence(words: str, place: int, bits: float) -> list[tuple[str, float]]:
    """A sentence whose word at ``place`` has these bits, and one bit for each of the others."""
    out = flat(words)
    out[place] = (out[place][0], bits)
    return out


CRITERIA = [
    ("gpo_none", "他 离开 了 那 间 朋友 开 的 工厂 。", "他 离开 了 那 个 朋友 开 的 工厂 。", 6, (0, 1)),
    ("gps_obj", "那 间 我 爱 的 人 开 的 厂 关 了 。", "那 个 我 爱 的 人 开 的 厂 关 了 。", 7, (0, 1)),
    ("vo_adj", "我 修理 了 这 个 新 的 电脑 。", "我 阅读 了 这 个 新 的 电脑 。", 7, (0, 1)),
    ("vo_none", "我 修理 了 这 个 电脑 。", "我 阅读 了 这 个 电脑 。", 6, (0, 1)),
    ("sd_none", "如果 他 不 去 ， 我 走 。", "如果 他 不 去 。", -1, (0, 1)),
    ("mobj_subh", "记者 采访 了 。", "记者 采访 了 他 。", -1, (1, 0)),
]  # fmt: skip
"""A suite, the two sentences of an item in the order of its file, the place of the target word in
both, and which of the two should be less surprising there."""


@pytest.mark.parametrize(("name", "first", "second", "place", "order"), CRITERIA)
def test_the_target_and_the_order_of_each_class(
    tmp_path: Path, name: str, first: str, second: str, place: int, order: tuple[int, int]
) -> None:
    """One item as predicted, one the other way round, two with a difference only beside the
    target."""
    texts, (less, more) = (first, second), order
    told = []
    for raised in (more, less):
        told += [sentence(text, place, 2.0 if n == raised else 1.0) for n, text in enumerate(texts)]
    for number in (1, 2):
        told += [sentence(text, 0, 5.0 + number * (n == more)) for n, text in enumerate(texts)]
    write_file(tmp_path / "m" / f"surprisals_{name}.tsv", told)
    assert told_json(tmp_path / "m")["m"]["suites"][name]["by_seed"] == [1 / 4]


def told_json(folder: Path, out: Path | None = None) -> dict[str, Any]:
    done = run("--surprisals", folder, "--out", out or folder / "out", "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["models"]  # type: ignore[no-any-return]


def test_classifiers_have_four_comparisons(tmp_path: Path) -> None:
    """Over two items: b > a, d > c, d > a, b > c hold of (a 1, b 2, c 1, d 2) and 3 of 4 of the
    second."""
    texts = ["有 一 首 歌 。", "有 一 张 歌 。", "有 一 张 画 。", "有 一 首 画 。"]
    told = [sentence(text, 3, b) for text, b in zip(texts, (1, 2, 1, 2), strict=True)]
    told += [sentence(text, 3, b) for text, b in zip(texts, (1, 3, 2.5, 2), strict=True)]
    write_file(tmp_path / "m" / "surprisals_cls_adj.tsv", told)
    found = told_json(tmp_path / "m")["m"]
    assert found["suites"]["cls_adj"]["accuracy"] == 7 / 8
    assert found["suites"]["cls_adj"]["all_hold"] == 1 / 2
    assert found["classes"] == {"classifier–noun": 7 / 8}


def test_ties_are_failures_but_of_ngrams(tmp_path: Path) -> None:
    told = [flat("如果 他 去 ， 我 走 。"), flat("如果 他 去 。")]
    for model in ("lstm", "ngram_outputs"):
        write_file(tmp_path / model / "trial0" / "surprisals_sd_adj.tsv", told)
    found = told_json(tmp_path)
    assert {m: f["suites"]["sd_adj"]["accuracy"] for m, f in found.items()} == {
        "lstm": 0.0, "ngram_outputs": 0.5,
    }  # fmt: skip
    assert {f["ties"] for f in found.values()} == {1}


def test_suites_that_table_2_has_not_are_left_out(tmp_path: Path) -> None:
    told = [flat("a 。"), flat("b 。")]
    for name in ("sd_none", "sd_none_pp", "gps_adj_pp", "other"):
        write_file(tmp_path / "m" / f"surprisals_{name}.tsv", told)
    done = run("--surprisals", tmp_path / "m", "--out", tmp_path / "out")
    assert "left out: gps_adj_pp, other, sd_none_pp" in " ".join(done.output.split())
    assert all(len(line) <= 80 for line in done.output.splitlines() if "written" not in line)


@pytest.mark.parametrize(
    ("name", "told", "message"),
    [
        ("sd_none", [flat("a 。")], "has 1 sentences; the items of sd_none have 2 each"),
        ("cls_none", [flat("a 。")] * 6, "has 6 sentences; the items of cls_none have 4 each"),
        (
            "gps_none",
            [flat("a 的 。"), flat("b 。")],
            "surprisals_gps_none.tsv:2: 'b 。' has no '的'",
        ),
        ("gpo_none", [flat("a b 。")] * 2, "'a b 。' has only 3 words"),
    ],
)
def test_files_that_are_no_whole_items_are_told(
    tmp_path: Path, name: str, told: Any, message: str
) -> None:
    write_file(tmp_path / f"surprisals_{name}.tsv", told)
    done = run("--surprisals", tmp_path, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert message in done.output
    done = run("--surprisals", CHECKOUT / "docs", "--out", tmp_path / "out")
    assert "holds no file surprisals_SUITE.tsv" in done.output


def test_seeds_and_suites_are_averaged_as_in_table_6() -> None:
    halves = {"sd_none": [Fraction(1, 2), Fraction(1)], "sd_adj": [Fraction(1, 4), Fraction(3, 4)]}
    found = class_accuracy({**halves, "sd_x": [Fraction(0)], "vo_sub": [Fraction(1, 3)]})
    assert found == {"verb–noun": Fraction(1, 3), "subordination": Fraction(5, 8)}
    (row,) = table_rows(
        {"rnng": {"verb–noun": Fraction(201, 240), "missing object": Fraction(1, 3)}}
    )
    assert row == ("rnng", "-", "-", "-", "0.838", "0.333", "-")
    (row,) = table_rows({"x": {"subordination": Fraction(219, 240)}})
    assert row[-1] == "0.913"


def test_the_24_suites() -> None:
    names = [f"{name}_{m}" for name, kind in CLASSES.items() for m in kind.modifiers]
    assert len(names) == 24
    suites = [find_suite(name) for name in names]
    assert all(suite and suite.counted for suite in suites)
    assert find_suite("cls") is None
    assert find_suite("other_none") is None


# the published files


def published() -> dict[str, dict[int, list[tuple[str, float]]]]:
    """The sentences of each suite, read with nothing of ours."""
    found: dict[str, dict[int, list[tuple[str, float]]]] = {}
    for path in sorted((SHARED / "surprisals").glob("*.tsv")):
        sentences: dict[int, list[tuple[str, float]]] = defaultdict(list)
        with path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                sentences[int(row["sentence_id"])].append((row["token"], float(row["surprisal"])))
        found[path.stem.removeprefix("surprisals_")] = sentences
    return found


def by_hand(name: str, sentences: dict[int, list[tuple[str, float]]]) -> tuple[Fraction, Fraction]:
    """Accuracy and share of items of which all comparisons hold, by the words of section 3.2.

    Classifiers: noun and period; (b) > (a), (d) > (c), (d) > (a), (b) > (c). Missing object: the
    period is more surprising without the object; the files have the sentence without it first.
    """
    ordered = [sentences[number] for number in sorted(sentences)]
    held: list[list[bool]] = []
    if name.startswith("cls"):
        for start in range(0, len(ordered), 4):
            a, b, c, d = (sum(v for _, v in words[-2:]) for words in ordered[start : start + 4])
            held.append([b > a, d > c, d > a, b > c])
    else:
        for start in range(0, len(ordered), 2):
            without, with_object = ordered[start : start + 2]
            assert len(without) < len(with_object)
            held.append([without[-1][1] > with_object[-1][1]])
    comparisons = [one for item in held for one in item]
    return (
        Fraction(sum(comparisons), len(comparisons)),
        Fraction(sum(all(item) for item in held), len(held)),
    )


@needs_shared
def test_published_accuracies_are_those_computed_by_hand(tmp_path: Path) -> None:
    found = told_json(SHARED / "surprisals", tmp_path / "out")["surprisals"]
    wanted = {name: by_hand(name, sentences) for name, sentences in published().items()}
    assert len(wanted) == 8
    assert found["ties"] == 0
    for name, (accuracy, whole) in wanted.items():
        assert found["suites"][name]["accuracy"] == float(accuracy)
        assert found["suites"][name]["all_hold"] == float(whole)
    classes = {
        "classifier–noun": sum(v for n, (v, _) in wanted.items() if n.startswith("cls")) / 4,
        "missing object": sum(v for n, (v, _) in wanted.items() if n.startswith("mobj")) / 4,
    }
    assert found["classes"] == {name: float(value) for name, value in classes.items()}
    assert [f"{value:.3f}" for value in found["classes"].values()] == ["0.617", "0.808"]


@needs_shared
def test_published_accuracies_stand_in_the_result(tmp_path: Path) -> None:
    told_json(SHARED / "surprisals", tmp_path / "out")
    (path,) = (tmp_path / "out").glob("*.json")
    result = read_result(path)
    for name, sentences in published().items():
        accuracy, _ = by_hand(name, sentences)
        assert result.summary["by"]["UID"][name]["accuracy"] == pytest.approx(float(accuracy))
    assert result.summary["rows"] == 4 * 30 * 4 + 4 * 30
    assert result.summary["items"]["n"] == 8 * 30
    whole = sum(30 * by_hand(name, found)[1] for name, found in published().items())
    assert items_right(path).right == float(whole)


@needs_shared
@pytest.mark.parametrize("name", ["cls_none", "cls_adj", "mobj_none", "mobj_subh"])
def test_published_texts_and_surprisals_go_together(tmp_path: Path, name: str) -> None:
    (path,) = SHARED.glob(f"test_suites/*/{name}_txt.txt")
    table = read_sentences(path)
    surprisals = SHARED / "surprisals" / f"surprisals_{name}.tsv"
    reader = line_reader(read_surprisals(surprisals), surprisals)
    for item, measured in measured_items(table.to_pylist(), reader):
        for condition, found in zip(item["conditions"], measured, strict=True):
            assert found.regions[0].text.replace(" ", "") == condition["regions"][0]["text"]
            assert found.regions[0].surprisal is not None
    write_sentences(table.to_pylist(), tmp_path / f"{name}_txt.txt")
    assert read_sentences(tmp_path / f"{name}_txt.txt").equals(table)
    assert (tmp_path / f"{name}_txt.txt").read_text().split() == path.read_text().split()


def test_a_text_is_named_after_its_suite(tmp_path: Path) -> None:
    path = tmp_path / "clz_none_txt.txt"
    path.write_text("a 。\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"'clz_none' is not called after a class .*mean 'cls'"):
        read_sentences(path)
