"""Helpers of the tests that push and load: small releases, hubs with warm processes, what must
hold."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fake_hub import FakeHub, Fault
from fake_hub.warm import Done, Warm
from release import small_root
from solecism.datasets.build import build
from solecism.root import Root

__all__ = ["REPO", "Place", "a_place", "make_releases", "sums"]

REPO = "org/tiny"


def make_releases(folder: Path) -> dict[str, Path]:
    """Build a data set `tiny` in some versions.

    `1.0.0` has Hebrew and French; `1.0.1` has the same items; `2.0.0` has no French and a noun
    less; `too small` is that with the version 1.1.0, `changed` with the version 1.0.0.
    """
    root = _root(folder)
    made = {v: _build(root, folder / v / "tiny", v) for v in ("1.0.0", "1.0.1")}
    shutil.rmtree(root / "templates" / "tiny" / "fr")
    _drop_a_noun(root / "lexicons" / "he" / "noun.tsv")
    names = {"2.0.0": "2.0.0", "too small": "1.1.0", "changed": "1.0.0"}
    return made | {name: _build(root, folder / name / "tiny", v) for name, v in names.items()}


def _root(folder: Path) -> Path:
    root = folder / "root"
    for language in ("he", "fr"):
        small_root(root, language)
    (root / "templates" / "clams").rename(root / "templates" / "tiny")
    return root


def _build(root: Path, out: Path, version: str) -> Path:
    told = f'[tiny]\nversion = "{version}"\npretty_name = "Tiny"\n'
    (root / "catalogue.toml").write_text(told, encoding="utf-8")
    build("tiny", out=out, root=Root(root))
    return out


def _drop_a_noun(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    gone = next(n for n, line in enumerate(lines) if "Anim" in line.split("\t") and n > 1)
    path.write_text("\n".join(lines[:gone] + lines[gone + 1 :]) + "\n", encoding="utf-8")


def sums(folder: Path) -> dict[str, str]:
    """SHA-256 of every file of a release."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files
    }


@dataclass
class Place:
    """A hub, a warm process for it, and a guard that looks at the tags after every request."""

    hub: FakeHub
    warm: Warm
    folder: Path
    violations: list[str] = field(default_factory=list)
    _tags: dict[str, str] = field(default_factory=dict)
    _homes: int = 0

    def fresh(self) -> None:
        """Empty the hub."""
        self.hub.reset()
        self._tags, self.violations = {}, []
        self.hub.watch = self._guard

    def home(self) -> Path:
        """A new folder for caches."""
        self._homes += 1
        home = self.folder / f"home-{self._homes}"
        home.mkdir()
        return home

    def push(self, release: Path, *more: str, home: Path | None = None, **env: str) -> Done:
        """Run ``solecism push`` in a process of its own."""
        arguments = ["push", str(release), "--to", REPO, *more]
        return self.warm.run(arguments, home or self.home(), env)

    def push_killed(self, release: Path, fault: Fault) -> Done:
        """Push, and kill the process where the fault strikes."""
        pid: list[int] = []

        def kill() -> None:
            while not pid:
                time.sleep(0.001)
            os.kill(pid[0], signal.SIGKILL)

        fault.action = kill
        self.hub.faults = [fault]
        running = self.warm.start(["push", str(release), "--to", REPO], self.home())
        pid.append(running.pid)
        return running.wait()

    def load(
        self, config: str, home: Path, version: str | None = None, **env: str
    ) -> dict[str, Any]:
        """Call ``solecism.load`` in a process of its own; what it gives, or its error."""
        arguments = [config, version or "", REPO]
        done = self.warm.run(arguments, home, env, code=LOAD)
        assert done.code == 0, done.err
        return json.loads(done.out.splitlines()[-1])  # type: ignore[no-any-return]

    def requests(self, method: str = "", part: str = "") -> list[str]:
        """The requests of a method whose path has a part."""
        return [
            str(seen) for seen in self.hub.log if method in ("", seen.method) and part in seen.path
        ]

    def _guard(self, hub: FakeHub) -> None:
        """A tag is never moved, and shows a whole release: just what its manifest says."""
        tags = hub.repos[REPO].tags if REPO in hub.repos else {}
        for tag, commit in tags.items():
            if self._tags.setdefault(tag, commit) != commit:
                self.violations.append(f"{tag} was moved")
            files = hub.repos[REPO].commits[commit].files
            shown = {path: blob.sha256 for path, blob in files.items()}
            self.violations += _missing(tag, shown, json.loads(files["manifest.json"].data))


def _missing(tag: str, shown: Mapping[str, str], manifest: Mapping[str, Any]) -> list[str]:
    said = {p: f["sha256"] for c in manifest["configs"].values() for p, f in c["files"].items()}
    wrong = [f"{tag}: {path} is not as built" for path in said if shown.get(path) != said[path]]
    beside = [path for path in shown if path.endswith(".parquet") and path not in said]
    documents = [d for d in ("README.md",) if d not in shown]
    version = [] if tag == f"v{manifest['version']}" else [f"{tag} shows {manifest['version']}"]
    return wrong + beside + documents + version


LOAD = """
import json, sys, warnings
import solecism

config, version, repo = sys.argv[1:]
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    try:
        rows = solecism.load("tiny", config, version=version or None, repo=repo)
        told = {"rows": len(rows), "first": rows[0]["sentence_good"], "ids": sorted(rows["id"])}
    except solecism.InputError as error:
        told = {"error": str(error)}
told["warnings"] = [str(w.message) for w in said if w.category is UserWarning]
print(json.dumps(told))
"""


@contextmanager
def a_place(folder: Path, xet: bool = False) -> Iterator[Place]:
    """Serve a hub with a warm process beside it."""
    with FakeHub(folder / "xet" if xet else None) as hub:
        warm = Warm(hub.env(folder / "home"), folder)
        place = Place(hub, warm, folder)
        place.fresh()
        try:
            yield place
        finally:
            warm.close()
