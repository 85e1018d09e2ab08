"""Build, check, publish and score data sets of controlled grammatical mistakes.

The public functions are imported when they are first used, so that ``import solecism`` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solecism.check.audit import audit as audit
    from solecism.datasets.build import build as build
    from solecism.errors import InputError as InputError
    from solecism.grammar.pairs import draw_pairs as draw_pairs
    from solecism.grammar.paradigm import load_paradigm as load_paradigm
    from solecism.hub.load import load as load
    from solecism.reports.report import report as report
    from solecism.root import find_root as find_root
    from solecism.scoring.explanation import explain as explain
    from solecism.scoring.run import score as score
    from solecism.scoring.run import score_all as score_all
    from solecism.treebank.mining import mine as mine

    __version__: str

_PUBLIC = {
    "InputError": "solecism.errors",
    "audit": "solecism.check.audit",
    "build": "solecism.datasets.build",
    "draw_pairs": "solecism.grammar.pairs",
    "explain": "solecism.scoring.explanation",
    "find_root": "solecism.root",
    "load": "solecism.hub.load",
    "load_paradigm": "solecism.grammar.paradigm",
    "mine": "solecism.treebank.mining",
    "report": "solecism.reports.report",
    "score": "solecism.scoring.run",
    "score_all": "solecism.scoring.run",
    "__version__": "solecism.version",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'solecism' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(_PUBLIC)
