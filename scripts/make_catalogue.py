"""Make the catalogue of treebanks, and that of word lists, from their indexes.

    python scripts/make_catalogue.py UD_INDEX [UNIMORPH_INDEX] --ud 2.18

An index has a repository a line: its newest release tag, the commit and files of that tag, and what
README and LICENSE.txt say; ``scripts/index_treebanks.py`` makes one from clones. Where README and
LICENSE.txt disagree about the licence, the stricter one holds.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from solecism.errors import fail
from solecism.files import write_text
from solecism.inputs import COUNT, read_json_lines
from solecism.works import catalogue
from solecism.works.catalogue import ACADEMIC, NOT_STATED, allows_commerce, allows_derivatives

Line = dict[str, Any]

_TEXT = (str, None)
_FILE = {"path": str, "blob_sha1": str, "size?": (COUNT, None), "sha256?": _TEXT}
_RECORD = {
    "name": str, "language": str, "tag": _TEXT, "tag_commit": _TEXT, "iso?": _TEXT,
    "releases": {"first": _TEXT, "last": _TEXT}, "files": [_FILE], "license": _TEXT,
    "license_file?": [{"first_lines": [str]}], "renamed_to?": _TEXT, "status?": str,
    "genre?": _TEXT, "lemmas?": _TEXT, "features?": _TEXT, "includes_text?": _TEXT,
    "stats_xml?": ({"sentences": COUNT, "words": COUNT}, None),
}  # fmt: skip
_LIST = {
    "repo": str, "iso": str, "language": _TEXT, "commit": str, "main_list": _TEXT, "files": [_FILE],
    "readmes": [{"license_lines": [str]}],
}  # fmt: skip

_SPLITS = ("train", "dev", "test")
_NYNORSK = "UD_Norwegian-Nynorsk"


def parse_release(text: str) -> tuple[int, int]:
    """Return a release of UD, ``2.18`` or ``r2.18``, as two numbers."""
    match = re.fullmatch(r"r?(\d{1,3})\.(\d{1,3})", text)
    if match is None:
        raise fail(f"{text!r} is not a release of UD, as 2.18 is")
    return int(match[1]), int(match[2])


def read_index(path: Path) -> list[Line]:
    """Read an index of treebanks (``.jsonl`` or ``.jsonl.xz``); raises :class:`InputError`."""
    return read_json_lines(path, _RECORD, "index of treebanks")


@dataclass(frozen=True)
class Pins:
    """The treebanks of a release of UD, and how they differ from those before.

    ``unpinned``: treebanks of the release that the index has only at a later tag; those that were
    pinned before stay as they were. ``closed``: those whose licence forbids derived works.
    """

    release: str
    lines: Mapping[str, Line]
    before: Mapping[str, Line] = field(default_factory=dict)
    unpinned: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    @property
    def changes(self) -> dict[str, list[str]]:
        """The treebanks that were not there before, are no longer there, or are others now."""
        old, new, keys = self.before, self.lines, ("commit", "files")
        moved = (n for n in new.keys() & old.keys() if any(new[n][k] != old[n][k] for k in keys))
        return {
            "added": sorted(new.keys() - old.keys()),
            "dropped": sorted(old.keys() - new.keys()),
            "moved": sorted(moved),
            "unpinned": [*self.unpinned],
            "closed": [*self.closed],
        }


def pin_treebanks(
    records: Sequence[Line], release: str, before: Mapping[str, Line] | None = None
) -> Pins:
    """Return the treebanks of a release as an index pins them, each at its newest tag till then.

    A treebank that was renamed counts under the new name, once that is released. One that later
    releases no longer have stays, with the last that has it in ``until``.
    """
    wanted, old = parse_release(release), before or {}
    there = {r["name"]: r for r in records if _released(r) and _first(r) <= wanted}
    heirs = {n: r["renamed_to"] for n, r in there.items() if r.get("renamed_to")}
    names = _other_names(heirs, there)
    current = [record for name, record in there.items() if heirs.get(name) not in there]
    late = [r["name"] for r in current if parse_release(r["tag"]) > wanted]
    lines = [_line(r, wanted, names[r["name"]]) for r in current if r["name"] not in late]
    stay = [old[name] for name in late if name in old and parse_release(old[name]["tag"]) <= wanted]
    closed = [line["name"] for line in lines if not allows_derivatives(line["licence"])]
    kept = {line["name"]: line for line in [*lines, *stay] if line["name"] not in closed}
    return Pins(release, dict(sorted(kept.items())), old, tuple(late), tuple(closed))


def _released(record: Line) -> bool:
    if record.get("status") == "unreleased" or not record["files"]:
        return False
    return bool(record["tag"] and record["tag_commit"] and record["releases"]["first"])


def _first(record: Line) -> tuple[int, int]:
    return parse_release(record["releases"]["first"])


def _other_names(heirs: Mapping[str, str], there: Mapping[str, Line]) -> Mapping[str, list[str]]:
    """Return the other names of treebanks: former ones, or a new one that is not released yet."""
    names: dict[str, list[str]] = defaultdict(list)
    for old, new in sorted(heirs.items()):
        if new in there:
            names[new].append(old)
        else:
            names[old].append(new)
    return names


def _line(record: Line, release: tuple[int, int], also: Sequence[str]) -> Line:
    """Return the line of the catalogue about a treebank."""
    code = _code(record)
    texts = [line for file in record.get("license_file", ()) for line in file["first_lines"]]
    licence = strictest(record["license"] or "", " ".join(texts))
    last = record["releases"]["last"]
    stats = record.get("stats_xml") or {}
    return {
        "name": record["name"],
        "code": code,
        "tag": record["tag"],
        "commit": record["tag_commit"],
        "licence": licence,
        "commercial": allows_commerce(licence),
        "text": not (record.get("includes_text") or "").startswith("no"),
        "genre": sorted((record.get("genre") or "").split()),
        "lemmas": record.get("lemmas"),
        "features": record.get("features"),
        "since": record["releases"]["first"],
        **({"until": last} if last and parse_release(last) < release else {}),
        **{name: stats[name] for name in ("sentences", "words") if name in stats},
        **({"also": list(also)} if also else {}),
        "files": [_file(file) for file in sorted(record["files"], key=_place)],
    }


def _code(record: Line) -> str:
    if record["name"].startswith(_NYNORSK):
        return "nn"
    return record.get("iso") or re.split("_", record["files"][0]["path"])[0]


def _file(file: Mapping[str, Any]) -> Line:
    known = {key: file.get(key) for key in ("size", "sha256")}
    found = {key: value for key, value in known.items() if value is not None}
    return {"path": file["path"], "blob": file["blob_sha1"], **found}


def _place(file: Mapping[str, Any]) -> tuple[int, str]:
    """Return what files are sorted by: train, dev, test."""
    path = file["path"]
    places = [n for n, split in enumerate(_SPLITS) if f"-{split}" in path]
    return (places or [len(_SPLITS)])[0], path


def move_pins(index: Path, release: str) -> Pins:
    """Rewrite the catalogue to the pins of another release; raises :class:`InputError`."""
    records = read_index(index)
    before = {line["name"]: line for line in _read_lines(catalogue.TREEBANKS)}
    pins = pin_treebanks(records, release, before)
    if not pins.lines:
        raise fail(f"pins no treebank of UD {release}", index)
    write_lines(catalogue.TREEBANKS, [{"ud": release}, *pins.lines.values()])
    return pins


def _read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a catalogue of treebanks, if there is one."""
    if path.is_file():
        yield from (line for line in read_json_lines(path, dict, "catalogue") if "name" in line)


