"""What an answer of another program is about, and what it says, by our names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solecism.errors import candidates, fail
from solecism.hashing import hex_ids, text_hashes
from solecism.judge.design import Item, Study
from solecism.judge.protocol import READINGS
from solecism.judge.pseudonyms import pseudonym
from solecism.judge.schema import ANSWERS, KINDS

__all__ = ["Known", "complete"]

_FIRST = ("1", "first", "a", "left", "top", "f")
_SECOND = ("2", "second", "b", "right", "bottom", "j")
_PAIR = ("config", "id", "set_id", "UID", "linguistics_term")


@dataclass(frozen=True)
class Known:
    """Pairs that answers may be about: by key, by id, and by their sentences.

    ``terms``: the phenomenon of each UID, for pairs that are not among them.
    """

    by_key: Mapping[str, Item]
    by_id: Mapping[str, Item]
    by_text: Mapping[tuple[str, str], Item]
    terms: Mapping[str, str]

    @staticmethod
    def of_study(study: Study) -> Known:
        """Return the trials of a study."""
        return Known.of_items(study.items.items())

    @staticmethod
    def of_items(items: Iterable[tuple[str, Item]]) -> Known:
        """Return trials by their keys."""
        by_key = dict(items)
        every = list(by_key.values())
        return Known(
            by_key,
            {_side_id(item): item for item in every},
            {(item.get("good", ""), item.get("bad", "")): item for item in every},
            {item["UID"]: item["linguistics_term"] for item in every},
        )

    def find(self, raw: Mapping[str, Any]) -> Item | None:
        """Return the trial that an answer is about, by its key, its id or its sentences."""
        if raw.get("item") is not None:
            return self.by_key.get(str(raw["item"]))
        texts = str(raw.get("good") or ""), str(raw.get("bad") or "")
        if any(texts) and texts in self.by_text:
            return self.by_text[texts]
        side = str(raw.get("shown") or "")
        return self.by_id.get(f"{raw.get('id')}") or self.by_id.get(f"{raw.get('id')} {side}")


def _side_id(item: Item) -> str:
    """Return the id of a pair, with the side where one sentence is judged at a time."""
    both = item.get("good") and item.get("bad")
    return item["id"] if both else f"{item['id']} {'good' if item.get('good') else 'bad'}"


def complete(
    study: Study, raw: Mapping[str, Any], known: Known, salt: str, path: Path
) -> dict[str, Any]:
    """Return the row of :data:`~solecism.judge.schema.ANSWERS` that a foreign answer makes.

    People get pseudonyms by ``salt``. Raises :class:`InputError` where nobody is named, the trial
    is unknown, or the answer is none.
    """
    line = raw.get("line")
    if not raw.get("participant"):
        raise fail("does not say who answered (columns.participant)", path, line)
    item = known.find(raw) or _of_answer(study, raw, known, path)
    said = _said(study, raw, item, path)
    flags = raw.get("flags") or []
    row = {
        "study": study.id,
        "participant": pseudonym(str(raw["participant"]), salt),
        **{name: _count(raw.get(name), name, path, line) for name in _COUNTS},
        "kind": item.get("kind", "item"),
        "design": study.design,
        **{name: item.get(name, "") for name in _PAIR},
        **said,
        **{name: _text(raw.get(name)) for name in ("reason", "comment", "native_language")},
        "flags": [*map(str, flags)] if isinstance(flags, list) else re.split(r"[ ,;]+", str(flags)),
    }
    return {name: row[name] for name in ANSWERS.names} | {"line": line}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


_COUNTS = ("list", "position", "time", "trials")


def _count(value: Any, name: str, path: Path, line: int | None) -> int | None:
    if value is None:
        return None
    try:
        number = round(float(value))
    except (TypeError, ValueError, OverflowError):
        raise fail(f"{name} is {value!r}, not a number", path, line) from None
    if not 0 <= number < 2**31:
        raise fail(f"{name} is {value!r}, not between 0 and {2**31 - 1:,}", path, line)
    return number


def _of_answer(study: Study, raw: Mapping[str, Any], known: Known, path: Path) -> Item:
    """Return the trial that an answer describes itself, of a study that others have made."""
    line = raw.get("line")
    if study.items:
        key = raw.get("item") or raw.get("id") or raw.get("good") or raw.get("bad")
        near = candidates("trials", list(known.by_key), str(key))
        raise fail(f"the study has no trial {key!r} {near}", path, line)
    texts = str(raw.get("good") or ""), str(raw.get("bad") or "")
    if not raw.get("id") and not any(texts):
        raise fail("does not say which pair it is about (columns.id, or good and bad)", path, line)
    key = str(raw.get("id") or hex_ids(text_hashes(["\n".join(texts)]))[0])
    kind = str(raw.get("kind") or "item")
    if kind not in KINDS:
        raise fail(f"unknown kind {kind!r} {candidates('kinds', KINDS, kind)}", path, line)
    uid = str(raw.get("UID") or "")
    config = study.data[0].config if study.data else ""
    return {
        "kind": kind, "id": key, "set_id": str(raw.get("set_id") or key), "UID": uid,
        "config": str(raw.get("config") or config), "good": texts[0], "bad": texts[1],
        "linguistics_term": str(raw.get("linguistics_term") or known.terms.get(uid, "")),
    }  # fmt: skip


def _said(study: Study, raw: Mapping[str, Any], item: Item, path: Path) -> dict[str, Any]:
    """Return ``shown``, ``answer`` and ``rating``."""
    line = raw.get("line")
    shown = _shown(study.design, raw, item, path)
    if study.design == "likert":
        rating = _count(raw.get("rating", raw.get("answer")), "rating", path, line)
        if rating is None or not 1 <= rating <= 7:
            raise fail(f"rating is {raw.get('rating')!r}, wanted 1 to 7", path, line)
        return {"shown": shown, "answer": None, "rating": rating}
    answer = str(raw.get("answer") if raw.get("answer") is not None else "").strip()
    if study.design == "expert":
        found = [one for one in READINGS if one == answer.lower()]
        if not found:
            near = candidates("answers", READINGS, answer)
            raise fail(f"unknown answer {answer!r} {near}", path, line)
        return {"shown": shown, "answer": found[0], "rating": None}
    side = _chosen(answer, item, shown)
    if side is None:
        message = f"answer {answer!r} is neither good or bad, nor first or second"
        raise fail(f"{message}, nor one of the sentences", path, line)
    return {"shown": shown, "answer": side, "rating": None}


def _shown(design: str, raw: Mapping[str, Any], item: Item, path: Path) -> str | None:
    """Return the sentence that stood first, or that was judged; None where it is not known."""
    sides = [side for side in ("good", "bad") if item.get(side)]
    said = str(raw.get("shown") or "")
    if not said and design != "choice" and len(sides) == 1:
        return sides[0]
    if said in ("good", "bad"):
        return said
    if said or design != "choice":
        raise fail(f"shown is {said!r}, wanted good or bad", path, raw.get("line"))
    return None


def _chosen(answer: str, item: Item, shown: str | None) -> str | None:
    """Return the side that an answer names: by itself, by its place, or by its sentence.

    >>> _chosen("2", {"good": "I sleep.", "bad": "I sleeps."}, "bad")
    'good'
    >>> _chosen("I sleeps.", {"good": "I sleep.", "bad": "I sleeps."}, None)
    'bad'
    """
    text = answer.lower()
    if text in ("good", "bad"):
        return text
    if shown is not None and text in (*_FIRST, *_SECOND):
        other = "bad" if shown == "good" else "good"
        return shown if text in _FIRST else other
    return next((side for side in ("good", "bad") if item.get(side) and answer == item[side]), None)
