"""Compare two data sets item by item.

OLD and NEW are built folders, files of pairs, or data sets of the hub (ORG/NAME@v1.0.0).
"""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from solecism.commands.cli import JSON, ROOT, option, print_json, print_lines, sides
from solecism.datasets.manifest import read_manifest
from solecism.errors import fail
from solecism.hub.client import folder_of
from solecism.hub.compare import DatasetDifference, Example, add_to_changelog, compare, lines_of
from solecism.own_pairs import own_folder
from solecism.root import Root

_HUB_ID = re.compile(r"([\w.-]+/[\w.-]+?)(?:@(\S+))?")


@click.command(help=__doc__)
@click.argument("old")
@click.argument("new")
@option(
    "--changelog",
    is_flag=True,
    help="Write the changes into dataset_cards/NAME.changelog.md below --root.",
)
@sides
@JSON
@ROOT
def command(old: str, new: str, changelog: bool, as_json: bool, root: Root) -> None:
    folders = _folder(old), _folder(new)
    found = compare(*folders)
    if as_json:
        print_json(found.to_json())
    else:
        print_lines(*_lines(found))
    if changelog:
        name = read_manifest(folders[1]).dataset
        add_to_changelog(root.changelog(name), name, found)


def _folder(place: str) -> Path:
    """Return the folder of a place: itself, one of a file, or the copy of a data set of the hub.

    The latter is ``ORG/NAME`` or ``ORG/NAME@REVISION``. Raises :class:`InputError` for other texts.
    """
    match = _HUB_ID.fullmatch(place)
    if Path(place).is_file():
        return own_folder(Path(place))
    if Path(place).is_dir():
        return Path(place)
    if match is None:
        raise fail(f"{place!r} is neither a folder nor a data set of a hub (ORG/NAME@v1.0.0)")
    return folder_of(match[1], match[2])


def _lines(found: DatasetDifference) -> Iterator[str]:
    yield f"{found.old_version} -> {found.new_version}"
    if found.needs == "none":
        yield "nothing changed"
        return
    for line in lines_of(found):
        yield f"* {line.replace('`', '')}"
    for config in found.configs:
        for sign, items in (("+", config.added), ("-", config.removed), ("~", config.changed)):
            for example in items.examples:
                yield f"  {sign} {config.name} {example.id}: {_text(example)}"
    if found.documents or found.encoded:
        same = (f"those of config {name} (same content)" for name in found.encoded)
        yield "files that differ: " + ", ".join([*found.documents, *same])
    yield f"needs {found.needs}: {found.smallest} or above"


def _text(example: Example) -> str:
    if example.old and example.new:
        return "; ".join(f"{n} {example.old[n]!r} -> {example.new[n]!r}" for n in example.old)
    return " / ".join(str(v) for v in (example.old or example.new).values() if v is not None)
