"""What all results miss: where wrong labels and unwanted cues are most likely."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solecism.errors import fail
from solecism.reports.comparison import decisions
from solecism.reports.figures import systems
from solecism.scoring.items import rows_of_result
from solecism.scoring.results import Result

_TEXTS = ("sentence_good", "sentence_bad")


@dataclass(frozen=True)
class MissedItem:
    """An item that all models decide wrongly; its sentences are empty where the data are gone."""

    id: str
    sentence_good: str
    sentence_bad: str


@dataclass(frozen=True)
class MissedParadigm:
    """The items of a paradigm (``clams/he/simple_agrmt``) that all models miss.

    ``n``: the items that all models have scored; ``share``: how many of them all miss, from 0 to 1;
    ``chance``: the share that all would miss if the models missed independently of each other,
    which is the product of their miss rates.
    """

    name: str
    n: int
    share: float
    chance: float
    items: tuple[MissedItem, ...]


@dataclass(frozen=True)
class Missed:
    """What all ``models`` miss; first the paradigm with the most such items beyond chance.

    ``left_out``: the number of items that not all models have scored.
    """

    models: tuple[str, ...]
    paradigms: tuple[MissedParadigm, ...]
    left_out: int


def missed_by_all(results: Sequence[Result]) -> Missed:
    """Return the items that all models of ``results`` decide wrongly (a tie is no miss).

    Raises :class:`InputError` where a model has two results on the same items, and where no item
    was scored by all.
    """
    import pandas as pd

    parts = {name: decisions(some, "UID") for name, some in systems(results, with_model=True)}
    for name, part in parts.items():
        if part.index.has_duplicates:
            raise fail(f"{name} has two results on the same items: name one of them")
    found = pd.concat([part["decision"] for part in parts.values()], axis=1, keys=parts)
    scored = found.dropna()
    if not len(scored):
        raise fail(f"no item was scored by all of {', '.join(parts)}")
    wrong = scored == 0
    facts = next(iter(parts.values())).loc[scored.index]
    ids = facts["id"]
    texts = _texts(results, set(ids[wrong.all(axis=1)]))
    made = []
    for paradigm, some in wrong.groupby(facts["config"] + "/" + facts["group"], sort=False):
        by_all = some.all(axis=1)
        items = (MissedItem(one, *texts.get(one, ("", ""))) for one in ids[some.index[by_all]])
        share, chance = float(by_all.mean()), float(np.prod(some.mean()))
        made.append(MissedParadigm(str(paradigm), len(some), share, chance, tuple(items)))
    made.sort(key=lambda it: it.n * (it.chance - it.share))
    return Missed(tuple(parts), tuple(made), len(found) - len(scored))


def _texts(results: Sequence[Result], ids: set[str]) -> dict[str, tuple[str, str]]:
    """Return the good and the bad sentence of items by id, as far as the data sets are here."""
    runs = {(run["data"], run["config"]): run for run in (result.run for result in results)}
    return {
        one: (row["sentence_good"], row["sentence_bad"])
        for run in runs.values()
        for one, row in rows_of_result(run, ids, _TEXTS)[0].items()
    }
