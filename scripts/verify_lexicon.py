"""Hold the lexicons against sources that know nothing of them.

    python scripts/verify_lexicon.py [LANG ...] [--shared DIR] [--lexicons DIR] [--list]

Sources: UD treebanks and UniMorph word lists (below ``--shared``), pymorphy3 (ru), lemminflect (en)
and simplemma (lemmas only). One that is absent is left out with a notice. For every form:

confirmed     a source has the form, for this lemma (or for no other, where it lacks the lemma),
              with features that do not contradict the column and the word's properties;
unconfirmed   no source says anything;
contradicted  a source has the lemma and gives for the very same features only other forms, or
              UD or pymorphy3 have the form only with other features. At least three words of a
              treebank are needed, and a few count for nothing against ten times as many.
              Variants of spelling do not contradict (ё/е, ß/ss, œ/oe, case, circumflex, Hebrew
              full and defective spelling);
disputed      contradicted by one source, but confirmed with features by another;
explained     contradicted, and listed under ``## Explained contradictions`` in the language's
              README.md in a line that begins with "- `table:lemma:form`".

Of several words only those that inflect are looked up, and where none does, each in any use.
A gender is confirmed only by sources that know it: not by UniMorph (de, fr, he), not by simplemma.
Exit code: 1 if a contradiction is not explained, 2 if an input cannot be read, else 0.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from solecism.errors import InputError
from verifying.attested import RoleCount
from verifying.verify import STATUSES, FormFinding, Verification, find_lexicons, verify

ROOT = Path(__file__).resolve().parents[1]


def render(report: Verification, listing: bool = False) -> str:
    """Write a report for reading, no line wider than 80 columns but for names of files."""
    lines = [f"{report.language}: {len(report.findings)} forms"]
    for name, title in report.sources.items():
        lines += _wrap(f"{name}: {title}", "  ")
    lines += [f"  {notice}" for notice in report.notices]
    lines += ["", *_counts(report), ""]
    lines += [text for count in report.typical for text in _wrap(_typical(count), "  ")]
    several = [finding for finding in report.findings if finding.looked_up]
    if several:
        lines += _wrap(
            f"{len(several)} forms of several words: only those that inflect looked up.", "  "
        )
    shown = ("contradicted", "explained", "disputed", "unconfirmed") if listing else ()
    for finding in report.of(*shown):
        lines += _describe(finding)
    return "\n".join(lines)


def _typical(count: RoleCount) -> str:
    return (
        f"typical {count.role}: {count.words} verbs, {count.eight} with 8 nouns or more; "
        f"{count.pairs} pairs, {count.attested} attested in treebanks; of {count.met} pairs that "
        f"these have twice or more, {count.listed} listed"
    )


def _counts(report: Verification) -> Iterator[str]:
    tables = list(dict.fromkeys(finding.table for finding in report.findings))
    names = list(report.sources)
    short = [name if len(name) < 6 else f"{name[:5]}." for name in names]
    yield _line("table", ["forms", "conf.", "unconf.", "disp.", "contr.", "expl.", *short, "only"])
    groups = [(table, [f for f in report.findings if f.table == table]) for table in tables]
    for title, findings in [*groups, ("all", list(report.findings))]:
        states = Counter(finding.status for finding in findings)
        by = Counter(name for finding in findings for name in finding.by)
        only = sum(f.by == ("simplemma",) and f.status == "confirmed" for f in findings)
        numbers = [len(findings), *(states[s] for s in STATUSES), *(by[n] for n in names), only]
        yield _line(title, [str(number) for number in numbers])
    yield "  (only: by simplemma alone, which knows lemmas and no features)"


def _line(title: str, cells: Sequence[str]) -> str:
    widths = [6, 6, 8, 6, 7, 6, *[7] * (len(cells) - 7), 5]
    return f"{title:6}" + "".join(cell.rjust(w) for cell, w in zip(cells, widths, strict=True))


def _describe(finding: FormFinding) -> Iterator[str]:
    place = finding.place.removeprefix(f"{Path.cwd()}/")
    yield f"{place}: {finding.status}: {finding.form}"
    lemma = f"{finding.table} {finding.lemma}: {finding.features or '-'}"
    looked_up = f" (looked up: {finding.looked_up})" if finding.looked_up else ""
    yield from _wrap(lemma + looked_up, "    ")
    confirmed = [f"confirmed by {', '.join(finding.by)}"] if finding.by else []
    for text in (*finding.objections, *confirmed):
        yield from _wrap(text, "    ")


def _wrap(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, 80, initial_indent=indent, subsequent_indent=indent + "  ")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("languages", nargs="*", metavar="LANG", help="default: all there are")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared", metavar="DIR")
    parser.add_argument("--lexicons", type=Path, default=ROOT / "lexicons", metavar="DIR")
    parser.add_argument("--list", action="store_true", help="print every form in doubt")
    options = parser.parse_args(arguments)
    try:
        folders = find_lexicons(options.lexicons, options.languages)
        reports = [verify(folder, options.shared) for folder in folders]
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(render(report, options.list) for report in reports))
    return int(any(report.of("contradicted") for report in reports))


if __name__ == "__main__":
    sys.exit(main())
