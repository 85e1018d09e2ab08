"""Bring answers home: from our page and server and from other programs, into one table.

The table is ``answers.parquet`` in the folder of the study, with the columns of
:data:`~solecism.judge.schema.ANSWERS`.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solecism.errors import candidates, fail
from solecism.files import write_text, writing
from solecism.hashing import hex_ids, text_hashes
from solecism.inputs import check_name, reading_parquet
from solecism.judge.design import ANSWERS_FILE, SALT, Item, Study
from solecism.judge.formats import read_raw
from solecism.judge.protocol import READINGS, pseudonym
from solecism.judge.schema import ANSWERS, KINDS

TABLE = "answers.parquet"
"""The name of the table in the folder of a study."""

MAX_TEXT = 2_000
"""Characters of an id, a name or a comment."""

Row = Mapping[str, Any]

_FIRST = ("1", "first", "a", "left", "top", "f")
_SECOND = ("2", "second", "b", "right", "bottom", "j")
_PAIR = ("config", "id", "set_id", "UID", "linguistics_term")


class KnownTrials:
    """Trials that answers may be about, given by their keys."""

    def __init__(self, trials: Mapping[str, Item]) -> None:
        self.keys = list(trials)
        self._found: dict[object, Item] = {}
        for key, item in trials.items():
            texts = item.get("good", ""), item.get("bad", "")
            self._found |= {key: item, (item["id"], _side(item)): item, ("texts", *texts): item}

    def find(self, raw: Row) -> Item | None:
        """Return the trial that an answer is about, by its key, its sentences or its id."""
        if "item" in raw:
            return self._found.get(str(raw["item"]))
        key, shown = str(raw.get("id")), str(raw.get("shown"))
        ways = (("texts", *_sentences(raw)), (key, ""), (key, shown))
        return next((self._found[way] for way in ways if way in self._found), None)


def _side(item: Item) -> str:
    """Return the only side of a trial; an empty text if it has both."""
    sides = [side for side in ("good", "bad") if item.get(side)]
    return sides[0] if len(sides) == 1 else ""


def _sentences(raw: Row) -> tuple[str, str]:
    """Return the good and the bad sentence that an answer names, or empty texts."""
    if "first" in raw and raw.get("shown") in ("good", "bad"):
        first, second = str(raw["first"]), str(raw.get("second", ""))
        return (first, second) if raw["shown"] == "good" else (second, first)
    return str(raw.get("good", "")), str(raw.get("bad", ""))


class Imported(NamedTuple):
    """The rows that were read, in order, and how many of them were there ``twice``."""

    rows: list[Row]
    twice: int


def import_answers(
    study: Study, paths: Iterable[Path], name: str = "", known: KnownTrials | None = None
) -> Imported:
    """Read the answers in files; without any, those that our server has taken.

    ``name``: the format (:data:`~solecism.judge.formats.FORMATS`), empty: the one that fits;
    ``known``: the pairs that answers are about, if the study does not have them. An answer that is
    there twice counts once. Raises :class:`InputError`, with file and line, for what cannot be
    understood, and for two different answers of one person to one trial.
    """
    files = list(paths)
    rows: Iterable[tuple[Path, Row]] = ()
    if not files:
        rows = ((study.folder, row) for row in _stored_rows(study))
    else:
        if not study.items and not (study.folder / SALT).is_file():  # a study of others
            write_text(study.folder / SALT, secrets.token_hex(16) + "\n", mode=0o600)
        if servers := [path for path in files if path.suffix == ".sqlite"]:
            raise fail("is the server's file: import it by naming no file", servers[0])
        trials = known or KnownTrials(study.items)
        rows = ((p, _row(study, raw, trials, p)) for p in files for raw in read_raw(p, study, name))
    found: dict[tuple[object, ...], Row] = {}
    twice = 0
    for path, row in rows:
        key = tuple(row[part] for part in ("participant", "list", "position", "id", "shown"))
        if (other := found.setdefault(key, row)) is not row:
            if any(other[name] != row[name] for name in ("answer", "rating")):
                what = f"{row['participant']} has two answers to {row['id']} ({row['UID']})"
                raise fail(f"{what} at position {row['position']}", path, row.get("line"))
            twice += 1
    if not found:
        raise fail("no answers were found", files[0] if files else study.folder)
    return Imported(_counted(list(found.values())), twice)


def _counted(rows: Sequence[Row]) -> list[Row]:
    """Fill in what a program did not say: positions by the order of a person's answers, trials."""
    totals, places = Counter(row["participant"] for row in rows), Counter[str]()
    made: list[Row] = []
    for row in rows:
        places[row["participant"]] += 1
        position = row["position"] or places[row["participant"]]
        trials = row["trials"] or totals[row["participant"]]
        made.append({**row, "position": position, "trials": trials})
    return made


