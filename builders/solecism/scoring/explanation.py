"""The surprisal of each token of a pair: what the score of its two sentences is made of."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from solecism.baselines.corpus import UNK
from solecism.baselines.ngram import NgramModel
from solecism.errors import candidates, fail
from solecism.scoring.encoding import Encoded, words_of
from solecism.scoring.items import find_pair
from solecism.scoring.opening import LastLoaded, place_of_model
from solecism.scoring.options import ScoreOptions
from solecism.scoring.questions import Memo, Variant, questions_about

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
    surprisal: float


@dataclass(frozen=True)
class ExplainedPair:
    """A pair under a model.

    ``margin``: by how many bits the bad sentence is more surprising than the good one.
    """

    id: str
    uid: str
    phenomenon: str
    language: str
    data: str
    model: str
    method: str
    good: ExplainedSentence
    bad: ExplainedSentence
    margin: float

    def to_json(self) -> dict[str, object]:
        """Return all that is known of the pair."""
        return asdict(self)


def explain(
    identifier: str,
    model: str,
    data: str | None = None,
    options: ScoreOptions | None = None,
    **changes: Any,
) -> ExplainedPair:
    """Return the surprisal of each token of both sentences of a pair.

    The sums are the scores of :func:`solecism.score` with the same options, in bits.

    Arguments:
        identifier: the id of a pair, or its first characters.
        model: a name on the hub, or the folder of a causal, masked or n-gram model.
        data: a config, as ``clams/he``, or a data set; by default all that are built here or in
            ``$SOLECISM_DATA``.
        options, changes: ``method`` (``sentence`` for causal models, ``pll`` or ``pll:original``
            for masked ones, ``ngram`` for n-gram models), ``revision``, ``dtype``, ``device``,
            ``bos``, ``word_correction`` and ``trust_remote_code``, as of :func:`solecism.score`.

    Raises :class:`InputError` where there is no such pair, model or method.
    """
    spec, row = find_pair(identifier, data)
    given = replace(options or ScoreOptions(), engine="loop", **changes)
    given.check()
    place = place_of_model(model, given.revision)
    kind = place.kind(given)
    if given.word_correction and kind != "causal":
        raise fail(f"word_correction is for causal models, {model!r} is {kind}")
    method = given.method or _METHODS[kind][0]
    if method not in _METHODS[kind]:
        near = candidates("methods", _METHODS[kind], method)
        raise fail(f"method {method!r} gives no surprisals of {kind} models, as {model!r} {near}")
    reader = place.open(kind, given, LastLoaded()).reader
    words = kind == "n-gram" or getattr(reader, "word_level", False)
    texts = (row[f"{'tokens' if words else 'sentence'}_{side}"] for side in ("good", "bad"))
    good, bad = (_sentence(text, *_read(kind, reader, text, method)) for text in texts)
    names = row["id"], row["UID"], row["linguistics_term"], row["language"]
    margin = bad.surprisal - good.surprisal
    return ExplainedPair(*names, spec, model, method, good, bad, margin)


_Read = tuple[Encoded, list[float | None], list[str]]
"""The tokens of a text, the log probability of each, and notes on each."""


def _read(kind: str, reader: Any, text: str, method: str) -> _Read:
    if kind == "n-gram":
        return _by_ngram(reader, text)
    (encoded,) = reader.encode([text])
    ids, first = (encoded.ids, 0) if kind == "masked" else reader.whole(encoded.ids)
    if len(ids) > reader.longest:
        raise fail(
            f"{text[:60]!r} has {len(ids)} tokens, and the model has {reader.longest} positions"
        )
    nothing = [""] * len(encoded.ids)
    if kind == "causal":
        (values,) = reader.log_probs([ids])
        places = range(len(ids) - len(encoded.ids), len(ids))
        return encoded, [None if n < first else float(values[n]) for n in places], nothing
    variant: Variant = "original" if method == "pll:original" else "within_word_l2r"
    questions, memo = [*questions_about(encoded, 0, len(ids), reader.mask, variant)], Memo()
    reader.answer([(0, question) for question in questions], memo, [text])
    logp = map(memo.__getitem__, questions)
    return encoded, [None if special else next(logp) for special in encoded.special], nothing


def _by_ngram(model: NgramModel, text: str) -> _Read:
    texts = pa.array([text], pa.string())
    stream, _ = model.stream(texts)
    words = model.wording.words(texts).to_pylist()[0]
    unknown = (stream[1:-1] == model.words.index(UNK)).tolist()
    notes = ["unknown word" if wrong else "" for wrong in unknown]
    values = model.word_logp(stream)[1:].tolist()
    return words_of([*words, "</s>"]), values, [*notes, "end of sentence"]


def _sentence(
    text: str, encoded: Encoded, known: Sequence[float | None], notes: Sequence[str]
) -> ExplainedSentence:
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
        token, before = encoded.text[start:stop], encoded.text[:start]
        begins = not before or before[-1].isspace() or token[:1].isspace()
        shown = token.strip() or "␣"
        out.append(ExplainedToken(shown, surprisal, len(group), notes[group[0]], begins))
    return ExplainedSentence(text, tuple(out), math.fsum(each.surprisal or 0.0 for each in out))
