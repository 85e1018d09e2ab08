"""The suites of Wang et al. (2021), *Controlled evaluation of grammatical knowledge*.

The sentences of the study, results from the surprisals that it published, and its Table 6.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from solecism.errors import candidates, fail
from solecism.files import write_text
from solecism.inputs import Json, read_text, read_toml
from solecism.schema import SUITE, ItemRow
from solecism.scoring.methods.region import score_suites
from solecism.scoring.results import Result
from solecism.scoring.surprisals import find_runs, line_reader, read_surprisals, sign_run, write_run

if TYPE_CHECKING:
    import pandas as pd

STUDY = "wang-etal-2021-controlled"
"""What results of the suites of the study name as their data."""

_NGRAM = re.compile(r"n[-_]?gram", re.IGNORECASE)

Target = Sequence[int] | str
"""The target region of a sentence: from a word counted from the end up to another (0: the end), or
the last word that is so."""


@dataclass(frozen=True)
class StudyClass:
    """A class of the study: its names, conditions, criteria and target region."""

    title: str
    short: str
    conditions: Sequence[str]
    predictions: Sequence[str]
    target: Target
    modifiers: Sequence[str] = ("none", "adj", "obj", "sub")


_KNOWN: Json = read_toml(Path(__file__).with_suffix(".toml"))
CLASSES = {name: StudyClass(**said) for name, said in _KNOWN["classes"].items()}
"""The classes in the order of Table 6."""

MODIFIERS: dict[str, str] = _KNOWN["modifiers"]
"""The modifiers of Table 2."""


@dataclass(frozen=True)
class StudySuite:
    """A suite of the study."""

    name: str
    kind: StudyClass
    modifier: str

    @property
    def counted(self) -> bool:
        """True if Table 2 has it (the files of the study hold some that it has not)."""
        return self.modifier in self.kind.modifiers


def find_suite(name: str) -> StudySuite | None:
    """Return the suite of a name (``cls_none``), None if it is of no class."""
    start, _, modifier = name.partition("_")
    return StudySuite(name, CLASSES[start], modifier) if start in CLASSES and modifier else None


def read_sentences(path: Path) -> pa.Table:
    """Read a text of the study, ``cls_none_txt.txt``, as suite items; raise :class:`InputError`."""
    name = path.stem.removesuffix("_txt")
    suite = find_suite(name)
    if suite is None:
        near = candidates("classes", list(CLASSES), name.partition("_")[0])
        raise fail(f"{name!r} is not called after a class and a modifier, as cls_none {near}", path)
    lines = read_text(path, "utf-8-sig").rstrip().splitlines()
    return study_items(suite, [line.split() for line in lines], path)


def write_sentences(items: Sequence[ItemRow], path: Path) -> None:
    """Write the sentences of suite items, a condition a line, for a tool that scores them."""
    lines = [c["tokens"] + "\n" for item in items for c in item["conditions"]]
    write_text(path, "".join(lines))


def study_items(suite: StudySuite, sentences: Sequence[Sequence[str]], path: Path) -> pa.Table:
    """Return suite items of tokenised sentences.

    Raises :class:`InputError` where they are not whole items, or where one has no target region.
    """
    size = len(suite.kind.conditions)
    if not sentences or len(sentences) % size:
        message = f"has {len(sentences)} sentences; the items of {suite.name} have {size} each"
        raise fail(message, path)
    rows = []
    for start in range(0, len(sentences), size):
        number = start // size + 1
        named = zip(suite.kind.conditions, sentences[start : start + size], strict=True)
        rows.append({
            "id": f"{suite.name}-{number}", "suite": suite.name, "phenomenon": suite.kind.title,
            "modifier": MODIFIERS.get(suite.modifier, suite.modifier), "item": str(number),
            "language": "zh", "predictions": list(suite.kind.predictions), "metric": "sum",
            "conditions": [
                _condition(name, words, suite.kind.target, path, start + n)
                for n, (name, words) in enumerate(named, 1)
            ],
        })  # fmt: skip
    return pa.Table.from_pylist(rows, schema=SUITE)


def _condition(name: str, words: Sequence[str], target: Target, path: Path, line: int) -> ItemRow:
    if isinstance(target, str) and target not in words:
        raise fail(f"{' '.join(words)!r} has no {target!r}", path, line)
    if isinstance(target, str):
        last = len(words) - list(reversed(words)).index(target)
        first = last - 1
    else:
        first, last = (len(words) - place for place in target)
    if first < 0:
        raise fail(f"{' '.join(words)!r} has only {len(words)} words", path, line)
    start, text = len("".join(words[:first])), "".join(words[first:last])
    region = {
        "name": "target", "text": text, "start": start, "end": start + len(text),
        "first": first, "last": last,
    }  # fmt: skip
    return {"name": name, "text": "".join(words), "tokens": " ".join(words), "regions": [region]}


def class_accuracies(items: pd.DataFrame) -> pd.DataFrame:
    """Return Table 6: the accuracy of each model in each class, a class a column.

    ``items``: rows of results (:func:`solecism.analyses.answers.items_of`). An accuracy is the mean
    over suites of the mean over seeds. The criterion is a positive difference, so a tie is a
    failure (section 3.1); of an n-gram model it counts one half, for which the study flips a coin
    (section 3.3).
    """
    tie = items["model"].map({m: 0.5 * bool(_NGRAM.search(m)) for m in items["model"].unique()})
    right = items["decision"].where(items["decision"] != 0.5, tie)
    by_seed = right.groupby([items[key] for key in ("model", "phenomenon", "UID", "run")]).mean()
    by_suite = by_seed.groupby(["model", "phenomenon", "UID"]).mean()
    table = by_suite.groupby(["model", "phenomenon"]).mean().unstack("phenomenon")
    titles = [kind.title for kind in CLASSES.values()]
    order = sorted(table, key=lambda name: titles.index(name) if name in titles else len(titles))
    return table[order].rename(columns={kind.title: kind.short for kind in CLASSES.values()})


def score_study(folder: str | Path, out: str | Path = "results") -> list[Result]:
    """Write a result for each model and seed of the surprisals of the study, and return them.

    Suites that Table 2 does not have are left out. Raises :class:`InputError` for files that cannot
    be read, and where no file is called after a suite.
    """
    results = []
    for run in find_runs(Path(folder)):
        found = {path: find_suite(name) for name, path in run.files.items()}
        suites = {path: suite for path, suite in found.items() if suite and suite.counted}
        tables = []
        for path, suite in suites.items():
            lines = read_surprisals(path)
            items = study_items(suite, [line.tokens for line in lines], path)
            tables.append(pa.concat_tables(score_suites([items], line_reader(lines, path))))
        if tables:
            signature = sign_run(run, list(suites), (STUDY, "", "", "suites"))
            results.append(write_run(Path(out), signature, tables))
    if not results:
        near = candidates("classes", list(CLASSES))
        raise fail(f"no file is called after a suite, as surprisals_cls_none.tsv {near}", folder)
    return results
