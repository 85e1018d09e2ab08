"""Sessions of a study as our page saves them, without a page."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from solecism.judge.design import Study
from solecism.judge.importing import import_answers, save_answers
from solecism.judge.protocol import FORMAT, session_order

Says = Callable[[Mapping[str, str], int], dict[str, Any]]
"""What somebody answers to a trial at a position."""


def _right(item: Mapping[str, str], position: int) -> dict[str, Any]:
    return {"shown": ("good", "bad")[position % 2], "answer": "good"}


def save_session(
    study: Study, path: Path, participant: str, number: int = 1, says: Says = _right, **more: Any
) -> Path:
    """Write the session of a person on list ``number``; ``more``: other fields of the file."""
    seed = f"{study.seed}:{participant}"
    rows = [
        {"item": key, "position": position, "time": 1500, **says(study.items[key], position)}
        for position, key in enumerate(session_order(study, number, seed), 1)
    ]
    said = {
        "format": FORMAT, "study": study.id, "session": participant, "seed": seed, "list": number,
        "participant": participant, "native_language": study.language, "finished": True,
        "flags": [], "rows": rows, **more,
    }  # fmt: skip
    path.write_text(json.dumps(said), encoding="utf-8")
    return path


def collect(study: Study, judges: int, says: Says = _right) -> None:
    """Let so many people judge each list, and make the study's table of their answers."""
    folder = study.folder / "answers"
    folder.mkdir()
    paths = [
        save_session(study, folder / f"{number}-{judge}.json", f"j{number}-{judge}", number, says)
        for number in range(1, len(study.lists) + 1)
        for judge in range(judges)
    ]
    save_answers(study, import_answers(study, paths).table)
