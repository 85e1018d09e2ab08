"""The results of a PCIbex experiment (PennController), as `solecism judge export` makes one.

The file has comments that number and name the columns, then lines of an event each. An answer is a
line whose parameter is a choice, a selection or a key, and which logs the ``item``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from solecism.errors import fail
from solecism.judge.design import Study
from solecism.judge.formats.table import named

__all__ = ["fits", "read"]

_COLUMN = re.compile(r"# (\d{1,4})\. (.+?)\.?\s*$")
_ANSWERS = ("Selection", "Choice", "PressedKey")
_KEYS = {"F": "first", "J": "second"}
_TIME, _ADDRESS = "Results reception time", "MD5 hash of participant's IP address"


def fits(text: str) -> bool:
    """Return whether comments name PCIbex' columns."""
    return text.startswith("#") and _TIME in text


def read(path: Path, text: str, study: Study) -> Iterator[Mapping[str, Any]]:
    """Yield the answers among the events."""
    started: dict[tuple[str, str], int] = {}
    for line, event in _events(path, text):
        person = event.get("participant") or f"{event.get(_TIME)} {event.get(_ADDRESS)}"
        place = person, event.get("item", "")
        if event.get("Parameter") == "_Trial_" and event.get("Value") == "Start":
            started[place] = _milliseconds(event)
        if event.get("Parameter") in _ANSWERS and event.get("item"):
            found = named({**event, "participant": person}, study.columns)
            answer = event.get("Value", "")
            name = "rating" if study.design == "likert" else "answer"
            found[name] = _KEYS.get(answer.upper(), answer)
            if place in started:
                found.setdefault("time", _milliseconds(event) - started[place])
            yield {**found, "line": line}


def _milliseconds(event: Mapping[str, str]) -> int:
    text = event.get("EventTime", "")
    return int(text) if re.fullmatch(r"[0-9]{1,15}", text) else 0


def _events(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    names: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            if found := _COLUMN.match(line):
                names = [*names[: int(found[1]) - 1], found[2]]
            continue
        if not line.strip():
            continue
        cells = next(csv.reader([line]))
        if len(cells) > len(names):
            raise fail(f"has {len(cells)} cells, the comments name {len(names)}", path, number)
        yield number, dict(zip(names, cells, strict=False))
