"""What the page of a study and a server say to each other, and the file that a page saves.

The page asks three things by POST, with JSON both ways. Addresses are relative to the page
(``api/session``), or to ``home.server`` of the study, where it lies elsewhere. A refusal is any
status of 400 or more; its body may be ``{"error": text}``. The page sends a request again, with the
same body, after a network error, 429 or 5xx (after 1, 2, 4, ... 30 seconds), never after another
4xx.

**POST api/session** begins a session or takes it up again::

    {"study": "0123456789abcdef", "participant": "5f...", "list": 2, "native_language": "he",
     "flags": ["honeypot"]}
    {"session": "9f...", "list": 2, "participant": "c0...", "answered": [1, 2, 3],
     "finished": false}

``study``: :attr:`Study.id`; a server refuses others (409: the page is of an older design).
``participant``: what the platform gave (``PROLIFIC_PID``), as it is, for the server to hash with
its salt (:attr:`Study.salt`) before anything is written; else a random text that the page made and
keeps. One participant has one session: asked again, a server returns the same session with the
positions that are ``answered``. ``list`` (from 1) is optional: the address of the page had
``?list=2``; else the server chooses. In the reply ``participant`` is the pseudonym, which the page
shows in the end as the code by which a person can have their answers removed. ``session`` is any
text of letters, digits, ``-`` and ``_``, up to 64.

**POST api/answer** hands in an answer; it is confirmed when it cannot be lost any more::

    {"session": "9f...", "position": 4, "item": "i17",
     "row": {"shown": "bad", "answer": "good", "time": 1534, "flags": ["resumed"]}}
    {"ok": true}

``position`` counts from 1; ``session`` and ``position`` together are the key: the same answer again
is confirmed again and stored once, and another answer for a position that has one is not stored
(409). ``item`` is a key of the session's list. Of ``row`` (:data:`ROW`) the page fills in what the
design has: ``shown`` and ``time`` always; ``answer`` (choice, expert), ``rating`` (Likert),
``reason`` and ``comment`` (expert), ``flags`` where there are any.

**POST api/finish** ends a session::

    {"session": "9f...", "answers": 35, "flags": []}
    {"ok": true, "missing": []}

``missing``: positions for which no answer came; the page sends them again, then asks again.

Order and sides follow from the seed ``<seed of the study>:<session>``
(:mod:`solecism.judge.order`), which every saved file says.

**The file** that a page saves (download, DataPipe, JATOS) and `solecism judge simulate` writes is
one JSON object: ``format`` (:data:`FORMAT`), ``study``, ``session``, ``seed``, ``participant`` (a
pseudonym), ``list``, ``native_language``, ``finished`` (true or false), ``flags`` and ``rows``. A
row has all columns of :data:`~solecism.judge.schema.ANSWERS` and ``item``, the key of its trial.

A catch trial is answered right by ``good`` (choice), a rating of 1 to 3 (Likert) or ``no``
(expert): :func:`catch_right`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from solecism.errors import candidates, fail
from solecism.inputs import Number
from solecism.judge.design import Study
from solecism.judge.schema import ANSWERS

__all__ = [
    "ANSWER", "FINISH", "FLAGS", "FORMAT", "READINGS", "REASONS", "ROW", "SAVED", "SESSION",
    "answer_row", "catch_right",
]  # fmt: skip

FORMAT = "solecism answers 1"

READINGS = ("yes", "no", "not applicable")
"""What an expert says of a sentence."""

FLAGS = ("honeypot", "resumed", "hidden", "simulated")
"""What is noted of a session or an answer: a hidden field was filled in; the page was loaded again
before; the page was not in sight for a while; a program answered."""

REASONS = ("agreement", "word order", "form", "meaning", "other")
"""Why an expert rejects a sentence."""

_PLACE = Number(1, 100_000, whole=True)
_TIME = Number(0, 2**31 - 1, whole=True)

SESSION = {
    "study": str,
    "participant": str,
    "list?": _PLACE,
    "native_language?": str,
    "flags?": [str],
}
"""The shape of what begins a session (see :func:`solecism.inputs.check`)."""

ROW = {
    "shown": str,
    "time": _TIME,
    "answer?": (str, None),
    "rating?": (Number(1, 7, whole=True), None),
    "reason?": (str, None),
    "comment?": (str, None),
    "flags?": [str],
}
"""The shape of what the page knows of an answer."""

ANSWER = {"session": str, "position": _PLACE, "item": str, "row": ROW}
"""The shape of an answer."""

FINISH = {"session": str, "answers": Number(0, 100_000, whole=True), "flags?": [str]}
"""The shape of the end of a session."""

SAVED = {
    **dict.fromkeys(("format", "study", "session", "seed", "participant"), str),
    "list": _PLACE,
    "native_language?": (str, None),
    "finished": bool,
    "flags?": [str],
    "rows": [{"item": str, "position": _PLACE, **ROW}],
}
"""The shape of a file that a page saves."""

_KNOWN = ("answer", "rating", "reason", "comment", "time")
_LONGEST = 2_000
"""The most characters of a comment."""


def answer_row(
    study: Study, number: int, answer: Mapping[str, Any], said: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the row of :data:`~solecism.judge.schema.ANSWERS` that an answer makes.

    ``number``: the list of the session, from 1; ``answer``: of the shape :data:`ANSWER`; ``said``:
    what is known of the person: ``participant`` (the pseudonym), ``native_language``, ``flags``.
    Raises :class:`InputError` for what the study does not contain: an item of another list, a
    position beyond the last, an answer of another design, a text that is too long.
    """
    row, key = answer["row"], answer["item"]
    if key not in study.lists[number - 1]:
        raise fail(f"item {key[:40]!r} is not in list {number}")
    if answer["position"] > study.totals[number - 1]:
        raise fail(f"position {answer['position']}: list {number} has {study.totals[number - 1]}")
    item = study.items[key]
    _check_row(study.design, item, row)
    known = {name: row.get(name) for name in _KNOWN}
    whole = {**item, **known, **_of_session(study, number, said), "shown": row["shown"]}
    flags = [*said.get("flags", ()), *row.get("flags", ())]
    whole |= {"position": answer["position"], "flags": list(dict.fromkeys(flags))}
    return {name: whole[name] for name in ANSWERS.names}


