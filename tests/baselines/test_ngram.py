"""N-gram models: Kneser-Ney by hand, by plain loops and by kenlm; ARPA files; the scores of
pairs."""

import gzip
import math
import random
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from solecism.baselines.corpus import BOS, EOS, UNK, Wording, frequent_words, held_out, read_lines
from solecism.baselines.ngram import (
    NgramModel,
    estimate,
    load_ngram,
    ngram_revision,
    save_ngram,
)
from solecism.errors import InputError
from solecism.scoring.methods.sentence import score_ngram

_TEXTS = ("a b", "a")


def random_texts(seed: int, number: int = 300, words: int = 12) -> list[str]:
    """Sentences of Zipf-like words, which have counts of 1, 2, 3 and 4."""
    rng = random.Random(seed)
    names = [chr(ord("a") + i) for i in range(words)]
    weights = [1 / (i + 1) for i in range(words)]
    return [" ".join(rng.choices(names, weights, k=rng.randint(1, 9))) for _ in range(number)]


def model_of(texts: list[str] | tuple[str, ...], order: int, **options: object) -> NgramModel:
    return estimate(pa.array(list(texts)), order, **options)  # type: ignore[arg-type]


def probability(model: NgramModel, history: tuple[str, ...], word: str) -> float:
    """P(word | history), through the same arrays as sentences."""
    ids = np.array([model.words.index(w) for w in (*history, word)])
    return float(np.exp(model.word_logp(ids)[-1]))


# Estimation


def test_a_bigram_model_worked_out_by_hand():
    model = model_of(_TEXTS, 2)
    unigram = {"a": 0.25, "b": 0.25, EOS: 0.375, UNK: 0.125}
    assert {w: probability(model, (), w) for w in unigram} == pytest.approx(unigram)
    bigrams = {
        (BOS, "a"): 0.625, ("a", "b"): 0.375, ("a", EOS): 0.4375, ("b", EOS): 0.6875,
        ("a", "a"): 0.125, ("a", UNK): 0.0625,
    }  # fmt: skip
    assert {k: probability(model, k[:1], k[1]) for k in bigrams} == pytest.approx(bigrams)
    wanted = math.log(0.625 * 0.375 * 0.6875), math.log(0.625 * 0.4375)
    assert model.sentence_logp(pa.array(_TEXTS)) == pytest.approx(np.array(wanted))
    # per word, the ends of sentences counted
    assert model.perplexity(pa.array(_TEXTS)) == pytest.approx(math.exp(-sum(wanted) / 5))


