"""Suites in SyntaxGym's JSON (Hu et al. 2020; syntaxgym-core, docs/suite_json.rst).

There a sentence is nothing but its numbered regions, put together with spaces. What stands between
ours becomes regions without a name; what the format has no place for (text without spaces, words,
our names and ids) stands under keys of its own, ``solecism``, that other readers pass over, so that
what was written is read back equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from solecism.errors import InputError, Problem, candidates, fail
from solecism.files import json_of, write_text
from solecism.formula import WHOLE, parse, place_of, unknown_terms
from solecism.inputs import COUNT, INTEGER, read_json
from solecism.schema import SUITE
from solecism.scoring.methods.region import METRICS

__all__ = ["read_syntaxgym", "refuse_unknown", "write_syntaxgym"]

OURS = "solecism"

_REGION = {"name": str, "text": str, **dict.fromkeys(("start", "end", "first", "last"), COUNT)}
_CONDITION = {
    "condition_name": str,
    "regions": [{"region_number": INTEGER, "content": str}],
    f"{OURS}?": {"text": str, "tokens": str, "regions": [_REGION]},
}
_SUITE = {
    "meta": {
        "name": str,
        "metric": str,
        f"{OURS}?": dict.fromkeys(("phenomenon?", "modifier?", "language?"), str),
    },
    "region_meta?": {str: (str, INTEGER)},
    "predictions": [{"type": str, "formula": str, f"{OURS}?": str}],
    "items": [
        {"item_number": INTEGER, "conditions": [_CONDITION], f"{OURS}?": {"id?": str, "item?": str}}
    ],
}
"""The shape of the JSON (:mod:`solecism.inputs`), with what is ours."""

Item = Mapping[str, Any]


def read_syntaxgym(path: Path) -> pa.Table:
    """Read a suite as items (:data:`solecism.schema.SUITE`); raises :class:`InputError`.

    The text of a condition is its regions with a space between them. A region is called by its name
    in ``region_meta``, by its number where the names are not all different.
    """
    return _Suite(path, read_json(path, _SUITE, "suite")).table()


@dataclass(frozen=True)
class _Suite:
    path: Path
    suite: Any

    def table(self) -> pa.Table:
        """Return the items."""
        meta = self.suite["meta"]
        name, metric = meta["name"], meta["metric"]
        if metric not in METRICS:
            near = candidates("metrics", list(METRICS), metric)
            raise fail(f"meta: unknown metric {metric!r} {near}", self.path)
        ours = meta.get(OURS, {})
        shared = {
            "suite": name,
            **{key: ours.get(key, "") for key in ("phenomenon", "modifier", "language")},
            "predictions": self.predictions(),
            "metric": metric,
        }
        items = enumerate(self.suite["items"], 1)
        rows = [{**self.item(item, n, name), **shared} for n, item in items]
        refuse_unknown(rows, self.path)
        return pa.Table.from_pylist(rows, schema=SUITE)

    def predictions(self) -> list[str]:
        """Return the formulas, ours as we wrote them."""
        out = []
        for number, entry in enumerate(self.suite["predictions"], 1):
            if entry["type"] != "formula":
                message = f"type {entry['type']!r} is not known, only 'formula'"
                raise fail(f"prediction {number}: {message}", self.path)
            out.append(entry.get(OURS, entry["formula"]))
        return out

    def names(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the names of regions."""
        meta = self.suite.get("region_meta", {})
        missing = [str(number) for number in numbers if str(number) not in meta]
        if missing:
            near = candidates("regions", list(meta), missing[0])
            raise fail(f"region_meta has no region {missing[0]} {near}", self.path)
        names = {number: str(meta[str(number)]).strip() for number in numbers}
        plain = len(set(names.values())) == len(names) and all(names.values())
        return names if plain else {number: str(number) for number in numbers}

    def item(self, item: Any, place: int, suite: str) -> dict[str, Any]:
        """Return an item."""
        what = f"item {place}"
        number, conditions, ours = item["item_number"], item["conditions"], item.get(OURS, {})
        return {
            "id": ours.get("id", f"{suite}-{number}"),
            "item": ours.get("item", str(number)),
            "conditions": [self.condition(c, n, what) for n, c in enumerate(conditions, 1)],
        }

    def condition(self, condition: Any, place: int, item: str) -> dict[str, Any]:
        """Return a condition, with the regions that it has."""
        what = f"{item}, condition {place}"
        name, regions = condition["condition_name"], condition["regions"]
        contents = {r["region_number"]: r["content"] for r in regions}
        if sorted(contents) != list(range(1, len(regions) + 1)):
            found = [r["region_number"] for r in regions]
            raise fail(f"{what}: the regions are not numbered 1, 2, ...: {found}", self.path)
        for number, content in contents.items():
            if content != content.strip():
                message = f"{what}: region {number} begins or ends with a space: {content!r}"
                raise fail(message, self.path)
        ordered = [contents[number] for number in sorted(contents)]
        if OURS in condition:
            return self.own(name, condition[OURS], ordered, what)
        names = self.names(sorted(contents))
        return {"name": name, **_joined(ordered, list(names.values()))}

    def own(
        self, name: str, ours: Mapping[str, Any], contents: Sequence[str], what: str
    ) -> dict[str, Any]:
        """Return a condition that we wrote; raise where its regions were changed since."""
        words = " ".join(content for content in contents if content)
        if words != ours["tokens"]:
            message = f"{what}: its regions are {words!r}, its words {ours['tokens']!r}"
            raise fail(f"{message} (change both, or drop the key {OURS!r})", self.path)
        return {"name": name, **{key: ours[key] for key in ("text", "tokens", "regions")}}


