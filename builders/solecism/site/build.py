"""Write a site: its pages, its item browsers, its style sheet and scripts.

A page that is opened from the file system may load only scripts, so the files of the item browser
are scripts that pass on compressed data, which the browser's own `DecompressionStream` unpacks.
``index.js`` has the values of all columns, ``block-N.js`` items, ``column-N.js`` a number for each
item (the place of its value) and ``margin-N.js`` the margins of a model.
"""

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solecism.contrast import direction
from solecism.datasets.manifest import MANIFEST
from solecism.errors import InputError, fail
from solecism.files import is_own_file, json_of, replacing_folder
from solecism.hashing import file_digest
from solecism.inputs import read_json
from solecism.root import Root, find_root
from solecism.site.examples import ParadigmSample, samples_of
from solecism.site.folders import SiteConfig, SiteData, open_folders
from solecism.site.item_columns import CodedColumn, ItemColumns, read_items
from solecism.site.pages import SiteContents, fixed_files, site_pages
from solecism.site.results import SiteResults, open_site_results
from solecism.terminal import Progress, no_progress
from solecism.version import __version__

LIST = "site.json"
"""The list of the files of a site, with their digests."""

_MADE = re.compile(r"([\w.-]+/){0,2}[\w.-]+\.html|([\w.-]+/){2}items/(index|\w+-\d+)\.js")
"""The form of the names of its pages and of the files of its item browsers."""


@dataclass(frozen=True)
class BuiltSite:
    """How many pages, items that can be browsed and bytes were written.

    ``others``: the signatures of results that were left out, as they are on other data.
    """

    path: Path
    pages: int
    items: int
    bytes: int
    others: tuple[str, ...]


def build_site(
    out: Path, folders: Sequence[Path], *, results: Sequence[Path] = (),
    judgments: Sequence[Path] = (), root: Root | None = None, progress: Progress = no_progress,
) -> BuiltSite:  # fmt: skip
    """Write the site of built data sets into ``out``, which takes the place of an older site.

    Raises :class:`InputError`, and changes nothing, where a folder, a result or a file of
    judgments is broken, or where ``out`` is a data set or has files that are not of a site.
    """
    if not folders:
        raise fail("name at least one folder that `solecism build` made")
    if (out / MANIFEST).exists():
        raise fail(f"is a data set (it has a {MANIFEST}): choose another --out", out)
    home = root or find_root(None)
    data = open_folders(folders, home)
    found = open_site_results(data, results, judgments)
    with replacing_folder(out, _ours) as fresh:
        samples: dict[str, ParadigmSample] = {}
        configs = [(some, config) for some in data for config in some.configs]
        for done, (some, config) in enumerate(configs):
            progress(config.spec, done, len(configs))
            samples |= _write_items(fresh, some, config, found, home)
        pages = list(site_pages(SiteContents(tuple(data), samples, found)))
        for name, text in [*pages, *fixed_files().items()]:
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).write_text(text, encoding="utf-8", newline="\n")
        paths = sorted(path for path in fresh.rglob("*") if path.is_file())
        files = {path.relative_to(fresh).as_posix(): file_digest(path) for path in paths}
        listing = json_of({"tool": f"solecism {__version__}", "files": files})
        (fresh / LIST).write_text(listing, encoding="utf-8", newline="\n")
        size = sum(path.stat().st_size for path in paths)
    rows = sum(config.rows for some in data for config in some.whole_configs)
    others = tuple(result.signature for result in found.others)
    return BuiltSite(out, len(pages), rows, size, others)


def _write_items(
    folder: Path, data: SiteData, config: SiteConfig, results: SiteResults, root: Root
) -> dict[str, ParadigmSample]:
    """Write the items of a config for the browser; return its samples, by the path of the page."""
    own = f"{config.place}/"
    wanted = {uid: page for (name, uid), page in data.pages.items() if name == config.name}
    pages = {uid: page for uid, page in wanted.items() if page.startswith(own)}
    is_whole = data.browsed(config) is config
    if not is_whole and not pages:
        return {}
    items = read_items(config)
    if is_whole:
        parts = [c for c in data.configs if c is not config and data.browsed(c) is config]
        margins = results.margins([config, *parts], items.ids)
        write_browser(folder / config.place / "items", items, margins)
    if data.mined:
        return {f"{own}index.html": samples_of(items, root)[""]}
    found = samples_of(items, root, pages) if pages else {}
    return {pages[uid]: sample for uid, sample in found.items()}


def _ours(folder: Path) -> list[str]:
    """Return the files of a site that were not changed since they were written.

    Others may have written the list: a file that no site has is never ours.
    """
    shape = {"tool": str, "files": {str: str}}
    try:
        files = read_json(folder / LIST, shape, "list of a site")["files"]
    except InputError:
        return []
    known = [name for name in files if name in fixed_files() or _MADE.fullmatch(name)]
    there = [name for name in known if is_own_file(folder, name)]
    return [*(name for name in there if file_digest(folder / name) == files[name]), LIST]


BLOCK = 2500
"""How many items a block has."""

MOST_VALUES = 4000
"""A column with more values than this is not offered as a filter."""


def filter_columns(items: ItemColumns) -> list[CodedColumn]:
    """Return the columns that the browser filters by: those with several values, but not too many.

    A column in which most items have a value of their own is left out.
    """
    most = min(MOST_VALUES, max(50, items.rows // 2))
    different = {c.name: len(c.values) + bool((c.codes < 0).any()) for c in items.features}
    return [c for c in items.features if different[c.name] > 1 and len(c.values) <= most]


def write_browser(
    folder: Path, items: ItemColumns, margins: Mapping[str, NDArray[np.float32]]
) -> None:
    """Write the files of a config's browser; ``margins``: those of each model, NaN for none."""
    columns = filter_columns(items)
    folder.mkdir(parents=True)
    index = {
        "kind": items.config.kind, "language": items.config.tag,
        "direction": direction(" ".join(text for row in items.texts[:20] for text in row)),
        "rows": items.rows, "block": BLOCK, "labels": items.labels.values, "models": list(margins),
        "columns": [
            {"name": c.name, "values": c.values, "counts": np.bincount(c.codes + 1).tolist()}
            for c in columns
        ],
    }  # fmt: skip
    text = json.dumps(index, ensure_ascii=True, separators=(",", ":"))
    (folder / "index.js").write_text(f"files.open({text});\n", encoding="ascii")
    files: dict[str, bytes] = {}
    for start in range(0, items.rows, BLOCK):
        part = slice(start, start + BLOCK)
        block: dict[str, object] = {"ids": items.ids[part], "texts": items.texts[part]}
        if len(items.labels.values) > 1:
            block["labels"] = items.labels.codes[part].tolist()
        data = json.dumps(block, ensure_ascii=False, separators=(",", ":"))
        files[f"block-{start // BLOCK}"] = data.encode()
    for number, column in enumerate(columns):
        files[f"column-{number}"] = (column.codes + 1).astype("<u2").tobytes()
    for number, values in enumerate(margins.values()):
        files[f"margin-{number}"] = values.astype("<f4").tobytes()
    for name, raw in files.items():
        packed = zlib.compressobj(4, wbits=31)
        code = b64encode(packed.compress(raw) + packed.flush()).decode("ascii")
        (folder / f"{name}.js").write_text(f'files.put("{name}","{code}");\n', encoding="ascii")
