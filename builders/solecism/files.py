"""Files and folders that appear when they are whole.

New content is hidden beside its place until it is complete and on the disk; then it is renamed. A
lock file keeps two runs from writing to one place at the same time. A run that is killed leaves the
old content as it was, and hidden leftovers, which the next run that writes there removes: it holds
the lock, so the run that left them has ended, on this machine or another.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from solecism.errors import InputError, Problem, fail

__all__ = [
    "CHANGED", "WAIT", "add_texts", "csv_of", "filling_folder", "json_of", "link_file", "locked",
    "not_formula", "recover_folder", "replacing_folder", "sync", "write_text", "writing",
]  # fmt: skip

CHANGED = "is not as it was built, and would be overwritten: move it, or choose another --out"
"""The message about a file that is in the way of a new one."""

WAIT = 10.0
"""Seconds to wait for another run that is writing to the same place."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of ``path``, a hidden file beside it that goes with the lock.

    A thread that holds it may take it again: read, change and write a file under one lock.

    Raises :class:`InputError` where another run has held it for :data:`WAIT` seconds.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    place = path.with_name(f".solecism-lock.{path.name}")
    lock = FileLock(place, is_singleton=True)
    try:
        lock.acquire(timeout=WAIT)
    except Timeout:
        raise fail("another run of solecism is writing here: wait for it to end", path) from None
    try:
        yield
    finally:
        # Removed while it is held: who waits for it sees that it is gone and makes a new one.
        if lock.lock_counter == 1:
            place.unlink(missing_ok=True)
        lock.release()


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; it becomes ``path`` unless an error is raised.

    A link is followed, and what is no ordinary file (``/dev/stdout``) is written to as it is.
    An :class:`OSError` that names no file, as of a full disk, names ``path``.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        yield path
        return
    with locked(path), _named(path):
        part = path.with_name(f".solecism-part.{path.name}")
        part.unlink(missing_ok=True)
        try:
            yield part
            sync(part)
            part.replace(path)
            sync(path.parent)
        finally:
            part.unlink(missing_ok=True)


def csv_of(records: Iterable[Mapping[str, object]], exact: bool = False) -> str:
    """Return records as CSV: a column for each key, in the order in which keys come.

    Texts that a spreadsheet would run as formulas are quoted (:func:`not_formula`), unless the
    file is read by a program that wants them ``exact``.
    """
    rows = list(records)
    names = list(dict.fromkeys(name for row in rows for name in row))
    cell = (lambda value: value) if exact else not_formula
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(cell, names))
    writer.writerows([cell(row.get(name, "")) for name in names] for row in rows)
    return out.getvalue()


def not_formula(value: object) -> object:
    """Return a cell of a CSV file; a text that begins as a formula gets an apostrophe first.

    >>> not_formula("=1+1"), not_formula(-1)
    ("'=1+1", -1)
    """
    if not isinstance(value, str):
        return value
    quoted = f"'{value}" if value.startswith(_FORMULA) else value
    return quoted.replace("\r", "\n")  # of which the csv module does not quote the first


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet takes for a formula (OWASP, CSV injection)."""


def json_of(value: object) -> str:
    """Return a value as the text of a JSON file that people read."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def link_file(old: Path, new: Path) -> None:
    """Link a file to a second place, or copy it where the disk has no links."""
    new.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(old, new)
    except OSError:
        shutil.copyfile(old, new)


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8 with Unix line ends; see :func:`writing`."""
    with writing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def add_texts(folder: Path, texts: Mapping[Path, str]) -> list[Path]:
    """Write new files below a folder, all of them or none; return those that were written.

    A file that is there with the same text is left alone, so that a run that was cut short can be
    repeated. Raises :class:`InputError` for those that are there with another text.
    """
    there = [path for path in texts if os.path.lexists(path)]
    if other := [path for path in there if not _holds(path, texts[path])]:
        raise InputError(Problem("is there already (nothing was written)", str(p)) for p in other)
    new = [path for path in texts if path not in there]
    made: list[Path] = []
    with _undone(made):
        made += _make_folders(folder)
        with _fresh(folder / "texts") as fresh:
            for number, path in enumerate(new):
                (fresh / str(number)).write_text(texts[path], encoding="utf-8", newline="\n")
            _sync_tree(fresh)
            for number, path in enumerate(new):
                made += _make_folders(path.parent)
                (fresh / str(number)).rename(path)
                made.append(path)
    return new


@contextmanager
def _undone(made: list[Path]) -> Iterator[None]:
    """Remove files and folders that were made, the last first, where an error is raised."""
    try:
        yield
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def _make_folders(folder: Path) -> list[Path]:
    """Make a folder and those above it; return those that were made."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()][::-1]
    for path in missing:
        path.mkdir(exist_ok=True)
    return missing


