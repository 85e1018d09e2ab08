"""Benchmark of causal scoring: ours against lm-eval and minicons on CLAMS and BLiMP pairs; prints a
table.

All score the same pairs with the same random models, GPT-2-shaped (a vocabulary of 50,257), and one
byte-level BPE tokenizer trained on the pairs. CLAMS comes in whole paradigms, so that sentences
share prefixes as in a real run. lm-eval counts with the better of batch size 32 and ``auto``. The
floor is the time of the multiplications that cannot be avoided: inner nodes of the prefix tree x 2
x parameters, at the rate of a 1024 x 1024 float32 product measured in the same run. Machines are
noisy: read CPU time, and ratios within one run.

Usage: python scripts/bench_score.py [--quick | --short] [--data FOLDER] [--only SHAPE] [--on KIND]
       [--threads N] [--memory]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from rich.console import Console
from rich.table import Table as Grid
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

from solecism.datasets.build import build
from solecism.root import find_root
from solecism.scoring.engines.causal import CausalReader
from solecism.scoring.engines.trie import Trie, pad_rows
from solecism.scoring.items import NEEDED, open_pairs
from solecism.scoring.methods.sentence import score_pairs
from solecism.scoring.models import Loaded, load_model

try:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM
    from minicons.scorer import IncrementalLMScorer
except ImportError as error:
    raise SystemExit(
        f"bench_score needs lm-eval and minicons: {error} (pip install both)"
    ) from None

HERE = Path(__file__).resolve().parent.parent
BLIMP = HERE.parent / "shared" / "reference" / "blimp"
VOCABULARY = 50_257
BATCH = 32
SHAPES = {"4x256": (4, 256, 4), "12x768": (12, 768, 12)}
"""Layers, width and heads."""

QUICK: dict[str, tuple[str, ...]] = {"en": ("simple_agrmt", "vp_coord"), "fr": ("simple_agrmt",)}
FULL: dict[str, tuple[str, ...]] = {
    "en": ("simple_agrmt", "vp_coord", "obj_rel_across_inanim"),
    "fr": ("simple_agrmt", "simple_agrmt_person", "obj_rel_across_inanim"),
}
"""These share as much as the two languages as a whole do: the table says how many tokens a node
stands for."""
PART: dict[str, tuple[str, ...]] = {"en": ("subj_rel",), "fr": ("obj_rel_across_anim",)}
"""For the large model: of large paradigms the pairs of one controller, which share as the whole
does."""
SHORT: dict[str, tuple[str, ...]] = {"en": ("simple_agrmt",), "fr": ("simple_agrmt",)}

FIVE = (
    "adjunct_island", "anaphor_number_agreement", "distractor_agreement_relative_clause",
    "npi_present_1", "principle_A_domain_1",
)  # fmt: skip
LARGE = ("obj_rel_across_anim", "obj_rel_within_anim", "prep_anim", "subj_rel", "sent_comp")
"""CLAMS paradigms to draw from where there is no BLiMP."""

Tables = Sequence[pa.Table]
Values = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Timing:
    """The log probabilities that a program computed (good sentences first), and its seconds."""

    values: Values
    cpu: float
    wall: float


def main() -> None:
    """Run what is asked for and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="half the pairs, the small model only")
    parser.add_argument(
        "--short", action="store_true", help="only small paradigms, for busy machines"
    )
    parser.add_argument("--data", type=Path, help="a built CLAMS (default: build one)")
    parser.add_argument("--only", choices=SHAPES, help="one model shape")
    parser.add_argument("--on", choices=("CLAMS", "BLiMP"), help="one kind of pairs")
    parser.add_argument("--rounds", type=int, default=1, help="the best of so many counts")
    parser.add_argument("--memory", action="store_true", help="peak memory of a million sentences")
    parser.add_argument("--stream", nargs=2, type=Path, help=argparse.SUPPRESS)
    parser.add_argument(
        "--threads", type=int, default=2, help="1 where other work shares the cores"
    )
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    quieten()
    if given.stream:
        print(*stream(*given.stream))
        return
    with clams(given.data) as data:
        if given.memory:
            show_memory(data)
        else:
            shapes = (
                [given.only]
                if given.only
                else list(SHAPES)[: 1 if given.quick or given.short else 2]
            )
            Console(width=110).print(compare(data, shapes, given))


