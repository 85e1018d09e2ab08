"""What fuzzing has found: each input ended in a traceback, a hang, or a message that named no file.

A case is a file of the small world (``scripts/fuzzing/world.py``), what is put in place of what in
it, the command that reads it, and what it is told.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["CASES", "Case"]

Change = Callable[[bytes], bytes]
Case = tuple[str, Change, str, str]
"""A file, how it is changed, the command, and what is told (empty: it is read)."""


def put(old: str, new: str) -> Change:
    """Replace a text, which must be there."""

    def change(data: bytes) -> bytes:
        assert old.encode() in data
        return data.replace(old.encode(), new.encode(), 1)

    return change


def whole(text: str | bytes) -> Change:
    """Replace everything."""
    return lambda _: text if isinstance(text, bytes) else text.encode()


def more(text: bytes) -> Change:
    """Add to the end."""
    return lambda data: data + text


def tree(*keys: Any, to: Any = None) -> Change:
    """Change a value of JSON; ``to`` None: it goes."""

    def change(data: bytes) -> bytes:
        value = inner = json.loads(data)
        for key in keys[:-1]:
            inner = inner[key]
        if to is None:
            del inner[keys[-1]]
        else:
            inner[keys[-1]] = to
        return json.dumps(value).encode()

    return change


def table(change: Callable[[pa.Table], pa.Table]) -> Change:
    """Change a Parquet file."""

    def changed(data: bytes) -> bytes:
        out = io.BytesIO()
        pq.write_table(change(pq.read_table(io.BytesIO(data))), out)
        return out.getvalue()

    return changed


def column(name: str, values: Callable[[pa.ChunkedArray], Any]) -> Change:
    """Change a column of a Parquet file."""
    return table(lambda t: t.set_column(t.column_names.index(name), name, values(t[name])))


def twice(name: str) -> Change:
    """A column of a Parquet file that stands twice."""
    return table(lambda t: t.append_column(name, t[name]))


def nulls(values: pa.ChunkedArray) -> pa.Array:
    return pa.nulls(len(values), values.type)


def same_names(values: pa.ChunkedArray) -> pa.Array:
    """A struct with two fields of one name."""
    return pa.StructArray.from_arrays([pa.array(["x"] * len(values))] * 2, ["match", "match"])


def broken_page(data: bytes) -> bytes:
    """A Parquet file with a whole footer and a broken page."""
    return data[:4] + b"\xff" * 60 + data[64:]


DEEP = "[" * 100_000 + "]" * 100_000
DATA = "demo/en/test-00000-of-00001.parquet"
SCORE = "score demo/en --model model.arpa --out new"
BUILD = "build demo --root . --out new"
GYM = "convert gym.json new.json"
ITEMS = "convert items.parquet new.json"
REPORT = "report results/one.json"
CHECK = "lock demo --check --root ."

CASES: list[Case] = [
    # results
    ("results/one.json", tree("run", "solecism"), REPORT, "one.json: is no result: run lacks solecism"),
    ("results/one.json", tree("run", "revision", to={}), REPORT, "run.revision is {}, not a text"),
    ("results/one.json", tree("run", "options", "bos", to=[1]), REPORT, "run.options.bos is [1], not a text"),
    ("results/one.json", tree("overall", "n", to=[]), REPORT, "overall.n is [], not a whole number"),
    ("results/one.json", tree("overall", "skipped"), REPORT, "overall lacks skipped"),
    ("results/one.json", tree("by", "UID", to={"x": {}}), REPORT, "by.UID.x lacks accuracy, n, ties"),
    ("results/one.json", put('"accuracy": ', '"accuracy": 1e999, "x": '), REPORT, "not a number from 0 to 1"),
    ("results/one.json", put('"ties": ', '"ties": NaN, "x": '), REPORT, "NaN is no number of JSON"),
    ("results/one.json", put('"environment": ', f'"x": {DEEP}, "environment": '), REPORT, "nested too deep"),
    ("results/one.json", put('"model": "', '"model": "\\ud800'), REPORT, "holds half of a character"),
    ("results/one.parquet", broken_page, "report results --diff", "one.parquet: is no Parquet file"),
    ("results/one.parquet", column("features", lambda c: pa.nulls(len(c), pa.string())), REPORT,
     "column 'features' is string"),
    ("results/one.parquet", column("set_id", nulls), "report results --diff",
     "column 'set_id' has a value that is null"),
    ("results/one.parquet", column("decision", lambda c: pa.array([0.7] * len(c))), "report results --diff",
     "column 'decision' has 0.7, wanted 0, 0.5 or 1"),
    ("results/one.parquet", column("bytes_good", nulls), "report results --html x.html", ""),
    ("results/one.parquet", column("margin", nulls), "report results --html x.html", ""),
    # suites
    ("gym.json", put('"name": "number"', '"name": "number", "solecism": {"language": [1]}'), GYM,
     "meta.solecism.language is [1], not a text"),
    ("gym.json", put('"item_number": 1,', '"item_number": 1, "solecism": "x",'), GYM,
     "items[1].solecism is 'x', not a mapping"),
    ("gym.json", tree("predictions", 0, to="x"), GYM, "predictions[1] is 'x', not a mapping"),
    ("gym.json", put("(2;%mismatch%) >", "(" * 400 + "2 >"), GYM, "or 50 parentheses in one another"),
    ("gym.json", put("(2;%mismatch%) >", "1 < 2 & " * 200 + "1 >"), GYM, "has more than 500 names and signs"),
    ("gym.json", put("(2;%mismatch%)", f"({'9' * 5_000};%mismatch%)"), GYM, "gym.json: prediction '(999"),
    ("suite/cls_none.json", tree("items", 0, "conditions", 0, "solecism", "tokens"),
     "convert suite/cls_none.json new.json", "items[1].conditions[1].solecism lacks tokens"),
    ("cls_none_txt.txt", more(b"\xff"), "convert cls_none_txt.txt new.json", "cls_none_txt.txt:5: not UTF-8"),
    ("items.parquet", whole("x"), ITEMS, "items.parquet: is no Parquet file"),
    ("items.parquet", broken_page, ITEMS, "items.parquet: is no Parquet file"),
    ("items.parquet", table(lambda t: t.slice(0, 0)), ITEMS, "items.parquet: holds no items"),
    ("items.parquet", table(lambda t: t.drop_columns(["modifier"])), ITEMS, "has no column 'modifier'"),
    ("items.parquet", twice("suite"), ITEMS, "column 'suite' stands twice"),
    ("items.parquet", column("conditions", lambda c: pa.array(["x"] * len(c))), ITEMS,
     "column 'conditions' is string"),
    ("items.parquet", column("predictions", nulls), ITEMS, "column 'predictions' has a value that is null"),
    ("items.parquet", column("predictions", lambda c: pa.array([["x.y > 1"]] * len(c))), ITEMS,
     "items.parquet: prediction 'x.y > 1': there is no condition 'x'"),
    ("items.parquet", table(lambda t: t.drop_columns(["conditions"])),
     "score items.parquet --model model.arpa --out new", "items.parquet: "),
    ("items.parquet", column("predictions", lambda c: pa.array([["x.y > 1"]] * len(c))),
     "score items.parquet --model model.arpa --out new", "suite 'cls_none', item "),
    # data sets
    ("demo/manifest.json", tree("configs", "en", "files", to={}), "diff old demo", "config 'en' has no files"),
    ("demo/manifest.json", put('"en/', f'"{"x" * 300}'), "build demo --root . --out demo", "manifest.json"),
    (DATA, table(lambda t: t.select(["features", "sentence_good"])), "diff old demo", ""),
    (DATA, column("features", same_names), "diff old demo", "stands twice"),
    ("demo/manifest.json", tree("version", to="1." * 300), "load demo en", "manifest.json: is no"),
    (DATA, whole("x"), SCORE, f"{DATA}: is no Parquet file"),
    (DATA, twice("tokens_good"), SCORE, "column 'tokens_good' stands twice"),
    (DATA, column("tokens_good", lambda c: pa.array(range(len(c)))), SCORE, "'tokens_good' is int64"),
    (DATA, column("tokens_good", lambda c: pa.nulls(len(c))), "diff old demo", ""),
    ("demo/README.md", more(b"\xff"), SCORE, "README.md"),
    ("demo/README.md", put("license:", "x: 2020-99-99\nlicense:"), SCORE, "README.md"),
    ("demo/README.md", put("license:", f"x: {DEEP}\nlicense:"), SCORE, "README.md"),
    ("demo/manifest.json", put("{", f'{{"x": {DEEP}, '), CHECK, "manifest.json: is no JSON that can be read"),
    ("demo/manifest.json", tree("configs", "en", "rows", to=[]), CHECK, "configs.en.rows is []"),
    ("demo/manifest.json", tree("dataset", to={}), CHECK, "dataset is {}, not a text"),
    # sources
    ("catalogue.toml", more(b"x = " + DEEP.encode()), BUILD, "catalogue.toml: TOML: it is nested too deep"),
    ("catalogue.toml", more(b"sources = 3\n"), BUILD, "suites.sources is 3, not a list"),
    ("catalogue.toml", put("seed = 1", "seed = 1" + "0" * 5_000), BUILD, "catalogue.toml: TOML: "),
    ("catalogue.lock.json", put('"content_sha256": "', '"content_sha256": [], "x": "'), CHECK,
     "content_sha256 is [], not a text"),
    ("catalogue.lock.json", put('"1.0.0"', '""'), BUILD, "catalogue.lock.json: is no lock: version ''"),
    ("ud-index.jsonl", whole("[[]]"), "fetch agreement --ud 2.18 --index ud-index.jsonl",
     "ud-index.jsonl:1: is no index of treebanks: it is [[]], not a mapping"),
    ("references.bib", more(b"\xff"), "cite demo --root .", "references.bib:"),
    ("dataset_cards/demo.md", more(b"\xff"), BUILD, "demo.md:"),
    ("dataset_cards/demo.md", more(b"{{" + b"(" * 5_000), BUILD, "demo.md"),
    ("dataset_cards/demo.changelog.md", more(b"\xff"), "diff old demo --changelog --root .",
     "demo.changelog.md:14: not UTF-8"),
    ("dataset_cards/demo.changelog.md", more(b"## 1." + b"9" * 5_000 + b".0\n"),
     "diff old demo --changelog --root .", ""),
    ("templates/demo/en/agreement.jinja", put("draw: 12", f"draw: {DEEP}"), BUILD, "agreement.jinja"),
    ("templates/demo/en/_phrases.jinja", put("the {{ n }}", "{{ " + "(" * 5_000), BUILD, "_phrases.jinja"),
    ("templates/suites/zh/cls_none.jinja", put("draw: all", f"draw: {DEEP[99_600:100_400]}"),
     "build suites --root . --out new", "cls_none.jinja"),
    # models, grammars, treebanks
    ("en_demo-ud-test.conllu", whole("1-2\tab" + "\t_" * 8 + "\n\n"), "mine en_demo-ud-test.conllu",
     "en_demo-ud-test.conllu:1: the range of a multiword token does not fit"),
    ("model.arpa.gz", lambda data: data[:-20], f"{SCORE.replace('.arpa', '.arpa.gz')}", "model.arpa.gz: "),
    ("model.arpa.gz", lambda data: data[:30] + b"\xff" * 9 + data[39:], f"{SCORE.replace('.arpa', '.arpa.gz')}",
     "model.arpa.gz: "),
    ("model.arpa.gz", lambda data: gzip.compress(b"\xff"), f"{SCORE.replace('.arpa', '.arpa.gz')}",
     "model.arpa.gz"),
    ("ngram/config.json", whole("{"), "score demo/en --model ngram --out new", "config.json"),
    ("ngram/config.json", tree("lower"), "score demo/en --model ngram --out new", "config.json"),
    ("grammars/simple.avg", more(b"X[a] " + b"[" + b"x" * 40_000), "build --avg grammars --out new",
     "simple.avg:10: "),
]  # fmt: skip
