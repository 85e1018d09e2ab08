"""Pseudonyms in place of the names that platforms give to people."""

from __future__ import annotations

import hashlib

__all__ = ["pseudonym"]


def pseudonym(name: str, salt: str) -> str:
    """Return 24 hexadecimal digits of the SHA-256 of ``salt:name``, as the page computes them.

    Who does not know the salt cannot try out names.
    """
    return hashlib.sha256(f"{salt}:{name}".encode()).hexdigest()[:24]
