"""Releases: building data sets as folders that ``load_dataset`` opens, with card and manifest."""
