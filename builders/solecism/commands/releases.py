"""``solecism diff``, ``lock`` and ``cite``: what a release changes, what it holds, how it is cited."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from solecism.datasets.lock import (
    changes,
    content_of,
    is_own,
    lock_path,
    note_commits,
    read_lock,
    record,
)
from solecism.datasets.manifest import read_manifest
from solecism.errors import InputError, Problem, fail
from solecism.hub.changelog import add_to_changelog, changelog_of, lines_of
from solecism.hub.client import Repository, folder_of
from solecism.hub.compare import Difference, Example, compare
from solecism.root import Root

__all__ = ["diff_and_report", "lock_and_report", "note_and_report"]

_HUB_ID = re.compile(r"([\w.-]+/[\w.-]+?)(?:@(\S+))?")


def diff_and_report(
    old: str, new: str, changelog: Root | None, as_json: bool, console: Console
) -> None:
    """Compare two data sets and print what changed; with ``changelog`` note it beside the card there."""
    folders = _folder(old), _folder(new)
    found = compare(*folders)
    if as_json:
        console.print_json(json.dumps(found.to_json()))
    else:
        _print(found, console)
    if changelog is not None:
        name = read_manifest(folders[1]).dataset
        add_to_changelog(changelog_of(changelog, name), name, found)


def _folder(place: str) -> Path:
    """A folder, or a snapshot of ``ORG/NAME`` or ``ORG/NAME@REVISION`` of the hub."""
    match = _HUB_ID.fullmatch(place)
    if Path(place).is_dir():
        return Path(place)
    if match is None:
        raise fail(f"{place!r} is neither a folder nor a data set of a hub (ORG/NAME@v1.0.0)")
    return folder_of(match[1], match[2])


def _print(found: Difference, console: Console) -> None:
    def say(text: str) -> None:
        console.print(text, soft_wrap=True, markup=False, highlight=False)

    say(f"{found.old_version} -> {found.new_version}")
    if found.needs == "none":
        say("nothing changed")
        return
    for line in lines_of(found):
        say(f"* {line.replace('`', '')}")
    for config in found.configs:
        for sign, items in (("+", config.added), ("-", config.removed), ("~", config.changed)):
            for example in items.examples:
                say(f"  {sign} {config.name} {example.id}: {_text(example)}")
    if found.documents or found.encoded:
        files = [*found.documents, *(f"{name} (same content)" for name in found.encoded)]
        say("files that differ: " + ", ".join(files))
    say(f"needs {found.needs}: {found.smallest} or above")


def _text(example: Example) -> str:
    if example.old and example.new:
        return "; ".join(f"{n} {example.old[n]!r} -> {example.new[n]!r}" for n in example.old)
    return " / ".join(str(v) for v in (example.old or example.new).values() if v is not None)


def lock_and_report(
    root: Root, folders: Sequence[Path], check: bool, replacing: bool, console: Console
) -> None:
    """Put what built folders hold into the lock, or with ``check`` compare it.

    Raises :class:`InputError` for content that changed under a version that is locked (or, checking, that
    is not locked).
    """
    problems: list[Problem] = []
    for folder in folders:
        manifest = read_manifest(folder)
        name, version, content = manifest.dataset, manifest.version, content_of(manifest)
        path = lock_path(root, name)
        if check:
            lines = changes(read_lock(path), name, version, content)
            problems += [Problem(f"{line}: {_ADVICE}", str(path)) for line in lines]
            said = "" if lines else "is as locked"
        else:
            _refuse_foreign(root, name)
            new = record(path, name, version, content, replacing)
            said = f"written to {path}" if new else "is as locked"
        if said:
            console.print(f"{name} {version}: {said}", soft_wrap=True, markup=False)
    if problems:
        raise InputError(problems)


_ADVICE = "raise the version in the catalogue and run `solecism lock`"


def _refuse_foreign(root: Root, dataset: str) -> None:
    if not is_own(root, dataset):
        message = f"has no stanza [{dataset}] of its own, so nothing of yours can be locked"
        raise fail(message, root.path / "catalogue.toml")


def note_and_report(root: Root, dataset: str, repo: str, console: Console) -> None:
    """Ask the hub which commits the tags of a data set name and note them in the lock."""
    tags: Mapping[str, str] = Repository(repo).refs().tags
    filled = note_commits(lock_path(root, dataset), dataset, tags)
    for version in filled:
        console.print(f"{dataset} {version}: {tags[f'v{version}']}", soft_wrap=True, markup=False)
    if not filled:
        console.print("no commit that the lock did not have")
