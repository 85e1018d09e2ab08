"""Make a study: draw pairs, divide them into lists, add practice and catch trials, write it.

Catch trials are made from sentences of the data by putting their words in disorder. All who read
them see that they are wrong, whatever they think of the pairs themselves. So they show who reads,
and give away nothing about which sentences of the data are good.
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from secrets import token_hex

import numpy as np
import pyarrow as pa

from solecism.errors import candidates, fail
from solecism.files import add_texts, write_text
from solecism.formula import parse
from solecism.hashing import text_hashes
from solecism.judge import design as designs
from solecism.judge.design import AnswerDelivery, DataSource, Item, Pay, Rules, Study
from solecism.judge.page import texts_for, write_page
from solecism.judge.schema import PAIR, SIDES
from solecism.scoring.items import open_items

StudyPair = Mapping[str, str]
"""A pair that may become a trial: the columns of :data:`~solecism.judge.schema.PAIR`, ``language``,
the sentences ``good`` and ``bad``, and ``tokens``, the words of the good one (empty: not known)."""

_COLUMNS = {
    **{name: name for name in (*PAIR[1:], "language")},
    "good": "sentence_good", "bad": "sentence_bad", "tokens": "tokens_good",
}  # fmt: skip
"""The keys of a :data:`StudyPair`, with the columns of the data; ``tokens_good`` may be missing."""


def pairs_of_config(spec: str, conditions: str = "") -> tuple[list[StudyPair], DataSource]:
    """Return the pairs of a config, and where they come from (name, version, digest).

    ``spec``: the config, as ``clams/he``. ``conditions``: see :func:`pairs_of_suites`. Raises
    :class:`InputError` for a config of cloze items, and for conditions of one that has pairs.
    """
    items = open_items(spec)
    items.require_pairs()
    if items.kind == "cloze":
        raise fail(f"{spec!r} has cloze items: people judge pairs or suites")
    if conditions and items.kind == "pair":
        raise fail(f"{spec!r} has pairs, no conditions: leave out --conditions")
    config = f"{items.name}/{items.config}"
    source = DataSource(config, items.version, items.digest)
    if items.kind == "suite":
        found = [pairs_of_suites(table, config, conditions) for table in items.tables(None)]
        return [pair for some in found for pair in some], source
    columns = [name for name in _COLUMNS.values() if name in items.columns]
    rows = (row for table in items.tables(columns) for row in table.to_pylist())
    texts = ({name: row.get(column) or "" for name, column in _COLUMNS.items()} for row in rows)
    return [{"config": config, **some} for some in texts], source


def pairs_of_suites(table: pa.Table, config: str, conditions: str = "") -> list[StudyPair]:
    """Return pairs that are made of two conditions of a suite item.

    ``conditions``: the names of the two, as ``GOOD:BAD``. If it is empty, each prediction that
    compares two regions gives a pair: the condition that should have the lower surprisal is the
    good one. Conditions with the same text make no pair. Raises :class:`InputError` for a condition
    that no item has.
    """
    rows = table.to_pylist()
    good, _, bad = conditions.partition(":")
    known = sorted({one["name"] for row in rows for one in row["conditions"]})
    for name in (good, bad) if conditions else ():
        if name not in known:
            near = candidates("conditions", known, name)
            raise fail(f"unknown condition {name!r} (as good:bad) {near}")
    pairs: list[StudyPair] = []
    for row in rows:
        compared = [(good, bad)] if conditions else []
        for formula in map(parse, () if conditions else row["predictions"]):
            if formula.comparison is not None:
                low, high = (formula.terms[place][0] for place in formula.comparison)
                compared.append((low, high))
        named = {one["name"]: one for one in row["conditions"]}
        for low, high in dict.fromkeys(compared):
            if {low, high} <= named.keys() and named[low]["text"] != named[high]["text"]:
                pairs.append({
                    "config": config, "id": f"{row['id']}:{low}:{high}", "set_id": row["id"],
                    "UID": row["suite"], "linguistics_term": row["phenomenon"] or "",
                    "language": row["language"] or "", "good": named[low]["text"],
                    "bad": named[high]["text"], "tokens": named[low]["tokens"] or "",
                })  # fmt: skip
    return pairs


def trial_of(pair: StudyPair, key: str, kind: str, side: str = "", **texts: str) -> Item:
    """Return a trial of a pair; ``side``: the only one shown; ``texts`` replace its values."""
    known = {"key": key, "kind": kind, **pair, **texts}
    sides = (side,) if side else SIDES
    return {name: known[name] for name in ("key", "kind", *PAIR, "language", *sides)}


def draw_pairs(pairs: Sequence[StudyPair], number: int, seed: int) -> list[StudyPair]:
    """Return ``number`` pairs of each paradigm, if possible each from another minimal set.

    The pairs with the lowest hashes of seed and id are taken, sorted by config and paradigm.
    """
    chosen: defaultdict[tuple[str, str], list[StudyPair]] = defaultdict(list)
    spare: defaultdict[tuple[str, str], list[StudyPair]] = defaultdict(list)
    seen: set[tuple[str, str]] = set()
    for pair in _ranked(pairs, f"{seed}"):
        name = (pair["config"], pair["set_id"])
        (spare if name in seen else chosen)[pair["config"], pair["UID"]].append(pair)
        seen.add(name)
    return [one for place in sorted(chosen) for one in (chosen[place] + spare[place])[:number]]


def _ranked(pairs: Sequence[StudyPair], salt: str) -> list[StudyPair]:
    """Return pairs in the order of their hashes, which ``salt`` shuffles."""
    hashes = text_hashes(f"{salt} {pair['config']} {pair['id']}" for pair in pairs)
    return [pairs[place] for place in np.argsort(hashes, kind="stable").tolist()]


MIN_WORDS = 4
"""How many different words a sentence must have to become a catch trial."""

_LONG = 7
"""From this number of words on, all sentences count as equally long."""


def scrambled(
    pairs: Sequence[StudyPair], number: int, seed: int, avoid: Sequence[StudyPair]
) -> list[tuple[StudyPair, str]]:
    """Return ``number`` pairs that are not among ``avoid``, each with its good sentence scrambled.

    No paradigm gives a second pair before each has given one; longer sentences come first. Raises
    :class:`InputError` if too few sentences have enough words.
    """
    sets = {(pair["config"], pair["set_id"]) for pair in avoid}
    found, turns = Counter[str](), []
    for pair in _ranked(pairs, f"catch {seed}"):
        uid = pair["UID"]
        if found[uid] == number or (pair["config"], pair["set_id"]) in sets:
            continue
        text = scramble(pair["good"], pair["tokens"], seed)
        if text is not None:
            size = min(len(words_of_sentence(pair["good"], pair["tokens"])), _LONG)
            turns.append((found[uid], -size, uid, pair, text))
            found[uid] += 1
    if len(turns) < number:
        names = ", ".join(sorted({pair["config"] for pair in pairs}))
        message = f"{names}: only {len(turns)} sentences have {MIN_WORDS} different words or more"
        raise fail(f"{message}, {number} are wanted for catch and practice trials (--catch 0)")
    turns.sort(key=lambda turn: turn[:3])
    return [(pair, text) for *_, pair, text in turns[:number]]


_END = re.compile(r"[\s.!?。！？…]+$")
_TRIES = 200


def words_of_sentence(sentence: str, tokens: str | None = None) -> list[str]:
    """Return the words of a sentence, without the marks at its end.

    In a text without spaces they are its ``tokens``, or its characters if no tokens are known.

    >>> words_of_sentence("The pilot laughs.")
    ['The', 'pilot', 'laughs']
    """
    text = _END.sub("", sentence)
    words = text.split()
    if len(words) > 1:
        return words
    parts = [token for token in (tokens or "").split() if token in text]
    return parts if len(parts) > 1 else list(text)


def scramble(sentence: str, tokens: str | None = None, seed: int = 0) -> str | None:
    """Return the words of a sentence in an order that leaves no two neighbours together.

    The shortest word (mostly a function word) comes last, another word comes first, and the mark at
    the end stays. Return None if there are too few different words, or if no such order is found.

    >>> scramble("The author near the pilots laughs.")
    'Pilots the laughs near author the.'
    """
    words = words_of_sentence(sentence, tokens)
    words = [words[0][:1].lower() + words[0][1:], *words[1:]] if words else []
    if len(set(words)) < MIN_WORDS:
        return None
    before = set(pairwise(words))
    last = min(range(len(words)), key=lambda place: (len(words[place]), -place))
    others = [place for place in range(len(words)) if place != last]
    for attempt in range(_TRIES):
        salt = f"{seed} {attempt} {sentence}"
        hashes = text_hashes(f"{salt} {place}" for place in range(len(words)))
        found = [words[place] for place in (*sorted(others, key=lambda n: hashes[n]), last)]
        if found[0] != words[0] and not before & set(pairwise(found)):
            body, end = _END.sub("", sentence), _END.search(sentence)
            text = (" " if " " in body else "").join(found)
            first = text[:1].upper() if sentence[:1].isupper() else text[:1]
            return first + text[1:] + (end[0] if end else "")
    return None


_JUDGES = {"choice": 20, "likert": 20, "expert": 3}
_SECONDS = {"choice": 6.0, "likert": 5.0, "expert": 20.0}

MAX_ITEMS = 50
"""The most items of a list, if the number of lists is not given."""


@dataclass(frozen=True)
class StudyOptions:
    """What a study is to be like.

    ``pairs``: how many of each paradigm. ``judges``: how many judge each pair (None: 20, or 3
    experts). ``lists``: how many lists of trials (None: one for experts; otherwise as many as are
    needed so that none has more than :data:`MAX_ITEMS` items). ``practice``, ``catch``: how many
    such trials each list has. ``hourly``: the pay in an hour, in ``currency``.
    """

    design: str = "choice"
    title: str = ""
    pairs: int = 5
    judges: int | None = None
    lists: int | None = None
    seed: int = 0
    practice: int = 4
    catch: int = 4
    institution: str = ""
    contact: str = ""
    hourly: float = 15.0
    currency: str = "EUR"
    home: AnswerDelivery = field(default_factory=AnswerDelivery)


def create_study(
    pairs: Sequence[StudyPair], data: Sequence[DataSource], options: StudyOptions, folder: Path
) -> Study:
    """Write the folder of a study of pairs that are drawn from ``pairs``, with its page.

    Raises :class:`InputError`, and writes nothing, if the pairs are of several languages or cannot
    be divided, or if one of the files is there already.
    """
    study = _planned(pairs, data, options, folder)
    trials = [json.dumps(item, ensure_ascii=False) + "\n" for item in study.items.values()]
    texts = {
        designs.STUDY: designs.study_toml(study),
        designs.ITEMS: "".join(trials),
        designs.LISTS: json.dumps(study.lists, indent=1) + "\n",
        **{f"texts/{n}": text for n, text in texts_for(study.language, study.design).items()},
    }
    add_texts(folder, {folder / name: text for name, text in texts.items()})
    write_text(folder / designs.SALT, f"{token_hex(16)}\n", mode=0o600)
    write_page(designs.read_study(folder))
    return study


def _planned(
    pairs: Sequence[StudyPair], data: Sequence[DataSource], options: StudyOptions, folder: Path
) -> Study:
    """Return the study that :func:`create_study` writes."""
    if not pairs:
        raise fail("there are no pairs")
    design, codes = options.design, sorted({pair["language"] for pair in pairs})
    if len(codes) > 1:
        raise fail(f"the pairs are of several languages ({', '.join(codes)}): make a study of each")
    chosen = draw_pairs(pairs, options.pairs, options.seed)
    named = {f"i{number}": pair for number, pair in enumerate(chosen, 1)}
    items: dict[str, Item] = {}
    for name, pair in named.items():
        for side in ("",) if design == "choice" else SIDES:
            key = f"{name}-{side}" if side else name
            items[key] = trial_of(pair, key, "item", side)
    count = options.practice + options.catch
    scrambles = scrambled(pairs, count, options.seed, avoid=chosen)
    practice = _scrambled_trials(scrambles[: options.practice], "practice", design)
    catch = _scrambled_trials(scrambles[options.practice :], "catch", design)
    lists = trials_of_lists(design, named, options.lists)
    return Study(
        folder=folder, design=design, title=options.title, language=codes[0] or "und",
        seed=options.seed, pairs=options.pairs, judges=options.judges or _JUDGES[design],
        practice=options.practice, catch=options.catch, data=tuple(data),
        items={**practice, **items, **catch},
        lists=[[*practice, *keys, *catch] for keys in lists],
        institution=options.institution, contact=options.contact,
        rules=Rules(native_language=(codes[0],) if codes[0] else ()),
        pay=Pay(options.currency, options.hourly, _SECONDS[design]), home=options.home,
    )  # fmt: skip


def _scrambled_trials(
    scrambles: Sequence[tuple[StudyPair, str]], kind: str, design: str
) -> dict[str, Item]:
    """Return practice or catch trials by their keys.

    Where people judge single sentences, every second practice trial is the sentence as it was, not
    scrambled, so that people meet both good and bad ones.
    """
    trials = {}
    for number, (pair, text) in enumerate(scrambles, 1):
        key, is_whole = f"{kind[0]}{number}", kind == "practice" and number % 2 == 0
        side = "" if design == "choice" else "good" if is_whole else "bad"
        trials[key] = trial_of(pair, key, kind, side, bad=text)
    return trials


def trials_of_lists(
    design: str, pairs: Mapping[str, StudyPair], lists: int | None = None
) -> list[list[str]]:
    """Return for each list the keys of its items.

    In a forced choice a pair is one item. For experts it is two items in the same list,
    ``KEY-good`` and ``KEY-bad``. In a Likert study each group of pairs has two lists (a Latin
    square): a pair shows one side in the first list and the other side in the second, and the pairs
    of a paradigm take turns. Raises :class:`InputError` if pairs cannot be divided into ``lists``
    lists.
    """
    groups = 1 if design == "expert" else math.ceil(len(pairs) / MAX_ITEMS)
    if lists is not None:
        if design == "likert" and lists % 2:
            raise fail(f"a Likert study needs an even number of lists, not {lists} (two sides)")
        groups = lists // 2 if design == "likert" else lists
    found = lists_of_pairs(pairs, groups)
    if design == "choice":
        return found
    if design == "expert":
        return [[f"{key}-{side}" for key in keys for side in SIDES] for keys in found]
    halves = []
    for keys in found:
        ranks = {key: n for n, key in enumerate(sorted(keys, key=lambda key: pairs[key]["UID"]))}
        for turn in (0, 1):
            halves.append([f"{key}-{SIDES[(ranks[key] + turn) % 2]}" for key in keys])
    return halves


def lists_of_pairs(pairs: Mapping[str, StudyPair], lists: int) -> list[list[str]]:
    """Divide pairs into lists as long as each other, within one; return the keys of each list.

    No list has two pairs of a minimal set, and the pairs of a paradigm are spread evenly. Raises
    :class:`InputError` if a minimal set has more pairs than there are lists, or if there are fewer
    pairs than lists.
    """
    if len(pairs) < lists:
        raise fail(f"{len(pairs)} pairs cannot be divided into {lists} lists")
    sets: defaultdict[str, list[str]] = defaultdict(list)
    for key, pair in pairs.items():
        sets[f"{pair['config']}/{pair['set_id']}"].append(key)
    largest = max(sets, key=lambda name: len(sets[name]))
    if (size := len(sets[largest])) > lists:
        message = f"the minimal set {largest!r} has {size} pairs, and nobody may see two of them"
        raise fail(f"{message}: it needs at least {size} lists")
    paradigm = {key: (pair["config"], pair["UID"]) for key, pair in pairs.items()}
    counts: Counter[tuple[int, object]] = Counter()  # the pairs of a list, in all and by paradigm
    place: dict[str, int] = {}
    for keys in sets.values():
        own = paradigm[keys[0]]
        ranked = sorted(range(lists), key=lambda n: (counts[n, None], counts[n, own], n))
        for key, number in zip(keys, ranked, strict=False):
            place[key] = number
            counts.update([(number, None), (number, paradigm[key])])
    return [[key for key in pairs if place[key] == number] for number in range(lists)]
