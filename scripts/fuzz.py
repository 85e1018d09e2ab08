"""Change small valid inputs at random and read them with the verbs of the command line.

An input must be read, or refused with a message that names a file. Prints a line for each one that
ends in a traceback, writes outside of its folder, takes over 10 seconds or over 2 GB of memory, and
exits with 1 if there is any. The same seed and number give the same input.

Usage: python scripts/fuzz.py [--count 3000] [--seed 1] [--only NUMBER]
"""

import io
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
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
from solecism.judge.design import read_study
from solecism.judge.protocol import FORMAT, session_order

CHECKOUT = Path(__file__).resolve().parents[1]
SECONDS, MEMORY = 10, 2 << 30

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 2**63, 1e308, "", " ", "\x00", "\u202e", "../..", "/", "a" * 5_000, "{{ 1 / 0 }}",
    "[x: y]", "=1+1", "²", "a\nb", [], {}, [None], {"": None}, {"a": {"b": ["c"]}}, "../outside",
    "a\"]\nx: !function y", "https://x; script-src *", "he/x/y", "..", -1e308, 5,
)  # fmt: skip
TOKENS = (
    "{{", "}}", "{%", "[", "]", "((((((", "|", " if ", ":", "=", "---\n", "\n", "\t", "#", '"', "&a", "*a",
    "'\\ud800'", "-1", "99999999999999999999", "1e309", "nan", "\\data\\", "<s>", "\u202e", "\x00", "[" * 500,
    "x" * 3_000,
)  # fmt: skip

WORLD = CHECKOUT / "scripts" / "fuzzing" / "world"
READERS: dict[str, list[str]] = tomllib.loads(WORLD.with_name("readers.toml").read_text())
"""The commands that read each file of the small world."""


def make_world(folder: Path) -> None:
    """Write the files of :data:`READERS`: small ones, and those of French of this checkout."""
    shutil.copytree(WORLD, folder)
    for name in (
        "dataset_cards", "lexicons/classes.tsv", "lexicons/columns.tsv", "lexicons/fr",
        "references.bib", "templates/clams/_defaults.yaml", "templates/clams/_slots.yaml",
        "templates/clams/fr/simple_agrmt.jinja", "templates/phrases",
    ):  # fmt: skip
        copy = folder / "root" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", CHECKOUT / name, copy.parent], check=True)
    with chdir(folder):
        _made(
            "build clams --root root --out clams", "lock clams --root root",
            "score clams/fr --model model.arpa --out result --sample 200",
            "site clams --root root --out pages",
            "convert suite.json s.parquet", "judge new clams/fr --out study --pairs 2 --judges 2",
        )  # fmt: skip
        for path in Path("result").iterdir():
            path.rename(path.with_name(f"r{path.suffix}"))
        shutil.copytree("clams", "old")
        rows = pq.read_table("clams/fr/test-00000-of-00001.parquet").slice(0, 100)
        pq.write_table(rows, "p.parquet")
        lines = (json.dumps(row) + "\n" for row in rows.slice(0, 20).to_pylist())
        Path("pairs.jsonl").write_text("".join(lines))
        Path("answers.json").write_text(json.dumps(_session(Path("study"))))
        _made("judge import study answers.json")


def _made(*commands: str) -> None:
    for command in commands:
        done = CliRunner().invoke(main, command.split())
        if done.exit_code:
            raise RuntimeError(f"{command}: {done.output}") from done.exception


def _session(folder: Path) -> dict[str, Any]:
    """Return what the page of a study saves of a person who always finds the good sentence."""
    study = read_study(folder)
    rows = [
        {"item": key, "position": place, "time": 900, "shown": "good", "answer": "good"}
        for place, key in enumerate(session_order(study, 1, "s"), 1)
    ]
    return {
        "format": FORMAT, "study": study.id, "session": "s", "seed": "s", "list": 1, "participant": "p",
        "native_language": "fr", "finished": True, "flags": [], "rows": rows,
    }  # fmt: skip


def changed(name: str, data: bytes, dice: random.Random) -> bytes:
    """Return a file changed once to three times, by its structure or by its text."""
    structured: dict[str, Callable[[bytes, random.Random], bytes]] = {
        ".json": _json, ".parquet": _parquet,
    }  # fmt: skip
    for _ in range(dice.randint(1, 3)):
        change = structured.get(Path(name).suffix, _text) if dice.random() < 0.75 else _text
        try:
            data = change(data, dice)
        # An earlier change broke the structure, or Arrow cannot hold this one.
        except (ValueError, TypeError, ArithmeticError, OSError, pa.ArrowException):
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
    """Change a column or a value: its type, its name, its place, its number of rows."""
    table = pq.read_table(io.BytesIO(data))
    place = dice.randrange(table.num_columns)
    name, rows = table.column_names[place], len(table)
    values = dice.choice(([1], ["x"], [None], [1.5], [["a"]], [{"a": 1}], [b"\xff"], [True]))
    kinds = pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())
    some = table[place].to_pylist()
    match dice.randrange(8):
        case 0:
            table = table.drop([name])
        case 1:
            table = table.append_column(name, table[place])
        case 2:
            table = table.slice(0, dice.choice((0, 1, rows // 2)))
        case 3:
            table = pa.concat_tables([table, table.slice(0, 3)])
        case 4:
            table = table.set_column(place, name, table[place].cast(dice.choice(kinds)))
        case 5 | 6:
            some[dice.randrange(rows)] = dice.choice(ODD)
            table = table.set_column(place, name, pa.array(some))
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


def _tried(folder: Path, dice: random.Random, number: int) -> tuple[Path, str, str]:
    """Change a file of a copy of the world and read it; return file, command and how it ended."""
    names, run = list(READERS), folder / "run"
    path = Path(names[number % len(names)])
    command = dice.choice(READERS[path.as_posix()])
    shutil.copytree(folder / "world", run)
    (run / path).write_bytes(changed(path.name, (run / path).read_bytes(), dice))
    with chdir(run):
        told = ending(command)
    shutil.rmtree(run)
    others = {path.name for path in folder.iterdir()} - {"world"}
    same = (folder / "outside.json").read_bytes() == (WORLD / "suite.json").read_bytes()
    if others != {"outside.json"} or not same:
        told = f"wrote outside: {', '.join(sorted(others))}"
    return path, command, told


@click.command()
@click.option("--count", default=3_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--only", type=int, help="Only the input of this number; print what is told.")
def fuzz(count: int, seed: int, only: int | None) -> None:
    warnings.simplefilter("ignore")
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="solecism-fuzz-") as name:
        folder = Path(name)
        make_world(folder / "world")
        outside = folder / "outside.json"
        shutil.copy(WORLD / "suite.json", outside)
        for number in range(count) if only is None else [only]:
            path, command, told = _tried(folder, random.Random(f"{seed} {number}"), number)
            ends[told.partition(":")[0]] += 1
            if only is not None or told not in ("ok", "clear error"):
                click.echo(f"{number}: {path}: solecism {command}: {told}")
    click.echo(", ".join(f"{n:,} {name}" for name, n in ends.most_common()))
    sys.exit(0 if set(ends) <= {"ok", "clear error"} else 1)


if __name__ == "__main__":
    fuzz()
