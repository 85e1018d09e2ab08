"""The readers that are tried: the file of the world that is changed, and the commands that read
it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["READERS", "Reader"]


@dataclass(frozen=True)
class Reader:
    """What is changed: files of a ``kind`` of :data:`fuzzing.mutations.KINDS`, each with the
    commands that read it.

    A command is a verb of the command line, or ``load DATASET CONFIG`` for ``solecism.load``.
    """

    name: str
    kind: str
    files: Mapping[str, Sequence[str]]


_SOURCES = (
    "show demo/en/agreement --root . -n 2",
    "show demo/en/simple --root . --json",
    "check demo/en --root .",
    "check lexicons templates --root . --json",
    "build demo --root . --out new",
)
_REPORTS = (
    "report results/one.json",
    "report results --json",
    "report results --diff",
    "report results --by match --csv x.csv --latex x.tex",
    "report results --group --html x.html",
    "site pages demo --results results --root .",
)
_SCORES = (
    "score demo/en --model model.arpa --out new",
    "score demo/en --model model.arpa --out new --sample 3",
)
_RELEASES = (
    "lock demo --check --root .",
    "diff old demo",
    "build demo --root . --out demo",
    "load demo en",
    "site pages demo --root .",
)
_TREES = (
    "mine en_demo-ud-test.conllu --out x.jsonl",
    "mine en_demo-ud-test.conllu --out x.parquet --mask both --no-inventory",
    "mine en_demo-ud-test.conllu --language en --preset paper",
    "mine en_demo-ud-test.conllu --preset paper-program --json",
    "mine en_demo-ud-test.conllu --lenient",
)

_SUITES = (
    "show suites/zh/cls_none --root .",
    "check suites --root .",
    "build suites --root . --out new",
)
_LOCKS = ("lock demo --check --root .", "lock demo --root .", "build demo --root . --out new")
_GYM = ("new.parquet", "new.json", "new", "new.txt")
_CATALOGUE = ("list --root .", "list demo --root .", "cite demo --root .", "build demo --root . --out new",
              "lock demo --check --root .")  # fmt: skip
_AVG = (
    "build --avg grammars --out new",
    "import-avg grammars/simple.avg --language en --dataset d --out new",
)
_ITEMS = (
    *(f"convert items.parquet {out}" for out in _GYM),
    "score items.parquet --model model.arpa --out new",
)

READERS = {
    reader.name: reader
    for reader in (
        Reader(
            "template", "front",
            {f"templates/demo/en/{name}.jinja": _SOURCES for name in ("agreement", "simple", "like")},
        ),
        Reader("suites", "front", {"templates/suites/zh/cls_none.jinja": _SUITES}),
        Reader("phrases", "text", {"templates/demo/en/_phrases.jinja": _SOURCES}),
        Reader("lexicon", "table", {f"lexicons/en/{name}.tsv": _SOURCES for name in ("noun", "verb")}),
        Reader("kinds", "front", {"templates/demo/en/_slots.yaml": _SOURCES}),
        Reader(
            "typical", "table",
            {f"lexicons/en/typical/{name}.tsv": _SOURCES for name in ("verb", "groups")},
        ),
        Reader("unwanted", "table", {"lexicons/en/unwanted.tsv": _SOURCES}),
        Reader("classes", "table", {"lexicons/en/classes.tsv": _SOURCES}),
        Reader("orthography", "table", {"lexicons/en/orthography.tsv": _SOURCES}),
        Reader("avg", "text", {f"grammars/{name}.avg": _AVG for name in ("simple", "common")}),
        Reader("conllu", "table", {"en_demo-ud-test.conllu": _TREES}),
        Reader("result", "json", {"results/one.json": _REPORTS}),
        Reader("result-table", "parquet", {"results/one.parquet": _REPORTS}),
        Reader(
            "surprisals", "table",
            {"study/lstm/seed-1/surprisals_cls_none.tsv": ("score --surprisals study --out new",),
             "read/surprisals_zh.tsv": ("score suites/zh --surprisals read --out new",)},
        ),
        Reader(
            "syntaxgym", "json",
            {name: tuple(f"convert {name} {out}" for out in _GYM)
             for name in ("gym.json", "suite/cls_none.json")},
        ),
        Reader("items", "parquet", {"items.parquet": _ITEMS}),
        Reader("suite-text", "text", {"cls_none_txt.txt": ("convert cls_none_txt.txt new.json",)}),
        Reader("arpa", "table", {"model.arpa": _SCORES}),
        Reader("arpa-gz", "gz", {"model.arpa.gz": (_SCORES[0].replace(".arpa", ".arpa.gz"),)}),
        Reader("ngram", "json", {"ngram/config.json": ("score demo/en --model ngram --out new",)}),
        Reader("data", "parquet", {"demo/en/test-00000-of-00001.parquet": (*_SCORES, *_RELEASES)}),
        Reader("readme", "front", {"demo/README.md": (*_SCORES, *_RELEASES[2:])}),
        Reader("manifest", "json", {"demo/manifest.json": _RELEASES}),
        Reader("catalogue", "toml", {"catalogue.toml": _CATALOGUE}),
        Reader("lock", "json", {"catalogue.lock.json": _LOCKS}),
        Reader("bibtex", "text", {"references.bib": ("cite demo --root .", "build demo --root . --out new")}),
        Reader("card", "text", {"dataset_cards/demo.md": ("build demo --root . --out new",)}),
        Reader("study", "toml", {"people/study.toml": ("judge import people people/answers.csv",)}),
        Reader("answers", "text", {f"people/{name}.csv": (f"judge import people people/{name}.csv",)
                                   for name in ("answers", "events")}),
        Reader("answers-json", "json", {f"people/{name}.json": (f"judge import people people/{name}.json",)
                                        for name in ("trials", "tasks")}),
        Reader(
            "people", "text",
            {"people.csv": ("report results/one.json --judgments people.csv",
                            "analyse blimp --people people.csv --published people.csv")},
        ),
        Reader(
            "changelog", "text", {"dataset_cards/demo.changelog.md": ("diff old demo --changelog --root .",)},
        ),
    )
}  # fmt: skip
"""By name."""
