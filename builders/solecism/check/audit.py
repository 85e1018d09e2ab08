"""The audit of a set of minimal pairs: what is wrong with it, or gives away which sentence is good."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Table

from solecism.contrast import differing_span, surplus
from solecism.errors import fail
from solecism.lexicon.features import Feats
from solecism.lexicon.lexicon import Lexicon

__all__ = [
    "Audit",
    "Contrast",
    "NumberCheck",
    "Pairs",
    "as_json",
    "audit",
    "auxiliary",
    "contrast",
    "cue_accuracy",
    "print_audits",
    "read_pairs",
    "total",
    "words_of",
]


_WORD = re.compile(r"\w(?:[\w'’.-]*\w)?|[^\w\s]")
_MARKS = ".?!…。？！"


@dataclass(frozen=True)
class Audit:
    """The counts of one paradigm (or of all). Where nothing else is said: numbers of pairs.

    ``same``: good equal to bad; ``duplicates``: good sentences that stood before, and bad ones;
    ``unequal``: not the same number of words, of which ``good_longer``; ``shorter``: share with the good side
    shorter in characters (a tie is one half); ``mark``: other final mark; ``capital``: a word that both have
    is capitalised in one, the first words left aside; ``more``: an auxiliary changes in lemma, tense or
    polarity where the pair changes number, or an auxiliary changes beside other words; ``prefix_words``: a
    word of the prefix methods that is empty, has a blank at an end or is several words; ``number``: a
    determiner of the good sentence disagrees with its noun; ``one_word``: one word differs; ``reordered``:
    the same words; ``contrasts``, ``lemmas``: distinct ones (forms, where lemmas are not given);
    ``cue``: see :mod:`solecism.check.audit`; ``cue_grouped``: the same with whole
    contrasts held out, both ways round;
    ``cue_bigrams``: over neighbouring words.
    """

    uid: str
    pairs: int
    same: int
    duplicates: int
    unequal: int
    good_longer: int
    shorter: float
    mark: int
    capital: int
    more: int
    prefix_words: int
    number: int
    one_word: int
    reordered: int
    contrasts: int
    lemmas: int
    cue: float
    cue_grouped: float
    cue_bigrams: float


@dataclass(frozen=True)
class Contrast:
    """The words of both sentences between what they share at the beginning and at the end."""

    good: tuple[str, ...]
    bad: tuple[str, ...]


@lru_cache(maxsize=1 << 16)
def words_of(sentence: str) -> tuple[str, ...]:
    """Cut a sentence into words and marks; the first word is written small unless it is so elsewhere too."""
    found = _WORD.findall(sentence)
    return (found[0][:1].lower() + found[0][1:], *found[1:]) if found else ()


def contrast(good: str, bad: str) -> Contrast:
    """Find the differing words of a pair, final marks left out."""
    ours, theirs = _without_mark(words_of(good)), _without_mark(words_of(bad))
    ours, theirs = _same_first(ours, theirs)
    differing = differing_span(ours, theirs)
    return Contrast(ours[differing[0]], theirs[differing[1]])


def _without_mark(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[:-1] if words and words[-1] in _MARKS else words


def _same_first(
    ours: tuple[str, ...], theirs: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give a name that stands first back its capital, where the other sentence has it inside."""
    capitals = {w for side in (ours[1:], theirs[1:]) for w in side if w[:1].isupper()}

    def named(side: tuple[str, ...]) -> tuple[str, ...]:
        name = side[0][:1].upper() + side[0][1:] if side else ""
        return (name, *side[1:]) if name in capitals else side

    return named(ours), named(theirs)


def audit(pairs: Pairs, numbers: NumberCheck | None = None) -> Audit:
    """Count what :class:`Audit` says. Without ``numbers`` (the nouns of the language) none is checked."""
    found = [contrast(good, bad) for good, bad in zip(pairs.good, pairs.bad, strict=True)]
    bags = [surplus(c.good, c.bad) for c in found]
    keys = [(c.good, c.bad) for c in found]
    sides = list(zip(pairs.good, pairs.bad, strict=True))
    lengths = [(len(good.split()), len(bad.split())) for good, bad in sides]
    return Audit(
        uid=pairs.uid,
        pairs=len(pairs),
        same=sum(good == bad for good, bad in sides),
        duplicates=_again(pairs.good) + _again(pairs.bad),
        unequal=sum(a != b for a, b in lengths),
        good_longer=sum(a > b for a, b in lengths),
        shorter=_mean([(len(a) < len(b)) + (len(a) == len(b)) / 2 for a, b in sides]),
        mark=sum(_mark(a) != _mark(b) for a, b in sides),
        capital=sum(_capital_leak(a, b) for a, b in sides),
        more=sum(map(_more, bags)),
        prefix_words=sum(any(map(_bad_word, words)) for words in pairs.words),
        number=sum(map(numbers.disagrees, map(words_of, pairs.good))) if numbers else 0,
        one_word=sum(len(c.good) == 1 == len(c.bad) for c in found),
        reordered=sum(a != b and not any(bag) for (a, b), bag in zip(sides, bags, strict=True)),
        contrasts=len(set(keys)),
        lemmas=len(_lemmas(pairs)),
        cue=cue_accuracy(bags),
        cue_grouped=cue_accuracy(bags, [frozenset(key) for key in keys]),
        cue_bigrams=cue_accuracy([_bigrams(a, b) for a, b in sides]),
    )


