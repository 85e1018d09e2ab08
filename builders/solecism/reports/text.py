"""Reports as text: tables for a terminal, CSV, LaTeX, JSON, and the YAML of the hub."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from rich.table import Table
from rich.text import Text

from solecism.errors import fail
from solecism.files import write_text
from solecism.phenomena import phenomena
from solecism.reports.comparison import Comparison, ModelDifference
from solecism.reports.figures import (
    ALL,
    MEAN,
    ColumnBlock,
    FigureCell,
    FigureColumn,
    row_names,
    systems,
)
from solecism.reports.missed import Missed
from solecism.scoring.results import Result

if TYPE_CHECKING:
    import pandas as pd

_CELL = 17
"""Width of a column: ``100.0 72.2–100.0`` and a space."""

_R = 5
"""Width of a column of correlations, ``-.12`` and a space."""

MINIMALITY = "r: correlation of log P of the two sides (mean of paradigms)"


_UNITS = {"region": "predictions", "cloze": "items", "cloze:two_forms": "items"}
"""What methods count, where that is no pairs."""


def unit_of(some: Iterable[FigureColumn]) -> str:
    """Return what all columns count: pairs, predictions of suites, or items."""
    known = ((c.cells[ALL], c.fields.get("method", "")) for c in some if ALL in c.cells)
    found = {
        "items" if cell.n and cell.ends is None else _UNITS.get(method, "pairs")
        for cell, method in known
    }
    return found.pop() if len(found) == 1 else "items"


def _percent(cell: FigureCell | None) -> str:
    """Return ``93.1 92.7–93.5``: per cent, and the interval or the deviation."""
    if cell is None:
        return ""
    return f"{100 * cell.value:.1f} {cell.spread}".strip() if cell.n else "none"


def _correlation(cell: FigureCell | None) -> str:
    """Return ``.98``; an empty text where there is none."""
    if cell is None or cell.correlation is None:
        return ""
    return f"{cell.correlation:.2f}".replace("0.", ".", 1)


def tables(blocks: Sequence[ColumnBlock], by: str, width: int = 80) -> Iterator[Table | Text]:
    """Yield the tables of a report, as many columns side by side as ``width`` holds."""
    rows = row_names(column for _, columns in blocks for column in columns)
    least = _CELL + _R * _has_correlations(column for _, columns in blocks for column in columns)
    longest = max(len(row_label(row, by, ())) for row in [*rows, by])
    label = min(longest, max(16, width - 2 * least))
    for title, columns in blocks:
        if title:
            yield Text(title, style="bold")
        most = min(len(columns), max(1, (width - label) // least))
        longest = max(len(column.label) for column in columns)
        cell = max(_CELL, min(longest + 1, (width - label) // most - least + _CELL))
        widths = (label, cell - 1) if len(columns) > 1 else None
        for start in range(0, len(columns), most):
            yield _table(columns[start : start + most], by, rows, widths)
        yield Text("")


def _table(
    some: Sequence[FigureColumn], by: str, rows: Sequence[str], widths: tuple[int, int] | None
) -> Table:
    """Return a table; that of a single column, without ``widths``, has room for its counts."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    label, wide = widths or (None, None)
    least = None if widths else _CELL - 1
    table.add_column(by, width=label, overflow="fold")
    shown = [_has_correlations([column]) for column in some]
    for column, also in zip(some, shown, strict=True):
        table.add_column(
            column.label, justify="right", overflow="fold", width=wide, min_width=least
        )
        if also:
            table.add_column("r", justify="right", no_wrap=True, width=_R - 1 if widths else None)
    for title in () if widths else (unit_of(some), "ties", "skipped"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        cells = [column.cells.get(row) for column in some]
        if any(cells):
            pairs = zip(cells, shown, strict=True)
            texts = [[_percent(cell), _correlation(cell)][: 1 + also] for cell, also in pairs]
            if (cell := cells[0]) and not widths:
                texts.append([f"{n:,}" for n in (cell.n, cell.ties, sum(cell.skipped.values()))])
            table.add_row(Text(row_label(row, by, some)), *chain.from_iterable(texts))
    return table


def row_label(row: str, by: str, some: Iterable[FigureColumn]) -> str:
    """Return what stands left of a row: a phenomenon's label, in the last rows what is counted."""
    if row == ALL:
        return row.replace("pairs", unit_of(some))
    return phenomena()[row].label if by == "phenomenon" and row in phenomena() else row


def _has_correlations(some: Iterable[FigureColumn]) -> bool:
    return any(cell.correlation is not None for c in some for cell in c.cells.values())


def counts_line(column: FigureColumn, name: str, by: str) -> str:
    """Return ``gpt2: 19,795 pairs, 42 ties, 205 skipped (too long 205)``.

    Pairs that are in no row of the table, because they have no value of ``by``, are counted too.
    """
    cell = column.cells[ALL]
    parts = [f"{cell.n:,} {unit_of([column])}"] + ([f"{cell.ties:,} ties"] if cell.ties else [])
    rest = cell.n - sum(c.n for row, c in column.cells.items() if row not in (ALL, MEAN))
    if rest > 0:
        parts.append(f"{rest:,} without {by}")
    if cell.seeds > 1:
        parts = [f"{cell.seeds} seeds, mean ± standard deviation", *parts]
    if cell.skipped:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in cell.skipped.items())
        parts.append(f"{sum(cell.skipped.values()):,} skipped ({reasons})")
    return f"{name}: {', '.join(parts)}"


