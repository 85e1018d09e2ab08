"""The sections of a page: what it says of each config, with the models side by side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from solecism.reports.charts import bar_chart
from solecism.reports.figures import (
    ALL,
    MEAN,
    FigureCell,
    FigureColumn,
    columns,
    model_labels,
    row_names,
)
from solecism.reports.hardest import HardPair, hardest
from solecism.reports.people import PEOPLE, Judgments, people_columns
from solecism.scoring.results import Result
from solecism.scoring.summary import COLUMNS

__all__ = ["ConfigSection", "FigureRow", "FigureTable", "PageFigures", "page_figures"]

_DATA = ("data", "config")

ConfigKey = tuple[str, str, str]
"""A data set, a config of it, and its version."""


@dataclass(frozen=True)
class FigureRow:
    """A row of a table of figures: a cell (or None) for each model.

    ``level``: 0 for the largest groups; ``note``: the paradigm, where a group has only one;
    ``total``: a last row.
    """

    name: str
    level: int
    cells: tuple[FigureCell | None, ...]
    note: str = ""
    total: bool = False


@dataclass(frozen=True)
class FigureTable:
    """A table: the names of models above, groups on the left."""

    by: str
    heads: tuple[str, ...]
    rows: tuple[FigureRow, ...]


@dataclass(frozen=True)
class ConfigSection:
    """What a page says of a config."""

    anchor: str
    title: str
    by: str
    chart: Markup | None
    tables: tuple[FigureTable, ...]
    hardest: tuple[HardPair, ...]


@dataclass(frozen=True)
class PageFigures:
    """The figures of a page: ``models`` in their order, all configs together, and each config."""

    models: tuple[str, ...]
    pooled: tuple[FigureColumn, ...]
    overview: FigureTable | None
    chart: Markup | None
    sections: tuple[ConfigSection, ...]


def page_figures(
    results: Sequence[Result],
    by: str,
    group: bool = False,
    judgments: Mapping[tuple[str, str], Judgments] | None = None,
) -> PageFigures:
    """Return the figures of a page; ``by``: the grouping of the charts."""
    people = judgments or {}
    pooled = columns(results, "config", group)
    names = _names(pooled)
    pooled = [replace(column, label=names[_system(column)]) for column in pooled]
    with_people = [*pooled, *people_columns(results, people, "config")]
    configs = [row for row in row_names(pooled) if row not in (ALL, MEAN)]
    several = len(configs) > 1
    sections = [
        _section(key, some, names, by, group, people) for key, some in _by_config(results).items()
    ]
    return PageFigures(
        tuple(names.values()),
        tuple(pooled),
        _table("config", with_people) if several else None,
        _chart("config", with_people, list(names.values())) if several else None,
        tuple(_anchored(sections)),
    )


def _by_config(results: Sequence[Result]) -> dict[ConfigKey, list[Result]]:
    found: dict[ConfigKey, list[Result]] = {}
    for result in results:
        run = result.run
        found.setdefault((run["data"], run["config"], run["version"]), []).append(result)
    return found


SystemKey = tuple[tuple[str, str], ...]


def _system(column: FigureColumn) -> SystemKey:
    """Return what tells a model and its options from others, whatever the data."""
    return tuple((k, v) for k, v in column.fields.items() if k not in _DATA)


def _names(pooled: Sequence[FigureColumn]) -> dict[SystemKey, str]:
    """Return a short name of each model: always with the model in it."""
    keys = list(dict.fromkeys(map(_system, pooled)))
    made = model_labels([dict(key) for key in keys])
    return dict(zip(keys, made, strict=True))


def _section(
    key: ConfigKey,
    results: Sequence[Result],
    names: Mapping[SystemKey, str],
    by: str,
    group: bool,
    people: Mapping[tuple[str, str], Judgments],
) -> ConfigSection:
    def side_by_side(grouping: str) -> list[FigureColumn]:
        found = columns(results, grouping, group)
        order = list(names)
        found.sort(key=lambda column: order.index(_system(column)))
        some = [replace(column, label=names[_system(column)]) for column in found]
        return [*some, *people_columns(results, people, grouping)]

    figures = {name: side_by_side(name) for name in COLUMNS}
    shown = by if by != "config" else _telling(figures)
    if shown not in figures:
        figures[shown] = side_by_side(shown)
    tables = [] if shown in COLUMNS else [_table(shown, figures[shown])]
    tables.append(_nested(figures, _nesting(results)))
    models = {names[_system(c)]: c.results[0] for c in figures["UID"] if c.label != PEOPLE}
    chart = _chart(shown, figures[shown], list(names.values()))
    return ConfigSection(
        "", _title(key), shown, chart, tuple(tables),
        tuple(hardest(models)),
    )  # fmt: skip


def _title(key: ConfigKey) -> str:
    """Return ``clams/he 1.0.0``; a Parquet file is data set and config in one."""
    data, config, version = key
    name = data if data == config else f"{data}/{config}"
    return f"{name} {version}".strip()


def _anchored(sections: Iterable[ConfigSection]) -> Iterator[ConfigSection]:
    """Name each section, for links."""
    for number, section in enumerate(sections, 1):
        text = re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-")
        yield replace(section, anchor=f"{text}-{number}")


def _telling(figures: Mapping[str, Sequence[FigureColumn]]) -> str:
    """Return the coarsest grouping with more than one group."""
    for name in ("phenomenon", "construction"):
        if sum(row not in (ALL, MEAN) for row in row_names(figures[name])) > 1:
            return name
    return "UID"


def _chart(by: str, some: Sequence[FigureColumn], models: Sequence[str]) -> Markup:
    """Return bars; each of the ``models`` of the page has the same colour in all charts."""
    rows = [row for row in row_names(some) if row not in (ALL, MEAN)] or [ALL]
    cells = {column.label: column.cells for column in some}
    series = {name: cells.get(name, {}) for name in models}
    return bar_chart(f"Accuracy by {by}", rows, series, cells.get(PEOPLE))


def _table(by: str, some: Sequence[FigureColumn]) -> FigureTable:
    rows = (_row(name, 0, some, total=name in (ALL, MEAN)) for name in row_names(some))
    return FigureTable(by, tuple(column.label for column in some), tuple(rows))


def _row(
    name: str, level: int, some: Sequence[FigureColumn], note: str = "", total: bool = False
) -> FigureRow:
    return FigureRow(name, level, tuple(c.cells.get(name) for c in some), note, total)


@dataclass(frozen=True)
class UIDPlace:
    """Where a paradigm belongs; an empty text: nowhere."""

    phenomenon: str
    construction: str


def _nesting(results: Sequence[Result]) -> dict[str, UIDPlace]:
    """Return the phenomenon and the construction of each paradigm.

    Constructions are left out where one is of several phenomena, or a paradigm has several.
    """
    found: dict[str, set[tuple[str, str]]] = {}
    for result in results:
        table = result.read(["UID", "linguistics_term", "construction"])
        for row in table.group_by(table.column_names, use_threads=False).aggregate([]).to_pylist():
            place = row["linguistics_term"] or "", row["construction"] or ""
            found.setdefault(row["UID"], set()).add(place)
    parents: dict[str, set[str]] = {}
    for phenomenon, construction in {place for some in found.values() for place in some}:
        parents.setdefault(construction, set()).add(phenomenon)
    nested = all(len(some) == 1 for some in found.values()) and all(
        len(above) == 1 for name, above in parents.items() if name
    )
    return {
        uid: UIDPlace(min(some)[0] if len({p for p, _ in some}) == 1 else "", min(some)[1] if nested else "")
        for uid, some in found.items()
    }  # fmt: skip


def _nested(
    figures: Mapping[str, Sequence[FigureColumn]], places: Mapping[str, UIDPlace]
) -> FigureTable:
    """Return all paradigms, under their phenomena and constructions."""
    uids = [name for name in row_names(figures["UID"]) if name not in (ALL, MEAN)]
    outside = UIDPlace("", "")
    tree: dict[str, dict[str, list[str]]] = {}
    for uid in uids:
        place = places.get(uid, outside)
        tree.setdefault(place.phenomenon, {}).setdefault(place.construction, []).append(uid)
    rows: list[FigureRow] = []
    for phenomenon, constructions in tree.items():
        level = 0
        single = _only(constructions)
        if phenomenon and len(tree) > 1:
            rows.append(_row(phenomenon, 0, figures["phenomenon"], single))
            level = 1
        if not (single and level):
            rows += _constructions(constructions, level, figures)
    heads = tuple(column.label for column in figures["UID"])
    totals = [n for n in (ALL, MEAN) if n in row_names(figures["UID"])]
    rows += [_row(name, 0, figures["UID"], total=True) for name in totals]
    return FigureTable("paradigm", heads, tuple(rows))


def _only(constructions: Mapping[str, Sequence[str]]) -> str:
    """Return the only paradigm of a phenomenon, "" where it has more."""
    uids = [uid for some in constructions.values() for uid in some]
    return uids[0] if len(uids) == 1 else ""


def _constructions(
    constructions: Mapping[str, Sequence[str]],
    level: int,
    figures: Mapping[str, Sequence[FigureColumn]],
) -> Iterator[FigureRow]:
    for construction, uids in constructions.items():
        named = bool(construction) and len(constructions) > 1
        if named:
            note = uids[0] if len(uids) == 1 else ""
            yield _row(construction, level, figures["construction"], note)
        if not named or len(uids) > 1:
            yield from (_row(uid, level + named, figures["UID"]) for uid in uids)
