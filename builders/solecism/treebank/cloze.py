"""Cloze items of pairs that agree: the columns of :data:`solecism.schema.CLOZE`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.hashing import Hashes, combine, hex_ids, mix, text_hashes
from solecism.schema import CLOZE
from solecism.treebank.conllu import PADDING, Coded, Flags, Ints, Spans, Surface, Tokens
from solecism.treebank.feature_bits import AGREEMENT, Bits, bundle
from solecism.treebank.forms import Morphology
from solecism.treebank.languages import Language
from solecism.treebank.relations import RELATIONS, AgreeingPairs, WordPairs

__all__ = ["MASKS", "ItemOrigin", "items_of", "texts_of"]

MASKS = ("controller", "target")
"""Which end of a pair is masked: the paper's choice, and its stated future work."""


@dataclass(frozen=True)
class ItemOrigin:
    """Where items come from: what is said of the treebank in each of them."""

    treebank: str
    licence: str = ""
    genre: str = ""


_MASK = text_hashes(["[MASK]"])[0]


def items_of(
    tokens: Tokens,
    found: AgreeingPairs,
    masks: tuple[str, ...],
    language: Language,
    origin: ItemOrigin,
    forms: Morphology | None = None,
) -> pa.Table:
    """Return the items of a chunk, in the order of the pairs; a pair's controller is masked first.

    ``id`` is made of language, relation, which end is masked, and the masked sentence: duplicates
    in the paper's sense have the same id. ``forms`` tell how frequent what is masked is.
    """
    chosen = found.kept.T & np.array([mask in masks for mask in MASKS])
    pair, masked = np.nonzero(chosen)
    pairs = found.pairs[pair]
    word = np.where(masked == 1, pairs.target, pairs.controller)
    wanted = np.zeros(len(tokens.sentences), bool)
    wanted[tokens.sentence[word]] = True
    text, token = texts_of(tokens, wanted)
    text, token = text[tokens.sentence[word]], token[tokens.written[word]]
    shared = found.shared[:, pair]
    near = _neighbours(tokens, pairs, shared, found.bits)
    features = tokens.feats
    columns = {
        "id": hex_ids(_ids(tokens, pairs.relation, word, masked, language.code)),
        "language": _constant(language.code, len(pair)),
        "treebank": _constant(origin.treebank, len(pair)),
        "sent_id": tokens.sentences.sent_id[tokens.sentence[word]].arrow(),
        "text": text.arrow(),
        "left": Spans(text.data, text.starts, token.starts).arrow(),
        "right": Spans(text.data, token.ends, text.ends).arrow(),
        "answer": token.arrow(),
        "lemma": tokens.lemma[word].arrow(),
        "upos": tokens.upos[word].arrow(),
        "feats": features[word].arrow(),
        "relation": Coded(pairs.relation, RELATIONS).arrow(),
        "masked": Coded(masked, MASKS).arrow(),
        "controller": _end(tokens, pairs.controller),
        "target": _end(tokens, pairs.target),
        "agrees_in": _lists(shared.T, AGREEMENT),
        "decides": _lists(found.decides[masked, :, pair], AGREEMENT),
        "layer": Coded(found.layer[pair], found.layers).arrow(),
        "distance": np.abs(pairs.target - pairs.controller).astype(np.int32),
        "distractors": near.distractors,
        "intervening_noun": near.intervening,
        "attractors": near.attractors,
        "cues": _lists(_cues(found.pairs, found.shared)[pair], RELATIONS),
        "pron_type": _value(features, "PronType")[pairs.controller].arrow(),
        "polite": _polite(tokens, language.polite)[pairs.controller],
        "multiword": tokens.multiword[word],
        "length": np.bincount(tokens.sentence)[tokens.sentence[word]].astype(np.int32),
        "depth": _depths(tokens)[tokens.sentence[word]].astype(np.int32),
        "frequency": _frequencies(token, forms),
        "genre": _constant(origin.genre, len(pair)),
        "licence": _constant(origin.licence, len(pair)),
    }
    return pa.table(
        [pa.array(columns[name], CLOZE.field(name).type) for name in CLOZE.names], CLOZE
    )


def _depths(tokens: Tokens) -> Ints:
    """Return the depth of the tree of each sentence: 0 for a root without dependents."""
    depth = np.zeros(len(tokens), np.int64)
    above, deep = tokens.head, tokens.head >= 0
    while deep.any() and depth.max() < len(tokens):
        depth[deep] += 1
        above = np.where(deep, tokens.head[above], -1)
        deep = above >= 0
    out = np.zeros(len(tokens.sentences), np.int64)
    np.maximum.at(out, tokens.sentence, depth)
    return out


def _frequencies(answers: Spans, forms: Morphology | None) -> pa.Int32Array:
    if forms is None:
        return pa.nulls(len(answers), pa.int32())
    return pa.array(map(forms.frequency, answers.texts()), pa.int32())


