"""Benchmark of masked models: focus and PLL against minicons and a plain loop; prints a table.

All ways score the same pairs of a built data set (shuffled with a seed, so that few share a frame,
or with --first ROW in their order, as a run meets them, where many do) with the same model, random
and shaped like a small BERT: 4 layers, 256 wide, a vocabulary of 30,000. They take turns, and each
one's best round counts. minicons runs at the best of several batch sizes, and for focus in the
faster of its two ways: by words (`cloze`) and by batches of frames (`cloze_distribution`). The
machines are noisy: read CPU time, and ratios within one run.

Usage: python scripts/bench_masked.py DATASET/CONFIG [--pairs N] [--rounds N] [--first ROW]
[--threads N]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import pyarrow as pa
import torch
from minicons.scorer import MaskedLMScorer
from rich.console import Console
from rich.table import Table as Grid
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from solecism.scoring.critical import Critical, critical_words
from solecism.scoring.engines.masked import open_masked
from solecism.scoring.items import open_pairs
from solecism.scoring.methods.focus import score_focus
from solecism.scoring.methods.pll import score_pll
from solecism.scoring.models import Loaded

VOCABULARY = 30_000
BLANK = "blankblank"
SPECIAL = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
COLUMNS = [
    "id", "set_id", "UID", "linguistics_term", "language", "sentence_good", "sentence_bad",
    "one_prefix_method", "one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad", "features",
]  # fmt: skip

Run = Callable[[], Any]


@dataclass(frozen=True)
class Timing:
    """Seconds of one run: of all cores together, and by the clock."""

    cpu: float
    wall: float


def main() -> None:
    """Run all ways and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", help="a built data set and config, such as clams/en")
    parser.add_argument("--pairs", type=int, default=400, help="pairs for focus; a fifth for PLL")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--first", type=int, help="take pairs in order from this row on")
    parser.add_argument("--threads", type=int, default=1, help="of torch, for all ways alike")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    table = pa.concat_tables(open_pairs(given.data).tables(COLUMNS))
    if given.first is None:
        table = table.take(np.random.default_rng(0).permutation(len(table)))
    table = table.slice(given.first or 0, 20 * given.pairs)
    loaded = small_bert(table)
    pairs = sample(table, given.pairs, loaded)
    few = pairs.slice(0, max(given.pairs // 5, 1))
    console = Console(width=100)
    console.print(grid("focus", measure(focus_ways(pairs, loaded), given.rounds), len(pairs)))
    console.print(grid("PLL", measure(pll_ways(few, loaded), given.rounds), len(few)))


def small_bert(table: pa.Table) -> Loaded:
    """A random model with a WordPiece vocabulary of the words of the data set, filled up to
    30,000."""
    texts = (t for n in ("good", "bad") for t in table[f"sentence_{n}"].to_pylist())
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=VOCABULARY, special_tokens=list(SPECIAL.values()), show_progress=False
    )
    tokenizer.train_from_iterator([*texts, *[BLANK] * 100], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(t, tokenizer.token_to_id(t)) for t in ("[CLS]", "[SEP]")],
    )
    special = {f"{name}_token": token for name, token in SPECIAL.items()}
    make: Any = PreTrainedTokenizerFast
    fast = make(tokenizer_object=tokenizer, **special)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=VOCABULARY, hidden_size=256, num_hidden_layers=4, num_attention_heads=4,
        intermediate_size=1024,
    )  # fmt: skip
    model: Any = BertForMaskedLM(config)
    return Loaded(model.eval(), fast, "bench", "0", "float32", "cpu")


def sample(table: pa.Table, count: int, loaded: Loaded) -> pa.Table:
    """The first pairs with one critical word that is one token in both forms."""
    chosen = table.slice(0, 3 * count)
    vocabulary = loaded.tokenizer.get_vocab()
    fit = [
        pair is not None and all(word.lower() in vocabulary for word in forms(pair))
        for pair in critical_words(chosen)
    ]
    return chosen.filter(pa.array(fit)).slice(0, count)


def forms(pair: Critical) -> tuple[str, str]:
    """The good and the bad form."""
    return pair.good[slice(*pair.good_at)], pair.bad[slice(*pair.bad_at)]


