"""Write files and folders that become visible only when they are complete.

New content is hidden beside its place until it is complete and on the disk; then it is renamed. A
run that is killed leaves the old content or the new, and hidden leftovers (``.solecism-*``), which
the next run that writes there removes.
"""

import csv
import io
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock, Timeout

from solecism.errors import InputError, Problem, fail

CHANGED = "is not as it was built, and would be overwritten: move it, or choose another --out"
"""The message about a file that is in the way of a new one."""

WAIT = 10.0
"""Seconds to wait for another run that is writing to the same place."""


@contextmanager
def locked(path: Path, wait: float | None = None) -> Iterator[None]:
    """Hold the lock of ``path``: a hidden file beside it, removed at the end.

    A thread that holds it may take it again. Raises :class:`InputError` if another run still holds
    it after ``wait`` seconds (None: :data:`WAIT`).
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
        with _named(path, part):
            part.touch()
            if path.exists():
                shutil.copymode(path, part)
            yield part
            _sync(part)
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def is_own_file(folder: Path, name: str) -> bool:
    """Return whether a path is a regular file in a folder: others may have filled the folder.

    It is not absolute and has no ``..``; no part of it is a symbolic link.
    """
    path = folder / name
    if Path(name).is_absolute() or not os.path.isfile(path):  # noqa: PTH113 (False if too long)
        return False
    return path.resolve() == folder.resolve() / name


def place_in(folder: Path, name: str) -> Path:
    """Return the path of a file that will be written into a folder that others filled.

    A link in its place is removed, as :func:`writing` would follow it. Raises :class:`InputError`
    if a link leads to the file's folder.
    """
    path = folder / name
    if path.parent.resolve() != (folder.resolve() / name).parent:
        raise fail("is a link, and nothing is written through it", path.parent)
    if path.is_symlink():
        path.unlink()
    return path


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
    return quoted.replace("\r", "\n")  # the csv module does not quote \r


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""The characters with which a formula of a spreadsheet can begin (OWASP, CSV injection)."""


def json_of(value: object) -> str:
    """Return a value as the text of a JSON file that people read."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def link_file(old: Path | str, new: Path | str) -> None:
    """Link a file to a second place, or copy it if the disk has no links."""
    Path(new).parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(old, new, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        shutil.copy2(old, new)


def write_text(path: Path, text: str, mode: int | None = None) -> None:
    """Write a text as UTF-8 with Unix line ends, by :func:`writing`.

    ``mode``: the permissions of the file (None: as usual).
    """
    with writing(path) as part:
        if mode is not None:
            part.chmod(mode)
        part.write_text(text, encoding="utf-8", newline="\n")


def add_texts(
    folder: Path, texts: Mapping[Path, str], ours: Callable[[Path], bool] = lambda path: False
) -> list[Path]:
    """Write new files below a folder; return those that were written.

    A file that is there with the same text is left alone, so that a run that was cut short can be
    repeated. Raises :class:`InputError`, and writes nothing, where one is there with another text
    that is not ``ours``.
    """
    new = [p for p, text in texts.items() if not p.is_file() or p.read_bytes() != text.encode()]
    with filling_folder(folder, ours) as fresh:
        for path in new:
            place = fresh / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(texts[path], encoding="utf-8", newline="\n")
    return new


@contextmanager
def filling_folder(out: Path, ours: Callable[[Path], bool] = lambda path: False) -> Iterator[Path]:
    """Yield a fresh folder whose files move into ``out`` unless an error is raised.

    Files of the same name are replaced if ``ours`` returns True; all others stay. Raises
    :class:`InputError`, and changes nothing, if another file is in the way of a new one.
    """
    is_new = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    try:
        with TemporaryDirectory(prefix=".solecism-part", dir=out) as part, _named(out, Path(part)):
            fresh = Path(part)
            yield fresh
            names = [path.relative_to(fresh) for path in _files(fresh) if path.is_file()]
            there = [out / name for name in names if os.path.lexists(out / name)]
            if other := [path for path in there if not (path.is_file() and ours(path))]:
                message = (
                    "is there already (nothing was written): move it, or choose another folder"
                )
                raise InputError(Problem(message, str(path)) for path in other)
            for name in names:
                (out / name).parent.mkdir(parents=True, exist_ok=True)
                _sync(fresh / name)
                (fresh / name).replace(out / name)
    finally:
        if is_new and not any(out.iterdir()):
            out.rmdir()


@contextmanager
def replacing_folder(out: Path, ours: Callable[[Path], Collection[str]]) -> Iterator[Path]:
    """Yield a fresh folder that takes the place of ``out`` unless an error is raised.

    ``ours`` returns the files in a folder that this program made (paths relative to it); they go
    with the old folder. All others are kept, and so is the mode of the folder.

    Raises :class:`InputError`, and leaves ``out`` as it was, if a file that is not ours is in the
    way of a new one.
    """
    out = Path(os.path.realpath(out))
    if not out.name:
        raise fail("cannot be replaced: choose another folder", out)
    fresh, old = (out.with_name(f".solecism-{kind}.{out.name}") for kind in ("part", "old"))
    with locked(out), _named(out, fresh):
        recover_folder(out)
        for left in (fresh, old):
            shutil.rmtree(left, ignore_errors=True)
        fresh.mkdir()
        try:
            if out.exists():
                shutil.copymode(out, fresh)
            yield fresh
            if out.exists():
                _keep_others(out, fresh, set(ours(out)))
            for path in filter(Path.is_file, _files(fresh)):
                _sync(path)
            if out.exists():
                out.rename(old)
            fresh.rename(out)
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


def _keep_others(out: Path, fresh: Path, made: set[str]) -> None:
    """Link the files of the old folder that are not in ``made`` into the new one."""

    def ours(folder: str, names: list[str]) -> list[str]:
        paths = [Path(folder, name) for name in names]
        leaves = {p.name: ([] if p.is_symlink() else _files(p)) or [p] for p in paths}
        made_of = {n: {leaf.relative_to(out).as_posix() for leaf in leaves[n]} for n in names}
        return [name for name in names if made_of[name] <= made]

    try:
        shutil.copytree(
            out, fresh, symlinks=True, ignore=ours, copy_function=link_file, dirs_exist_ok=True
        )
    except shutil.Error as error:
        raise InputError(Problem(CHANGED, old) for old, *_ in error.args[0]) from None


def _files(folder: Path) -> list[Path]:
    """Return all files, links and empty folders below a folder."""
    found = sorted(folder.rglob("*"))
    return [p for p in found if p.is_symlink() or not p.is_dir() or not any(p.iterdir())]


def _sync(path: Path) -> None:
    """Wait until a file is on the disk: otherwise its renaming may be on the disk before it."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


@contextmanager
def _named(path: Path, hidden: Path) -> Iterator[None]:
    """Name ``path`` in errors that name the ``hidden`` place of its content, or no file."""
    try:
        yield
    except InputError as error:
        shown = [(one, one.path.replace(str(hidden), str(path))) for one in error.problems]
        raise type(error)(replace(one, path=name) for one, name in shown) from None
    except OSError as error:
        error.filename = str(error.filename or path).replace(str(hidden), str(path))
        raise