def items_line(found: Mapping[str, float]) -> str:
    """Return of how many suite items all predictions hold (``found``: a tally as JSON)."""
    if not found["n"]:
        return "no item could be scored"
    share = f"{100 * found['accuracy']:.1f} % of {found['n']:,} items"
    return f"all predictions of an item hold: {share}"


def normalised_lines(result: Result) -> str:
    """Return the accuracies by normaliser, and those by the difference in tokens, in two lines."""
    summary = result.summary
    named = {"sum": summary["overall"], **summary["normalised"]["overall"]}
    apart = summary["tokens_differ"]
    right = f"per cent right by log P, by normaliser: {_listed(named)}"
    if not apart["share"]:
        return f"{right}\nboth sentences of all pairs have as many tokens"
    share = f"{100 * apart['share']:.1f} % of pairs differ in their number of tokens"
    return f"{right}\n{share}; by the difference, good less bad: {_listed(apart['by'])}"


def _listed(tallies: Mapping[str, Mapping[str, float]]) -> str:
    return ", ".join(f"{name} {100 * found['accuracy']:.1f}" for name, found in tallies.items())


def signatures(results: Sequence[Result]) -> list[str]:
    """Return signatures, those that differ only in data and config in one line (``cfg:de,en``)."""
    lines = []
    for _, some in systems(results):
        parts = [dict(part.partition(":")[::2] for part in r.signature.split("|")) for r in some]
        merged = {key: ",".join(dict.fromkeys(p.get(key, "") for p in parts)) for key in parts[0]}
        lines.append("|".join(f"{key}:{value}" if value else key for key, value in merged.items()))
    return lines


