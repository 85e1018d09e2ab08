"""``solecism lm-eval``: lm-eval's own command line with our models registered."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from lm_eval.__main__ import cli_evaluate

from solecism.harness import models

__all__ = ["run_lm_eval"]


def run_lm_eval(arguments: Sequence[str]) -> None:
    """Hand over to lm-eval; ``models`` is imported for what it registers."""
    assert models
    sys.argv = ["lm_eval", *arguments]
    cli_evaluate()
