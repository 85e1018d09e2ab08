"""Scoring methods, one file each."""
