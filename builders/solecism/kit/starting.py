"""Begin a language: count what a source shows of it, and write the files that a linguist fills."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from solecism.errors import InputError, Problem
from solecism.files import add_texts
from solecism.inputs import read_source, read_toml
from solecism.language_tags import language_name
from solecism.lexicon.features import Feats
from solecism.lexicon.table import UPOS
from solecism.root import SHARED, Root, installed_root
from solecism.works.unimorph import Attested

_FOLDER = Path(__file__).parent / "models"
_TABLES = read_toml(_FOLDER / "tables.toml")
_MODELS = Environment(
    "<%", "%>", "<<", ">>", "<#", "#>", trim_blocks=True, keep_trailing_newline=True,
    loader=FileSystemLoader(_FOLDER),
)  # fmt: skip
"""The files that are written. Their signs are not those of the templates that they hold."""
_SHARED = ("lexicons/columns.tsv", "lexicons/classes.tsv", "templates/phrases/kinds.yaml")


def start(root: Root, code: str, forms: Iterable[Attested], least: int) -> str:
    """Write the files of a new language, and those that all share where they are missing.

    Return what the ``forms`` show: cells seen more than ``least`` times are listed. Raises
    :class:`InputError`, and writes nothing, where one of its files is there already.
    """
    shown = {name: Counter[str]() for name in _TABLES}
    cells = {name: Counter[Feats]() for name in _TABLES}
    tables = {UPOS[name]: name for name in _TABLES}
    for form in forms:
        if name := tables.get(form.upos):
            own, varying = _TABLES[name]["own"], _TABLES[name]["varying"]
            shown[name].update(feature for feature in own if feature in form.feats)
            pairs = (pair for pair in form.feats.pairs if pair[0] in varying and len(pair[1]) == 1)
            cells[name][Feats(tuple(pairs))] += form.times
    often = {name: _often(counts, least) for name, counts in cells.items()}
    said = {"code": code, "language": language_name(code), "tables": _TABLES, "least": least}
    said |= {"shown": shown, "cells": cells, "often": often}
    said["wrote"] = _write(root, code, said)
    return _MODELS.get_template("report.txt").render(said)


def _often(counts: Counter[Feats], least: int) -> list[Feats]:
    """Return the cells seen often enough, but those of which another one says more."""
    pairs = {cell: {*cell.pairs} for cell, seen in counts.most_common() if seen > least}
    every = pairs.values()
    return [cell for cell, own in pairs.items() if cell and not any(own < more for more in every)]


def _write(root: Root, code: str, said: Mapping[str, object]) -> list[Path]:
    names = ("words.txt", "unwanted.tsv", "orthography.tsv", "README.md", "cells.toml")
    folder = root.path / "lexicons" / code
    texts = {folder / name: _MODELS.get_template(name).render(said) for name in names}
    phrases = _MODELS.get_template("phrases.jinja").render(said)
    texts[root.path / "templates" / SHARED / f"{code}.jinja"] = phrases
    if there := [path for path in texts if path.exists()]:
        raise InputError(Problem("is there already: nothing was written", str(p)) for p in there)
    missing = [name for name in _SHARED if not (root.path / name).exists()]
    texts |= {root.path / name: read_source(installed_root().path / name) for name in missing}
    return add_texts(root.path, texts)
