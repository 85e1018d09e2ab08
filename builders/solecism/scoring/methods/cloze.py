"""Method ``cloze`` (Bacon and Regier 2019): all right words against all wrong ones at a masked place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from solecism.errors import fail
from solecism.lexicon.features import Feats
from solecism.schema import CLOZE, FEATURES
from solecism.scoring.encoding_masked import Encoded, encode, find_span
from solecism.scoring.engines.masked import (
    Forward,
    MaskedOptions,
    Output,
    Questions,
    Sides,
    capacity,
    chapters,
    open_forward,
    require,
    run_rows,
)
from solecism.scoring.models import Loaded
from solecism.scoring.results import Journal, scores_table

__all__ = [
    "FEW_FILLERS",
    "MULTI_PIECE",
    "NOT_ALIGNED",
    "NO_OTHER_FORM",
    "TOO_LONG",
    "Inventory",
    "Setting",
    "Wanted",
    "score_cloze",
    "wanted_features",
]


FEW_FILLERS = "few fillers"
"""Reason: fewer right or wrong fillers than asked for are single tokens of the vocabulary."""
NO_OTHER_FORM = "no other form"
"""Reason (two forms): no wrong form of the answer's lemma is a single token of the vocabulary."""
MULTI_PIECE = "multi-piece"
"""Reason (two forms): the answer is not a single token."""
NOT_ALIGNED = "not aligned"
"""Reason: a token reaches beyond the masked word."""
TOO_LONG = "too long"
"""Reason: the model has fewer positions than the sentence has tokens."""

Item = dict[str, Any]


@dataclass(frozen=True)
class _Fillers:
    """Token ids of the right and the wrong fillers of an item, both empty where it is skipped."""

    right: Tensor
    wrong: Tensor
    reason: str = ""


def score_cloze(
    tables: Iterable[pa.Table],
    forms: pa.Table,
    loaded: Loaded,
    options: MaskedOptions | None = None,
    journal: Journal | None = None,
) -> Iterator[pa.Table]:
    """Score cloze items by the mean probability of all right fillers against that of all wrong ones.

    Tables of items (:data:`solecism.schema.CLOZE`) in, tables of scores
    (:data:`solecism.scoring.results.SCORES`) out, in the same order; ``forms``: the inventory of the language
    (form, upos, feats, source). Method: Bacon and Regier 2019, Experiment; a filler is right if it agrees
    with the other end in all of ``agrees_in``, wrong if it expresses another value in one of them. Softmax
    is over the whole vocabulary. ``logp_*`` are natural logarithms of the means, ``tokens_*`` the numbers
    of fillers, ``bytes_*`` the answer's length. ``UID`` is the relation.

    With ``two_forms`` (method ``cloze:two_forms``, as in Goldberg 2019): the answer against the likeliest
    wrong form of its lemma; ``forms`` needs the column ``lemma``. Skipped: ``few fillers``,
    ``no other form``, ``multi-piece``, ``not aligned``, ``too long``. Raises :class:`InputError` for
    missing columns, items whose text does not hold the answer, and logits that are not numbers.
    """
    options = options or MaskedOptions()
    inventory = Inventory.read(forms, loaded)
    if options.two_forms and not inventory.lemmas:
        require(forms, ("lemma",), "forms")
    forward = replace(open_forward(loaded), journal=journal or Journal())
    for table, _ in chapters(tables, options.rows, forward.journal):
        require(table, CLOZE.names, "cloze items")
        yield _score(table, inventory, forward, options)


