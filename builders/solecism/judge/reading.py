"""Blind readings of minimal pairs: sheets without labels, and what the answers say.

A sheet mixes pairs of several sets, each with its sides in a random order. A reader says which side
is right and whether that sentence makes sense. The key, a file beside the sheet that readers do not
see, says which side has the label "good".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from solecism.errors import candidates, fail
from solecism.files import add_texts
from solecism.hashing import hex_ids, text_hashes
from solecism.lexicon.table import read_tsv

__all__ = [
    "CHOICES",
    "SENSES",
    "AnswerCount",
    "Answers",
    "ReadPair",
    "agreement",
    "read_answers",
    "sample",
    "tally_answers",
    "write_sheet",
]  # fmt: skip

CHOICES = ("a", "b", "both", "neither")
SENSES = ("sensible", "odd", "nonsense")

SHEET, KEY, ANSWERS, GUIDE = "sheet.tsv", "key.tsv", "answers-*.tsv", "README.txt"
_SHEET_COLUMNS = ("item", "a", "b", "choice", "sense", "comment")
_KEY_COLUMNS = ("item", "set", "UID", "good")

_GUIDE = """\
How to read
===========

Copy sheet.tsv to answers-NAME.tsv, with a name of your own. Do not open key.tsv. Each line has two
sentences, a and b. Read each line for itself, as a native speaker who has not read the others.

choice   Which sentence is grammatical: a, b, both, or neither? Grammar only: a sentence may be
         grammatical and silly. Where both are possible but one is clearly better, name that one.
sense    Is the sentence that you chose (where you chose both or neither: the better one) something
         that a person could have said? sensible: yes, in a situation that is easy to think of;
         odd: grammatical, but nobody would say it so, or of these people and things;
         nonsense: it describes nothing that can happen.
comment  What is wrong or odd, in a few words. May be empty.
"""


@dataclass(frozen=True)
class ReadPair:
    """A minimal pair to read, with the name of its set and its paradigm."""

    set: str
    uid: str
    good: str
    bad: str

    @property
    def digest(self) -> str:
        """A hash of the pair, by which pairs are chosen and sides are ordered."""
        return _hash("\t".join((self.uid, self.good, self.bad)))


def sample(pairs: Sequence[ReadPair], number: int, seed: int = 0) -> list[ReadPair]:
    """Return ``number`` pairs, as many of each paradigm as of any other (all if there are fewer).

    Which pairs of a paradigm: those with the lowest hashes of seed and sentences.
    """
    by_uid: defaultdict[str, list[ReadPair]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda pair: _hash(f"{seed} {pair.digest}")):
        by_uid[pair.uid].append(pair)
    rounds = zip_longest(*(by_uid[uid] for uid in sorted(by_uid)))
    return [pair for round_ in rounds for pair in round_ if pair][:number]


def _hash(text: str) -> str:
    return str(hex_ids(text_hashes([text]))[0])


def write_sheet(pairs: Sequence[ReadPair], folder: Path, seed: int = 0) -> None:
    """Write a sheet with pairs in random order, its key, and a page that says how to read.

    Raises :class:`InputError` where a file of these names is there already.
    """
    order = sorted(pairs, key=lambda pair: _hash(f"order {seed} {pair.set} {pair.digest}"))
    sheet: list[Sequence[str]] = [_SHEET_COLUMNS]
    key: list[Sequence[str]] = [_KEY_COLUMNS]
    for number, pair in enumerate(order, 1):
        first = _hash(f"side {seed} {pair.digest}") < "8"
        sides = (pair.good, pair.bad) if first else (pair.bad, pair.good)
        sheet.append((str(number), *sides, "", "", ""))
        key.append((str(number), pair.set, pair.uid, "a" if first else "b"))
    texts = {SHEET: _table_text(sheet), KEY: _table_text(key), GUIDE: _GUIDE}
    add_texts(folder, {folder / name: text for name, text in texts.items()})


def _table_text(rows: Sequence[Sequence[str]]) -> str:
    lines = ("\t".join(" ".join(cell.split()) for cell in row) for row in rows)
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Answers:
    """What a reader said of each item: the label that follows from it, and its sense.

    ``labels``: ``right``, ``wrong``, ``both fine`` or ``neither``.
    """

    reader: str
    labels: Mapping[str, str]
    senses: Mapping[str, str]


@dataclass(frozen=True)
class AnswerCount:
    """The counts of one reader's answers for a set, or a paradigm of it (``uid``)."""

    reader: str
    set: str
    uid: str
    labels: Mapping[str, int]
    senses: Mapping[str, int]

    @property
    def items(self) -> int:
        """The number of items read."""
        return sum(self.labels.values())


