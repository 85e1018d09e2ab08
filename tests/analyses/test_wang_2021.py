"""The suites of Wang et al. (2021): targets, criteria, and Table 6."""

from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="needs the extra `analysis`")

from solecism.analyses.mandarin import analyse_mandarin
from solecism.analyses.wang_2021 import (
    CLASSES,
    find_suite,
    read_sentences,
    score_study,
    write_sentences,
)
from solecism.errors import InputError

Told = list[tuple[str, float]]


def write_file(path: Path, sentences: Sequence[Told]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["sentence_id\ttoken_id\ttoken\tsurprisal"]
    for number, sentence in enumerate(sentences, 1):
        lines += [f"{number}\t{n}\t{token}\t{bits}" for n, (token, bits) in enumerate(sentence, 1)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def flat(text: str) -> Told:
    return [(word, 1.0) for word in text.split()]


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
    (result,) = score_study(tmp_path / "m", tmp_path / "out")
    assert result.table["decision"].to_pylist() == [1.0, 0.0, 0.5, 0.5]


def test_table_6(tmp_path: Path) -> None:
    """Means over suites of means over seeds; a tie is a failure, of an n-gram model one half."""
    told = {"good": (1, 2), "bad": (2, 1), "tie": (1, 1)}
    made = {
        "lstm": (("sd_none", "good", "bad"), ("sd_adj", "good", "good"), ("sd_obj", "tie", "tie")),
        "ngram": (
            ("sd_none", "good", "good"),
            ("sd_adj", "tie", "tie"),
            ("sd_obj_pp", "tie", "tie"),
        ),
    }
    texts = ("如果 他 去 ， 我 走 。", "如果 他 去 。")
    for model, suites in made.items():
        for name, *seeds in suites:
            for seed, kind in enumerate(seeds):
                both = [sentence(t, -1, b) for t, b in zip(texts, told[kind], strict=True)]
                write_file(tmp_path / "s" / model / f"trial{seed}" / f"surprisals_{name}.tsv", both)
    results = score_study(tmp_path / "s", tmp_path / "out")
    assert len(results) == 4
    accuracies = analyse_mandarin(results)[0].table.set_index("model")
    assert accuracies["subord."].to_dict() == {"lstm": (0.5 + 1 + 0) / 3, "ngram": (1 + 0.5) / 2}


BROKEN = [
    ("sd_none", [flat("a 。")], "has 1 sentences; the items of sd_none have 2 each"),
    ("gps_none", [flat("a 的 。"), flat("b 。")], "surprisals_gps_none.tsv:2: .* has no"),
    ("gpo_none", [flat("a b 。")] * 2, "has only 3 words"),
    ("other", [flat("a 。")], "no file is called after a suite"),
]


@pytest.mark.parametrize(("name", "told", "message"), BROKEN)
def test_files_that_are_no_whole_items_are_told(
    tmp_path: Path, name: str, told: Sequence[Told], message: str
) -> None:
    write_file(tmp_path / f"surprisals_{name}.tsv", told)
    with pytest.raises(InputError, match=message):
        score_study(tmp_path, tmp_path / "out")


def test_the_24_suites() -> None:
    suites = [find_suite(f"{name}_{m}") for name, kind in CLASSES.items() for m in kind.modifiers]
    assert len(suites) == 24
    assert all(suite and suite.counted for suite in suites)
    assert find_suite("cls") is find_suite("other_none") is None


def test_texts_are_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "sd_none_txt.txt"
    path.write_text("a \u3002\nb c \u3002\n", encoding="utf-8")
    table = read_sentences(path)
    write_sentences(table.to_pylist(), path)
    assert path.read_text(encoding="utf-8") == "a \u3002\nb c \u3002\n"
    with pytest.raises(InputError, match=r"'clz_none' is not called after a class .*mean 'cls'"):
        read_sentences(path.rename(tmp_path / "clz_none_txt.txt"))
