"""Sentences for models that are run elsewhere, and results made of their files of surprisals.

A file is a table with a row a token, or the output of rnng-pytorch's ``beam_search.py``
(``docs/baselines.md``).
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain
from math import inf, isnan, log, nan
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import regex

from solecism.contrast import differing_words
from solecism.errors import InputError, Problem, candidates, fail
from solecism.files import writing
from solecism.inputs import check, read_text
from solecism.scoring.encoding import OUT_OF_VOCABULARY, Encoded, words_of
from solecism.scoring.items import ItemSet, open_items
from solecism.scoring.methods.cloze import NO_OTHER_FORM, as_pairs, wrong_sentences
from solecism.scoring.methods.region import NO_FIRST, ReadSentence, SentenceReader, score_suites
from solecism.scoring.results import Result, read_result, scores_table, writing_result
from solecism.scoring.summary import Signature, refuse_replacing, summarize_file

_FILE = re.compile(r"surprisals?(?:_output)?[_-](?P<name>.+)\.(?:tsv|txt|csv)")
_SEED = re.compile(r"(?:(?P<model>.*?)[-_.]?(?:trial|seed|run)[-_]?)?(?P<seed>\d+)", re.IGNORECASE)
_PIECE = re.compile(r"^(?:▁|Ġ|##)|(?:@@|</w>)$")
"""What tokenizers put at the beginning or end of a piece of a word."""
_END = re.compile(r"</?s>|<\|?(?:eos|bos|endoftext|end_of_text)\|?>|\[(?:SEP|CLS)\]", re.IGNORECASE)
_UNKNOWN = re.compile(r"<?\[?unk.*", re.IGNORECASE)
"""A token that stands for an unknown word (``<unk>``, ``<unk-ly>``)."""
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
_UNITS = {"bits": 1.0, "nats": 1 / log(2)}
_NONE = ("", "na", "nan")
"""What stands in place of the surprisal of a first token, of which some models give none."""

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’\-][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]")

MAX_PROBLEMS = 20

_Token = tuple[int, str, float, bool]
"""The number of a token, its text, its surprisal in bits, and whether it is an unknown word."""


@dataclass(frozen=True)
class SurprisalColumns:
    """The names of the columns of a table of surprisals, and their ``unit``, bits or nats.

    Without a column ``number`` the tokens of a sentence are in order.
    """

    sentence: str = "sentence_id"
    number: str = "token_id"
    token: str = "token"
    surprisal: str = "surprisal"
    unit: str = "bits"

    @classmethod
    def parse(cls, text: str) -> SurprisalColumns:
        """Read ``sentence=sent,unit=nats``; raise :class:`InputError` for other texts."""
        given = dict(part.partition("=")[::2] for part in text.split(",") if part)
        shape = {field.name: str for field in fields(cls)} | {"unit": tuple(_UNITS)}
        check(asdict(cls()) | given, shape, "--columns", strict=True)
        return cls(**given)


@dataclass(frozen=True)
class SentenceLine:
    """A sentence of a file: its tokens and their surprisals in bits, without marks of its ends.

    The first surprisal is NaN where the file has none. ``unknown``: the places of words that the
    file itself shows as unknown to the model.
    """

    tokens: tuple[str, ...]
    surprisals: tuple[float, ...]
    unknown: frozenset[int] = frozenset()


def read_surprisals(
    path: Path, columns: SurprisalColumns = SurprisalColumns()
) -> list[SentenceLine]:
    """Read the sentences of a file in the order of their numbers; raise with every problem."""
    rows = _rows(path)
    first_row = rows[0] if rows else []
    rnng = len(first_row) in (5, 6) and all(cell.strip().isdigit() for cell in first_row[:2])
    if rnng:
        end = next((n for n, row in enumerate(rows) if row[0].startswith("-----")), len(rows))
        rows, first, unit = rows[:end], 1, _UNITS["nats"]
        names = ["sentence_id", "token_id", "token", "read as", "surprisal"]
        columns = SurprisalColumns()
    else:
        names = [name.strip() for name in first_row]
        wanted = (columns.sentence, columns.token, columns.surprisal)
        missing = [name for name in wanted if name not in names]
        if missing:
            near = candidates("columns", names, missing[0])
            raise fail(f"has no column {', '.join(missing)} {near}", path, 1)
        rows, first, unit = rows[1:], 2, _UNITS[columns.unit]
    problems: list[Problem] = []
    found: dict[int, list[_Token]] = {}
    for line, row in enumerate(rows, first):
        cells = {name: cell.strip() for name, cell in zip(names, row)}  # noqa: B905
        try:
            token, given = cells[columns.token], cells[columns.surprisal].lower()
            bits = nan if given in _NONE else float(given) * unit
            if not token or abs(bits) == inf:
                raise ValueError(row)
            unknown = rnng and _UNKNOWN.fullmatch(cells["read as"]) is not None
            number = int(cells[columns.number] if columns.number in names else line)
            read = (number, _BRACKETS.get(token, token), bits, unknown)
            found.setdefault(int(cells[columns.sentence]), []).append(read)
        except (ValueError, KeyError):
            message = f"not a sentence's number, a token's number, a token and a surprisal: {row}"
            problems.append(Problem(message, str(path), line))
    problems += (Problem(text, str(path)) for text in _gaps(found))
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    return [_line(sorted(found[number])) for number in sorted(found)]


def _gaps(found: Mapping[int, Sequence[_Token]]) -> Iterator[str]:
    """Yield which sentences, tokens and surprisals are missing, or there twice."""
    start = 0 if 0 in found else 1
    missing = set(range(start, start + len(found))) - set(found)
    if missing:
        yield f"the sentences are not numbered from 1: {min(missing)} is missing"
    for sentence, tokens in found.items():
        numbers = sorted(token[0] for token in tokens)
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            yield f"sentence {sentence}: its tokens are not numbered one by one: {numbers}"
        for number, token, bits, _ in tokens:
            if isnan(bits) and number > numbers[0]:
                message = "has no surprisal, which only the first may lack"
                yield f"sentence {sentence}: token {number}, {token!r}, {message}"


def _rows(path: Path) -> list[list[str]]:
    """Return the cells of a table; in one with tabs quotation marks are tokens."""
    file = io.StringIO(read_text(path, "utf-8-sig"), newline="")
    tabs = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    try:
        rows = list(csv.reader(file) if path.suffix == ".csv" else tabs)
    except csv.Error as error:
        raise fail(str(error), path) from None
    while rows and not "".join(rows[-1]).strip():
        rows.pop()
    return rows


def _line(tokens: Sequence[_Token]) -> SentenceLine:
    """Return a sentence without the marks of its ends."""
    inner = [n for n, token in enumerate(tokens) if not _END.fullmatch(token[1])]
    kept = tokens[inner[0] : inner[-1] + 1] if inner else []
    _, texts, bits, unknown = zip(*kept, strict=True) if kept else ((), (), (), ())
    return SentenceLine(texts, bits, frozenset(n for n, mark in enumerate(unknown) if mark))


class SurprisalRun(NamedTuple):
    """The files of a model (or of a seed of it, ``lstm/seed-0``) by suite."""

    model: str
    files: Mapping[str, Path]


def find_runs(folder: Path) -> list[SurprisalRun]:
    """Return the runs below a folder: each folder that holds files called ``surprisals_SUITE.tsv``.

    Also ``.csv``, and ``surprisals_output_SUITE.txt``. A folder called ``trial0``, ``seed-1`` or
    ``2`` is a seed of the model that the folder above is named after; ``lstm_seed0`` is one of
    ``lstm``. Raises :class:`InputError` where there is no such file, or two for one suite.
    """
    found: dict[Path, dict[str, Path]] = {}
    for path in sorted(folder.rglob("*")):  # links to folders are not followed: they may be endless
        match = _FILE.fullmatch(path.name)
        if match:
            files = found.setdefault(path.parent, {})
            if files.setdefault(match["name"], path) is not path:
                raise fail(f"is of the same suite as {files[match['name']].name}", path)
    if not found:
        raise fail("holds no file surprisals_SUITE.tsv", folder)
    runs = []
    for place, files in found.items():
        own = place.relative_to(folder).parts or (folder.resolve().name,)
        model = "/".join(own)
        if match := _SEED.fullmatch(own[-1]):
            above = folder.resolve() if place != folder else folder.resolve().parent
            model = "/".join([*own[:-1], *filter(None, [match["model"]])]) or above.name
            model += f"/seed-{match['seed']}"
        runs.append(SurprisalRun(model, files))
    return runs


def line_reader(lines: Sequence[SentenceLine], path: Path) -> SentenceReader:
    """Return a function that reads the conditions of suite items from a file, in order.

    The tokens are the words of the condition, or pieces of its text. Raises :class:`InputError`
    where the file has another number of sentences, or one that is not that of the condition.
    """
    rest = enumerate(lines, 1)

    def take(text: str, tokens: str) -> ReadSentence:
        number, line = next(rest, (0, None))
        if line is None:
            message = f"ends before the sentence {text!r}: it has {len(lines)} sentences"
            raise fail(f"{message}, the data has more", path)
        words, bits = tokens.split(" "), np.array(line.surprisals)
        pairs = zip(words, line.tokens, strict=False)
        same = (word == token or _UNKNOWN.fullmatch(token) for word, token in pairs)
        if len(words) == len(line.tokens) and all(same):
            return ReadSentence(words_of(words), bits, words=True, unknown=line.unknown)
        encoded = _pieces(text, line.tokens)
        if encoded is None:
            said = f"sentence {number} is {' '.join(line.tokens)!r}"
            raise fail(f"{said}, the data has {tokens!r}", path)
        return ReadSentence(encoded, bits)

    return lambda conditions: [take(each["text"], each["tokens"]) for each in conditions]


def _pieces(text: str, tokens: Sequence[str]) -> Encoded | None:
    """Find pieces of words in a text, in order; return None if they are not its own."""
    offsets, place = [], 0
    for token in tokens:
        piece = _PIECE.sub("", token).replace("▁", " ").strip() or token
        while text[place : place + 1].isspace():
            place += 1
        if not text.startswith(piece, place):
            return None
        offsets.append((place, place + len(piece)))
        place += len(piece)
    return None if text[place:].strip() else Encoded(text, list(range(len(tokens))), offsets)


def score_surprisals(
    data: str,
    folder: str | Path,
    out: str | Path = "results",
    columns: SurprisalColumns = SurprisalColumns(),
) -> list[Result]:
    """Score the items of a config from files of surprisals of their sentences.

    ``folder`` has a file for the config, ``surprisals_CONFIG.tsv``, or one for each of its suites;
    or folders of such files, for several models and seeds. Which sentences these are, and in which
    order: :func:`solecism.scoring.surprisals.sentences_of`. Writes a result for each of them into
    ``out`` and returns them. Raises :class:`InputError` for files that cannot be read or are of
    other sentences.
    """
    items = open_items(data)
    named = items.name, items.version, items.digest, items.config
    method = {"pair": "sentence", "suite": "region", "cloze": "cloze:two_forms"}[items.kind]
    scores = _suites if items.kind == "suite" else _sums
    results = []
    for run in find_runs(Path(folder)):
        lines = _lines(items, run, columns)
        first = not any(isnan(sum(one.surprisals)) for some in lines.values() for one in some)
        signature = sign_run(run, run.files.values(), named, method, first)
        readers = {name: line_reader(some, run.files[name]) for name, some in lines.items()}
        results.append(write_run(Path(out), signature, scores(items, readers)))
    return results


def _lines(
    items: ItemSet, run: SurprisalRun, columns: SurprisalColumns
) -> dict[str, list[SentenceLine]]:
    """Return what the file of a config has, or the file of each of its suites."""
    names = [items.config]
    if items.kind == "suite" and items.config not in run.files:
        names = pa.concat_tables(items.tables(["suite"]))["suite"].unique().to_pylist()
    for name in names:
        if name not in run.files:
            near = candidates("files", list(run.files), name)
            raise fail(f"there is no file surprisals_{name}.tsv {near}")
    return {name: read_surprisals(run.files[name], columns) for name in names}


def _suites(items: ItemSet, readers: Mapping[str, SentenceReader]) -> Iterator[pa.Table]:
    table = pa.concat_tables(items.tables())
    for name, read in readers.items():
        rows = table if name == items.config else table.filter(pc.equal(table["suite"], name))
        yield from score_suites([rows], read)


def _sums(items: ItemSet, readers: Mapping[str, SentenceReader]) -> Iterator[pa.Table]:
    """Compare the sums of pairs, and of cloze items the answer and the likeliest wrong form."""
    read, cloze = readers[items.config], items.kind == "cloze"
    for table in items.tables():
        sums, tokens, texts, skipped = [], [], [], list[str | None]()
        for item in sentences_of(items, [table]):
            found = [one for one in read([each._asdict() for each in item]) if one is not None]
            bits = [float(one.bits.sum()) for one in found]
            first = int(np.isnan(bits).any())
            bits = [float(one.bits[first:].sum()) for one in found]
            sides = (0, min(range(1, len(item)), key=bits.__getitem__, default=0))
            words = [item[n].tokens.split(" ") for n in sides]
            unknown = {
                some[at] for n, some in zip(sides, words, strict=True) for at in found[n].unknown
            }
            critical = unknown.intersection(differing_words(*words))
            reason = OUT_OF_VOCABULARY if critical else None if sides[1] else NO_OTHER_FORM
            unlike = first and len({one.tokens.split(" ")[0] for one in item}) > 1
            skipped.append(NO_FIRST if unlike else reason)
            sums.append([bits[n] for n in sides])
            tokens.append([len(found[n].bits) - first for n in sides])
            texts.append([item[n].text for n in sides])
        described = as_pairs(table, table.to_pylist()) if cloze else table
        method, logp = "cloze:two_forms" if cloze else "sentence", -np.array(sums).T * log(2)
        both = list(zip(*texts, strict=True))
        yield scores_table(described, method, logp, np.array(tokens).T, both, skipped)


def sign_run(
    run: SurprisalRun,
    files: Iterable[Path],
    data: tuple[str, str, str, str],
    method: str = "region",
    first: bool = True,
) -> Signature:
    """Return the signature of figures made of files.

    ``data``: name, version, digest and config; ``first``: whether all first tokens have surprisals.
    """
    digest = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.name):
        digest.update(path.read_bytes())
    revision = f"sha256-{digest.hexdigest()[:12]}"
    options = {"surprisals": "files", **({} if first else {"first": "none"})}
    return Signature(*data, method, run.model, revision, "float64", options)


def write_run(out: Path, signature: Signature, tables: Iterable[pa.Table]) -> Result:
    """Write a result and return it; raise an error if another run's result has the same name."""
    parts = (signature.model, signature.data, signature.config, "surprisals")
    stem = out / "-".join(re.sub(r"[^\w.]+", "_", part) for part in parts)
    refuse_replacing(stem, signature)
    scored = pa.concat_tables(tables)

    def summary(path: Path) -> dict[str, object]:
        return summarize_file(path, signature)

    with writing_result(stem, str(signature), summary) as (done, write):
        write(scored.slice(done))
    return read_result(stem)


