"""No document has too large a share of the items."""

from collections import Counter

import pyarrow as pa
import pytest

from solecism.hashing import hex_ids, text_hashes
from solecism.schema import CLOZE
from solecism.treebank import mining
from solecism.treebank.mining import FEWEST, FreshItems, MiningCounts, document_of


def table(sizes: dict[str, int], relation: str = "verb") -> pa.Table:
    """Items of documents, so many each."""
    names = [f"{name}-{number}" for name, size in sizes.items() for number in range(size)]
    ids = hex_ids(text_hashes([f"{name} {relation}" for name in names]))
    more = {"treebank": "UD_Own", "relation": relation, "attractors": [], "intervening_noun": False}
    rows = [
        {"id": key, "text": name, "sent_id": name, **more}
        for key, name in zip(ids.to_pylist(), names, strict=True)
    ]
    return pa.Table.from_pylist(rows, CLOZE)


def spread(*tables: pa.Table) -> Counter[str]:
    """How many items of each document go."""
    counts = MiningCounts()
    fresh = FreshItems(counts, strict=True)
    found = pa.concat_tables([*fresh.of(tables), *fresh.rest()]).to_pylist()
    assert len(found) == len({item["id"] for item in found}) == counts.items
    assert counts.items + counts.crowded == sum(map(len, tables))
    return Counter(document_of(item["sent_id"])[:-1] for item in found)


@pytest.mark.parametrize(("others", "most"), [(10, 22), (1, FEWEST)])
def test_no_document_has_more_than_its_share(others: int, most: int) -> None:
    """At most a tenth of the items of a relation, and ten in any case."""
    verbs = dict.fromkeys(["big", *"abcdefghijklmnopqrst"], 50)
    found = spread(table(verbs), table({**dict.fromkeys(verbs, others), "big": 60}, "determiner"))
    assert found == Counter(dict.fromkeys(verbs, 50 + others) | {"big": 50 + most})


def test_a_large_document_sets_the_share_of_all() -> None:
    """Its three large sources are no documents of Italian-ISDT."""
    sizes = {"big": 200, **dict.fromkeys("abcdefghijkl", 20)}
    assert spread(table(sizes)) == Counter(sizes)


def test_where_there_are_no_documents_all_items_go(monkeypatch: pytest.MonkeyPatch) -> None:
    assert spread(table({"train": 300, "test": 40})).total() == 340
    monkeypatch.setattr(mining, "_WAITING", 20)
    assert spread(table({"train": 40}), table({"train": 0, "test": 40})).total() == 80
