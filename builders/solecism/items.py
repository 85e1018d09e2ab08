"""The three kinds of items and their Arrow schemas: the contract of the house (DESIGN.md, section 5)."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

__all__ = ["CLOZE", "FEATURES", "SLOT", "SUITE", "pair_schema"]

_TEXT, _INT, _FLAG = pa.string(), pa.int32(), pa.bool_()

SLOT = pa.struct(
    [
        ("name", _TEXT), ("lemma", _TEXT), ("form", _TEXT), ("upos", _TEXT), ("feats", _TEXT),
        ("good_start", _INT), ("good_end", _INT), ("bad_start", _INT), ("bad_end", _INT),
    ]
)  # fmt: skip
"""A word drawn for a slot; ``form`` and ``feats`` are the good sentence's, spans are characters of
``sentence_good`` and ``sentence_bad`` (end exclusive); null where the slot is not printed."""

FEATURES: dict[str, pa.DataType] = {
    "construction": _TEXT,
    "controller": _TEXT,
    "controller_number": _TEXT,
    "controller_gender": _TEXT,
    "controller_person": _TEXT,
    "attractor": _TEXT,
    "attractor_number": _TEXT,
    "attractor_gender": _TEXT,
    "match": _TEXT,
    "intervenes": _FLAG,
    "distance": _INT,
    "target": _TEXT,
}
"""What results are split by, for every pair. ``controller``, ``attractor``, ``target``: lemmas (several
attractors: joined by commas); ``match``: ``match`` or ``mismatch`` of the attractors' number with the
controller's; ``intervenes``: an attractor stands between controller and target; ``distance``: words from
controller to target (1: neighbours). Null where a paradigm has no such thing."""


def pair_schema(extra: Iterable[str] = ()) -> pa.Schema:
    """Schema of minimal pairs; ``extra`` are names of further features (texts)."""
    features = pa.struct([*FEATURES.items(), *((name, _TEXT) for name in extra)])
    texts = ("id", "set_id", "UID", "field", "linguistics_term", "language")
    return pa.schema(
        [
            *((name, _TEXT) for name in texts),
            ("pair_id", _INT),
            ("sentence_good", _TEXT),
            ("sentence_bad", _TEXT),
            ("tokens_good", _TEXT),
            ("tokens_bad", _TEXT),
            ("simple_LM_method", _FLAG),
            ("one_prefix_method", _FLAG),
            ("two_prefix_method", _FLAG),
            ("lexically_identical", _FLAG),
            ("one_prefix_prefix", _TEXT),
            ("one_prefix_word_good", _TEXT),
            ("one_prefix_word_bad", _TEXT),
            ("two_prefix_prefix_good", _TEXT),
            ("two_prefix_prefix_bad", _TEXT),
            ("two_prefix_word", _TEXT),
            ("slots", pa.list_(SLOT)),
            ("features", features),
        ]
    )


_END = pa.struct([("form", _TEXT), ("lemma", _TEXT), ("feats", _TEXT), ("index", _INT)])

CLOZE = pa.schema(
    [
        *((n, _TEXT) for n in ("id", "language", "treebank", "sent_id", "text", "left", "right")),
        *((n, _TEXT) for n in ("answer", "lemma", "upos", "feats", "relation", "masked")),
        ("controller", _END),
        ("target", _END),
        ("agrees_in", pa.list_(_TEXT)),
        ("distance", _INT),
        ("distractors", _INT),
    ]
)
"""Cloze items: one masked word, ``left`` and ``right`` of it as ordinary text."""

_REGION = pa.struct([("name", _TEXT), ("text", _TEXT), ("start", _INT), ("end", _INT)])
_CONDITION = pa.struct([("name", _TEXT), ("text", _TEXT), ("regions", pa.list_(_REGION))])

SUITE = pa.schema(
    [
        *((n, _TEXT) for n in ("id", "suite", "phenomenon", "modifier", "item", "language")),
        ("conditions", pa.list_(_CONDITION)),
        ("predictions", pa.list_(_TEXT)),
    ]
)
"""Suite items: named conditions with regions, and the formulas that should hold of their surprisals."""
