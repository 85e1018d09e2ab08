"""Lock what built data sets hold, so that no content changes under an old version.

FOLDERS: folders that `solecism build` has made.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from solecism.commands.options import FOLDER, ROOT, print_lines
from solecism.datasets.lock import (
    changes,
    is_own,
    lock_path,
    note_commits,
    read_lock,
    record,
)  # fmt: skip
from solecism.datasets.manifest import Manifest, contents_of, read_manifest
from solecism.errors import InputError, Problem, fail
from solecism.hub.client import refs_of
from solecism.root import Root

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("folders", nargs=-1, type=FOLDER)
@click.option("--check", is_flag=True, help="Write nothing; fail where something changed.")
@click.option("--replace", is_flag=True, help="Lock a version anew that was never pushed.")
@click.option(
    "--commits", nargs=2, metavar="DATASET ORG/NAME", help="Note the commits of the hub's tags."
)
@ROOT
def command(
    folders: tuple[Path, ...],
    check: bool,
    replace: bool,
    commits: tuple[str, str] | None,
    root: Root,
) -> None:
    if not folders and commits is None:
        raise click.UsageError("name a built folder, as `solecism lock clams`, or give --commits")
    if check:
        _check(root, folders)
    else:
        for folder in folders:
            _record(root, read_manifest(folder), replace)
    if commits is not None:
        _note_commits(root, *commits)


def _check(root: Root, folders: Sequence[Path]) -> None:
    """Raise :class:`InputError` for content that changed under its version, or is not locked."""
    problems: list[Problem] = []
    for folder in folders:
        manifest = read_manifest(folder)
        name, version = manifest.dataset, manifest.version
        path = lock_path(root, name)
        lines = changes(read_lock(path), name, version, contents_of(manifest))
        problems += [Problem(f"{line}: {_ADVICE}", str(path)) for line in lines]
        if not lines:
            print_lines(f"{name} {version}: is as locked")
    if problems:
        raise InputError(problems)


_ADVICE = "raise the version in the catalogue and run `solecism lock`"


def _record(root: Root, manifest: Manifest, replace: bool) -> None:
    name, version = manifest.dataset, manifest.version
    if not is_own(root, name):
        message = f"has no stanza [{name}], so this root cannot lock the data set"
        raise fail(message, root.path / "catalogue.toml")
    path = lock_path(root, name)
    new = record(path, name, version, contents_of(manifest), replace)
    print_lines(f"{name} {version}: {f'written to {path}' if new else 'is as locked'}")


def _note_commits(root: Root, dataset: str, repo: str) -> None:
    """Write the commits that the hub's tags name into the lock."""
    tags = refs_of(repo).tags
    filled = note_commits(lock_path(root, dataset), dataset, tags)
    for version in filled:
        print_lines(f"{dataset} {version}: {tags[f'v{version}']}")
    if not filled:
        print_lines("no commit that the lock did not have")
