"""Print the folder of our lm-eval tasks (for lm_eval --include_path), or review tasks.

FOLDER: another folder of tasks to review.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solecism.commands.options import FOLDER, JSON, NEW_FOLDER, echo, print_json
from solecism.errors import InputError

if TYPE_CHECKING:
    from solecism.harness.review import Review

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("folder", required=False, type=FOLDER)
@click.option("--check", is_flag=True, help="Hold every task against the built data.")
@click.option("--run", "model", help="Also run each task with this causal model.")
@click.option(
    "--limit", type=click.IntRange(1), default=10, show_default=True, help="Items of a task to run."
)
@click.option("--hub", metavar="ORG", help="Write tasks that load ORG's data sets from the hub.")
@click.option("--out", type=NEW_FOLDER, help="The folder for --hub.")
@JSON
def command(
    folder: Path | None,
    check: bool,
    model: str | None,
    limit: int,
    hub: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    from solecism.harness import TASKS

    if bool(hub) != bool(out):
        raise click.UsageError("--hub and --out go together")
    if hub and out:
        from solecism.harness.task_files import write_hub_tasks

        for path in write_hub_tasks(hub, out):
            echo(f"wrote {path}")
    elif check or model:
        _review(folder or TASKS, model, limit, as_json)
    else:
        echo(folder or TASKS)


def _review(folder: Path, model: str | None, limit: int, as_json: bool) -> None:
    from solecism.harness.review import review_tasks

    found = review_tasks(folder)
    if found.problems:
        raise InputError(found.problems)
    ran = _run(folder, found, model, limit) if model else 0
    if as_json:
        counts = {"tasks": found.tasks, "checked": found.checked, "not_built": found.not_built}
        print_json({**counts, "ran": ran})
        return
    for name in found.not_built:
        echo(f"{name}: not built here, its tasks were not held against data", err=True)
    more = f", {ran} ran" if model else ""
    echo(f"{found.tasks} tasks, {found.checked} held against data{more}: no problems")


def _run(folder: Path, found: Review, model: str, limit: int) -> int:
    from solecism.harness.review import run_tasks

    return len(run_tasks(folder, found.names, model, limit))
