"""Cloze items and masked models: all right words against all wrong ones (Bacon and Regier 2019)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.lexicon.features import Feats
from solecism.schema import CLOZE, FEATURES, ItemRow
from solecism.scoring.encoding import exactly
from solecism.scoring.methods import Method, Run
from solecism.scoring.questions import MaskedRow, ScoredTexts, windows
from solecism.scoring.results import MULTI_PIECE, NOT_ALIGNED, TOO_LONG, require, scores_table
from solecism.treebank.cloze import (
    Wanted,
    agrees,
    clashes,
    wanted_of,
    wrong_answers,
)
from solecism.treebank.languages import rules_of
from solecism.treebank.relations import Bundle, third_person

if TYPE_CHECKING:
    from torch import Tensor

    from solecism.scoring.engines.masked import MaskedReader

FEW_FILLERS = "few fillers"
"""Reason: fewer right or wrong fillers than asked for are single tokens of the vocabulary."""
NO_OTHER_FORM = "no other form"
"""Reason (two forms): no wrong form of the answer's lemma is a single token of the vocabulary."""
NO_CANDIDATE = "no candidate"
"""Reason (two forms): no wrong form of the answer's lemma is known (column ``candidates``)."""
_NEEDED = [name for name in CLOZE.names if name not in ("doubt", "candidates")]
"""Items of earlier versions lack these two columns."""

MIN_FILLERS = 10
"""The fewest right and wrong fillers that an item is scored with."""

Fillers = tuple["Tensor", "Tensor"]
"""Token ids of the right and the wrong fillers of an item."""
FormRow = tuple[str, Bundle, str]
"""A form, its features and its lemma."""
Lemma = tuple[str, str]
"""A part of speech and a lemma."""


def score_cloze(
    tables: Iterable[pa.Table],
    forms: pa.Table,
    reader: MaskedReader,
    two_forms: bool = False,
    fewest: int = MIN_FILLERS,
) -> Iterator[pa.Table]:
    """Yield the scores of cloze items: all right fillers against all wrong ones.

    ``forms`` is the inventory of the language (form, upos, feats, source). Method: Bacon and Regier
    2019, Experiment. A filler is right if it agrees with the other end in all of ``agrees_in``,
    wrong if it expresses another value in one of them, all in the item's ``layer``; a noun is third
    person. The softmax is over the whole vocabulary.
    ``logp_*`` are natural logarithms of the means, ``tokens_*`` the numbers of fillers, ``bytes_*``
    and ``chars_*`` the length of the answer; ``UID`` is the relation.

    With ``two_forms`` (method ``cloze:two_forms``, as in Goldberg 2019): the answer against the
    likeliest wrong form of its lemma; ``forms`` needs the column ``lemma``. Skipped: ``few
    fillers``, ``no candidate``, ``no other form``, ``multi-piece``, ``not aligned``, ``too long``.
    Raises :class:`InputError` for missing columns, items whose text does not hold the answer, and
    logits that are not numbers.
    """
    inventory = FormInventory(reader, read_forms(forms))
    if two_forms:
        require(forms, ("lemma",), "forms")
    for table, _ in windows(tables, reader.window):
        require(table, _NEEDED, "cloze items")
        yield _scored(table, inventory, two_forms, fewest)


