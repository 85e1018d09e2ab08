"""Mining: from treebank files to items, chunk by chunk, without duplicates."""

import json
import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solecism.errors import candidates, fail, unknown_error
from solecism.files import writing
from solecism.hashing import Hashes, SeenHashes, text_hashes
from solecism.schema import CLOZE
from solecism.terminal import Progress, no_progress
from solecism.treebank.candidates import AgreeingPairs, find_as_paper
from solecism.treebank.cloze import MASKS, items_of
from solecism.treebank.conllu import Flags, Tokens, files_of, read_tokens
from solecism.treebank.forms import LanguageForms, read_forms
from solecism.treebank.languages import Language, find_language, read_stanza, rules_of
from solecism.treebank.minimal_pairs import PairMaker
from solecism.treebank.profile import Evidence, Profile, language_of, profile_of
from solecism.treebank.relations import RELATIONS
from solecism.treebank.strict import SWITCHES, find_strictly
from solecism.treebank.wrong_forms import WrongForms
from solecism.works.catalogue import known_code, origin_languages

PRESETS = ("paper-program", "paper", "strict")
"""The rules for mining: those of the paper's program, those that the paper describes, and ours."""

ANALOGY = "analogy"
"""What switches off that pairs have forms that no source has."""

UNSURE = "unsure"
"""The filter of items in whose place another form may be right, for a reason that drops pairs."""

SHARE = 0.1
"""The share of a treebank's items of a relation that one document may have; if its largest document
has more of all its items, the share of that one (the sources of Italian-ISDT)."""

FEWEST = 10
"""How many documents a treebank must have for :data:`SHARE` to count, and how many items each of
them may have in any case."""

_WAITING = 1 << 16
_BEGINNING = 10_000
"""How many lines of a file tell whether its nouns have features."""
_CODE = re.compile("[a-z]{2,3}")
_NUMBER = re.compile(r"\d+\D*$")


@dataclass(frozen=True)
class Settings:
    """How to mine.

    ``masks``: which ends are masked, of :data:`solecism.treebank.cloze.MASKS`; ``without``: filters
    of ``strict`` that are switched off; ``forms``: the forms by which ``strict`` tells whether a
    word shows a value (None: every annotated value counts as shown); ``licence`` and ``genre``: of
    the treebank, for the items. Raises :class:`InputError` for an unknown preset, mask or filter.
    """

    language: Language
    preset: str = "strict"
    masks: tuple[str, ...] = MASKS[:1]
    without: frozenset[str] = frozenset()
    forms: LanguageForms | None = None
    licence: str = ""
    genre: str = ""

    def __post_init__(self) -> None:
        for kind, given, known in (
            ("preset", [self.preset], PRESETS),
            ("mask", self.masks, MASKS),
            ("filter", sorted(self.without - {ANALOGY}), SWITCHES),
        ):
            for name in given:
                if name not in known:
                    raise unknown_error(f"there is no {kind}", name, f"{kind}s", known)

    def find(self, tokens: Tokens) -> tuple[AgreeingPairs, Counter[str]]:
        """Return the pairs of a chunk that agree, and how many were dropped, by reason."""
        if self.preset == "strict":
            return find_strictly(tokens, self.language, self.forms, self.without)
        return find_as_paper(tokens, self.language.paper, self.preset == "paper-program")


@dataclass
class MiningCounts:
    """Counts of a run.

    ``relations`` and ``masked`` count the items by relation and by masked end, after duplicates
    were dropped; ``dropped``: pairs of words that made no item, by reason; ``repeated``: items of
    ``strict`` that were left out because their sentence has another item of the relation;
    ``crowded``: those left out because their document has its share of items already; ``misfits``:
    sentences whose comment ``# text`` has other words; ``pairs``: minimal pairs, None if none were
    asked for.
    """

    bytes: int = 0
    sentences: int = 0
    words: int = 0
    duplicates: int = 0
    repeated: int = 0
    crowded: int = 0
    misfits: int = 0
    relations: Counter[str] = field(default_factory=Counter)
    masked: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    pairs: int | None = None

    @property
    def items(self) -> int:
        """The number of items."""
        return self.relations.total()

    def count(self, items: pa.Table) -> pa.Table:
        """Count items, and return them."""
        for name, counter in (("relation", self.relations), ("masked", self.masked)):
            for value in items[name].value_counts().to_pylist():
                counter[value["values"]] += value["counts"]
        return items


