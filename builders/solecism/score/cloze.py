"""Cloze (Bacon and Regier 2019): all right words against all wrong ones at a masked place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from solecism.errors import fail
from solecism.items import CLOZE, FEATURES
from solecism.score.fillers import Inventory, Setting, wanted_features
from solecism.score.masked import MaskedOptions, Questions, Sides, require, slices
from solecism.score.masked_forward import Forward, Output, capacity, open_forward, run_rows
from solecism.score.masked_text import Encoded, encode, find_span
from solecism.score.models import Loaded
from solecism.score.results import scores_table
from solecism.words.features import Feats

__all__ = ["FEW_FILLERS", "MULTI_PIECE", "NOT_ALIGNED", "NO_OTHER_FORM", "TOO_LONG", "score_cloze"]

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
) -> Iterator[pa.Table]:
    """Score cloze items by the mean probability of all right fillers against that of all wrong ones.

    Tables of items (:data:`solecism.items.CLOZE`) in, tables of scores
    (:data:`solecism.score.results.SCORES`) out, in the same order; ``forms``: the inventory of the language
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
    forward = open_forward(loaded)
    for table in slices(tables, options.rows):
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
    read = _likeliest if options.two_forms else _log_mean

    def name(row: int) -> str:
        return names[asking[row][0]]

    for batch in run_rows(forward, questions.rows, name, options.tokens):
        for owners, lines in _groups(batch, asking, fillers):
            both = (fillers[owners[0]].right, fillers[owners[0]].wrong)
            for side, ids in enumerate(both):
                logp[side, owners] = read(_log_probs(batch, lines, ids)).cpu().numpy()
    return logp


def _groups(
    batch: Output, asking: dict[int, list[int]], fillers: dict[int, _Fillers]
) -> list[tuple[list[int], list[int]]]:
    """Items of a batch that have the same fillers: their numbers and the lines of their logits."""
    groups: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
    for line, row in enumerate(batch.rows):
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
