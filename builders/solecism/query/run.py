"""Run the tests of a file on treebanks, and write the items and minimal pairs that they give."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.errors import unknown_error
from solecism.files import writing
from solecism.query.mine import QueryForms, query_forms
from solecism.query.tests import OTHER, Test, tests_of
from solecism.schema import CLOZE, pair_schema
from solecism.treebank.conllu import files_of
from solecism.treebank.forms import LanguageForms
from solecism.treebank.minimal_pairs import EXTRA, PairMaker
from solecism.treebank.mining import (
    FreshItems,
    MiningCounts,
    code_of_files,
    treebank_of,
    write_items,
)
from solecism.treebank.relations import bundle
from solecism.works.catalogue import Origin
from solecism.works.sources import LocalSource, lexicon


@dataclass(frozen=True)
class Queried:
    """What tests gave, by the id of each: the items, the certain pairs, and the doubtful ones."""

    forms: QueryForms
    items: Counter[str]
    certain: Counter[str]
    doubtful: Counter[str]

    def facts(self) -> dict[str, object]:
        """Return what ``--json`` and a manifest say."""
        why = {
            "passed_over": dict(self.forms.skipped.most_common()),
            "examples": self.forms.examples,
        }
        tests = [
            {
                **test.facts(), "matches": self.forms.matches[test.id], "items": self.items[test.id],
                "certain": self.certain[test.id], "doubtful": self.doubtful[test.id],
            }
            for test in self.forms.tests
        ]  # fmt: skip
        return {"language": self.forms.rules.code, "tests": tests, **why}


def mine_queries(
    paths: Sequence[Path], tests: Sequence[Test], language: str | None = None, licence: str = "",
    items: Path | None = None, pairs: Path | None = None,
) -> Queried:  # fmt: skip
    """Make items and pairs of what tests find in CoNLL-U files, or in folders of them.

    The words of UniMorph are used where they are at hand, unless all tests want those of the
    treebank alone. Raises :class:`InputError` for files that are wrong, and for a change to a value
    that no form has.
    """
    files = files_of(paths)
    code = language or code_of_files(files)
    tests = tests_of(tests, code)
    named = groupby(files, key=treebank_of)
    treebanks = [
        LocalSource(Origin(name, code, "", "", licence, ()), (*own,)) for name, own in named
    ]
    query = query_forms(code, tests, treebanks, lexicon(code))
    _check_values(tests, query.forms)
    counts, maker = MiningCounts(), PairMaker(query)
    mined = (table for found in treebanks for table in query.mine_source(found, counts))
    fresh = FreshItems(counts, strict=False, maker=maker).of(mined)
    found = pa.concat_tables([CLOZE.empty_table(), *fresh])
    columns = sorted({name for own in query.kept.values() for name in own})
    kept = [query.kept[one] for one in found["id"].to_pylist()]
    for name in columns:
        found = found.append_column(name, pa.array([own.get(name) for own in kept], pa.string()))
    rows = maker.wide(maker.certain()).rows()
    if items:
        write_items([found], items, found.schema)
    if pairs:
        for row in rows:
            row["features"] |= query.kept[row["set_id"]]
        with writing(pairs) as part:
            table = pa.Table.from_pylist(rows, pair_schema((*EXTRA, *columns)))
            pq.write_table(table, part, compression="zstd")
    by_doubt: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for row in rows:
        by_doubt[bool(row["features"]["doubt"])][row["features"]["relation"]] += 1
    return Queried(query, Counter(found["relation"].to_pylist()), *by_doubt)


def _check_values(tests: Sequence[Test], forms: LanguageForms) -> None:
    """Raise :class:`InputError` if a test changes a feature to a value that no form has."""
    known: dict[str, set[str]] = defaultdict(lambda: {OTHER})
    for words in (*forms.counts.values(), forms.unimorph or ()):
        for feats in {word.feats for word in words}:
            for name, values in bundle(feats).items():
                known[name] |= {*values, ",".join(sorted(values))}
    for test in tests:
        for name, value in (pair for change in test.changes for pair in change.items()):
            if value not in known[name]:
                raise unknown_error(
                    f"no form has {name} =", value, "values", sorted(known[name]), *test.place
                )
