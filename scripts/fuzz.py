"""Change small valid inputs at random and read them with the verbs of the command line.

An input must be read, or refused with a message that names a file. Prints a line for each one that
ends in a traceback, takes over 10 seconds or over 2 GB of memory, and exits with 1 if there is any.
The same seed and number give the same input.

Usage: python scripts/fuzz.py [--count 3000] [--seed 1] [--only NUMBER]
"""

from __future__ import annotations

import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}

import click
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

from solecism.commands import main

CHECKOUT = Path(__file__).resolve().parents[1]
SECONDS, MEMORY = 10, 2 << 30

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 2**63, 1e308, "", " ", "\x00", "\u202e", "../..", "/", "a" * 5_000, "{{ 1 / 0 }}",
    "[x: y]", "=1+1", "²", "a\nb", [], {}, [None], {"": None}, {"a": {"b": ["c"]}},
)  # fmt: skip
TOKENS = (
    "{{", "}}", "{%", "[", "]", "((((((", "|", " if ", ":", "=", "---\n", "\n", "\t", "#", '"', "&a", "*a",
    "-1", "99999999999999999999", "1e309", "nan", "\\data\\", "<s>", "\u202e", "\x00", "[" * 500, "x" * 3_000,
)  # fmt: skip

TREEBANK = """# sent_id = 1
# text = The otters swim.
1\tThe\tthe\tDET\tDT\tDefinite=Def\t2\tdet\t_\t_
2\totters\totter\tNOUN\tNN\tNumber=Plur\t3\tnsubj\t_\t_
3\tswim\tswim\tVERB\tVB\tMood=Ind|Number=Plur|Person=3|VerbForm=Fin\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

"""
ARPA = """\\data\\
ngram 1=4
ngram 2=1

\\1-grams:
-1.5\t<unk>
-99\t<s>\t-0.3
-0.9\t</s>
-0.7\tle\t-0.25

\\2-grams:
-0.3\t<s> le

\\end\\
"""
JUDGED = "UID,accuracy,n\nsimple_agrmt,0.9,20\n"

_SHOW = ("show clams/fr/simple_agrmt --root root", "build clams --root root --out new")
_RESULT = ("report result", "report result --by match --csv x.csv", "report result --html x.html")
_SITE = ("site clams --root root --out pages",)
READERS = {
    "root/templates/clams/fr/simple_agrmt.jinja": (*_SHOW, "check clams/fr --root root"),
    "root/templates/clams/fr/_phrases.jinja": _SHOW,
    "root/lexicons/fr/noun.tsv": (*_SHOW, "check clams/fr --root root"),
    "root/lexicons/fr/verb.tsv": _SHOW,
    "root/catalogue.toml": ("list --root root", "list clams --cite --root root", *_SHOW),
    "en_demo-ud-test.conllu": ("mine en_demo-ud-test.conllu --out x.jsonl",),
    "model.arpa": ("score clams/fr --model model.arpa --out new",),
    "clams/manifest.json": ("build clams --root root --out clams", "show clams/fr", *_SITE),
    "clams/README.md": ("score clams/fr --model model.arpa --out new",),
    "clams/fr/test-00000-of-00001.parquet": (*_SITE, "audit clams/fr", "convert clams/fr x.csv"),
    "result/r.json": (*_RESULT, "site clams --root root --out pages --results result"),
    "result/r.parquet": (*_RESULT, "site clams --root root --out pages --results result"),
    "people.csv": ("report result --judgments people.csv",),
}
"""The commands that read each file of the small world."""


def make_world(folder: Path) -> None:
    """Write the files of :data:`READERS` into an empty folder."""
    templates = folder / "root" / "templates" / "clams" / "fr"
    templates.mkdir(parents=True)
    for name in ("_defaults.yaml", "_phrases.jinja", "simple_agrmt.jinja"):
        shutil.copy(CHECKOUT / "templates" / "clams" / "fr" / name, templates)
    shutil.copytree(CHECKOUT / "lexicons" / "fr", folder / "root" / "lexicons" / "fr")
    shutil.copytree(CHECKOUT / "dataset_cards", folder / "root" / "dataset_cards")
    shutil.copy(CHECKOUT / "references.bib", folder / "root")
    (folder / "root" / "catalogue.toml").write_text(
        '[clams]\nversion = "1.0.0"\npretty_name = "C"\n'
    )
    for name, text in (
        ("en_demo-ud-test.conllu", TREEBANK), ("model.arpa", ARPA), ("people.csv", JUDGED),
    ):  # fmt: skip
        (folder / name).write_text(text, encoding="utf-8")
    with chdir(folder):
        for command in (
            "build clams --root root --out clams",
            "score clams/fr --model model.arpa --out result --sample 200",
        ):
            done = CliRunner().invoke(main, command.split())
            if done.exit_code:
                raise RuntimeError(f"{command}: {done.output}") from done.exception
        for path in Path("result").iterdir():
            path.rename(path.with_name(f"r{path.suffix}"))


