"""Kill a command at every write, rename and sync, or fill the disk there, and see what is left.

    python tests/support/faulty/run.py [--every N] [VERB ...]

After a kill the same command is run again: the folder must be as if nothing had happened, with
nothing left behind. On a full disk the command must say so with exit code 2 and leave everything as
it was. Commands run in forks of this process, which has imported what they need, so that a trial
takes milliseconds. A C compiler makes the shim (``faults.c``) that counts the calls and lets them
fail.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
COUNT, KILL, FULL = 1, 2, 3
State = dict[str, bytes]


@dataclass(frozen=True)
class Trial:
    """A command, and what makes the folder that it starts from.

    ``keeps``: what may stay on a full disk, for the next run to go on with (a part of a path).
    """

    command: tuple[str, ...]
    prepare: Callable[[Path], None]
    keeps: str | None = None


def preloaded() -> None:
    """Start this program again with the shim, unless it has it."""
    if "SOLECISM_FAULTS" in os.environ:
        return
    library = Path(tempfile.mkdtemp(), "faults.so")
    compiler = shutil.which("cc") or shutil.which("gcc") or sys.exit("there is no C compiler")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "faults.c", "-ldl"], check=True
    )
    more = {"LD_PRELOAD": str(library), "SOLECISM_FAULTS": str(library), "OMP_NUM_THREADS": "1"}
    os.execve(sys.executable, [sys.executable, __file__, *sys.argv[1:]], {**os.environ, **more})


def run(command: Sequence[str], folder: Path, mode: int = 0, at: int = 0) -> tuple[int, int, str]:
    """Run a command in a fork; return its exit status, the calls that were counted and what it
    printed."""
    said = folder.with_suffix(".said")
    count = folder.with_suffix(".count")
    child = os.fork()
    if child == 0:
        _child(command, folder, said, count, mode, at)
    _, status = os.waitpid(child, 0)
    calls = int(count.read_text()) if count.exists() else 0
    return os.waitstatus_to_exitcode(status), calls, said.read_text(errors="replace")


def _child(
    command: Sequence[str], folder: Path, said: Path, count: Path, mode: int, at: int
) -> None:
    from solecism.commands import main

    code = 70
    try:
        out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.chdir(folder)
        shim = ctypes.CDLL(os.environ["SOLECISM_FAULTS"])
        shim.faults_seen.restype = ctypes.c_long
        shim.faults_arm(mode, ctypes.c_long(at), f"{folder}/".encode())
        try:
            main(list(command))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        seen = shim.faults_seen()
        shim.faults_arm(0, ctypes.c_long(0), b"")
        count.write_text(str(seen))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def state(folder: Path) -> State:
    """Read everything below a folder; empty folders count too."""
    return {
        path.relative_to(folder).as_posix(): b"" if path.is_dir() else comparable(path)
        for path in sorted(folder.rglob("*"))
    }


def comparable(path: Path) -> bytes:
    """The bytes of a file; of a result without the seconds that it took."""
    if path.suffix == ".json" and path.parent.name == "results":
        value = json.loads(path.read_bytes())
        value.pop("environment", None)
        return json.dumps(value).encode()
    return path.read_bytes()


def difference(one: State, two: State) -> str:
    """Say which files two states do not share."""
    names = [name for name in sorted({*one, *two}) if one.get(name) != two.get(name)]
    return ", ".join(names)


def try_verb(name: str, trial: Trial, every: int, work: Path) -> tuple[int, list[str]]:
    """Let a command fail at every ``every``-th call; return the number of trials and what was
    wrong."""
    start = work / name
    start.mkdir()
    trial.prepare(start)
    before = state(start)

    def fresh() -> Path:
        shutil.rmtree(work / "run", ignore_errors=True)
        shutil.copytree(start, work / "run", symlinks=True)
        return work / "run"

    folder = fresh()
    code, _, said = run(trial.command, folder)
    if code:
        return 1, [f"does not even run undisturbed: {said}"]
    after = state(folder)
    _, calls, _ = run(trial.command, fresh(), COUNT)
    wrong, tried = [], range(1, calls + 1, every)
    for at in tried:
        run(trial.command, folder := fresh(), KILL, at)
        code, _, said = run(trial.command, folder)
        if code or state(folder) != after:
            wrong.append(f"killed at {at}: {difference(state(folder), after)} {said[-300:]}")
        code, _, said = run(trial.command, folder := fresh(), FULL, at)
        left = {
            name: data
            for name, data in state(folder).items()
            if not (trial.keeps and trial.keeps in name)
        }
        untouched = left == (after if code == 0 else before)
        if code not in (0, 2) or "Traceback" in said or not untouched:
            changed = difference(left, before)
            wrong.append(f"full at {at}: exit code {code}, changed: {changed} {said[-300:]}")
    return 2 * len(tried), wrong


def main() -> None:
    """Try all verbs, or those named; exit with 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("verbs", nargs="*")
    parser.add_argument("--every", type=int, default=1, help="try only every Nth call")
    options = parser.parse_args()
    preloaded()
    sys.path.insert(0, str(HERE.parent))
    from faulty.trials import TRIALS

    failed = False
    with tempfile.TemporaryDirectory() as work:
        for name in options.verbs or TRIALS:
            number, wrong = try_verb(name, TRIALS[name], options.every, Path(work).resolve())
            print(f"{name:<12} {number:>6,} trials  {len(wrong):>4} wrong", flush=True)
            for line in wrong[:10]:
                print(f"  {line}", flush=True)
            failed |= bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