class Reference:
    """The same estimate with dictionaries and loops, straight from the formulas."""

    def __init__(self, texts: list[str], order: int) -> None:
        self.order = order
        self.raw: Counter[tuple[str, ...]] = Counter()
        for text in texts:
            words = [BOS, *text.split(), EOS]
            for n in range(1, order + 1):
                self.raw.update(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
        self.words = {gram[0] for gram in self.raw if len(gram) == 1} - {BOS} | {UNK}
        before = defaultdict(set)
        for gram in self.raw:
            before[gram[1:]].add(gram[0])
        self.counts = {
            gram: count if len(gram) == order or gram[0] == BOS else len(before[gram])
            for gram, count in self.raw.items()
            if gram != (BOS,)
        }
        self.taken = {n: self._discounts(n) for n in range(1, order + 1)}
        self.after = defaultdict(list)
        for gram in self.counts:
            self.after[gram[:-1]].append(gram)

    def _discounts(self, n: int) -> tuple[float, ...]:
        times = Counter(count for gram, count in self.counts.items() if len(gram) == n)
        if not all(times[k] for k in (1, 2, 3)):
            return 0.5, 1.0, 1.5
        part = times[1] / (times[1] + 2 * times[2])
        found = tuple(k - (k + 1) * part * times[k + 1] / times[k] for k in (1, 2, 3))
        return found if all(0 <= d <= k for k, d in enumerate(found, 1)) else (0.5, 1.0, 1.5)

    def _taken(self, gram: tuple[str, ...]) -> float:
        return self.taken[len(gram)][min(self.counts[gram], 3) - 1]

    def probability(self, history: tuple[str, ...], word: str) -> float:
        history = history[max(0, len(history) - self.order + 1) :]
        lower = self.probability(history[1:], word) if history else 1 / len(self.words)
        listed = self.after[history]
        if not listed:
            return lower
        total = sum(self.counts[gram] for gram in listed)
        left = sum(self._taken(gram) for gram in listed) / total
        gram = (*history, word)
        own = self.counts[gram] - self._taken(gram) if gram in self.counts else 0.0
        return own / total + left * lower


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", [0, 1])
def test_estimates_equal_plain_loops(order: int, seed: int):
    texts = random_texts(seed)
    model, reference = model_of(texts, order), Reference(texts, order)
    rng = random.Random(seed)
    words = [word for word in model.words if word not in (BOS, EOS)]
    for _ in range(300):
        start = rng.choice([(), (BOS,)])
        history = (*start, *rng.choices(words, k=rng.randint(0, 4)))
        word = rng.choice([*words, EOS])
        wanted = reference.probability(history, word)
        assert probability(model, history, word) == pytest.approx(wanted, rel=1e-9)


def test_the_vocabulary_is_cut_by_frequency_and_ties_stand_in_order():
    model = model_of(["b a a c", "a b"], 2, vocabulary=2)
    assert model.words == (UNK, BOS, EOS, "a", "b")
    assert frequent_words(pa.array(["b", "a", "c", "c", UNK]), None) == ["c", "a", "b"]
    unknown = model.sentence_logp(pa.array(["c a", "zebra a"]))
    assert unknown[0] == unknown[1]
    assert probability(model, ("a",), UNK) > probability(model_of(["b a"], 2), ("a",), UNK)


def test_an_order_beyond_the_longest_sentence_is_lowered():
    model = model_of(_TEXTS, 9)
    assert len(model.levels) == 4
    with pytest.raises(InputError, match="order 0"):
        model_of(_TEXTS, 0)


# ARPA


def same(one: NgramModel, other: NgramModel, texts: list[str]) -> bool:
    lines = pa.array(texts)
    return bool(np.allclose(one.sentence_logp(lines), other.sentence_logp(lines), atol=1e-6))


def test_kenlm_reads_our_files_and_gives_the_same_probabilities(tmp_path: Path):
    kenlm = pytest.importorskip("kenlm")
    texts = random_texts(3)
    model = model_of(texts, 4, vocabulary=10)
    save_ngram(model, tmp_path)
    other = kenlm.Model(str(tmp_path / "model.arpa"))
    lines = [*random_texts(4, 100), "zebra", "a zebra b"]
    wanted = [other.score(line, bos=True, eos=True) * math.log(10) for line in lines]
    assert model.sentence_logp(pa.array(lines)) == pytest.approx(np.array(wanted), abs=1e-5)
    for line in lines[:20]:
        stream, _ = model.stream(pa.array([line]))
        each = [score * math.log(10) for score, _, _ in other.full_scores(line)]
        assert model.word_logp(stream)[1:] == pytest.approx(np.array(each), abs=1e-5)


@pytest.mark.parametrize("name", ["m.arpa", "m.arpa.gz"])
def test_files_are_read_back_as_written(tmp_path: Path, name: str):
    texts = random_texts(5)
    model = model_of(texts, 3)
    save_ngram(model, tmp_path / "folder")
    path = tmp_path / name
    data = (tmp_path / "folder" / "model.arpa").read_bytes()
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    again = load_ngram(path)
    assert again.words == model.words
    assert [len(level) for level in again.levels] == [len(level) for level in model.levels]
    assert same(model, again, [*texts, "zebra a"])


def test_a_model_folder_remembers_how_text_is_split(tmp_path: Path):
    model = model_of(["L'auteur dort."], 2, wording=Wording(lower=True, marks=True))
    assert set(model.words) >= {"l'", "auteur", "dort", "."}
    save_ngram(model, tmp_path)
    again = load_ngram(tmp_path)
    assert again.wording == model.wording
    assert same(model, again, ["L' AUTEUR dort .", "l'auteur dort."])
    assert "Auteur" in again.vocabulary
    assert ngram_revision(tmp_path) == ngram_revision(tmp_path / "model.arpa")


_HAND = """\

\\data\\
ngram 1=4
ngram 2=2

\\1-grams:
-1.0 <UNK>
-99\t<s>\t-0.5
-0.5\ta\t-0.25
-0.3\t</s>

\\2-grams:
-0.2\t<s> a
-0.1\ta </s>

\\end\\
"""


def hand(tmp_path: Path, old: str = "", new: str = "") -> Path:
    assert old in _HAND
    path = tmp_path / "hand.arpa"
    path.write_text(_HAND.replace(old, new, 1), encoding="utf-8")
    return path


def test_files_of_other_programs_are_read(tmp_path: Path):
    model = load_ngram(hand(tmp_path))
    found = model.sentence_logp(pa.array(["a", "a a", "b"])) / math.log(10)
    wanted = [-0.2 - 0.1, -0.2 + (-0.25 - 0.5) - 0.1, (-0.5 - 1.0) - 0.3]
    assert found == pytest.approx(np.array(wanted))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\\end\\", "", "is no ARPA file"),
        ("ngram 2=2", "ngram 2=3", ":12: 2 2-grams stand here"),
        ("-0.2\t<s> a", "x\t<s> a", ":13: 'x.*is no 2-gram"),
        ("-0.2\t<s> a", "-0.2\t<s>", ":13: '-0.2\\\\t<s>' is no 2-gram"),
        ("-0.1\ta </s>", "-0.1\ta b", ":14: 'a b': a word of it is not among the 1-grams"),
        ("-0.1\ta </s>", "-0.1\t<s> a", ":14: '<s> a': it stands twice"),
        ("-0.3\t</s>", "-0.3\ta", ":10: 'a': it stands twice"),
        ("-0.2\t<s> a", "0.2\t<s> a", ":13: '<s> a': its log10 P is no number up to 0"),
        ("-0.2\t<s> a", "nan\t<s> a", ":13: '<s> a': its log10 P is no number up to 0"),
        ("-0.1\ta </s>", "-inf\ta </s>", ":14: 'a </s>': its log10 P is no number up to 0"),
        ("-99\t<s>\t-0.5", "-99\t<s>\tinf", ":8: '<s>': its back-off weight is no finite"),
    ],
)
def test_wrong_files_are_refused_with_their_line(tmp_path: Path, old: str, new: str, said: str):
    with pytest.raises(InputError, match=said):
        load_ngram(hand(tmp_path, old, new))


