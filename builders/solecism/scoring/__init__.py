"""Scoring: what language models make of items. Most of it needs the extra ``score``."""
