"""Treebanks: agreement items mined from Universal Dependencies."""