def _stored_rows(study: Study) -> list[dict[str, Any]]:
    path = study.folder / ANSWERS_FILE
    if not path.is_file():
        raise fail("there are no answers yet: `solecism judge import` brings them home", path)
    from solecism.judge.server import AnswerStore

    return AnswerStore(study).rows()


def _row(study: Study, raw: Row, known: KnownTrials, path: Path) -> Row:
    """Return the row of :data:`~solecism.judge.schema.ANSWERS` that a foreign answer makes.

    People get pseudonyms. Raises :class:`InputError` if nobody is named, the trial is unknown, or
    the answer is none.
    """
    if all(name in raw for name in ANSWERS.names):
        return raw  # our page's own: people have pseudonyms already
    line, flags = raw.get("line"), raw.get("flags") or []
    for name, value in raw.items():
        if isinstance(value, str) and len(value) > MAX_TEXT:
            raise fail(f"{name} has more than {MAX_TEXT:,} characters", path, line)
    if not raw.get("participant"):
        raise fail("does not say who answered (columns.participant)", path, line)
    item = known.find(raw) or _described(study, raw, known, path)
    shown = str(raw.get("shown") or ("" if study.design == "choice" else _side(item)))
    if shown not in ("good", "bad") and (shown or study.design != "choice"):
        raise fail(f"shown is {shown!r}, wanted good or bad", path, line)
    return {
        "study": study.id, "participant": pseudonym(str(raw["participant"]), study.salt),
        **{n: _count(raw.get(n), n, path, line) for n in ("list", "position", "time", "trials")},
        "kind": item.get("kind", "item"), "design": study.design,
        **{name: item.get(name, "") for name in _PAIR}, "shown": shown or None,
        **_answer(study.design, raw, item, shown, path),
        **{n: str(raw[n]) if n in raw else None for n in ("reason", "comment", "native_language")},
        "flags": [*map(str, flags)] if isinstance(flags, list) else re.split(r"[ ,;]+", str(flags)),
        "line": line,
    }  # fmt: skip


def _count(value: object, name: str, path: Path, line: int | None) -> int | None:
    if value is None:
        return None
    try:
        number = round(float(str(value)))
    except (ValueError, OverflowError):
        number = -1
    if not 0 <= number < 2**31:
        raise fail(f"{name} is {str(value)[:40]!r}, not a number up to {2**31 - 1:,}", path, line)
    return number


def _described(study: Study, raw: Row, known: KnownTrials, path: Path) -> Item:
    """Return the trial that an answer describes itself, of a study that others have made."""
    line, (good, bad) = raw.get("line"), _sentences(raw)
    key = str(raw.get("item") or raw.get("id") or good or bad)
    if study.items:
        near = candidates("trials", known.keys, key)
        raise fail(f"the study has no trial {key!r} {near}", path, line)
    if not raw.get("id") and not good and not bad:
        raise fail("does not say which pair it is about (columns.id, or good and bad)", path, line)
    key = str(raw.get("id") or hex_ids(text_hashes([f"{good}\n{bad}"]))[0])
    usual = {
        "kind": "item", "set_id": key, "UID": "", "linguistics_term": "",
        "config": study.data[0].config if study.data else "",
    }  # fmt: skip
    item = {name: str(raw.get(name) or value) for name, value in usual.items()}
    if item["kind"] not in KINDS:
        near = candidates("kinds", KINDS, item["kind"])
        raise fail(f"unknown kind {item['kind']!r} {near}", path, line)
    return {**item, "id": key, "good": good, "bad": bad}


def _answer(design: str, raw: Row, item: Item, shown: str, path: Path) -> dict[str, Any]:
    """Return ``answer`` and ``rating``."""
    line, said = raw.get("line"), str(raw.get("rating", raw.get("answer", ""))).strip()
    if design == "likert":
        rating = _count(said or None, "rating", path, line)
        if rating not in range(1, 8):
            raise fail(f"rating is {said!r}, wanted 1 to 7", path, line)
        return {"answer": None, "rating": rating}
    if design == "expert":
        if said.lower() not in READINGS:
            raise fail(
                f"unknown answer {said!r} {candidates('answers', READINGS, said)}", path, line
            )
        return {"answer": said.lower(), "rating": None}
    side = _chosen(said, item, shown)
    if side is None:
        message = f"answer {said!r} is neither good or bad, nor first or second"
        raise fail(f"{message}, nor one of the sentences", path, line)
    return {"answer": side, "rating": None}


def _chosen(answer: str, item: Item, shown: str) -> str | None:
    """Return the side that an answer names: by itself, by its place, or by its sentence.

    >>> _chosen("2", {"good": "I sleep.", "bad": "I sleeps."}, "bad")
    'good'
    >>> _chosen("I sleeps.", {"good": "I sleep.", "bad": "I sleeps."}, "")
    'bad'
    """
    text = answer.lower()
    if text in ("good", "bad"):
        return text
    if shown and text in (*_FIRST, *_SECOND):
        other = "bad" if shown == "good" else "good"
        return shown if text in _FIRST else other
    return next((side for side in ("good", "bad") if item.get(side) and answer == item[side]), None)


