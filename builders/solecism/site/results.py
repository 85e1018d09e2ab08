"""Results and judgments on the data sets of a site."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.reports.figures import ALL, FigureCell, columns, model_labels, systems
from solecism.reports.people import PEOPLE, Judgments, read_judgments
from solecism.reports.report import open_results
from solecism.reports.sections import FigureRow, FigureTable, PageFigures, page_figures
from solecism.scoring.results import Result
from solecism.site.folders import SiteConfig, SiteData

__all__ = ["LeaderRow", "SiteResults", "open_site_results"]


@dataclass(frozen=True)
class LeaderRow:
    """A row of a leaderboard: a model on a config, with all that its figure depends on."""

    model: str
    cell: FigureCell
    method: str
    signature: str


@dataclass(frozen=True)
class SiteResults:
    """Results by data set and config, the names of their models, and what people decide.

    ``strays``: results that are of no data set of the site, or of another version of one.
    """

    results: tuple[Result, ...] = ()
    judgments: Mapping[tuple[str, str], Judgments] = field(default_factory=dict)
    strays: tuple[Result, ...] = ()

    @cached_property
    def _names(self) -> dict[Path, str]:
        found = systems(self.results)
        names = model_labels([fields for fields, _ in found])
        return {
            result.path: name
            for name, (_, some) in zip(names, found, strict=True)
            for result in some
        }

    @cached_property
    def _cells(self) -> dict[tuple[Path, str], Mapping[str, FigureCell]]:
        return {}

    def cells(self, result: Result, by: str) -> Mapping[str, FigureCell]:
        """Return the figures of a result by a grouping."""
        key = result.path, by
        if key not in self._cells:
            self._cells[key] = columns([result], by)[0].cells
        return self._cells[key]

    def name(self, result: Result) -> str:
        """Return the short name of a result's model."""
        return self._names[result.path]

    def of(self, config: SiteConfig) -> list[Result]:
        """Return the results on a config."""
        key = config.data, config.name
        return [r for r in self.results if (r.run["data"], r.run["config"]) == key]

    def paradigm(self, holders: Iterable[SiteConfig], uid: str) -> dict[str, FigureCell]:
        """Return the accuracy of each model, and of people last, on a paradigm.

        ``holders``: configs with the same items of it; of two results of a model the first counts.
        """
        found: dict[str, FigureCell] = {}
        people: dict[str, FigureCell] = {}
        for config in holders:
            for result in self.of(config):
                cell = self.cells(result, "UID").get(uid)
                if cell is not None and cell.n:
                    found.setdefault(self.name(result), cell)
            judged = self.judgments.get((config.data, config.name))
            if judged is not None and (cell := judged.cell([uid])):
                people.setdefault(PEOPLE, cell)
        return {**found, **people}

    def phenomenon(self, data: SiteData, name: str) -> FigureTable | None:
        """Return the accuracies on a phenomenon: a row for each config, a column for each model."""
        rows, heads = list[tuple[str, dict[str, FigureCell]]](), dict[str, None]()
        for config in data.configs:
            cells = {
                self.name(result): cell
                for result in self.of(config)
                if (cell := self.cells(result, "phenomenon").get(name)) and cell.n
            }
            if cells:
                rows.append((config.name, cells))
                heads.update(dict.fromkeys(cells))
        if not rows:
            return None
        made = (FigureRow(row, 0, tuple(cells.get(head) for head in heads)) for row, cells in rows)
        return FigureTable("config", tuple(heads), tuple(made))

    def figures(self, data: SiteData) -> PageFigures | None:
        """Return the figures of all models on a data set."""
        some = [result for result in self.results if result.run["data"] == data.name]
        return page_figures(some, "config", judgments=self.judged(some)) if some else None

    def judged(self, results: Sequence[Result]) -> dict[tuple[str, str], Judgments]:
        """Return the judgments of the configs that results are of."""
        keys = {(result.run["data"], result.run["config"]) for result in results}
        return {key: found for key, found in self.judgments.items() if key in keys}

    def leaders(self, config: SiteConfig) -> list[LeaderRow]:
        """Return the models on a config, the best first."""
        rows = [
            LeaderRow(self.name(r), self.cells(r, "UID")[ALL], str(r.run["method"]), r.signature)
            for r in self.of(config)
        ]
        return sorted(rows, key=lambda row: (-row.cell.value, row.model))

    def margins(
        self, configs: Sequence[SiteConfig], ids: Sequence[str]
    ) -> dict[str, NDArray[np.float32]]:
        """Return the margin of each item for each model, NaN where it has none.

        ``configs``: those whose items have the ids; of two margins that of the first one counts.
        """
        wanted, found = pa.array(ids, pa.string()), dict[str, NDArray[np.float32]]()
        for result in (result for config in configs for result in self.of(config)):
            numbers = _margins(result, wanted)
            known = found.setdefault(self.name(result), numbers)
            found[self.name(result)] = np.where(np.isnan(known), numbers, known)
        return {name: numbers for name, numbers in found.items() if not np.isnan(numbers).all()}


def _margins(result: Result, ids: pa.Array) -> NDArray[np.float32]:
    table = result.read(["id", "margin"])
    places = pc.index_in(ids, value_set=table["id"].combine_chunks())
    values = table["margin"].take(places).cast(pa.float32())
    found: NDArray[np.float32] = values.to_numpy()
    return found


def open_site_results(
    data: Sequence[SiteData], results: Sequence[Path], judgments: Sequence[Path]
) -> SiteResults:
    """Read results and judgments; raises :class:`InputError` for what is broken.

    Results of other content than the folders have are strays, whatever they are called.
    """
    contents = {
        (config.data, config.name): (some.entry.version, config.digest)
        for some in data
        for config in some.configs
    }
    found = open_results(list(results)) if results else []
    fitting = [result for result in found if _fits(result, contents)]
    strays = tuple(result for result in found if result not in fitting)
    return SiteResults(tuple(fitting), _judged(data, judgments), strays)


def _fits(result: Result, contents: Mapping[tuple[str, str], tuple[str, str]]) -> bool:
    run = result.run
    known = contents.get((run["data"], run["config"]))
    if known is None or run["version"] not in ("", known[0]):
        return False
    return not run["digest"] or known[1].startswith(run["digest"][:16])


def _judged(data: Sequence[SiteData], files: Sequence[Path]) -> dict[tuple[str, str], Judgments]:
    """Return the judgments of each config: those of its data set's folder, then those of files."""
    found: dict[tuple[str, str], Judgments] = {}
    for some in data:
        for name, paths in some.judgments.items():
            for path in paths:
                for judged in read_judgments(path).values():
                    found[some.name, name.removesuffix("-judgments")] = judged
    for file in files:
        read = read_judgments(file)
        for config in (config for some in data for config in some.configs):
            said = read.get(config.name) or read.get("")
            known = {paradigm.uid for paradigm in config.paradigms}
            if said is not None and known & set(said.accuracy):
                found[config.data, config.name] = said
    return found
