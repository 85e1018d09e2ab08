"""Functions that the task files name: reading a data set for lm-eval."""

from __future__ import annotations

import os
from typing import Any

from datasets import DatasetDict, load_dataset


def load(dataset: str, config: str, uid: str | None = None, **_: Any) -> DatasetDict:
    """Load a config of a data set for a task, or only the paradigm ``uid`` of it.

    From the folder ``$SOLECISM_DATA`` (by default the current one) where ``solecism build`` has put the data
    set, or, with ``$SOLECISM_REPO`` (``ORG``), from the hub at ``$SOLECISM_REVISION``.
    """
    data = _load(dataset, config)
    if uid is None:
        return data
    wanted = [n for n, name in enumerate(data["test"]["UID"]) if name == uid]
    return DatasetDict(test=data["test"].select(wanted))


def _load(dataset: str, config: str) -> DatasetDict:
    organisation = os.environ.get("SOLECISM_REPO")
    if organisation:
        revision = os.environ.get("SOLECISM_REVISION")
        return load_dataset(f"{organisation}/{dataset}", config, revision=revision)
    return load_dataset(os.path.join(os.environ.get("SOLECISM_DATA", "."), dataset), config)  # noqa: PTH118
