"""The data set that is mined from treebanks: for each language cloze items (``he``), the forms that they
are scored with (``he-forms``) and minimal pairs (``he-pairs``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa

from solecism.datasets.configs import BuiltParadigm, Config, Part
from solecism.errors import candidates, fail
from solecism.grammar.paradigm import Counts
from solecism.schema import CLOZE, FORMS
from solecism.treebank.cloze import MASKS
from solecism.treebank.forms import FormInventory, Paradigms, read_inventory
from solecism.treebank.languages import find_language, languages, rules_of
from solecism.treebank.mining import MiningCounts, SeenIds, Settings, mine_file, unique
from solecism.treebank.pairs import SCHEMA, PairMaker
from solecism.treebank.sources import (
    LocalSource,
    found_languages,
    lexicon,
    origin_languages,
    treebanks,
)
from solecism.treebank.swap import Flipper

__all__ = ["agreement_configs", "minable"]

PRESET = "strict"


def minable() -> list[str]:
    """The codes of the languages that have treebanks and relations that agree."""
    agreeing = {code for code, language in languages().items() if any(language.features.values())}
    return [code for code in origin_languages() if code in agreeing]


def agreement_configs(dataset: str, names: Sequence[str]) -> list[Config]:
    """Give the three configs of each language; without names of all whose treebanks are there.

    Raises :class:`InputError` for an unknown language and for one whose treebanks are not there.
    """
    known = minable()
    for name in names:
        if name not in known:
            near = candidates("languages", known, name)
            raise fail(f"data set {dataset!r} has no language {name!r} {near}")
    there = names or [code for code in found_languages() if code in known]
    if not there:
        treebanks(known[0])
    return [config for code in there for config in _configs(_Mine(code, treebanks(code)))]


def _configs(mine: _Mine) -> list[Config]:
    code = mine.code
    items = tuple(mine.items_of(found) for found in mine.found)
    parts = {
        code: ("cloze", CLOZE, items),
        f"{code}-forms": ("forms", FORMS, (mine.forms,)),
        f"{code}-pairs": ("pair", SCHEMA, (mine.minimal_pairs,)),
    }
    return [
        Config(name, kind, schema, chosen, (code,))
        for name, (kind, schema, chosen) in parts.items()
    ]


@dataclass
class _Mine:
    """A language being mined: its treebanks one after the other, then its forms and pairs."""

    code: str
    found: Sequence[LocalSource]
    seen: SeenIds = field(default_factory=SeenIds)

    @cached_property
    def lexicon(self) -> LocalSource | None:
        return lexicon(self.code)

    @cached_property
    def inventory(self) -> FormInventory:
        return read_inventory(self.code, self.found, self.lexicon)

    @cached_property
    def settings(self) -> Settings:
        return Settings(find_language(self.code), PRESET, MASKS, forms=self.inventory)

    @cached_property
    def pairs(self) -> PairMaker:
        listed = self.inventory.unimorph.words if self.inventory.unimorph else ()
        told = {word: sum(counts.values()) for word, counts in self.inventory.attested.items()}
        rules = rules_of(self.code)
        return PairMaker(Flipper(rules, self.inventory, Paradigms(told, listed), Counter()))

    @property
    def sources(self) -> list[dict[str, Any]]:
        """What the manifest says of all works that went in."""
        return [found.facts() for found in (*self.found, self.lexicon) if found]

    def items_of(self, found: LocalSource) -> Part:
        """The cloze items of a treebank."""
        mined = _Treebank(self, found)
        return Part(f"{self.code} {found.origin.name}", mined.tables, mined.facts)

    @property
    def forms(self) -> Part:
        """The feature inventory."""
        made = _Made(self, f"{self.code}-forms", "the forms of the treebanks and of UniMorph")
        return Part(made.uid, lambda: made.counted(self.inventory.tables()), made.facts)

    @property
    def minimal_pairs(self) -> Part:
        """Minimal pairs of the items that were mined before."""
        made = _Made(self, f"{self.code}-pairs", "minimal pairs: the target in a wrong form")
        return Part(made.uid, lambda: made.counted(self.pairs.tables()), made.pair_facts)


@dataclass
class _Treebank:
    """The items of one treebank, less those that the language had before."""

    mine: _Mine
    found: LocalSource
    tally: MiningCounts = field(default_factory=MiningCounts)
    example: tuple[str, ...] = ()

    def tables(self) -> Iterator[pa.Table]:
        """Mine; each table also goes to the maker of pairs."""
        for path in self.found.files:
            licence = self.found.origin.licence
            mined = mine_file(path, self.mine.settings, self.tally, licence)
            for fresh in unique(mined, self.tally, self.mine.seen):
                self.mine.pairs.take(fresh)
                self.example = self.example or _example(fresh)
                yield fresh

    def facts(self) -> BuiltParadigm:
        """What was mined, and what every filter left out."""
        tally, origin = self.tally, self.found.origin
        counts = Counts(sets=tally.items, pairs=tally.items, skipped=Counter(tally.dropped))
        facts = {
            "preset": PRESET,
            "sentences": tally.sentences,
            "words": tally.words,
            "duplicates": tally.duplicates,
            "relations": dict(sorted(tally.relations.items())),
            "masked": dict(sorted(tally.masked.items())),
            "licence": origin.licence,
            "sources": [self.found.facts()],
        }
        return BuiltParadigm(
            origin.name, "agreement", "agreement", f"mined from {origin.name}", counts,
            self.example, (), facts,
        )  # fmt: skip


@dataclass
class _Made:
    """A part that is made of all treebanks of a language together."""

    mine: _Mine
    uid: str
    about: str
    rows: int = 0
    example: tuple[str, ...] = ()

    def counted(self, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
        """Pass tables on and count their rows."""
        for table in tables:
            self.rows += len(table)
            self.example = self.example or _example(table)
            yield table

    def facts(self) -> BuiltParadigm:
        """What was made."""
        return self._built({}, Counter())

    def pair_facts(self) -> BuiltParadigm:
        """What pairs were made, the caps, and why others were not."""
        told = self.mine.pairs.facts()
        return self._built(told, Counter(told.pop("passed_over")))

    def _built(self, facts: dict[str, Any], skipped: Counter[str]) -> BuiltParadigm:
        counts = Counts(sets=self.rows, pairs=self.rows, skipped=skipped)
        return BuiltParadigm(
            self.uid, "agreement", "agreement", self.about, counts, self.example, (),
            {**facts, "sources": self.mine.sources},
        )  # fmt: skip


def _example(table: pa.Table) -> tuple[str, ...]:
    """A text or two to show."""
    if not len(table):
        return ()
    row = table.slice(0, 1).to_pylist()[0]
    if "sentence_good" in row:
        return row["sentence_good"], row["sentence_bad"]
    if "answer" in row:
        return (f"{row['left']}[{row['answer']}]{row['right']}",)
    return (f"{row['form']} {row['upos']} {row['feats']}",)