def texts_of(tokens: Tokens, wanted: Flags) -> tuple[Spans, Spans]:
    """Return the texts of sentences, and the place of every written token in that of its sentence.

    The text is that of the comment ``# text`` where the tokens are found in it, in order, with
    nothing but blanks between them; else it is put together from the tokens and ``SpaceAfter=No``.
    Sentences that are not ``wanted`` have places without meaning.
    """
    surface, sentences = tokens.surface, tokens.sentences
    step = surface.form.sizes + surface.spaced
    end = np.cumsum(step)
    first = np.flatnonzero(np.diff(surface.sentence, prepend=-1))
    last = np.append(first[1:], len(step)) - 1
    offset = end - step - (end - step)[first][surface.sentence]
    size = offset[last] + surface.form.sizes[last]
    start = sentences.text.starts[surface.sentence] + offset
    token = Spans(surface.form.data, start, start + surface.form.sizes)
    fits = wanted & (sentences.text.sizes == size)
    fits[surface.sentence[_misplaced(surface, token, fits)]] = False
    rest = np.flatnonzero(wanted & ~fits)
    return _repair(surface, sentences.text, token, rest, first, last + 1)


def _misplaced(surface: Surface, token: Spans, fits: Flags) -> Ints:
    """Return the tokens, of the sentences that fit in size, that do not stand where they should."""
    rows: Ints = np.flatnonzero(fits[surface.sentence])
    wrong: Flags = surface.form[rows].hashes() != token[rows].hashes()
    return rows[wrong]


def _repair(
    surface: Surface, text: Spans, token: Spans, rest: Ints, first: Ints, end: Ints
) -> tuple[Spans, Spans]:
    """Align, or put together, the ``rest`` of the sentences, behind the bytes of the chunk."""
    added = bytearray()
    base = len(text.data)
    starts, ends, at = text.starts.copy(), text.ends.copy(), token.starts.copy()
    for sentence in rest.tolist():
        rows = slice(first[sentence], end[sentence])
        forms = surface.form[rows].raw()
        given = text.data[starts[sentence] : ends[sentence]]
        whole, places = _align(given, forms) or _join(forms, surface.spaced[rows].tolist())
        starts[sentence] = base + len(added)
        ends[sentence] = starts[sentence] + len(whole)
        at[rows] = starts[sentence] + np.array(places)
        added += whole
    data = text.data + bytes(added) + PADDING if added else text.data
    return Spans(data, starts, ends), Spans(data, at, at + surface.form.sizes)


def _align(text: bytes, forms: list[bytes]) -> tuple[bytes, list[int]] | None:
    """Find the tokens in a text, with nothing but blanks between them."""
    places, at = [], 0
    for form in forms:
        place = text.find(form, at)
        if place < 0 or text[at:place].decode().strip():
            return None
        places.append(place)
        at = place + len(form)
    return None if text[at:].decode().strip() else (text, places)


def _join(forms: list[bytes], spaced: list[bool]) -> tuple[bytes, list[int]]:
    """Put a text together from its tokens."""
    places, out = [], bytearray()
    for form, blank in zip(forms, spaced, strict=True):
        places.append(len(out))
        out += form + b" " * blank
    return bytes(out).rstrip(b" "), places


def _ids(tokens: Tokens, relation: Ints, word: Ints, masked: Ints, language: str) -> Hashes:
    """Hash the masked sentences: a sum over tokens and places, in which one term is exchanged."""
    surface, token = tokens.surface, tokens.written[word]
    first = np.flatnonzero(np.diff(surface.sentence, prepend=-1))
    place = mix((np.arange(len(surface.sentence)) - first[surface.sentence]).astype(np.uint64))
    terms = mix(surface.form.hashes() ^ place)
    total = np.add.reduceat(terms, first) if len(first) else terms
    changed = total[tokens.sentence[word]] - terms[token] + mix(place[token] ^ _MASK)
    names = text_hashes([language, *RELATIONS, *MASKS])
    kinds = names[1 : 1 + len(RELATIONS)][relation], names[1 + len(RELATIONS) :][masked]
    return combine(names[0], (*kinds, changed))


def _end(tokens: Tokens, rows: Ints) -> pa.StructArray:
    """One end of a pair; ``index`` is its ID."""
    fields = CLOZE.field("controller").type
    index = tokens.number[rows].astype(np.int32)
    texts = (tokens.form, tokens.lemma, tokens.feats)
    columns = [*(column[rows].arrow() for column in texts), pa.array(index)]
    return pa.StructArray.from_arrays(columns, fields=list(fields))


def _constant(value: str, size: int) -> pa.StringArray:
    return pa.repeat(pa.scalar(value or None, pa.string()), size)