class Sentence(NamedTuple):
    """A sentence of an item: ``side`` is ``good``, ``bad``, or the name of a condition.

    ``tokens``: its words and marks with spaces between them.
    """

    id: str
    side: str
    text: str
    tokens: str


def sentences_of(
    items: ItemSet, tables: Iterable[pa.Table] | None = None
) -> Iterator[list[Sentence]]:
    """Yield the sentences of each item (or of those in ``tables``), in order.

    Pairs: ``good``, ``bad``; suites: the conditions; cloze items: ``good`` with the answer, then
    ``bad-1``, ... with each form of its lemma that does not agree (none if there is no such form).
    """
    forms = pa.concat_tables(items.forms.tables()) if items.kind == "cloze" else None
    for table in items.tables() if tables is None else tables:
        if forms is not None:
            for item, wrong in wrong_sentences(table, forms):
                texts = {"good": item["text"]} | {f"bad-{n}": t for n, t in enumerate(wrong, 1)}
                sides = [
                    (side, text, " ".join(_WORD.findall(text))) for side, text in texts.items()
                ]
                yield [Sentence(item["id"], *side) for side in sides]
            continue
        for row in table.to_pylist():
            sides = [
                (side, row[f"sentence_{side}"], row.get(f"tokens_{side}", row[f"sentence_{side}"]))
                for side in ("good", "bad")
            ] if items.kind == "pair" else [
                (each["name"], each["text"], each["tokens"]) for each in row["conditions"]
            ]  # fmt: skip
            yield [Sentence(row["id"], *side) for side in sides]


def write_sentence_lines(items: Iterable[list[Sentence]], path: Path) -> None:
    """Write sentences to a file, for a model that this package cannot run.

    Each line is a tokenised sentence, or, if the name ends in ``.jsonl``, a JSON object with
    ``id``, ``side``, ``text`` and ``tokens`` (a list).
    """
    with writing(path) as part, part.open("w", encoding="utf-8", newline="\n") as out:
        for sentence in chain.from_iterable(items):
            row = {**sentence._asdict(), "tokens": sentence.tokens.split(" ")}
            json_line = path.suffix == ".jsonl"
            out.write(json.dumps(row, ensure_ascii=False) if json_line else sentence.tokens)
            out.write("\n")
