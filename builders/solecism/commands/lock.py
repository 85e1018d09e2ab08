"""Lock what built data sets hold, so that no content changes under an old version.

FOLDERS: folders that `solecism build` has made. The lock of one that was drawn within limits
(--vocabulary ...) is beside the folder.
"""

from pathlib import Path

import click

from solecism.commands.cli import FOLDER, ROOT, option, print_lines
from solecism.datasets.lock import (
    LOCK,
    changes,
    has_own_lock,
    lock_path,
    note_commits,
    read_lock,
    record,
)
from solecism.datasets.manifest import contents_of, read_manifest
from solecism.errors import InputError, Problem, fail
from solecism.hub.client import refs_of
from solecism.root import Root

_ADVICE = "raise the version in the catalogue and run `solecism lock`"


@click.command(help=__doc__)
@click.argument("folders", nargs=-1, type=FOLDER)
@option("--check", is_flag=True, help="Write nothing; fail where something changed.")
@option("--replace", is_flag=True, help="Lock a version anew that was never pushed.")
@option("--commits", nargs=2, metavar="DATASET ORG/NAME",
              help="Note the commits of the hub's tags.")  # fmt: skip
@ROOT
def command(
    folders: tuple[Path, ...], check: bool, replace: bool, commits: tuple[str, str] | None, root: Root
) -> None:  # fmt: skip
    if not folders and commits is None:
        raise click.UsageError("name a built folder, as `solecism lock clams`, or give --commits")
    problems: list[Problem] = []
    for manifest in map(read_manifest, folders):
        name, version = manifest.dataset, manifest.version
        limited = bool(manifest.raw.get("of"))
        path = manifest.path.parents[1] / LOCK if limited else lock_path(root, name)
        if check:
            lines = changes(read_lock(path), name, version, contents_of(manifest))
            problems += [Problem(f"{line}: {_ADVICE}", str(path)) for line in lines]
            told = "" if lines else "is as locked"
        elif limited or has_own_lock(root, name):
            new = record(path, name, version, contents_of(manifest), replace)
            told = f"written to {path}" if new else "is as locked"
        else:
            message = f"has no stanza [{name}], so this root cannot lock the data set"
            raise fail(message, root.path / "catalogue.toml")
        if told:
            print_lines(f"{name} {version}: {told}")
    if problems:
        raise InputError(problems)
    if commits is not None:
        dataset, repo = commits
        tags = refs_of(repo).tags
        filled = note_commits(lock_path(root, dataset), dataset, tags)
        lines = [f"{dataset} {version}: {tags[f'v{version}']}" for version in filled]
        print_lines(*lines or ["the lock has all of these commits"])
