"""The phenomena of all data sets (``templates/phenomena.toml``), by one name each, and new names of
paradigms that were called otherwise (``templates/renamed.tsv``)."""

import tomllib
from dataclasses import dataclass
from functools import cache

from solecism.root import installed_root


@dataclass(frozen=True)
class Phenomenon:
    """What paradigms of one kind test.

    ``label`` is for people, ``field`` is BLiMP's field of linguistics, ``older`` are other names of
    the same. ``judgement``: its sentences are right or wrong (those of garden paths are not).
    ``reading``: what a bad sentence may be instead, in the languages ``reading_in``.
    """

    name: str
    label: str
    field: str
    means: str
    older: tuple[str, ...] = ()
    judgement: bool = True
    reading: str = ""
    reading_in: tuple[str, ...] = ()


@cache
def phenomena() -> dict[str, Phenomenon]:
    """Return the phenomena by name, in the order of reports."""
    text = (installed_root().path / "templates" / "phenomena.toml").read_text()
    entries = tomllib.loads(text).items()
    lists = ("older", "reading_in")
    return {
        name: Phenomenon(name, **{**entry, **{key: tuple(entry.get(key, ())) for key in lists}})
        for name, entry in entries
    }


def phenomenon_named(name: str) -> Phenomenon | None:
    """Return the phenomenon of a name, new or older.

    >>> phenomenon_named("government").name
    'case'
    """
    return next((p for p in phenomena().values() if name in (p.name, *p.older)), None)


def is_judged(name: str) -> bool:
    """Return whether sentences of a phenomenon are right or wrong; of an unknown name True."""
    return name not in phenomena() or phenomena()[name].judgement


@cache
def renamed(dataset: str = "") -> dict[str, str]:
    """Return the new UIDs of a data set ("": of all of them) by their older ones."""
    text = (installed_root().path / "templates" / "renamed.tsv").read_text()
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return {old: new for name, old, new in rows[1:] if dataset in ("", name)}


def current_uid(uid: str) -> str:
    """Return what a paradigm is called now.

    >>> current_uid("deren_dessen"), current_uid("verb_second")
    ('relative_possessor_gender', 'verb_second')
    """
    return renamed().get(uid, uid)
