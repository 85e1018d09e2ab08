"""The audit of minimal pairs: what is wrong with them, or gives away the good sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from statistics import fmean
from types import MappingProxyType

import numpy as np
import pyarrow as pa

from solecism.check.heuristics import PREFIX_WORDS, PairTexts, heuristics_of, pair_of, word_counts
from solecism.contrast import differing_span, surplus
from solecism.errors import fail, unknown_error
from solecism.inputs import (
    COUNT,
    parquet_schema,
    parquet_tables,
    read_json_lines,
    read_parquet,
    read_text,
    read_toml,
)
from solecism.language_tags import with_codes
from solecism.lexicon.lexicon import Lexicon
from solecism.own_pairs import ASKED, SUFFIXES, own_pairs
from solecism.root import Root, find_root
from solecism.schema import PAIR_TYPES, ItemRow

_WORD = re.compile(r"\w(?:[\w'’.-]*\w)?|[^\w\s]")
_MARKS = ".?!…。？！"


@dataclass(frozen=True)
class Audit:
    """The counts of a paradigm, or of all: numbers of pairs unless something else is said.

    ``same``: both sentences are the same; ``duplicates``: the number of good sentences that repeat
    an earlier good one, and of bad ones that repeat an earlier bad one; ``unequal``: the sentences
    have different numbers of words; ``good_longer``: the good one has more words; ``mark``:
    different final marks; ``capital``: the first words differ in having a capital, or a later word
    that both sentences have is capitalised in one only; ``more``: an auxiliary changes in more than
    its number (lemma, tense, polarity), or changes beside other words; ``prefix_words``: a word of
    the prefix methods is empty, has a blank at an end or is several words; ``number``: a determiner
    of the good sentence disagrees with its noun; ``one_word``: one word differs; ``reordered``: the
    same words in another order.

    ``contrasts`` is the number of different contrasts (:func:`contrast`), ``lemmas`` that of
    different lemmas (of different words, if the data set has no lemmas).

    ``cue``: the share of pairs that a naive Bayes classifier gets right from the differing words
    alone; ``cue_grouped``: the same with pairs of the same contrast held out together, so that the
    classifier has not seen the contrast; ``cue_bigrams``: from two neighbouring words at a time.

    The others are what heuristics reach (:class:`~solecism.check.heuristics.Heuristics`).
    """

    uid: str
    pairs: int
    same: int
    duplicates: int
    unequal: int
    good_longer: int
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
    first_noun: float | None
    nearest_noun: float | None
    last_noun: float | None
    shorter: float | None
    frequent: float | None


Words = tuple[str, ...]


@lru_cache(maxsize=1 << 16)
def words_of(sentence: str) -> Words:
    """Return the words and marks of a sentence, the first one in lower case."""
    found = _WORD.findall(sentence)
    return (found[0][:1].lower() + found[0][1:], *found[1:]) if found else ()


def contrast(good: str, bad: str) -> tuple[Words, Words]:
    """Return the differing words of both sentences of a pair; final marks do not count.

    >>> contrast("Had Bruce slept?", "Bruce had slept.")
    (('had', 'Bruce'), ('Bruce', 'had'))
    """
    ours, theirs = _sides(good, bad)
    spans = differing_span(ours, theirs)
    return ours[spans[0]], theirs[spans[1]]


def _sides(good: str, bad: str) -> tuple[Words, ...]:
    """Return the words of both sentences without final marks.

    A name at the beginning of one sentence keeps its capital if the other one has it inside.
    """
    both = map(words_of, (good, bad))
    sides = [words[:-1] if words and words[-1] in _MARKS else words for words in both]
    capitals = {word for side in sides for word in side[1:] if word[:1].isupper()}
    names = [side[0][:1].upper() + side[0][1:] if side else "" for side in sides]
    named = zip(names, sides, strict=True)
    return tuple((name, *side[1:]) if name in capitals else side for name, side in named)


def audit(
    paths: Path | str | Sequence[Path | str],
    *,
    language: str = "",
    root: Root | Path | str | None = None,
) -> list[Audit]:
    """Audit the minimal pairs of files and folders, and return an :class:`Audit` for each paradigm.

    ``paths`` are folders built by ``solecism build``, Parquet files, JSONL as BLiMP's release has
    it, or text as CLAMS' release has it; ``clams/en/subj_rel`` is a paradigm of a folder.
    ``language="en"`` checks the number of nouns after English determiners, too, with the nouns of
    that lexicon in ``root`` (:func:`~solecism.find_root`).

    Raises :class:`InputError` for a path that holds no pairs.

    >>> import solecism
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "agreement.txt")
    ...     _ = file.write_text("True\\tthe cat sleeps\\nFalse\\tthe cat sleep\\n")
    ...     (found,) = solecism.audit(file)
    >>> found.uid, found.pairs, found.one_word, found.shorter
    ('agreement', 1, 1, 0.0)
    """
    given = [paths] if isinstance(paths, Path | str) else paths
    nouns = count_nouns(Lexicon(find_root(root).lexicon(language))) if language else {}
    found = read_pairs(list(map(Path, given)))
    counts = word_counts(chain.from_iterable(found.values()))
    return [audit_pairs(uid, pairs, nouns, counts) for uid, pairs in found.items()]


def audit_pairs(
    uid: str, pairs: Sequence[PairTexts], nouns: Mapping[str, str] = MappingProxyType({}),
    counts: Mapping[str, int] | None = None,
) -> Audit:  # fmt: skip
    """Return the audit of the pairs of a paradigm.

    ``nouns`` are the forms of :func:`count_nouns`; without any, number agreement is not checked.
    ``counts`` are those of words (:func:`~solecism.check.heuristics.word_counts`), by default in
    these pairs.
    """
    sides = [pair[:2] for pair in pairs]
    found = [contrast(*side) for side in sides]
    bags = [surplus(*words) for words in found]
    lengths = [(len(good.split()), len(bad.split())) for good, bad in sides]
    lemmas = {lemma for pair in pairs for lemma in pair.lemmas}
    if not lemmas:
        words = (word for side in sides for text in side for word in words_of(text))
        lemmas = {word for word in words if word[:1].isalnum()}
    bare = (_sides(*side) for side in sides)
    bigrams = ((list(pairwise(("<s>", *side, "</s>"))) for side in both) for both in bare)
    return Audit(
        uid=uid,
        pairs=len(pairs),
        same=sum(good == bad for good, bad in sides),
        duplicates=sum(len(texts) - len(set(texts)) for texts in zip(*sides, strict=True)),
        unequal=sum(a != b for a, b in lengths),
        good_longer=sum(a > b for a, b in lengths),
        mark=sum(_mark(a) != _mark(b) for a, b in sides),
        capital=sum(_capital_leak(a, b) for a, b in sides),
        more=sum(map(_more, bags)),
        prefix_words=sum(any(map(_is_bad_word, pair.words)) for pair in pairs),
        number=sum(number_disagrees(words_of(pair.good), nouns) for pair in pairs if nouns),
        one_word=sum(len(a) == 1 == len(b) for a, b in found),
        reordered=sum(a != b and not any(bag) for (a, b), bag in zip(sides, bags, strict=True)),
        contrasts=len(set(found)),
        lemmas=len(lemmas),
        cue=cue_accuracy(bags),
        cue_grouped=cue_accuracy(bags, [frozenset(words) for words in found]),
        cue_bigrams=cue_accuracy([surplus(*both) for both in bigrams]),
        **heuristics_of(pairs, word_counts(pairs) if counts is None else counts)._asdict(),
    )


def total(audits: Sequence[Audit]) -> Audit:
    """Return one audit of all paradigms: counts are added up, and shares are averaged."""
    names = [field.name for field in fields(Audit) if field.name != "uid"]
    columns = {name: [getattr(one, name) for one in audits] for name in names}
    counts = {n: sum(c) for n, c in columns.items() if all(isinstance(v, int) for v in c)}
    shares = {n: [v for v in c if v is not None] for n, c in columns.items() if n not in counts}
    means = {n: round(fmean(values), 4) if values else None for n, values in shares.items()}
    return Audit("total", **counts, **means)  # type: ignore[arg-type]


def _mark(sentence: str) -> str:
    """Return the final mark of a sentence, or an empty text."""
    return sentence[-1:] if sentence[-1:] in _MARKS else ""


def _capital_leak(good: str, bad: str) -> bool:
    """Return whether one first word alone has a capital, or a later word in one sentence alone."""
    ours, theirs = (_WORD.findall(side) for side in (good, bad))
    if (ours[:1] or [""])[0][:1].isupper() != (theirs[:1] or [""])[0][:1].isupper():
        return True
    mine, other = set(ours[1:]) - set(theirs), set(theirs[1:]) - set(ours)
    firsts = {word.casefold() for word in (*ours[:1], *theirs[:1])}
    return not {w.casefold() for w in mine}.isdisjoint({w.casefold() for w in other} - firsts)


def _more(bag: Bags) -> bool:
    """Return whether an auxiliary changes more than its number, or changes beside other words."""
    ours, theirs = ([auxiliary(str(w)) for w in side] for side in bag)
    good, bad = ([a for a in side if a] for side in (ours, theirs))
    if not good and not bad:
        return False
    if len(ours) == 1 == len(theirs):
        # An auxiliary in place of another word is the contrast itself.
        return bool(good and bad) and good[0] != bad[0]
    return sorted(good) != sorted(bad) or len(good) < max(len(ours), len(theirs))


def _is_bad_word(word: str | None) -> bool:
    """Return whether a word of a prefix method is empty, has a blank at an end or inside."""
    return (word is not None and len(word.split(" ")) != 1) or word == ""


_ENGLISH = read_toml(Path(__file__).with_name("english.toml"))
_ONE, _SEVERAL = (frozenset(_ENGLISH[number].split()) for number in ("one", "several"))
_NEGATED: dict[str, str] = _ENGLISH["negated"]
_AUXILIARIES = {
    form: (lemma, tense)
    for lemma, tenses in _ENGLISH["auxiliaries"].items()
    for tense, forms in tenses.items()
    for form in forms.split()
}
_STOP = {*_ONE, *_SEVERAL, *_AUXILIARIES, *_ENGLISH["small"].split()}
_REACH = 3
"""The number of words after a determiner among which its noun is looked for."""


def auxiliary(word: str) -> tuple[str, str, bool] | None:
    """Return an auxiliary's lemma, its tense and whether it is negated; None for other words.

    >>> auxiliary("Haven't")
    ('have', 'Pres', True)
    """
    small = word.lower().replace("’", "'")
    base = _NEGATED.get(small, small.removesuffix("n't"))
    found = _AUXILIARIES.get(base)
    return (*found, base != small) if found else None


def count_nouns(lexicon: Lexicon) -> dict[str, str]:
    """Return the number of each form of a count noun, if the form has one number only.

    Of a form of several words (*football players*) only the last one (*players*) is a key.
    """
    forms: dict[str, set[str]] = {}
    for row in lexicon.table("noun").rows:
        counted = row.properties.get("Count", "count") == "count"
        for cell, form in row.forms.items() if counted else ():
            forms.setdefault(form.split()[-1], set()).add(cell.text("Number"))
    return {form: "".join(numbers) for form, numbers in forms.items() if len(numbers) == 1}


def number_disagrees(words: Sequence[str], nouns: Mapping[str, str]) -> bool:
    """Return whether an English determiner or numeral has a noun of the other number after it.

    A rough check with few false alarms: of the next nouns in a row (a compound may have several),
    all must have the wrong number. Words that are not in ``nouns`` have no number.
    """
    for place, determiner in enumerate(map(str.lower, words)):
        found: list[str] = []
        if determiner not in _ONE and determiner not in _SEVERAL:
            continue
        for distance, word in enumerate(words[place + 1 :]):
            number = nouns.get(word, "")
            done = not number if found else distance == _REACH
            if done or word.lower() in _STOP or not word[:1].isalpha():
                break
            found += [number] if number else []
        if set(found) == {"Plur" if determiner in _ONE else "Sing"}:
            return True
    return False


_TEXTS = ("sentence_good", "sentence_bad")
_SLOT: dict[str, object] = dict.fromkeys(("lemma", "upos", "feats"), (str, None))
_SLOT |= dict.fromkeys(("good_start", "good_end"), (COUNT, None))
_LINE = {
    **dict.fromkeys(_TEXTS, str), "slots?": ([_SLOT], None), "features?": ({str: object}, None),
    **dict.fromkeys((f"{name}?" for name in ("UID", "language", *PREFIX_WORDS)), (str, None)),
}  # fmt: skip
"""The shape of a line of JSONL."""
_KNOWN = f"a folder built by `solecism build`, a {', '.join(SUFFIXES)} or tab-separated .txt file"
_GATHERED = ("all", "pairs")
"""Configs that repeat the pairs of other configs: they are read where there are no others."""


def read_pairs(paths: Sequence[Path]) -> dict[str, list[PairTexts]]:
    """Read the pairs of files and folders by paradigm, in the order in which they are found.

    Paradigms of several languages are called ``language/UID``. Raises :class:`InputError` for a
    path that holds no pairs.
    """
    found = defaultdict[tuple[str, str], list[PairTexts]](list)
    for path in (path if path.exists() else with_codes(path) for path in paths):
        wanted = path.name if path.parent.name and not path.exists() else ""
        met: set[str] = set()
        for language, uid, row in _pairs_of(path.parent if wanted else path):
            met.add(uid)
            if not wanted or uid == wanted:
                found[language, uid].append(pair_of(row))
        if wanted and wanted not in met:
            known = sorted(met)
            raise unknown_error("there is no paradigm", wanted, "paradigms", known, path.parent)
    several = len({language for language, _ in found}) > 1
    return {f"{n}/{uid}".lstrip("/") if several else uid: p for (n, uid), p in found.items()}


def _pairs_of(path: Path) -> Iterator[tuple[str, str, ItemRow]]:
    """Yield language, paradigm and columns of each pair of a file or folder."""
    if not path.exists():
        raise fail("there is no such folder or file: `solecism build` makes it", path)
    files = [path]
    if path.is_dir():
        found = sorted(path.rglob("*.parquet"))
        own = [file for file in found if file.parent.name not in _GATHERED]
        files = own or found or sorted([*path.glob("*.jsonl"), *path.glob("*.txt")])
    none = True
    for file in files:
        for row in _rows(file):
            none = False
            yield row.get("language") or "", row.get("UID") or file.stem, row
    if none:
        raise fail(f"holds no minimal pairs: name {_KNOWN}", path)


def _rows(path: Path) -> Iterator[ItemRow]:
    """Yield the columns of each pair of a file."""
    if ASKED.get() or path.suffix in (".json", ".csv", ".tsv"):
        yield from read_parquet(own_pairs(path)).to_pylist()
    elif path.suffix == ".parquet":
        schema = parquet_schema(path)
        known = (*_TEXTS, "UID", "language", *PREFIX_WORDS, "slots", "features")
        wanted = [name for name in known if name in schema.names]
        if "features" in wanted and not pa.types.is_struct(schema.field("features").type):
            kind = schema.field("features").type
            raise fail(f"column 'features' is {kind}, wanted a struct", path)
        whole = {*_TEXTS} <= {*wanted}
        for table in parquet_tables(path, wanted, types=PAIR_TYPES) if whole else ():
            rows = table.to_pylist()
            yield from (row for row in rows if None not in (row[name] for name in _TEXTS))
    elif path.suffix == ".jsonl":
        yield from read_json_lines(path, _LINE, "minimal pair")
    elif path.suffix == ".txt":
        yield from _labelled(path)
    else:
        raise fail(f"is not {_KNOWN}", path)


def _labelled(path: Path) -> Iterator[ItemRow]:
    """Yield the pairs of a text of CLAMS' release.

    A line is ``True<tab>sentence`` or ``False<tab>sentence``; bad sentences follow their good one.
    """
    good = ""
    for number, line in enumerate(read_text(path).splitlines(), 1):
        label, _, sentence = line.partition("\t")
        if label == "True":
            good = sentence
        elif label == "False" and good:
            yield dict(zip(_TEXTS, (good, sentence), strict=True))
        elif line.strip():
            message = "is not `True<tab>sentence` or a following `False<tab>sentence`"
            raise fail(message, path, number)


Bags = tuple[Sequence[Hashable], Sequence[Hashable]]
"""The words that only the good sentence of a pair has, and those that only the bad one has."""

FOLDS = 10
"""The parts that pairs are divided into for cross-validation."""


def cue_accuracy(bags: Sequence[Bags], groups: Sequence[Hashable] | None = None) -> float:
    """Return the share of pairs in which a naive Bayes classifier finds the good sentence.

    The classifier counts which words only good and only bad sentences had (with add-one smoothing),
    in :data:`FOLDS`-fold cross-validation. ``groups`` has a key for each pair: pairs of the same
    key are held out together (None: each pair by itself). Folds are drawn at random with a fixed
    seed. A pair without differing words, or whose words decide nothing, counts one half.
    """
    if not bags:
        return 0.5
    words: dict[Hashable, int] = {}
    rows = [
        (number, words.setdefault(word, len(words)), sign)
        for number, sides in enumerate(bags)
        for side, sign in zip(sides, (1, -1), strict=True)
        for word in side
    ]
    pair, word, sign = np.array(rows, dtype=np.intp).reshape(-1, 3).T
    numbers: dict[Hashable, int] = {}
    keys = range(len(bags)) if groups is None else groups
    group = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)
    fold = (np.random.default_rng(0).permutation(len(numbers)) % FOLDS)[group]
    by_fold = np.zeros((2, FOLDS, max(len(words), 1)))
    np.add.at(by_fold, ((sign < 0).astype(int), fold[pair], word), 1)
    seen = by_fold.sum(axis=1, keepdims=True) - by_fold
    weights = np.log(seen[0] + 1) - np.log(seen[1] + 1)
    scores = np.bincount(pair, weights=sign * weights[fold[pair], word], minlength=len(bags))
    scores[np.abs(scores) < 1e-9] = 0
    return float(np.mean((np.sign(scores) + 1) / 2))
