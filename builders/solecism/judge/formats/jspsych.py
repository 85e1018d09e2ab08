"""jsPsych's own JSON (``jsPsych.data.get().json()``): a list of trials, of one or many people.

A trial counts where it names an item: in ``item``, ``id`` or ``good`` and ``bad`` of its data, or
in what ``[columns]`` names. Its answer is ``response`` (the number of a button, or a key), its time
``rt``. Where the trials do not name a person, each file is one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from solecism.inputs import parse_json
from solecism.judge.design import Study
from solecism.judge.formats.table import named

__all__ = ["fits", "read"]

_NAMES = {"answer": "response", "time": "rt", "position": "trial_index"}
_PEOPLE = ("participant", "participant_id", "subject_id", "subject", "PROLIFIC_PID", "run_id")
_BUTTONS = {0: "first", 1: "second"}


def fits(text: str) -> bool:
    """Return whether a text is a list of trials, or a line of lists."""
    return text.lstrip().startswith("[") and '"trial_type"' in text


def read(path: Path, text: str, study: Study) -> Iterator[Mapping[str, Any]]:
    """Yield the answers in trials."""
    for number, trials in _lists(path, text):
        for trial in trials:
            found = named(trial, {**_NAMES, **study.columns})
            if not ({"item", "id"} & set(found) or {"good", "bad"} <= set(found)):
                continue
            if study.design == "likert":
                found.setdefault("rating", found.pop("answer", None))
            else:
                found["answer"] = _answer(found.get("answer"))
            found.setdefault("participant", _person(trial) or f"{path.name}:{number}")
            yield {**found, "line": number}


def _answer(said: Any) -> Any:
    return _BUTTONS.get(said, said) if isinstance(said, int) else said


def _person(trial: Mapping[str, Any]) -> str:
    return next((str(trial[name]) for name in _PEOPLE if trial.get(name)), "")


def _lists(path: Path, text: str) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield lists of trials with their lines; a text may be one list, or one in each line."""
    try:
        json.loads(text)
        parts = [(1, text)]
    except (ValueError, RecursionError):
        parts = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    for number, part in parts:
        yield number, parse_json(part, [dict], path, "list of jsPsych's trials")
