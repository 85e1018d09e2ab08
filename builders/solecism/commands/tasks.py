"""Print the folder of our lm-eval tasks (for lm_eval --include_path), or write tasks.

DATA: the folder of a data set of your own (default: the data sets that come with the package).
"""

from __future__ import annotations

from pathlib import Path

import click

from solecism.commands.options import NEW_FOLDER, echo

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("data", required=False)
@click.option("--out", type=NEW_FOLDER, help="Write the tasks into a folder.")
@click.option("--hub", metavar="ORG", default="", help="They load ORG's data sets from the hub.")
def command(data: str | None, out: Path | None, hub: str) -> None:
    from solecism.harness import TASKS

    if out is None:
        if data or hub:
            raise click.UsageError("name a folder for the tasks: --out")
        echo(TASKS)
        return
    from solecism.harness.task_files import write_tasks

    for path in write_tasks(out, data or "", hub):
        echo(f"wrote {path}")
