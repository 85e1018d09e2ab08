"""Typical arguments held against treebanks: which verbs and nouns stand together there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from solecism.inputs import read_text
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.typical import Key

Pair = tuple[str, str, str]
"""A verb (with the preposition of an oblique, ``talk#to``), a role, a noun: lemmas."""


@dataclass(frozen=True)
class RoleCount:
    """The counts of a role of verbs.

    ``words``: verbs with an entry; ``eight``: those with eight typical nouns or more; ``pairs``:
    the nouns of all of them (no names), of which ``attested`` stand together in a treebank.
    ``met``: pairs that the treebanks have at least ``TWICE`` times, of verbs and nouns that the
    lexicon has; ``listed`` of these are typical.
    """

    role: str
    words: int
    eight: int
    pairs: int
    attested: int
    met: int
    listed: int


TWICE = 2
"""So often must a treebank have a pair that the list should have it."""


def pairs_of(paths: Iterable[Path]) -> Counter[Pair]:
    """Count the verbs and nouns that stand together in treebanks, by role.

    The object of an active verb and the subject of a passive one are both Object; the noun of an
    oblique is the Object of the verb with its preposition.
    """
    counts: Counter[Pair] = Counter()
    for path in paths:
        for filled, lines in groupby(read_text(path).splitlines(), key=bool):
            if filled:
                rows = [line.split("\t") for line in lines if line[0] != "#"]
                counts.update(_pairs({row[0]: row for row in rows if row[0].isdecimal()}))
    return counts


def _pairs(rows: dict[str, list[str]]) -> Iterator[Pair]:
    cases = {row[6]: row[2] for row in rows.values() if row[7] == "case"}
    particles = {row[6]: row[2] for row in rows.values() if row[7] == "compound:prt"}
    for row in rows.values():
        head = rows.get(row[6])
        if head is None or row[3] != "NOUN" or head[3] != "VERB":
            continue
        verb = " ".join(filter(None, (head[2], particles.get(head[0], ""))))
        if row[7] in ("obj", "nsubj:pass"):
            yield verb, "Object", row[2]
        elif row[7] == "nsubj":
            yield verb, "Subject", row[2]
        elif row[7] == "obl" and row[0] in cases:
            yield f"{verb}#{cases[row[0]]}", "Object", row[2]


def count_attested(lexicon: Lexicon, paths: Iterable[Path]) -> list[RoleCount]:
    """Count what is typical of verbs and attested, for each role that treebanks can show."""
    known = lexicon.typical.roles.get("verb", ())
    roles = [role for role in known if role in ("Subject", "Object")]
    if not roles:
        return []
    counts = pairs_of(paths)
    return [_count(lexicon, role, counts) for role in roles]


def _count(lexicon: Lexicon, role: str, counts: Counter[Pair]) -> RoleCount:
    verbs, nouns = lexicon.table("verb"), lexicon.table("noun")
    entries = {
        key[1]: _lemmas(roles[role], lexicon)
        for key, roles in lexicon.typical.words.items()
        if key[0] == "verb" and roles[role]
    }
    # A mark that is no preposition tells senses apart, which treebanks do not.
    shown = {
        lemma: _shown(lemma, verbs.by_lemma[lemma].properties.get("Preposition", ""))
        for lemma in entries
    }
    known_verbs = set(shown.values())
    known_nouns = {row.shown for row in nouns.rows}
    typical = {(shown[lemma], noun) for lemma, found in entries.items() for noun in found}
    met = {
        (verb, noun)
        for (verb, of, noun), count in counts.items()
        if of == role and count >= TWICE and verb in known_verbs and noun in known_nouns
    }
    attested = {(verb, noun) for verb, of, noun in counts if of == role}
    return RoleCount(
        role, len(entries), sum(len(found) >= 8 for found in entries.values()), len(typical),
        len(typical & attested), len(met), len(met & typical),
    )  # fmt: skip


def _lemmas(words: Iterable[Key], lexicon: Lexicon) -> set[str]:
    """Return the nouns among words, without marks."""
    return {lexicon.table(table).row(lemma).shown for table, lemma in words if table == "noun"}


def _shown(lemma: str, preposition: str) -> str:
    plain = lemma.partition("#")[0]
    return f"{plain}#{preposition}" if preposition else plain
