"""The design of a study: what people are asked, by which rules answers count, what it costs.

A study is a folder: ``study.toml`` (the design), ``items.jsonl`` (a trial in each line),
``lists.json`` (which list has which trials), ``texts/`` and ``page/``.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from solecism import inputs
from solecism.errors import candidates, fail
from solecism.inputs import COUNT, SHARE, Number
from solecism.judge.schema import ANSWERS, DESIGNS, KINDS, PAIR, SIDES

STUDY, ITEMS, LISTS, SALT = "study.toml", "items.jsonl", "lists.json", "salt.txt"
ANSWERS_FILE = "answers.sqlite"
"""The answers that the server of a study has taken."""

DELIVERIES = ("download", "server", "datapipe", "jatos")
"""How answers reach the researcher: a file that people save and send, a POST to `solecism judge
serve` after each answer, one POST to DataPipe at the end, or JATOS."""

Item = Mapping[str, str]
"""A trial. ``key`` (unique in the study), ``kind`` (:data:`~solecism.judge.schema.KINDS`), and
``config``, ``id``, ``set_id``, ``UID``, ``linguistics_term``, ``language`` of its pair; the
sentences: ``good`` and ``bad`` in a forced choice, else the one of them that is judged."""

FOREIGN = (*ANSWERS.names, "item", "good", "bad")
"""What ``[columns]`` may name: the columns of answers, the key of a trial, and its sentences."""


@dataclass(frozen=True)
class Rules:
    """Whose answers count, declared before the collection.

    ``completed``: the least share of trials that were answered. ``catch``: the least share of catch
    trials that were answered right. ``median_time``: the least median of the times of items, in
    milliseconds. ``one_sided``: the highest share of items in which the same place (first, second)
    or the same rating was chosen. ``native_language``: the languages of which one must be stated
    as native; empty: any. ``flags``: answers with one of these do not count.

    A pair is kept if more than the share ``pair`` of its judgments are for the good sentence (in a
    study with ratings: if the good sentence is rated higher). A paradigm passes if at least the
    share ``paradigm`` of its pairs is kept (Warstadt et al. 2020, section 4.2: four of five).
    """

    completed: float = 0.8
    catch: float = 0.75
    median_time: int = 800
    one_sided: float = 0.9
    native_language: tuple[str, ...] = ()
    flags: tuple[str, ...] = ("honeypot", "rejected")
    pair: float = 0.5
    paradigm: float = 0.8


@dataclass(frozen=True)
class Pay:
    """What a participant gets: ``hourly`` in ``currency``, for trials of ``seconds`` each."""

    currency: str = "EUR"
    hourly: float = 15.0
    seconds: float = 6.0


@dataclass(frozen=True)
class AnswerDelivery:
    """How answers reach the researcher.

    ``to``: one of :data:`DELIVERIES`; ``server``: the address of the server, empty if the server
    itself hands out the page; ``origins``: if it does not, the places of the page
    (``https://lab.example.org``) from which the server takes answers; ``datapipe``: the
    experiment's id there; ``completion``: the address to which people go back in the end
    (Prolific's, with the code).
    """

    to: str = "download"
    server: str = ""
    origins: tuple[str, ...] = ()
    datapipe: str = ""
    completion: str = ""


@dataclass(frozen=True)
class DataSource:
    """A config from which pairs were drawn, with its version and the digest of its rows."""

    config: str
    version: str = ""
    digest: str = ""


@dataclass(frozen=True)
class Study:
    """A study; :func:`read_study` reads one.

    ``pairs``: how many of each paradigm. ``judges``: how many judge each pair (or each sentence, if
    sentences are judged one at a time). ``practice``, ``catch``: how many such trials each list
    has. ``items``: the trials by key. ``lists``: the keys of the trials of each list, practice
    first. ``columns``: for answers in a table of another program, its column for each of ours.
    """

    folder: Path
    design: str
    title: str
    language: str
    seed: int
    pairs: int
    judges: int
    practice: int
    catch: int
    data: tuple[DataSource, ...]
    items: Mapping[str, Item]
    lists: Sequence[Sequence[str]]
    institution: str = ""
    contact: str = ""
    rules: Rules = field(default_factory=Rules)
    pay: Pay = field(default_factory=Pay)
    home: AnswerDelivery = field(default_factory=AnswerDelivery)
    columns: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def id(self) -> str:
        """16 hexadecimal digits of the SHA-256 of what answers depend on.

        That is the design, the seed, the trials, the lists and the rules. Titles, texts, pay, the
        way home and columns may change during a collection.
        """
        names = ("design", "language", "seed", "pairs", "judges", "practice", "catch")
        whole = {
            **{name: getattr(self, name) for name in names},
            "rules": asdict(self.rules),
            "data": [asdict(one) for one in self.data],
            "items": [dict(item) for item in self.items.values()],
            "lists": [list(keys) for keys in self.lists],
        }
        text = json.dumps(whole, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """The number of trials of each list, practice and catch trials included."""
        return tuple(map(len, self.lists))

    @property
    def participants(self) -> int:
        """How many people the study needs: ``judges`` for each list."""
        return self.judges * len(self.lists)

    @property
    def minutes(self) -> int:
        """How long a session takes; consent, instructions and debriefing take three minutes."""
        return math.ceil((max(self.totals) * self.pay.seconds + 180) / 60)

    @property
    def amount(self) -> float:
        """What one participant gets."""
        return math.ceil(self.pay.hourly * self.minutes / 60 * 100 - 1e-9) / 100

    @property
    def salt(self) -> str:
        """The salt by which identifiers of platforms are hashed; never published."""
        path = self.folder / SALT
        salt = path.read_text(encoding="utf-8").strip() if path.is_file() else ""
        if not salt:
            raise fail("is missing or empty: `solecism judge new` makes it", path)
        return salt


_POSITIVE = Number(1, 2**31 - 1, whole=True)

_SHAPE: dict[str, Any] = {
    "study": {
        "design": DESIGNS, "title": str, "language": str, "seed": inputs.INTEGER,
        **dict.fromkeys(("pairs", "judges"), _POSITIVE),
        **dict.fromkeys(("practice", "catch"), COUNT),
        **dict.fromkeys(("institution?", "contact?"), str),
        "lists?": _POSITIVE,
    },
    "data?": [{"config": str, "version?": str, "digest?": str}],
    "rules?": {
        **dict.fromkeys(("completed?", "catch?", "one_sided?", "pair?", "paradigm?"), SHARE),
        "median_time?": COUNT,
        "native_language?": [str], "flags?": [str],
    },
    "pay?": {"currency?": str, "hourly?": Number(0, 1e9), "seconds?": Number(0.1, 3600)},
    "home?": {
        "to?": DELIVERIES, **dict.fromkeys(("server?", "datapipe?", "completion?"), str),
        "origins?": [str],
    },
    "columns?": dict.fromkeys((f"{name}?" for name in FOREIGN), str),
}  # fmt: skip
"""The shape of ``study.toml`` (see :func:`solecism.inputs.check`)."""

_ITEM = {
    "key": str, "kind": KINDS, **dict.fromkeys((*PAIR, "language", "good?", "bad?"), str),
}  # fmt: skip


def read_study(folder: Path, foreign: bool = False) -> Study:
    """Read the study of a folder.

    ``foreign``: others may have made the study. Then there is only ``study.toml``, and the answers
    themselves say which pairs they are about. Raises :class:`InputError`, with file and key,
    for what is missing, unknown or of another kind.
    """
    path = folder / STUDY
    if not path.is_file():
        raise fail("is not there: is this a folder that `solecism judge new` has made?", path)
    table = inputs.read_toml(path)
    inputs.check(table, _SHAPE, path, strict=True)
    parts = ("study", "rules", "pay", "home", "columns")
    frozen = {name: inputs.with_tuples(table.get(name, {})) for name in parts}
    head, home = frozen["study"], AnswerDelivery(**frozen["home"])
    _check_home(home, path)
    data = tuple(DataSource(**one) for one in table.get("data", []))
    for part in (part for one in data for part in one.config.split("/", 1)):
        inputs.check_name(part, "data.config", path)
    is_ours = not foreign or (folder / ITEMS).is_file()
    items = _read_items(folder / ITEMS, head["design"]) if is_ours else {}
    lists = _read_lists(folder / LISTS, items) if is_ours else []
    if (said := head.pop("lists", len(lists))) != len(lists):
        raise fail(f"study.lists is {said}, {LISTS} has {len(lists)} lists", path)
    return Study(
        folder=folder, **head, data=data, items=items, lists=lists, home=home,
        rules=Rules(**frozen["rules"]), pay=Pay(**frozen["pay"]), columns=frozen["columns"],
    )  # fmt: skip


def _check_home(home: AnswerDelivery, path: Path) -> None:
    if home.to == "datapipe" and not home.datapipe:
        raise fail("home.datapipe is empty: it is the experiment's id at DataPipe", path)
    addresses = [("server", home.server), ("completion", home.completion)]
    for name, address in [*addresses, *(("origins", each) for each in home.origins)]:
        # The page's policy names the server: blanks and the like would let other scripts run.
        if address and not re.fullmatch(r"https?://[^\s;,'\"<>\\]+", address):
            raise fail(f"home.{name} is {address!r}, not an address (https://...)", path)


def _read_items(path: Path, design: str) -> dict[str, Item]:
    items: dict[str, Item] = {}
    for number, item in enumerate(inputs.read_json_lines(path, _ITEM, "trial of a study"), 1):
        if sum(bool(item.get(side)) for side in SIDES) != (2 if design == "choice" else 1):
            wanted = "good and bad" if design == "choice" else "either good or bad"
            raise fail(f"trial {item['key']!r} needs {wanted} ({design})", path, number)
        if item["key"] in items:
            raise fail(f"key {item['key']!r} is there twice", path, number)
        items[item["key"]] = item
    return items


def _read_lists(path: Path, items: Mapping[str, Item]) -> list[list[str]]:
    lists: list[list[str]] = inputs.read_json(path, [[str]], "file of lists")
    if not lists or not all(lists):
        raise fail("has no lists, or a list without trials", path)
    for number, keys in enumerate(lists, 1):
        if unknown := set(keys) - items.keys():
            near = candidates("trials", list(items), min(unknown))
            raise fail(f"list {number}: {ITEMS} has no trial {min(unknown)!r} {near}", path)
        if len(set(keys)) < len(keys):
            raise fail(f"list {number} has a trial twice", path)
    return lists


def study_toml(study: Study) -> str:
    """Return the text of ``study.toml``."""
    names = [name.removesuffix("?") for name in _SHAPE["study"]]
    head = {name: getattr(study, name) for name in names} | {"lists": len(study.lists)}
    template = Path(__file__).with_name("texts") / "study.toml"
    return template.read_text("utf-8").format(
        study=_lines(head),
        data="".join(f"\n[[data]]\n{_lines(asdict(one))}" for one in study.data),
        **{name: _lines(asdict(getattr(study, name))) for name in ("rules", "pay", "home")},
        columns=_lines(study.columns),
    )


def _lines(values: Mapping[str, object]) -> str:
    """Return keys and values as lines of TOML, in which texts are written as in JSON."""
    texts = ((name, json.dumps(value, ensure_ascii=False)) for name, value in values.items())
    # JSON may hold DEL as it is, TOML may not.
    return "".join(f"{name} = {text}\n" for name, text in texts).replace("\x7f", "\\u007f")
