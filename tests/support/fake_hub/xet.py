"""Files that hf_xet has put into a ``local://`` store, found by their SHA-256."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["fetch"]

ENTRY = 48
"""Bytes of a shard's header and of each of its entries."""


def fetch(store: Path, sha256: str, size: int) -> tuple[str, bytes] | None:
    """Give a file's xet hash and content; None where it was not uploaded."""
    wanted = bytes.fromhex(sha256)
    for shard in (store / "xet" / "xorbs" / "shards").glob("*.mdb"):
        for xet, digest in _files(shard.read_bytes()):
            if wanted in (digest, _swap(digest)):
                return xet, _download(store, xet, size)
    return None


def _swap(data: bytes) -> bytes:
    """Turn a hash from the order on disk (four little-endian words) into that of its text, and
    back."""
    return b"".join(data[i : i + 8][::-1] for i in range(0, 32, 8))


def _files(shard: bytes) -> Iterator[tuple[str, bytes]]:
    """Xet hash and SHA-256 of each file of a shard: a header, then entries up to one of 0xFF."""
    place = ENTRY
    while place + ENTRY <= len(shard) and shard[place : place + 32] != b"\xff" * 32:
        flags = int.from_bytes(shard[place + 32 : place + 36], "little")
        count = int.from_bytes(shard[place + 36 : place + 40], "little")
        verified, described = flags >> 31 & 1, flags >> 30 & 1
        after = place + ENTRY * (1 + count * (1 + verified))
        if described:
            yield _swap(shard[place : place + 32]).hex(), shard[after : after + 32]
        place = after + ENTRY * described


def _download(store: Path, xet: str, size: int) -> bytes:
    import hf_xet

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "file")
        session = hf_xet.XetSession()
        with session.new_file_download_group(endpoint=f"local://{store}") as group:
            group.start_download_file(hf_xet.XetFileInfo(xet, size), str(target))
        return target.read_bytes()