def quieten() -> None:
    """Silence what the libraries say."""
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def clams(given: Path | None) -> Iterator[Path]:
    """The folder given, or a fresh build of the English and French pairs that goes at the end."""
    if given:
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        build("clams", ["en", "fr"], out=Path(folder) / "clams", root=find_root(HERE))
        yield Path(folder) / "clams"


def compare(data: Path, shapes: Sequence[str], given: argparse.Namespace) -> Grid:
    """Measure all ways on all data with models of some shapes."""
    rate = matmul_rate()
    title = f"product of 1024x1024: {rate / 1e9:.0f} GFLOP per CPU second, {given.threads} threads"
    grid = Grid(title=title)
    for head in ("pairs", "way", "CPU s", "wall s", "pairs/CPU s", "x lm-eval", "x floor", "diff"):
        grid.add_column(head, justify="left" if head in ("pairs", "way") else "right")
    for shape in shapes:
        chosen = SHORT if given.short else QUICK if given.quick else FULL
        large = shape == "12x768" and not given.short
        tables = one_controller(paradigms(data, PART)) if large else paradigms(data, chosen)
        sets = {"CLAMS": tables, "BLiMP": blimp(data, 60 if given.short else 300)}
        tokenizer = train_tokenizer([table for tables in sets.values() for table in tables])
        loaded = Loaded(
            make_model(*SHAPES[shape], tokenizer), tokenizer, shape, "0", "float32", "cpu"
        )
        for name in [given.on] if given.on else sets:
            tables = sets[name]
            tokens, nodes = sharing(tables, loaded)
            floor = 2 * loaded.model.num_parameters() * nodes / rate
            title = f"{name} {shape}, {tokens / nodes:.1f} tokens a node"
            add_rows(grid, title, measure(tables, loaded, given.rounds), tables, floor)
    return grid


def matmul_rate(size: int = 1024, times: int = 20) -> float:
    """Floating-point operations per CPU second of a float32 product; the best of five tries."""
    one, other = torch.rand(size, size), torch.rand(size, size)

    def work() -> Values:
        for _ in range(times):
            torch.mm(one, other)
        return np.zeros(0)

    tries = [timed(work).cpu for _ in range(5)]
    return 2 * size**3 * times / min(tries)


def paradigms(data: Path, chosen: dict[str, tuple[str, ...]]) -> list[pa.Table]:
    """Whole paradigms, a table a language."""
    tables = []
    for config, uids in chosen.items():
        whole = pa.concat_tables(open_pairs(f"{data}/{config}").tables([*NEEDED, "features"]))
        tables.append(whole.filter(pc.is_in(whole["UID"], pa.array(uids))))
    return tables


def one_controller(tables: Tables) -> list[pa.Table]:
    """The pairs whose controller is the first in the alphabet."""
    names = [pc.struct_field(table["features"], "controller") for table in tables]
    return [t.filter(pc.equal(name, pc.min(name))) for t, name in zip(tables, names, strict=True)]


def blimp(data: Path, count: int) -> list[pa.Table]:
    """Five paradigms of BLiMP, or pairs drawn from five large ones of CLAMS."""
    files = [BLIMP / f"{name}.jsonl" for name in FIVE]
    if all(file.is_file() for file in files):
        return [pa.concat_tables([read_blimp(file, count) for file in files])]
    whole = paradigms(data, {"en": LARGE})[0]
    places = np.random.default_rng(0)
    parts = [whole.filter(pc.equal(whole["UID"], uid)) for uid in LARGE]
    drawn = [t.take(np.sort(places.permutation(len(t))[:count])) for t in parts]
    return [pa.concat_tables(drawn)]


