"""A report as one self-contained web page: no network, no scripts, fit for print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from solecism.reports.charts import bar_chart, curve_chart, forest_chart, heat_map
from solecism.reports.comparison import Difference, correlations
from solecism.reports.curves import curves
from solecism.reports.figures import ALL, MEAN, Block, Cell, Column, columns, grid, row_names
from solecism.reports.text import p_text, signatures, signed
from solecism.scoring.results import Result
from solecism.version import __version__

__all__ = ["html_page"]

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.45 system-ui, "Segoe UI", "Noto Sans", Arial, sans-serif; color: #1a1a1a; background: #fff;
  max-width: 1000px; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.2rem; margin: 2.4rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p, figcaption { max-width: 46rem; } figcaption, .note { color: #404040; font-size: .88rem; }
figure { margin: .8rem 0 1.4rem; break-inside: avoid; } svg { max-width: 100%; height: auto; display: block; }
svg text { font-family: inherit; }
.plots { display: flex; flex-wrap: wrap; gap: 0 2.5rem; align-items: flex-start; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; font-size: .9rem; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { padding: .16rem .7rem; text-align: right; vertical-align: top; white-space: nowrap; }
th:first-child { text-align: left; padding-left: 0; white-space: normal; max-width: 20rem; font-weight: 400; }
td.t, th.t { text-align: left; white-space: normal; }
thead th { border-bottom: 1.5px solid #1a1a1a; font-weight: 600 !important; vertical-align: bottom;
  white-space: normal; overflow-wrap: anywhere; }
tbody tr.total th, tbody tr.total td { border-top: 1px solid #8c8c8c; }
tbody tr.total ~ tr.total > * { border: 0; }
td small { color: #595959; display: inline-block; min-width: 3.2em; text-align: left; }
code { font-size: .8rem; overflow-wrap: anywhere; }
ul.plain { list-style: none; padding: 0; }
@media print { body { margin: 0; max-width: none; font-size: 10pt; } h2, h3, caption { break-after: avoid; }
  tr { break-inside: avoid; } thead { display: table-header-group; } .wide { overflow: visible; }
  .plots { display: block; } .plots figure { display: inline-block; width: 47%; vertical-align: top;
  margin-right: 2%; } }
"""


