"""Make an index of treebanks from a folder of git clones, for ``scripts/make_catalogue.py``.

    python scripts/index_treebanks.py CLONES --out ud-index.jsonl.xz

CLONES holds clones of UniversalDependencies' repositories (``UD_Albanian-STAF`` ...), with their
tags. A line of the index has the newest release tag (with ``--ud``, the newest till that release),
its commit, the files of that commit, and what README and LICENSE.txt say. Files need not be checked
out, since git knows their hashes; a SHA-256 is added where the file is there.
"""

import argparse
import hashlib
import json
import lzma
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from make_catalogue import parse_release
from solecism.files import writing

_TAG = re.compile(r"r(\d+\.\d+)")
_FILE = re.compile(r"[a-z]{2,3}_[a-z0-9]+-ud-[a-z0-9-]+\.conllu")
_LINE = re.compile(r"\S+ blob ([0-9a-f]{40}) +(\d+|-)\t(.+)")
_KEY = re.compile(r"^([A-Z][A-Za-z ]+):\s*(.*?)\s*$", re.MULTILINE)
_MOVED = re.compile(r"(?:renamed|moved|superseded)[^.\n]*?\b(UD_\w+-\w+)", re.IGNORECASE)
_KEYS = {
    "license": "License", "genre": "Genre", "lemmas": "Lemmas", "features": "Features",
    "includes_text": "Includes text", "since": "Data available since",
}  # fmt: skip
_FIRST = 5
"""Lines of LICENSE.txt that are kept."""


def index_of(clone: Path, release: str = "") -> dict[str, Any]:
    """Return the line of the index about a clone, till a release of UD if one is given.

    Raises ``CalledProcessError`` where git fails.
    """
    tags = sorted(filter(_TAG.fullmatch, _git(clone, "tag").split()), key=parse_release)
    then = [t for t in tags if not release or parse_release(t) <= parse_release(release)]
    tag = then[-1] if then else None
    commit = _git(clone, "rev-list", "-n1", tag).strip() if tag else None
    tree = list(_tree(clone, commit)) if commit else []
    files = [_file(clone, *entry) for entry in tree if _FILE.fullmatch(entry[0])]
    names = [path for path, *_ in tree]
    readme = next((name for name in names if name.lower() in ("readme.md", "readme.txt")), None)
    text = _show(clone, commit, readme)
    there = readme and _git(clone, "ls-tree", "HEAD", readme)
    now = _git(clone, "show", f"HEAD:{readme}") if there else text
    keys = {match[1].casefold(): match[2] for match in _KEY.finditer(_metadata(text))}
    moved = _MOVED.search(now)
    return {
        "name": clone.name,
        "language": clone.name.removeprefix("UD_").partition("-")[0].replace("_", " "),
        "tag": tag,
        "tag_commit": commit,
        "releases": _releases(tags),
        "renamed_to": moved[1] if moved and moved[1] != clone.name else None,
        "files": files,
        "iso": files[0]["path"].partition("_")[0] if files else None,
        **{name: keys.get(key.casefold()) or None for name, key in _KEYS.items()},
        "license_file": [
            {"path": name, "first_lines": _first_lines(_show(clone, commit, name))}
            for name in names
            if name.lower().startswith("license")
        ],
        "stats_xml": _statistics(_show(clone, commit, "stats.xml" if "stats.xml" in names else None)),
        "status": "released" if files else "unreleased",
    }  # fmt: skip


def _git(clone: Path, *arguments: str) -> str:
    command = ["git", "-C", str(clone), *arguments]
    done = subprocess.run(command, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


def _show(clone: Path, commit: str | None, path: str | None) -> str:
    return _git(clone, "show", f"{commit}:{path}") if commit and path else ""


def _tree(clone: Path, commit: str) -> Iterator[tuple[str, str, str]]:
    """Yield path, blob hash and size of all files of a commit."""
    for line in _git(clone, "ls-tree", "-r", "-l", commit).splitlines():
        if match := _LINE.fullmatch(line):
            yield match[3], match[1], match[2]


def _file(clone: Path, path: str, blob: str, size: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"path": path, "blob_sha1": blob}
    facts["size"] = int(size) if size.isdigit() else None
    place = clone / path
    if place.is_file() and _git(clone, "hash-object", "--no-filters", path).strip() == blob:
        facts["sha256"] = hashlib.sha256(place.read_bytes()).hexdigest()
    return facts


def _releases(tags: list[str]) -> dict[str, str | None]:
    numbers = [tag.removeprefix("r") for tag in tags]
    return {"first": numbers[0], "last": numbers[-1]} if numbers else {"first": None, "last": None}


def _metadata(readme: str) -> str:
    """Return the block of a README that is for machines."""
    start = readme.find("Machine-readable metadata")
    return readme[start:] if start >= 0 else readme


def _first_lines(text: str) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line][:_FIRST]


def _statistics(xml: str) -> dict[str, int] | None:
    """Return the counts of stats.xml, those of the whole treebank, which come first."""
    found = {name: re.search(rf"<{name}>(\d+)</{name}>", xml) for name in ("sentences", "words")}
    return {name: int(m[1]) for name, m in found.items() if m} or None


def main(arguments: list[str] | None = None) -> None:
    """Write the index of all clones of a folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clones", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="a .jsonl or .jsonl.xz file")
    parser.add_argument("--ud", default="", metavar="RELEASE", help="as 2.18: no later tag")
    given = parser.parse_args(arguments)
    clones = sorted(path.parent for path in given.clones.glob("UD_*/.git"))
    lines = [json.dumps(index_of(clone, given.ud), ensure_ascii=False) for clone in clones]
    data = "".join(f"{line}\n" for line in lines).encode()
    with writing(given.out) as part:
        part.write_bytes(lzma.compress(data) if given.out.suffix == ".xz" else data)
    print(f"{len(lines)} treebanks written to {given.out}")


if __name__ == "__main__":
    main()
