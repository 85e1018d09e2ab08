"""Words that no sentence of a public data set should have, or not together.

``lexicons/<language>/unwanted.tsv`` has the columns ``words``, ``with`` and ``reason``. A sentence
is unwanted if it has one of the words and, where ``with`` is not empty, one of those too (``+``
before them: as its next word). An entry is a lemma of the lexicon (all its forms), ``*name`` (all
words of a class), or a form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.lexicon.table import read_tsv
from solecism.lexicon.typical import NamedWords

UNWANTED = "unwanted"


@dataclass(frozen=True)
class UnwantedWords:
    """One line of the list: patterns of RE2 over *tokens*, and the reason."""

    words: str
    others: str
    reason: str

    def found(self, tokens: pa.Array | pa.ChunkedArray) -> NDArray[np.bool_]:
        """Return which sentences (in the form *tokens*) have the words."""
        hit = pc.match_substring_regex(tokens, self.words)
        if self.others and pc.any(hit).as_py():
            hit = pc.and_(hit, pc.match_substring_regex(tokens, self.others))
        flags = hit.combine_chunks() if isinstance(hit, pa.ChunkedArray) else hit
        return np.asarray(flags.fill_null(False).to_numpy(zero_copy_only=False), dtype=bool)


def unwanted_in(
    lists: Sequence[UnwantedWords], tokens: pa.Array | pa.ChunkedArray
) -> NDArray[np.bool_]:
    """Return which sentences have unwanted words: most have none of any line, and are read once."""
    out = np.zeros(len(tokens), dtype=bool)
    anything = UnwantedWords("|".join(words.words for words in lists), "", "")
    rows = np.flatnonzero(anything.found(tokens)) if lists else np.array([], dtype=np.intp)
    if len(rows):
        some = tokens.take(pa.array(rows))
        out[rows] = np.logical_or.reduce([words.found(some) for words in lists])
    return out


def read_unwanted(path: Path, named: Callable[[], NamedWords]) -> list[UnwantedWords]:
    """Read the list of a language, which may be missing; raises :class:`InputError`."""
    if not path.exists():
        return []
    words_of = named()

    def forms(cell: str) -> Iterator[str]:
        for entry in filter(None, (entry.strip() for entry in cell.split(","))):
            keys = words_of.of(entry)
            rows = (words_of.tables[name].row(lemma) for name, lemma in keys)
            yield from (form for row in rows for form in row.forms.values() or [row.lemma])
            if not keys:
                yield entry

    _, *lines = read_tsv(path, ["words", "with", "reason"])
    found = []
    for _, (words, others, reason, *_) in lines:
        next_words = forms(others[1:] if others.startswith("+") else "")
        further = forms("" if others.startswith("+") else others)
        found.append(UnwantedWords(_pattern(forms(words), next_words), _pattern(further), reason))
    return found


def _pattern(forms: Iterable[str], next_forms: Iterable[str] = ()) -> str:
    """Return a pattern for one of these words in a sentence, with one of others after it."""
    words, after = _one_of(forms), _one_of(next_forms)
    return f"(?:^| ){words}{' ' if after else ''}{after}(?: |$)" if words else ""


def _one_of(forms: Iterable[str]) -> str:
    known = "|".join(map(re.escape, sorted(set(forms))))
    return f"(?:{known})" if known else ""
