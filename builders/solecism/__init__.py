"""Solecism: data sets of controlled grammatical mistakes, and what language models make of them.

The public functions are loaded when they are first asked for, so that ``import solecism`` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = [
    "InputError",
    "audit",
    "build",
    "draw_pairs",
    "find_root",
    "load",
    "load_paradigm",
    "mine",
    "report",
    "score",
]

_PUBLIC = {
    "InputError": "solecism.errors",
    "audit": "solecism.check.audit",
    "build": "solecism.datasets.build",
    "draw_pairs": "solecism.grammar.pairs",
    "find_root": "solecism.root",
    "load": "solecism.hub.load",
    "load_paradigm": "solecism.grammar.paradigm",
    "mine": "solecism.treebank.mining",
    "report": "solecism.reports.report",
    "score": "solecism.scoring.run",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("solecism.version").__version__
    if name not in _PUBLIC:
        raise AttributeError(f"module 'solecism' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