def _scored(table: pa.Table, inventory: FormInventory, two_forms: bool, fewest: int) -> pa.Table:
    items, reader = table.to_pylist(), inventory.reader
    encoded = reader.encode([item["text"] or "" for item in items])
    scores, asking = ScoredTexts(len(items)), dict[MaskedRow, list[int]]()
    fillers: dict[int, Fillers] = {}
    for number, (item, text) in enumerate(zip(items, encoded, strict=True)):
        start = _start(item)
        span = exactly(text, start, start + len(item["answer"]))
        right, wrong, reason = inventory.fillers_of(item, start, two_forms, fewest)
        if span is None:
            scores.skipped[number] = NOT_ALIGNED
            continue
        ids = (*text.ids[: span.first], reader.mask, *text.ids[span.last :])
        scores.skipped[number] = TOO_LONG if len(ids) > reader.longest else reason or None
        if scores.skipped[number] is None:
            asking.setdefault(MaskedRow(ids, span.first), []).append(number)
            fillers[number] = right, wrong
            answers = item["answer"], item["answer"]
            scores.measure(number, answers, (len(right), len(wrong)))

    def summed(logp: Tensor) -> Tensor:
        """Return one score for the fillers: log P of the likeliest, or the log of the mean P."""
        return logp.amax(1) if two_forms else logp.logsumexp(1) - math.log(logp.shape[1])

    logp = _answers(asking, fillers, reader, table["id"].to_pylist(), summed)
    method = "cloze:two_forms" if two_forms else "cloze"
    return scores_table(
        as_pairs(table, items), method, logp, scores.tokens, scores.texts, scores.skipped
    )


def _start(item: ItemRow) -> int:
    """Return where the answer starts in the text; blanks at the joints may have been cut off."""
    text, answer = item["text"] or "", item["answer"] or ""
    start = len((item["left"] or "").rstrip())
    start += len(text[start:]) - len(text[start:].lstrip())
    ends = text[start + len(answer) :].strip() == (item["right"] or "").strip()
    if not answer or not text.startswith(answer, start) or not ends:
        message = f"item {item['id']!r}: its text is not left + answer + right"
        raise fail(f"{message} (answer {answer!r}, text {text!r})")
    return start


def _answers(
    asking: dict[MaskedRow, list[int]],
    fillers: dict[int, Fillers],
    reader: MaskedReader,
    names: list[str],
    summed: Callable[[Tensor], Tensor],
) -> NDArray[np.float64]:
    """Return the log of what the right and the wrong fillers reach, (2, items).

    ``asking``: the numbers of the items that ask about a row.
    """
    rows, logp = list(asking), np.zeros((2, len(names)))
    for batch in reader.run(rows, lambda row: names[asking[rows[row]][0]]):
        # The numbers of items with the same fillers, and the lines of their logits.
        groups: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
        for line, row in enumerate(batch.rows):
            for owner in asking[rows[row]]:
                owners, lines = groups.setdefault(tuple(map(id, fillers[owner])), ([], []))
                owners.append(owner)
                lines.append(line)
        for owners, lines in groups.values():
            for side, ids in enumerate(fillers[owners[0]]):
                at = ids.new_tensor(lines)[:, None]
                found = batch.logits[at, ids].double() - batch.total[at].double()
                logp[side, owners] = summed(found).cpu().numpy()
    return logp


_OF_ITEMS = {"distractors": pa.int32(), "agrees_in": pa.string()}
"""More columns in the results of cloze items: the number of distractors, and the features that
agree, joined by ``|``."""


def as_pairs(table: pa.Table, items: list[ItemRow]) -> pa.Table:
    """Return cloze items with the columns of pairs; the UID and construction are the relation."""
    columns = {name: table[name] for name in ("id", "language")}
    columns |= {"set_id": table["id"], "UID": table["relation"]}
    columns["linguistics_term"] = pa.array(["agreement"] * len(table), pa.string())
    kind = pa.struct([*FEATURES.items(), *_OF_ITEMS.items()])
    return pa.table({**columns, "features": pa.array(list(map(_described, items)), kind)})


def _described(item: ItemRow) -> dict[str, object]:
    """Return the features of an item in a result."""
    controller = _feats(item["controller"]["feats"], f"item {item['id']!r}")
    return {
        "construction": item["relation"],
        "controller": item["controller"]["lemma"],
        "controller_number": controller.text("Number") or None,
        "controller_gender": controller.text("Gender") or None,
        "controller_person": controller.text("Person") or None,
        "intervenes": bool(item["distractors"]),
        "distance": item["distance"],
        "target": item["target"]["lemma"],
        "distractors": item["distractors"],
        "agrees_in": "|".join(item["agrees_in"] or ()) or None,
    }


