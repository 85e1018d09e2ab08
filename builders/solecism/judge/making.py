"""Make a study from pairs: draw them, divide them into lists, add practice and catch trials."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from solecism.errors import fail
from solecism.files import add_texts
from solecism.judge.design import (
    ITEMS,
    LISTS,
    SALT,
    STUDY,
    DataSource,
    Home,
    Item,
    Pay,
    Rules,
    Study,
    read_study,
    study_toml,
)
from solecism.judge.drawing import StudyPair, draw_pairs, scrambled
from solecism.judge.lists import default_lists, trial_keys
from solecism.judge.page import write_page
from solecism.judge.wording import texts_for

__all__ = ["JUDGES", "Wishes", "make_study", "save_study"]

JUDGES = {"choice": 20, "likert": 20, "expert": 3}
"""How many people judge each pair, unless said otherwise."""

_SECONDS = {"choice": 6.0, "likert": 5.0, "expert": 20.0}


@dataclass(frozen=True)
class Wishes:
    """What a study shall be like; None: the usual number of lists or judges."""

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
    home: Home = field(default_factory=Home)


def make_study(
    pairs: Sequence[StudyPair], data: Sequence[DataSource], wishes: Wishes, folder: Path
) -> Study:
    """Return a study of pairs that are drawn from ``pairs``; nothing is written.

    Raises :class:`InputError` where the pairs are of several languages, or cannot be divided as
    wished.
    """
    if not pairs:
        raise fail("there are no pairs")
    codes = sorted({pair.language for pair in pairs})
    if len(codes) > 1:
        raise fail(f"the pairs are of several languages ({', '.join(codes)}): make a study of each")
    chosen = draw_pairs(pairs, wishes.pairs, wishes.seed)
    lists = wishes.lists or default_lists(wishes.design, len(chosen))
    named = {f"i{number}": pair for number, pair in enumerate(chosen, 1)}
    sets = {
        key: (f"{one.config}/{one.set_id}", f"{one.config}/{one.uid}") for key, one in named.items()
    }
    keys, _ = trial_keys(wishes.design, sets, lists)
    salad = scrambled(pairs, wishes.practice + wishes.catch, wishes.seed, chosen)
    practice, catch = salad[: wishes.practice], salad[wishes.practice :]
    items = [
        *_trials(practice, "practice", wishes.design),
        *(item for key, pair in named.items() for item in _items(key, pair, wishes.design)),
        *_trials(catch, "catch", wishes.design),
    ]
    first = [item["key"] for item in items if item["kind"] == "practice"]
    last = [item["key"] for item in items if item["kind"] == "catch"]
    return Study(
        folder=folder,
        design=wishes.design,
        title=wishes.title or ", ".join(one.config for one in data),
        language=codes[0] or "und",
        seed=wishes.seed,
        pairs=wishes.pairs,
        judges=wishes.judges or JUDGES[wishes.design],
        practice=wishes.practice,
        catch=wishes.catch,
        data=tuple(data),
        items={item["key"]: item for item in items},
        lists=[[*first, *group, *last] for group in keys],
        institution=wishes.institution,
        contact=wishes.contact,
        rules=Rules(native_language=(codes[0],) if codes[0] else ()),
        pay=Pay(wishes.currency, wishes.hourly, _SECONDS[wishes.design]),
        home=wishes.home,
    )


def _items(key: str, pair: StudyPair, design: str) -> Iterator[Item]:
    if design == "choice":
        yield pair.item(key, "item")
    else:
        yield from (pair.item(f"{key}-{side}", "item", side) for side in ("good", "bad"))


def _trials(salad: Sequence[tuple[StudyPair, str]], kind: str, design: str) -> Iterator[Item]:
    """Yield practice or catch trials.

    In practice of single sentences every second one is a sentence of the data as it is, so that
    people meet both ends of the scale.
    """
    for number, (pair, text) in enumerate(salad, 1):
        whole = kind == "practice" and number % 2 == 0
        side = "" if design == "choice" else "good" if whole else "bad"
        yield pair.item(f"{kind[0]}{number}", kind, side, bad=text)


def save_study(study: Study) -> Study:
    """Write the folder of a study, page included, and return the study as it is read from there.

    Raises :class:`InputError`, and writes nothing, where one of the files is there already.
    """
    folder = study.folder
    texts = {
        folder / STUDY: study_toml(study),
        folder / ITEMS: _json_lines(study.items.values()),
        folder / LISTS: json.dumps(study.lists, indent=1) + "\n",
        folder / SALT: f"{secrets.token_hex(16)}\n",
    }
    parts = texts_for(study.language, study.design)
    texts |= {folder / "texts" / name: text for name, text in parts.items()}
    add_texts(folder, texts)
    made = read_study(folder)
    write_page(made)
    return made


def _json_lines(values: Iterable[Item]) -> str:
    return "".join(json.dumps(dict(value), ensure_ascii=False) + "\n" for value in values)
