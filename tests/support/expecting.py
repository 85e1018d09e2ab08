"""What bad input is told: the problems as texts, with paths below the data root."""

from collections.abc import Callable
from pathlib import Path

import pytest

from solecism.errors import InputError


def problems_of(call: Callable[[], object], root: Path) -> list[str]:
    """Call something that must raise :class:`InputError`; give its problems as ``path:line:
    message``."""
    with pytest.raises(InputError) as caught:
        call()
    return [str(problem).removeprefix(f"{root}/") for problem in caught.value.problems]
