"""Judgments of items by readers: sheets without labels, their answers, and what these say."""
