"""Revisions of a model: branches and tags of the hub, or folders of checkpoints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from solecism.errors import candidates, fail

__all__ = ["find_revisions", "place_of_model", "step_of", "what_to_load"]

_STEP = re.compile(r"(\d+(?:\.\d+)?)([kKmMbBgG]?)(?![a-z])")
_CHECKPOINT = re.compile(
    r"(?:checkpoint|ckpt|chck|global_?step|step|epoch|iter)[-_]?\d[\w.]*", re.IGNORECASE
)
_SIZES = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "g": 10**9}


def step_of(revision: str) -> float | None:
    """Return the number in the name of a checkpoint, None where there is none.

    >>> [step_of(name) for name in ("chck_10M", "step1000", "main")]
    [10000000.0, 1000.0, None]
    """
    found = _STEP.findall(revision)
    return float(found[-1][0]) * _SIZES[found[-1][1].lower()] if found else None


def place_of_model(model: str, revision: str | None) -> tuple[str, str | None]:
    """Return the folder of a run and the name of a checkpoint in it, if that is what is named.

    ``runs/A/checkpoint-100`` is ``checkpoint-100`` of ``runs/A``, so that results of all
    checkpoints of a run have one name. Raises :class:`InputError` where a folder has no such
    checkpoint.
    """
    folder = Path(model)
    if not folder.is_dir():
        return model, revision
    if revision is None:
        place = folder.resolve()
        return (
            (str(place.parent), place.name) if _CHECKPOINT.fullmatch(place.name) else (model, None)
        )
    if not (folder / revision / "config.json").is_file():
        near = candidates("checkpoints", _folders(folder), revision)
        raise fail(f"has no checkpoint {revision!r} {near}", model)
    return model, revision


def what_to_load(model: str, revision: str | None) -> tuple[str, str | None]:
    """Return the folder of a checkpoint of a folder, or a name of the hub and its revision."""
    if revision is not None and Path(model).is_dir():
        return str(Path(model, revision)), None
    return model, revision


def find_revisions(model: str, patterns: Sequence[str]) -> list[str]:
    """Return the revisions of a model that fit patterns (``chck_*M``), in order of their numbers.

    Of a folder these are the folders of checkpoints in it, of a hub branches and tags. Raises
    :class:`InputError` where a pattern fits none.
    """
    from solecism.hub.client import revisions_of

    names = _folders(Path(model)) if Path(model).is_dir() else revisions_of(model)
    found: dict[str, None] = {}
    for pattern in patterns:
        fitting = [name for name in names if fnmatchcase(name, pattern)]
        if not fitting:
            near = candidates("revisions", names, pattern)
            raise fail(f"model {model!r} has no revision {pattern!r} {near}")
        found |= dict.fromkeys(fitting)
    steps = {name: step_of(name) for name in found}  # main comes last, after all steps
    return sorted(
        found, key=lambda name: (float("inf") if steps[name] is None else steps[name], name)
    )


def _folders(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob("*/config.json"))
