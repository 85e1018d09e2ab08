"""Functions that the task files name: reading a data set for lm-eval, and deciding pairs."""

import os
from collections.abc import Mapping, Sequence
from math import isclose
from typing import Any

from datasets import DatasetDict, load_dataset

_TIE = 1e-9
"""As in ``solecism.scoring.results``; this file stands alone, in copies for the hub."""


def load(
    dataset: str, config: str, version: str, uid: str | None = None, **_: object
) -> DatasetDict:
    """Load a config of a data set for a task, or only the paradigm ``uid`` of it.

    From the folder ``$SOLECISM_DATA`` (by default the current one) where ``solecism build`` has put
    the data set, or, with ``$SOLECISM_REPO`` (``ORG``), from the hub: the ``version`` of the task,
    or ``$SOLECISM_REVISION``.
    """
    organisation = os.environ.get("SOLECISM_REPO")
    if organisation:
        revision = os.environ.get("SOLECISM_REVISION", f"v{version}")
        data = load_dataset(f"{organisation}/{dataset}", config, revision=revision)
    else:
        place = os.path.join(os.environ.get("SOLECISM_DATA", "."), dataset)  # noqa: PTH118
        data = load_dataset(place, config)
    if uid is None:
        return data
    wanted = [n for n, name in enumerate(data["test"]["UID"]) if name == uid]
    return DatasetDict(test=data["test"].select(wanted))


def decide(doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, float]:
    """Return whether the good sentence has the higher log P, and the higher by character.

    A tie counts a half: a model that sees no difference is right half the time.
    """
    logs = [float(logp) for logp, _ in results]
    lengths = [max(1, len(doc[f"sentence_{side}"])) for side in ("good", "bad")]
    return {
        "acc": _right(*logs),
        "acc_norm": _right(*(logp / length for logp, length in zip(logs, lengths, strict=True))),
    }


def _right(good: float, bad: float) -> float:
    if isclose(good, bad, rel_tol=0.0, abs_tol=_TIE):
        return 0.5
    return float(good > bad)