def read_blimp(path: Path, count: int) -> pa.Table:
    """The first pairs of a BLiMP file, with the columns that ours have."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:count]]
    for row in rows:
        key = f"{row['UID']}-{row['pairID']}"
        row.update(id=key, set_id=key, language="en")
    return pa.table({name: [row[name] for row in rows] for name in NEEDED})


def sentences(tables: Tables) -> list[str]:
    """The sentences, of each table the good ones before the bad ones."""
    sides = ("sentence_good", "sentence_bad")
    return [text for table in tables for side in sides for text in table[side].to_pylist()]


def train_tokenizer(tables: Tables) -> Any:
    """A byte-level BPE tokenizer of these sentences, with BOS as GPT-2 has it and padding of its
    own."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["<|endoftext|>", "<|pad|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(sentences(tables), trainer)
    make: Any = PreTrainedTokenizerFast
    end = "<|endoftext|>"
    return make(tokenizer_object=tokenizer, bos_token=end, eos_token=end, pad_token="<|pad|>")


def make_model(
    layers: int, width: int, heads: int, tokenizer: Any, vocabulary: int = VOCABULARY
) -> Any:
    """A random model of GPT-2's kind."""
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=vocabulary, n_layer=layers, n_embd=width, n_head=heads, n_positions=1024,
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    model: Any = GPT2LMHeadModel(config)
    return model.eval()


def sharing(tables: Tables, loaded: Loaded) -> tuple[int, int]:
    """Return the tokens, and the distinct prefixes that have a next token.

    A model must see at least the prefixes.
    """
    reader, tokens, nodes = CausalReader(loaded), 0, 0
    for table in tables:
        rows = [reader.with_bos(text.ids)[0] for text in reader.encode(sentences([table]))]
        tokens += sum(map(len, rows))
        nodes += len(Trie.build(*pad_rows(rows)).inner)
    return tokens, nodes


def measure(tables: Tables, loaded: Loaded, rounds: int) -> dict[str, Timing]:
    """Run all ways in turn; the best round of each (by CPU time).

    Lm-eval: the better batch size.
    """
    ways: dict[str, Callable[[], Values]] = {
        "lm-eval 32": partial(lm_eval, tables, loaded, BATCH),
        "lm-eval auto": partial(lm_eval, tables, loaded, "auto"),
        "solecism": partial(ours, tables, loaded, "auto"),
        "solecism plain": partial(ours, tables, loaded, "plain"),
        f"minicons {BATCH}": partial(minicons, tables, loaded),
    }
    best: dict[str, Timing] = {}
    for _ in range(rounds):
        for name, way in ways.items():
            found = timed(way)
            print(f"{name}: {found.cpu:.1f} s CPU, {found.wall:.1f} s", file=sys.stderr)
            if name not in best or found.cpu < best[name].cpu:
                best[name] = found
    slower = max(("lm-eval 32", "lm-eval auto"), key=lambda name: best[name].cpu)
    del best[slower]
    return best


def timed(work: Callable[[], Values]) -> Timing:
    """Do something once."""
    cpu, wall = time.process_time(), time.perf_counter()
    values = work()
    return Timing(values, time.process_time() - cpu, time.perf_counter() - wall)


def ours(tables: Tables, loaded: Loaded, engine: str) -> Values:
    """Our scorer, from text, the probing of engines included."""
    found = list(score_pairs(tables, CausalReader(loaded, engine=engine)))
    if len(found) != len(tables):
        raise SystemExit("a table is larger than a window: its values would come in another order")
    sides = ("logp_good", "logp_bad")
    return np.concatenate([table[side].to_numpy() for table in found for side in sides])


