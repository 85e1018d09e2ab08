"""Files and folders that appear when they are whole.

New content is hidden beside its place until it is complete and on the disk; then it is renamed. A
run that is killed leaves the old content or the new, and hidden leftovers (``.solecism-*``), which
the next run that writes there removes.
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
def locked(path: Path, wait: float | None = None) -> Iterator[None]:
    """Hold the lock of ``path``: a hidden file beside it, removed at the end.

    A thread that holds it may take it again. Raises :class:`InputError` if another run has held it
    for so many seconds (:data:`WAIT`).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    place = path.with_name(f".solecism-lock.{path.name}")
    lock = FileLock(place, is_singleton=True)
    try:
        lock.acquire(timeout=WAIT if wait is None else wait)
    except Timeout:
        raise fail("another run of solecism is writing here: wait for it to end", path) from None
    try:
        yield
    finally:
        # Removed while it is held: a run that waits for it sees that and makes a new one.
        if lock.lock_counter == 1:
            place.unlink(missing_ok=True)
        lock.release()


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; it becomes ``path`` unless an error is raised.

    The mode of a file that is replaced is kept. A link is followed, and a device
    (``/dev/stdout``) is written to directly. An :class:`OSError` that names no file, as of a full
    disk, names ``path``.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        yield path
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".solecism-part.{path.name}")
    part.unlink(missing_ok=True)
    try:
        with _named(path):
            part.touch()
            if path.exists():
                _copy_mode(path, part)
            yield part
            sync(part)
            part.replace(path)
            sync(path.parent)
    finally:
        part.unlink(missing_ok=True)


def csv_of(
    records: Iterable[Mapping[str, object]], exact: bool = False, delimiter: str = ","
) -> str:
    """Return records as CSV: a column for each key, in the order in which keys come.

    Texts that a spreadsheet would run as formulas are quoted (:func:`not_formula`), unless the
    file is read by a program that wants them ``exact``.
    """
    rows = list(records)
    names = list(dict.fromkeys(name for row in rows for name in row))
    cell = (lambda value: value) if exact else not_formula
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
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
    """Link a file to a second place, or copy it if the disk has no links; a link stays a link."""
    new.parent.mkdir(parents=True, exist_ok=True)
    if old.is_symlink():
        new.symlink_to(old.readlink())
        return
    try:
        os.link(old, new)
    except OSError:
        shutil.copy2(old, new)


def write_text(path: Path, text: str, mode: int | None = None) -> None:
    """Write a text as UTF-8 with Unix line ends; see :func:`writing`. ``mode``: of a new file."""
    with writing(path) as part:
        if mode is not None:
            part.chmod(mode)
        part.write_text(text, encoding="utf-8", newline="\n")


def add_texts(folder: Path, texts: Mapping[Path, str]) -> list[Path]:
    """Write new files below a folder; return those that were written.

    A file that is there with the same text is left alone, so that a run that was cut short can be
    repeated. Raises :class:`InputError`, and writes nothing, where one is there with another text.
    """
    new = [path for path, text in texts.items() if not _holds(path, text)]
    with filling_folder(folder) as fresh:
        for path in new:
            place = fresh / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(texts[path], encoding="utf-8", newline="\n")
    return new


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


@contextmanager
def filling_folder(out: Path, ours: Callable[[Path], bool] = lambda path: False) -> Iterator[Path]:
    """Yield a fresh folder whose files move into ``out`` unless an error is raised.

    Files of the same name are replaced if ``ours`` returns True; all others stay. Raises
    :class:`InputError`, and changes nothing, if another file is in the way of a new one.
    """
    fresh, is_new = out / ".solecism-part", not out.exists()
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    try:
        with _named(out):
            yield fresh
            names = [path.relative_to(fresh) for path in _files(fresh)]
            there = [out / name for name in names if os.path.lexists(out / name)]
            if other := [path for path in there if not (path.is_file() and ours(path))]:
                message = (
                    "is there already (nothing was written): move it, or choose another folder"
                )
                raise InputError(Problem(message, str(path)) for path in other)
            for name in names:
                (out / name).parent.mkdir(parents=True, exist_ok=True)
            for name in names:
                sync(fresh / name)
                (fresh / name).replace(out / name)
            sync(out)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        if is_new and not any(out.iterdir()):
            out.rmdir()


@contextmanager
def replacing_folder(out: Path, ours: Callable[[Path], Collection[str]]) -> Iterator[Path]:
    """Yield a fresh folder that takes the place of ``out`` unless an error is raised.

    ``ours`` returns the files in a folder that this program made (paths relative to it); they go
    with the old folder. All others are kept, and so are the modes of folders and files.

    Raises :class:`InputError`, and leaves ``out`` as it was, if a file that is not ours is in the
    way of a new one.
    """
    out = Path(os.path.realpath(out))
    if not out.name:
        raise fail("cannot be replaced: choose another folder", out)
    fresh, old = (out.with_name(f".solecism-{kind}.{out.name}") for kind in ("part", "old"))
    with locked(out), _named(out):
        recover_folder(out)
        for left in (fresh, old):
            shutil.rmtree(left, ignore_errors=True)
        fresh.mkdir()
        try:
            if out.exists():
                _copy_mode(out, fresh)
            yield fresh
            if out.exists():
                _keep_others(out, fresh, set(ours(out)))
            for path in _files(fresh):
                sync(path)
            if out.exists():
                out.rename(old)
            fresh.rename(out)
            sync(out.parent)
        finally:
            recover_folder(out)
            shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def recover_folder(out: Path) -> None:
    """Put a folder back if a run was killed between the two renames of :func:`replacing_folder`."""
    out = Path(os.path.realpath(out))
    old = out.with_name(f".solecism-old.{out.name}")
    if old.exists() and not out.exists():
        old.rename(out)


def _keep_others(out: Path, fresh: Path, made: Collection[str]) -> None:
    """Link what is not ours from the old folder into the new one, and copy modes."""
    old = sorted(out.rglob("*"))
    others = [
        path for path in old if _is_other(path) and path.relative_to(out).as_posix() not in made
    ]
    places = {path: fresh / path.relative_to(out) for path in others}
    if in_the_way := [path for path, place in places.items() if _is_taken(place, path, fresh)]:
        raise InputError(Problem(CHANGED, str(path)) for path in in_the_way)
    for path, place in places.items():
        if path.is_dir() and not path.is_symlink():
            place.mkdir(parents=True, exist_ok=True)
        else:
            link_file(path, place)
    for path in old:
        new = fresh / path.relative_to(out)
        if new.exists() and not path.is_symlink():
            _copy_mode(path, new)


def _is_other(path: Path) -> bool:
    """Return whether a path is a file, a link or an empty folder: other folders come with these."""
    return path.is_symlink() or not path.is_dir() or not any(path.iterdir())


def _is_taken(place: Path, old: Path, top: Path) -> bool:
    """Return whether a new file is where an old file or folder is to go, or above that."""
    both_folders = old.is_dir() and not old.is_symlink() and place.is_dir()
    above = [folder for folder in place.parents if folder.is_relative_to(top)]
    return (os.path.lexists(place) and not both_folders) or any(path.is_file() for path in above)


def _copy_mode(old: Path, new: Path) -> None:
    """Copy the mode of a file or folder, and its group if that is allowed."""
    with suppress(PermissionError, AttributeError):  # Windows has no groups
        os.chown(new, -1, old.stat().st_gid)
    shutil.copymode(old, new)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


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
