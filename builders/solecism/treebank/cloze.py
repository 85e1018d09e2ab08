"""Cloze items from pairs of words that agree: tables of :data:`solecism.schema.CLOZE`."""

from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate

import numpy as np
import pyarrow as pa

from solecism.hashing import Hashes, combine, hex_ids, mix, text_hashes
from solecism.schema import CLOZE, ItemRow
from solecism.treebank.analogy import shared_beginning
from solecism.treebank.candidates import AgreeingPairs, WordPairs, conflicts
from solecism.treebank.conllu import Coded, Flags, Ints, Tokens
from solecism.treebank.forms import LanguageForms, alike, differing
from solecism.treebank.languages import Language, rules_of
from solecism.treebank.relations import (
    AGREEMENT,
    RELATIONS,
    Bundle,
    bundle,
    layered,
    text_of,
    third_person,
)

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
    genre, by column. With ``forms`` items have the frequency of the masked word. ``doubt`` and
    ``candidates`` are null.
    """
    pair, masked = np.nonzero(found.kept.T & np.array([mask in masks for mask in MASKS]))
    pairs = found.pairs[pair]
    word = np.where(masked == 1, pairs.target, pairs.controller)
    wanted = np.zeros(len(tokens.sentences), bool)
    wanted[tokens.sentence[word]] = True
    texts, starts = texts_of(tokens, wanted)
    sentence, text = tokens.sentence[word], texts[tokens.sentence[word]].texts()
    start = starts[tokens.written[word]].tolist()
    answer = tokens.surface[tokens.written[word]].texts()
    shared = found.shared[:, pair]
    feats = tokens.feats[pairs.controller]
    pron_type = (text_of(bundle(text), "PronType") or "" for text in feats.values)
    polite = feats.table(lambda text: "Form" in bundle(text).get("Polite", ()), bool)
    frequency = map(forms.frequency, answer) if forms else [None] * len(pair)
    same = {"language": language.code, "doubt": None, **origin}
    columns = {
        **{name: [value or None] * len(pair) for name, value in same.items()},
        "id": hex_ids(_ids(tokens, pairs.relation, word, masked, language.code)),
        "sent_id": [tokens.sentences.said[one].get("sent_id", "") for one in sentence],
        "text": text,
        "left": [whole[:at] for whole, at in zip(text, start, strict=True)],
        "right": [
            whole[at + len(one) :] for whole, at, one in zip(text, start, answer, strict=True)
        ],
        "answer": answer,
        "lemma": tokens.lemmas[word].arrow(),
        "upos": tokens.upos[word].arrow(),
        "feats": tokens.feats[word].arrow(),
        "relation": Coded(pairs.relation, RELATIONS).arrow(),
        "masked": Coded(masked, MASKS).arrow(),
        "controller": _ends(tokens, pairs.controller, starts),
        "target": _ends(tokens, pairs.target, starts),
        "agrees_in": _lists(shared.T, AGREEMENT),
        "decides": _lists(found.decides[masked, :, pair], AGREEMENT),
        "layer": Coded(found.layer[pair], found.layers).arrow(),
        "distance": np.abs(pairs.target - pairs.controller).astype(np.int32),
        **_other_nouns(tokens, pairs, shared, found.bits),
        "cues": _lists(_cues(found.pairs, found.shared)[pair], RELATIONS),
        "pron_type": Coded(feats.codes, tuple(pron_type)).arrow(),
        "polite": polite | tokens.forms[pairs.controller].isin(*language.polite),
        "multiword": tokens.multiword[word],
        "length": np.bincount(tokens.sentence)[sentence].astype(np.int32),
        "depth": _depths(tokens)[sentence].astype(np.int32),
        "frequency": pa.array(frequency, pa.int32()),
        "candidates": [None] * len(pair),
    }
    arrays = [pa.array(columns[name], CLOZE.field(name).type) for name in CLOZE.names]
    return pa.table(arrays, CLOZE)


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


def texts_of(tokens: Tokens, wanted: Flags) -> tuple[Coded, Ints]:
    """Return the texts of sentences, and where all written tokens start in them.

    The text is the comment ``# text``, if the tokens are found in it, in order and with only blanks
    between them. Else it is put together from the tokens and ``SpaceAfter=No``. For sentences that
    are not ``wanted`` nothing is looked up: their texts are empty.
    """
    forms, texts = tokens.surface.texts(), [""] * len(wanted)
    starts = np.zeros(len(forms), np.int64)
    first = np.append(tokens.written[tokens.sentences.start], len(forms))
    for sentence in np.flatnonzero(wanted).tolist():
        place = slice(first[sentence], first[sentence + 1])
        given = tokens.sentences.said[sentence].get("text", "")
        found = _align(given, forms[place]) or _join(forms[place], tokens.spaced[place].tolist())
        texts[sentence], starts[place] = found
    return Coded(np.arange(len(texts)), tuple(texts)), starts


def _align(text: str, forms: list[str]) -> tuple[str, list[int]] | None:
    """Return a text and the places of its tokens, None if other things than blanks are between
    them."""
    places, at = [], 0
    for form in forms:
        place = text.find(form, at)
        if place < 0 or text[at:place].strip():
            return None
        places.append(place)
        at = place + len(form)
    return None if text[at:].strip() else (text, places)


def _join(forms: list[str], spaced: list[bool]) -> tuple[str, list[int]]:
    """Return a text that is put together from its tokens, and their places in it."""
    parts = [form + " " * blank for form, blank in zip(forms, spaced, strict=True)]
    places = [0, *accumulate(map(len, parts))]
    return "".join(parts).rstrip(" "), places[:-1]


def _ids(tokens: Tokens, relation: Ints, word: Ints, masked: Ints, language: str) -> Hashes:
    """Return the hashes of items, made from their masked sentences.

    The hash of a sentence is a sum over its tokens; for the masked one a term is exchanged.
    """
    token, first = tokens.written[word], tokens.written[tokens.sentences.start]
    size = np.diff(np.append(first, len(tokens.surface.codes)))
    place = mix((np.arange(size.sum()) - np.repeat(first, size)).astype(np.uint64))
    terms = mix(tokens.surface.hashes() ^ place)
    total = np.add.reduceat(terms, first) if len(first) else terms
    changed = total[tokens.sentence[word]] - terms[token] + mix(place[token] ^ _MASK)
    names = text_hashes([language, *RELATIONS, *MASKS])
    kinds = names[1 : 1 + len(RELATIONS)][relation], names[1 + len(RELATIONS) :][masked]
    return combine(names[0], (*kinds, changed))


def _ends(tokens: Tokens, rows: Ints, starts: Ints) -> pa.StructArray:
    """Return ends of pairs; ``starts`` says where all written tokens start in their texts."""
    written = tokens.written[rows]
    end = starts[written] + tokens.surface[written].table(len, np.int64)
    return _words(tokens, rows, CLOZE.field("target").type, start=starts[written], end=end)


def _words(tokens: Tokens, rows: Ints, fields: pa.StructType, **places: Ints) -> pa.StructArray:
    """Return words with the columns that ``fields`` names; ``index`` is the ID."""
    columns = {
        "form": tokens.forms[rows].arrow(), "lemma": tokens.lemmas[rows].arrow(),
        "upos": tokens.upos[rows].arrow(), "feats": tokens.feats[rows].arrow(),
        "index": pa.array(tokens.number[rows], pa.int32()),
        **{name: pa.array(place, pa.int32()) for name, place in places.items()},
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


PREDICATIVE = frozenset({"Ess", "Tra"})
"""Cases in which an adjective may be a predicate or an adverb beside any noun: fi. viimeiseksi."""
Wanted = tuple[tuple[str, frozenset[str]], ...]
"""Features and the values that agree."""
_Read = Callable[[str | None], Bundle]
"""Reads a FEATS text."""


def wanted_of(item: ItemRow, read: _Read = bundle) -> Wanted:
    """Return what a form in the place of an item's answer must express.

    The layer of an item is that of its target's features; a noun is third person.
    """
    names = [(name, layered(name, item["layer"])) for name in item["agrees_in"] or ()]
    if item["relation"] not in RELATIONS:  # a request asks for the values of the word itself
        own = read(item["feats"])
        found = [(name, own[name]) for name, _ in names if name in own]
    elif item["masked"] == "controller":
        target = read(item["target"]["feats"])
        found = [(name, target[at]) for name, at in names if at in target]
    else:
        controller = third_person(read(item["controller"]["feats"]))
        found = [(at, controller[name]) for name, at in names if name in controller]
    return tuple(sorted(found))


def told_of(item: ItemRow) -> frozenset[str]:
    """Return the features that tell an item's answer, with and without their layer."""
    told = item["decides"] or item["agrees_in"] or ()
    return frozenset({*told, *(layered(name, item["layer"]) for name in told)})