def lm_eval(tables: Tables, loaded: Loaded, size: int | str) -> Values:
    """lm-eval's HFLM, asked as its blimp task asks: an empty context before the sentence."""
    requests = [
        Instance("loglikelihood", {}, ("", text), place)
        for place, text in enumerate(sentences(tables))
    ]
    with silence():
        scorer = HFLM(
            pretrained=loaded.model, tokenizer=loaded.tokenizer, batch_size=size, device="cpu"
        )
        found = scorer.loglikelihood(requests, disable_tqdm=True)
    return np.array([value for value, _ in found])


def minicons(tables: Tables, loaded: Loaded) -> Values:
    """minicons' sums of log probabilities, BOS first."""
    texts = sentences(tables)
    scorer = IncrementalLMScorer(loaded.model, "cpu", tokenizer=loaded.tokenizer)
    found: list[float] = []
    for start in range(0, len(texts), BATCH):
        found += scorer.sequence_score(
            texts[start : start + BATCH], reduction=lambda x: x.sum().item(), bos_token=True
        )
    return np.array(found)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Swallow what is printed."""
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):  # noqa: PTH123
        yield


def add_rows(grid: Grid, title: str, best: dict[str, Timing], tables: Tables, floor: float) -> None:
    """A row a way: ratios to lm-eval's speed and the floor's time, largest difference from
    lm-eval."""
    pairs = sum(map(len, tables))
    theirs = next(timing for name, timing in best.items() if name.startswith("lm-eval"))
    for name, t in best.items():
        far = np.abs(t.values - theirs.values).max()
        grid.add_row(
            f"{title}, {pairs:,}" if t is theirs else "", name, f"{t.cpu:.1f}", f"{t.wall:.1f}",
            f"{pairs / t.cpu:.0f}", f"{theirs.cpu / t.cpu:.2f}", f"{t.cpu / floor:.2f}",
            f"{far:.0e}",
        )  # fmt: skip
    grid.add_row("", "floor", f"{floor:.1f}", "", f"{pairs / floor:.0f}", "", "1.00", "")
    grid.add_section()


def show_memory(data: Path) -> None:
    """Score a million sentences in a process of its own; print what memory it took."""
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = train_tokenizer([open_pairs(f"{data}/en").every(20)])
        make_model(2, 32, 2, tokenizer, len(tokenizer)).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        command = [sys.executable, __file__, "--stream", str(data), folder]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    pairs, before, peak, seconds = map(float, said.split())
    grid = Grid("sentences", "with model, MB", "peak, MB", "beyond the model, MB", "CPU s")
    cells = [2 * pairs, before, peak, peak - before, seconds]
    grid.add_row(*(f"{cell:,.0f}" for cell in cells))
    Console(width=110).print(grid)


def stream(data: Path, model: Path, pairs: int = 500_000) -> tuple[int, float, float, float]:
    """Score pairs in a stream; give their number, megabytes before and at the peak, CPU seconds."""
    loaded = load_model(str(model))
    reader = CausalReader(loaded)
    next(score_pairs(open_pairs(f"{data}/en").tables(rows=16, limit=16), reader))
    before, start, done = resident("VmRSS"), time.process_time(), 0
    for table in score_pairs(endless(data, pairs), reader):
        done += len(table)
    return done, before, resident("VmHWM"), time.process_time() - start


def endless(data: Path, pairs: int) -> Iterator[pa.Table]:
    """So many pairs: the English ones, then again with a further word at the end, and so on."""
    rounds = 0
    while pairs > 0:
        for table in open_pairs(f"{data}/en").tables(limit=pairs):
            yield longer(table, " and so on" * rounds)
            pairs -= len(table)
        rounds += 1


def longer(table: pa.Table, end: str) -> pa.Table:
    """The same pairs with something at the end of each sentence."""
    for side in ("sentence_good", "sentence_bad"):
        texts = pc.binary_join_element_wise(table[side], pa.scalar(end), "")
        table = table.set_column(table.column_names.index(side), side, texts)
    return table


def resident(key: str) -> float:
    """Megabytes of memory of this process, ``VmRSS`` now or ``VmHWM`` at most."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{key}:"))


if __name__ == "__main__":
    main()
