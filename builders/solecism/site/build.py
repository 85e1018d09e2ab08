"""Write a site: its pages, its item browsers, its style sheet and scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from solecism.datasets.manifest import is_within
from solecism.errors import InputError, fail
from solecism.files import replacing_folder
from solecism.hashing import file_digest
from solecism.inputs import read_json
from solecism.progress import Progress, no_progress
from solecism.root import Root, find_root
from solecism.site.coded import read_items, with_verdicts
from solecism.site.folders import SiteData, open_folders
from solecism.site.pages import SiteContents, fixed_files, site_pages
from solecism.site.results import SiteResults, open_site_results
from solecism.site.samples import ParadigmSample, samples_of
from solecism.site.shelves import write_shelf
from solecism.version import __version__

__all__ = ["LIST", "BuiltSite", "build_site"]

LIST = "site.json"
"""The list of the files of a site, with their digests."""


@dataclass(frozen=True)
class BuiltSite:
    """What was written: numbers of pages, of items that can be browsed, and of bytes.

    ``strays``: signatures of results that are of other data.
    """

    path: Path
    pages: int
    items: int
    bytes: int
    strays: tuple[str, ...]


def build_site(
    out: Path,
    folders: Sequence[Path],
    *,
    results: Sequence[Path] = (),
    judgments: Sequence[Path] = (),
    root: Root | None = None,
    progress: Progress = no_progress,
) -> BuiltSite:
    """Write the site of built data sets into ``out``, which takes the place of an older site.

    Raises :class:`InputError`, and changes nothing, where a folder, a result or a file of
    judgments is broken, or where ``out`` has files that are not of a site.
    """
    if not folders:
        raise fail("name at least one folder that `solecism build` made")
    home = root or find_root(None)
    data = open_folders(folders, home)
    found = open_site_results(data, results, judgments)
    with replacing_folder(out, _ours) as fresh:
        samples = _shelves(fresh, data, found, home, progress)
        contents = SiteContents(tuple(data), samples, found)
        pages = 0
        for page in site_pages(contents):
            _write(fresh / page.path, page.html)
            pages += 1
            progress("pages", pages, 0)
        for name, text in fixed_files().items():
            _write(fresh / name, text)
        size = _list(fresh)
    items = sum(c.rows for some in data for c in some.configs if some.shelf(c) is c)
    return BuiltSite(out, pages, items, size, tuple(result.signature for result in found.strays))


def _shelves(
    folder: Path, data: Sequence[SiteData], results: SiteResults, root: Root, progress: Progress
) -> dict[str, ParadigmSample]:
    """Write the items of all configs, and return the samples that pages show, by page."""
    samples: dict[str, ParadigmSample] = {}
    configs = [(some, config) for some in data for config in some.configs]
    for done, (some, config) in enumerate(configs):
        progress(config.spec, done, len(configs))
        uids = {
            uid: page
            for (name, uid), page in some.pages.items()
            if name == config.name and page.startswith(f"{config.place}/")
        }
        shelved = some.shelf(config) is config
        if not (shelved or uids):
            continue
        judged = some.judgments.get(f"{config.name}-judgments", ())
        items = with_verdicts(read_items(config), judged)
        if shelved:
            write_shelf(
                folder / config.place / "items",
                items,
                results.margins(some.shelved(config), items.ids),
            )
        if some.mined:
            samples[f"{config.place}/index.html"] = samples_of(items, root)[""]
        elif uids:
            found = samples_of(items, root, uids)
            samples |= {uids[uid]: sample for uid, sample in found.items()}
    return samples


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _list(folder: Path) -> int:
    """Write the list of all files of a site, and return their size."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {path.relative_to(folder).as_posix(): file_digest(path) for path in paths}
    value = {"tool": f"solecism {__version__}", "files": files}
    _write(folder / LIST, json.dumps(value, indent=1) + "\n")
    return sum(path.stat().st_size for path in paths)


def _ours(folder: Path) -> list[str]:
    """Return the files of a site that are as they were written, the list of them last."""
    try:
        files = read_json(folder / LIST, {"tool": str, "files": {str: str}}, "list of a site")[
            "files"
        ]
    except InputError:
        return []
    there = [name for name in files if is_within(folder, name) and (folder / name).is_file()]
    return [*(name for name in there if file_digest(folder / name) == files[name]), LIST]
