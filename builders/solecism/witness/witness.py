"""Ask all sources about all forms of a lexicon, count the witnesses, and write the evidence."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from solecism.files import write_text
from solecism.inputs import read_text
from solecism.lexicon import evidence as tsv
from solecism.lexicon.evidence import COLUMNS, OTHER, SPELLING
from solecism.lexicon.lexicon import Lexicon
from solecism.witness.analysers import Pair, analysers_of, ask_analyser
from solecism.witness.claims import Claim, judge, parts
from solecism.witness.sources import WordList, read_treebanks, read_unimorph_lists, version_of

COUNTED = ("two", "one", SPELLING, "none", "contradicted")
MOST_ROWS = 3_000
"""If more forms lack two witnesses, the evidence has their number by cell."""


class Witnessed(NamedTuple):
    """A form and what sources say of it.

    ``state``: one of ``COUNTED``; ``by``: the sources that have it; ``against``: those that have
    another; ``values``: the cells of ``COLUMNS``; ``spelt``: whether a source knows its spelling;
    ``wrote``: whether a source that wrote the forms has it.
    """

    claim: Claim
    state: str
    by: list[str]
    against: list[str]
    values: list[str]
    spelt: bool
    wrote: bool

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
        known = tsv.read_exceptions(self.lexicon.folder)
        return [
            form for form in self.forms if form.state == "contradicted"
            and (form.claim.table.name, form.claim.row.lemma, form.claim.form) not in known
        ]  # fmt: skip

    @property
    def second(self) -> str:
        """How many forms have a second witness, of the cell or of the spelling alone, in words.

        A dictionary that wrote the forms is the first witness of those that it has.
        """
        found = [(len(form.by) + form.wrote, form) for form in self.forms]
        cells = sum(number > 1 for number, _ in found)
        spellings = sum(number == 1 and form.spelt for number, form in found)
        one, two, both = (100 * n / len(self.forms) for n in (cells, spellings, cells + spellings))
        return (
            f"{both:.1f} % have a second witness: {one:.1f} of the cell, {two:.1f} of the spelling"
        )

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """The number of forms of each table, of all and in each state."""
        found: dict[str, dict[str, int]] = {}
        for form in self.forms:
            counts = found.setdefault(form.claim.table.name, dict.fromkeys(("forms", *COUNTED), 0))
            counts["forms"] += 1
            counts[form.state] += 1
        return found


def find_evidence(
    lexicon: Lexicon, unimorph: Path | None, treebanks: Sequence[Path], words: Sequence[Path],
    wrote: Sequence[str],
) -> Evidence:  # fmt: skip
    """Ask all sources that there are about a lexicon; without ``wrote``, those that wrote stay."""
    asked = [Claim(*found) for found in tsv.claims(map(lexicon.table, lexicon.names))]
    pairs = {pair for claim in asked for pair in parts(claim)}
    lists, spelt, spelling = list[WordList](), set[Pair](), dict[str, str]()
    if treebanks:
        lists.append(read_treebanks(treebanks, lexicon.code))
    if unimorph:
        texts = {text for pair in pairs for text in pair if text}
        lists.append(read_unimorph_lists(unimorph, lexicon.code, texts))
    for name in analysers_of(lexicon.code):
        match ask_analyser(name, lexicon.code, pairs):
            case WordList() as answer:
                lists.append(answer)
            case (title, known):
                spelling[name], spelt = title, spelt | known
    for path in words:
        listed = frozenset(read_text(path).split())
        spelt |= {pair for pair in pairs if pair[1] in listed}
        spelling[path.name] = f"{version_of([path])}, {SPELLING}"
    writing = list(wrote) or tsv.read_head(lexicon.folder)[0]
    witnessed = tuple(_witness(claim, lists, spelt, writing) for claim in asked)
    return Evidence(lexicon, witnessed, {s.name: s.title for s in lists} | spelling, writing)


def _witness(
    claim: Claim, lists: Sequence[WordList], spelt: set[Pair], wrote: Sequence[str]
) -> Witnessed:
    """Ask sources about a form. What wrote it is no witness of it, but may contradict it.

    Where one contradicts, only those that have it often enough to outweigh that count.
    """
    verdicts = [(source, judge(source, claim)) for source in lists]
    against = [source for source, verdict in verdicts if verdict.objection]
    by = [
        source for source, verdict in verdicts if source.name not in wrote
        and verdict.times >= (source.minimum if against else 1)
    ]  # fmt: skip
    known = spelt.issuperset(parts(claim))
    written = any(verdict.times for source, verdict in verdicts if source.name in wrote)
    values = {"analyser": SPELLING} if known else {}
    values |= {source.column: OTHER + v.objection for source, v in verdicts if v.objection}
    values |= {source.column: tsv.YES for source in by}
    state = "contradicted" if against else SPELLING if known else "none"
    return Witnessed(
        claim, state if not by else "one" if len(by) == 1 else "two",
        [source.name for source in by], [source.name for source in against],
        [values.get(column, "") for column in COLUMNS], known, written,
    )  # fmt: skip


def write_evidence(evidence: Evidence) -> Path:
    """Write ``evidence.tsv`` beside the tables of a lexicon."""
    lines = [
        "# Made by `solecism language witness`: see docs/formats.md. Forms by table: with two sources,",
        "# with one; with one that only knows the spelling; with none; contradicted by a source.",
    ]
    lines += [f"# {name}: {title}" for name, title in evidence.sources.items()]
    lines += [f"{tsv.WROTE}{name}" for name in evidence.wrote]
    lines += [f"# {evidence.second}", "# " + "\t".join(("table", "forms", *COUNTED))]
    for name, counts in evidence.counts.items():
        lines.append("\t".join((f"# {name}", *map(str, counts.values()))))
    lacking = [f for f in evidence.forms if len(f.by) < 2 and not f.objections]
    grouped = lacking if len(lacking) > MOST_ROWS else []
    listed = [f for f in evidence.forms if f.objections or (len(f.by) < 2 and not grouped)]
    rows = [[f.claim.table.name, f.claim.row.lemma, str(f.claim.cell), *f.values] for f in listed]
    lines += ["\t".join(row) for row in (list(tsv.HEAD), *rows, *_by_cell(grouped))]
    path = evidence.lexicon.folder / f"{tsv.EVIDENCE}.tsv"
    write_text(path, "\n".join(lines) + "\n")
    return path


def _by_cell(forms: Sequence[Witnessed]) -> Iterator[list[str]]:
    """Yield for each cell how many forms lack two witnesses, and what each column has of them."""

    def key(form: Witnessed) -> tuple[str, str]:
        return form.claim.table.name, str(form.claim.cell)

    for (table, cell), group in groupby(sorted(forms, key=key), key):
        columns = list(zip(*(form.values for form in group), strict=True))
        told = (
            ", ".join(f"{value} {n}" for value, n in sorted(Counter(column).items()) if value)
            for column in columns
        )
        yield [table, f"{tsv.EVERY} {len(columns[0])}", cell, *told]
