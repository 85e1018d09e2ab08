"""Sampling: drawing combinations of words, counted, balanced and stable."""
