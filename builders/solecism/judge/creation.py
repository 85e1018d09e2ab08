"""Make a study: draw pairs, divide them into lists, add practice and catch trials, write it."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

from solecism.errors import fail
from solecism.files import add_texts, write_text
from solecism.judge import design as designs
from solecism.judge.design import AnswerDelivery, DataSource, Item, Pay, Rules, Study
from solecism.judge.drawing import StudyPair, draw_pairs, scrambled
from solecism.judge.page import write_page
from solecism.judge.wording import texts_for

__all__ = ["StudyOptions", "create_study", "lists_of_pairs", "trials_of_lists"]

_JUDGES = {"choice": 20, "likert": 20, "expert": 3}
_SECONDS = {"choice": 6.0, "likert": 5.0, "expert": 20.0}

MAX_ITEMS = 50
"""Items of a list, if the number of lists is not given."""


@dataclass(frozen=True)
class StudyOptions:
    """What a study is to be like.

    ``pairs``: of each paradigm; ``judges``: of each pair (None: 20, experts 3); ``lists`` (None:
    as many as keep a list below :data:`MAX_ITEMS`, one for experts); ``practice`` and ``catch``:
    trials of each list.
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
    texts = {
        designs.STUDY: designs.study_toml(study),
        designs.ITEMS: "".join(
            json.dumps(i, ensure_ascii=False) + "\n" for i in study.items.values()
        ),
        designs.LISTS: json.dumps(study.lists, indent=1) + "\n",
    }
    for name, text in texts_for(study.language, study.design).items():
        texts[f"texts/{name}"] = text
    add_texts(folder, {folder / name: text for name, text in texts.items()})
    write_text(folder / designs.SALT, f"{token_hex(16)}\n", mode=0o600)
    write_page(designs.read_study(folder))
    return study


def _planned(
    pairs: Sequence[StudyPair], data: Sequence[DataSource], options: StudyOptions, folder: Path
) -> Study:
    if not pairs:
        raise fail("there are no pairs")
    design, codes = options.design, sorted({pair.language for pair in pairs})
    if len(codes) > 1:
        raise fail(f"the pairs are of several languages ({', '.join(codes)}): make a study of each")
    chosen = draw_pairs(pairs, options.pairs, options.seed)
    named = {f"i{number}": pair for number, pair in enumerate(chosen, 1)}
    sides = ("",) if design == "choice" else ("good", "bad")
    items = {
        key if not side else f"{key}-{side}": pair.item(
            key if not side else f"{key}-{side}", "item", side
        )
        for key, pair in named.items()
        for side in sides
    }
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

    In practice of single sentences every second one is a sentence of the data as it is, so that
    people meet both ends of the scale.
    """
    trials = {}
    for number, (pair, text) in enumerate(scrambles, 1):
        key, is_whole = f"{kind[0]}{number}", kind == "practice" and number % 2 == 0
        side = "" if design == "choice" else "good" if is_whole else "bad"
        trials[key] = pair.item(key, kind, side, bad=text)
    return trials


def trials_of_lists(
    design: str, pairs: Mapping[str, StudyPair], lists: int | None = None
) -> list[list[str]]:
    """Return the keys of the items of each list.

    Forced choice: an item for each pair. Experts: one for each side, ``KEY-good`` and ``KEY-bad``,
    in one list. Likert: two lists for each group of pairs, a Latin square; in each, the pairs of a
    paradigm take turns in showing the good and the bad side.
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
        return [[f"{key}-{side}" for key in keys for side in ("good", "bad")] for keys in found]
    lists_of_keys = []
    for keys in found:
        ranks = {key: n for n, key in enumerate(sorted(keys, key=lambda key: pairs[key].uid))}
        for turn in (0, 1):
            lists_of_keys.append([f"{k}-{('good', 'bad')[(ranks[k] + turn) % 2]}" for k in keys])
    return lists_of_keys


def lists_of_pairs(pairs: Mapping[str, StudyPair], lists: int) -> list[list[str]]:
    """Divide pairs, by key, into lists of equal length (within one), no set twice in a list.

    Within that, each paradigm is spread evenly. Raises :class:`InputError` if a minimal set has
    more pairs than there are lists, or if there are fewer pairs than lists.
    """
    if len(pairs) < lists:
        raise fail(f"{len(pairs)} pairs cannot be divided into {lists} lists")
    sets: dict[str, list[str]] = {}
    for key, pair in pairs.items():
        sets.setdefault(f"{pair.config}/{pair.set_id}", []).append(key)
    largest = max(sets, key=lambda name: len(sets[name]))
    if (size := len(sets[largest])) > lists:
        message = f"the minimal set {largest!r} has {size} pairs, and nobody may see two of them"
        raise fail(f"{message}: it needs at least {size} lists")
    length = [0] * lists
    of_paradigm: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * lists)
    place: dict[str, int] = {}
    for keys in sets.values():
        counts = of_paradigm[pairs[keys[0]].paradigm]
        ranked = sorted(range(lists), key=lambda i: (length[i], counts[i], i))
        for key, number in zip(keys, ranked, strict=False):
            place[key] = number
            length[number] += 1
            of_paradigm[pairs[key].paradigm][number] += 1
    return [[key for key in pairs if place[key] == number] for number in range(lists)]