def total(audits: Sequence[Audit]) -> Audit:
    """Add up the counts; shares are means over paradigms."""
    values: dict[str, float] = {}
    for column_of in fields(Audit):
        if column_of.name != "uid":
            column = [getattr(one, column_of.name) for one in audits]
            share = any(isinstance(value, float) for value in column)
            values[column_of.name] = _mean(column) if share else sum(column)
    return Audit(uid="total", **values)  # type: ignore[arg-type]


def as_json(audits: Sequence[Audit]) -> Mapping[str, object]:
    """The counts for programs."""
    return {"paradigms": [asdict(one) for one in audits], "total": asdict(total(audits))}


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def _again(texts: Iterable[str]) -> int:
    return sum(count - 1 for count in Counter(texts).values())


def _mark(sentence: str) -> str:
    return sentence[-1:] if sentence[-1:] in _MARKS else ""


def _capital_leak(good: str, bad: str) -> bool:
    """Whether a word stands inside both sentences, in capitals in one only."""
    ours, theirs = (_WORD.findall(side) for side in (good, bad))
    if (ours[:1] or [""])[0][:1].isupper() != (theirs[:1] or [""])[0][:1].isupper():
        return True
    mine, other = set(ours[1:]) - set(theirs), set(theirs[1:]) - set(ours)
    firsts = {word.casefold() for word in (*ours[:1], *theirs[:1])}
    return not {w.casefold() for w in mine}.isdisjoint({w.casefold() for w in other} - firsts)


def _more(bag: Bags) -> bool:
    """Whether an auxiliary changes more than its number, or changes beside other words."""
    ours, theirs = ([auxiliary(str(w)) for w in side] for side in bag)
    good, bad = ([a for a in side if a] for side in (ours, theirs))
    if not good and not bad:
        return False
    if len(ours) == 1 == len(theirs):
        return bool(good and bad) and good[0] != bad[0]
    return sorted(good) != sorted(bad) or len(good) < max(len(ours), len(theirs))


def _bad_word(word: str | None) -> bool:
    return (word is not None and len(word.split(" ")) != 1) or word == ""


def _lemmas(pairs: Pairs) -> set[str]:
    lemmas = {lemma for row in pairs.lemmas for lemma in row}
    if lemmas:
        return lemmas
    return {w for s in (*pairs.good, *pairs.bad) for w in words_of(s) if w[:1].isalnum()}


def _bigrams(good: str, bad: str) -> Bags:
    sides = _same_first(_without_mark(words_of(good)), _without_mark(words_of(bad)))
    ours, theirs = (list(pairwise(("<s>", *side, "</s>"))) for side in sides)
    return surplus(ours, theirs)


_ONE = frozenset(["a", "an", "another", "each", "every", "one", "this"])
_SEVERAL = frozenset(
    [
        "both",
        "few",
        "fewer",
        "many",
        "more",
        "several",
        "these",
        "those",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
    ]
)
_SMALL = "of who whom which that to in on at by for with from about not and or but than"
_AUXILIARIES = "will would can could may might must should had has have did do does is are was were"
_STOP = _ONE | _SEVERAL | frozenset(f"{_SMALL} {_AUXILIARIES}".split())
_REACH = 3
"""Words in which the (first) noun of a determiner is looked for."""


