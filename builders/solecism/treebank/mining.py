"""Mining: from treebank files to items, chunk by chunk, without duplicates."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solecism.errors import candidates, fail
from solecism.files import writing
from solecism.hashing import Hashes, SeenHashes, text_hashes
from solecism.schema import CLOZE
from solecism.terminal import Progress, no_progress
from solecism.treebank.catalogue import known_code, origin_languages
from solecism.treebank.cloze import MASKS, ItemOrigin, items_of
from solecism.treebank.conllu import CHUNK, Flags, Tokens, files_of, read_tokens
from solecism.treebank.documents import DocumentQuota
from solecism.treebank.forms import (
    LanguageForms,
    Morphology,
    WordForm,
    count_treebank,
    count_words,
    forms_besides,
)
from solecism.treebank.languages import Language, find_language, read_stanza, rules_of
from solecism.treebank.minimal_pairs import SCHEMA, PairMaker
from solecism.treebank.profile import Evidence, Profile, language_of, profile_of
from solecism.treebank.relations import RELATIONS, AgreeingPairs, find_as_paper
from solecism.treebank.strict import SWITCHES, find_strictly
from solecism.treebank.wrong_forms import WrongForms

__all__ = [
    "Mined", "MiningCounts", "Settings", "mine", "mine_file", "mine_files",
    "mine_tokens", "released", "survey", "treebank_of", "unique", "write_items",
]  # fmt: skip

PRESETS = ("paper-program", "paper", "strict")
"""``paper-program``: the published program's letter; ``paper``: what it means; ``strict``: ours."""

_CODE = re.compile("[a-z]{2,3}")
_ROWS = 1 << 16
Skipped = Callable[[int], object] | None


@dataclass(frozen=True)
class Settings:
    """How to mine.

    ``masks``: which ends are masked, of :data:`solecism.treebank.cloze.MASKS`; ``without``: filters
    of ``strict`` that are switched off; ``forms``: by which ``strict`` finds a value overt (None:
    the annotation is believed). Raises :class:`InputError` for an unknown preset, mask or filter.
    """

    language: Language
    preset: str = "strict"
    masks: tuple[str, ...] = MASKS[:1]
    without: frozenset[str] = frozenset()
    forms: Morphology | None = None

    def __post_init__(self) -> None:
        _require("preset", (self.preset,), PRESETS)
        _require("mask", self.masks, MASKS)
        _require("filter", sorted(self.without), SWITCHES)

    def find(self, tokens: Tokens) -> tuple[AgreeingPairs, Counter[str]]:
        """Find what agrees in a chunk, and count what was dropped, by reason."""
        if self.preset == "strict":
            return find_strictly(tokens, self.language, self.forms, self.without)
        return find_as_paper(tokens, self.language.paper, self.preset == "paper-program")