def write_lines(path: Path, lines: Sequence[Line]) -> None:
    """Write a catalogue, all of it or nothing."""
    texts = (json.dumps(line, ensure_ascii=False) for line in lines)
    write_text(path, "".join(f"{text}\n" for text in texts))


_TAKEN = {
    "eng": ["eng.args"],
    "eus": ["eus.args"],
    "ckb": ["UniMorph2/UniMorph2.tsv"],
    "kaz": ["kaz", "kaz.noun.tsv"],
    "uzb": ["uzb", "uzb_verbs"],
}
"""The files that are taken where it is not the main list: the list that says whom a verb agrees
with, the one with tags of the schema, and lists beside a small one."""


def unimorph_lines(path: Path) -> list[Line]:
    """Return the lines of the catalogue about the UniMorph lists of an index.

    Of a list in parts (``fin.1``, ``fin.2``) all are taken; of one that has only dialects
    (``vep-...``) all of these. One that is there only compressed is left out.
    """
    found = (_list_line(record) for record in read_json_lines(path, _LIST, "index of word lists"))
    return sorted((line for line in found if line["files"]), key=lambda line: str(line["name"]))


def _list_line(record: Line) -> Line:
    name = record["repo"].partition("/")[2]
    files = {file["path"]: file for file in record["files"]}
    taken = _TAKEN.get(name) or _main_files(name, record["main_list"], files)
    lines = [line for readme in record["readmes"] for line in readme["license_lines"]]
    licence = list_licence(lines, taken[0]) if taken else ""
    return {
        "name": name,
        "iso": record["iso"],
        "language": record["language"] or name,
        "commit": record["commit"],
        "licence": licence,
        "commercial": allows_commerce(licence),
        "files": [_file(files[path]) for path in taken],
    }


