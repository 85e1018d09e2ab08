"""Configs that are mined from treebanks.

Each language has four: cloze items (``he``), the forms that they are scored with (``he-forms``),
minimal pairs without a doubt (``he-pairs``), and these with doubtful ones (``he-pairs-wide``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

import pyarrow as pa

from solecism.datasets.configs import BuiltParadigm, Config, Facts, Items, ItemSource, example_of
from solecism.grammar.paradigm import Counts
from solecism.hashing import SeenHashes
from solecism.language_tags import tags_of
from solecism.query.mine import QueryForms, query_forms
from solecism.query.tests import shipped_tests, tests_of
from solecism.schema import CLOZE, FORMS
from solecism.treebank.cloze import MASKS
from solecism.treebank.forms import LanguageForms, read_inventory
from solecism.treebank.languages import doubtful_sources, rules_of
from solecism.treebank.minimal_pairs import SCHEMA, PairMaker, PairSet
from solecism.treebank.mining import FreshItems, MiningCounts, Settings, lacks_features, mine_file
from solecism.treebank.profile import Evidence, Profile, language_of, profile_of
from solecism.treebank.wrong_forms import WrongForms
from solecism.works.catalogue import find_code, origin_languages
from solecism.works.sources import LocalSource, found_languages, lexicon, treebanks

PRESET = "strict"
_COUNTED = ("sentences", "words", "duplicates", "repeated", "crowded")
"""What the manifest has of :class:`~solecism.treebank.mining.MiningCounts`."""
LEAST = 50
"""A language with fewer items is built only if it is named."""


def mined_configs(dataset: str, names: Sequence[str], commercial: bool = False) -> list[Config]:
    """Return four configs of a mined data set for each language that is named.

    Without names these are the languages with treebanks on this machine. ``commercial`` leaves out
    treebanks that forbid commercial use. Raises :class:`InputError` for a language that is unknown
    or has no treebank here.
    """
    message = f"data set {dataset!r} has no language {{}}"
    named = list(dict.fromkeys(find_code(name, message) for name in names))
    # Languages (codes) and treebanks (names) that are left out unless the language is named, and
    # has no other treebank.
    doubtful = doubtful_sources()
    codes = named or [code for code in found_languages(commercial) if code not in doubtful]
    if not codes:
        treebanks(origin_languages()[0])  # raises an error: no language has treebanks here
    found = {}
    for code in codes:
        every = treebanks(code, commercial)
        sure = [t for t in every if t.origin.name not in doubtful]
        found[code] = sure or (every if named else [])
    kind = _MinedLanguage if dataset == "agreement" else _QueriedLanguage
    mined = (kind(code, some, commercial) for code, some in found.items() if some)
    least = 1 if names or kind is _QueriedLanguage else LEAST
    asked = (language for language in mined if language.is_asked)
    return [config for language in asked for config in _configs(language, least)]


def _configs(mined: _MinedLanguage, least: int) -> list[Config]:
    """Return the configs of a language: cloze items, forms, and two sets of minimal pairs."""
    code = mined.code
    items = tuple(
        ItemSource(f"{code} {f.origin.name}", partial(_items, mined, f)) for f in mined.found
    )
    forms = _derived(
        mined, f"{code}-forms", "the forms of the treebanks and of UniMorph",
        lambda: mined.inventory.tables(), dict,
    )  # fmt: skip
    pairs = _derived(
        mined, f"{code}-pairs", "minimal pairs: the target in a wrong form",
        lambda: filter(len, [mined.certain.table()]),
        lambda: mined.pairs.facts(mined.certain, doubtful=False),
    )  # fmt: skip
    wide = _derived(
        mined, f"{code}-pairs-wide", "minimal pairs, some of which another reading might save",
        lambda: filter(len, [mined.wide.table()]), mined.finish,
    )  # fmt: skip
    tags = tags_of([code])
    return [
        Config(code, "cloze", CLOZE, items, (code,), least=least, tags=tags),
        Config(forms.name, "forms", FORMS, (forms,), (code,), of=code, tags=tags),
        *(
            Config(some.name, "pair", SCHEMA, (some,), (code,), least=1, of=code, tags=tags)
            for some in (pairs, wide)
        ),
    ]


class _MinedLanguage:
    """A language that is mined: its treebanks one after the other, then its forms and pairs.

    ``is_asked``: whether there is anything to mine.
    """

    is_asked = True

    def __init__(self, code: str, found: Sequence[LocalSource], commercial: bool = False) -> None:
        self.code, self.commercial = code, commercial
        self.bare = [treebank for treebank in found if lacks_features(treebank.files[0])]
        # Treebanks without features come last: each sentence is taken once, from the first.
        self.found = sorted(found, key=self.bare.__contains__)
        self.seen, self.evidence = SeenHashes(), Evidence()

    @cached_property
    def lexicon(self) -> LocalSource | None:
        """The list of word forms; None if its licence forbids to publish what is made of it."""
        found = lexicon(self.code)
        if found is None or not found.origin.redistributable:
            return None
        return found if found.origin.commercial or not self.commercial else None

    @cached_property
    def inventory(self) -> LanguageForms:
        return read_inventory(self.code, self.found, self.lexicon, self.evidence.add)

    @cached_property
    def settings(self) -> Settings:
        forms = self.inventory  # reading it fills the evidence, which the profile needs
        return Settings(language_of(self.code, self.profile), PRESET, MASKS, forms=forms)

    @cached_property
    def profile(self) -> Profile:
        return profile_of(self.evidence, self.code)

    @cached_property
    def pairs(self) -> PairMaker:
        return PairMaker(WrongForms(rules_of(self.code), self.inventory))

    @property
    def told(self) -> Facts:
        """What the manifest says of all treebanks of the language."""
        return {"agrees": self.settings.language.rule_texts(), "reason": self.profile.reason}

    def tables(self, found: LocalSource, tally: MiningCounts) -> Iterator[pa.Table]:
        """Yield the items of a treebank, chunk by chunk, duplicates included."""
        origin = found.origin
        settings = replace(self.settings, licence=origin.licence, genre=", ".join(origin.genre))
        for path in found.files:
            yield from mine_file(path, settings, tally)

    @cached_property
    def certain(self) -> PairSet:
        return self.pairs.certain()

    @cached_property
    def wide(self) -> PairSet:
        return self.pairs.wide(self.certain)

    def finish(self) -> Facts:
        """Return the facts of the wide pairs, which come last, and forget what was read.

        Otherwise a build of all languages would not fit in memory.
        """
        facts = self.pairs.facts(self.wide, doubtful=True)
        for name in ("query", "inventory", "settings", "profile", "pairs", "certain", "wide"):
            self.__dict__.pop(name, None)
        self.seen, self.evidence = SeenHashes(), Evidence()
        return facts

    @property
    def sources(self) -> list[dict[str, object]]:
        """The entries of the manifest about all works that items come from."""
        return [found.facts() for found in (*self.found, self.lexicon) if found]


class _QueriedLanguage(_MinedLanguage):
    """A language in which the requests that ship look for words (:mod:`solecism.query`)."""

    def __init__(self, code: str, found: Sequence[LocalSource], commercial: bool = False) -> None:
        super().__init__(code, found, commercial)
        self.tests = tests_of(shipped_tests(), code)
        self.is_asked = bool(self.tests)

    @cached_property
    def query(self) -> QueryForms:
        return query_forms(self.code, self.tests, self.found, self.lexicon)

    @cached_property
    def inventory(self) -> LanguageForms:
        return self.query.forms

    @property
    def told(self) -> Facts:
        facts = [{**test.facts(), "matches": self.query.matches[test.id]} for test in self.tests]
        return {"agrees": {}, "reason": "", "tests": facts}

    @cached_property
    def pairs(self) -> PairMaker:
        return PairMaker(self.query)

    def tables(self, found: LocalSource, tally: MiningCounts) -> Iterator[pa.Table]:
        yield from self.query.mine_source(found, tally)


def _items(mined: _MinedLanguage, found: LocalSource) -> Items:
    """Mine the items of one treebank, without those that earlier ones of the language have.

    The maker of pairs gets each of them too. What is returned has what every filter left out.
    """
    origin, tally, example = found.origin, MiningCounts(), tuple[str, ...]()
    unseen = FreshItems(tally, strict=True, seen=mined.seen, maker=mined.pairs)
    for fresh in unseen.of(mined.tables(found, tally)):
        example = example or example_of(fresh)
        yield fresh
    yield from unseen.rest()
    counts = Counts(sets=tally.items, pairs=tally.items, skipped=Counter(tally.dropped))
    facts = {
        "preset": PRESET,
        **{name: getattr(tally, name) for name in _COUNTED},
        "relations": dict(sorted(tally.relations.items())),
        "masked": dict(sorted(tally.masked.items())),
        "licence": origin.licence,
        "bare": found in mined.bare,
        **mined.told,
        "sources": [found.facts()],
    }
    return _built(origin.name, f"mined from {origin.name}", counts, example, facts)


def _derived(
    mined: _MinedLanguage, name: str, about: str, make: Callable[[], Iterator[pa.Table]],
    facts_of: Callable[[], Facts],
) -> ItemSource:  # fmt: skip
    """Return what is made of all treebanks of a language: its forms, or its minimal pairs."""

    def tables() -> Items:
        rows, example = 0, tuple[str, ...]()
        for table in make():
            rows += len(table)
            example = example or example_of(table)
            yield table
        facts = dict(facts_of())  # with the reasons why items were passed over
        skipped = Counter(facts.pop("passed_over", {}))
        facts = {**facts, "sources": mined.sources}
        return _built(name, about, Counts(rows, rows, skipped), example, facts)

    return ItemSource(name, tables)


def _built(
    uid: str, about: str, counts: Counts, example: tuple[str, ...], facts: dict[str, object]
) -> BuiltParadigm:
    return BuiltParadigm(uid, "agreement", "agreement", about, counts, example, (), facts)
