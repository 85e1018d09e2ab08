"""Write static pages of data sets: what each paradigm tests, its pairs, its items, results on it.

FOLDERS: data sets that `solecism build` made.
"""

from pathlib import Path

import click

from solecism.commands.cli import FILE, FOLDER, NEW_FOLDER, PLACE, ROOT, echo, option
from solecism.root import Root


@click.command(help=__doc__)
@click.argument("folders", nargs=-1, required=True, type=FOLDER)
@option("--out", type=NEW_FOLDER, default=Path("site"), help="Folder of the site.")
@option("--results", multiple=True, type=PLACE,
              help="Result of `solecism score`, or a folder of them; can be repeated.")  # fmt: skip
@option("--judgments", multiple=True, type=FILE,
              help="CSV or Parquet: UID and accuracy of people; can be repeated.")  # fmt: skip
@ROOT
def command(
    folders: tuple[Path, ...], out: Path, results: tuple[Path, ...], judgments: tuple[Path, ...],
    root: Root,
) -> None:  # fmt: skip
    from solecism.site.build import build_site
    from solecism.terminal import progress_bar

    with progress_bar() as show:
        built = build_site(
            out, folders, results=results, judgments=judgments, root=root, progress=show
        )
    for signature in built.others:
        echo(f"note: left out, on other data: {signature}", err=True)
    size = f"{built.bytes / 1e6:.1f} MB"
    echo(f"{built.pages:,} pages, {built.items:,} items to browse, {size}")
    echo(f"open {built.path / 'index.html'}")
