"""Import answers, from our page, our server or other programs, into one table.

The table is ``answers.parquet`` in the folder of the study, with the columns of
:data:`~solecism.judge.schema.ANSWERS`.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solecism.errors import candidates, fail
from solecism.files import place_in, write_text, writing
from solecism.hashing import hex_ids, text_hashes
from solecism.inputs import (
    COUNT,
    check,
    check_name,
    parquet_schema,
    read_parquet,
    reading_parquet,
)
from solecism.judge.design import ANSWERS_FILE, SALT, Item, Study
from solecism.judge.formats import Raw, read_raw
from solecism.judge.protocol import JUDGED, pseudonym
from solecism.judge.schema import ANSWERS, KINDS, PAIR, SIDES

if TYPE_CHECKING:
    from solecism.judge.server import AnswerStore

TABLE = "answers.parquet"
"""The name of the table in the folder of a study."""

MAX_TEXT = 2_000
"""Characters of an id, a name or a comment."""

KnownTrials = Mapping[tuple[str, ...], Item]
"""Trials by what answers may call them: ``(KEY,)``, ``("texts", GOOD, BAD)``, ``("id", ID, SIDE)``.

The side is that of a trial that shows one sentence, and empty if both are shown.
"""

_PLACES = (("1", "first", "a", "left", "top", "f"), ("2", "second", "b", "right", "bottom", "j"))
"""What an answer may call the sentence that stood first, and what the other one."""


class Imported(NamedTuple):
    """The answers that were read, in order; ``twice``: how many repetitions were left out."""

    table: pa.Table
    twice: int


def import_answers(
    study: Study, files: Sequence[Path], kind: str = "", known: KnownTrials | None = None
) -> Imported:
    """Read the answers in ``files``; if there are no files, those that our server has taken.

    ``kind``: the format, one of :data:`~solecism.judge.formats.FORMATS`; if it is empty, the format
    is recognised. ``known``: the pairs that answers are about, if the study does not have them. An
    answer that is there twice counts once. If a program does not say the position of an answer or
    the number of trials, they are counted from the person's answers. Raises :class:`InputError`,
    with file and line, for what cannot be understood, and for two different answers of one person
    to one trial.
    """
    found: dict[tuple[object, ...], Raw] = {}
    twice = 0
    if files and not study.items and not (study.folder / SALT).is_file():
        # Others made the study, so it has no salt yet for the pseudonyms of people.
        write_text(place_in(study.folder, SALT), secrets.token_hex(16) + "\n", mode=0o600)
    for path, row in _rows(study, files, kind, known or known_trials(study.items)):
        key = tuple(row[part] for part in ("participant", "list", "position", "id", "shown"))
        if (other := found.setdefault(key, row)) is not row:
            if any(other[name] != row[name] for name in ("answer", "rating")):
                what = f"{row['participant']} has two answers to {row['id']} ({row['UID']})"
                raise fail(f"{what} at position {row['position']}", path, row.get("line"))
            twice += 1
    if not found:
        raise fail("no answers were found", files[0] if files else study.folder)
    totals, places = Counter(row["participant"] for row in found.values()), Counter[str]()
    for row in found.values():
        places[row["participant"]] += 1
        row["position"] = row["position"] or places[row["participant"]]
        row["trials"] = row["trials"] or totals[row["participant"]]
    return Imported(pa.Table.from_pylist([*found.values()], ANSWERS), twice)


def known_trials(trials: Mapping[str, Item]) -> KnownTrials:
    """Return trials, given by their keys, in the form in which answers look them up."""
    found: dict[tuple[str, ...], Item] = {}
    for key, item in trials.items():
        texts = item.get("good", ""), item.get("bad", "")
        found |= {(key,): item, ("id", item["id"], _side(item)): item, ("texts", *texts): item}
    return found


def _side(item: Item) -> str:
    """Return the side of a trial that shows one sentence; an empty text if it shows both."""
    sides = [side for side in SIDES if item.get(side)]
    return sides[0] if len(sides) == 1 else ""


def _rows(
    study: Study, files: Sequence[Path], kind: str, known: KnownTrials
) -> Iterator[tuple[Path, Raw]]:
    """Yield answers as rows of :data:`~solecism.judge.schema.ANSWERS`, each with its file."""
    if not files:
        yield from ((study.folder, row) for row in _stored(study).to_pylist())
    for path in files:
        if path.suffix == ".sqlite":
            raise fail("is the server's file: import it by naming no file", path)
        for raw in read_raw(path, study, kind):
            # Answers of our own page have all columns, and pseudonyms for people.
            whole = all(name in raw for name in ANSWERS.names)
            yield path, raw if whole else _row(study, raw, known, path)


def _row(study: Study, raw: Raw, known: KnownTrials, path: Path) -> Raw:
    """Return the row for an answer of another program, with a pseudonym for the person.

    Raises :class:`InputError` if nobody is named, if the trial is unknown, or if the answer is not
    one that people can give.
    """
    line, flags = raw.get("line"), raw.get("flags") or []
    for name, value in raw.items():
        if isinstance(value, str) and len(value) > MAX_TEXT:
            raise fail(f"{name} has more than {MAX_TEXT:,} characters", path, line)
    if not raw.get("participant"):
        raise fail("does not say who answered (columns.participant)", path, line)
    item = _find(raw, known) or _described(study, raw, path)
    numbers = {name: _whole(raw.get(name)) for name in ("list", "position", "time", "trials")}
    check(numbers, dict.fromkeys(numbers, (COUNT, None)), f"{path}:{line}")
    # Of a choice the side that stood first, which need not be known; else that of the sentence.
    shown = str(raw.get("shown") or ("" if study.design == "choice" else _side(item)))
    if shown not in SIDES and (shown or study.design != "choice"):
        raise fail(f"shown is {shown!r}, wanted good or bad", path, line)
    return {
        "study": study.id, "participant": pseudonym(str(raw["participant"]), study.salt),
        **numbers,
        "kind": item.get("kind", "item"), "design": study.design,
        **{name: item.get(name, "") for name in PAIR}, "shown": shown or None,
        **_answer(study.design, raw, item, shown, path),
        **{n: str(raw[n]) if n in raw else None for n in ("reason", "comment", "native_language")},
        "flags": [*map(str, flags)] if isinstance(flags, list) else re.split(r"[ ,;]+", str(flags)),
        "line": line,
    }  # fmt: skip


def _find(raw: Raw, known: KnownTrials) -> Item | None:
    """Return the trial that an answer names by key, by sentences or by id; None if unknown."""
    if "item" in raw:
        return known.get((str(raw["item"]),))
    key, shown = str(raw.get("id")), str(raw.get("shown"))
    ways = (("texts", *_sentences(raw)), ("id", key, ""), ("id", key, shown))
    return next((known[way] for way in ways if way in known), None)


def _sentences(raw: Raw) -> tuple[str, str]:
    """Return the good and the bad sentence that an answer names, or empty texts."""
    if "first" in raw and raw.get("shown") in SIDES:
        first, second = str(raw["first"]), str(raw.get("second", ""))
        return (first, second) if raw["shown"] == "good" else (second, first)
    return str(raw.get("good", "")), str(raw.get("bad", ""))


def _whole(value: object) -> object:
    """Return a number, or a text that is one, rounded; return all else unchanged.

    Numbers that do not fit in 32 bits are returned unchanged too.
    """
    try:
        number = float(str(value))
    except ValueError:
        return value
    return round(number) if abs(number) < 2**31 else value


def _described(study: Study, raw: Raw, path: Path) -> Item:
    """Return the trial that an answer describes, where a study of others lists no trials.

    Raises :class:`InputError` if the study has trials, or if the answer does not say enough.
    """
    line, (good, bad) = raw.get("line"), _sentences(raw)
    if study.items:
        key = str(raw.get("item") or raw.get("id") or good or bad)
        near = candidates("trials", [*study.items], key)
        raise fail(f"the study has no trial {key!r} {near}", path, line)
    if not raw.get("id") and not good and not bad:
        raise fail("does not say which pair it is about (columns.id, or good and bad)", path, line)
    key = str(raw.get("id") or hex_ids(text_hashes([f"{good}\n{bad}"]))[0])
    usual = {
        "kind": "item", "set_id": key, "UID": "", "linguistics_term": "",
        "config": study.data[0].config if study.data else "",
    }  # fmt: skip
    item = {name: str(raw.get(name) or value) for name, value in usual.items()}
    check(item, {"kind": KINDS}, f"{path}:{line}")
    return {**item, "id": key, "good": good, "bad": bad}


def _answer(design: str, raw: Raw, item: Item, shown: str, path: Path) -> dict[str, object]:
    """Return the columns ``answer`` and ``rating``, of which one is None."""
    line, said = raw.get("line"), str(raw.get("answer", "")).strip()
    judged: dict[str, object] = {"answer": said.lower()}
    if design == "likert":
        judged = {"rating": _whole(raw.get("rating", said))}
    elif design == "choice" and said.lower() not in SIDES:
        judged = {"answer": _chosen(said, item, shown)}
        if judged["answer"] is None:
            message = f"answer {said!r} is neither good or bad, nor first or second"
            raise fail(f"{message}, nor one of the sentences", path, line)
    check(judged, JUDGED[design], f"{path}:{line}")
    return {"answer": None, "rating": None, **judged}


def _chosen(answer: str, item: Item, shown: str) -> str | None:
    """Return the side that an answer names by its place or its sentence; None if it names none.

    ``shown``: the side that stood first, if it is known.

    >>> _chosen("2", {"good": "I sleep.", "bad": "I sleeps."}, "bad")
    'good'
    >>> _chosen("I sleeps.", {"good": "I sleep.", "bad": "I sleeps."}, "")
    'bad'
    """
    sides = ("good", "bad") if shown == "good" else ("bad", "good")
    for side, names in zip(sides, _PLACES, strict=True):
        if shown and answer.lower() in names:
            return side
    return next((side for side in SIDES if item.get(side) and answer == item[side]), None)


def save_answers(study: Study, table: pa.Table) -> Path:
    """Write the table of answers of a study over an earlier one, and return its path."""
    path = place_in(study.folder, TABLE)
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
        return _stored(study)
    missing = [name for name in ANSWERS.names if name not in parquet_schema(path).names]
    if missing:
        raise fail(f"is no table of answers: it has no column {', '.join(missing)}", path)
    with reading_parquet(path):
        table = read_parquet(path, ANSWERS.names).cast(ANSWERS)
    _check_values(table, study.design, path)
    pairs = table.group_by([*PAIR], use_threads=False).aggregate([]).to_pandas()
    twice = pairs["id"][pairs.duplicated(["config", "id"])]
    if len(twice):
        why = "has several values of UID, set_id or linguistics_term"
        raise fail(f"the pair {twice.iloc[0]!r} {why}", path)
    return table


def _check_values(table: pa.Table, design: str, path: Path) -> None:
    """Raise :class:`InputError` for values that no answer can have: others may have made them."""
    judged = "rating" if design == "likert" else "answer"
    shapes: dict[str, object] = {
        "design": (design,), "kind": KINDS, "shown": (*SIDES, None) if design == "choice" else SIDES,
        judged: JUDGED[design][judged], **dict.fromkeys(("participant", *PAIR), str),
        "trials": COUNT,
    }  # fmt: skip
    values = {name: pc.unique(table[name]).to_pylist() for name in shapes}
    check(values, {name: [shape] for name, shape in shapes.items()}, path)
    for name in ("participant", "id", "set_id", "linguistics_term"):
        if max(map(len, values[name]), default=0) > MAX_TEXT:
            raise fail(f"{name} has more than {MAX_TEXT:,} characters", path)
    parts = [part for config in values["config"] for part in config.split("/", 1)]
    for name, texts in (("config", parts), ("UID", values["UID"])):
        for text in filter(None, texts):
            check_name(text, name, path)


def _store(study: Study) -> AnswerStore | None:
    """Return the store of answers of the study's server; None if no server was run."""
    if not (study.folder / ANSWERS_FILE).is_file():
        return None
    from solecism.judge.server import AnswerStore

    return AnswerStore(study)


