"""A batch of MTurk laid out as that of BLiMP (Warstadt et al. 2020, section 4.2).

An assignment has five choices: ``Input.item_K_condition`` is the UID and ``ans1`` or ``ans2``
(which sentence is the good one), ``Input.field_K_1`` and ``_2`` are the sentences,
``Answer.ChoiceK`` is the text that was chosen, beginning with its number. Attention checks have the
UID ``attnchk``.
Answers of assignments that were rejected have the flag ``rejected``. Who says that English is not a
native language (``Answer.english`` 0, ``Answer.navtive`` not 1) has the native language ``other``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from solecism.errors import fail
from solecism.hashing import hex_ids, text_hashes
from solecism.judge.design import Study
from solecism.judge.formats.table import rows_of

__all__ = ["fits", "read"]

_CONDITION = re.compile(r"Input\.item_(\d+)_condition")
_GOOD = re.compile(r"(.+)ans([12])")
_PERSON = ("anonCode", "WorkerId")
_CATCH = "attnchk"


def fits(text: str) -> bool:
    """Return whether the first line names such columns."""
    return "HITId" in text[:200] and _CONDITION.search(text.partition("\n")[0]) is not None


def read(path: Path, text: str, study: Study) -> Iterator[Mapping[str, Any]]:
    """Yield the choices that were made."""
    heads, rows = rows_of(path, text)
    numbers = [found[1] for head in heads if (found := _CONDITION.fullmatch(head))]
    person = next((name for name in _PERSON if name in heads), None)
    if person is None:
        raise fail(f"has no column {' or '.join(_PERSON)}", path, 1)
    trials = Counter(row[person] for _, row in rows)
    seen: Counter[str] = Counter()
    for line, row in rows:
        known = _of_assignment(row, row[person], study.language)
        for number in numbers:
            seen[row[person]] += 1
            place = {"position": seen[row[person]], "trials": len(numbers) * trials[row[person]]}
            if choice := row.get(f"Answer.Choice{number}", "").strip():
                yield {**known, **place, **_trial(row, number, choice, path, line), "line": line}


def _of_assignment(row: Mapping[str, str], person: str, language: str) -> dict[str, Any]:
    foreign = row.get("Answer.english") == "0" and row.get("Answer.navtive") != "1"
    number = row.get("Input.list", "")
    return {
        "participant": person,
        "list": int(number) if re.fullmatch(r"[0-9]{1,9}", number) else None,
        "native_language": "other" if foreign else language,
        "flags": ["rejected"] if row.get("AssignmentStatus") == "Rejected" else [],
    }


def _trial(
    row: Mapping[str, str], number: str, choice: str, path: Path, line: int
) -> dict[str, Any]:
    condition = _GOOD.fullmatch(row[f"Input.item_{number}_condition"])
    if condition is None or choice[:2] not in ("1.", "2."):
        raise fail(f"choice {number} ({choice[:20]!r}) is not of the form of BLiMP's", path, line)
    uid, good = condition[1], condition[2]
    first, second = row[f"Input.field_{number}_1"], row[f"Input.field_{number}_2"]
    sentences = {"good": first, "bad": second} if good == "1" else {"good": second, "bad": first}
    key = str(hex_ids(text_hashes([f"{sentences['good']}\n{sentences['bad']}"]))[0])
    return {
        **sentences, "id": key, "set_id": key, "UID": uid,
        "kind": "catch" if uid == _CATCH else "item",
        "shown": "good" if good == "1" else "bad",
        "answer": "good" if choice[0] == good else "bad",
    }  # fmt: skip
