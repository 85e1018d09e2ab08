"""Functions that the task files name: reading a data set for lm-eval, and deciding pairs."""

import os
from collections.abc import Mapping, Sequence
from math import isclose
from typing import Any

from datasets import DatasetDict, load_dataset

_TIE = 1e-9
"""As in ``solecism.scoring.results``; this file stands alone, in copies for the hub."""


def load(
    dataset: str,
    config: str,
    version: str,
    uid: str | None = None,
    organisation: str = "",
    **_: object,
) -> DatasetDict:
    """Load a config of a data set for a task, or only the paradigm ``uid`` of it.

    From the folder ``$SOLECISM_DATA`` (by default the current one) where ``solecism build`` has put
    the data set, or, with ``$SOLECISM_REPO`` (``ORG``) or an ``organisation``, from the hub: the
    ``version`` of the task, or ``$SOLECISM_REVISION``.
    """
    organisation = os.environ.get("SOLECISM_REPO", organisation)
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
    good, bad = (float(logp) for logp, _ in results)
    each_good, each_bad = good / len(doc["sentence_good"]), bad / len(doc["sentence_bad"])
    # lm-eval adds in float32, so that two quotients that are equal differ in the last digits.
    return {"acc": _right(good, bad), "acc_norm": _right(each_good, each_bad, 1e-6)}


def _right(good: float, bad: float, share: float = 0.0) -> float:
    return 0.5 if isclose(good, bad, rel_tol=share, abs_tol=_TIE) else float(good > bad)