def _of_session(study: Study, number: int, said: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "study": study.id,
        "participant": said["participant"],
        "list": number,
        "design": study.design,
        "trials": study.totals[number - 1],
        "native_language": said.get("native_language"),
    }


def _check_row(design: str, item: Mapping[str, str], row: Mapping[str, Any]) -> None:
    """Raise :class:`InputError` where an answer does not fit the design or the trial."""
    for flag in row.get("flags", ()):
        _one_of("flag", flag, FLAGS)
    _one_of("shown", row["shown"], [side for side in ("good", "bad") if item.get(side)])
    answers = {"choice": ("good", "bad"), "expert": READINGS}.get(design)
    if answers is None:
        _refuse_more(design, row, ("answer", "reason", "comment"))
        if row.get("rating") is None:
            raise fail("rating is missing")
        return
    _refuse_more(
        design, row, ("rating",) if design == "expert" else ("rating", "reason", "comment")
    )
    _one_of("answer", row.get("answer"), answers)
    if row.get("reason") is not None:
        _one_of("reason", row["reason"], REASONS)
    if len(row.get("comment") or "") > _LONGEST:
        raise fail(f"comment has more than {_LONGEST:,} characters")


def _refuse_more(design: str, row: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        if row.get(name) is not None:
            raise fail(f"{name} is no part of an answer of the design {design!r}")


def _one_of(name: str, said: object, known: tuple[str, ...] | list[str]) -> None:
    if said not in known:
        raise fail(f"{name} is {str(said)[:40]!r} {candidates('known', known)}")


def catch_right(row: Mapping[str, Any]) -> bool:
    """Return whether the answer to a catch trial is right (see the top of this module)."""
    if row["design"] == "likert":
        return row["rating"] is not None and row["rating"] <= 3
    return bool(row["answer"] == ("good" if row["design"] == "choice" else "no"))