LABELS = ("right", "wrong", "both fine", "neither")


def read_answers(folder: Path) -> tuple[dict[str, tuple[str, str]], list[Answers]]:
    """Read the key (set and paradigm of each item) and the answers of all readers of a folder.

    Raises :class:`InputError`, with file and line, for an answer that is missing or unknown.
    """
    rows = dict(_rows(folder / KEY, _KEY_COLUMNS))
    good = {row["item"]: row["good"] for row in rows.values()}
    key = {row["item"]: (row["set"], row["UID"]) for row in rows.values()}
    paths = sorted(folder.glob(ANSWERS))
    if not paths:
        raise fail(f"there are no answers: copy {SHEET} to {ANSWERS.replace('*', 'NAME')}", folder)
    return key, [_answers_of(path, good) for path in paths]


def _answers_of(path: Path, good: Mapping[str, str]) -> Answers:
    labels: dict[str, str] = {}
    senses: dict[str, str] = {}
    for line, row in _rows(path, ("item", "choice", "sense")):
        item = row["item"]
        if item not in good or item in labels:
            why = "stands twice" if item in labels else "is not in the key"
            raise fail(f"item {item!r} {why}", path, line)
        choice = _one_of(row, "choice", CHOICES, path, line)
        senses[item] = _one_of(row, "sense", SENSES, path, line)
        side = "right" if choice == good[item] else "wrong"
        labels[item] = {"both": "both fine", "neither": "neither"}.get(choice, side)
    missing = [item for item in good if item not in labels]
    if missing:
        raise fail(f"item {missing[0]!r} has no answer ({len(missing)} have none)", path)
    return Answers(path.stem.partition("-")[2], labels, senses)


def _one_of(
    row: Mapping[str, str], column: str, known: Sequence[str], path: Path, line: int
) -> str:
    """Return an answer, which may be shortened (``s`` for sensible)."""
    said = row[column].strip().lower()
    found = [word for word in known if word == said] or [w for w in known if w.startswith(said)]
    if not said or len(found) != 1:
        raise fail(f"{column} {said!r} {candidates('answers', known, said)}", path, line)
    return found[0]


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the rows of a tab-separated file with their line numbers."""
    if not path.is_file():
        raise fail("is not there: is this a folder that `solecism read` has made?", path)
    (line, header), *rows = read_tsv(path, ())
    lacking = [name for name in columns if name not in header]
    if lacking:
        raise fail(f"there is no column {lacking[0]!r}", path, line)
    yield from ((line, dict(zip(header, cells, strict=True))) for line, cells in rows)


def tally_answers(
    key: Mapping[str, tuple[str, str]], answers: Sequence[Answers], by_uid: bool = False
) -> list[AnswerCount]:
    """Count the answers of each reader for each set, or for each paradigm of each set."""
    out = []
    for one in answers:
        labels, senses = (
            defaultdict[tuple[str, str], Counter[str]](Counter),
            defaultdict[tuple[str, str], Counter[str]](Counter),
        )
        for item, (name, uid) in key.items():
            place = name, uid if by_uid else ""
            labels[place][one.labels[item]] += 1
            senses[place][one.senses[item]] += 1
        for name, uid in sorted(labels):
            out.append(AnswerCount(one.reader, name, uid, labels[name, uid], senses[name, uid]))
    return out


def agreement(one: Mapping[str, str], other: Mapping[str, str]) -> tuple[float, float]:
    """Return the share of items with the same answer, and Cohen's kappa (1960).

    Kappa is 1 where both give the same answer to all items.

    >>> agreement({"1": "odd", "2": "sensible"}, {"1": "odd", "2": "odd"})
    (0.5, 0.0)
    """
    items = len(one)
    same = sum(one[item] == other[item] for item in one) / items
    mine, theirs = Counter(one.values()), Counter(other.values())
    chance = sum(mine[answer] * theirs[answer] for answer in mine) / items**2
    return same, 1.0 if chance == 1 else (same - chance) / (1 - chance)
