"""Pairs and masked models: pseudo-log-likelihood, and the critical word masked."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from transformers import FNetConfig, FNetForMaskedLM

from masked_models import (
    KINDS,
    PAIRS,
    POSITIONS,
    loaded,
    log_probs,
    pairs,
    plain_focus,
    plain_pll,
    reader,
    shown,
)
from solecism.scoring.encoding import critical_words
from solecism.scoring.engines.masked import MaskedReader, open_masked
from solecism.scoring.methods.masked import score_focus, score_pll
from solecism.scoring.normalise import estimate_unigram
from solecism.scoring.questions import MaskedRow

VARIANTS = ("original", "within_word_l2r")


def pll(kind: str, table: pa.Table | None = None, **options: Any) -> pa.Table:
    some = [pairs() if table is None else table]
    return pa.concat_tables(score_pll(some, reader(kind), **options))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", KINDS)
def test_pll_equals_the_plain_loop(kind: str, variant: Any) -> None:
    table = pll(kind, variant=variant)
    for side, texts in (("good", [p[0] for p in PAIRS]), ("bad", [p[1] for p in PAIRS])):
        wanted = [plain_pll(loaded(kind), text, variant) for text in texts]
        np.testing.assert_allclose(shown(table, f"logp_{side}"), wanted, atol=1e-4, rtol=1e-6)
        own = [len(loaded(kind).tokenizer(text)["input_ids"]) - 2 for text in texts]
        assert table[f"tokens_{side}"].to_pylist() == own
        assert table[f"bytes_{side}"].to_pylist() == [len(text.encode()) for text in texts]
    assert table["method"].unique().to_pylist() == [f"pll:{variant}"]


@pytest.mark.parametrize("kind", KINDS)
def test_positions_are_used_to_the_last(kind: str) -> None:
    model = loaded(kind)
    assert reader(kind).longest == POSITIONS
    text = "author" + " author" * POSITIONS
    while len(model.tokenizer(text)["input_ids"]) > POSITIONS:
        text = text.removesuffix(" author")
    longer = text + " author"
    scores = pll(kind, pairs([(text, text, *[None] * 3), (text, longer, *[None] * 3)]))
    assert scores["skipped"].to_pylist() == [None, "too long"]
    wanted = plain_pll(model, text, "within_word_l2r")
    assert scores["logp_good"][0].as_py() == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_lengths_and_unigrams(kind: str, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n".join(p[0] for p in PAIRS), encoding="utf-8")
    unigram = estimate_unigram(text, reader(kind))
    found = pll(kind, unigram=unigram).to_pylist()
    for row, pair in zip(found, PAIRS, strict=True):
        for side, sentence in (("good", pair[0]), ("bad", pair[1])):
            ids = loaded(kind).tokenizer(sentence, add_special_tokens=False)["input_ids"]
            assert row[f"unigram_{side}"] == pytest.approx(unigram.logp[ids].sum())
            assert row[f"chars_{side}"] == len(sentence)


SEVERAL = "several words differ"


def focus(kind: str, table: pa.Table | None = None, **options: Any) -> pa.Table:
    return pa.concat_tables(
        score_focus([pairs() if table is None else table], reader(kind), **options)
    )


def words() -> list[tuple[str, str, int]]:
    """Both sides: text, critical word and its place; the last pair has none."""
    found = [pair for pair in critical_words(pairs()) if pair]
    sides = [(p.good, p.good_at) for p in found] + [(p.bad, p.bad_at) for p in found]
    return [(text, text[a:b], a) for text, (a, b) in sides]


@pytest.mark.parametrize("kind", KINDS)
def test_focus_equals_the_plain_loop(kind: str) -> None:
    table = focus(kind)
    plain = [plain_focus(loaded(kind), *word) for word in words()]
    wanted = np.array([np.nan if p is None else p for p in plain]).reshape(2, -1)
    wanted[:, np.isnan(wanted).any(0)] = np.nan
    found = np.array([shown(table, "logp_good"), shown(table, "logp_bad")])[:, :-1]
    assert np.isfinite(found).sum() >= 8
    np.testing.assert_allclose(found, wanted, atol=1e-4, rtol=0)
    assert table["method"].unique().to_pylist() == ["focus"]
    reasons = table["skipped"].to_pylist()
    assert (reasons[9], reasons[-1]) == ("multi-piece", SEVERAL)
    assert set(reasons) <= {None, SEVERAL, "multi-piece"}
    scored = table.filter(pa.array([reason is None for reason in reasons]))
    assert set(scored["tokens_good"].to_pylist()) == {1}


@pytest.mark.parametrize("kind", KINDS)
def test_words_of_several_tokens_as_spans(kind: str) -> None:
    model, table = loaded(kind), focus(kind, multi_piece="pll")
    tokenizer = model.tokenizer
    assert table["method"][0].as_py() == "focus:pll"
    text, word = PAIRS[9][0], "extraordinarily"
    found = tokenizer(text, return_offsets_mapping=True)
    ids, begin = found["input_ids"], text.index(word)
    inside = [
        n
        for n, (a, b) in enumerate(found["offset_mapping"])
        if b >= begin and a < begin + len(word) and n not in (0, len(ids) - 1)
    ]
    total = 0.0
    for n in inside:
        masked = [tokenizer.mask_token_id if n <= m <= inside[-1] else i for m, i in enumerate(ids)]
        total += log_probs(model, masked, n)[ids[n]].item()
    assert table["tokens_good"][9].as_py() == len(inside) > 1
    assert table["logp_good"][9].as_py() == pytest.approx(total, abs=1e-4)
    single, spans = focus(kind), shown(table, "logp_good")
    same = np.isfinite(shown(single, "logp_good"))
    np.testing.assert_allclose(spans[same], shown(single, "logp_good")[same], atol=1e-4)


def test_unknown_words_and_long_sentences_are_skipped() -> None:
    text = "The author " + "near the pilots " * 30
    unknown = ("The author 笑.", "The author 哭.", "The author", "笑", "哭")
    table = pairs([unknown, (text + "laughs.", text + "laugh.", None, None, None)])
    assert focus("bert", table)["skipped"].to_pylist() == ["unknown word", "too long"]


def rows(count: int) -> list[MaskedRow]:
    tokenizer = loaded("bert").tokenizer
    plain = [i for i in range(len(tokenizer)) if i not in tokenizer.all_special_ids]
    return [
        MaskedRow(tuple(plain[(3 * n + m) % len(plain)] for m in range(3 + n % 5)), n % 3)
        for n in range(count)
    ]


def test_batches_halve_when_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    forward, sizes, plain = open_masked(loaded("bert")), [], MaskedReader.__call__
    wanted = {n: forward([row])[0] for n, row in enumerate(rows(20))}

    def small(self: MaskedReader, batch: Any) -> torch.Tensor:
        sizes.append(len(batch))
        if len(batch) > 3:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return plain(self, batch)

    monkeypatch.setattr(MaskedReader, "__call__", small)
    found = list(forward.run(rows(20), str))
    assert sizes[:4] == [20, 10, 5, 2]
    assert max(sizes[4:]) == 2
    assert sorted(n for batch in found for n in batch.rows) == list(range(20))
    for batch in found:
        for n, logits in zip(batch.rows, batch.logits, strict=True):
            torch.testing.assert_close(logits, wanted[n], atol=1e-4, rtol=0)


def test_a_model_that_padding_changes() -> None:
    model = loaded("bert")
    torch.manual_seed(3)
    config = FNetConfig(
        vocab_size=len(model.tokenizer), hidden_size=32, num_hidden_layers=2, intermediate_size=64,
        initializer_range=0.5,
    )  # fmt: skip
    fourier = replace(model, model=FNetForMaskedLM(config).eval())
    forward = open_masked(fourier)
    assert not forward.pads
    for batch in forward.run(rows(20), str):
        for n, logits in zip(batch.rows, batch.logits, strict=True):
            row = rows(20)[n]
            with torch.inference_mode():
                wanted = fourier.model(input_ids=torch.tensor([list(row.ids)])).logits
            torch.testing.assert_close(logits, wanted[0, row.position], atol=1e-4, rtol=1e-4)


CRITICAL = [
    ("Susan saw herself.", "Susan saw themselves.", "herself", "themselves"),
    ("Who laughs?", "What laughs?", "Who", "What"),
    ("He said « oui ».", "He said « non ».", "oui", "non"),
    ("She (laughs) now.", "She (laugh) now.", "laughs", "laugh"),
    ("« Rit », dit-il.", "« Rient », dit-il.", "Rit", "Rient"),
    ("A b c.", "A c b.", None, None),
    ("A b c.", "A b.", None, None),
    ("Same.", "Same.", None, None),
]


@pytest.mark.parametrize(("good", "bad", "one", "other"), CRITICAL)
def test_critical_words_from_the_sentences(
    good: str, bad: str, one: str | None, other: str | None
) -> None:
    (found,) = critical_words(pairs([(good, bad, None, None, None)]))
    if one is None:
        assert found is None
    else:
        assert found is not None
        assert (good[slice(*found.good_at)], bad[slice(*found.bad_at)]) == (one, other)
