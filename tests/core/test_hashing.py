"""Hashes of texts, one by one, and of columns."""

import numpy as np
import pyarrow as pa

from solecism.hashing import SeenHashes, column_hashes


def test_texts_of_a_column_have_hashes_of_their_own() -> None:
    texts = ["", "\0", "a", "a\0", "abcdefg", "abcdefgh", "abcdefgh\0", "abcdefghi", "é" * 40]
    column = pa.array([*texts, None, *reversed(texts)])
    hashes = column_hashes(column)
    assert len(np.unique(hashes[: len(texts)])) == len(texts)
    assert np.array_equal(hashes[: len(texts)], hashes[:-10:-1])
    assert hashes[len(texts)] == hashes[0]
    assert np.array_equal(column_hashes(column[3:7]), hashes[3:7])
    assert len(column_hashes(column[:0])) == 0


def test_seen_hashes_are_those_of_a_set() -> None:
    rng = np.random.default_rng(1)
    seen, known = SeenHashes(), set[int]()
    for _ in range(50):
        batch = rng.integers(0, 3000, size=rng.integers(0, 120)).astype(np.uint64)
        assert seen.known(batch).tolist() == [number in known for number in batch.tolist()]
        expected = []
        for number in batch.tolist():
            expected.append(number not in known)
            known.add(number)
        assert seen.fresh(batch).tolist() == expected
    assert len(seen._runs) < 12
    assert sum(map(len, seen._runs)) == len(known)
