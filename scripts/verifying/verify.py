"""Verification of a lexicon: its forms held against treebanks, UniMorph and analysers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from itertools import product
from pathlib import Path

from solecism.errors import candidates, fail
from solecism.lexicon.features import Feats, agree
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import Row, Table
from solecism.treebank.unimorph import read_unimorph
from verifying.attested import RoleCount, count_attested
from verifying.wordlists import (
    Analysis,
    Attested,
    OneWord,
    WordList,
    ask_lemminflect,
    ask_pymorphy,
    ask_simplemma,
    count_forms,
    fold,
)  # fmt: skip

ISO_639_3 = {
    "ca": "cat", "da": "dan", "de": "deu", "en": "eng", "es": "spa", "fi": "fin", "fr": "fra",
    "he": "heb", "it": "ita", "nl": "nld", "pl": "pol", "ro": "ron", "ru": "rus", "uk": "ukr",
}  # fmt: skip

STATUSES = ("confirmed", "unconfirmed", "disputed", "contradicted", "explained")
NOISE = frozenset(("Abbr=Yes", "Foreign=Yes", "Typo=Yes"))
TREEBANK_MINIMUM = 3
"""So many words of a treebank are needed to contradict, or to outweigh a contradiction."""


@dataclass(frozen=True)
class FormFinding:
    """The outcome for one form of a lexicon; ``by``: the sources that confirm it."""

    language: str
    table: str
    place: str
    lemma: str
    form: str
    features: str
    status: str
    by: tuple[str, ...] = ()
    objections: tuple[str, ...] = ()
    looked_up: str = ""


@dataclass(frozen=True)
class Verification:
    """All findings for a language, the sources that were asked, and what was missing."""

    language: str
    findings: tuple[FormFinding, ...]
    sources: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    typical: tuple[RoleCount, ...] = ()

    def of(self, *statuses: str) -> list[FormFinding]:
        """Return the findings with one of some statuses."""
        return [finding for finding in self.findings if finding.status in statuses]


def find_lexicons(root: Path, languages: Sequence[str] = ()) -> list[Path]:
    """Return the folders of some languages, or of all that have a lexicon.

    Raises :class:`InputError` with the candidates where there is none.
    """
    known = sorted(path.name for path in root.glob("*") if any(path.glob("*.tsv")))
    for language in languages:
        if language not in known:
            near = candidates("languages", known, language)
            raise fail(f"there is no lexicon {language!r} {near}", root)
    return [root / language for language in languages or known]


def verify(folder: Path, shared: Path) -> Verification:
    """Hold all tables of a lexicon against all sources that there are for its language."""
    lexicon = Lexicon(folder)
    asked = [claim for table in _tables(lexicon) for claim in claims(table)]
    lists, notices = _word_lists(lexicon.code, shared, asked)
    titles = {source.name: source.title for source in lists}
    one_word = ask_simplemma(lexicon.code)
    if one_word is None:
        notices.append("simplemma: not installed, or it lacks the language")
    else:
        titles["simplemma"] = version("simplemma")
    excused = explained(folder / "README.md")
    findings = [_find(lexicon.code, claim, lists, one_word, excused) for claim in asked]
    typical = count_attested(lexicon, _treebanks(lexicon.code, shared))
    return Verification(lexicon.code, tuple(findings), titles, tuple(notices), tuple(typical))


def _tables(lexicon: Lexicon) -> Iterator[Table]:
    """Yield the tables that have forms of their own, and those whose words have no forms."""
    for table in map(lexicon.table, lexicon.names):
        main = lexicon.table(table.main) if table.main in lexicon.names else table
        if table is main or not main.cells or table.cells != main.cells:
            yield table


def _word_lists(
    language: str, shared: Path, asked: Sequence[Claim]
) -> tuple[list[WordList], list[str]]:
    """Read the sources that there are for a language; return notices of those that are not."""
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
    paths = _treebanks(language, shared)
    counts = {
        a: n for a, n in count_forms(paths).items() if not NOISE & set(str(a.feats).split("|"))
    }
    title = ", ".join(sorted({path.parent.name for path in paths}))
    return WordList.of("UD", title, counts, True, TREEBANK_MINIMUM) if paths else None


def _treebanks(language: str, shared: Path) -> list[Path]:
    return sorted(shared.glob(f"ud*/UD_*/{language}_*.conllu"))


def _read_unimorph(language: str, shared: Path, words: Iterable[str]) -> WordList | None:
    """Read what a UniMorph file has of some words; return None where there is no file."""
    code = ISO_639_3.get(language, language)
    paths = [p for p in sorted(shared.glob("unimorph/*")) if re.split(r"[.\-_]", p.name)[0] == code]
    folded = {fold(word) for word in words}
    counts = {
        Analysis(t.form, t.lemma, t.upos, t.feats): 1
        for path in paths
        for t in read_unimorph(path, code)
        if fold(t.lemma) in folded or fold(t.form) in folded
    }
    title = ", ".join(path.name for path in paths)
    return WordList.of("UniMorph", title, counts, False) if paths else None


def explained(readme: Path) -> frozenset[str]:
    """Read the contradictions that a README explains, each as ``table:lemma:form``."""
    text = readme.read_text("utf-8") if readme.exists() else ""
    section = re.search(r"^## Explained contradictions\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return frozenset(re.findall(r"^[-*] `([^`]+)`", section[1], re.M)) if section else frozenset()


def _find(
    language: str,
    claim: Claim,
    lists: Sequence[WordList],
    one_word: OneWord | None,
    excused: frozenset[str],
) -> FormFinding:
    """Ask all sources about a claim; simplemma knows only whether a form is one of a lemma."""
    looked_up = parts(claim)
    verdicts = [(source, judge(source, claim)) for source in lists]
    confirming = [
        (source, verdict) for source, verdict in verdicts if verdict.status == "confirmed"
    ]
    by = [source.name for source, _ in confirming]
    if one_word is not None and all(one_word(*pair) for pair in looked_up):
        by.append("simplemma")
    objections = tuple(verdict.objection for _, verdict in verdicts if verdict.objection)
    if not objections:
        status = "confirmed" if by else "unconfirmed"
    elif any(verdict.count >= source.minimum for source, verdict in confirming):
        status = "disputed"
    else:
        status = "explained" if claim.key in excused else "contradicted"
    words = " ".join(form for _, form in looked_up)
    return FormFinding(
        language, claim.table.name, f"{claim.table.path}:{claim.row.line}", claim.row.lemma,
        claim.form, str(claim.row.inherent.updated(claim.cell)), status, tuple(by), objections,
        looked_up=words if " " in claim.form else "",
    )  # fmt: skip


RATIO = 10
"""A treebank with less than the minimum for a form, and so many times more against it, errs."""

SAME_UPOS = {"VERB": ("VERB", "AUX"), "AUX": ("AUX", "VERB")}
LIKE_UPOS = {"DET": ("DET", "PRON"), "PRON": ("PRON", "DET"), "ADP": ("ADP", "ADV")}
"""Closed classes: sources differ in UPOS and lemma, so the form alone is looked up."""

FREE = frozenset(
    ("Aspect", "Emph", "ExtPos", "HebBinyan", "HebSource", "NumForm", "PronType", "VerbType")
)
DEFAULTS = frozenset(
    ("Degree=Pos", "Definite=Ind", "Mood=Ind", "Person=1,2,3", "Polarity=Pos", "VerbForm=Fin",
     "Voice=Act", "Voice=Mid")
)  # fmt: skip
"""What one source writes and another leaves out: it makes no other bundle of features."""

FINITE = Feats.parse("Mood=Ind|VerbForm=Fin")


@dataclass(frozen=True)
class Claim:
    """A form that a lexicon lists, in a cell of a row of a table."""

    table: Table
    row: Row
    cell: Feats
    form: str

    @property
    def upos(self) -> str:
        """The part of speech; treebanks take prepositions with suffixes for pronouns (Hebrew)."""
        suffixed = self.row.upos == "ADP" and "Person" in self.table.feature_names
        return "PRON" if suffixed else self.row.upos

    @property
    def key(self) -> str:
        return f"{self.table.name}:{self.row.lemma}:{self.form}"

    @property
    def wanted(self) -> Feats:
        """All that the form expresses."""
        return self.says(self.cell)

    def says(self, cell: Feats) -> Feats:
        """Return what a form in a cell of the row expresses.

        An adposition's ``Case`` is what it governs, not its own. A verb with a tense or a person,
        but without a verb form, is finite (Hebrew past), and without a mood in the indicative.
        """
        feats = Feats() if self.upos == "ADP" else self.row.inherent.updated(cell)
        if self.upos in SAME_UPOS and ("Tense" in feats or "Person" in feats):
            feats = FINITE.updated(feats)
            if "Fin" not in feats["VerbForm"]:
                feats = Feats(tuple(pair for pair in feats.pairs if pair[0] != "Mood"))
        return feats


@dataclass(frozen=True)
class Verdict:
    """The judgement of a source on a form: its count there, and what the source has instead."""

    status: str = "unconfirmed"
    count: int = 0
    objection: str = ""


@cache
def skeleton(text: str) -> str:
    """Return the same text for all orthographic variants of a word."""
    plain = fold(text).casefold().replace("ß", "ss").replace("œ", "oe")
    plain = unicodedata.normalize("NFD", plain).replace("\u0302", "")
    return re.sub(r"(?<=[א-ת])[וי]", "", unicodedata.normalize("NFC", plain))


def claims(table: Table) -> Iterator[Claim]:
    """Yield all forms of a table; a word without forms is printed as its lemma.

    A marked word that has the forms of its lemma is left out.
    """
    for row in table.rows:
        plain = table.by_lemma.get(row.shown, row)
        if row is not plain and row.forms and row.forms is plain.forms:
            continue
        for cell, form in (row.forms or {Feats(): row.shown}).items():
            yield Claim(table, row, cell, form)


def parts(claim: Claim) -> list[tuple[str, str]]:
    """Return lemma and form of what is looked up: the word, or of several words those that inflect.

    A lemma ``""`` stands for words none of which inflects: they only have to exist. Of a verb with
    a separable prefix (the column ``Prefix``) the verb without it is looked up, as its forms stand.
    """
    if prefix := claim.row.properties.get("Prefix", ""):
        return [(claim.row.shown.removeprefix(prefix), claim.form)]
    words, lemmas = claim.form.split(" "), claim.row.shown.split(" ")
    if len(words) == 1:
        return [(claim.row.shown, claim.form)]
    forms = [form.split(" ") for form in claim.row.forms.values()]
    if any(len(form) != len(words) for form in forms) or len(lemmas) != len(words):
        return [("", word) for word in words]
    inflecting = [i for i in range(len(words)) if len({form[i] for form in forms}) > 1]
    return [(lemmas[i], words[i]) for i in inflecting] or [("", word) for word in words]


def judge(source: WordList, claim: Claim) -> Verdict:
    """Ask a source about a form: about each word looked up and each value of the column."""
    verdicts = [_judge_part(source, claim, lemma, form) for lemma, form in parts(claim)]
    return _first(verdicts, ("contradicted", "unconfirmed", "confirmed"))


def _judge_part(source: WordList, claim: Claim, lemma: str, form: str) -> Verdict:
    if not lemma:
        count = _total(source.by_form.get(fold(form), ()))
        return Verdict("confirmed", count) if count else Verdict()
    each = [_judge_word(source, claim, wanted, lemma, form) for wanted in _single(claim.wanted)]
    return _first(each, ("contradicted", "confirmed", "unconfirmed"))


def _first(verdicts: Iterable[Verdict], order: Sequence[str]) -> Verdict:
    return min(verdicts, key=lambda verdict: order.index(verdict.status))


def _single(feats: Feats) -> Iterator[Feats]:
    """Split ``Person=1,2`` into a bundle for each value."""
    names = [name for name, _ in feats.pairs]
    for values in product(*(sorted(values) for _, values in feats.pairs)):
        yield Feats.of(dict(zip(names, values, strict=True)))


def _judge_word(source: WordList, claim: Claim, wanted: Feats, lemma: str, form: str) -> Verdict:
    known, same = _look_up(source, claim.upos, lemma, form)
    invariable = len(set(claim.row.forms.values())) <= 1
    support = _total(a for a in same if _supports(a.feats, wanted, invariable))
    others = _others(known, wanted, form, claim.upos)
    if support and (support >= source.minimum or _total(others) < RATIO * support):
        return Verdict("confirmed", support)
    if _total(others) >= source.minimum:
        return Verdict("contradicted", objection=f"{source.name} has {_list(others)}")
    if _at_odds(source, same, claim, form):
        return Verdict("contradicted", objection=f"{source.name} has only {_list(same)}")
    return Verdict()


def _look_up(
    source: WordList, upos: str, lemma: str, form: str
) -> tuple[list[Attested], list[Attested]]:
    """Return what a source has of a lemma, and of a form (of any lemma if it lacks this one)."""
    parts_of_speech = LIKE_UPOS.get(upos) or SAME_UPOS.get(upos) or (upos,)
    known = _of(source.by_lemma.get(fold(lemma), ()), parts_of_speech)
    alike = _of(source.by_form.get(fold(form), ()), parts_of_speech)
    if upos in LIKE_UPOS or not known:
        return known, alike
    return known, [a for a in alike if fold(a.analysis.lemma) == fold(lemma)]


def _total(found: Iterable[Attested]) -> int:
    return sum(a.count for a in found)


def _of(found: Iterable[Attested], upos: Sequence[str]) -> list[Attested]:
    return [a for a in found if a.analysis.upos in upos]


def _supports(feats: Feats, wanted: Feats, invariable: bool) -> bool:
    shared = not wanted or invariable or any(name in feats for name in wanted)
    return shared and agree(feats, wanted)


def _others(known: Sequence[Attested], wanted: Feats, form: str, upos: str) -> list[Attested]:
    """Return the other forms that a source has for a lemma and the very same features.

    None where one of them is a variant of the form.
    """
    expressed = {name for a in known for name in a.feats}
    asked = _bundle(wanted, upos) & expressed
    if not asked and _bundle(wanted, upos):
        return []
    found = [a for a in known if _bundle(a.feats, upos) == asked and agree(a.feats, wanted)]
    others = [a for a in found if fold(a.analysis.form) != fold(form)]
    return [] if any(skeleton(a.analysis.form) == skeleton(form) for a in others) else others


@cache
def _bundle(feats: Feats, upos: str) -> frozenset[str]:
    """Return the names of the features in which the forms of a word differ."""
    inherent = {"Gender", "Animacy"} if upos in ("NOUN", "PROPN") else set()
    names = frozenset(name for name in feats if f"{name}={feats.text(name)}" not in DEFAULTS)
    return names - FREE - inherent


def _at_odds(source: WordList, same: Sequence[Attested], claim: Claim, form: str) -> bool:
    """Return whether a source has a form only with features that no cell of the row gives it.

    A form that also has a function for which the table has no column says nothing, unless it is
    at odds with a property of the word (Gender).
    """
    if not source.knows_forms or _total(same) < source.minimum:
        return False
    inherent = claim.says(Feats())
    if any(_outside(a.feats, claim) and agree(a.feats, inherent) for a in same):
        return False
    cells = [cell for cell, text in claim.row.forms.items() if form in text.split(" ")] or [Feats()]
    return not any(agree(a.feats, claim.says(cell)) for a in same for cell in cells)


def _outside(feats: Feats, claim: Claim) -> bool:
    columns = {
        name: frozenset(v for cell in claim.table.cells for v in cell.get(name, ()))
        for name in claim.table.feature_names
    }
    unknown = _bundle(feats, claim.upos) - set(columns) - set(claim.wanted)
    return bool(unknown) or any(
        name in feats and not feats[name] & columns[name] for name in columns
    )


def _list(found: Iterable[Attested]) -> str:
    texts = [str(a) for a in sorted(found, key=lambda a: -a.count)]
    return ", ".join(texts[:3]) + (", ..." if len(texts) > 3 else "")
