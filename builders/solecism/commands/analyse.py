"""Recompute the analyses of a paper from results.

PAPER: clams, blimp, mandarin or agreement. RESULTS: files that `solecism score` has written, or
folders of them; for mandarin also a folder with files surprisals_SUITE.tsv. Needs the extra
`analysis`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from solecism.commands import cli
from solecism.errors import fail

if TYPE_CHECKING:
    from solecism.analyses.part import AnalysisPart
    from solecism.scoring.results import Result


PAPERS = ("clams", "blimp", "mandarin", "agreement")


@click.command(help=__doc__)
@click.argument("paper", type=click.Choice(PAPERS))
@click.argument("results", nargs=-1, type=cli.path_type(exists=True))
@cli.option("--published", type=cli.PLACE,
              help="blimp: a table of accuracies by UID, a column a model (CSV, JSON lines).")  # fmt: skip
@cli.option("--people", type=cli.PLACE, help="blimp: accuracies of people by UID (CSV).")
@cli.option("--complexity", type=cli.PLACE,
              help="clams: CSV with the columns language and complexity, in place of C_WALS.")  # fmt: skip
@cli.option("--baseline", default="", metavar="MODEL", help="clams: what models are held against.")
@cli.option("--out", type=cli.NEW_FOLDER, help="Folder for CSV, LaTeX and figures (SVG, PDF).")
@cli.JSON
def command(
    paper: str, results: tuple[Path, ...], published: Path | None, people: Path | None,
    complexity: Path | None, baseline: str, out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    from rich.text import Text

    from solecism.analyses.part import part_tables, write_parts
    from solecism.reports.text import signatures

    with TemporaryDirectory() as scratch:
        opened = _opened(results, Path(scratch)) if results else []
        parts = _parts(paper, opened, published, people, complexity, baseline)
        written = write_parts(parts, out, [r.signature for r in opened]) if out else []
    if as_json:
        shown = {part.name: part.to_json() for part in parts}
        cli.print_json({**shown, "signatures": [result.signature for result in opened]})
        return
    for part in parts:
        cli.echo(f"{part.title} ({part.source})")
        for table in part_tables(part, cli.console().width):
            cli.console().print(table)
        cli.echo(f"{part.note}\n" if part.note else "")
    cli.print_lines(*(Text(line, style="dim") for line in signatures(opened)))
    if out:
        cli.echo(f"wrote {len(written)} files to {out}")


def _opened(paths: Sequence[Path], scratch: Path) -> list[Result]:
    """Open results; a folder of published surprisals is scored first."""
    from solecism.analyses.wang_2021 import score_study
    from solecism.reports.report import open_results

    sources = list(paths)
    for number, path in enumerate(paths):
        if path.is_dir() and any(path.rglob("surprisals_*")):
            sources[number] = scratch / str(number)
            score_study(path, sources[number])
    return open_results(sources)


def _parts(
    paper: str, results: list[Result], published: Path | None, people: Path | None,
    complexity: Path | None, baseline: str,
) -> list[AnalysisPart]:  # fmt: skip
    """Return the parts of a paper; a module is imported for its paper only."""
    if paper == "blimp":
        from solecism.analyses.answers import read_accuracies
        from solecism.analyses.blimp import PEOPLE, analyse_blimp

        named = (published, ""), (people, PEOPLE)
        known = [read_accuracies(path, name) for path, name in named if path]
        if known and not results and not any(t["phenomenon"].notna().any() for t in known):
            raise fail("names no phenomena (linguistics_term)", str(published or people))
        return analyse_blimp(results, known)
    if not results:
        raise click.UsageError("name at least one result")
    if paper == "clams":
        from solecism.analyses.clams import analyse_clams

        return analyse_clams(results, complexity, baseline)
    if paper == "mandarin":
        from solecism.analyses.mandarin import analyse_mandarin

        return analyse_mandarin(results)
    from solecism.analyses.does_bert_agree import analyse_agreement

    return analyse_agreement(results)
