"""Write static pages of data sets: what each paradigm tests, its pairs, its items, results on it.

FOLDERS: data sets that `solecism build` made, or files of pairs.
"""

from pathlib import Path

import click

from solecism.commands.cli import FILE, NEW_FOLDER, PLACE, ROOT, echo, option, sides
from solecism.root import Root


@click.command(help=__doc__)
@click.argument("folders", nargs=-1, required=True, type=PLACE)
@option("--out", type=NEW_FOLDER, default=Path("site"), help="Folder of the site.")
@option("--results", multiple=True, type=PLACE,
              help="Result of `solecism score`, or a folder of them; can be repeated.")  # fmt: skip
@option("--judgments", multiple=True, type=FILE,
              help="CSV or Parquet: UID and accuracy of people; can be repeated.")  # fmt: skip
@sides
@ROOT
def command(
    folders: tuple[Path, ...], out: Path, results: tuple[Path, ...], judgments: tuple[Path, ...],
    root: Root,
) -> None:  # fmt: skip
    from solecism.own_pairs import own_folder
    from solecism.site.build import build_site
    from solecism.terminal import progress_bar

    data = [own_folder(path) if path.is_file() else path for path in folders]
    with progress_bar() as show:
        built = build_site(
            out, data, results=results, judgments=judgments, root=root, progress=show
        )
    for signature in built.others:
        echo(f"note: left out, on other data: {signature}", err=True)
    size = f"{built.bytes / 1e6:.1f} MB"
    echo(f"{built.pages:,} pages, {built.items:,} items to browse, {size}")
    echo(f"open {built.path / 'index.html'}")
