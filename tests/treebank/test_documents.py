"""No document has too large a share of the items."""

from collections import Counter

import pyarrow as pa

from solecism.treebank import mining as documents
from solecism.treebank.mining import FEWEST, SHARE, DocumentQuota, document_of


def table(sizes: dict[str, int], relation: str = "verb") -> pa.Table:
    """Items of documents, so many each."""
    ids = [f"{name}-{number}" for name, size in sizes.items() for number in range(size)]
    rows = [{"treebank": "UD_Own", "sent_id": name, "relation": relation} for name in ids]
    return pa.Table.from_pylist(rows)


def spread(*tables: pa.Table) -> Counter[str]:
    """How many items of each document go."""
    one = DocumentQuota()
    gone = [part for given in tables for part in (one.take(given), one.rest(end=False))]
    parts = [part for part in (*gone, one.rest()) if part is not None]
    found = pa.concat_tables(parts).to_pylist()
    assert len(found) == len({tuple(item.values()) for item in found})
    return Counter(document_of(item["sent_id"])[:-1] for item in found)


def test_the_document_is_what_stands_before_the_last_number() -> None:
    assert document_of("weblog-own.com_2004-ENG_20-0012") == "weblog-own.com_2004-ENG_20-"
    assert document_of("n01001011") == document_of("n02") == "n"


def test_no_document_has_more_than_its_share() -> None:
    sizes = {"big": 200, **{f"d{n}": 20 for n in "abcdefghijkl"}}
    found = spread(table(sizes))
    assert found["big"] <= SHARE * found.total()
    assert all(found[name] == 20 for name in sizes if name != "big")


def test_few_items_may_be_of_one_document() -> None:
    assert spread(table({"big": 30, **dict.fromkeys("abcdefghi", 1)}))["big"] == FEWEST


def test_where_there_are_no_documents_all_items_go() -> None:
    assert spread(table({"train": 300, "test": 40})).total() == 340


def test_relations_are_counted_apart() -> None:
    sizes = {"big": 30, **dict.fromkeys("abcdefghi", 1)}
    found = spread(table(sizes), table(sizes, "determiner"))
    assert found["big"] == 2 * FEWEST


def test_not_too_many_items_wait(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(documents, "_WAITING", 20)
    assert spread(table({"train": 40}), table({"train": 0, "test": 40})).total() == 80
