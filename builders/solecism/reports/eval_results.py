"""Results as the hub keeps them in the repository of a model: ``.eval_results/*.yaml``.

https://huggingface.co/docs/hub/eval-results. Values are accuracies from 0 to 100.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import yaml

from solecism.errors import fail
from solecism.files import write_text
from solecism.scoring.results import Result

__all__ = ["write_eval_results"]

FOLDER = ".eval_results"


def write_eval_results(
    results: Sequence[Result], repository: Path, owner: str | None = None
) -> list[Path]:
    """Write the results of one model into a clone of its repository and return the files.

    ``owner``: who has the data sets on the hub, for results of data sets in a folder. Raises
    :class:`InputError` for several models, and for a data set without an owner.
    """
    models = sorted({result.run["model"] for result in results})
    if len(models) > 1:
        raise fail(f"a repository has the results of one model, these are of {', '.join(models)}")
    texts = {_file(result): _text(result, owner) for result in results}
    if len(texts) < len(results):
        raise fail("two results are of the same data, config and method: name one of them")
    for name, text in texts.items():
        (repository / FOLDER).mkdir(parents=True, exist_ok=True)
        write_text(repository / FOLDER / name, text)
    return [repository / FOLDER / name for name in texts]


def _file(result: Result) -> str:
    run = result.run
    name = f"{run['data'].rpartition('/')[2]}-{run['config']}-{run['method']}"
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name) + ".yaml"


def _text(result: Result, owner: str | None) -> str:
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    run = result.run
    if "/" not in run["data"] and not owner:
        raise fail(f"who has {run['data']!r} on the hub? Say it with --hub ORG")
    accuracy = result.accuracy
    if accuracy is None:
        raise fail(f"{run['data']}/{run['config']}: no item has a score", result.path)
    entry = EvalResultEntry(
        dataset_id=run["data"] if "/" in run["data"] else f"{owner}/{run['data']}",
        task_id=run["config"],
        value=round(100 * accuracy, 2),
        notes=result.signature,
    )
    return yaml.safe_dump(
        eval_result_entries_to_yaml([entry]), sort_keys=False, allow_unicode=True, width=1000
    )