def difference_table(found: ModelDifference) -> Table:
    """Return a table of both accuracies, their difference with its interval, and mid-p."""
    table = Table(found.by, box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for name in difference_heads(found)[1:]:
        fold = name in (found.first, found.second)
        table.add_column(
            name, justify="right", overflow="fold", no_wrap=not fold, min_width=5 * fold
        )
    for row, it in found.rows.items():
        table.add_row(Text(row), *difference_cells(it))
    return table


def difference_heads(found: ModelDifference) -> list[str]:
    """Return the heads of a table of differences."""
    return [found.by, "pairs", found.first, found.second, "difference", "p"]


def difference_cells(it: Comparison) -> tuple[str, ...]:
    """Return the number of pairs, both accuracies, the difference with its interval, and mid-p.

    The difference is as ``+2.3 [+1.1, +3.4]``, in points; p has as many digits as it is worth.
    """
    difference, low, high = (f"{100 * value:+.1f}" for value in (it.difference, it.low, it.high))
    p = "<.0001" if it.p_mid < 1e-4 else f"{it.p_mid:.4f}".removeprefix("0")
    sides = (f"{100 * side:.1f}" for side in (it.first, it.second))
    return f"{it.n:,}", *sides, f"{difference} [{low}, {high}]", p


def missed_items(found: Missed) -> Iterator[Table | Text]:
    """Yield a table of the paradigms in which all models miss some items, then these items."""
    some = [paradigm for paradigm in found.paradigms if paradigm.items]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("paradigm", overflow="fold")
    for title in ("items", "missed by all", "share", "by chance"):
        table.add_column(title, justify="right")
    for it in some:
        shares = (f"{100 * share:.1f} %" for share in (it.share, it.chance))
        table.add_row(Text(it.name), f"{it.n:,}", f"{len(it.items):,}", *shares)
    yield table
    for it in some:
        yield Text(f"\n{it.name}", style="bold")
        for item in it.items:
            pair = f"{item.id}  {item.sentence_good}\n{'*':>18}{item.sentence_bad}"
            yield Text(pair.rstrip(" *\n"))
    yield Text(f"\nmodels: {', '.join(found.models)}", style="dim")
    yield Text("by chance: the product of their shares of misses, as if they missed independently",
               style="dim")  # fmt: skip
    if found.left_out:
        left = f"{found.left_out:,} items that not all of them have scored are left out"
        yield Text(left, style="dim")


def records(some: Sequence[FigureColumn], by: str) -> list[dict[str, Any]]:
    """Return a record for each figure with all digits."""
    made = []
    for column in some:
        for row in row_names([column]):
            cell = column.cells[row]
            made.append({
                "by": by, "group": row, "label": column.label,
                "model": column.fields.get("model", ""), "config": column.fields.get("config", ""),
                "accuracy": None if math.isnan(cell.value) else cell.value,
                "low": cell.low, "high": cell.high, "deviation": cell.deviation,
                "correlation": cell.correlation,
                "seeds": cell.seeds, "n": cell.n, "ties": cell.ties, "skipped": dict(cell.skipped),
                "signature": " ".join(result.signature for result in column.results),
                "language": column.fields.get("language", ""),
            })  # fmt: skip
    return made


def latex_text(blocks: Sequence[ColumnBlock], by: str) -> str:
    """Return tables for a paper (package ``booktabs``), one a block."""
    import pandas as pd

    parts = []
    for title, some in blocks:
        rows = row_names(some)
        columns = {c.label: [_latex_cell(c.cells.get(row)) for row in rows] for c in some}
        notes = [title] if title else []
        notes += [result.signature for column in some for result in column.results]
        names = [row_label(row, by, some) for row in rows]
        comments = "".join(f"% {note}\n" for note in notes)
        parts.append(comments + latex_table(pd.DataFrame({by: names, **columns})))
    return "\n".join(parts)


def _latex_cell(cell: FigureCell | None) -> str:
    if cell is None or not cell.n:
        return "–"
    return f"{100 * cell.value:.1f}" + (f" ({cell.spread})" if cell.spread else "")


def latex_table(frame: pd.DataFrame, caption: str | None = None, label: str | None = None) -> str:
    """Return a table of texts for a paper: names on the left, all others on the right."""
    shown = frame.style.hide(axis="index").format(escape="latex")
    shown = shown.format_index(escape="latex", axis=1)
    sides = "l" + "r" * (frame.shape[1] - 1)
    made = shown.to_latex(hrules=True, column_format=sides, caption=caption, label=label)
    return str(made)


def latex_difference(found: ModelDifference) -> str:
    """Return a comparison for a paper (package ``booktabs``)."""
    import pandas as pd

    rows = [[name, *difference_cells(it)] for name, it in found.rows.items()]
    return latex_table(pd.DataFrame(rows, columns=difference_heads(found)))


def write_eval_results(
    results: Sequence[Result], repository: Path, owner: str | None = None
) -> list[Path]:
    """Write the results of one model into a clone of its repository and return the files.

    They are as the hub keeps them (``.eval_results/*.yaml``, accuracies from 0 to 100,
    https://huggingface.co/docs/hub/eval-results). ``owner``: who has the data sets on the hub, for
    results of data sets in a folder. Raises :class:`InputError` for several models, and for a data
    set without an owner.
    """
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    models = sorted({result.run["model"] for result in results})
    if len(models) > 1:
        raise fail(f"a repository has the results of one model, these are of {', '.join(models)}")
    texts: dict[Path, str] = {}
    for result in results:
        run, accuracy = result.run, result.accuracy
        if "/" not in run["data"] and not owner:
            raise fail(f"which organisation hosts {run['data']!r} on the hub? Use --hub ORG")
        if accuracy is None:
            raise fail(f"{run['data']}/{run['config']}: no item has a score", result.path)
        entry = EvalResultEntry(
            dataset_id=run["data"] if "/" in run["data"] else f"{owner}/{run['data']}",
            task_id=run["config"], value=round(100 * accuracy, 2), notes=result.signature,
        )  # fmt: skip
        name = f"{run['data'].rpartition('/')[2]}-{run['config']}-{run['method']}"
        name = re.sub(r"[^A-Za-z0-9._-]+", "_", name)
        texts[repository / ".eval_results" / f"{name}.yaml"] = yaml.safe_dump(
            eval_result_entries_to_yaml([entry]), sort_keys=False, allow_unicode=True, width=1000
        )
    if len(texts) < len(results):
        raise fail("two results are of the same data, config and method: name one of them")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    return list(texts)
