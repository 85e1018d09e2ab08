"""Cloze items from pairs of words that agree: the columns of :data:`solecism.schema.CLOZE`, made in bulk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.hashing import Hashes, combine, hex_ids, mix, text_hashes
from solecism.schema import CLOZE
from solecism.treebank.arrays import Coded, Flags, Ints, Spans
from solecism.treebank.conllu import Tokens
from solecism.treebank.features import AGREEMENT, Bits, bundle
from solecism.treebank.relations.pairs import RELATIONS, Pairs
from solecism.treebank.surface import Written, write_out

__all__ = ["MASKS", "Found", "Neighbours", "Source", "cues", "items_of", "neighbours"]


MASKS = ("controller", "target")
"""Which end of a pair is masked: the paper's choice, and its stated future work."""

_MASK = text_hashes(["[MASK]"])[0]


@dataclass(frozen=True)
class Source:
    """Where items come from; ``polite``: forms that are polite pronouns whatever their annotation."""

    language: str
    treebank: str = ""
    licence: str = ""
    polite: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Found:
    """Pairs of a block that agree.

    ``kept``: a row for each of :data:`MASKS`, which pairs are items when that end is masked;
    ``shared``: a row for each feature, which pairs agree in it; ``bits``: values of all words.
    """

    pairs: Pairs
    kept: Flags
    shared: Flags
    bits: Bits


def items_of(tokens: Tokens, found: Found, masks: tuple[str, ...], source: Source) -> pa.Table:
    """Give the items of a block, in the order of the pairs; a pair's controller is masked first.

    ``id`` is made of language, relation, which end is masked, and the masked sentence: duplicates in the
    paper's sense have the same id.
    """
    chosen = found.kept.T & np.array([mask in masks for mask in MASKS])
    pair, masked = np.nonzero(chosen)
    pairs = found.pairs[pair]
    word = np.where(masked == 1, pairs.target, pairs.controller)
    wanted = np.zeros(len(tokens.sentences.start), bool)
    wanted[tokens.sentence[word]] = True
    written = write_out(tokens, wanted)
    shared = found.shared[:, pair]
    near = neighbours(tokens, pairs, shared, found.bits)
    features = tokens.feats
    columns = {
        "id": hex_ids(_ids(tokens, pairs.relation, word, masked, source.language)),
        "language": _constant(source.language, len(pair)),
        "treebank": _constant(source.treebank, len(pair)),
        "sent_id": tokens.sentences.sent_id[tokens.sentence[word]].arrow(),
        **_texts(tokens, written, word),
        "lemma": tokens.lemma[word].arrow(),
        "upos": _plain(tokens.upos[word]),
        "feats": _plain(features[word]),
        "relation": _plain(Coded(pairs.relation, RELATIONS)),
        "masked": _plain(Coded(masked, MASKS)),
        "controller": _end(tokens, pairs.controller),
        "target": _end(tokens, pairs.target),
        "agrees_in": lists(shared.T, AGREEMENT),
        "distance": np.abs(pairs.target - pairs.controller).astype(np.int32),
        "distractors": near.distractors,
        "intervening_noun": near.intervening,
        "attractors": near.attractors,
        "cues": lists(cues(found.pairs, found.shared)[pair], RELATIONS),
        "pron_type": _plain(_value(features, "PronType")[pairs.controller]),
        "polite": _polite(tokens, source)[pairs.controller],
        "multiword": tokens.words.multiword[word],
        "licence": _constant(source.licence, len(pair)),
    }
    return pa.table(
        [pa.array(columns[name], CLOZE.field(name).type) for name in CLOZE.names], CLOZE
    )


def _ids(tokens: Tokens, relation: Ints, word: Ints, masked: Ints, language: str) -> Hashes:
    """Hash the masked sentences: a sum over tokens and places, in which one term is exchanged."""
    surface, token = tokens.surface, tokens.words.surface[word]
    first = np.flatnonzero(np.diff(surface.sentence, prepend=-1))
    place = mix((np.arange(len(surface.sentence)) - first[surface.sentence]).astype(np.uint64))
    terms = mix(surface.form.hashes() ^ place)
    total = np.add.reduceat(terms, first) if len(first) else terms
    changed = total[tokens.sentence[word]] - terms[token] + mix(place[token] ^ _MASK)
    names = text_hashes([language, *RELATIONS, *MASKS])
    kinds = names[1 : 1 + len(RELATIONS)][relation], names[1 + len(RELATIONS) :][masked]
    return combine(names[0], (*kinds, changed))