def sync(path: Path) -> None:
    """Wait until a file or the entries of a folder are on the disk, where the system can say."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Set the name of an :class:`OSError` that names no file to ``path``."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


@contextmanager
def _fresh(out: Path) -> Iterator[Path]:
    """Yield an empty folder beside ``out``, which is locked; what is left in it at the end goes."""
    with locked(out), _named(out):
        fresh = out.with_name(f".solecism-part.{out.name}")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        try:
            yield fresh
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


@contextmanager
def filling_folder(out: Path, ours: Callable[[Path], bool]) -> Iterator[Path]:
    """Yield a fresh folder whose files move to ``out`` unless an error is raised.

    Files of the same name are replaced where ``ours`` says so of them; all others stay. Raises
    :class:`InputError`, and changes nothing, where another file stands in the way of a new one.
    """
    out = Path(os.path.realpath(out))
    with _fresh(out) as fresh:
        yield fresh
        _sync_tree(fresh)
        names = sorted(path.name for path in fresh.iterdir())
        there = [out / name for name in names if os.path.lexists(out / name)]
        if other := [path for path in there if not (path.is_file() and ours(path))]:
            message = (
                "would be overwritten, and is something else: move it, or choose another folder"
            )
            raise InputError(Problem(message, str(path)) for path in other)
        out.mkdir(exist_ok=True)
        for name in names:
            (fresh / name).replace(out / name)
        sync(out)


@contextmanager
def replacing_folder(out: Path, ours: Callable[[Path], Collection[str]]) -> Iterator[Path]:
    """Yield a fresh folder that takes the place of ``out`` unless an error is raised.

    ``ours`` returns which files of a folder this program made (paths within it, the one that says
    so last). They go with the old folder. Everything else moves to the new one.

    Raises :class:`InputError`, and leaves ``out`` as it was, where a file that is not ours stands
    in the way of a new one.
    """
    out = Path(os.path.realpath(out))
    old = _old(out)
    with _fresh(out) as fresh:
        _recover(out, old, ours)
        yield fresh
        _sync_tree(fresh)
        _refuse_overwriting(out, fresh, ours)
        _exchange(out, fresh, old)
        _clear(old, out, ours)


def recover_folder(out: Path, ours: Callable[[Path], Collection[str]]) -> None:
    """Put back a folder that a run left hidden when it was killed between two renames.

    :func:`replacing_folder` does so itself; who reads ``out`` before asks for it.
    """
    out = Path(os.path.realpath(out))
    old = _old(out)
    if old.exists():
        with locked(out):
            _recover(out, old, ours)


def _old(out: Path) -> Path:
    return out.with_name(f".solecism-old.{out.name}")


def _recover(out: Path, old: Path, ours: Callable[[Path], Collection[str]]) -> None:
    """Finish what a run that was killed between two renames has begun."""
    if old.exists() and not out.exists():
        old.rename(out)
    elif old.exists():
        _clear(old, out, ours)


def _refuse_overwriting(out: Path, fresh: Path, ours: Callable[[Path], Collection[str]]) -> None:
    if not out.exists():
        return
    in_the_way = [name for name in _strays(out, fresh, ours(out)) if os.path.lexists(fresh / name)]
    if in_the_way:
        raise InputError(Problem(CHANGED, str(out / name)) for name in in_the_way)


def _strays(folder: Path, other: Path, ours: Collection[str], within: str = "") -> Iterator[str]:
    """Yield what is not ours, whole folders where ``other`` has none of that name."""
    for entry in sorted(os.scandir(folder / within), key=lambda entry: entry.name):
        name = f"{within}{entry.name}"
        if name in ours:
            continue
        mixed = any(path.startswith(f"{name}/") for path in ours) or (other / name).is_dir()
        if entry.is_dir(follow_symlinks=False) and mixed:
            yield from _strays(folder, other, ours, f"{name}/")
        else:
            yield name


def _exchange(out: Path, fresh: Path, old: Path) -> None:
    """Put ``fresh`` in the place of ``out``; roll back on an error."""
    if not out.exists():
        fresh.rename(out)
    else:
        out.rename(old)
        try:
            fresh.rename(out)
        except BaseException:
            old.rename(out)
            raise
    sync(out.parent)


def _clear(old: Path, out: Path, ours: Callable[[Path], Collection[str]]) -> None:
    """Move what is not ours from ``old`` to ``out``, then remove ``old``.

    Can be cut short and repeated: the file that says what is ours goes last.
    """
    if not old.exists():
        return
    made = list(ours(old))
    for name in list(_strays(old, out, made)):
        if os.path.lexists(out / name):
            raise fail(f"stands in the way of what was kept in {old}: move it", out / name)
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (old / name).rename(out / name)
    for name in made[:-1]:
        (old / name).unlink(missing_ok=True)
    _remove_empty(old)
    for name in made[-1:]:
        (old / name).unlink(missing_ok=True)
    old.rmdir()


def _remove_empty(folder: Path) -> None:
    """Remove the empty folders below a folder."""
    for path, _, _ in os.walk(folder, topdown=False):
        if Path(path) != folder:
            Path(path).rmdir()


def _sync_tree(folder: Path) -> None:
    for path, _, names in os.walk(folder):
        for name in names:
            sync(Path(path, name))
        sync(Path(path))