@dataclass(frozen=True)
class Setting:
    """The text right before a masked place, which decides what token a form is there.

    ``carrier`` is that text (a word and a blank, one sign, or nothing at the start); ``capital``:
    forms get a capital letter.
    """

    carrier: str
    capital: bool

    @classmethod
    def of(cls, before: str, answer: str) -> Setting:
        """Return the setting after the text ``before`` in the place of ``answer``."""
        if not before.strip():
            return cls("", answer[:1].isupper())
        return cls("x " if before[-1].isspace() else before[-1], capital=False)

    def cased(self, form: str) -> str:
        """Return a form with the capital that it has here."""
        return form[:1].upper() + form[1:] if self.capital else form


def wrong_sentences(table: pa.Table, forms: pa.Table) -> Iterator[tuple[ItemRow, list[str]]]:
    """Yield cloze items with their sentences that have a wrong form of the answer's lemma.

    These are what ``cloze:two_forms`` compares, for models that score whole sentences.
    """
    require(table, _NEEDED, "cloze items")
    require(forms, ("lemma",), "forms")
    by_lemma = forms_by_lemma(read_forms(forms))
    for item in table.to_pylist():
        start, answer = _start(item), item["answer"]
        left, right = item["text"][:start], item["text"][start + len(answer) :]
        own = by_lemma.get((item["upos"], item["lemma"]), [])
        wrong = wrong_answers(item, own, _reader_of(item))
        cased = dict.fromkeys(map(Setting.of(left, answer).cased, wrong))
        yield item, [left + form + right for form in cased]


def forms_by_lemma(rows: Mapping[str, list[FormRow]]) -> Mapping[Lemma, list[tuple[str, Bundle]]]:
    """Return the forms with their features by part of speech and lemma."""
    found: dict[Lemma, list[tuple[str, Bundle]]] = {}
    for upos, own in rows.items():
        for form, feats, lemma in own:
            found.setdefault((upos, lemma), []).append((form, feats))
    return found


def read_forms(forms: pa.Table) -> dict[str, list[FormRow]]:
    """Return forms with features and lemma (empty if the table has none) by part of speech."""
    require(forms, ("form", "upos", "feats"), "forms")
    names = [name for name in ("form", "upos", "feats", "lemma") if name in forms.column_names]
    distinct = forms.select(names).group_by(names, use_threads=False).aggregate([])
    known: dict[str | None, Feats] = {}
    rows: dict[str, list[FormRow]] = {}
    columns = (distinct[name].to_pylist() for name in names)
    for form, upos, feats, *lemma in zip(*columns, strict=True):
        if feats not in known:
            known[feats] = _feats(feats, f"the forms: form {form!r}")
        read = third_person(known[feats]) if upos in ("NOUN", "PROPN") else known[feats]
        rows.setdefault(upos, []).append((form, read, lemma[0] if lemma else ""))
    return rows