def answer_table(rows: Iterable[Row]) -> pa.Table:
    """Return rows as a table of :data:`~solecism.judge.schema.ANSWERS`."""
    return pa.Table.from_pylist([dict(row) for row in rows], schema=ANSWERS)


def save_answers(study: Study, table: pa.Table) -> Path:
    """Write the table of a study, in place of an earlier one, and return its path."""
    path = study.folder / TABLE
    with writing(path) as part:
        part.chmod(0o600)
        pq.write_table(table, part)
    return path


def read_answer_table(study: Study) -> pa.Table:
    """Return the answers to a study: those imported, else those that its server has taken.

    Raises :class:`InputError` if there are none, if they are to a study of another design, if a
    value is not one that an answer may have, and if a pair has several paradigms.
    """
    path = study.folder / TABLE
    if not path.is_file():
        return answer_table(_stored_rows(study))
    with reading_parquet(path):
        table = pq.read_table(path)
        if missing := [name for name in ANSWERS.names if name not in table.column_names]:
            raise fail(f"is no table of answers: it has no column {', '.join(missing)}", path)
        table = table.select(ANSWERS.names).cast(ANSWERS)
    _check_values(table, study.design, path)
    names = ["set_id", "UID", "linguistics_term"]
    pairs = table.group_by(["config", "id"]).aggregate([(name, "count_distinct") for name in names])
    for name in names:
        several = pairs.filter(pc.greater(pairs[f"{name}_count_distinct"], 1))
        if len(several):
            pair = several["id"][0].as_py()
            raise fail(f"the pair {pair!r} has several values of {name}", path)
    return table


def _check_values(table: pa.Table, design: str, path: Path) -> None:
    """Refuse what an answer cannot be: a table may be that of others."""
    answers = READINGS if design == "expert" else ("good", "bad")
    judged = {"rating": range(1, 8)} if design == "likert" else {"answer": answers}
    sides = ("good", "bad", None) if design == "choice" else ("good", "bad")
    wanted: dict[str, Iterable[object]] = {"design": [design], "kind": KINDS, "shown": sides}
    for name, known in {**wanted, **judged}.items():
        if odd := set(pc.unique(table[name]).to_pylist()) - set(known):
            near = candidates("known", [*map(str, known)])
            raise fail(f"{name} is {str(odd.pop())[:40]!r} {near}", path)
    for name in ("participant", *_PAIR, "trials"):
        if count := table[name].null_count:
            raise fail(f"{name} is empty in {count:,} rows", path)
    _check_texts(table, path)


def _check_texts(table: pa.Table, path: Path) -> None:
    for name in ("participant", "id", "set_id", "linguistics_term"):
        if len(table) and pc.max(pc.utf8_length(table[name])).as_py() > MAX_TEXT:
            raise fail(f"{name} has more than {MAX_TEXT:,} characters", path)
    configs = [part for one in pc.unique(table["config"]).to_pylist() for part in one.split("/", 1)]
    for name, values in (("config", configs), ("UID", pc.unique(table["UID"]).to_pylist())):
        for value in filter(None, values):
            check_name(value, name, path)


def states_of_lists(study: Study) -> dict[int, tuple[int, int, int]]:
    """Return of each list how many people count for it, how many finished, and their answers.

    They are those of the server, or without one of the table; list 0 is for answers without a list.
    """
    if (study.folder / ANSWERS_FILE).is_file():
        from solecism.judge.server import AnswerStore

        return AnswerStore(study).counts()
    if not (study.folder / TABLE).is_file():
        return {}
    table = read_answer_table(study)
    people = table.group_by(["list", "participant"]).aggregate([("id", "count"), ("trials", "max")])
    found: dict[int, tuple[int, int, int]] = {}
    for row in people.to_pylist():
        some, finished, answers = found.get(row["list"] or 0, (0, 0, 0))
        ended = int(row["id_count"] >= row["trials_max"])
        found[row["list"] or 0] = (some + 1, finished + ended, answers + row["id_count"])
    return found


def remove_person(study: Study, code: str) -> int:
    """Remove the answers of a person from table and server; return how many there were.

    ``code``: what the page has shown at the end, or the name that the platform gives.
    """
    names = {code, pseudonym(code, study.salt)} if (study.folder / SALT).is_file() else {code}
    removed = 0
    if (study.folder / ANSWERS_FILE).is_file():
        from solecism.judge.server import AnswerStore

        removed = sum(AnswerStore(study).remove(name) for name in sorted(names))
    if (study.folder / TABLE).is_file():
        table = read_answer_table(study)
        theirs = pc.is_in(table["participant"], pa.array(sorted(names)))
        if count := pc.sum(theirs).as_py():
            save_answers(study, table.filter(pc.invert(theirs)))
            removed = max(removed, count)
    return removed
