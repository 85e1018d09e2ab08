"""The three kinds of items and their Arrow schemas, which all other modules rely on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

_TEXT, _INT, _FLAG, _TEXTS = pa.string(), pa.int32(), pa.bool_(), pa.list_(pa.string())

ItemRow = Mapping[str, Any]
"""A row of a table of items, as ``to_pylist`` of Arrow gives it: values by column."""

SLOT = pa.struct(
    [
        ("name", _TEXT), ("lemma", _TEXT), ("form", _TEXT), ("upos", _TEXT), ("feats", _TEXT),
        ("good_start", _INT), ("good_end", _INT), ("bad_start", _INT), ("bad_end", _INT),
    ]
)  # fmt: skip
"""A word drawn for a slot; ``form`` and ``feats`` are the good sentence's, spans are characters of
``sentence_good`` and ``sentence_bad`` (end exclusive); null where the slot is not printed."""

FEATURES: dict[str, pa.DataType] = {
    "construction": _TEXT, "controller": _TEXT, "controller_number": _TEXT,
    "controller_gender": _TEXT, "controller_person": _TEXT, "attractor": _TEXT,
    "attractor_number": _TEXT, "attractor_gender": _TEXT, "match": _TEXT, "intervenes": _FLAG,
    "distance": _INT, "target": _TEXT,
}  # fmt: skip
"""The features of every pair, by which results can be split; null where there is none.

``controller``, ``attractor``, ``target``: lemmas (several attractors are joined by commas);
``match``: ``match`` or ``mismatch`` of the attractors' number with the controller's;
``intervenes``: an attractor is between controller and target; ``distance``: words from controller
to target (1: neighbours).
"""


def pair_schema(extra: Iterable[str] = ()) -> pa.Schema:
    """Return the schema of minimal pairs; ``extra`` are names of further features (texts)."""
    features = pa.struct([*FEATURES.items(), *((name, _TEXT) for name in extra)])
    texts = (
        "id", "set_id", "UID", "field", "linguistics_term", "language", "sentence_good", "sentence_bad",
        "tokens_good", "tokens_bad",
    )  # fmt: skip
    flags = ("simple_LM_method", "one_prefix_method", "two_prefix_method", "lexically_identical")
    prefixes = (
        "one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad", "two_prefix_prefix_good",
        "two_prefix_prefix_bad", "two_prefix_word",
    )  # fmt: skip
    columns = [
        *((name, _TEXT) for name in texts), *((name, _FLAG) for name in flags),
        *((name, _TEXT) for name in prefixes), ("slots", pa.list_(SLOT)), ("features", features),
    ]  # fmt: skip
    columns.insert(texts.index("sentence_good"), ("pair_id", _INT))
    return pa.schema(columns)


PAIR_TYPES = pa.schema([field for field in pair_schema() if field.name != "features"])
"""The columns of pairs whose types are the same in all data sets."""


_PLACES = dict.fromkeys(("index", "start", "end"), _INT)
_END = pa.struct(dict.fromkeys(("form", "lemma", "feats"), _TEXT) | _PLACES)

_ATTRACTOR = pa.struct(
    [("form", _TEXT), ("lemma", _TEXT), ("upos", _TEXT), ("feats", _TEXT), ("index", _INT)]
)

CLOZE = pa.schema(
    [
        *((n, _TEXT) for n in ("id", "language", "treebank", "sent_id", "text", "left", "right")),
        *((n, _TEXT) for n in ("answer", "lemma", "upos", "feats", "relation", "masked")),
        ("controller", _END), ("target", _END), ("agrees_in", _TEXTS), ("decides", _TEXTS),
        ("layer", _TEXT), ("distance", _INT), ("distractors", _INT), ("intervening_noun", _FLAG),
        ("attractors", pa.list_(_ATTRACTOR)), ("cues", _TEXTS), ("pron_type", _TEXT),
        ("polite", _FLAG), ("multiword", _FLAG), ("length", _INT), ("depth", _INT),
        ("frequency", _INT), ("genre", _TEXT), ("licence", _TEXT),
        ("doubt", _TEXT), ("candidates", _INT),
    ]
)  # fmt: skip
"""Cloze items: one masked word, with ``left`` and ``right`` of it as ordinary text.