@dataclass(frozen=True)
class Mined:
    """What :func:`mine` returns: the items (None if not kept), counts, and the settings.

    ``reason``: why there are no items, or an empty text.
    """

    items: pa.Table | None
    counts: MiningCounts
    settings: Settings
    reason: str = ""

    def facts(self) -> dict[str, object]:
        """Return the counts as plain values for JSON; ``items`` is the total of the relations."""
        counts, language = self.counts, self.settings.language
        names = ("sentences", "words", "duplicates", "repeated", "crowded", "misfits")
        return {
            "language": language.code,
            "preset": self.settings.preset,
            "items": counts.items,
            **{name: counts.relations[name] for name in RELATIONS},
            "masked": {name: counts.masked[name] for name in self.settings.masks},
            **{name: getattr(counts, name) for name in names},
            "dropped": {name: count for name, count in counts.dropped.items() if count},
            "agrees": language.rule_texts(),
            "reason": self.reason,
        }


def mine(
    paths: str | Path | Sequence[str | Path],
    *,
    language: str | None = None,
    preset: str = "strict",
    mask: str | None = None,
    without: Sequence[str] = (),
    licence: str = "",
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
        without: filters of ``strict`` to switch off; ``"analogy"``: no pairs with forms that no
            source has (:mod:`solecism.treebank.analogy`).
        licence: the licence of the treebank, for the items.
        spacy: the name of a spaCy pipeline, or its folder, that parses raw text.
        stanza: a file with a stanza of the language, as ``mine --profile`` writes, in place of
            ``languages.toml`` and of the profile.
        out: a ``.parquet`` or ``.jsonl`` file to write; the items are then not kept in memory.
        pairs: a ``.parquet`` file to write minimal pairs to, whose wrong side has another form of
            the target (``strict`` alone); the feature ``doubt`` says what might save it. See
            :class:`~solecism.treebank.minimal_pairs.PairMaker`.
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
    mask = mask or ("both" if preset == "strict" else "controller")
    masks = MASKS if mask == "both" else (mask,)
    if pairs and (preset != "strict" or "target" not in masks):
        raise fail("pairs are made of items of the preset `strict` whose target is masked")
    with TemporaryDirectory() as folder:
        parsed = _parse(given, spacy, Path(folder), show) if spacy else (files_of(given), "")
        files, of_pipeline = parsed
        code = language or of_pipeline or code_of_files(files)
        if not (stanza or known_code(code)):
            near = candidates("codes", origin_languages(), code)
            way = "name the language with --language, or say what agrees with --stanza"
            raise fail(f"{code!r} is not a code of a language of UD {near}: {way}")
        forms, profile = _read(files, code, show) if preset == "strict" else (None, None)
        if stanza:
            known = read_stanza(Path(stanza), code)
        else:
            known = language_of(code, profile) if profile else find_language(code)
        settings = Settings(known, preset, masks, frozenset(without), forms, licence)
        counts = MiningCounts()
        analogy = ANALOGY not in without
        maker = PairMaker(WrongForms(rules_of(code), forms, analogy)) if forms else None
        tables = mine_files(files, settings, counts, show, maker)
        items = pa.concat_tables([CLOZE.empty_table(), *tables]) if keep and not out else None
        write_items(tables, Path(out) if out else None)
    if maker and pairs:
        made = maker.wide(maker.certain()).table()
        with writing(Path(pairs)) as part:
            pq.write_table(made, part, compression="zstd")
        counts.pairs = len(made)
    found_nothing = profile.reason if profile else ""
    reason = "" if counts.items else found_nothing or "no pair passed the filters"
    return Mined(items, counts, settings, reason)


def _read(files: Sequence[Path], code: str, show: Progress) -> tuple[LanguageForms, Profile]:
    """Return the forms and the profile of a language, from its treebanks."""

    def named() -> Iterator[tuple[str, Path]]:
        for number, path in enumerate(files):
            show(path.name, number, len(files))
            yield treebank_of(path), path

    evidence = Evidence()
    return read_forms(code, named(), evidence.add), profile_of(evidence, code)


def survey(
    paths: Sequence[Path], *, language: str | None = None, progress: Progress | None = None
) -> Profile:
    """Return the profile of the language of CoNLL-U files; raises as :func:`mine` does."""
    files = files_of(paths)
    profile = _read(files, language or code_of_files(files), progress or no_progress)[1]
    return replace(profile, bare=sorted({*map(treebank_of, filter(lacks_features, files))}))


def _parse(
    paths: Sequence[Path], pipeline: str, folder: Path, show: Progress
) -> tuple[list[Path], str]:
    """Parse raw texts into CoNLL-U files in a folder; return these and the pipeline's language."""
    from solecism.treebank.spacy import load_pipeline, paragraphs, parse_texts, texts_of

    texts, parser = texts_of(paths), load_pipeline(pipeline)
    files = [folder / f"{n:05d}" / f"{text.stem}.conllu" for n, text in enumerate(texts)]
    for number, (text, file) in enumerate(zip(texts, files, strict=True)):
        show(f"parsing {text.name}", number, len(texts))
        file.parent.mkdir()
        with file.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(parse_texts(paragraphs(text), parser, text.stem))
        if not file.stat().st_size:
            raise fail("holds no sentence", text)
    return files, parser.lang or ""


def code_of_files(files: Sequence[Path]) -> str:
    """Return the language that names of files begin with, as ``el_gdt-ud-dev.conllu`` does."""
    codes = {file.name.partition("_")[0] for file in files}
    if len(codes) == 1 and _CODE.fullmatch(code := codes.pop()):
        return code
    names = ", ".join(sorted({*codes, *(file.name for file in files)})[:5])
    message = f"the names of the files do not begin with one language code ({names})"
    raise fail(f"{message}: give --language")


def treebank_of(path: Path) -> str:
    """Return a file's treebank: its folder's name if that begins with ``UD_``, else its own."""
    folder = path.resolve().parent.name
    return folder if folder.startswith("UD_") else path.stem


def lacks_features(file: Path) -> bool:
    """Return whether most nouns at the beginning of a CoNLL-U file have no features.

    Little can be mined there but articles (Portuguese-GSD).
    """
    with file.open(encoding="utf-8") as lines:
        rows = [line.split("\t") for line in islice(lines, _BEGINNING)]
    nouns = [row[5] == "_" for row in rows if row[3:4] == ["NOUN"]]
    return 2 * sum(nouns) > len(nouns)


def mine_file(path: Path, settings: Settings, counts: MiningCounts) -> Iterator[pa.Table]:
    """Yield the items of a CoNLL-U file, chunk by chunk, duplicates included.

    Duplicates have the same ``id``. The items depend on the file's text and the settings alone, not
    on the size of the chunks. Raises :class:`InputError` for broken sentences.
    """
    about = {"licence": settings.licence, "genre": settings.genre}
    origin = {"treebank": treebank_of(path), **about}
    for tokens in read_tokens(path):
        if len(tokens):
            counts.bytes += tokens.size
            counts.words += len(tokens)
            counts.sentences += len(tokens.sentences)
            counts.misfits += tokens.sentences.misfits
            found, dropped = settings.find(tokens)
            counts.dropped += dropped
            yield items_of(tokens, found, settings.masks, settings.language, origin, settings.forms)


def mine_files(
    paths: Sequence[Path],
    settings: Settings,
    counts: MiningCounts,
    show: Progress = no_progress,
    maker: PairMaker | None = None,
) -> Iterator[pa.Table]:
    """Yield the items of CoNLL-U files (:func:`mine_file`) without duplicates."""
    total = sum(path.stat().st_size for path in paths)
    fresh = FreshItems(counts, settings.preset == "strict", maker=maker)
    for path in paths:
        show(path.name, counts.bytes, total)
        for table in fresh.of(mine_file(path, settings, counts)):
            show(path.name, counts.bytes, total)
            yield table
    yield from fresh.rest()


@dataclass
class FreshItems:
    """Yields the items that are not left out, and counts them.

    Items whose ``id`` was seen before are left out, over all files of a language, as the paper's
    program does; ``seen``: the hashes that were seen before. The ``maker`` of pairs gets all items
    that are no duplicates.

    With ``strict``, a sentence has at most one item of a relation, and an item goes if its document
    has not yet its share of the items; the others wait, and are yielded by :meth:`rest`.
    """

    counts: MiningCounts
    strict: bool
    seen: SeenHashes = field(default_factory=SeenHashes)
    maker: PairMaker | None = None
    _total: Counter[tuple[str, str]] = field(default_factory=Counter)
    _taken: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    _documents: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _share: dict[str, float] = field(default_factory=dict)
    _waiting: list[pa.Table] = field(default_factory=list)

    def of(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Yield tables without the items that are left out or must wait."""
        for table in tables:
            fresh = self.seen.fresh(_numbers(table["id"]))
            self.counts.duplicates += int((~fresh).sum())
            kept = table.filter(pa.array(fresh))
            if self.maker:
                kept, sure = self.maker.take(kept)
                self.counts.dropped[UNSURE] += int((~sure).sum())
                kept = kept.filter(pa.array(sure))
            if not self.strict:
                yield self.counts.count(kept)
                continue
            first = self._first(kept)
            self.counts.repeated += int((~first).sum())
            items = kept.filter(pa.array(first))
            keys = _keys(items)
            for treebank, document, _ in keys:
                self._documents[treebank][document] += 1
            goes = np.array([self._goes(*key) for key in keys], bool)
            self._waiting.append(items.filter(pa.array(~goes)))
            yield self.counts.count(items.filter(pa.array(goes)))
            if sum(map(len, self._waiting)) > _WAITING:
                yield from self.rest()

    def rest(self) -> Iterator[pa.Table]:
        """Yield the items that had to wait and may go now; the others are left out.

        If a treebank has fewer documents than :data:`FEWEST`, all its items may go. This and the
        share are decided at the end, or as soon as more than 65,536 items wait.
        """
        waiting = pa.concat_tables([CLOZE.empty_table(), *self._waiting])
        self._waiting = []
        for name, known in self._documents.items():
            few = len(known) < FEWEST
            self._share[name] = 1.0 if few else max(SHARE, max(known.values()) / known.total())
        keys = _keys(waiting)
        goes, left = np.zeros(len(keys), bool), list(range(len(keys)))
        while more := [row for row in left if self._goes(*keys[row])]:
            goes[more] = True
            left = [row for row in left if not goes[row]]
        self.counts.crowded += len(left)
        yield self.counts.count(waiting.filter(pa.array(goes)))

    def _goes(self, treebank: str, document: str, relation: str) -> bool:
        """Return whether an item may go; if so, it is counted."""
        total = self._total[treebank, relation] + 1
        taken = self._taken[treebank, document, relation] + 1
        if taken > max(FEWEST, self._share.get(treebank, SHARE) * total):
            return False
        self._total[treebank, relation] = total
        self._taken[treebank, document, relation] = taken
        return True

    def _first(self, items: pa.Table) -> Flags:
        """Return flags of the items that are the first of their sentence and relation.

        Of several in one table, items with attractors come first, then those with a noun between
        the ends, then those with the lowest ids.
        """
        texts = zip(items["relation"].to_pylist(), items["text"].to_pylist(), strict=True)
        keys = text_hashes(["\t".join(both) for both in texts])
        attractors = pc.list_value_length(items["attractors"]).to_numpy() > 0
        between = items["intervening_noun"].to_numpy()
        order = np.lexsort((_numbers(items["id"]), ~between, ~attractors))
        first = np.zeros(len(items), bool)
        first[order] = self.seen.fresh(keys[order])
        return first


def document_of(sent_id: str) -> str:
    """Return the document of a sentence: the part of its ID before the last number.

    >>> document_of("GUM_academic_art-12")
    'GUM_academic_art-'
    """
    return _NUMBER.sub("", sent_id)


def _keys(items: pa.Table) -> list[tuple[str, str, str]]:
    """Return treebank, document and relation of every item."""
    columns = (items[name].to_pylist() for name in ("treebank", "sent_id", "relation"))
    return [(t, document_of(s or ""), relation) for t, s, relation in zip(*columns, strict=True)]


def _numbers(ids: pa.ChunkedArray) -> Hashes:
    """Return ids, which are texts of 16 hexadecimal digits, as numbers."""
    return np.frombuffer(bytes.fromhex("".join(ids.to_pylist())), ">u8").astype(np.uint64)


def write_items(tables: Iterable[pa.Table], path: Path | None, schema: pa.Schema = CLOZE) -> None:
    """Write items to ``path``: ``.parquet``, or ``.jsonl`` (one object a line).

    The file appears when it is whole. Without a path the items are made, but not written. Raises
    :class:`InputError` for another ending.
    """
    if path is None:
        deque(tables, maxlen=0)
        return
    if path.suffix not in (".parquet", ".jsonl"):
        raise fail("items are written to .parquet or .jsonl files", path)
    with writing(path) as part:
        if path.suffix == ".jsonl":
            with part.open("w", encoding="utf-8") as file:
                for item in (item for table in tables for item in table.to_pylist()):
                    file.write(json.dumps(item, ensure_ascii=False) + "\n")
            return
        with pq.ParquetWriter(part, schema, compression="zstd") as writer:
            for table in tables:
                writer.write_table(table)