def _score(
    table: pa.Table, inventory: Inventory, forward: Forward, options: MaskedOptions
) -> pa.Table:
    items = table.to_pylist()
    starts = [_start(item) for item in items]
    texts = list(dict.fromkeys(item["text"] for item in items))
    encoded = dict(zip(texts, encode(inventory.loaded, texts), strict=True))
    sides, questions = Sides.of(len(items)), Questions(len(items))
    fillers: dict[int, _Fillers] = {}
    longest, mask = capacity(inventory.loaded), inventory.loaded.tokenizer.mask_token_id
    for number, (item, start) in enumerate(zip(items, starts, strict=True)):
        frame = _frame(encoded[item["text"]], start, start + len(item["answer"]), mask, longest)
        found = _fillers(item, start, inventory, options)
        reason = frame if isinstance(frame, str) else found.reason
        sides.skipped[number] = reason or None
        if not reason and not isinstance(frame, str):
            questions.ask(number, *frame, 0)
            fillers[number] = found
            sides.tokens[:, number] = len(found.right), len(found.wrong)
            sides.size[:, number] = len(item["answer"].encode())
    logp = _answers(questions, fillers, forward, table["id"].to_pylist(), options)
    method = "cloze:two_forms" if options.two_forms else "cloze"
    return scores_table(_as_pairs(table, items), method, **sides.columns(logp))


def _start(item: Item) -> int:
    """Where the answer stands in the text; blanks at the joints may have been cut off."""
    text, answer = item["text"] or "", item["answer"] or ""
    start = len((item["left"] or "").rstrip())
    start += len(text[start:]) - len(text[start:].lstrip())
    ends = text[start + len(answer) :].strip() == (item["right"] or "").strip()
    if not answer or not text.startswith(answer, start) or not ends:
        message = f"item {item['id']!r}: its text is not left + answer + right"
        raise fail(f"{message} (answer {answer!r}, text {text!r})")
    return start


def _frame(
    encoded: Encoded, start: int, end: int, mask: int, longest: int
) -> tuple[np.ndarray[Any, np.dtype[np.int32]], int] | str:
    """The sentence with one mask for the answer, and its position; or why there is none."""
    span = find_span(encoded, start, end)
    if span is None or not span.aligned:
        return NOT_ALIGNED
    parts = (encoded.ids[: span.start], [mask], encoded.ids[span.stop :])
    ids = np.concatenate(parts).astype(np.int32)
    return TOO_LONG if len(ids) > longest else (ids, span.start)


def _fillers(item: Item, start: int, inventory: Inventory, options: MaskedOptions) -> _Fillers:
    other = item["target" if item["masked"] == "controller" else "controller"]
    wanted = wanted_features(_feats(item, other["feats"]), item["agrees_in"] or ())
    setting = Setting.of(item["text"][:start], item["answer"])
    if not options.two_forms:
        right, wrong = inventory.sets(item["upos"], wanted, setting)
        few = min(len(right), len(wrong)) < options.fewest
        return _Fillers(right, wrong, FEW_FILLERS if few else "")
    _, wrong = inventory.sets(item["upos"], wanted, setting, item["lemma"])
    answer = inventory.token(item["answer"], Setting(setting.carrier, capital=False))
    right = wrong.new_tensor([] if answer is None else [answer])
    wrong = wrong[wrong != (-1 if answer is None else answer)]
    reason = MULTI_PIECE if answer is None else "" if len(wrong) else NO_OTHER_FORM
    return _Fillers(right, wrong, reason)


def _feats(item: Item, text: str | None) -> Feats:
    try:
        return Feats.parse(text or "")
    except ValueError as error:
        raise fail(f"item {item['id']!r}: {error}") from None


