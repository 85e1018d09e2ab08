"""Rows of a config are in rounds, so that every first part is a fair sample of its paradigms."""

from collections import Counter

import pyarrow as pa

from solecism.datasets.rows import in_rounds as blocks_in_rounds
from solecism.hashing import hex_ids, text_hashes


def paradigm(name: str, sets: int, pairs: int = 1) -> pa.Table:
    """Return minimal sets of ``pairs`` pairs each, whose ids are hashes."""
    ids = hex_ids(text_hashes(f"{name} {n}" for n in range(sets))).to_pylist()
    rows = [(name, set_id, n) for set_id in ids for n in range(pairs)]
    uids, set_ids, numbers = zip(*rows, strict=True)
    return pa.table({"UID": uids, "set_id": set_ids, "pair_id": numbers})


def in_rounds(paradigms: list[tuple[pa.Table, bool]], block: int = 7) -> pa.Table:
    """Put small blocks together, as a writer does."""
    return pa.concat_tables(blocks_in_rounds(paradigms, block)).combine_chunks()


def test_every_first_part_has_as_many_items_of_each_paradigm() -> None:
    tables = [(paradigm(name, 50), name == "a") for name in "abc"]
    uids = in_rounds(tables)["UID"].to_pylist()
    for stop in (3, 30, 100, 150):
        counts = Counter(uids[:stop]).values()
        assert max(counts) - min(counts) <= 1, stop
    assert len({tuple(uids[n : n + 3]) for n in range(0, 150, 3)}) > 1


def test_a_paradigm_with_few_items_ends_early() -> None:
    uids = in_rounds([(paradigm("few", 2), False), (paradigm("many", 6), False)])["UID"]
    assert Counter(uids.to_pylist()[:4]) == {"few": 2, "many": 2}
    assert uids.to_pylist()[4:] == ["many"] * 4


def test_pairs_of_a_minimal_set_stay_together_in_their_order() -> None:
    rows = in_rounds([(paradigm("a", 20, 3), False), (paradigm("b", 20, 2), True)]).to_pylist()
    ids = [row["set_id"] for row in rows]
    groups = [ids[n] for n in range(len(ids)) if n == 0 or ids[n] != ids[n - 1]]
    assert len(groups) == len(set(groups)) == 40
    assert [row["pair_id"] for row in rows if row["UID"] == "a"] == [0, 1, 2] * 20


def test_what_was_drawn_keeps_its_order_and_what_was_listed_does_not() -> None:
    table = paradigm("a", 40)
    assert in_rounds([(table, True)]).equals(table)
    listed = in_rounds([(table, False)])["set_id"].to_pylist()
    assert listed == sorted(table["set_id"].to_pylist()) != table["set_id"].to_pylist()
