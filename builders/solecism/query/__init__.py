"""Search treebanks in Grew's language, and make items and minimal pairs of what is found."""
