"""Write pairs as EuroEval takes data sets of linguistic acceptability: single sentences.

A sentence is ``correct`` or ``incorrect``. Of each pair one sentence is taken, of a paradigm by
turns the good and the bad one, and no sentence twice.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.errors import fail
from solecism.language_tags import language_name
from solecism.schema import ItemRow

SPLITS = {"train": 1024, "val": 256, "test": 2048}
"""The sizes that EuroEval has of every data set."""

LABELS = "correct", "incorrect"


def write_euroeval(rows: Sequence[ItemRow], folder: Path, name: str, source: str) -> list[str]:
    """Write the splits and a README; return what baselines without grammar reach, in lines.

    ``rows`` are pairs, in rounds over their paradigms; ``source`` is the hub's repository. Raises
    :class:`InputError` if there are too few.
    """
    seen, left = set[str](), iter(rows)
    splits = {split: list(_sentences(left, size, seen)) for split, size in SPLITS.items()}
    for split, some in splits.items():
        if len(some) < SPLITS[split]:
            raise fail(f"{name}: {len(some)} sentences are left for {split} of {SPLITS[split]}")
        pq.write_table(pa.Table.from_pylist(some), folder / f"{split}.parquet")
    parts: Mapping[str, Callable[[str], Iterable[str]]] = {
        "length": lambda text: [str(len(text.split()))],
        "a bag of words": lambda text: set(text.lower().strip(".?!").split()),
    }
    lines = [f"by {what}: {100 * _accuracy(splits, key):.1f} %" for what, key in parts.items()]
    examples = {row["label"]: row["text"] for row in reversed(splits["test"])}  # the first ones
    code = str(rows[0]["language"])
    text = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    filled = text.format(
        name=name, code=code, language=language_name(code), source=source, **examples,
        constant=language_name(code).upper(), config=name.upper().replace("-", "_"),
        baselines=", ".join(lines), paradigms=len({row["UID"] for row in splits["test"]}),
    )  # fmt: skip
    (folder / "README.md").write_text(filled, encoding="utf-8")
    return lines


def _sentences(rows: Iterator[ItemRow], size: int, seen: set[str]) -> Iterator[dict[str, str]]:
    """Yield one sentence of each pair, half of them correct, and note them as ``seen``."""
    turns, left = dict[str, int](), dict.fromkeys(LABELS, size // 2)
    for row in rows if size else ():
        turn = turns.setdefault(row["UID"], len(turns))
        label = LABELS[turn % 2] if left[LABELS[turn % 2]] else LABELS[1 - turn % 2]
        text = row["sentence_good" if label == LABELS[0] else "sentence_bad"]
        if text not in seen and row["set_id"] not in seen:
            seen |= {text, row["set_id"]}
            turns[row["UID"]] += 1
            left[label] -= 1
            yield {"text": text, "label": label, "UID": row["UID"]}
        if not any(left.values()):
            return


def _accuracy(
    splits: Mapping[str, Sequence[Mapping[str, str]]], parts: Callable[[str], Iterable[str]]
) -> float:
    """Return the share of the test split that naive Bayes gets right from parts of sentences."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in splits["train"]:
        counts[row["label"]].update(parts(row["text"]))
    right = 0.0
    for row in splits["test"]:
        good, bad = (
            sum(math.log(counts[label][part] + 1) for part in parts(row["text"]))
            for label in LABELS
        )
        right += 0.5 if good == bad else LABELS[good < bad] == row["label"]
    return right / len(splits["test"])