def agrees(feats: Bundle, wanted: Wanted) -> bool:
    """Return whether features express all that is wanted."""
    return all(name in feats and values & feats[name] for name, values in wanted)


def clashes(feats: Bundle, wanted: Wanted) -> bool:
    """Return whether features express another value of something that is wanted."""
    return any(name in feats and not values & feats[name] for name, values in wanted)


def wrong_answers(
    item: ItemRow, own: Iterable[tuple[str, Bundle]], read: _Read = bundle
) -> list[str]:
    """Return the forms of an item's lemma, ``own``, that are wrong in place of its answer.

    They clash with the other end, and differ from the answer in what tells it alone
    (:func:`~solecism.treebank.forms.differing`): forms of another case, tense, voice or style are
    wrong for another reason. A form that is right by another reading is left out, and of forms
    with the same features all but the one most like the answer (sv. *sådant*, not *sånt*).
    """
    forms, wanted = list(own), wanted_of(item, read)
    feats, spelt = read(item["feats"]), rules_of(item["language"]).spelt
    right = {spelt(form) for form, theirs in forms if agrees(theirs, wanted)}
    right.add(spelt(item["answer"]))
    minimal = [
        (form, theirs) for form, theirs in forms
        if spelt(form) not in right and clashes(theirs, wanted)
        and _is_minimal(item, feats, form, theirs)
    ]  # fmt: skip
    answer = item["answer"].casefold()
    minimal.sort(key=lambda pair: shared_beginning(pair[0].casefold(), answer))
    wrong = {frozenset(theirs.items()): form for form, theirs in minimal}
    return [*{spelt(form): form for form in wrong.values()}.values()]