def test_what_is_no_model_is_refused(tmp_path: Path):
    for load in (load_ngram, ngram_revision):
        with pytest.raises(InputError, match="is no n-gram model"):
            load(tmp_path)


# Scores


def pairs_of(rows: list[tuple[str | None, str | None]]) -> pa.Table:
    """Pairs with the columns that scoring needs."""
    names = ("id", "set_id", "UID", "linguistics_term", "language")
    columns = {name: [f"{name}-{i}" for i in range(len(rows))] for name in names}
    goods, bads = [good for good, _ in rows], [bad for _, bad in rows]
    texts = {"tokens_good": goods, "tokens_bad": bads, "sentence_good": goods, "sentence_bad": bads}
    return pa.table({**columns, **{k: pa.array(v, pa.string()) for k, v in texts.items()}})


def test_pairs_are_scored_and_unknown_critical_words_skipped():
    model = model_of(["the cat runs", "the cats run", "é runs"], 3)
    rows = [
        ("the cat runs", "the cat run"), ("the cat runs", "the cat walks"),
        ("zebra runs", "zebra run"), ("é runs", "é run"), ("", "é run"), ("é run", None), (" ", ""),
    ]  # fmt: skip
    [table] = score_ngram([pairs_of(rows)], model)
    found = table.to_pylist()
    reasons = [None, "out of vocabulary", None, None, "empty", "empty", "empty"]
    assert [row["skipped"] for row in found] == reasons
    assert [row["method"] for row in found] == ["ngram"] * 7
    assert table["decision"].null_count == 4
    assert found[0]["decision"] == 1.0
    assert found[1]["logp_good"] is None
    assert (found[0]["tokens_good"], found[3]["tokens_bad"]) == (4, 3)
    assert (found[0]["bytes_good"], found[3]["bytes_good"]) == (12, 7)
    for row, (good, bad) in zip(found, rows, strict=True):
        if row["skipped"] is None:
            assert row["logp_good"] == pytest.approx(plain_score(model, good))
            assert row["logp_bad"] == pytest.approx(plain_score(model, bad))


def test_pairs_without_tokens_are_refused():
    pairs = pairs_of([("a cat", "a dog")]).drop_columns(["tokens_bad"])
    with pytest.raises(InputError, match="pairs have no column 'tokens_bad'"):
        list(score_ngram([pairs], model_of(["a cat"], 2)))


def plain_score(model: NgramModel, text: str) -> float:
    words = [BOS, *(w if w in model.words else UNK for w in text.split()), EOS]
    steps = (probability(model, tuple(words[:i]), words[i]) for i in range(1, len(words)))
    return sum(math.log(step) for step in steps)


# Text


def test_text_is_split_as_the_tokens_columns_are():
    texts = pa.array(["L'auteur, que je vois, dort.", "  two   words "])
    words = Wording(lower=True, marks=True).words(texts).to_pylist()
    assert words[0] == ["l'", "auteur", ",", "que", "je", "vois", ",", "dort", "."]
    assert Wording().words(texts).to_pylist()[1] == ["two", "words"]
    assert Wording().words(pa.array(["e\u0301"])).to_pylist() == [["é"]]


def test_lines_are_read_without_empty_ones(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffone two\r\n\n \nthree\u2028x\n".encode())
    found = read_lines([path, path])
    assert [text.split() for text in found.to_pylist()] == [["one", "two"], ["three", "x"]] * 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"one\n<s> two </s>\n", r"a.txt:2: '<s>' stands in the text"),
        (b"one \xff", r"not UTF-8 .*byte 4"),
        (b"\n \n", "no sentence in the text"),
        (None, "there is no such file"),
    ],
)
def test_wrong_text_is_refused(tmp_path: Path, data: bytes | None, said: str):
    path = tmp_path / "a.txt"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(InputError, match=said):
        read_lines([path])


def test_one_sentence_in_twenty_is_held_out_always_the_same():
    lines = pa.array([str(i) for i in range(200)])
    train, valid = held_out(lines)
    assert (len(train), len(valid)) == (190, 10)
    assert sorted(train.to_pylist() + valid.to_pylist(), key=int) == lines.to_pylist()
    assert held_out(lines)[1].equals(valid)
    assert all(int(a) < int(b) for a, b in pairwise(valid.to_pylist()))
    with pytest.raises(InputError, match="single sentence"):
        held_out(lines[:1])