def html_page(
    results: Sequence[Result], by: str, group: bool = False, found: Difference | None = None
) -> str:
    """The page of a report: tables, bars, curves, correlations, and what the figures depend on.

    ``found`` is a comparison to go first. The same results give the same text.
    """
    parts = [
        *_head(results),
        *_comparison(found),
        *_overview(columns(results, "config", group)),
        *_tables(results, by, group),
        *_bars(columns(results, by, group), by),
        *_curves(columns(results, "config", group)),
        *_correlated(results),
        *_paradigms(results, by, group),
        *_origin(results),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _head(results: Sequence[Result]) -> Iterator[str]:
    data = sorted({f"{r.run['data']} {r.run['version']}".strip() for r in results})
    title = f"Results on {', '.join(data)}"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>"
    yield f"<h1>{escape(title)}</h1>"
    yield (
        '<p class="note">Accuracy: per cent of the pairs in which the model gives the good sentence the '
        "higher score; a tie counts one half. ± is the longer side of the 95 % Wilson interval (of "
        "several seeds: the standard deviation), as are the lines across bars and points; chance is 50.</p>"
    )


def _percent(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    if not cell.n:
        return "<td>none</td>"
    half = "" if cell.half is None else f"±{100 * cell.half:.1f}"
    ends = "" if cell.low is None or cell.high is None else (
        f", {100 * cell.low:.2f} to {100 * cell.high:.2f}"
    )  # fmt: skip
    return f'<td title="{cell.n:,} pairs{ends}">{100 * cell.value:.1f} <small>{half}</small></td>'


def _table(caption: str, heads: Sequence[str], rows: Sequence[tuple[str, str]]) -> str:
    """``rows``: name and the cells after it as HTML."""
    top = "".join(_column_head(head) for head in heads)
    lines = [
        f"<tr{_total(name)}>" + f'<th scope="row">{escape(name)}</th>{cells}</tr>'
        for name, cells in rows
    ]
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = "\n".join(lines)
    return f'<div class="wide"><table>{title}<thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _column_head(head: str) -> str:
    left = ' class="t"' if head == _WHY else ""
    return f'<th scope="col"{left}>{escape(head)}</th>'


def _total(name: str) -> str:
    return ' class="total"' if name in (ALL, MEAN) else ""


_WHY = "reasons"


def _overview(some: Sequence[Column]) -> Iterator[str]:
    yield "<h2>Overview</h2>"
    names = row_names(some)
    if len(names) > 2:
        rows = [(n, "".join(_percent(c.cells.get(n)) for c in some)) for n in names]
        yield _table("Accuracy by config", ["config", *(c.label for c in some)], rows)
    rows = [(column.label, _counts(column)) for column in some]
    yield _table("What was scored", ["model", "accuracy", "pairs", "ties", "skipped", _WHY], rows)


def _counts(column: Column) -> str:
    cell = column.cells[ALL]
    numbers = (cell.n, cell.ties, sum(cell.skipped.values()))
    reasons = ", ".join(f"{reason}: {n:,}" for reason, n in cell.skipped.items())
    counts = "".join(f"<td>{number:,}</td>" for number in numbers)
    return f'{_percent(cell)}{counts}<td class="t">{escape(reasons)}</td>'


def _tables(results: Sequence[Result], by: str, group: bool) -> Iterator[str]:
    """The grouping asked for, then phenomena where there are several."""
    for name in dict.fromkeys([by, "phenomenon"]):
        some = columns(results, name, group)
        if name != "config" and (name == by or len(row_names(some)) > 3):
            yield f"<h2>By {escape(name)}</h2>"
            yield from (_block_table(block, name) for block in grid(some))


def _paradigms(results: Sequence[Result], by: str, group: bool) -> Iterator[str]:
    """Every paradigm, for reference."""
    if by != "UID":
        yield "<h2>All paradigms</h2>"
        yield from (_block_table(block, "UID") for block in grid(columns(results, "UID", group)))


def _block_table(block: Block, by: str) -> str:
    rows = [
        (row, "".join(_percent(column.cells.get(row)) for column in block.columns))
        for row in row_names(block.columns)
    ]
    return _table(block.title, [by, *(column.label for column in block.columns)], rows)


def _bars(some: Sequence[Column], by: str) -> Iterator[str]:
    yield f"<h2>Accuracy by {escape(by)}</h2>"
    for block in grid(some):
        rows = [row for row in row_names(block.columns) if row not in (ALL, MEAN)]
        series = {column.label: column.cells for column in block.columns}
        if not rows:
            continue
        title = f"Accuracy by {by}" + (f", {block.title}" if block.title else "")
        yield f"<figure><h3>{escape(block.title)}</h3>{bar_chart(title, rows, series)}</figure>"


_AXES = {
    "match": ("Attractor", "number of attractor and controller",
              "Attractors of the controller's number, and of another one."),
    "distance": ("Distance", "words from controller to target", "1: neighbours."),
    "length": ("Length", "bytes of the scored text",
               "Pairs in classes of about equal size by the length of the good sentence's scored text."),
    "margin": ("Margin", "probability of the preferred sentence",
               "How sure the model is of its choice (logistic of the difference in log probability) and how"
               " often it is right; a calibrated model lies on the dotted line."),
}  # fmt: skip


def _curves(some: Sequence[Column]) -> Iterator[str]:
    found = curves(some)
    if not found:
        return
    yield '<h2>What makes it hard</h2>\n<div class="plots">'
    for name, lines in found.items():
        title, axis, note = _AXES[name]
        shown = [line for line in lines if line.points]
        drawn = curve_chart(f"Accuracy by {title.lower()}", axis, shown, name == "margin")
        caption = f"<figcaption>{escape(note)}</figcaption>"
        yield f'<figure style="max-width:380px"><h3>{title}</h3>{drawn}{caption}</figure>'
    yield "</div>"


def _correlated(results: Sequence[Result]) -> Iterator[str]:
    found = correlations(results)
    if len(found.names) < 2:
        return
    yield '<h2>Correlations between models</h2>\n<div class="plots">'
    maps = {
        f"Pearson's r of the accuracies by paradigm ({found.paradigms} paradigms)": found.paradigm,
        "phi of the decisions, item by item": found.item,
    }
    for title, values in maps.items():
        yield f"<figure><h3>{title}</h3>{heat_map(title, found.names, values)}</figure>"
    yield '</div>\n<p class="note">After Warstadt et al. (2020), Figure 1.</p>'


def _comparison(found: Difference | None) -> Iterator[str]:
    if found is None:
        return
    yield f"<h2>{escape(found.first)} against {escape(found.second)}</h2>"
    rows = []
    for name, it in found.rows.items():
        sides = f"<td>{100 * it.first:.1f}</td><td>{100 * it.second:.1f}</td>"
        shown = signed(it.difference, it.low, it.high)
        rows.append(
            (name, f"<td>{it.n:,}</td>{sides}<td>{shown}</td><td>{escape(p_text(it.p_mid))}</td>")
        )
    yield _table("", [found.by, "pairs", found.first, found.second, "difference", "p"], rows)
    ends = {name: (it.difference, it.low, it.high) for name, it in found.rows.items()}
    title = f"Difference between {found.first} and {found.second}"
    yield f"<figure>{forest_chart(title, ends, (found.first, found.second))}"
    yield (
        "<figcaption>Difference in points with its 95 % interval (paired bootstrap over minimal sets); "
        f"p: McNemar's test, mid-p value. {found.left_out:,} items that not both have scored are left out."
        "</figcaption></figure>"
    )


_ENVIRONMENT = ("device", "dtype", "torch", "transformers", "python", "platform")


def _origin(results: Sequence[Result]) -> Iterator[str]:
    yield "<h2>What the figures depend on</h2>"
    lines = "".join(f"<li><code>{escape(text)}</code></li>" for text in signatures(results))
    yield f'<ul class="plain">{lines}</ul>'
    found: dict[str, int] = {}
    for result in results:
        known = result.summary.get("environment", {})
        text = ", ".join(f"{key} {known[key]}" for key in _ENVIRONMENT if known.get(key))
        found[text] = found.get(text, 0) + 1
    for text, number in found.items():
        if text:
            yield f'<p class="note">{number} results made with {escape(text)}.</p>'
    yield f'<p class="note">Page made by solecism {__version__}.</p>'