def _lists(chosen: NDArray[np.bool_], names: tuple[str, ...]) -> pa.ListArray:
    """Return for every row of flags the names whose flag is set."""
    _, columns = np.nonzero(chosen)
    ends = np.concatenate(([0], np.cumsum(chosen.sum(axis=1)))).astype(np.int32)
    return pa.ListArray.from_arrays(ends, Coded(columns, names).arrow())


def _value(feats: Coded, name: str) -> Coded:
    """The value of a feature, or an empty text."""
    values = [",".join(sorted(bundle(text).get(name, ()))) for text in feats.values]
    return Coded(feats.codes, tuple(values))


def _polite(tokens: Tokens, forms: frozenset[str]) -> Flags:
    """Return which words are polite: by the feature, or because they are one of some forms."""
    polite = tokens.feats.table(lambda text: "Form" in bundle(text).get("Polite", ()), bool)
    for form in forms:
        polite |= tokens.form.equal(form)
    return polite


@dataclass(frozen=True)
class _Neighbours:
    """Nouns around pairs.

    ``distractors``: how many other nouns (NOUN) of the sentence differ from the controller in one
    of the four features (the paper, Results). ``intervening``: a noun stands between the two ends.
    ``attractors``: the nouns, names and pronouns between the ends that differ from the controller
    in a feature in which the pair agrees, so that they would license another form.
    """

    distractors: pa.Int32Array
    intervening: Flags
    attractors: pa.ListArray


def _neighbours(tokens: Tokens, pairs: WordPairs, shared: Flags, bits: Bits) -> _Neighbours:
    """Look at the nouns of the sentences of all pairs at once."""
    noun = tokens.upos.isin("NOUN")
    nominal = np.flatnonzero(tokens.upos.isin("NOUN", "PROPN", "PRON"))
    pair, word = _members(tokens, pairs, nominal)
    own = (word == pairs.controller[pair]) | (word == pairs.target[pair])
    pair, word = pair[~own], word[~own]
    differs, licenses = _differences(pairs.controller[pair], word, shared[:, pair], bits)
    low = np.minimum(pairs.target, pairs.controller)[pair]
    high = np.maximum(pairs.target, pairs.controller)[pair]
    between = (low < word) & (word < high)
    distractors = np.bincount(pair[noun[word] & differs], minlength=len(pairs))
    intervening = np.zeros(len(pairs), bool)
    intervening[pair[between & noun[word]]] = True
    chosen = between & licenses
    attractors = _attractors(tokens, pair[chosen], word[chosen], len(pairs))
    return _Neighbours(pa.array(distractors, pa.int32()), intervening, attractors)


def _members(tokens: Tokens, pairs: WordPairs, rows: Ints) -> tuple[Ints, Ints]:
    """Join pairs with those of ``rows`` that are in their sentence: (pair, row) in order."""
    sentence = tokens.sentence[pairs.controller]
    first = np.searchsorted(rows, tokens.sentences.start[sentence])
    count = np.searchsorted(rows, tokens.sentences.end[sentence]) - first
    pair = np.repeat(np.arange(len(pairs)), count)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
    return pair, rows[np.repeat(first, count) + place]


def _differences(controller: Ints, word: Ints, shared: Flags, bits: Bits) -> tuple[Flags, Flags]:
    """Return which words differ from the controller in any feature, and in an agreeing one."""
    differs, licenses = np.zeros(len(word), bool), np.zeros(len(word), bool)
    for feature, agreed in zip(bits, shared, strict=True):
        ours, theirs = feature[controller], feature[word]
        other = (ours > 0) & (theirs > 0) & (ours & theirs == 0)
        differs |= other
        licenses |= other & agreed
    return differs, licenses


def _attractors(tokens: Tokens, pair: Ints, word: Ints, count: int) -> pa.ListArray:
    kind = CLOZE.field("attractors").type
    ends = np.concatenate(([0], np.cumsum(np.bincount(pair, minlength=count)))).astype(np.int32)
    index = pa.array(tokens.number[word], pa.int32())
    texts = (tokens.form, tokens.lemma, tokens.upos, tokens.feats)
    columns = [*(column[word].arrow() for column in texts), index]
    values = pa.StructArray.from_arrays(columns, fields=list(kind.value_type))
    return pa.ListArray.from_arrays(ends, values, type=kind)


def _cues(pairs: WordPairs, shared: Flags) -> Flags:
    """Return, a row a pair and a column a relation, which cues stay when one end is masked.

    There is one where the controller agrees with another target too, in a feature in which the pair
    agrees.
    """
    out = np.zeros((len(pairs), len(RELATIONS)), bool)
    last = int(pairs.controller.max(initial=-1)) + 1
    for agreed in shared:
        for relation in range(len(RELATIONS)):
            of_relation = agreed & (pairs.relation == relation)
            count = np.bincount(pairs.controller[of_relation], minlength=last)
            out[:, relation] |= agreed & (count[pairs.controller] > of_relation)
    return out
