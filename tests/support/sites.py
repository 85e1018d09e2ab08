"""Small data sets for sites: one of ours, and one of a stranger who means harm."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from release import small_root
from scored import make_scores, write_result
from solecism.datasets.build import build
from solecism.datasets.manifest import read_manifest
from solecism.root import Root
from solecism.schema import SUITE, pair_schema

HARM = "<script>window.harmed=1</script><img src=x onerror=window.harmed=1>"
HARMFUL = f"\"'>{HARM}"
"""Markup that would run a script if a page did not escape it, after the end of an attribute."""


def built_folder(
    folder: Path, uids: tuple[str, ...] = ("simple_agrmt", "simple_agrmt_gender")
) -> Root:
    """Build a small ``clams`` in Hebrew below a folder; return the root that it is made from."""
    root = small_root(folder / "root", "he", uids)
    build("clams", out=folder / "clams", root=root)
    return root


def write_folder(
    folder: Path, name: str, configs: dict[str, tuple[pa.Table, dict[str, Any]]]
) -> Path:
    """Write a data set folder of tables; the manifest has the paradigms that are given."""
    entries = {}
    for number, (config, (table, paradigms)) in enumerate(configs.items()):
        file = f"{number}/test-00000-of-00001.parquet"
        (folder / file).parent.mkdir(parents=True)
        pq.write_table(table, folder / file)
        entries[config] = {
            "kind": "pair", "languages": [table["language"][0].as_py().replace("/", "")], "rows": len(table),
            "content_sha256": "0" * 64, "files": {file: {"sha256": "0" * 64, "bytes": 1}},
            "paradigms": paradigms,
        }  # fmt: skip
    value = {"dataset": name, "version": "1.0.0", "configs": entries}
    (folder / "manifest.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


def stranger_folder(folder: Path) -> Path:
    """Write a data set with markup in its names, ids, sentences, features and words."""
    uids = [HARMFUL, "../../../up"]
    rows = [_harmful_pair(number, uids[number % 2]) for number in range(24)]
    table = pa.Table.from_pylist(rows, pair_schema([f"mood{HARMFUL}"]))
    facts = {
        "construction": HARMFUL, "phenomenon": "../" + HARMFUL, "about": HARMFUL, "sets": 12, "pairs": 12,
        "skipped": {HARMFUL: 1}, "syncretic_forms": 0, "example": [HARMFUL, HARMFUL],
        "findings": [{"code": HARMFUL, "level": "warning", "message": HARMFUL}],
    }  # fmt: skip
    paradigms = {uid: {**facts, "example": [uid]} for uid in uids}
    name = HARMFUL.replace("/", "")  # other names of data sets and configs are refused
    return write_folder(folder, name, {name: (table, paradigms)})


def _harmful_pair(number: int, uid: str) -> dict[str, Any]:
    good, bad = f"Good {number} {HARMFUL}.", f"Bad {number} {HARMFUL}."
    slot = {
        "name": HARMFUL, "lemma": HARMFUL, "form": HARMFUL, "upos": HARMFUL, "feats": HARMFUL,
        "good_start": 0, "good_end": 4, "bad_start": 0, "bad_end": 3,
    }  # fmt: skip
    features = {"construction": HARMFUL, "match": ["match", HARMFUL][number % 3 % 2]}
    features[f"mood{HARMFUL}"] = f"{HARMFUL}{number % 4}"
    return {
        "id": f"{HARMFUL}{number}", "set_id": f"s{number}", "UID": uid, "language": HARMFUL,
        "linguistics_term": HARMFUL, "sentence_good": good, "sentence_bad": bad, "slots": [slot],
        "features": features,
    }  # fmt: skip


def suite_folder(folder: Path, items: int = 12) -> Path:
    """Write a data set of Chinese suite items."""
    rows = [
        {
            "id": f"z{number}", "suite": "aspect", "phenomenon": "aspect", "modifier": "", "language": "zh",
            "item": str(number), "metric": "sum", "predictions": ["bad.word > good.word"],
            "conditions": [
                {"name": "good", "text": f"她曾经买过{number}本书。", "regions": [_region("曾经")]},
                {"name": "bad", "text": f"她正在买过{number}本书。", "regions": [_region("正在")]},
            ],
        }
        for number in range(items)
    ]  # fmt: skip
    facts = {"aspect": {"about": "过 goes with 曾经.", "phenomenon": "aspect", "sets": items}}
    return write_folder(folder, "suites", {"zh": (pa.Table.from_pylist(rows, SUITE), facts)})


def _region(text: str) -> dict[str, Any]:
    return {"name": "word", "text": text, "start": 1, "end": 3}


def write_site_results(folder: Path) -> Path:
    """Write the results of two models on the small ``clams``; return their folder."""
    pairs = pq.read_table(next((folder / "clams" / "he").glob("*.parquet")))
    digest = read_manifest(folder / "clams").config("he").content.sha256[:16]
    facts = {"data": "clams", "version": "1.0.0", "digest": digest}
    for number, model in enumerate(("org/tiny", "org/large")):
        scores = make_scores(pairs, 0.5 + number, number)
        write_result(folder / "results" / model[4:], scores, model, "he", **facts)
    return folder / "results"
