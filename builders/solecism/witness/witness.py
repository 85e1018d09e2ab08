"""Ask all sources about all forms of a lexicon, count the witnesses, and write the evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from solecism.files import write_text
from solecism.inputs import read_text
from solecism.lexicon.evidence import (
    COLUMNS,
    EVERY,
    EVIDENCE,
    HEAD,
    OTHER,
    SPELLING,
    YES,
    head_lines,
    read_exceptions,
    writers,
)  # fmt: skip
from solecism.lexicon.lexicon import Lexicon
from solecism.witness.analysers import Spelt, analysers_of, ask_analyser
from solecism.witness.claims import Claim, claims, judge, parts, tables_with_forms
from solecism.witness.sources import WordList, read_treebanks, read_unimorph_folder

COUNTED = ("two", "one", SPELLING, "none", "contradicted")
MOST_ROWS = 3_000
"""If more forms lack two witnesses, the evidence has their number by cell."""


@dataclass(frozen=True)
class Witnessed:
    """A form and what sources say of it.

    ``by``: those that have it; ``against``: those that have another; ``values``: the cells of
    ``COLUMNS``.
    """

    claim: Claim
    by: tuple[str, ...]
    against: tuple[str, ...]
    values: tuple[str, ...]
    spelt: bool

    @property
    def state(self) -> str:
        """One of ``COUNTED``."""
        if self.against and not self.by:
            return "contradicted"
        if self.by:
            return "one" if len(self.by) == 1 else "two"
        return SPELLING if self.spelt else "none"

    @property
    def objections(self) -> list[str]:
        """The values that name another form."""
        return [value for value in self.values if value.startswith(OTHER)]


@dataclass(frozen=True)
class Evidence:
    """All forms with what is said of them, the sources with their versions, and who wrote."""

    lexicon: Lexicon
    forms: tuple[Witnessed, ...]
    sources: dict[str, str]
    wrote: list[str]

    @property
    def unexplained(self) -> list[Witnessed]:
        """The forms that are contradicted and have no reason in ``exceptions.tsv``."""
        known = read_exceptions(self.lexicon.folder)
        return [
            form for form in self.forms
            if form.state == "contradicted"
            and (form.claim.table.name, form.claim.row.lemma, form.claim.form) not in known
        ]  # fmt: skip

    @property
    def counts(self) -> dict[str, Counter[str]]:
        """The number of forms of each table in each state."""
        found: dict[str, Counter[str]] = {}
        for form in self.forms:
            found.setdefault(form.claim.table.name, Counter())[form.state] += 1
        return found


def find_evidence(
    lexicon: Lexicon, unimorph: Path | None, treebanks: Sequence[Path], words: Sequence[Path],
    wrote: Sequence[str],
) -> Evidence:  # fmt: skip
    """Ask all sources that there are about a lexicon."""
    asked = [claim for table in tables_with_forms(lexicon) for claim in claims(table)]
    pairs = {pair for claim in asked for pair in parts(claim)}
    lemmas, forms = {lemma for lemma, _ in pairs if lemma}, {form for _, form in pairs}
    lists, spelt, sources = list[WordList](), list[Spelt](), dict[str, str]()
    if treebanks:
        lists.append(read_treebanks(treebanks))
    if unimorph and (found := read_unimorph_folder(unimorph, lexicon.code, lemmas | forms)):
        lists.append(found)
    for name in analysers_of(lexicon.code):
        answer = ask_analyser(name, lexicon.code, lemmas, lemmas | forms)
        if isinstance(answer, WordList):
            lists.append(answer)
        elif answer:
            spelt.append(answer)
            sources[name] = SPELLING
    for path in words:
        known = frozenset(read_text(path).split())
        spelt.append(lambda _, form, known=known: form in known)  # type: ignore[misc]
        sources[path.name] = SPELLING
    sources = {**{source.name: source.title for source in lists}, **sources}
    writing = list(dict.fromkeys([*writers(lexicon.folder), *wrote]))
    witnessed = tuple(_witness(claim, lists, spelt, writing) for claim in asked)
    return Evidence(lexicon, witnessed, sources, writing)


def _witness(
    claim: Claim, lists: Sequence[WordList], spelt: Sequence[Spelt], wrote: Sequence[str]
) -> Witnessed:
    """Ask sources about a form. What wrote it is no witness of it, but may contradict it.

    Where one contradicts, only those that have it often enough to outweigh that count.
    """
    verdicts = [(source, judge(source, claim)) for source in lists]
    others = {s.column: v.objection for s, v in verdicts if v.objection}
    having = [
        source for source, verdict in verdicts
        if verdict.status == "confirmed" and source.name not in wrote
        and (not others or verdict.count >= source.minimum)
    ]  # fmt: skip
    columns = {source.column for source in having}
    known = any(all(knows(*pair) for pair in parts(claim)) for knows in spelt)
    values = dict.fromkeys(columns, YES) | {
        column: OTHER + text for column, text in others.items() if column not in columns
    }
    if known:
        values.setdefault("analyser", SPELLING)
    by = tuple(source.name for source in having)
    against = tuple(source.name for source, verdict in verdicts if verdict.objection)
    cells = tuple(values.get(column, "") for column in COLUMNS)
    return Witnessed(claim, by, against, cells, known)


def write_evidence(evidence: Evidence) -> Path:
    """Write ``evidence.tsv`` beside the tables of a lexicon."""
    table = [["table", "forms", *COUNTED]] + [
        [name, str(counts.total()), *(str(counts[state]) for state in COUNTED)]
        for name, counts in evidence.counts.items()
    ]
    lines = [*head_lines(evidence.sources, evidence.wrote, table), "\t".join(HEAD)]
    lacking = [f for f in evidence.forms if len(f.by) < 2 and not f.objections]
    grouped = lacking if len(lacking) > MOST_ROWS else []
    listed = [f for f in evidence.forms if f.objections or (len(f.by) < 2 and not grouped)]
    lines += [
        "\t".join([f.claim.table.name, f.claim.row.lemma, str(f.claim.cell), *f.values])
        for f in listed
    ]
    lines += ["\t".join(row) for row in _by_cell(grouped)]
    path = evidence.lexicon.folder / f"{EVIDENCE}.tsv"
    write_text(path, "\n".join(lines) + "\n")
    return path


def _by_cell(forms: Sequence[Witnessed]) -> Iterator[list[str]]:
    """Yield for each cell how many forms lack two witnesses, and what each column has of them."""

    def key(form: Witnessed) -> tuple[str, str]:
        return form.claim.table.name, str(form.claim.cell)

    for (table, cell), group in groupby(sorted(forms, key=key), key):
        found = list(group)
        columns = [Counter(form.values[n] for form in found) for n in range(len(COLUMNS))]
        told = (
            ", ".join(f"{value} {n}" for value, n in sorted(column.items()) if value)
            for column in columns
        )
        yield [table, f"{EVERY} {len(found)}", cell, *told]
