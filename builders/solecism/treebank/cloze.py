"""Cloze items from pairs of words that agree: tables of :data:`solecism.schema.CLOZE`."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from solecism.grouping import rank_in_group
from solecism.hashing import Hashes, combine, hex_ids, mix, text_hashes
from solecism.schema import CLOZE
from solecism.treebank.candidates import AgreeingPairs, WordPairs, conflicts
from solecism.treebank.conllu import PADDING, Coded, Flags, Ints, Spans, Tokens, starts_of
from solecism.treebank.forms import LanguageForms
from solecism.treebank.languages import Language
from solecism.treebank.relations import AGREEMENT, RELATIONS, bundle, text_of

MASKS = ("controller", "target")
"""The ends of a pair that may be masked. The paper masks controllers only."""


_MASK = text_hashes(["[MASK]"])[0]


def items_of(
    tokens: Tokens,
    found: AgreeingPairs,
    masks: tuple[str, ...],
    language: Language,
    origin: Mapping[str, str],
    forms: LanguageForms | None = None,
) -> pa.Table:
    """Return the items of a chunk, in the order of the pairs.

    If both ends of a pair are masked, the item with the masked controller comes first. The ``id``
    is a hash of the language, the relation, the end that is masked, and the masked sentence: items
    that the paper calls duplicates have the same id. ``origin``: the treebank with its licence and
    genre, by column. With ``forms`` items have the frequency of the masked word.
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
    controllers, feats = tokens.form[pairs.controller], tokens.feats[pairs.controller]
    pron_type = (text_of(bundle(text), "PronType") or "" for text in feats.values)
    polite = feats.table(lambda text: "Form" in bundle(text).get("Polite", ()), bool)
    frequency = map(forms.frequency, token.texts()) if forms else [None] * len(pair)
    same = {"language": language.code, **origin}
    columns = {
        **{name: [value or None] * len(pair) for name, value in same.items()},
        "id": hex_ids(_ids(tokens, pairs.relation, word, masked, language.code)),
        "sent_id": tokens.sentences.sent_id[tokens.sentence[word]].arrow(),
        "text": text.arrow(),
        "left": Spans(text.data, text.starts, token.starts).arrow(),
        "right": Spans(text.data, token.ends, text.ends).arrow(),
        "answer": token.arrow(),
        "lemma": tokens.lemma[word].arrow(),
        "upos": tokens.upos[word].arrow(),
        "feats": tokens.feats[word].arrow(),
        "relation": Coded(pairs.relation, RELATIONS).arrow(),
        "masked": Coded(masked, MASKS).arrow(),
        "controller": _words(tokens, pairs.controller, CLOZE.field("controller").type),
        "target": _words(tokens, pairs.target, CLOZE.field("target").type),
        "agrees_in": _lists(shared.T, AGREEMENT),
        "decides": _lists(found.decides[masked, :, pair], AGREEMENT),
        "layer": Coded(found.layer[pair], found.layers).arrow(),
        "distance": np.abs(pairs.target - pairs.controller).astype(np.int32),
        **_other_nouns(tokens, pairs, shared, found.bits),
        "cues": _lists(_cues(found.pairs, found.shared)[pair], RELATIONS),
        "pron_type": Coded(feats.codes, tuple(pron_type)).arrow(),
        "polite": polite | controllers.codes().isin(*language.polite),
        "multiword": tokens.multiword[word],
        "length": np.bincount(tokens.sentence)[tokens.sentence[word]].astype(np.int32),
        "depth": _depths(tokens)[tokens.sentence[word]].astype(np.int32),
        "frequency": pa.array(frequency, pa.int32()),
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


def texts_of(tokens: Tokens, wanted: Flags) -> tuple[Spans, Spans]:
    """Return the texts of sentences, and the places of all written tokens in them.

    The text is the comment ``# text``, if the tokens are found in it, in order and with only blanks
    between them. Else it is put together from the tokens and ``SpaceAfter=No``. For sentences that
    are not ``wanted`` nothing is looked up, and their places mean nothing.
    """
    surface, sentences = tokens.surface, tokens.sentences
    # For all sentences at once: is `# text` just the tokens and the blanks between them?
    step = surface.form.sizes + surface.spaced
    at = np.cumsum(step) - step
    first = starts_of(surface.sentence)
    end = np.append(first[1:], len(step))
    offset = at - at[first][surface.sentence]
    size = offset[end - 1] + surface.form.sizes[end - 1]
    start = sentences.text.starts[surface.sentence] + offset
    token = Spans(surface.form.data, start, start + surface.form.sizes)
    fits = wanted & (sentences.text.sizes == size)
    rows = np.flatnonzero(fits[surface.sentence])
    misplaced = surface.form[rows].hashes() != token[rows].hashes()
    fits[surface.sentence[rows[misplaced]]] = False
    text, added = sentences.text, bytearray()
    starts, ends = text.starts.copy(), text.ends.copy()
    # Sentences with another `# text` go one by one; their texts are added after the chunk's bytes.
    for sentence in np.flatnonzero(wanted & ~fits).tolist():
        place = slice(first[sentence], end[sentence])
        forms = surface.form[place].raw()
        given = text.data[starts[sentence] : ends[sentence]]
        whole, places = _align(given, forms) or _join(forms, surface.spaced[place].tolist())
        starts[sentence] = len(text.data) + len(added)
        ends[sentence] = starts[sentence] + len(whole)
        start[place] = starts[sentence] + np.array(places)
        added += whole
    data = text.data + bytes(added) + PADDING if added else text.data
    return Spans(data, starts, ends), Spans(data, start, start + surface.form.sizes)


def _align(text: bytes, forms: list[bytes]) -> tuple[bytes, list[int]] | None:
    """Return a text and the places of its tokens, None if other things than blanks are between
    them."""
    places, at = [], 0
    for form in forms:
        place = text.find(form, at)
        if place < 0 or text[at:place].decode().strip():
            return None
        places.append(place)
        at = place + len(form)
    return None if text[at:].decode().strip() else (text, places)


def _join(forms: list[bytes], spaced: list[bool]) -> tuple[bytes, list[int]]:
    """Return a text that is put together from its tokens, and their places in it."""
    places, out = [], bytearray()
    for form, blank in zip(forms, spaced, strict=True):
        places.append(len(out))
        out += form + b" " * blank
    return bytes(out).rstrip(b" "), places


def _ids(tokens: Tokens, relation: Ints, word: Ints, masked: Ints, language: str) -> Hashes:
    """Return the hashes of items, made from their masked sentences.

    The hash of a sentence is a sum over its tokens; for the masked one a term is exchanged.
    """
    surface, token = tokens.surface, tokens.written[word]
    first = starts_of(surface.sentence)
    place = mix(rank_in_group(surface.sentence).astype(np.uint64))
    terms = mix(surface.form.hashes() ^ place)
    total = np.add.reduceat(terms, first) if len(first) else terms
    changed = total[tokens.sentence[word]] - terms[token] + mix(place[token] ^ _MASK)
    names = text_hashes([language, *RELATIONS, *MASKS])
    kinds = names[1 : 1 + len(RELATIONS)][relation], names[1 + len(RELATIONS) :][masked]
    return combine(names[0], (*kinds, changed))


def _words(tokens: Tokens, rows: Ints, fields: pa.StructType) -> pa.StructArray:
    """Return words with the columns that ``fields`` names; ``index`` is the ID."""
    columns = {
        "form": tokens.form[rows].arrow(), "lemma": tokens.lemma[rows].arrow(),
        "upos": tokens.upos[rows].arrow(), "feats": tokens.feats[rows].arrow(),
        "index": pa.array(tokens.number[rows], pa.int32()),
    }  # fmt: skip
    made = [columns[field.name] for field in fields]
    return pa.StructArray.from_arrays(made, fields=list(fields))


def _lists(chosen: Flags, names: tuple[str, ...]) -> pa.ListArray:
    """Return for each row of flags the list of the names whose flag is set."""
    return _list_array(chosen.sum(axis=1), Coded(np.nonzero(chosen)[1], names).arrow())


def _list_array(counts: Ints, values: pa.Array) -> pa.ListArray:
    """Return lists; ``counts`` says how many of the values each list has."""
    ends = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    return pa.ListArray.from_arrays(ends, values)


def _other_nouns(
    tokens: Tokens, pairs: WordPairs, shared: Flags, bits: Hashes
) -> dict[str, pa.Array | Flags]:
    """Return the columns about the other nouns of each pair's sentence.

    ``distractors``: how many other nouns (NOUN) of the sentence differ from the controller in any
    of the four features (the paper, Results). ``intervening_noun``: whether a noun stands between
    the ends. ``attractors``: the nouns, names and pronouns between the ends that differ from the
    controller in a feature in which the pair agrees, so that they would license another form.
    ``bits``: for each feature and word a number with a bit for each value that the word has.
    """
    noun = tokens.upos.isin("NOUN")
    nominal = np.flatnonzero(tokens.upos.isin("NOUN", "PROPN", "PRON"))
    pair, word = _members(tokens, pairs, nominal)
    other = (word != pairs.controller[pair]) & (word != pairs.target[pair])
    pair, word = pair[other], word[other]
    ours, theirs = bits[:, pairs.controller[pair]], bits[:, word]
    differs = conflicts(ours, theirs)
    licenses = conflicts(ours * shared[:, pair], theirs)
    low, high = np.sort([pairs.target, pairs.controller], axis=0)
    between = (low[pair] < word) & (word < high[pair])
    distractors = np.bincount(pair[noun[word] & differs], minlength=len(pairs))
    intervening = np.zeros(len(pairs), bool)
    intervening[pair[between & noun[word]]] = True
    pair, word = pair[between & licenses], word[between & licenses]
    attractors = _words(tokens, word, CLOZE.field("attractors").type.value_type)
    return {
        "distractors": pa.array(distractors, pa.int32()),
        "intervening_noun": intervening,
        "attractors": _list_array(np.bincount(pair, minlength=len(pairs)), attractors),
    }


def _members(tokens: Tokens, pairs: WordPairs, rows: Ints) -> tuple[Ints, Ints]:
    """Return two arrays that join each pair with the words of its sentence that are in ``rows``.

    The first has places of pairs, in rising order, the second the rows of words.
    """
    sentence = tokens.sentence[pairs.controller]
    first = np.searchsorted(rows, tokens.sentences.start[sentence])
    count = np.searchsorted(rows, tokens.sentences.end[sentence]) - first
    pair = np.repeat(np.arange(len(pairs)), count)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
    return pair, rows[np.repeat(first, count) + place]


def _cues(pairs: WordPairs, shared: Flags) -> Flags:
    """Return flags of the relations that still tell a value if one end of a pair is masked.

    A row is a pair, a column a relation. The flag is set if, in this relation, the controller
    agrees with another target in a feature in which the pair agrees.
    """
    out = np.zeros((len(pairs), len(RELATIONS)), bool)
    last = int(pairs.controller.max(initial=-1)) + 1
    for agreed in shared:
        for relation in range(len(RELATIONS)):
            of_relation = agreed & (pairs.relation == relation)
            count = np.bincount(pairs.controller[of_relation], minlength=last)
            out[:, relation] |= agreed & (count[pairs.controller] > of_relation)
    return out
