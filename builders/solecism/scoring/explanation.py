"""The surprisal of each token of a pair: what the score of its two sentences is made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from solecism.baselines.corpus import UNK
from solecism.baselines.ngram import NgramModel, is_ngram, load_ngram
from solecism.errors import candidates, fail
from solecism.scoring.encoding import Encoded, words_of
from solecism.scoring.lookup import find_pair
from solecism.scoring.questions import AnswerMemo, Questions, ask_words

if TYPE_CHECKING:
    from solecism.scoring.engines.causal import CausalReader
    from solecism.scoring.engines.masked import MaskedReader

__all__ = ["ExplainedPair", "ExplainedSentence", "ExplainedToken", "explain"]

_BITS = 1 / math.log(2)
_METHODS = {"causal": ("sentence",), "masked": ("pll", "pll:original"), "n-gram": ("ngram",)}
"""The methods whose scores are sums over tokens, by kind of model, the usual one first."""


@dataclass(frozen=True)
class ExplainedToken:
    """A token as it stands in a sentence, with its surprisal in bits.

    The surprisal is None where the model gives none (a first token without BOS). ``tokens`` is
    their number where several share a character and are shown as one, ``note`` what is special.
    ``starts_word``: blanks or nothing stand before it.
    """

    text: str
    surprisal: float | None
    tokens: int = 1
    note: str = ""
    starts_word: bool = True


@dataclass(frozen=True)
class ExplainedSentence:
    """A sentence, its tokens, and the sum of their surprisals in bits."""

    text: str
    tokens: tuple[ExplainedToken, ...]

    @property
    def surprisal(self) -> float:
        """The surprisal of the sentence in bits."""
        return math.fsum(token.surprisal or 0.0 for token in self.tokens)


@dataclass(frozen=True)
class ExplainedPair:
    """A pair under a model."""

    id: str
    uid: str
    phenomenon: str
    language: str
    data: str
    model: str
    method: str
    good: ExplainedSentence
    bad: ExplainedSentence

    @property
    def margin(self) -> float:
        """By how many bits the bad sentence is more surprising than the good one."""
        return self.bad.surprisal - self.good.surprisal

    def to_json(self) -> dict[str, Any]:
        """Return all that is known of the pair."""
        sums = {"good": self.good.surprisal, "bad": self.bad.surprisal}
        made = asdict(self) | {"margin": self.margin}
        return made | {side: made[side] | {"surprisal": value} for side, value in sums.items()}


def explain(
    identifier: str,
    model: str,
    data: str | None = None,
    *,
    method: str | None = None,
    revision: str | None = None,
    dtype: str = "float32",
    device: str = "cpu",
    bos: str = "auto",
    trust_remote_code: bool = False,
) -> ExplainedPair:
    """Return the surprisal of each token of both sentences of a pair.

    The sums are the scores of :func:`solecism.score` with the same options, in bits.

    Arguments:
        identifier: the id of a pair, or its first characters.
        model: a name on the hub, or the folder of a causal, masked or n-gram model.
        data: a config, as ``clams/he``, or a data set; by default all that are built here or in
            ``$SOLECISM_DATA``.
        method: ``sentence`` for causal models, ``pll`` or ``pll:original`` for masked ones,
            ``ngram`` for n-gram models.
        revision, dtype, device, bos, trust_remote_code: as of :func:`solecism.score`.

    Raises :class:`InputError` where there is no such pair, model or method.
    """
    pair = find_pair(identifier, data)
    given = (revision, dtype, device, trust_remote_code)
    kind, read = _opened(model, method, bos, *given)
    column = "tokens" if kind in ("ngram", "words") else "sentence"
    chosen = {"words": "sentence"}.get(kind, kind)
    good, bad = (
        ExplainedSentence(text, _tokens(*read(text)))
        for text in (pair.row[f"{column}_good"], pair.row[f"{column}_bad"])
    )
    row = pair.row
    return ExplainedPair(
        row["id"], row["UID"], row["linguistics_term"], row["language"], pair.spec, model, chosen,
        good, bad,
    )  # fmt: skip


Values = list[float | None]
Read = Callable[[str], tuple[Encoded, Values, list[str]]]
"""A function that returns the tokens of a text, the log probability of each, and notes on each."""


def _opened(
    model: str,
    method: str | None,
    bos: str,
    revision: str | None,
    dtype: str,
    device: str,
    trust: bool,
) -> tuple[str, Read]:
    """Return the method, and what reads texts; ``words``: a causal model that reads words."""
    if is_ngram(model):
        ngram = load_ngram(model)
        return _method(method, "n-gram", model), lambda text: _by_ngram(ngram, text)
    from solecism.scoring.models import kind_of, load_model

    kind = kind_of(model, revision, trust)
    chosen = _method(method, kind, model)
    loaded = load_model(
        model, kind, revision=revision, dtype=dtype, device=device, trust_remote_code=trust
    )
    if kind == "masked":
        from solecism.scoring.engines.masked import open_masked

        masked = open_masked(loaded)
        return chosen, lambda text: _by_masked(masked, text, chosen)
    from solecism.scoring.engines.causal import CausalReader

    reader = CausalReader(loaded, bos=bos, engine="loop")
    return "words" if reader.word_level else chosen, lambda text: _by_causal(reader, text)


def _method(method: str | None, kind: str, model: str) -> str:
    names = _METHODS[kind]
    if method is not None and method not in names:
        near = candidates("methods", names, method)
        raise fail(f"method {method!r} gives no surprisals of {kind} models, as {model!r} {near}")
    return method or names[0]


def _by_causal(reader: CausalReader, text: str) -> tuple[Encoded, Values, list[str]]:
    (encoded,) = reader.encode([text])
    ids, first = reader.whole(encoded.ids)
    _refuse_long(text, len(ids), reader.longest)
    (values,) = reader.log_probs([ids])
    shift = len(ids) - len(encoded.ids)
    places = range(shift, len(ids))
    known = [None if place < first else float(values[place]) for place in places]
    return encoded, known, [""] * len(known)


def _by_masked(reader: MaskedReader, text: str, method: str) -> tuple[Encoded, Values, list[str]]:
    variant: Literal["original", "within_word_l2r"] = (
        "original" if method == "pll:original" else "within_word_l2r"
    )
    (encoded,) = reader.encode([text])
    _refuse_long(text, len(encoded.ids), reader.longest)
    questions = Questions(0)
    ask_words(questions, 0, encoded, 0, len(encoded.ids), reader.mask, variant)
    questions.count = len(questions.owners)
    questions.owners = list(range(questions.count))  # each token for itself
    logp = iter(reader.answer(questions, AnswerMemo(), [text] * questions.count).tolist())
    known = [None if special else next(logp) for special in encoded.special]
    return encoded, known, [""] * len(known)


def _by_ngram(model: NgramModel, text: str) -> tuple[Encoded, Values, list[str]]:
    texts = pa.array([text], pa.string())
    stream, _ = model.stream(texts)
    words = model.wording.words(texts).to_pylist()[0]
    unknown = (stream[1:-1] == model.words.index(UNK)).tolist()
    notes = ["unknown word" if wrong else "" for wrong in unknown]
    values = model.word_logp(stream)[1:].tolist()
    return words_of([*words, "</s>"]), values, [*notes, "end of sentence"]


def _refuse_long(text: str, tokens: int, most: int) -> None:
    if tokens > most:
        raise fail(f"{text[:60]!r} has {tokens} tokens, and the model has {most} positions")


def _tokens(
    encoded: Encoded, known: Sequence[float | None], notes: Sequence[str]
) -> tuple[ExplainedToken, ...]:
    """Return the tokens of a text without those that the tokenizer added.

    Tokens that share a character (bytes of it) become one.
    """
    added = encoded.special or [0] * len(encoded.ids)
    groups: list[list[int]] = []
    for place in (n for n, special in enumerate(added) if not special):
        if groups and encoded.offsets[place][0] < encoded.offsets[groups[-1][-1]][1]:
            groups[-1].append(place)
        else:
            groups.append([place])
    out = []
    for group in groups:
        start, stop = encoded.offsets[group[0]][0], encoded.offsets[group[-1]][1]
        found = [value for n in group if (value := known[n]) is not None]
        surprisal = -math.fsum(found) * _BITS if found else None
        text, before = encoded.text[start:stop], encoded.text[:start]
        begins = not before or before[-1].isspace() or text[:1].isspace()
        shown = text.strip() or "␣"
        out.append(ExplainedToken(shown, surprisal, len(group), notes[group[0]], begins))
    return tuple(out)
