"""Pseudo-log-likelihood."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch

from masked_models import KINDS, PAIRS, POSITIONS, loaded, pairs, plain_pll, reader, shown
from solecism.scoring.engines.masked import MaskedReader
from solecism.scoring.methods.masked import score_pll
from solecism.scoring.normalise import estimate_unigram

VARIANTS = ("original", "within_word_l2r")


def pll(kind: str, table: pa.Table | None = None, **options: Any) -> pa.Table:
    some = [pairs() if table is None else table]
    return pa.concat_tables(score_pll(some, reader(kind), **options))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", KINDS)
def test_equals_the_plain_loop(kind: str, variant: Any) -> None:
    table = pll(kind, variant=variant)
    for side, texts in (("good", [p[0] for p in PAIRS]), ("bad", [p[1] for p in PAIRS])):
        wanted = [plain_pll(loaded(kind), text, variant) for text in texts]
        np.testing.assert_allclose(shown(table, f"logp_{side}"), wanted, atol=1e-4, rtol=1e-6)
        own = [len(loaded(kind).tokenizer(text)["input_ids"]) - 2 for text in texts]
        assert table[f"tokens_{side}"].to_pylist() == own
        assert table[f"bytes_{side}"].to_pylist() == [len(text.encode()) for text in texts]
    assert table["method"].unique().to_pylist() == [f"pll:{variant}"]


def test_rows_are_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Counter[tuple[bytes, int]] = Counter()
    plain = MaskedReader.__call__

    def counted(self: MaskedReader, rows: Any) -> torch.Tensor:
        seen.update((row.ids, row.position) for row in rows)
        return plain(self, rows)

    bert = reader("bert", window=6)
    monkeypatch.setattr(MaskedReader, "__call__", counted)
    table = pairs(PAIRS[:2] * 3)
    table = pa.concat_tables([table, table])
    scores = pa.concat_tables(score_pll([table], bert))
    assert set(seen.values()) == {1}
    assert len(set(scores["margin"].to_pylist())) == 2
    texts = {text for pair in PAIRS[:2] for text in pair[:2]}
    tokens = sum(len(loaded("bert").tokenizer(text)["input_ids"]) - 2 for text in texts)
    assert len(seen) == tokens - 4  # rows with the verb or the noun masked serve two sentences each


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
