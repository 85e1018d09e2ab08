"""Read results and judgments on the data sets of a site."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.phenomena import renamed
from solecism.reports.figures import FigureCell, paradigm_correlations, systems, tally_of
from solecism.reports.html import PageFigures, page_figures
from solecism.reports.people import PEOPLE, Judged, Judgments, people_cell, read_judgments
from solecism.reports.report import open_results
from solecism.scoring.results import Result
from solecism.site.folders import SiteConfig, SiteData


@dataclass(frozen=True)
class SiteResults:
    """Results on the data sets of a site, and judgments of people.

    ``others``: results on other data, or on another version of the data.
    """

    results: tuple[Result, ...] = ()
    judgments: Judged = field(default_factory=dict)
    others: tuple[Result, ...] = ()

    @cached_property
    def _named(self) -> list[tuple[str, Result]]:
        every = systems(self.results, with_model=True)
        return [(name, result) for name, some in every for result in some]

    @cached_property
    def _correlations(self) -> dict[Path, dict[str, list[float]]]:
        """How minimal the pairs of each paradigm are, by the file of the result and by UID."""
        return {result.path: paradigm_correlations(result, "UID") for result in self.results}

    def of(self, config: SiteConfig) -> dict[str, Result]:
        """Return the results on a config, by the short names of their models."""
        place = config.data, config.name
        return {name: r for name, r in self._named if (r.run["data"], r.run["config"]) == place}

    def paradigm(self, holders: Iterable[SiteConfig], uid: str) -> dict[str, FigureCell]:
        """Return the accuracy of each model, and of people last, on a paradigm.

        ``holders``: the configs that have its items. If a model has results on several of them, the
        first one counts.
        """
        found: dict[str, FigureCell] = {}
        people: dict[str, FigureCell] = {}
        for config in holders:
            for name, result in self.of(config).items():
                now = renamed(config.data).get(uid, uid)  # results have the names of today
                known = result.summary["by"]["UID"].get(now)
                if known and known["n"]:
                    similar = self._correlations[result.path].get(now, [])
                    found.setdefault(name, FigureCell.of(tally_of(known), similar))
            if cell := people_cell(self.judgments.get((config.data, config.name), {}), [uid]):
                people.setdefault(PEOPLE, cell)
        return {**found, **people}

    def figures(self, data: SiteData) -> PageFigures | None:
        """Return the figures of all models on a data set."""
        some = [result for result in self.results if result.run["data"] == data.name]
        return page_figures(some, "config", judgments=self.judgments) if some else None

    def margins(
        self, configs: Sequence[SiteConfig], ids: Sequence[str]
    ) -> dict[str, NDArray[np.float32]]:
        """Return the margin of each item for each model, NaN where it has none.

        ``configs``: the configs that the items are in. If an item has margins in several, the one
        in the first counts.
        """
        wanted, found = pa.array(ids, pa.string()), dict[str, NDArray[np.float32]]()
        for config in configs:
            for name, result in self.of(config).items():
                table = result.read(["id", "margin"])
                places = pc.index_in(wanted, value_set=table["id"].combine_chunks())
                numbers = table["margin"].take(places).cast(pa.float32()).to_numpy()
                known = found.setdefault(name, numbers)
                found[name] = np.where(np.isnan(known), numbers, known)
        return {name: numbers for name, numbers in found.items() if not np.isnan(numbers).all()}


def open_site_results(
    data: Sequence[SiteData], results: Sequence[Path], judgments: Sequence[Path]
) -> SiteResults:
    """Read results and judgments; raises :class:`InputError` for what is broken.

    Results on data that differ from those of the folders are kept apart, even if the names agree.
    """
    configs = {(c.data, c.name): (d.entry.version, c.digest) for d in data for c in d.configs}

    def fits(result: Result) -> bool:
        run = result.run
        version, digest = configs.get((run["data"], run["config"]), (None, ""))
        same = version is not None and run["version"] in ("", version)
        return same and digest.startswith(run["digest"][:16])

    found = open_results(list(results)) if results else []
    others = tuple(result for result in found if not fits(result))
    fitting = tuple(result for result in found if result not in others)
    return SiteResults(fitting, _judged(data, judgments), others)


def _judged(data: Sequence[SiteData], files: Sequence[Path]) -> Judged:
    """Return the judgments of each config; those in ``files`` replace those in its folder."""
    found: dict[tuple[str, str], Judgments] = {}
    read = [read_judgments(file) for file in files]
    for config in (config for some in data for config in some.configs):
        for path in config.judgments:
            for judged in read_judgments(path).values():
                found[config.data, config.name] = judged
        for by_config in read:
            said = by_config.get(config.name) or by_config.get("", {})
            if said.keys() & {paradigm.uid for paradigm in config.paradigms}:
                found[config.data, config.name] = said
    return found