@dataclass(eq=False)
class FormInventory:
    """The table ``<language>-forms``, read for one model.

    ``rows``: for each part of speech, forms with features and lemma (empty if the table has none).
    What is asked once is kept.
    """

    reader: MaskedReader
    rows: dict[str, list[FormRow]]
    _tokens: dict[tuple[str, Setting], list[int | None]] = field(default_factory=dict)
    _fillers: dict[tuple[str, str, Wanted, Setting], Fillers] = field(default_factory=dict)

    def fillers_of(
        self, item: ItemRow, start: int, two_forms: bool, fewest: int
    ) -> tuple[Tensor, Tensor, str]:
        """Return the right and the wrong fillers of an item, and why they do not do.

        ``two_forms``: the answer, and the wrong forms of its lemma.
        """
        setting = Setting.of(item["text"][:start], item["answer"])
        if two_forms:
            return self._two_forms(item, setting)
        wanted = wanted_of(item, _reader_of(item))
        right, wrong = self.fillers(item["language"], item["upos"], wanted, setting)
        return right, wrong, FEW_FILLERS if min(len(right), len(wrong)) < fewest else ""

    @cached_property
    def _by_lemma(self) -> Mapping[Lemma, list[tuple[str, Bundle]]]:
        return forms_by_lemma(self.rows)

    def _two_forms(self, item: ItemRow, setting: Setting) -> tuple[Tensor, Tensor, str]:
        own = self._by_lemma.get((item["upos"], item["lemma"]), [])
        forms = wrong_answers(item, own, _reader_of(item))
        (answer,) = self._single([item["answer"]], Setting(setting.carrier, capital=False))
        found = {token for token in self._single(forms, setting) if token is not None} - {answer}
        wrong = self.reader.token_ids(found)
        if answer is None:
            return wrong, wrong, MULTI_PIECE
        none = NO_CANDIDATE if item.get("candidates") == 0 else NO_OTHER_FORM
        return self.reader.token_ids({answer}), wrong, "" if found else none

    def fillers(self, language: str, upos: str, wanted: Wanted, setting: Setting) -> Fillers:
        """Return the token ids (sorted, on the model's device) of right and of wrong fillers.

        Right: a form of the part of speech that expresses all of ``wanted`` with a value in common
        each; wrong: one that expresses another value for some, and is not right by another reading
        or in another spelling.
        """
        key = language, upos, wanted, setting
        if key in self._fillers:
            return self._fillers[key]
        rows = self.rows.get(upos, [])
        if (upos, setting) not in self._tokens:
            self._tokens[upos, setting] = self._single([form for form, _, _ in rows], setting)
        right, wrong, spelt = dict[int, str](), dict[int, str](), rules_of(language).spelt
        for (form, feats, _), token in zip(rows, self._tokens[upos, setting], strict=True):
            if token is not None and agrees(feats, wanted):
                right[token] = spelt(form)
            elif token is not None and clashes(feats, wanted):
                wrong[token] = spelt(form)
        known = set(right.values())
        wrong_ids = {token for token, spelling in wrong.items() if spelling not in known}
        found = self.reader.token_ids(set(right)), self.reader.token_ids(wrong_ids - set(right))
        self._fillers[key] = found
        return found

    def _single(self, forms: Sequence[str], setting: Setting) -> list[int | None]:
        unknown, start = self.reader.loaded.tokenizer.unk_token_id, len(setting.carrier)
        tokens: list[int | None] = []
        for encoded in self.reader.encode(
            [setting.carrier + setting.cased(form) for form in forms]
        ):
            span = exactly(encoded, start, len(encoded.text))
            token = int(encoded.ids[span.first]) if span and len(span) == 1 else None
            tokens.append(None if token == unknown else token)
        return tokens


def _reader_of(item: ItemRow) -> Callable[[str | None], Feats]:
    """Return what reads FEATS of an item, and names it in an error."""
    return lambda text: _feats(text, f"item {item['id']!r}")


def _feats(text: str | None, what: str) -> Feats:
    try:
        return Feats.parse(text or "")
    except ValueError as error:
        raise fail(f"{what}: {error}") from None


def _method(name: str, formula: str, two_forms: bool) -> Method:
    def score(tables: Iterable[pa.Table], run: Run[MaskedReader]) -> Iterator[pa.Table]:
        forms = pa.concat_tables(run.items.forms.tables())
        return score_cloze(tables, forms, run.reader, two_forms)

    return Method(
        name, formula, "cloze", ("masked",), score, usual=not two_forms,
        further=lambda run: {"forms": run.items.forms.digest[:8]},
    )  # fmt: skip


METHODS = (
    _method(
        "cloze", "log of the mean P of all right words, and of all wrong ones, at the mask", False
    ),
    _method(
        "cloze:two_forms", "log P of the answer, and of the likeliest wrong form of its lemma", True
    ),
)
