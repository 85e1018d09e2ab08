"""Works that data are made of: treebanks and lists of forms, their catalogue and their files."""
