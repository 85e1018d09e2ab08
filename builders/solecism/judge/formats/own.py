"""The file that our page saves (:mod:`solecism.judge.protocol`), or several, a line each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from solecism.errors import fail
from solecism.inputs import check, parse_json
from solecism.judge.design import Study
from solecism.judge.protocol import FORMAT, SAVED, answer_row

__all__ = ["fits", "read"]


def fits(text: str) -> bool:
    """Return whether a text is a saved file."""
    return text.lstrip().startswith("{") and FORMAT in text[:2_000]


def read(path: Path, text: str, study: Study) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of saved sessions; raise :class:`InputError` for those of another study."""
    for number, saved in _sessions(path, text):
        check(saved, SAVED, path, FORMAT)
        if saved["study"] != study.id:
            message = f"has answers to study {saved['study']}, this is {study.id}"
            raise fail(message, path, number)
        if saved["list"] > len(study.lists):
            raise fail(f"list {saved['list']}: the study has {len(study.lists)}", path, number)
        for row in saved["rows"]:
            said = {"position": row["position"], "item": row["item"], "row": row}
            yield {**answer_row(study, saved["list"], said, saved), "line": number}


def _sessions(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        yield 1, json.loads(text)
    except (ValueError, RecursionError):
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield number, parse_json(line, dict, path, FORMAT)
