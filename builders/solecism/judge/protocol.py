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

The order of the trials and which side is first follow from the seed
``<seed of the study>:<session>``, which every saved file has. The page (``page_files/order.js``)
and :func:`session_order` compute the same.

**The file** that a page saves (download, DataPipe, JATOS) is one JSON object: ``format``
(:data:`FORMAT`), ``study``, ``session``, ``seed``, ``participant`` (a pseudonym), ``list``,
``native_language``, ``finished`` (true or false), ``flags`` and ``rows``. A row has all columns of
:data:`~solecism.judge.schema.ANSWERS` and ``item``, the key of its trial.
"""

import hashlib
from collections.abc import Mapping

from solecism.errors import fail
from solecism.inputs import Json, Number, check
from solecism.judge.design import Study
from solecism.judge.schema import ANSWERS, SIDES

FORMAT = "solecism answers 1"

Said = Mapping[str, Json]
"""A message of a page, after its shape was checked."""

READINGS = ("yes", "no", "not applicable")
"""What an expert says of a sentence."""

FLAGS = ("honeypot", "resumed", "hidden")
"""What is noted of a session or an answer: a hidden field was filled in; the page was loaded again
before; the page was not in sight for a while."""

REASONS = ("agreement", "word order", "form", "meaning", "other")
"""Why an expert rejects a sentence."""

_PLACE = Number(1, 100_000, whole=True)

SESSION = {
    "study": str, "participant": str, "list?": _PLACE, "native_language?": str, "flags?": [FLAGS],
}  # fmt: skip
"""The shape of the message that begins a session (see :func:`solecism.inputs.check`)."""

ROW = {
    "shown": SIDES, "time": Number(0, 2**31 - 1, whole=True), "answer?": (str, None),
    "rating?": (Number(1, 7, whole=True), None), "reason?": (str, None), "comment?": (str, None),
    "flags?": [FLAGS],
}  # fmt: skip
"""The shape of ``row`` in the message that hands in an answer."""

ANSWER = {"session": str, "position": _PLACE, "item": str, "row": ROW}
FINISH = {"session": str, "answers": Number(0, 100_000, whole=True), "flags?": [FLAGS]}

SAVED = {
    **dict.fromkeys(("format", "study", "session", "seed", "participant"), str),
    "list": _PLACE, "native_language?": (str, None), "finished": bool, "flags?": [FLAGS],
    "rows": [{"item": str, "position": _PLACE, **ROW}],
}  # fmt: skip
"""The shape of a file that a page saves."""

_MAX_COMMENT = 2_000

JUDGED: Mapping[str, Mapping[str, object]] = {
    "choice": {"answer": SIDES},
    "likert": {"rating": Number(1, 7, whole=True)},
    "expert": {"answer": READINGS, "reason?": REASONS, "comment?": str},
}
"""The shape of what a person says in an answer, by design."""


def pseudonym(name: str, salt: str) -> str:
    """Return 24 hexadecimal digits of the SHA-256 of ``salt:name``, as the page computes them.

    Without the salt nobody can find out a name by trying names.
    """
    return hashlib.sha256(f"{salt}:{name}".encode()).hexdigest()[:24]


def answer_row(study: Study, number: int, answer: Said, session: Said) -> dict[str, object]:
    """Return an answer as a row of :data:`~solecism.judge.schema.ANSWERS`.

    ``number``: the list of the session, from 1; ``answer``: of the shape :data:`ANSWER`;
    ``session``: its ``participant`` (the pseudonym), ``native_language`` and ``flags``. Raises
    :class:`InputError` for what the study does not contain: an item of another list, a position
    beyond the last, an answer of another design, a text that is too long.
    """
    row, key, total = answer["row"], answer["item"], study.totals[number - 1]
    if key not in study.lists[number - 1]:
        raise fail(f"item {key[:40]!r} is not in list {number}")
    if answer["position"] > total:
        raise fail(f"position {answer['position']}: list {number} has {total}")
    item, shape = study.items[key], JUDGED[study.design]
    if not item.get(row["shown"]):
        raise fail(f"shown is {row['shown']!r}: item {key!r} has no such sentence")
    names = ("answer", "rating", "reason", "comment")
    said = {name: row[name] for name in names if row.get(name) is not None}
    for name in said:
        if name not in shape and f"{name}?" not in shape:
            raise fail(f"{name} is no part of an answer of the design {study.design!r}")
    check(said, shape, "")
    if len(said.get("comment", "")) > _MAX_COMMENT:
        raise fail(f"comment has more than {_MAX_COMMENT:,} characters")
    flags = [*(session.get("flags") or ()), *(row.get("flags") or ())]
    values = {
        **item, **row, "study": study.id, "participant": session["participant"], "list": number,
        "position": answer["position"], "design": study.design, "trials": total,
        "native_language": session.get("native_language"), "flags": list(dict.fromkeys(flags)),
    }  # fmt: skip
    return {name: values.get(name) for name in ANSWERS.names}


def mix(text: str) -> int:
    """Return a 32-bit hash of a text: FNV-1a, then the finalizer of MurmurHash3.

    >>> mix("0:a i1")
    3170127494
    """
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        value = (value ^ value >> shift) * factor & 0xFFFFFFFF
    return value


def session_order(study: Study, number: int, seed: str) -> list[str]:
    """Return the keys of list ``number`` (from 1) in the order of a session.

    Practice comes first. An expert reads one side of each pair before the other sides.
    """

    def rank(key: str) -> tuple[bool, int, int, str]:
        pair, _, side = key.partition("-")
        half = (mix(f"half {seed} {pair}") & 1) ^ (side == "bad") if study.design == "expert" else 0
        practice = study.items[key]["kind"] == "practice"
        place = study.lists[number - 1].index(key) if practice else mix(f"{seed} {key}")
        return not practice, 0 if practice else half, place, key

    return sorted(study.lists[number - 1], key=rank)