def _stored(study: Study) -> pa.Table:
    """Return the answers that the server has taken; raises :class:`InputError` without any."""
    if not (store := _store(study)):
        why = "there are no answers yet: `solecism judge import` brings them home"
        raise fail(why, study.folder / ANSWERS_FILE)
    return pa.Table.from_pylist(store.rows(), ANSWERS)


def states_of_lists(study: Study) -> dict[int, tuple[int, int, int]]:
    """Return for each list how many people it has, how many of them finished, and their answers.

    The numbers come from the server if one was run, else from the table. List 0 is for answers that
    name no list.
    """
    if store := _store(study):
        return store.counts()
    if not (study.folder / TABLE).is_file():
        return {}
    frame = read_answer_table(study).to_pandas().fillna({"list": 0})
    groups = frame.groupby(["list", "participant"])
    people = groups.agg(answers=("id", "size"), trials=("trials", "max"))
    people["finished"] = people["answers"] >= people["trials"]
    lists = people.groupby("list").agg(
        people=("trials", "size"), finished=("finished", "sum"), answers=("answers", "sum")
    )
    return {int(number): tuple(counts) for number, *counts in lists.itertuples()}


def remove_person(study: Study, code: str) -> int:
    """Remove the answers of a person from table and server; return how many there were.

    ``code``: the code that the page has shown the person at the end, or the name that the person
    has on the platform.
    """
    names = {code, pseudonym(code, study.salt)} if (study.folder / SALT).is_file() else {code}
    store, removed = _store(study), 0
    if store:
        removed = sum(store.remove(name) for name in sorted(names))
    if (study.folder / TABLE).is_file():
        table = read_answer_table(study)
        theirs = pc.is_in(table["participant"], pa.array(sorted(names)))
        if count := pc.sum(theirs).as_py():
            save_answers(study, table.filter(pc.invert(theirs)))
            removed = max(removed, count)
    return removed
