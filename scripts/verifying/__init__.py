"""Lexicons compared with treebanks, UniMorph and analysers: the parts of
``scripts/verify_lexicon.py``."""
