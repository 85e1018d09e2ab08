"""Coded checks over lexicons, templates and items (``docs/checks.md``)."""
