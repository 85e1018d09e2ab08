"""Engines: ways to run a model fast, with the same figures."""
