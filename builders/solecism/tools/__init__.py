"""Tools for maintainers: lexicons held against treebanks, word lists and analysers."""
