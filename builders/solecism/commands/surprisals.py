"""``solecism score --surprisals``: accuracies from files of surprisals alone, without a model."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console
from rich.table import Table

from solecism.commands.report import report
from solecism.errors import candidates, fail
from solecism.scoring.items import PairData, open_items
from solecism.scoring.methods.region import all_hold, items_line, score_suites
from solecism.scoring.results import (
    ResultWriter,
    read_result,
    refuse_replacing,
    result_files,
)
from solecism.scoring.signature import Signature
from solecism.scoring.summary import summarize_file
from solecism.scoring.surprisals import (
    CLASSES,
    Run,
    Suite,
    class_accuracy,
    find_runs,
    find_suite,
    line_reader,
    read_surprisals,
    table_rows,
    whole_items,
)

__all__ = ["score_study_and_report", "score_surprisals_and_report"]

_NGRAM = re.compile(r"n[-_]?gram", re.IGNORECASE)

STUDY = "wang-etal-2021-controlled"
"""What results of the original study's suites name as their data."""


def score_surprisals_and_report(
    data: str, folder: Path, out: Path, as_json: bool, console: Console
) -> None:
    """Score the suite items of a config from files of surprisals of their sentences, in order.

    ``folder`` has a file for the config, ``surprisals_CONFIG.tsv``, or one for each of its suites; or folders
    of such files, for several models and seeds. Writes a result for each; raises :class:`InputError`.
    """
    items = open_items(data)
    if items.kind != "suite":
        raise fail(f"{data!r} has no suites: regions are needed to read surprisals of tokens")
    written = []
    for run in find_runs(folder):
        signature = _signature(
            run, run.files.values(), (items.name, items.version, items.digest, items.config)
        )
        written.append(_write(out, run, signature, _scored(items, run)))
    report(written, None, False, None, None, None, as_json, console)
    if not as_json:
        for path in written:
            console.print(items_line(read_result(path).summary["items"]))
            console.print(f"written to {path}", soft_wrap=True, markup=False, highlight=False)


def _scored(items: PairData, run: Run) -> Iterator[pa.Table]:
    whole = run.files.get(items.config)
    if whole is not None:
        yield from score_suites(items.tables(), line_reader(read_surprisals(whole), whole))
        return
    for suite, table in _by_suite(items):
        if suite not in run.files:
            near = candidates("files", list(run.files), suite)
            raise fail(f"model {run.model!r} has no surprisals_{suite}.tsv {near}")
        path = run.files[suite]
        yield from score_suites([table], line_reader(read_surprisals(path), path))


def _by_suite(items: PairData) -> Iterator[tuple[str, pa.Table]]:
    table = pa.concat_tables(items.tables())
    names = table["suite"].to_pylist()
    for suite in dict.fromkeys(names):
        yield suite, table.filter(pa.array([name == suite for name in names]))


def _signature(run: Run, files: Iterable[Path], data: tuple[str, str, str, str]) -> Signature:
    digest = hashlib.sha256()
    for path in sorted(files, key=lambda path: str(path.name)):
        digest.update(path.read_bytes())
    model = f"{run.model}/seed-{run.seed}" if run.seed else run.model
    name, version, content, config = data
    return Signature(
        name, version, content, config, "region", model, f"sha256-{digest.hexdigest()[:12]}", "float64",
        {"surprisals": "files"},
    )  # fmt: skip


def _write(out: Path, run: Run, signature: Signature, tables: Iterator[pa.Table]) -> Path:
    parts = (signature.model, signature.data, signature.config, "surprisals")
    stem = out / "-".join(re.sub(r"[^\w.]+", "_", part) for part in parts)
    out.mkdir(parents=True, exist_ok=True)
    refuse_replacing(stem, signature)
    scored = list(tables)

    def summary(table: Path) -> dict[str, Any]:
        return {**summarize_file(table, signature), "items": all_hold(table).to_json()}

    with ResultWriter(stem, str(signature), summary=summary) as writer:
        done = writer.resume()
        for table in scored:
            writer.write(table.slice(min(done, len(table))))
            done = max(done - len(table), 0)
    return result_files(stem)[0]


@dataclass
class _Figures:
    """What the seeds of a model come to, suite by suite: rows right and scored, items that fulfil all.

    The criterion is a positive difference, so a tie is a failure (section 3.1); of an n-gram model it counts
    one half, for which the study flips a coin (section 3.3).
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
        """Accuracies by class and by suite, means over the seeds."""
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


def score_study_and_report(folder: Path, out: Path, as_json: bool, console: Console) -> None:
    """Compute the accuracies of Wang et al. (2021, Table 6) from the surprisals that the study published.

    Writes a result for each model and seed; raises :class:`InputError` for files that cannot be read.
    """
    found: dict[str, _Figures] = {}
    for run in find_runs(folder):
        figures = found.setdefault(run.model, _Figures(0.5 if _NGRAM.search(run.model) else 0.0))
        suites = {name: suite for name in run.files if (suite := find_suite(name))}
        counted = [suite for suite in suites.values() if suite.counted]
        figures.left_out += sorted(set(run.files) - {suite.name for suite in counted})
        if not counted:
            continue
        figures.seeds.append(run.seed)
        tables = [(suite.name, _study_scores(suite, run.files[suite.name])) for suite in counted]
        for name, table in tables:
            figures.add(name, table)
        paths = [run.files[suite.name] for suite in counted]
        signature = _signature(run, paths, (STUDY, "", "", "suites"))
        _write(out, run, signature, iter([table for _, table in tables]))
    if not any(figures.right for figures in found.values()):
        near = candidates("classes", list(CLASSES))
        raise fail(
            f"no file is called after a suite of the study, as surprisals_cls_none.tsv {near}",
            folder,
        )
    _print(found, out, as_json, console)


def _study_scores(suite: Suite, path: Path) -> pa.Table:
    lines = read_surprisals(path)
    items = whole_items(suite, lines, path)
    return pa.concat_tables(score_suites([items], line_reader(lines, path)))


def _print(found: Mapping[str, _Figures], out: Path, as_json: bool, console: Console) -> None:
    if as_json:
        told = {model: figures.to_json() for model, figures in found.items()}
        console.print_json(json.dumps({"models": told}, ensure_ascii=False))
        return
    for model, figures in found.items() if len(found) == 1 else ():
        console.print(_suite_table(figures))
        console.print(f"{model}: means over {len(figures.seeds)} seeds\n", highlight=False)
    console.print(_class_table({m: class_accuracy(f.right) for m, f in found.items() if f.right}))
    left = sorted({name for figures in found.values() for name in figures.left_out})
    ties = {model: figures.ties for model, figures in found.items() if figures.ties}
    for model, number in ties.items():
        how = "one half each" if found[model].tie else "counted as failures, as in the study"
        console.print(f"{model}: {number} ties, {how}", highlight=False)
    if left:
        console.print(f"not of the study's 24 suites, left out: {', '.join(left)}", highlight=False)
    console.print(f"results of each seed written to {out}", soft_wrap=True, highlight=False)


def _suite_table(figures: _Figures) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("suite", "accuracy", "all hold"):
        table.add_column(title, justify="left" if title == "suite" else "right")
    for suite, found in figures.to_json()["suites"].items():
        table.add_row(suite, f"{found['accuracy']:.3f}", f"{found['all_hold']:.3f}")
    return table


def _class_table(accuracies: Mapping[str, Mapping[str, Fraction]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("model")
    for kind in CLASSES.values():
        table.add_column(kind.short, justify="right")
    for row in table_rows(accuracies):
        table.add_row(*row)
    return table
