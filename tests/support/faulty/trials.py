"""The commands that are let fail, each with the folder that it starts from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import datasets  # noqa: F401  (imported once, before commands run in forks)
import pyarrow as pa
import pyarrow.parquet

from faulty.run import Trial
from release import CHECKOUT, small_root
from solecism.avg.grammar import build_avg
from solecism.baselines.ngram import estimate, save_ngram
from solecism.commands import score as score_verb  # noqa: F401
from solecism.datasets.build import build
from solecism.root import Root
from syntaxgym_suite import AGREEMENT

GRAMMAR = "vary: V[]\nS[] il V[s]\nS[] ils V[p]\nV[s] rit dort\nV[p] rient dorment\n"
CATALOGUE = '[clams]\nversion = "1.0.0"\npretty_name = "Small"\n'


def rebuilt(folder: Path) -> None:
    """A data set of two configs that was built, one of which has changed; and an owner's own
    files."""
    root = small_root(folder, "he")
    small_root(folder, "fr")
    (folder / "catalogue.toml").write_text(CATALOGUE)
    build("clams", out=folder / "clams", root=root)
    (folder / "clams" / "notes.txt").write_text("mine")
    (folder / "clams" / "he" / "notes.txt").write_text("mine too")
    (folder / "clams" / "thesis").mkdir()
    (folder / "clams" / "thesis" / "one.tex").write_text("mine as well")
    template = folder / "templates" / "clams" / "he" / "simple_agrmt.jinja"
    template.write_text(template.read_text().replace("draw: all", "draw: 100"))


def locked(folder: Path) -> None:
    """A built data set and a lock that knows another version of it."""
    rebuilt(folder)
    shutil.rmtree(folder / "clams")
    root = Root(folder)
    build("clams", out=folder / "clams", root=root)
    other = '{"clams": {"0.9.0": {"commit": "", "configs": {}}}}\n'
    (folder / "catalogue.lock.json").write_text(other)


def two_versions(folder: Path) -> None:
    """Two versions of a data set, and a changelog with a note of its owner."""
    root = small_root(folder, "he")
    (folder / "catalogue.toml").write_text(CATALOGUE)
    build("clams", out=folder / "old", root=root)
    (folder / "catalogue.toml").write_text(CATALOGUE.replace("1.0.0", "1.1.0"))
    small_root(folder, "he", ("simple_agrmt", "vp_coord"))
    build("clams", out=folder / "new", root=root)
    log = folder / "dataset_cards" / "clams.changelog.md"
    log.write_text("# Changelog\n\n## 1.1.0\n\nBy hand.\n")


def treebank(folder: Path) -> None:
    """A treebank, and items that were mined before."""
    for name in ("relations", "coordination"):
        shutil.copy(CHECKOUT / "tests" / "treebanks" / f"{name}.conllu", folder)
    (folder / "items.parquet").write_bytes(b"old items")


def grammars(folder: Path) -> None:
    """Grammars, the sentences of an earlier run, and a file of their owner."""
    (folder / "grammars").mkdir()
    for name in ("one", "two"):
        (folder / "grammars" / f"{name}.avg").write_text(GRAMMAR)
    build_avg(folder / "grammars", folder / "sets")
    (folder / "sets" / "one.txt").write_text("True\told\n")
    (folder / "sets" / "notes.txt").write_text("mine")


def suites(folder: Path) -> None:
    """A suite as SyntaxGym's JSON, and a file of its owner where the converted one goes."""
    (folder / "suite.json").write_text(json.dumps(AGREEMENT))
    (folder / "out").mkdir()
    (folder / "out" / "notes.txt").write_text("mine")


def scoring(folder: Path) -> None:
    """A data set, an n-gram model, an earlier result of the same run, and a file of their owner."""
    root = small_root(folder, "he")
    (folder / "catalogue.toml").write_text(CATALOGUE)
    build("clams", out=folder / "clams", root=root)
    model = estimate(pa.array(["one two three"] * 3), 2)
    save_ngram(model, folder / "bigrams")
    (folder / "results").mkdir()
    (folder / "results" / "notes.txt").write_text("mine")


TRIALS = {
    "build": Trial(("build", "clams", "he", "--root", ".", "--json"), rebuilt),
    "lock": Trial(("lock", "clams", "--root", "."), locked),
    "diff": Trial(("diff", "old", "new", "--changelog", "--root", "."), two_versions),
    "mine": Trial(("mine", "relations.conllu", "--language", "fr", "--out", "items.parquet"), treebank),
    "build-avg": Trial(("build", "--avg", "grammars", "--out", "sets"), grammars),
    "import-avg": Trial(
        ("import-avg", "grammars/one.avg", "--language", "fr", "--dataset", "demo"), grammars
    ),
    "new": Trial(("new", "clams/it/simple_agrmt"), lambda folder: None),
    "convert": Trial(("convert", "suite.json", "out"), suites),
    "score": Trial(("score", "clams/he", "--model", "bigrams", "--limit", "9"), scoring, ".parts"),
}  # fmt: skip
