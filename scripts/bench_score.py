"""Benchmark of causal scoring: ours beside lm-eval and minicons on the same pairs; prints tables.

All score the same pairs with the same random model, shaped as GPT-2 (a vocabulary of 50,257), and
one byte-level BPE tokenizer trained on the pairs. There are four sets. ``clams`` has whole
paradigms, so that sentences share prefixes as in a real run. ``mined`` has pairs of a treebank
(``--pairs``). ``long`` has sentences of 300 to 1,000 tokens that share half of them; ``words`` has
random words with common beginnings. The floor is the time of the multiplications that cannot be
avoided: inner nodes of the prefix tree x 2 x parameters, at the rate of a 1024 x 1024 float32
product measured in the same run. Machines are noisy: read CPU time, and ratios within one run.
Without minicons (``pip install --no-deps minicons``), its row is left out.

Usage: python scripts/bench_score.py CLAMS [--pairs PAIRS.parquet] [--sets clams,long]
    [--shape 4x256 | 12x768] [--threads N]   (a built CLAMS)
"""

import argparse
import contextlib
import io
import logging
import os
import random
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from rich.console import Console
from rich.table import Table as Grid
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from solecism.own_pairs import NEEDED
from solecism.scoring.engines.causal import CausalReader
from solecism.scoring.engines.trie import Trie, pad_rows
from solecism.scoring.items import open_pairs
from solecism.scoring.methods.sentence import score_pairs
from solecism.scoring.models import Loaded, load_model

SHAPES = {"4x256": (4, 256, 4), "12x768": (12, 768, 12)}
"""Layers, width and heads."""
CHOSEN = {
    "en": ("simple_agrmt", "vp_coord", "obj_rel_across_inanim"),
    "fr": ("simple_agrmt", "simple_agrmt_person", "obj_rel_across_inanim"),
}
"""These share as many prefixes as the two languages as a whole do."""

Values = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Timing:
    """The log probabilities that a program computed (good sentences first), and its seconds."""

    values: Values
    cpu: float
    wall: float


def timed(work: Callable[[], Values]) -> Timing:
    """Do something once."""
    cpu, wall = time.process_time(), time.perf_counter()
    values = work()
    return Timing(values, time.process_time() - cpu, time.perf_counter() - wall)


def sentences(tables: Sequence[pa.Table]) -> list[str]:
    """Return the sentences, of each table the good ones before the bad ones."""
    sides = ("sentence_good", "sentence_bad")
    return [text for table in tables for side in sides for text in table[side].to_pylist()]


