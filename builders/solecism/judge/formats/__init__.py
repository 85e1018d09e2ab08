"""Answers that other programs have collected: one file a format, one table from all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from solecism.errors import candidates, fail
from solecism.inputs import read_text
from solecism.judge.design import Study
from solecism.judge.formats import jspsych, label_studio, mturk, own, pcibex, table

__all__ = ["FORMATS", "AnswerFormat", "read_raw"]


class AnswerFormat(NamedTuple):
    """A format: what it is, whether the text of a file is of it, and the answers in such a text.

    An answer is a mapping by our names: those of :data:`~solecism.judge.schema.ANSWERS`, ``item``
    (the key of the trial), ``good`` and ``bad`` (its sentences), and ``line`` (where it stands).
    """

    about: str
    fits: Callable[[str], bool]
    read: Callable[[Path, str, Study], Iterator[Mapping[str, Any]]]


FORMATS = {
    "own": AnswerFormat("a file that our page has saved", own.fits, own.read),
    "label-studio": AnswerFormat(
        "Label Studio's JSON or CSV export", label_studio.fits, label_studio.read
    ),
    "jspsych": AnswerFormat("jsPsych's JSON", jspsych.fits, jspsych.read),
    "pcibex": AnswerFormat("the results of PCIbex (PennController)", pcibex.fits, pcibex.read),
    "mturk": AnswerFormat("a batch of MTurk laid out as BLiMP's", mturk.fits, mturk.read),
    "table": AnswerFormat("any CSV, through [columns] of study.toml", table.fits, table.read),
}
"""The formats by name, in the order in which they are tried."""


def read_raw(path: Path, study: Study, name: str = "") -> Iterator[Mapping[str, Any]]:
    """Yield the answers in a file as other programs wrote them.

    ``name``: one of :data:`FORMATS`; empty: the first that fits. Raises :class:`InputError` for an
    unknown name and for a file that is of no format, or broken.
    """
    text = _unpacked(path)
    if name and name not in FORMATS:
        raise fail(f"unknown format {name!r} {candidates('formats', list(FORMATS), name)}")
    fitting = [each for each in FORMATS.values() if each.fits(text)]
    if not name and not fitting:
        raise fail(f"is of none of the formats {', '.join(FORMATS)}", path)
    yield from (FORMATS[name] if name else fitting[0]).read(path, text, study)


def _unpacked(path: Path) -> str:
    """Return the text of a file, which may be packed by gzip or xz."""
    import gzip
    import lzma

    if path.suffix not in (".gz", ".xz"):
        return read_text(path, "utf-8-sig")
    unpack = gzip.decompress if path.suffix == ".gz" else lzma.decompress
    try:
        return unpack(path.read_bytes()).decode("utf-8-sig")
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise fail(f"cannot be unpacked: {error}", path) from None
