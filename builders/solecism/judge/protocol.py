"""What the page of a study and a server say to each other, and the file that a page saves.

The page asks three things by POST, with JSON both ways. Addresses are relative to the page
(``api/session``), or to ``home.server`` of the study if the page is on another host. A refusal is
any status of 400 or more; its body may be ``{"error": text}``. The page sends a request again, with
the same body, after a network error, 429 or 5xx (after 1, 2, 4, ... 30 seconds), never after
another 4xx.

**POST api/session** begins a session or takes it up again::

    {"study": "0123456789abcdef", "participant": "5f...", "list": 2, "native_language": "he",
     "flags": ["honeypot"]}
    {"session": "9f...", "list": 2, "participant": "c0...", "answered": [1, 2, 3],
     "finished": false}

``study``: :attr:`Study.id`; a server refuses others (409). ``participant``: what the platform gave
(``PROLIFIC_PID``), which the server hashes with its salt before anything is written; otherwise a
random text that the page made and keeps. One participant has one session: asked again, a server
returns the same session with the positions that are ``answered``. ``list`` (from 1) is optional
(``?list=2`` of the page's address); otherwise the server chooses. In the reply ``participant`` is
the pseudonym, which the page shows in the end as the code by which a person can have their answers
removed. ``session`` is any text of letters, digits, ``-`` and ``_``, up to 64.

**POST api/answer** hands in an answer; it is confirmed when it is on the disk::

    {"session": "9f...", "position": 4, "item": "i17",
     "row": {"shown": "bad", "answer": "good", "time": 1534, "flags": ["resumed"]}}
    {"ok": true}

``session`` and ``position`` (from 1) are the key: the same answer again is confirmed again and
stored once, and another answer for a position that has one is refused (409). ``item`` is a key of
the session's list. Of ``row`` (:data:`ROW`) the page fills in what the design has: ``shown`` and
``time`` always; ``answer`` (choice, expert), ``rating`` (Likert), ``reason`` and ``comment``
(expert), ``flags`` if there are any.

**POST api/finish** ends a session::

    {"session": "9f...", "answers": 35, "flags": []}
    {"ok": true, "missing": []}

``missing``: positions for which no answer came; the page sends them again, then asks again.

Order and sides follow from the seed ``<seed of the study>:<session>`` (``page_files/order.js``),
which every saved file has.

**The file** that a page saves (download, DataPipe, JATOS) is one JSON object: ``format``
(:data:`FORMAT`), ``study``, ``session``, ``seed``, ``participant`` (a pseudonym), ``list``,
``native_language``, ``finished`` (true or false), ``flags`` and ``rows``. A row has all columns of
:data:`~solecism.judge.schema.ANSWERS` and ``item``, the key of its trial.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from solecism.errors import candidates, fail
from solecism.inputs import Number
from solecism.judge.design import Study
from solecism.judge.schema import ANSWERS

__all__ = [
    "ANSWER", "FINISH", "FLAGS", "FORMAT", "READINGS", "REASONS", "ROW", "SAVED", "SESSION",
    "answer_row", "check_flags", "pseudonym",
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

SESSION = {
    "study": str, "participant": str, "list?": _PLACE, "native_language?": str, "flags?": [str],
}  # fmt: skip
"""The shape of what begins a session (see :func:`solecism.inputs.check`)."""

ROW = {
    "shown": str, "time": Number(0, 2**31 - 1, whole=True), "answer?": (str, None),
    "rating?": (Number(1, 7, whole=True), None), "reason?": (str, None), "comment?": (str, None),
    "flags?": [str],
}  # fmt: skip
"""The shape of what the page knows of an answer."""

ANSWER = {"session": str, "position": _PLACE, "item": str, "row": ROW}
FINISH = {"session": str, "answers": Number(0, 100_000, whole=True), "flags?": [str]}

SAVED = {
    **dict.fromkeys(("format", "study", "session", "seed", "participant"), str),
    "list": _PLACE, "native_language?": (str, None), "finished": bool, "flags?": [str],
    "rows": [{"item": str, "position": _PLACE, **ROW}],
}  # fmt: skip
"""The shape of a file that a page saves."""

_MAX_COMMENT = 2_000

_ANSWERED_BY = {
    "choice": {"answer"}, "likert": {"rating"}, "expert": {"answer", "reason", "comment"},
}  # fmt: skip
"""The values that make an answer, by design."""


def pseudonym(name: str, salt: str) -> str:
    """Return 24 hexadecimal digits of the SHA-256 of ``salt:name``, as the page computes them.

    Nobody who does not know the salt can try out names.
    """
    return hashlib.sha256(f"{salt}:{name}".encode()).hexdigest()[:24]


def answer_row(
    study: Study, number: int, answer: Mapping[str, Any], session: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the row of :data:`~solecism.judge.schema.ANSWERS` that an answer makes.

    ``number``: the list of the session, from 1; ``answer``: of the shape :data:`ANSWER`;
    ``session``: its ``participant`` (the pseudonym), ``native_language`` and ``flags``. Raises
    :class:`InputError` for what the study does not contain: an item of another list, a position
    beyond the last, an answer of another design, a text that is too long.
    """
    row, key, total = answer["row"], answer["item"], study.totals[number - 1]
    if key not in study.keys_of_lists[number - 1]:
        raise fail(f"item {key[:40]!r} is not in list {number}")
    if answer["position"] > total:
        raise fail(f"position {answer['position']}: list {number} has {total}")
    item = study.items[key]
    _check_row(study.design, item, row)
    values = {
        **item, **row, "study": study.id, "participant": session["participant"], "list": number,
        "position": answer["position"], "design": study.design, "trials": total,
        "native_language": session.get("native_language"),
        "flags": list(dict.fromkeys([*(session.get("flags") or ()), *(row.get("flags") or ())])),
    }  # fmt: skip
    return {name: values.get(name) for name in ANSWERS.names}


def _check_row(design: str, item: Mapping[str, str], row: Mapping[str, Any]) -> None:
    """Raise :class:`InputError` if an answer does not fit the design or the trial."""
    check_flags(row.get("flags", ()))
    _one_of("shown", row["shown"], [side for side in ("good", "bad") if item.get(side)])
    for name in {"answer", "rating", "reason", "comment"} - _ANSWERED_BY[design]:
        if row.get(name) is not None:
            raise fail(f"{name} is no part of an answer of the design {design!r}")
    if design == "likert":
        if row.get("rating") is None:
            raise fail("rating is missing")
        return
    _one_of("answer", row.get("answer"), READINGS if design == "expert" else ("good", "bad"))
    if row.get("reason") is not None:
        _one_of("reason", row["reason"], REASONS)
    if len(row.get("comment") or "") > _MAX_COMMENT:
        raise fail(f"comment has more than {_MAX_COMMENT:,} characters")


def check_flags(flags: Iterable[str]) -> None:
    """Raise :class:`InputError` for a flag that is not one of :data:`FLAGS`."""
    for flag in flags:
        _one_of("flag", flag, FLAGS)


def _one_of(name: str, said: object, known: Sequence[str]) -> None:
    if said not in known:
        raise fail(f"{name} is {str(said)[:40]!r} {candidates('known', known)}")