``lemma``, ``upos`` and ``feats`` are those of the masked word; ``answer`` is what is masked, the
whole of a multiword token if the word is a part of one (``multiword``). ``index`` is the ID of a
word in its tree; ``start`` and ``end`` are where it stands in ``text``, with all that is written
together with it. ``agrees_in``: features in which the two ends share a value; ``decides``: those
of them in which the other end determines the masked form (not the gender of a masked noun, which
its lemma has); ``layer``: that of the target's features (``abs`` for ``Number[abs]``).
``distance``: words from one end to the other (1: neighbours). ``distractors``: how many other nouns
of the sentence differ from the controller in number, gender, case or person;
``intervening_noun``: a noun is between the ends;
``attractors``: nouns, names and pronouns between them that would license another form. ``cues``:
relations in which the controller agrees with another word too, in one of ``agrees_in``.
``pron_type`` and ``polite`` are the controller's. ``length``: words of the sentence; ``depth``: of
its tree; ``frequency``: how often the treebanks of the language have the answer (null: not
counted). ``genre`` and ``licence``: those of the treebank. ``doubt``: why another form may be
right, the reasons with ``; `` between them (null: none is known); ``candidates``: how many wrong
forms of the answer's lemma differ from it in ``decides`` alone (null: not counted).
"""

FORMS = pa.schema(
    [
        *((n, _TEXT) for n in ("form", "lemma", "upos", "feats", "source")),
        ("frequency", _INT),
        ("treebanks", pa.list_(_TEXT)),
        ("licences", pa.list_(_TEXT)),
    ]
)
"""The feature inventory of a language: a row for each form, lemma, UPOS and bundle of features.

``source``: ``UD``, ``UniMorph`` or ``both``; ``frequency``: how often the treebanks have it, in any
capitals; ``treebanks``: those that do; ``licences``: those of the works that have it."""

_REGION = pa.struct(
    [("name", _TEXT), ("text", _TEXT), *((n, _INT) for n in ("start", "end", "first", "last"))]
)
_CONDITION = pa.struct(
    [("name", _TEXT), ("text", _TEXT), ("tokens", _TEXT), ("regions", pa.list_(_REGION))]
)

SUITE = pa.schema(
    [
        *((n, _TEXT) for n in ("id", "suite", "phenomenon", "modifier", "item", "language")),
        ("conditions", pa.list_(_CONDITION)),
        ("predictions", pa.list_(_TEXT)),
        ("metric", _TEXT),
    ]
)
"""Suite items: named conditions with regions, and formulas about their surprisals.

``item`` is the number of an item in its suite. Suites that differ only in ``modifier`` (what stands
between the words that depend on each other) use the same words for items of one number. ``text`` is
the sentence as ordinary text, ``tokens`` its words and marks with spaces
between them. A region is characters ``start:end`` of ``text`` and words ``first:last`` of
``tokens`` (ends exclusive). ``metric`` says how a region's surprisal is made of its tokens'
(``sum``; SyntaxGym's others: ``mean``, ``median``, ``range``, ``max``, ``min``).
"""


GLOSSES = "glosses"
"""A column that is not in the data, but made on demand: for each sentence of an item the glosses of
its tokens, with spaces between them."""


@dataclass(frozen=True)
class ItemKind:
    """What is the same for all items of a kind.

    ``group``: the column by which they are grouped into paradigms; ``texts``: those with the texts
    of an item, by which the kind is recognised (a suite's are in ``conditions``); ``filters``:
    those by which people look for items, beside the group; ``schema``: the types of columns.
    """

    group: str
    texts: tuple[str, ...]
    filters: tuple[str, ...]
    schema: pa.Schema


KINDS = {
    "suite": ItemKind("suite", ("conditions",), ("phenomenon", "modifier"), SUITE),
    "cloze": ItemKind("relation", ("left", "answer", "right"), (
        "upos", "masked", "agrees_in", "decides", "distance", "distractors", "intervening_noun",
        "cues", "treebank", "genre", "licence",
    ), CLOZE),
    "pair": ItemKind(
        "UID", ("sentence_good", "sentence_bad"), ("linguistics_term",), PAIR_TYPES
    ),
    "forms": ItemKind("upos", ("form", "lemma", "feats"), ("source",), FORMS),
}  # fmt: skip
"""The kinds of items, and the inventory of forms that belongs to cloze items."""


def kind_of_items(columns: Iterable[str]) -> str:
    """Return the kind of the items that have these columns, or "" for something else.

    >>> kind_of_items(["id", "conditions"])
    'suite'
    """
    names = set(columns)
    return next((name for name, kind in KINDS.items() if names.issuperset(kind.texts)), "")
