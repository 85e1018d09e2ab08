"""Items spread over documents: no document of a treebank has too large a share of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pyarrow as pa

__all__ = ["FEWEST", "SHARE", "DocumentQuota", "document_of"]

SHARE = 0.1
"""The share of a treebank's items of a relation that one document may have."""

FEWEST = 10
"""So many documents a treebank must have, and so many items any document may have."""

_WAITING = 1 << 16
_NUMBER = re.compile(r"\d+\D*$")


def document_of(sent_id: str) -> str:
    """Return the document of a sentence: the part of its ID before the last number.

    >>> document_of("GUM_academic_art-12")
    'GUM_academic_art-'
    """
    return _NUMBER.sub("", sent_id)


class DocumentQuota:
    """Lets items go while their document has not more than its share; others wait for the end.

    Where a treebank has fewer documents than :data:`FEWEST`, all of them go in the end. No more
    than 65,536 items wait: then a treebank has its documents, or is said to have none.
    """

    def __init__(self) -> None:
        self._total: Counter[tuple[str, str]] = Counter()
        self._taken: Counter[tuple[str, str, str]] = Counter()
        self._documents: dict[str, set[str]] = defaultdict(set)
        self._free: set[str] = set()
        self._waiting: list[pa.Table] = []

    def take(self, items: pa.Table) -> pa.Table:
        """Return the items that may go now."""
        keys = _keys(items)
        for treebank, document, _ in keys:
            if len(self._documents[treebank]) < FEWEST:
                self._documents[treebank].add(document)
        goes = [self._goes(*key) for key in keys]
        if all(goes):
            return items
        self._waiting.append(items.filter(pa.array([not go for go in goes])))
        return items.filter(pa.array(goes))

    def rest(self, end: bool = True) -> pa.Table | None:
        """Return what may go of the items that wait: at the ``end``, or when too many wait."""
        number = sum(map(len, self._waiting))
        if not number or (not end and number <= _WAITING):
            return None
        waiting = pa.concat_tables(self._waiting)
        self._waiting = []
        self._free |= {name for name, known in self._documents.items() if len(known) < FEWEST}
        keys = _keys(waiting)
        goes, left = [False] * len(keys), list(range(len(keys)))
        while more := [row for row in left if self._goes(*keys[row])]:
            for row in more:
                goes[row] = True
            left = [row for row in left if not goes[row]]
        return waiting.filter(pa.array(goes))

    def _goes(self, treebank: str, document: str, relation: str) -> bool:
        total = self._total[treebank, relation] + 1
        taken = self._taken[treebank, document, relation] + 1
        if treebank not in self._free and taken > max(FEWEST, SHARE * total):
            return False
        self._total[treebank, relation] = total
        self._taken[treebank, document, relation] = taken
        return True


def _keys(items: pa.Table) -> list[tuple[str, str, str]]:
    columns = (items[name].to_pylist() for name in ("treebank", "sent_id", "relation"))
    return [
        (treebank, document_of(sent_id or ""), relation)
        for treebank, sent_id, relation in zip(*columns, strict=True)
    ]
