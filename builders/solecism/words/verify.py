"""Verification of a lexicon against treebanks, UniMorph and analysers.

The statuses are told in ``scripts/verify_lexicon.py --help``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from solecism.errors import candidates, fail
from solecism.words.analysers import (
    OneWord,
    WordList,
    ask_lemminflect,
    ask_pymorphy,
    ask_simplemma,
    fold,
    installed_version,
)
from solecism.words.judging import Claim, Verdict, claims, judge, parts
from solecism.words.language import Lexicon
from solecism.words.treebank_forms import Analysis, count_forms
from solecism.words.unimorph import language_of, read_unimorph

__all__ = [
    "ISO_639_3",
    "STATUSES",
    "Finding",
    "Report",
    "explained",
    "find_lexicons",
    "to_json",
    "verify",
]

ISO_639_3 = {
    "ca": "cat", "da": "dan", "de": "deu", "en": "eng", "es": "spa", "fi": "fin", "fr": "fra",
    "he": "heb", "it": "ita", "nl": "nld", "pl": "pol", "ro": "ron", "ru": "rus", "uk": "ukr",
}  # fmt: skip

STATUSES = ("confirmed", "unconfirmed", "disputed", "contradicted", "explained")
NOISE = frozenset(("Abbr=Yes", "Foreign=Yes", "Typo=Yes"))
TREEBANK_MINIMUM = 3
"""So many words of a treebank are needed to contradict, or to outweigh a contradiction."""


@dataclass(frozen=True)
class Finding:
    """The outcome for one form of a lexicon, ``by`` the sources that confirm it."""

    language: str
    table: str
    place: str
    lemma: str
    form: str
    features: str
    status: str
    by: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    looked_up: str = ""


@dataclass(frozen=True)
class Report:
    """All findings for a language, the sources that were asked, and what was missing."""

    language: str
    findings: tuple[Finding, ...]
    sources: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    def of(self, *statuses: str) -> list[Finding]:
        """The findings with one of some statuses."""
        return [finding for finding in self.findings if finding.status in statuses]


def find_lexicons(root: Path, languages: Sequence[str] = ()) -> list[Path]:
    """Give the folders of some languages, or of all that have a lexicon.

    Raises :class:`InputError` with the candidates where there is none.
    """
    known = sorted(path.name for path in root.glob("*") if any(path.glob("*.tsv")))
    for language in languages:
        if language not in known:
            near = candidates("languages", known, language)
            raise fail(f"there is no lexicon {language!r} {near}", root)
    return [root / language for language in languages or known]


def verify(folder: Path, shared: Path) -> Report:
    """Hold all tables of a lexicon against all sources that there are for its language."""
    lexicon = Lexicon(folder)
    asked = [claim for name in lexicon.names for claim in claims(lexicon.table(name))]
    lists, notices = _word_lists(lexicon.code, shared, asked)
    titles = {source.name: source.title for source in lists}
    one_word = ask_simplemma(lexicon.code)
    if one_word is None:
        notices.append("simplemma: not installed, or it lacks the language")
    else:
        titles["simplemma"] = installed_version("simplemma")
    excused = explained(folder / "README.md")
    outcomes = [_ask(claim, lists, one_word) for claim in asked]
    findings = tuple(_find(lexicon.code, outcome, excused) for outcome in outcomes)
    return Report(lexicon.code, findings, titles, tuple(notices))


def _word_lists(
    language: str, shared: Path, asked: Sequence[Claim]
) -> tuple[list[WordList], list[str]]:
    """Read what there is for a language; what there is not is told in notices."""
    pairs = {pair for claim in asked for pair in parts(claim)}
    words = {word for pair in pairs for word in pair if word}
    wanted: dict[str, Callable[[], WordList | None]] = {
        "UD": lambda: _read_treebanks(language, shared),
        "UniMorph": lambda: _read_unimorph(language, shared, words),
    }
    if language == "ru":
        wanted["pymorphy3"] = lambda: ask_pymorphy(words)
    if language == "en":
        wanted["lemminflect"] = lambda: ask_lemminflect({lemma for lemma, _ in pairs if lemma})
    found = {name: read() for name, read in wanted.items()}
    notices = [f"{name}: nothing for {language!r}" for name, source in found.items() if not source]
    return [source for source in found.values() if source], notices


def _read_treebanks(language: str, shared: Path) -> WordList | None:
    paths = sorted(shared.glob(f"ud*/UD_*/{language}_*.conllu"))
    counts = {
        a: n for a, n in count_forms(paths).items() if not NOISE & set(str(a.feats).split("|"))
    }
    title = ", ".join(sorted({path.parent.name for path in paths}))
    return WordList.of("UD", title, counts, True, TREEBANK_MINIMUM) if paths else None


def _read_unimorph(language: str, shared: Path, words: Iterable[str]) -> WordList | None:
    """Read of a UniMorph file what has to do with some words; None where there is no file."""
    code = ISO_639_3.get(language, language)
    paths = [p for p in sorted(shared.glob(f"unimorph/{code}*")) if language_of(p) == code]
    folded = {fold(word) for word in words}
    counts = {
        Analysis(t.form, t.lemma, t.upos, t.feats): 1
        for path in paths
        for t in read_unimorph(path)
        if fold(t.lemma) in folded or fold(t.form) in folded
    }
    title = ", ".join(path.name for path in paths)
    return WordList.of("UniMorph", title, counts, False) if paths else None


def explained(readme: Path) -> frozenset[str]:
    """Read the contradictions that a README explains, each as ``table:lemma:form``."""
    text = readme.read_text("utf-8") if readme.exists() else ""
    section = re.search(r"^## Explained contradictions\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return frozenset(re.findall(r"^[-*] `([^`]+)`", section[1], re.M)) if section else frozenset()


@dataclass(frozen=True)
class _Outcome:
    """What the sources say of a claim; ``lemma_only``: simplemma has the form for the lemma."""

    claim: Claim
    verdicts: Sequence[tuple[WordList, Verdict]]
    lemma_only: bool

    @property
    def confirming(self) -> list[tuple[WordList, Verdict]]:
        return [(s, v) for s, v in self.verdicts if v.status == "confirmed"]

    @property
    def by(self) -> tuple[str, ...]:
        names = [source.name for source, _ in self.confirming]
        return (*names, "simplemma") if self.lemma_only else tuple(names)

    @property
    def said(self) -> tuple[str, ...]:
        return tuple(verdict.said for _, verdict in self.verdicts if verdict.said)

    def status(self, excused: frozenset[str]) -> str:
        if not self.said:
            return "confirmed" if self.by else "unconfirmed"
        if any(v.count >= s.minimum for s, v in self.confirming):
            return "disputed"
        return "explained" if self.claim.key in excused else "contradicted"


def _ask(claim: Claim, lists: Sequence[WordList], one_word: OneWord | None) -> _Outcome:
    verdicts = [(source, judge(source, claim)) for source in lists]
    lemma_only = one_word is not None and all(one_word(*pair) for pair in parts(claim))
    return _Outcome(claim, verdicts, lemma_only)


def _find(language: str, outcome: _Outcome, excused: frozenset[str]) -> Finding:
    claim = outcome.claim
    words = " ".join(form for _, form in parts(claim))
    return Finding(
        language=language,
        table=claim.table.name,
        place=f"{claim.table.path}:{claim.row.line}",
        lemma=claim.row.lemma,
        form=claim.form,
        features=str(claim.row.inherent.updated(claim.cell)),
        status=outcome.status(excused),
        by=outcome.by,
        said=outcome.said,
        looked_up=words if " " in claim.form else "",
    )


def to_json(report: Report) -> dict[str, Any]:
    """Give a report for JSON: counts by table and status, and what is not plainly confirmed."""
    counts = Counter((finding.table, finding.status) for finding in report.findings)
    tables: dict[str, dict[str, int]] = {}
    for (table, status), count in counts.items():
        tables.setdefault(table, dict.fromkeys(STATUSES, 0))[status] = count
    return {
        "language": report.language,
        "sources": dict(report.sources),
        "notices": list(report.notices),
        "tables": tables,
        "findings": [vars(finding) for finding in report.of(*STATUSES[1:])],
    }
