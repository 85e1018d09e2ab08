"""The table of answers: one row for each answer of a person, whatever program collected it."""

import pyarrow as pa

DESIGNS = ("choice", "likert", "expert")
"""Forced choice between the two sentences of a pair; a rating of one sentence from 1 to 7; a
reading of each sentence by an expert (yes, no, not applicable)."""

KINDS = ("item", "practice", "catch")
"""What a row is an answer to: an item of the study, a practice trial, a catch trial."""

SIDES = ("good", "bad")
"""The two sentences of a pair."""

PAIR = ("config", "id", "set_id", "UID", "linguistics_term")
"""The columns that say which pair it is."""

_NUMBERS = ("list", "position", "rating", "time", "trials", "n")
_SHARES = ("accuracy", "rating_good", "rating_bad", "gap")


def _schema(*names: str, **more: pa.DataType) -> pa.Schema:
    """Return a schema; columns are texts but for numbers, shares, and ``more``."""
    numbers = {name: pa.int32() for name in _NUMBERS} | {name: pa.float64() for name in _SHARES}
    return pa.schema({name: {**numbers, **more}.get(name, pa.string()) for name in names})


ANSWERS = _schema(
    "study", "participant", "list", "position", "kind", "design", *PAIR, "shown", "answer", "rating",
    "reason", "comment", "time", "trials", "native_language", "flags", flags=pa.list_(pa.string()),
)  # fmt: skip
"""Answers, in the order in which they were given.

``participant``: a pseudonym, never the name that a platform gives; ``list``: the list of the study
that this person saw, from 1; ``position``: the place of the trial in the session, from 1; ``kind``:
one of :data:`KINDS`; ``design``: one of :data:`DESIGNS`. ``config``, ``id``, ``set_id``, ``UID``
and ``linguistics_term`` are those of the pair. ``shown``: in a forced choice the sentence that
stood first (``good`` or ``bad``), else the sentence that was judged. ``answer``: ``good`` or
``bad`` (choice), ``yes``, ``no`` or ``not applicable`` (expert), null (Likert). ``rating``: 1 to 7
(Likert), else null. ``reason`` and ``comment``: what an expert says beside. ``time``: milliseconds
from the moment when the trial was shown. ``trials``: how many trials the whole session has, so that
one that was broken off can be told. ``native_language``: as the person states it. ``flags``: what
was noted, as ``honeypot`` (a hidden field was filled in) or ``resumed`` (after a reload).
"""

VERDICTS = ("keep", "drop")
"""What is to become of a pair: people confirm its label, or they do not."""

JUDGMENTS = _schema(
    "id", "set_id", "UID", "linguistics_term", "n", *_SHARES, "time", "verdict", time=pa.float64()
)
"""What people found of pairs: the rows of a config ``<config>-judgments``.

``id``, ``set_id``, ``UID`` and ``linguistics_term`` are those of the pair. ``n``: answers that
count; ``accuracy``: the share of them that are right (see :mod:`solecism.judge.outcome`);
``rating_good``, ``rating_bad``: mean ratings (1 to 7, null in other designs); ``gap``: the
difference of their z-scores; ``time``: milliseconds, the median; ``verdict``: one of
:data:`VERDICTS`.
"""