@dataclass(frozen=True)
class NumberCheck:
    """The number of each noun form that can be nothing else: ``Sing`` or ``Plur``.

    A rough check, made to be seldom wrong where it tells something: it looks at a determiner or numeral and
    at the nouns shortly after it.
    """

    number: Mapping[str, str]

    @classmethod
    def of(cls, lexicon: Lexicon) -> NumberCheck:
        """Take the count nouns of a lexicon; of those of several words the last one (football *players*)."""
        forms: dict[str, set[str]] = {}
        for row in lexicon.table("noun").rows:
            if row.properties.get("Count", "count") != "count":
                continue
            for cell, form in row.forms.items():
                forms.setdefault(form.split()[-1], set()).add(_number(cell))
        known = {form: next(iter(values)) for form, values in forms.items() if len(values) == 1}
        return cls({form: value for form, value in known.items() if value})

    def disagrees(self, words: Sequence[str]) -> bool:
        """Tell whether a determiner is followed by a noun of the other number."""
        return any(
            self._wrong(words[place + 1 :], "Plur" if word in _ONE else "Sing")
            for place, word in enumerate(map(str.lower, words))
            if word in _ONE or word in _SEVERAL
        )

    def _wrong(self, after: Sequence[str], wrong: str) -> bool:
        """Tell whether the first nouns that stand together (a compound) have only the wrong number."""
        found: list[str] = []
        for place, word in enumerate(after):
            number = self.number.get(word, "")
            done = not number if found else place == _REACH
            if done or word.lower() in _STOP or not word[:1].isalpha():
                break
            found += [number] if number else []
        return bool(found) and set(found) == {wrong}


def _number(cell: Feats) -> str:
    return cell.text("Number")


_FORMS = {
    ("be", "Pres"): "am is are", ("be", "Past"): "was were", ("have", "Pres"): "has have",
    ("have", "Past"): "had", ("do", "Pres"): "does do", ("do", "Past"): "did",
}  # fmt: skip
_MODALS = "can could may might must shall should will would"
_NEGATED = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall"}
_KNOWN_AUXILIARIES = {
    **{form: key for key, forms in _FORMS.items() for form in forms.split()},
    **{modal: (modal, "") for modal in _MODALS.split()},
}


def auxiliary(word: str) -> tuple[str, str, bool] | None:
    """Give lemma, tense and whether it is negated (``haven't``) of an auxiliary, None of other words."""
    small = word.lower().replace("’", "'")
    base = _NEGATED.get(small, small.removesuffix("n't"))
    found = _KNOWN_AUXILIARIES.get(base)
    return (*found, base != small) if found else None


_TEXTS = ("sentence_good", "sentence_bad")
_WORDS = ("one_prefix_word_good", "one_prefix_word_bad", "two_prefix_word")
_KNOWN = "a folder built by `solecism build`, a .parquet, .jsonl or tab-separated .txt file"
_GATHERED = ("all", "pairs")


@dataclass
class Pairs:
    """The pairs of one paradigm, one entry in each list for each pair.

    ``words``: what the prefix methods compare, None where a method is not for the pair; ``lemmas``: of the
    words drawn, where the data set says them.
    """

    uid: str
    good: list[str] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)
    words: list[tuple[str | None, ...]] = field(default_factory=list)
    lemmas: list[list[str]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.good)

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a pair given by its columns."""
        self.good.append(row["sentence_good"])
        self.bad.append(row["sentence_bad"])
        self.words.append(tuple(row.get(name) for name in _WORDS))
        self.lemmas.append([slot["lemma"] for slot in row.get("slots") or () if slot["lemma"]])


def read_pairs(paths: Sequence[Path]) -> list[Pairs]:
    """Read files and folders; paradigms come in order of appearance.

    Raises :class:`InputError` for a path that holds no pairs.
    """
    found: dict[tuple[str, str], Pairs] = {}
    for path in paths:
        before = sum(map(len, found.values()))
        for file in _files(path):
            for language, uid, row in _rows(file):
                found.setdefault((language, uid), Pairs(uid)).add(row)
        if sum(map(len, found.values())) == before:
            raise fail(f"there are no minimal pairs here; wanted: {_KNOWN}", path)
    if len({language for language, _ in found}) > 1:
        for (language, uid), pairs in found.items():
            pairs.uid = f"{language}/{uid}".lstrip("/")
    return list(found.values())


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted(path.rglob("*.parquet"))
    own = [p for p in found if p.parent.name not in _GATHERED]
    return own or found or sorted([*path.glob("*.jsonl"), *path.glob("*.txt")])


def _rows(path: Path) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield language, paradigm and columns of each pair."""
    readers = {".parquet": _parquet, ".jsonl": _jsonl, ".txt": _tabs}
    if path.suffix not in readers:
        raise fail(f"not {_KNOWN}", path)
    for row in readers[path.suffix](path):
        yield row.get("language") or "", row.get("UID") or path.stem, row


def _parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    file = pq.ParquetFile(path)
    names = set(file.schema_arrow.names)
    if not set(_TEXTS) <= names:
        return
    wanted = [n for n in (*_TEXTS, "UID", "language", *_WORDS, "slots") if n in names]
    for batch in file.iter_batches(columns=wanted):
        yield from batch.to_pylist()


