"""Whose answers count, by the rules that the study declared before the collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from solecism.judge.design import Rules
from solecism.judge.protocol import catch_right

__all__ = ["JudgeRecord", "counting_rows", "judge_records"]

Row = Mapping[str, Any]


@dataclass(frozen=True)
class JudgeRecord:
    """What is known of a judge, and ``reasons`` why their answers do not count (none: they do).

    ``completed``: the share of trials that were answered; ``catch``: of catch trials that were
    answered right; ``one_sided``: of items, the share of the place (or rating) chosen most;
    ``median_time``: milliseconds, of items. None: there is nothing to know it from. ``left_out``:
    answers that do not count by themselves, for a flag or a native language.
    """

    participant: str
    answers: int
    completed: float
    catch: float | None
    one_sided: float | None
    median_time: float | None
    native_language: str
    left_out: int
    reasons: tuple[str, ...]


def judge_records(rows: Sequence[Row], rules: Rules) -> list[JudgeRecord]:
    """Return a record of each judge, in the order of their names."""
    by_judge: dict[str, list[Row]] = {}
    for row in rows:
        by_judge.setdefault(row["participant"], []).append(row)
    return [_record(name, by_judge[name], rules) for name in sorted(by_judge)]


def counting_rows(rows: Sequence[Row], records: Sequence[JudgeRecord], rules: Rules) -> list[Row]:
    """Return the answers to items that count."""
    out = {record.participant for record in records if record.reasons}
    return [
        row
        for row in rows
        if row["kind"] == "item" and row["participant"] not in out and not _ruled_out(row, rules)
    ]


def _record(name: str, rows: Sequence[Row], rules: Rules) -> JudgeRecord:
    items = [row for row in rows if row["kind"] == "item"]
    catch = [catch_right(row) for row in rows if row["kind"] == "catch"]
    times = [row["time"] for row in items if row["time"] is not None]
    found = {
        "completed": len(rows) / max(row["trials"] for row in rows),
        "catch": sum(catch) / len(catch) if catch else None,
        "one_sided": _most(items),
        "median_time": median(times) if times else None,
    }
    return JudgeRecord(
        participant=name,
        answers=len(rows),
        **found,
        native_language=next((r["native_language"] for r in rows if r["native_language"]), ""),
        left_out=sum(_ruled_out(row, rules) for row in items),
        reasons=tuple(_reasons(found, rules)),
    )


def _reasons(found: Mapping[str, float | None], rules: Rules) -> Iterator[str]:
    for name in ("completed", "catch", "median_time"):
        value = found[name]
        if value is not None and value < getattr(rules, name):
            yield name
    if found["one_sided"] is not None and found["one_sided"] > rules.one_sided:
        yield "one_sided"


def _most(items: Sequence[Row]) -> float | None:
    """Return the share of the place, rating or reading that was chosen most."""
    chosen = [choice for row in items if (choice := _choice(row)) is not None]
    return max(Counter(chosen).values()) / len(chosen) if chosen else None


def _choice(row: Row) -> object:
    if row["design"] == "likert":
        return row["rating"]
    if row["design"] == "expert":
        return row["answer"]
    return row["answer"] == row["shown"] if row["shown"] else None


def _ruled_out(row: Row, rules: Rules) -> bool:
    """Return whether an answer does not count by itself: by a flag, or the native language."""
    if set(row["flags"] or ()) & set(rules.flags):
        return True
    languages = {code.lower() for code in rules.native_language}
    return bool(languages) and str(row["native_language"] or "").lower() not in languages
