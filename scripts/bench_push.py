"""Measure what pushing a built data set takes in memory and time, and loading a config of it in
time.

    solecism build clams --out /tmp/clams
    python scripts/bench_push.py /tmp/clams he

A hub of our own (``tests/support/fake_hub``) runs in this process; push and load run in processes
of their own that note memory and time when all imports are done.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1] / "tests/support"

MEASURE = """
import json, sys, time
from importlib import import_module
from pathlib import Path

for name in (
    "datasets.packaged_modules.parquet.parquet", "huggingface_hub.hf_file_system", "huggingface_hub.lfs",
    "pyarrow.dataset", "solecism.hub.push", "solecism.hub.load", "hf_xet",
):
    import_module(name)

def memory(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(key)).split()[1]) / 1024

Path("/proc/self/clear_refs").write_text("5")
imports, start = memory("VmRSS"), time.perf_counter()
{work}
wall = time.perf_counter() - start
print(json.dumps({{"imports_mb": imports, "beyond_mb": memory("VmHWM") - imports, "wall_s": wall}}))
"""
PUSH = "from solecism.hub.push import push\npush(Path(sys.argv[1]), sys.argv[2])"
LOAD = "import solecism\nrows = solecism.load(sys.argv[1], sys.argv[2], version=sys.argv[3], repo=sys.argv[4])"


def measure(work: str, arguments: list[str], env: dict[str, str]) -> dict[str, float]:
    """Run work in a new process; give its memory in MB and its time in seconds."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE.format(work=work), *arguments],
        env={**os.environ, **env},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def show(name: str, found: dict[str, float]) -> None:
    """Print a row."""
    print(
        f"| {name} | {found['imports_mb']:.0f} | {found['beyond_mb']:.0f} | {found['wall_s']:.2f} |"
    )


def main() -> None:
    """Push, push again, load cold, load warm; over HTTP and over xet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder made by solecism build")
    parser.add_argument("config")
    asked = parser.parse_args()
    sys.path.insert(0, str(TESTS))
    FakeHub = import_module("fake_hub").FakeHub  # noqa: N806

    manifest = json.loads((asked.folder / "manifest.json").read_text(encoding="utf-8"))
    print("| what | imports, MB | beyond, MB | s |\n|---|---:|---:|---:|")
    for name in ("http", "xet"):
        with tempfile.TemporaryDirectory() as folder, FakeHub(xet_of(name, folder)) as hub:
            bench(name, asked, manifest, hub.env(Path(folder)))


def xet_of(name: str, folder: str) -> Path | None:
    """The store of a hub with xet."""
    return Path(folder, "xet") if name == "xet" else None


def bench(
    name: str, asked: argparse.Namespace, manifest: dict[str, Any], env: dict[str, str]
) -> None:
    """Measure with one hub."""
    dataset, version = manifest["dataset"], manifest["version"]
    repo = f"org/{dataset}"
    pushed = [str(asked.folder), repo]
    show(f"push {dataset}, {name}", measure(PUSH, pushed, env))
    show(f"push {dataset} again, {name}", measure(PUSH, pushed, env))
    loaded = [dataset, asked.config, version, repo]
    for state in ("cold", "warm"):
        show(f"load {asked.config} {state}, {name}", measure(LOAD, loaded, env))


if __name__ == "__main__":
    main()
