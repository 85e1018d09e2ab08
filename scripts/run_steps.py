"""Run steps of datatrove one after the other, for the scripts beside this one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datatrove.executor import LocalPipelineExecutor, SlurmPipelineExecutor
from datatrove.pipeline.base import PipelineStep


def run_steps(
    steps: Sequence[tuple[PipelineStep, int]], out: Path, workers: int, slurm: str | None,
    limit: str, **options: Any,
) -> None:  # fmt: skip
    """Run each step in so many tasks, after the one before; tasks of one step run side by side.

    ``slurm``: the partition to queue the tasks in, each for at most ``limit`` and with further
    ``options``; without it ``workers`` tasks run at a time on this machine. Logs are in ``out``.
    """
    last: LocalPipelineExecutor | SlurmPipelineExecutor | None = None
    for step, tasks in steps:
        # The steps know what is done already, and a task that failed is to be tried again.
        shared = {"logging_dir": str(out / "logs" / step.name), "skip_completed": False}
        if slurm:
            last = SlurmPipelineExecutor(
                [step], tasks, limit, slurm, depends=last, run_on_dependency_fail=True,
                **options, **shared,
            )  # fmt: skip
        else:
            last = LocalPipelineExecutor([step], tasks, workers, depends=last, **shared)
    assert last is not None
    last.run()
