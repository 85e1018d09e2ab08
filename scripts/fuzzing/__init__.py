"""Structural fuzz of every reader: what ``scripts/fuzz.py`` and ``tests/core/test_fuzz.py`` have in
common."""