def _is_minimal(item: ItemRow, ours: Bundle, form: str, theirs: Bundle) -> bool:
    """Return whether a form differs from an item's answer in what tells it alone.

    A form in a predicative case may be an adverb, one in an attributive case goes with any noun
    (fi. *uuden*), we and you with any plural (eu. *euskaldunek dugu*); an elided one is none.
    """
    rules, answer = rules_of(item["language"]), item["answer"]
    layer = item["layer"] if item["masked"] == "target" else None
    cases = theirs.get("Case", frozenset()) - ours.get("Case", frozenset())
    other = bundle(item["target" if item["masked"] == "controller" else "controller"]["feats"])
    return (
        differing(ours, theirs) <= told_of(item)
        and alike(theirs, other, theirs.keys() & {"Gender", "Animacy", "Case"} - ours.keys())
        and rules.replaces(answer, ours, form, theirs, layer)
        and not (cases & PREDICATIVE)
        and theirs.get("Case", frozenset()).isdisjoint(rules.attributive)
        and not (item["masked"] == "target" and _is_us_or_you(theirs, layer, other))
        and rules.is_plain(form) >= rules.is_plain(answer)
    )


def _is_us_or_you(theirs: Bundle, layer: str | None, controller: Bundle) -> bool:
    """Return whether a form is of us or of you, and the controller is a plural noun."""
    person, number = (theirs.get(layered(name, layer), ()) for name in ("Person", "Number"))
    plural = "Plur" in number and "Plur" in controller.get("Number", ())
    return plural and "PronType" not in controller and not {"1", "2"}.isdisjoint(person)