def _answers(
    questions: Questions,
    fillers: dict[int, _Fillers],
    forward: Forward,
    names: list[str],
    options: MaskedOptions,
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Log of what the right and the wrong fillers reach: 2 x items."""
    asking: dict[int, list[int]] = {}
    for place, owner in zip(questions.places, questions.owners, strict=True):
        asking.setdefault(place, []).append(owner)
    logp = np.zeros((2, questions.count))
    summed = _likeliest if options.two_forms else _log_mean

    def name(row: int) -> str:
        return names[asking[row][0]]

    def read(batch: Output) -> np.ndarray[Any, np.dtype[np.float64]]:
        parts = []
        for owners, lines in _groups(batch.rows, asking, fillers):
            both = (fillers[owners[0]].right, fillers[owners[0]].wrong)
            parts += [summed(_log_probs(batch, lines, ids)).cpu().numpy() for ids in both]
        return np.concatenate(parts)

    for rows, found in run_rows(forward, questions.rows, name, read, options.tokens):
        start = 0
        for owners, _ in _groups(rows, asking, fillers):
            logp[:, owners] = found[start : start + 2 * len(owners)].reshape(2, -1)
            start += 2 * len(owners)
    return logp


def _groups(
    rows: list[int], asking: dict[int, list[int]], fillers: dict[int, _Fillers]
) -> list[tuple[list[int], list[int]]]:
    """Items of a batch that have the same fillers: their numbers and the lines of their logits."""
    groups: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
    for line, row in enumerate(rows):
        for owner in asking[row]:
            key = (id(fillers[owner].right), id(fillers[owner].wrong))
            owners, lines = groups.setdefault(key, ([], []))
            owners.append(owner)
            lines.append(line)
    return list(groups.values())


def _log_probs(batch: Output, lines: list[int], ids: Tensor) -> Tensor:
    """Log P of the tokens ``ids`` in some lines: lines x tokens, float64."""
    place = torch.tensor(lines, device=ids.device)[:, None]
    return batch.logits[place, ids].double() - batch.total[place].double()


def _log_mean(logp: Tensor) -> Tensor:
    return logp.logsumexp(1) - math.log(logp.shape[1])


def _likeliest(logp: Tensor) -> Tensor:
    return logp.amax(1)


def _as_pairs(table: pa.Table, items: list[Item]) -> pa.Table:
    """What the rows of a result are described by: the relation is paradigm and construction."""
    columns = {name: table[name] for name in ("id", "language")}
    columns |= {"set_id": table["id"], "UID": table["relation"]}
    columns["linguistics_term"] = pa.array(["agreement"] * len(table), pa.string())
    kind = pa.struct(list(FEATURES.items()))
    return pa.table({**columns, "features": pa.array([_described(i) for i in items], kind)})


def _described(item: Item) -> Item:
    controller = _feats(item, item["controller"]["feats"])
    return {
        "construction": item["relation"],
        "controller": item["controller"]["lemma"],
        "controller_number": controller.text("Number") or None,
        "controller_gender": controller.text("Gender") or None,
        "controller_person": controller.text("Person") or None,
        "intervenes": bool(item["distractors"]),
        "distance": item["distance"],
        "target": item["target"]["lemma"],
    }


Wanted = tuple[tuple[str, frozenset[str]], ...]
"""Features and the values that agree."""


@dataclass(frozen=True)
class Setting:
    """What stands right before a masked place decides which token a form is: ``carrier`` is that text
    (a word and a blank, one sign, or nothing at the start); ``capital``: forms get a capital letter."""

    carrier: str
    capital: bool

    @classmethod
    def of(cls, before: str, answer: str) -> Setting:
        """The setting after the text ``before`` in the place of ``answer``."""
        if not before.strip():
            return cls("", answer[:1].isupper())
        return cls("x " if before[-1].isspace() else before[-1], capital=False)

    def text(self, form: str) -> str:
        """The text that shows which token the form is here."""
        return self.carrier + (form[:1].upper() + form[1:] if self.capital else form)


def wanted_features(feats: Feats, names: Iterable[str]) -> Wanted:
    """What a form must express to agree with ``feats`` in ``names`` (those that it has)."""
    return tuple((name, feats[name]) for name in sorted(names) if name in feats)


@dataclass(eq=False)
class Inventory:
    """The table ``<lang>-forms`` read for one model.

    ``rows``: for each part of speech, forms with features and lemma (empty if the table has none). What is
    asked once is kept.
    """

    loaded: Loaded
    rows: dict[str, list[tuple[str, Feats, str]]]
    lemmas: bool
    _tokens: dict[tuple[str, Setting], list[int]] = field(default_factory=dict)
    _sets: dict[tuple[str, Wanted, Setting, str], tuple[Tensor, Tensor]] = field(
        default_factory=dict
    )

    @classmethod
    def read(cls, forms: pa.Table, loaded: Loaded) -> Inventory:
        """Read ``form``, ``upos``, ``feats`` and, if there, ``lemma``.

        Raises :class:`InputError` for missing columns and features that are not spelt as UD spells them.
        """
        require(forms, ("form", "upos", "feats"), "forms")
        lemmas = "lemma" in forms.column_names
        names = ("form", "upos", "feats", *(("lemma",) if lemmas else ()))
        distinct = forms.select(names).group_by(list(names), use_threads=False).aggregate([])
        known: dict[str, Feats] = {}
        rows: dict[str, list[tuple[str, Feats, str]]] = {}
        for form, upos, feats, *lemma in zip(
            *(distinct[n].to_pylist() for n in names), strict=True
        ):
            text = feats or ""
            if text not in known:
                known[text] = _parse(text, form)
            rows.setdefault(upos, []).append((form, known[text], lemma[0] if lemma else ""))
        return cls(loaded, rows, lemmas)

    def token(self, form: str, setting: Setting) -> int | None:
        """The token that a form is in a setting; ``None`` where it is several or unknown."""
        return next(iter(self._single([form], setting)))

    def sets(
        self, upos: str, wanted: Wanted, setting: Setting, lemma: str = ""
    ) -> tuple[Tensor, Tensor]:
        """Token ids (int64, sorted, on the model's device) of right and wrong fillers.

        Right: a form of the part of speech that expresses all of ``wanted`` with a value in common each;
        wrong: one that expresses another value for some, and is not right by another reading. ``lemma``:
        only forms of that lemma.
        """
        key = (upos, wanted, setting, lemma)
        if key not in self._sets:
            self._sets[key] = self._split(*key)
        return self._sets[key]

    def _split(
        self, upos: str, wanted: Wanted, setting: Setting, lemma: str
    ) -> tuple[Tensor, Tensor]:
        rows = self.rows.get(upos, [])
        right, wrong = set(), set()
        for (_, feats, of), token in zip(rows, self._vocabulary(upos, setting), strict=True):
            if token < 0 or (lemma and of != lemma):
                continue
            if all(name in feats and values & feats[name] for name, values in wanted):
                right.add(token)
            elif any(name in feats and not values & feats[name] for name, values in wanted):
                wrong.add(token)
        return self._ids(right), self._ids(wrong - right)

    def _ids(self, tokens: set[int]) -> Tensor:
        return torch.tensor(sorted(tokens), dtype=torch.int64, device=self.loaded.device)

    def _vocabulary(self, upos: str, setting: Setting) -> list[int]:
        """The token of each row of a part of speech, -1 where it is not one."""
        key = (upos, setting)
        if key not in self._tokens:
            forms = [form for form, _, _ in self.rows.get(upos, [])]
            found = self._single(forms, setting)
            self._tokens[key] = [-1 if token is None else token for token in found]
        return self._tokens[key]

    def _single(self, forms: Sequence[str], setting: Setting) -> list[int | None]:
        texts = [setting.text(form) for form in forms]
        unknown, start = self.loaded.tokenizer.unk_token_id, len(setting.carrier)
        tokens: list[int | None] = []
        for encoded in encode(self.loaded, texts):
            span = find_span(encoded, start, len(encoded.text))
            single = span is not None and span.aligned and len(span) == 1
            token = int(encoded.ids[span.start]) if span and single else None
            tokens.append(None if token == unknown else token)
        return tokens


def _parse(text: str, form: str) -> Feats:
    try:
        return Feats.parse(text)
    except ValueError as error:
        raise fail(f"the forms: form {form!r}: {error}") from None