def changed(name: str, data: bytes, dice: random.Random) -> bytes:
    """Return a file changed once to three times, by its structure or by its text."""
    structured: dict[str, Callable[[bytes, random.Random], bytes]] = {
        ".json": _json, ".parquet": _parquet,
    }  # fmt: skip
    for _ in range(dice.randint(1, 3)):
        change = structured.get(Path(name).suffix, _text) if dice.random() < 0.75 else _text
        try:
            data = change(data, dice)
        except (ValueError, OSError, pa.ArrowException):  # an earlier change broke the structure
            data = _text(data, dice)
    return data


def _text(data: bytes, dice: random.Random) -> bytes:
    """Drop, double, cut or exchange a line, or put a token anywhere."""
    lines = data.split(b"\n")
    place = dice.randrange(len(lines))
    match dice.randrange(5):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[dice.randrange(len(lines))])
        case 2:
            lines[place] = lines[place][: dice.randrange(len(lines[place]) + 1)]
        case _:
            at = dice.randrange(len(lines[place]) + 1)
            token = dice.choice(TOKENS).encode()
            rest = lines[place][at + dice.randrange(4) :]
            lines[place] = lines[place][:at] + token + rest
    return b"\n".join(lines)


def _json(data: bytes, dice: random.Random) -> bytes:
    """Put an odd value in the place of one, or take one away."""
    tree = json.loads(data)
    node: Any = tree
    while isinstance(node, dict | list) and node:
        key = dice.choice(list(node) if isinstance(node, dict) else range(len(node)))
        inner = node[key]
        if not isinstance(inner, dict | list) or not inner or dice.random() < 0.3:
            if dice.random() < 0.3:
                del node[key]
            else:
                node[key] = dice.choice(ODD)
            break
        node = inner
    return json.dumps(tree).encode()


def _parquet(data: bytes, dice: random.Random) -> bytes:
    """Drop, double or rename a column, or fill it with values of another type."""
    table = pq.read_table(io.BytesIO(data))
    place = dice.randrange(table.num_columns)
    name, rows = table.column_names[place], len(table)
    values = dice.choice(([1], ["x"], [None], [1.5], [["a"]], [{"a": 1}], [b"\xff"], [True]))
    match dice.randrange(4):
        case 0:
            table = table.drop([name])
        case 1:
            table = table.append_column(name, table[place])
        case _:
            table = table.set_column(place, name, pa.array(values * rows))
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def ending(command: str) -> str:
    """Run a command in a process of its own; return how it ended, with the last line of it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        signal.alarm(SECONDS)
        os.write(writer, _told(command).encode("utf-8", "replace")[:2_000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read().decode("utf-8", "replace")
    os.waitpid(child, 0)
    return told or "killed or hung"


def _told(command: str) -> str:
    done = CliRunner().invoke(main, command.split())
    if done.exception and not isinstance(done.exception, SystemExit):
        places = traceback.extract_tb(done.exception.__traceback__)
        ours = [f"{Path(p.filename).name}:{p.lineno}" for p in places if "solecism" in p.filename]
        return f"traceback: {ours[-1:]} {done.exception!r:.200}"
    named = any(mark in done.output for mark in (".", "/", ": ", "no "))
    return "ok" if not done.exit_code else "clear error" if named else f"vague: {done.output:.200}"


@click.command()
@click.option("--count", default=3_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--only", type=int, help="Only the input of this number; print what is told.")
def fuzz(count: int, seed: int, only: int | None) -> None:
    warnings.simplefilter("ignore")
    names = list(READERS)
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="solecism-fuzz-") as folder, chdir(folder):
        make_world(Path(folder))
        for number in range(count) if only is None else [only]:
            dice = random.Random(f"{seed} {number}")
            path = Path(names[number % len(names)])
            whole = path.read_bytes()
            path.write_bytes(changed(path.name, whole, dice))
            command = dice.choice(READERS[path.as_posix()])
            told = ending(command)
            path.write_bytes(whole)
            ends[told.partition(":")[0]] += 1
            if only is not None or told not in ("ok", "clear error"):
                click.echo(f"{number}: {path}: solecism {command}: {told}")
    click.echo(", ".join(f"{n:,} {name}" for name, n in ends.most_common()))
    sys.exit(0 if set(ends) <= {"ok", "clear error"} else 1)


if __name__ == "__main__":
    fuzz()