def refuse_unknown(rows: Sequence[Item], path: Path) -> None:
    """Raise for predictions that cannot be read, or are about what an item lacks."""
    problems: dict[Problem, None] = {}
    for row in rows:
        regions = {c["name"]: [r["name"] for r in c["regions"]] for c in row["conditions"]}
        for text in row["predictions"]:
            for wrong in _wrong(text, regions):
                problems.setdefault(Problem(wrong, str(path)))
    if problems:
        raise InputError(problems)


def _wrong(text: str, regions: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what is wrong with a prediction."""
    try:
        return list(unknown_terms(parse(text), regions))
    except InputError as error:
        return [problem.message for problem in error.problems]


def _joined(contents: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Join regions with spaces; the words are what stands between spaces."""
    text, regions, words = "", [], 0
    for name, content in zip(names, contents, strict=True):
        text += " " if text and content else ""
        size = len(content.split())
        regions.append(
            {
                "name": name, "text": content, "start": len(text), "end": len(text) + len(content),
                "first": words, "last": words + size,
            }
        )  # fmt: skip
        text += content
        words += size
    return {"text": text, "tokens": " ".join(text.split()), "regions": regions}


def write_syntaxgym(items: Sequence[Item], path: Path) -> None:
    """Write the items of one suite; raise where the format cannot hold them."""
    first = items[0]
    for item in items:
        for key in ("suite", "predictions", "metric", "phenomenon", "modifier", "language"):
            if item[key] != first[key]:
                raise fail(
                    f"one file holds one suite: {key} is {first[key]!r} and {item[key]!r}", path
                )
    slots = _Slots.of(items, path)
    regions = {c["name"]: [r["name"] for r in c["regions"]] for c in first["conditions"]}
    predictions = [
        {
            "type": "formula", OURS: text,
            "formula": parse(text).syntaxgym(lambda c, region: slots.number(regions[c], region)),
        }
        for text in first["predictions"]
    ]  # fmt: skip
    value = {
        "meta": {
            "name": first["suite"],
            "metric": first["metric"],
            OURS: {key: first[key] for key in ("phenomenon", "modifier", "language")},
        },
        "region_meta": {str(n): name for n, name in enumerate(slots.names, 1)},
        "predictions": predictions,
        "items": [_item(item, number, slots) for number, item in enumerate(items, 1)],
    }
    write_text(path, json_of(value))


@dataclass(frozen=True)
class _Slots:
    """The numbered regions of a suite: names in order, ``""`` for what is between named ones."""

    names: tuple[str, ...]
    regions: tuple[str, ...]

    @classmethod
    def of(cls, items: Sequence[Item], path: Path) -> _Slots:
        """Lay out the regions of all conditions, and the gaps in which any of them has words."""
        regions = _order(items, path)
        filled: set[int] = set()
        for item in items:
            for condition in item["conditions"]:
                parts = _cut(condition, regions)
                filled |= {n for n, part in enumerate(parts) if part and n % 2 == 0}
        slots = [regions[n // 2] if n % 2 else "" for n in range(2 * len(regions) + 1)]
        kept = [name for n, name in enumerate(slots) if name or n in filled]
        return cls(tuple(kept), tuple(regions))

    def number(self, regions: Sequence[str], region: str) -> int | str:
        """Return the number of a region of a condition that has ``regions``."""
        place = None if region == WHOLE else place_of(region, regions)
        return region if place is None else self.names.index(regions[place]) + 1

    def contents(self, condition: Item) -> list[str]:
        """Return the words of a condition in these regions."""
        parts = _cut(condition, self.regions)
        named = dict(zip(self.regions, parts[1::2], strict=True))
        gaps = iter(parts[::2])
        out, gap_open = [], True
        for name in self.names:
            if name:
                if gap_open:
                    next(gaps)
                out.append(named[name])
                gap_open = True
            else:
                out.append(next(gaps))
                gap_open = False
        return out


def _order(items: Sequence[Item], path: Path) -> list[str]:
    """Return all regions in an order that holds in every condition."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for item in items:
        for condition in item["conditions"]:
            names = [region["name"] for region in condition["regions"]]
            for name in names:
                sorter.add(name)
            for before, after in pairwise(names):
                sorter.add(after, before)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        found = ", ".join(map(repr, error.args[1][1:]))
        raise fail(f"regions {found} have not the same order in all conditions", path) from None


def _cut(condition: Item, regions: Sequence[str]) -> list[str]:
    """Return the words before, in and after each region; none for one that the condition lacks."""
    words = condition["tokens"].split(" ") if condition["tokens"] else []
    places = {r["name"]: (r["first"], r["last"]) for r in condition["regions"]}
    parts, done = [], 0
    for name in regions:
        first, last = places.get(name, (done, done))
        parts += [" ".join(words[done:first]), " ".join(words[first:last])]
        done = last
    return [*parts, " ".join(words[done:])]


def _item(item: Item, number: int, slots: _Slots) -> dict[str, Any]:
    return {
        "item_number": number,
        OURS: {"id": item["id"], "item": item["item"]},
        "conditions": [
            {
                "condition_name": condition["name"],
                "regions": [
                    {"region_number": n, "content": content}
                    for n, content in enumerate(slots.contents(condition), 1)
                ],
                OURS: {key: condition[key] for key in ("text", "tokens", "regions")},
            }
            for condition in item["conditions"]
        ],
    }
