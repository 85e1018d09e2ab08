"""A new language: what treebanks show of it, tables of forms from sources, first paradigms."""