def random_model(shape: str, texts: list[str]) -> Loaded:
    """Return a random model of GPT-2's kind with a tokenizer of these sentences."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|pad|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=50_257, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    make: Any = PreTrainedTokenizerFast
    fast = make(
        tokenizer_object=tokenizer, bos_token=special[0], eos_token=special[0], pad_token=special[1]
    )
    layers, width, heads = SHAPES[shape]
    torch.manual_seed(0)
    model: Any = GPT2LMHeadModel(GPT2Config(n_layer=layers, n_embd=width, n_head=heads))
    with tempfile.TemporaryDirectory() as folder:
        for part in (model, fast):
            part.save_pretrained(folder)
        return load_model(folder)


def multiplications_per_second(size: int = 1024, times: int = 20) -> float:
    """Return the operations per CPU second of a float32 product; the best of five tries."""
    one, other = torch.rand(size, size), torch.rand(size, size)

    def work() -> Values:
        for _ in range(times):
            torch.mm(one, other)
        return np.zeros(0)

    return 2 * size**3 * times / min(timed(work).cpu for _ in range(5))


def ours(tables: Sequence[pa.Table], loaded: Loaded, engine: str) -> Values:
    """Return what our scorer computes from text, the probing of engines included."""
    reader: Any = CausalReader(loaded, engine=engine)
    sides = ("logp_good", "logp_bad")
    found = list(score_pairs(tables, reader))
    return np.concatenate([table[side].to_numpy() for table in found for side in sides])


def lm_eval(tables: Sequence[pa.Table], loaded: Loaded, size: int) -> Values:
    """Return what HFLM computes, asked as the blimp task asks: an empty context first."""
    texts = enumerate(sentences(tables))
    asked = [Instance("loglikelihood", {}, ("", text), place) for place, text in texts]
    with contextlib.redirect_stdout(io.StringIO()):
        scorer = HFLM(
            pretrained=loaded.model, tokenizer=loaded.tokenizer, batch_size=size, device="cpu"
        )
        found = scorer.loglikelihood(asked, disable_tqdm=True)
    return np.array([value for value, _ in found])


def minicons(tables: Sequence[pa.Table], loaded: Loaded, size: int) -> Values:
    """Return what minicons computes, the BOS token first."""
    from minicons.scorer import IncrementalLMScorer

    texts = sentences(tables)
    scorer = IncrementalLMScorer(loaded.model, "cpu", tokenizer=loaded.tokenizer)
    batches = (texts[start : start + size] for start in range(0, len(texts), size))
    found = [
        score
        for batch in batches
        for score in scorer.sequence_score(
            batch, reduction=lambda x: x.sum(0).item(), bos_token=True
        )
    ]
    return np.array(found)


def of_clams(data: Path) -> list[pa.Table]:
    """Return whole paradigms of a built CLAMS."""
    tables = []
    for config, uids in CHOSEN.items():
        whole = pa.concat_tables(open_pairs(f"{data}/{config}").tables(NEEDED))
        tables.append(whole.filter(pc.is_in(whole["UID"], pa.array(uids))))
    return tables


def made_up(number: int, begin: tuple[int, int], rest: tuple[int, int]) -> list[pa.Table]:
    """Return pairs of random words: so many that both sides share first, then so many each."""
    rng = random.Random(0)
    words = ["".join(rng.choices("aeioumnprst", k=rng.randrange(2, 9))) for _ in range(2000)]
    rows, rest_of = [], dict.fromkeys(NEEDED, "made_up")
    for place in range(number):
        shared = rng.choices(words, k=rng.randint(*begin))
        good, bad = (" ".join([*shared, *rng.choices(words, k=rng.randint(*rest))]) for _ in "gb")
        own = {"id": str(place), "sentence_good": good, "sentence_bad": bad}
        rows.append(rest_of | own)
    return [pa.Table.from_pylist(rows)]


def tables_of(name: str, given: argparse.Namespace) -> list[pa.Table]:
    """Return the pairs of a set by its name."""
    if name == "clams":
        return of_clams(given.data)
    if name == "mined":
        return [pa.concat_tables(open_pairs(str(given.pairs)).tables(NEEDED)).slice(0, 100)]
    return made_up(30, (150, 450), (150, 450)) if name == "long" else made_up(200, (5, 25), (5, 25))


def measure(name: str, given: argparse.Namespace) -> None:
    """Print the table of a set."""
    tables = tables_of(name, given)
    loaded = random_model(given.shape, sentences(tables))
    reader, nodes = CausalReader(loaded), 0
    for table in tables:
        rows = [reader.with_bos(text.ids)[0] for text in reader.encode(sentences([table]))]
        nodes += len(Trie.build(*pad_rows(rows)).inner)
    floor = 2 * loaded.model.num_parameters() * nodes / multiplications_per_second()
    theirs: dict[str, Callable[[], Values]] = {"lm-eval, 32": lambda: lm_eval(tables, loaded, 32)}
    if find_spec("minicons"):
        theirs["minicons, 32"] = lambda: minicons(tables, loaded, 32)
    engines = {
        f"solecism, {engine}": partial(ours, tables, loaded, engine)
        for engine in ("auto", "tree", "plain")
    }
    ways = {key: timed(work) for key, work in (theirs | engines).items()}
    first, pairs = ways["lm-eval, 32"], sum(map(len, tables))
    columns = ("way", "CPU s", "wall s", "x lm-eval", "x floor", "difference")
    grid = Grid(*columns, title=f"{name}: {pairs:,} pairs, {nodes:,} prefixes")
    for key, way in ways.items():
        far = np.abs(way.values - first.values).max()
        cells = f"{way.cpu:.1f}", f"{way.wall:.1f}", f"{first.cpu / way.cpu:.2f}"
        grid.add_row(key, *cells, f"{way.cpu / floor:.2f}", f"{far:.0e}")
    Console().print(grid)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, metavar="CLAMS", help="a built CLAMS")
    parser.add_argument("--pairs", type=Path, help="pairs that `solecism mine --pairs` made")
    parser.add_argument("--sets", default="clams,mined,long,words", help="with commas between")
    parser.add_argument("--shape", choices=SHAPES, default="4x256", help="of the model")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    for name in given.sets.split(","):
        if name != "mined" or given.pairs:
            measure(name, given)


if __name__ == "__main__":
    main()