def _texts(tokens: Tokens, written: Written, word: Ints) -> dict[str, pa.Array]:
    """Text, left and right context and answer (the whole multiword token) around the masked words."""
    text = written.text[tokens.sentence[word]]
    token = written.token[tokens.words.surface[word]]
    return {
        "text": text.arrow(),
        "left": Spans(text.data, text.starts, token.starts).arrow(),
        "right": Spans(text.data, token.ends, text.ends).arrow(),
        "answer": token.arrow(),
    }


def _end(tokens: Tokens, rows: Ints) -> pa.StructArray:
    """One end of a pair; ``index`` is its ID."""
    fields = CLOZE.field("controller").type
    index = tokens.number[rows].astype(np.int32)
    columns = (
        tokens.form[rows].arrow(),
        tokens.lemma[rows].arrow(),
        _plain(tokens.feats[rows]),
        index,
    )
    return pa.StructArray.from_arrays([pa.array(column) for column in columns], fields=list(fields))


def _plain(column: Coded) -> pa.StringArray:
    """A column of repeated texts as plain Arrow texts; empty ones are null."""
    values = pa.array([value or None for value in column.values], pa.string())
    return values.take(pa.array(column.codes))


def _constant(value: str, size: int) -> pa.StringArray:
    return pa.repeat(pa.scalar(value or None, pa.string()), size)


def lists(chosen: NDArray[np.bool_], names: tuple[str, ...]) -> pa.ListArray:
    """Give, for every row of flags, the list of the names whose flag is set."""
    _, columns = np.nonzero(chosen)
    ends = np.concatenate(([0], np.cumsum(chosen.sum(axis=1)))).astype(np.int32)
    return pa.ListArray.from_arrays(ends, _plain(Coded(columns, names)))


def _value(feats: Coded, name: str) -> Coded:
    """The value of a feature, or an empty text."""
    values = [",".join(sorted(bundle(text).get(name, ()))) for text in feats.values]
    return Coded(feats.codes, tuple(values))


def _polite(tokens: Tokens, source: Source) -> Flags:
    """Which words are polite: by the feature, or by their form where the language has such forms."""
    polite = tokens.feats.table(lambda text: "Form" in bundle(text).get("Polite", ()), bool)
    for form in source.polite:
        polite |= tokens.form.equal(form)
    return polite


@dataclass(frozen=True)
class Neighbours:
    """Nouns around pairs.

    ``distractors``: the other nouns (NOUN) of the sentence that differ from the controller in one of the
    four features (the paper, Results). ``intervening``: a noun stands between the two ends.
    ``attractors``: the nouns, names and pronouns between the ends that differ from the controller in a
    feature in which the pair agrees, so that they would license another form; ``index`` is their ID.
    """

    distractors: pa.Int32Array
    intervening: Flags
    attractors: pa.ListArray


def neighbours(tokens: Tokens, pairs: Pairs, shared: Flags, bits: Bits) -> Neighbours:
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
    return Neighbours(pa.array(distractors, pa.int32()), intervening, attractors)


def _members(tokens: Tokens, pairs: Pairs, rows: Ints) -> tuple[Ints, Ints]:
    """Join pairs with those of ``rows`` that are in their sentence: (pair, row) in order."""
    sentence = tokens.sentence[pairs.controller]
    first = np.searchsorted(rows, tokens.sentences.start[sentence])
    count = np.searchsorted(rows, tokens.sentences.end[sentence]) - first
    pair = np.repeat(np.arange(len(pairs)), count)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
    return pair, rows[np.repeat(first, count) + place]


def _differences(controller: Ints, word: Ints, shared: Flags, bits: Bits) -> tuple[Flags, Flags]:
    """Tell which words differ from the controller in any feature, and in one in which it agrees."""
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
    coded = [column.arrow().cast(pa.string()) for column in (tokens.upos[word], tokens.feats[word])]
    index = pa.array(tokens.number[word], pa.int32())
    columns = [tokens.form[word].arrow(), tokens.lemma[word].arrow(), *coded, index]
    values = pa.StructArray.from_arrays(columns, fields=list(kind.value_type))
    return pa.ListArray.from_arrays(ends, values, type=kind)


def cues(pairs: Pairs, shared: Flags) -> Flags:
    """Tell, a row a pair and a column a relation, where the controller agrees with another target too, in
    a feature in which the pair agrees: a cue that stays when one of the pair is masked."""
    out = np.zeros((len(pairs), len(RELATIONS)), bool)
    last = int(pairs.controller.max(initial=-1)) + 1
    for agreed in shared:
        for relation in range(len(RELATIONS)):
            of_relation = agreed & (pairs.relation == relation)
            count = np.bincount(pairs.controller[of_relation], minlength=last)
            out[:, relation] |= agreed & (count[pairs.controller] > of_relation)
    return out