def measure(ways: dict[str, Run], rounds: int) -> dict[str, Timing]:
    """Run all ways in turn; the best round of each (by CPU time)."""
    found: dict[str, list[Timing]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            cpu, wall = time.process_time(), time.perf_counter()
            way()
            found[name].append(Timing(time.process_time() - cpu, time.perf_counter() - wall))
    return {name: min(times, key=lambda t: t.cpu) for name, times in found.items()}


def focus_ways(pairs: pa.Table, loaded: Loaded) -> dict[str, Run]:
    """The ways of scoring by focus; raises where their figures differ."""
    found = [pair for pair in critical_words(pairs) if pair]
    ours = np.array(_logp(score_focus([pairs], open_masked(loaded))))
    theirs = np.array(minicons_frames(found[:20], loaded, 20))
    check("focus", ours[:, :20], theirs.T)
    check("focus", ours[:, :20], np.array(plain_focus(found[:20], loaded)).T)
    ways: dict[str, Run] = {"solecism": lambda: list(score_focus([pairs], open_masked(loaded)))}
    for size in (16, 64):
        ways[f"minicons cloze_distribution, {size}"] = lambda n=size: minicons_frames(  # type: ignore[misc]
            found, loaded, n
        )
    ways["minicons cloze"] = lambda: minicons_words(found, loaded)
    ways["plain loop"] = lambda: plain_focus(found, loaded)
    return ways


def pll_ways(pairs: pa.Table, loaded: Loaded) -> dict[str, Run]:
    """The ways of scoring by PLL; raises where their figures differ."""
    texts = [t for n in ("good", "bad") for t in pairs[f"sentence_{n}"].to_pylist()]
    first = [texts[0], texts[len(pairs)]]
    ours = np.array(_logp(score_pll([pairs.slice(0, 1)], open_masked(loaded))))[:, 0]
    check("PLL", ours, np.array(minicons_pll(first, loaded, 2)))
    check("PLL", ours, np.array(plain_pll(first, loaded)))
    ways: dict[str, Run] = {"solecism": lambda: list(score_pll([pairs], open_masked(loaded)))}
    for size in (1, 4):
        ways[f"minicons sequence_score, {size}"] = lambda n=size: minicons_pll(texts, loaded, n)  # type: ignore[misc]
    ways["plain loop"] = lambda: plain_pll(texts, loaded)
    return ways


def _logp(tables: Iterable[pa.Table]) -> list[list[float]]:
    table = pa.concat_tables(tables)
    return [table["logp_good"].to_pylist(), table["logp_bad"].to_pylist()]


def check(name: str, ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> None:
    """Raise where two ways do not agree."""
    if not np.allclose(ours, theirs, atol=1e-3, rtol=0):
        raise SystemExit(f"{name}: the ways differ by {np.abs(ours - theirs).max()}")


def _scorer(loaded: Loaded) -> Any:
    return MaskedLMScorer(loaded.model, "cpu", tokenizer=loaded.tokenizer)


def minicons_frames(pairs: Sequence[Critical], loaded: Loaded, size: int) -> list[list[float]]:
    """minicons, frames in batches: the whole distribution at the blank, two words of it."""
    scorer, vocabulary = _scorer(loaded), loaded.tokenizer.get_vocab()
    scores = []
    for start in range(0, len(pairs), size):
        batch = pairs[start : start + size]
        queries = [(p.good[: p.good_at[0]] + BLANK + p.good[p.good_at[1] :], BLANK) for p in batch]
        found = scorer.cloze_distribution(queries)
        ids = [[vocabulary[word.lower()] for word in forms(pair)] for pair in batch]
        scores += found.gather(1, torch.tensor(ids)).tolist()
    return scores


def minicons_words(pairs: Sequence[Critical], loaded: Loaded) -> list[float]:
    """minicons by words; it takes them in a sentence that has the word once."""
    scorer = _scorer(loaded)
    queries = [
        (text, word) for p in pairs for text, word in zip((p.good, p.bad), forms(p), strict=True)
    ]
    scores: list[float] = []
    for query in queries:
        scores += scorer.cloze([query])[:1]
    return scores


def minicons_pll(texts: Sequence[str], loaded: Loaded, size: int) -> list[float]:
    """minicons: all masked rows of a batch of sentences together."""
    scorer, scores = _scorer(loaded), []
    for start in range(0, len(texts), size):
        batch = list(texts[start : start + size])
        scores += scorer.sequence_score(
            loaded.tokenizer(batch, padding=True, return_tensors="pt"),
            reduction=lambda x: x.sum().item(),
            PLL_metric="within_word_l2r",
        )
    return scores


@torch.inference_mode()
def plain(ids: list[int], place: int, loaded: Loaded) -> torch.Tensor:
    """Log probabilities at one mask, one sentence at a time."""
    logits: torch.Tensor = loaded.model(input_ids=torch.tensor([ids])).logits
    return logits[0, place].log_softmax(0)


def plain_focus(pairs: Sequence[Critical], loaded: Loaded) -> list[list[float]]:
    """The loop anyone would write: one frame a pass, both forms read off."""
    tokenizer = loaded.tokenizer
    vocabulary, scores = tokenizer.get_vocab(), []
    for pair in pairs:
        text = pair.good[: pair.good_at[0]] + "[MASK]" + pair.good[pair.good_at[1] :]
        ids = tokenizer(text)["input_ids"]
        found = plain(ids, ids.index(tokenizer.mask_token_id), loaded)
        scores.append([found[vocabulary[word.lower()]].item() for word in forms(pair)])
    return scores


def plain_pll(texts: Sequence[str], loaded: Loaded) -> list[float]:
    """The loop anyone would write: one mask a pass."""
    scores = []
    for text in texts:
        found = loaded.tokenizer(text)
        ids, words, score = found["input_ids"], found.word_ids(), 0.0
        for place in range(1, len(ids) - 1):
            masked = [
                loaded.tokenizer.mask_token_id if n >= place and words[n] == words[place] else i
                for n, i in enumerate(ids)
            ]
            score += plain(masked, place, loaded)[ids[place]].item()
        scores.append(score)
    return scores


def grid(title: str, times: dict[str, Timing], pairs: int) -> Grid:
    """A row a way; ratios against the way in the first row."""
    table = Grid(title=f"{title}: {pairs} pairs", title_justify="left")
    for head in ("way", "CPU s", "wall s", "pairs/s (wall)", "CPU ratio", "wall ratio"):
        table.add_column(head, justify="left" if head == "way" else "right")
    ours = next(iter(times.values()))
    for name, t in times.items():
        ratios = (f"{t.cpu / ours.cpu:.1f}", f"{t.wall / ours.wall:.1f}")
        table.add_row(name, f"{t.cpu:.2f}", f"{t.wall:.2f}", f"{pairs / t.wall:.0f}", *ratios)
    return table


if __name__ == "__main__":
    main()
