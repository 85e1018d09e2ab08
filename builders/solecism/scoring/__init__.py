"""Scoring: what language models make of the items. Needs the extra ``score`` (torch, transformers)."""
