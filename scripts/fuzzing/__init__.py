"""Structural fuzz of every reader: what ``scripts/fuzz.py`` and ``tests/test_fuzz.py`` have in common."""
