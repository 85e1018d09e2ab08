"""The suites of Wang et al. (2021), *Controlled evaluation of grammatical knowledge*.

The sentences of the study, and the accuracies of its Table 6 from the surprisals that it published.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from solecism.errors import candidates, fail
from solecism.files import write_text
from solecism.inputs import read_text
from solecism.schema import SUITE
from solecism.scoring.methods.region import score_suites
from solecism.scoring.surprisal_files import in_order, read_surprisals
from solecism.scoring.surprisals import find_runs, line_reader, sign_run, write_run

__all__ = [
    "CLASSES", "StudyClass", "StudyFigures", "StudySuite", "class_accuracy", "find_suite", "read_sentences",
    "score_study", "study_items", "table_rows", "write_sentences",
]  # fmt: skip

STUDY = "wang-etal-2021-controlled"
"""What results of the suites of the study name as their data."""

_NGRAM = re.compile(r"n[-_]?gram", re.IGNORECASE)

TargetPlace = Callable[[Sequence[str]], tuple[int, int]]
"""A function that returns the words of a sentence that are its target region (last exclusive)."""


@dataclass(frozen=True)
class StudyClass:
    """A class of the study: its names, conditions, criteria and target region."""

    title: str
    short: str
    conditions: tuple[str, ...]
    predictions: tuple[str, ...]
    target: TargetPlace
    modifiers: tuple[str, ...] = ("none", "adj", "obj", "sub")


def _from_end(first: int, last: int = 0) -> TargetPlace:
    def place(words: Sequence[str]) -> tuple[int, int]:
        if len(words) < first:
            raise ValueError(f"has only {len(words)} words")
        return len(words) - first, len(words) - last

    return place


def _last(wanted: str) -> TargetPlace:
    def place(words: Sequence[str]) -> tuple[int, int]:
        if wanted not in words:
            raise ValueError(f"has no {wanted!r}")
        start = len(words) - 1 - list(reversed(words)).index(wanted)
        return start, start + 1

    return place


_PAIR = ("bad.target > good.target",)
_FOUR = ("bad_1.target > good_1.target", "bad_2.target > good_2.target",
         "bad_2.target > good_1.target", "bad_1.target > good_2.target")  # fmt: skip
NOUN_AND_STOP, STOP, VERB = _from_end(2), _from_end(1), _from_end(4, 3)

CLASSES: dict[str, StudyClass] = {
    "cls": StudyClass(
        "classifier–noun",
        "classifier",
        ("good_1", "bad_1", "good_2", "bad_2"),
        _FOUR,
        NOUN_AND_STOP,
    ),
    "gpo": StudyClass("garden path object", "gp object", ("good", "bad"), _PAIR, VERB),
    "gps": StudyClass("garden path subject", "gp subject", ("good", "bad"), _PAIR, _last("的")),
    "vo": StudyClass("verb–noun", "verb–noun", ("good", "bad"), _PAIR, NOUN_AND_STOP),
    "mobj": StudyClass(
        "missing object",
        "missing obj.",
        ("bad", "good"),
        _PAIR,
        STOP,
        ("none", "sub", "sub2", "subh"),
    ),
    "sd": StudyClass("subordination", "subord.", ("good", "bad"), _PAIR, STOP),
}
"""The classes in the order of Table 6. Targets (section 3.2): the noun and the stop; the verb of
the relative clause, fourth from the end (V 的 N 。); the 的 that ends the relative clause, the last
one; the stop."""

MODIFIERS = {
    "none": "none", "adj": "adjective", "obj": "object-extracted RC", "sub": "subject-extracted RC",
    "sub2": "coordinated subject-extracted RC", "subh": "embedded subject-extracted RC",
}  # fmt: skip
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
    lines = read_text(path, "utf-8-sig").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    return study_items(suite, [line.split() for line in lines], path)


def write_sentences(items: Sequence[Mapping[str, Any]], path: Path) -> None:
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
    rows = [
        _item(suite, number, sentences[start : start + size], start, path)
        for number, start in enumerate(range(0, len(sentences), size), 1)
    ]
    return pa.Table.from_pylist(rows, schema=SUITE)


def _item(
    suite: StudySuite, number: int, sentences: Sequence[Sequence[str]], start: int, path: Path
) -> dict[str, Any]:
    named = zip(suite.kind.conditions, sentences, strict=True)
    return {
        "id": f"{suite.name}-{number}",
        "suite": suite.name,
        "phenomenon": suite.kind.title,
        "modifier": MODIFIERS.get(suite.modifier, suite.modifier),
        "item": str(number),
        "language": "zh",
        "conditions": [
            _condition(name, words, suite.kind.target, (path, start + n))
            for n, (name, words) in enumerate(named, 1)
        ],
        "predictions": list(suite.kind.predictions),
        "metric": "sum",
    }


def _condition(
    name: str, words: Sequence[str], target: TargetPlace, line: tuple[Path, int]
) -> dict[str, Any]:
    try:
        first, last = target(words)
    except ValueError as error:
        raise fail(f"{' '.join(words)!r} {error}", *line) from None
    start, text = len("".join(words[:first])), "".join(words[first:last])
    region = {
        "name": "target", "text": text, "start": start, "end": start + len(text),
        "first": first, "last": last,
    }  # fmt: skip
    return {"name": name, "text": "".join(words), "tokens": " ".join(words), "regions": [region]}


def class_accuracy(right: Mapping[str, Sequence[Fraction]]) -> dict[str, Fraction]:
    """Return the accuracy of each class: the mean over suites of the mean over seeds.

    ``right``: the accuracies of each suite, one for each seed; suites that Table 2 has not are left
    out.
    """
    found: dict[str, list[Fraction]] = {}
    for name, values in right.items():
        suite = find_suite(name)
        if suite and suite.counted:
            found.setdefault(suite.kind.title, []).append(_mean(values))
    order = [kind.title for kind in CLASSES.values()]
    return {title: _mean(found[title]) for title in order if title in found}


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def table_rows(accuracies: Mapping[str, Mapping[str, Fraction]]) -> Iterator[tuple[str, ...]]:
    """Yield rows of Table 6: a model and its accuracies in three decimals."""
    for model, found in accuracies.items():
        yield model, *(_decimals(found.get(kind.title)) for kind in CLASSES.values())


def _decimals(value: Fraction | None) -> str:
    if value is None:
        return "-"
    thousandths = (2000 * value + 1) // 2
    return f"{thousandths / 1000:.3f}"


@dataclass
class StudyFigures:
    """The accuracies of a model by suite and seed: of rows, and of items that fulfil all.

    The criterion is a positive difference, so a tie is a failure (section 3.1); of an n-gram model
    it counts one half, for which the study flips a coin (section 3.3).
    """

    tie: float
    ties: int = 0
    seeds: list[str] = field(default_factory=list)
    right: dict[str, list[Fraction]] = field(default_factory=dict)
    whole: dict[str, list[Fraction]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def add(self, suite: str, table: pa.Table) -> None:
        """Add the scores of a suite by one seed."""
        decisions = [self.tie if d == 0.5 else d for d in table["decision"].to_pylist()]
        self.ties += pc.sum(pc.equal(table["decision"], 0.5)).as_py() or 0
        self.right.setdefault(suite, []).append(_share(decisions))
        items: dict[str, float] = {}
        for name, decision in zip(table["set_id"].to_pylist(), decisions, strict=True):
            items[name] = min(items.get(name, 1.0), decision)
        self.whole.setdefault(suite, []).append(_share(list(items.values())))

    def to_json(self) -> dict[str, Any]:
        """Return the accuracies by class and by suite, means over the seeds."""
        classes = class_accuracy(self.right)
        return {
            "seeds": self.seeds,
            "classes": {name: float(value) for name, value in classes.items()},
            "suites": {
                suite: {
                    "accuracy": float(sum(values) / len(values)),
                    "all_hold": float(sum(self.whole[suite]) / len(values)),
                    "by_seed": [float(value) for value in values],
                }
                for suite, values in self.right.items()
            },
            "ties": self.ties,
            "left_out": sorted(set(self.left_out)),
        }


def _share(decisions: Sequence[float]) -> Fraction:
    return Fraction(round(2 * sum(decisions)), 2 * len(decisions))


def score_study(folder: str | Path, out: str | Path = "results") -> dict[str, StudyFigures]:
    """Return the accuracies of Table 6 by model, from the surprisals of the study.

    Writes a result for each model and seed into ``out``. Raises :class:`InputError` for files that
    cannot be read.
    """
    found: dict[str, StudyFigures] = {}
    for run in find_runs(Path(folder)):
        figures = found.setdefault(
            run.model, StudyFigures(0.5 if _NGRAM.search(run.model) else 0.0)
        )
        suites = [suite for name in run.files if (suite := find_suite(name)) and suite.counted]
        figures.left_out += sorted(set(run.files) - {suite.name for suite in suites})
        if not suites:
            continue
        figures.seeds.append(run.seed)
        tables = [_study_scores(suite, run.files[suite.name]) for suite in suites]
        for suite, table in zip(suites, tables, strict=True):
            figures.add(suite.name, table)
        paths = [run.files[suite.name] for suite in suites]
        write_run(Path(out), sign_run(run, paths, (STUDY, "", "", "suites")), tables)
    if not any(figures.right for figures in found.values()):
        near = candidates("classes", list(CLASSES))
        raise fail(
            f"no file is called after a suite of the study, as surprisals_cls_none.tsv {near}",
            folder,
        )
    return found


def _study_scores(suite: StudySuite, path: Path) -> pa.Table:
    lines = in_order(read_surprisals(path), [], path)
    items = study_items(suite, [lines[number].tokens for number in sorted(lines)], path)
    return pa.concat_tables(score_suites([items], line_reader(lines, path)))
