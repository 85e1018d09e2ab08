"""Commands that are killed, or find the disk full, at any write, rename or sync lose and leave
nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from release import CHECKOUT

EVERY = {
    "build": 9, "lock": 2, "diff": 2, "mine": 3, "build-avg": 3, "import-avg": 3, "new": 5, "convert": 3,
    "score": 9,
}  # fmt: skip
"""Which calls are tried here: every so manyth. ``python tests/support/faulty/run.py`` tries them
all."""


@pytest.mark.skipif(
    sys.platform != "linux" or not (shutil.which("cc") or shutil.which("gcc")),
    reason="needs Linux and a C compiler",
)
@pytest.mark.parametrize("verb", EVERY)
def test_nothing_is_lost_or_left_behind(verb: str) -> None:
    command = [
        sys.executable,
        CHECKOUT / "tests/support/faulty/run.py",
        "--every",
        str(EVERY[verb]),
        verb,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 wrong" in done.stdout
