"""No document has too large a share of the items."""

from collections import Counter

import pyarrow as pa
import pytest

from solecism.hashing import hex_ids, text_hashes
from solecism.schema import CLOZE
from solecism.treebank import mining
from solecism.treebank.mining import FEWEST, SHARE, FreshItems, MiningCounts, document_of


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


def test_no_document_has_more_than_its_share() -> None:
    sizes = {"big": 200, **{f"d{n}": 20 for n in "abcdefghijkl"}}
    found = spread(table(sizes))
    assert found["big"] <= SHARE * found.total()
    assert all(found[name] == 20 for name in sizes if name != "big")


def test_few_items_of_each_relation_may_be_of_one_document() -> None:
    sizes = {"big": 30, **dict.fromkeys("abcdefghi", 1)}
    assert spread(table(sizes), table(sizes, "determiner"))["big"] == 2 * FEWEST


def test_where_there_are_no_documents_all_items_go(monkeypatch: pytest.MonkeyPatch) -> None:
    assert spread(table({"train": 300, "test": 40})).total() == 340
    monkeypatch.setattr(mining, "_WAITING", 20)
    assert spread(table({"train": 40}), table({"train": 0, "test": 40})).total() == 80