def _jsonl(path: Path) -> Iterator[Mapping[str, Any]]:
    for number, line in _lines(path):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise fail(f"not JSON: {error}", path, number) from None
        if not isinstance(row, dict) or not all(isinstance(row.get(n), str) for n in _TEXTS):
            raise fail(f"the line has no {' and '.join(_TEXTS)}", path, number)
        yield row


def _tabs(path: Path) -> Iterator[Mapping[str, Any]]:
    """CLAMS: lines ``True<tab>sentence``, each followed by its ``False<tab>sentence`` lines."""
    good = ""
    for number, line in _lines(path):
        label, tab, sentence = line.partition("\t")
        if label not in ("True", "False") or not tab or (label == "False" and not good):
            raise fail("wanted `True<tab>sentence`, then `False<tab>sentence`", path, number)
        if label == "True":
            good = sentence
        else:
            yield dict(zip(_TEXTS, (good, sentence), strict=True))


def _lines(path: Path) -> Iterable[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise fail(f"cannot be read as UTF-8: {error}", path) from None
    return ((n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip())


_BLOCKS: dict[str, dict[str, str]] = {
    "pairs": {
        "pairs": "pairs", "same": "good\n= bad", "duplicates": "dupli-\ncates", "unequal": "unequal\nlength",
        "good_longer": "good\nlonger", "shorter": "good\nshorter",
    },
    "leaks and faults": {
        "mark": "final\nmark", "capital": "capital", "more": "more\nchanged", "prefix_words": "prefix\nwords",
        "number": "number", "reordered": "re-\nordered",
    },
    "contrasts": {
        "one_word": "one\nword", "contrasts": "con-\ntrasts", "lemmas": "lemmas", "cue": "cue",
        "cue_grouped": "cue,\ngrouped", "cue_bigrams": "cue,\nbigrams",
    },
}  # fmt: skip


def print_audits(audits: Sequence[Audit], console: Console) -> None:
    """Print a table for each kind of count, the last line for all paradigms."""
    rows = [*audits, total(audits)]
    for title, columns in _BLOCKS.items():
        grid = Table(box=box.SIMPLE_HEAD, width=80, pad_edge=False, padding=(0, 1, 0, 0))
        grid.add_column(title, overflow="fold", ratio=1)
        for head in columns.values():
            grid.add_column(head, justify="right", width=7, no_wrap=True)
        for row in rows:
            cells = [_shown(getattr(row, name)) for name in columns]
            grid.add_row(row.uid, *cells, end_section=row is rows[-2])
        console.print(grid)


def _shown(value: float) -> str:
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}"


Bags = tuple[Sequence[Hashable], Sequence[Hashable]]
"""What stands only in the good sentence of a pair, and only in the bad one."""

FOLDS = 10


def cue_accuracy(bags: Sequence[Bags], groups: Sequence[Hashable] | None = None) -> float:
    """The share of pairs that the classifier gets right, in :data:`FOLDS`-fold cross-validation.

    Pairs of the same group (None: each its own) are held out together; folds are drawn at random with a
    fixed seed. Pairs without differing words count one half.
    """
    if not bags:
        return 0.5
    pair, word, sign = _flat(bags)
    fold = _folds(groups if groups is not None else range(len(bags)))
    size = int(word.max()) + 1 if len(word) else 1
    by_fold = np.zeros((2, FOLDS, size))
    np.add.at(by_fold, ((sign < 0).astype(int), fold[pair], word), 1)
    seen = by_fold.sum(axis=1, keepdims=True) - by_fold
    weights = np.log(seen[0] + 1) - np.log(seen[1] + 1)
    scores = np.bincount(pair, weights=sign * weights[fold[pair], word], minlength=len(bags))
    scores[np.abs(scores) < 1e-9] = 0
    return float(np.mean((np.sign(scores) + 1) / 2))


def _flat(bags: Sequence[Bags]) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Pair, word and side (1: good, -1: bad) of each differing word."""
    numbers: dict[Hashable, int] = {}
    rows = [
        (pair, numbers.setdefault(word, len(numbers)), sign)
        for pair, sides in enumerate(bags)
        for side, sign in zip(sides, (1, -1), strict=True)
        for word in side
    ]
    table = np.array(rows, dtype=np.intp).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2].astype(np.float64)


def _folds(groups: Sequence[Hashable]) -> NDArray[np.intp]:
    """Deal the groups out to the folds, at random but the same each time."""
    numbers: dict[Hashable, int] = {}
    group = np.array([numbers.setdefault(g, len(numbers)) for g in groups], dtype=np.intp)
    places = np.random.default_rng(0).permutation(len(numbers)) % FOLDS
    return np.asarray(places[group])