def _main_files(name: str, main: str | None, files: Mapping[str, object]) -> list[str]:
    if main:
        return [main]
    parts = sorted(path for path in files if re.fullmatch(rf"{re.escape(name)}\.\d+", path))
    return parts or sorted(path for path in files if path.startswith(f"{name}-"))


_OTHERS = {
    r"\bC-UDA\b": "C-UDA-1.0",
    r"\bLGPL-?LR\b": "LGPLLR",
    r"\bGPL\b": "GPL-3.0-only",
    r"\bCC0\b": "CC0-1.0",
    r"\bPD\b": "LicenseRef-public-domain",
}
"""Licences that are not of the family CC BY, by what READMEs call them."""

_BY = re.compile(r"\bby((?:[- ](?:nc|nd|sa))*)\b")
_WORDS = {
    "by": re.compile(r"attribution\b"),
    "nc": re.compile(r"non-?commercial"),
    "nd": re.compile(r"no-?deriv"),
    "sa": re.compile(r"share-?alike"),
}
_VERSION = re.compile(r"\b([1-4]\.[05])\b")


def strictest(readme: str, text: str = "") -> str:
    """Return the SPDX identifier of what README and LICENSE.txt say together.

    The version is the README's. Terms that have no identifier of their own are joined by ``AND``.

    >>> strictest("CC BY-NC 4.0", "Creative Commons License Attribution-ShareAlike 3.0")
    'CC-BY-NC-SA-4.0'
    """
    ours, theirs = _terms(readme), _terms(text)
    other = next((name for mark, name in _OTHERS.items() if re.search(mark, readme)), "")
    if other and not ("by" in theirs and other.startswith(("CC0", "LicenseRef"))):
        licence = other
    else:
        version = _VERSION.search(readme if "by" in ours else text)
        licence = _creative_commons(ours | theirs, version[1] if version else "")
    return f"{licence} AND {ACADEMIC}" if "academic use" in text else licence


def _terms(text: str) -> set[str]:
    """Return the terms of CC BY that a text names: by, nc, nd, sa."""
    lower = text.casefold()
    found = {name for name, mark in _WORDS.items() if mark.search(lower)}
    for match in _BY.finditer(lower):
        found |= {"by", *re.findall("nc|nd|sa", match[1])} if match[1] else set()
    return found | ({"by"} if "cc by" in lower or "cc-by" in lower else set())


def _creative_commons(terms: set[str], version: str) -> str:
    if "by" not in terms or not version:
        return NOT_STATED
    order = [name for name in ("nc", "nd", "sa") if name in terms]
    order = [name for name in order if name != "sa" or "nd" not in terms]
    return "-".join(["CC-BY", *(name.upper() for name in order), version])


def list_licence(lines: Sequence[str], path: str) -> str:
    """Return the licence of a word list by the lines of its README about licences.

    Lines that name another file of the repository are not about this one.
    """
    own = [n for n, line in enumerate(lines) if f"({path} file)" in line or f"`{path}`" in line]
    if own:
        lines = [line for n in own for line in lines[n : n + 2]]
    text = " ".join(line for line in lines if own or "` is " not in line)
    if "LGPLLR" in text:
        return "LGPLLR"
    return strictest(text) if _VERSION.search(text) else NOT_STATED


def main(arguments: list[str] | None = None) -> None:
    """Rewrite ``treebanks.jsonl`` and ``unimorph.jsonl``, and say what they have now."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("treebanks", type=Path, help="the index of UD's repositories")
    parser.add_argument(
        "unimorph", type=Path, nargs="?", help="the index of UniMorph's repositories"
    )
    parser.add_argument("--ud", required=True, metavar="RELEASE", help="as 2.18")
    given = parser.parse_args(arguments)
    pins = move_pins(given.treebanks, given.ud)
    print(f"UD {pins.release}: {len(pins.lines)} treebanks")
    for what, names in pins.changes.items():
        print(f"{what}: {', '.join(names) or 'none'}")
    if given.unimorph:
        lists = unimorph_lines(given.unimorph)
        write_lines(catalogue.LISTS, lists)
        print(f"{len(lists)} word lists")


if __name__ == "__main__":
    main()
