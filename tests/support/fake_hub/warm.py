"""Processes that begin with everything imported: each command runs in a fork of one warm process.

A fork is a process of its own, which can be killed, with its own memory; it only saves the second
of imports that each of a hundred pushes would cost. Waits between repeats pass fifty times faster.
"""

from __future__ import annotations

import gc
import json
import os
import ssl
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["Done", "Running", "Warm"]

FASTER = 50
WARMED = (
    "datasets.packaged_modules.parquet.parquet", "email.policy", "fsspec.implementations.http",
    "huggingface_hub.hf_file_system", "huggingface_hub.lfs", "numpy.f2py", "numpy.polynomial",
    "pyarrow.dataset", "scipy.io", "scipy.sparse", "solecism.commands.diff", "solecism.commands.lock",
    "solecism.commands.push", "solecism.hub.load", "solecism.scoring.items",
)  # fmt: skip
"""The last ones but ours are what ``load_dataset`` imports when it is called."""


@dataclass(frozen=True)
class Done:
    """How a process ended: exit code (negative: the signal that killed it) and what it printed."""

    code: int
    out: str
    err: str


def online(env: Mapping[str, str]) -> dict[str, str]:
    """An environment without what tells the hub's library to be offline."""
    return {name: value for name, value in env.items() if name != "HF_HUB_OFFLINE"}


class Warm:
    """Starts processes in which huggingface_hub, datasets and solecism are imported, against one
    hub."""

    def __init__(self, env: Mapping[str, str], folder: Path) -> None:
        self._folder, self._count = folder, 0
        path = os.pathsep.join(
            str(p) for p in (Path(__file__).parents[1], os.environ.get("PYTHONPATH")) if p
        )
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fake_hub.warm"],
            env={**online(os.environ), **env, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        """End the warm process."""
        self._process.communicate(timeout=30)

    def start(
        self,
        arguments: list[str],
        home: Path,
        env: Mapping[str, str] | None = None,
        code: str = "",
        cwd: Path = Path(),
    ) -> Running:
        """Start ``solecism ARGUMENTS``, or run Python code with ``sys.argv[1:]`` set to them."""
        self._count += 1
        prints = self._folder / f"printed-{self._count}"
        job = {
            "arguments": arguments,
            "home": str(home),
            "env": dict(env or {}),
            "code": code,
            "cwd": str(cwd),
        }
        return Running(self, self.ask({**job, "prints": str(prints)}), prints)

    def run(self, *arguments: Any, **more: Any) -> Done:
        """Start a process (see :meth:`start`) and wait for its end."""
        return self.start(*arguments, **more).wait()

    def ask(self, message: Mapping[str, Any]) -> int:
        """Send a message to the warm process and read its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@dataclass(frozen=True)
class Running:
    """A process that was started."""

    warm: Warm
    pid: int
    prints: Path

    def wait(self) -> Done:
        """Wait for its end."""
        code = self.warm.ask({"wait": self.pid})
        out, err = (
            self.prints.with_suffix(s).read_text(encoding="utf-8") for s in (".out", ".err")
        )
        return Done(code, out, err)


def _serve() -> None:
    _import_all()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        job = json.loads(line)
        if "wait" in job:
            answer = os.waitstatus_to_exitcode(os.waitpid(job["wait"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                _child(job)
        print(answer, file=answers, flush=True)


def _import_all() -> None:
    for name in WARMED:
        with suppress(ModuleNotFoundError):  # with the base install there is no scipy, for one
            import_module(name)
    ssl.create_default_context = cache(ssl.create_default_context)  # nothing here is encrypted
    ssl.create_default_context()
    gc.freeze()

    slow = time.sleep
    time.sleep = lambda seconds: slow(float(seconds) / FASTER)


def _child(job: Mapping[str, Any]) -> None:
    """Run a job and leave; nothing of the warm process is cleaned up."""
    code = 1
    try:
        for number, suffix in ((1, ".out"), (2, ".err")):
            os.dup2(os.open(job["prints"] + suffix, os.O_CREAT | os.O_WRONLY, 0o644), number)
        os.environ.update(job["env"])
        os.chdir(job["cwd"])
        _read_again(Path(job["home"]))
        code = _run(job)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _read_again(home: Path) -> None:
    """Set what was read from the environment at import: where the caches are, and
    HF_HUB_OFFLINE."""
    import datasets.config
    import huggingface_hub.constants

    huggingface_hub.constants.HF_HUB_CACHE = str(home / "hub")
    datasets.config.HF_DATASETS_CACHE = home / "datasets"
    huggingface_hub.constants.HF_HUB_OFFLINE = os.environ.get("HF_HUB_OFFLINE") == "1"


def _run(job: Mapping[str, Any]) -> int:
    sys.argv = ["solecism", *job["arguments"]]
    try:
        if job["code"]:
            exec(compile(job["code"], "job", "exec"), {"__name__": "__main__"})
        else:
            from solecism.commands import main

            main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


if __name__ == "__main__":
    _serve()