def _require(kind: str, given: Sequence[str], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise fail(f"there is no {kind} {name!r} {candidates(kind + 's', known, name)}")


@dataclass
class MiningCounts:
    """Counts of a run.

    ``relations`` and ``masked`` count the items, after duplicates were dropped; ``dropped`` the
    pairs that are no items, by reason; ``repeated`` the items of ``strict`` that were left out
    since their sentence has one of that relation; ``crowded`` those whose document has its share;
    ``skipped`` the broken sentences; ``pairs`` the minimal pairs, where they were asked for.
    """

    bytes: int = 0
    sentences: int = 0
    words: int = 0
    skipped: int = 0
    duplicates: int = 0
    repeated: int = 0
    crowded: int = 0
    relations: Counter[str] = field(default_factory=Counter)
    masked: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    pairs: int | None = None

    @property
    def items(self) -> int:
        """The number of items."""
        return self.relations.total()

    def read(self, tokens: Tokens) -> bool:
        """Count what a chunk holds; return False where it has no words, and so no items."""
        if not len(tokens):
            return False
        self.bytes += tokens.size
        self.words += len(tokens)
        self.sentences += len(tokens.sentences)
        return True

    def skip(self, number: int) -> None:
        """Count broken sentences."""
        self.skipped += number

    def count(self, items: pa.Table) -> pa.Table:
        """Count items, and return them."""
        for name, counter in (("relation", self.relations), ("masked", self.masked)):
            for value in items[name].value_counts().to_pylist():
                counter[value["values"]] += value["counts"]
        return items


@dataclass(frozen=True)
class Mined:
    """The outcome of :func:`mine`: ``items`` (None if not kept), counts, and how it mined.

    ``reason``: why there are no items, ``""`` where there are.
    """

    items: pa.Table | None
    counts: MiningCounts
    settings: Settings
    reason: str = ""

    def facts(self) -> dict[str, Any]:
        """Return the counts as JSON has them: ``items`` is the total of the relations."""
        counts = self.counts
        return {
            "language": self.settings.language.code,
            "preset": self.settings.preset,
            "items": counts.items,
            **{name: counts.relations[name] for name in RELATIONS},
            "masked": {name: counts.masked[name] for name in self.settings.masks},
            "sentences": counts.sentences,
            "words": counts.words,
            "duplicates": counts.duplicates,
            "repeated": counts.repeated,
            "crowded": counts.crowded,
            "skipped_sentences": counts.skipped,
            "dropped": {name: count for name, count in counts.dropped.items() if count},
            "agrees": {k: [*map(str, rules)] for k, rules in self.settings.language.agrees.items()},
            "reason": self.reason,
        }


def mine(
    paths: str | Path | Sequence[str | Path],
    *,
    language: str | None = None,
    preset: str = "strict",
    mask: str | None = None,
    relations: Sequence[str] = (),
    without: Sequence[str] = (),
    inventory: bool = True,
    licence: str = "",
    lenient: bool = False,
    spacy: str | None = None,
    stanza: str | Path | None = None,
    out: str | Path | None = None,
    pairs: str | Path | None = None,
    keep: bool = True,
    progress: Progress | None = None,
) -> Mined:
    """Mine agreement items from treebanks.

    Arguments:
        paths: CoNLL-U files, or folders of them; with ``spacy`` files of raw text.
        language: its code (``"el"``); default: what the files' names begin with.
        preset: ``"strict"``, ``"paper"`` or ``"paper-program"``.
        mask: which end of a pair is masked: ``"controller"`` (the default of the presets of the
            paper), ``"target"`` or ``"both"`` (that of ``strict``).
        relations: which relations, in place of the language's own.
        without: filters of ``strict`` to switch off.
        inventory: whether ``strict`` takes what is overt from the forms in the files, or (False)
            from the annotation.
        licence: the licence of the treebank, for the items.
        lenient: whether broken sentences are skipped and counted.
        spacy: the name of a spaCy pipeline, or its folder, that parses raw text.
        stanza: a file with a stanza of the language, as ``mine --profile`` writes, in place of
            ``languages.toml`` and of the profile.
        out: a ``.parquet`` or ``.jsonl`` file to write; the items are then not kept in memory.
        pairs: a ``.parquet`` file to write minimal pairs to, whose wrong side has another form of
            the target (``strict`` alone; see :class:`~solecism.treebank.minimal_pairs.PairMaker`).
        keep: whether the items are returned; with False they are only counted.
        progress: is called with a file's name, how much is done, and of how much.

    Raises :class:`InputError` for paths, names and files that are wrong.

    >>> mined = mine("tests/treebanks/relations.conllu", language="fr", preset="paper")
    >>> mined.counts.items
    22
    >>> mined.items.column_names[:5]
    ['id', 'language', 'treebank', 'sent_id', 'text']
    """
    show = progress or no_progress
    given = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    with ExitStack() as stack:
        if spacy is None:
            files = files_of(given)
        else:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            files, of_pipeline = _parse(given, spacy, folder, show)
            language = language or of_pipeline
        code = language or _language_of(files)
        if not (relations or stanza or known_code(code)):
            near = candidates("codes", origin_languages(), code)
            way = (
                "name the language with --language, or say what agrees with --stanza or --relation"
            )
            raise fail(f"{code!r} is not a code of a language of UD {near}: {way}")
        mask = mask or ("both" if preset == "strict" else "controller")
        masks = MASKS if mask == "both" else (mask,)
        skipped = (lambda number: None) if lenient else None
        evidence = Evidence()
        settings = _settings(files, code, preset, relations, skipped, evidence)
        if stanza:
            settings = replace(settings, language=read_stanza(Path(stanza), code))
        settings = replace(settings, masks=masks, without=frozenset(without))
        if not inventory:
            settings = replace(settings, forms=None)
        counts = MiningCounts()
        maker = _pair_maker(files, code, settings, evidence, skipped) if pairs else None
        see = maker.take if maker else id
        tables = mine_files(files, settings, counts, licence, lenient, show, see)
        items = _collect(tables, out, keep)
        if maker and pairs:
            with writing(Path(pairs)) as part:
                made = pa.concat_tables([SCHEMA.empty_table(), *maker.tables()])
                pq.write_table(made, part, compression="zstd")
            counts.pairs = len(made)
        return Mined(items, counts, settings, "" if counts.items else _reason(settings, evidence))


def _pair_maker(
    files: Sequence[Path], code: str, settings: Settings, evidence: Evidence, skipped: Skipped
) -> PairMaker:
    """Return what makes minimal pairs of items; raises :class:`InputError` where none can be."""
    if settings.preset != "strict" or "target" not in settings.masks:
        raise fail("pairs are made of items of the preset `strict` whose target is masked")
    counts: dict[str, Counter[WordForm]] = {}
    besides: set[str] = set()
    for path in files:
        words = counts.setdefault(treebank_of(path), Counter())
        for tokens in read_tokens(path, skipped=skipped):
            count_words(tokens, words)
            besides |= forms_besides(tokens)
    forms = LanguageForms(code, counts, dict.fromkeys(counts, ""), None, frozenset(besides))
    return PairMaker(WrongForms(rules_of(code), forms, profile_of(evidence, code).mixed))


def _settings(
    files: Sequence[Path], code: str, preset: str, relations: Sequence[str], skipped: Skipped,
    evidence: Evidence,
) -> Settings:  # fmt: skip
    """Return how to mine files: for ``strict``, with the forms and the profile of the files."""
    if preset != "strict":
        return Settings(find_language(code, tuple(relations)), preset)
    forms = count_treebank(files, skipped, evidence.add)
    named = (
        find_language(code, tuple(relations))
        if relations
        else language_of(code, partial(profile_of, evidence, code))
    )
    return Settings(named, preset, forms=forms)


def _reason(settings: Settings, evidence: Evidence) -> str:
    """Return why nothing was found."""
    code = settings.language.code
    told = profile_of(evidence, code).reason if settings.preset == "strict" else ""
    return told or "no pair passed the filters"


def survey(
    paths: Sequence[Path],
    *,
    language: str | None = None,
    lenient: bool = False,
    progress: Progress | None = None,
) -> Profile:
    """Return the profile of the language of CoNLL-U files; raises as :func:`mine` does."""
    files = files_of(paths)
    code = language or _language_of(files)
    evidence, show = Evidence(), progress or no_progress
    for number, path in enumerate(files):
        show(path.name, number, len(files))
        for tokens in read_tokens(path, skipped=(lambda number: None) if lenient else None):
            evidence.add(tokens)
    return profile_of(evidence, code)


def _parse(
    paths: Sequence[Path], pipeline: str, folder: Path, show: Progress
) -> tuple[list[Path], str]:
    """Parse texts into files in a folder; return these and the pipeline's language."""
    from solecism.treebank.spacy import load_pipeline, parse_file, texts_of

    texts, parser = texts_of(paths), load_pipeline(pipeline)
    files = [folder / f"{n:05d}" / f"{text.stem}.conllu" for n, text in enumerate(texts)]
    for number, (text, file) in enumerate(zip(texts, files, strict=True)):
        show(f"parsing {text.name}", number, len(texts))
        parse_file(text, parser, file)
    return files, parser.lang or ""


def _language_of(files: Sequence[Path]) -> str:
    """Return the language that names of files begin with, as ``el_gdt-ud-dev.conllu`` does."""
    codes = {file.name.partition("_")[0] for file in files}
    if len(codes) == 1 and _CODE.fullmatch(code := codes.pop()):
        return code
    names = ", ".join(sorted({*codes, *(file.name for file in files)})[:5])
    message = f"the names of the files do not begin with one language code ({names})"
    raise fail(f"{message}: give --language")


def _collect(tables: Iterator[pa.Table], out: str | Path | None, keep: bool) -> pa.Table | None:
    """Write the tables, join them or run through them."""
    if out is not None:
        write_items(tables, Path(out))
        return None
    if keep:
        return pa.concat_tables([CLOZE.empty_table(), *tables])
    for _ in tables:
        pass
    return None


def treebank_of(path: Path) -> str:
    """Return the treebank of a file: its folder, where that is called ``UD_...``, else the file."""
    folder = path.resolve().parent.name
    return folder if folder.startswith("UD_") else path.stem


def mine_tokens(
    tokens: Tokens, settings: Settings, origin: ItemOrigin
) -> tuple[pa.Table, Counter[str]]:
    """Return the items of a chunk, duplicates included, and what was dropped, by reason."""
    found, dropped = settings.find(tokens)
    language, forms = settings.language, settings.forms
    return items_of(tokens, found, settings.masks, language, origin, forms), dropped


def mine_file(
    path: Path,
    settings: Settings,
    counts: MiningCounts,
    licence: str = "",
    lenient: bool = False,
    size: int = CHUNK,
    genre: str = "",
) -> Iterator[pa.Table]:
    """Yield the items of a CoNLL-U file, chunk by chunk, duplicates included.

    Duplicates have the same ``id``. The items depend on the file's text and the settings alone, not
    on the size of the chunks. Raises :class:`InputError`; with ``lenient`` broken sentences are
    skipped and counted.
    """
    origin = ItemOrigin(treebank_of(path), licence, genre)
    for tokens in read_tokens(path, size, counts.skip if lenient else None):
        if counts.read(tokens):
            items, dropped = mine_tokens(tokens, settings, origin)
            counts.dropped += dropped
            yield items


def mine_files(
    paths: Sequence[Path],
    settings: Settings,
    counts: MiningCounts,
    licence: str = "",
    lenient: bool = False,
    show: Progress = no_progress,
    see: Callable[[pa.Table], object] = id,
) -> Iterator[pa.Table]:
    """Yield the items of CoNLL-U files without duplicates (:func:`mine_file`, :func:`unique`)."""
    total, seen = sum(path.stat().st_size for path in paths), SeenHashes()
    strict = settings.preset == "strict"
    once, quota = (SeenHashes(), DocumentQuota()) if strict else (None, None)
    for path in paths:
        show(path.name, counts.bytes, total)
        mined = mine_file(path, settings, counts, licence, lenient)
        for table in unique(mined, counts, seen, once, see, quota):
            show(path.name, counts.bytes, total)
            yield table
    if quota is not None:
        yield from released(quota, counts)


def unique(
    tables: Iterable[pa.Table],
    counts: MiningCounts,
    seen: SeenHashes | None = None,
    once: SeenHashes | None = None,
    see: Callable[[pa.Table], object] = id,
    quota: DocumentQuota | None = None,
) -> Iterator[pa.Table]:
    """Yield tables without the items whose ``id`` was seen before, and count.

    Duplicates are dropped over all files of a language, as the paper's program does; ``seen`` hands
    on what was seen in other calls. With ``once`` (of other calls too) a sentence has one item of a
    relation at most; ``see`` is shown the items before that. With ``quota`` no document has too
    large a share; what waits in it comes with :func:`released`.
    """
    before = SeenHashes() if seen is None else seen
    for table in tables:
        fresh = before.fresh(_numbers(table["id"]))
        counts.duplicates += int((~fresh).sum())
        kept = _chosen(table, fresh)
        see(kept)
        if once is not None:
            first = _once(kept, once)
            counts.repeated += int((~first).sum())
            kept = _chosen(kept, first)
        if quota is None:
            yield counts.count(kept)
        else:
            taken = quota.take(kept)
            counts.crowded += len(kept) - len(taken)
            yield counts.count(taken)
            yield from released(quota, counts, end=False)


def released(quota: DocumentQuota, counts: MiningCounts, end: bool = True) -> Iterator[pa.Table]:
    """Yield the items that had to wait, and count: at the end, or where too many wait."""
    rest = quota.rest(end)
    if rest is not None:
        counts.crowded -= len(rest)
        yield counts.count(rest)


def _chosen(table: pa.Table, rows: Flags) -> pa.Table:
    return table if rows.all() else table.filter(pa.array(rows))


def _once(items: pa.Table, seen: SeenHashes) -> Flags:
    """Return which items are the first of their sentence and relation.

    Of those of a table that with attractors comes first, then that with a noun between the ends,
    then that with the lowest id.
    """
    texts = zip(items["relation"].to_pylist(), items["text"].to_pylist(), strict=True)
    keys = text_hashes(["\t".join(both) for both in texts])
    attractors = pc.list_value_length(items["attractors"]).to_numpy() > 0
    between = items["intervening_noun"].to_numpy()
    order = np.lexsort((_numbers(items["id"]), ~between, ~attractors))
    first = np.zeros(len(items), bool)
    first[order] = seen.fresh(keys[order])
    return first


def _numbers(ids: pa.ChunkedArray) -> Hashes:
    """Read ids, texts of 16 hexadecimal digits, as numbers."""
    text = "".join(ids.to_pylist())
    return np.frombuffer(bytes.fromhex(text), ">u8").astype(np.uint64)


def write_items(tables: Iterable[pa.Table], path: Path) -> None:
    """Write items to ``path``: ``.parquet``, or ``.jsonl`` (one object a line).

    The file appears when it is whole. Raises :class:`InputError` for another ending.
    """
    if path.suffix not in (".parquet", ".jsonl"):
        raise fail("items are written to .parquet or .jsonl files", path)
    with writing(path) as part:
        if path.suffix == ".parquet":
            with pq.ParquetWriter(part, CLOZE, compression="zstd") as writer:
                for table in _gathered(tables):
                    writer.write_table(table, row_group_size=2 * _ROWS)
            return
        with part.open("w", encoding="utf-8") as file:
            for item in (item for table in tables for item in table.to_pylist()):
                file.write(json.dumps(item, ensure_ascii=False) + "\n")


def _gathered(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Join tables until there are enough rows for a row group."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(map(len, waiting)) >= _ROWS:
            yield pa.concat_tables(waiting)
            waiting = []
    yield pa.concat_tables([*waiting, CLOZE.empty_table()])
