"""Data sets: the catalogue, building folders, their documents, manifests and locks."""
