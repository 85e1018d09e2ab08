"""Publish a built data set as an immutable version of a hub's repository.

One commit holds everything. The tag ``v<version>`` is made when the hub lists exactly our files at
that commit, so that at any time a tag shows a whole release or does not exist. After a failure, the
same command continues where it stopped.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from logging import ERROR
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
from huggingface_hub.utils import logging
from huggingface_hub.utils.tqdm import (
    are_progress_bars_disabled,
    disable_progress_bars,
    enable_progress_bars,
)

from solecism.datasets.catalogue import TAG, Version, parse_version
from solecism.datasets.manifest import (
    MANIFEST,
    ConfigFiles,
    Manifest,
    changed_files,
    is_within,
    read_manifest,
)
from solecism.errors import fail
from solecism.hashing import Content, ContentDigest
from solecism.hub.client import Change, Refs, Repository
from solecism.hub.compare import DatasetDifference, compare
from solecism.progress import Progress, no_progress

__all__ = ["PushPlan", "Pushed", "plan_push", "push"]

CARD = "README.md"


@dataclass(frozen=True)
class PushPlan:
    """What a push will do.

    ``head`` is the last commit (empty if there is no repository yet), ``last`` the newest release
    and ``difference`` what changed since; ``released`` is the commit of our tag, if it is there
    already (then all that is left to do is to read it back).
    """

    manifest: Manifest
    files: dict[str, Path]
    head: str
    changes: tuple[Change, ...]
    last: str = ""
    difference: DatasetDifference | None = None
    released: str = ""

    @property
    def strays(self) -> tuple[str, ...]:
        """What else is in the folder. It is not pushed."""
        return _strays(self.manifest)

    @property
    def tag(self) -> str:
        """The tag of the release."""
        return f"v{self.manifest.version}"

    @property
    def unchanged(self) -> bool:
        """True if the head has our files already."""
        return bool(self.head) and all(change.kind == "keep" for change in self.changes)


@dataclass(frozen=True)
class Pushed:
    """What a push did: the commit of the release, whether it and the tag are new, and the plan."""

    commit: str
    committed: bool
    tagged: bool
    plan: PushPlan


def push(
    folder: Path, repo: str, private: bool = False, progress: Progress | None = None
) -> Pushed:
    """Publish a data set folder and read it back.

    ``folder`` was made by ``solecism build``; ``repo`` is ``ORG/NAME``; ``private`` makes a new
    repository private and refuses a public one. Raises :class:`InputError` for a folder that is not
    what was built, sources that may not be passed on, a version that is released with other bytes
    or too small for what changed, somebody else's push in the meantime, and whatever the hub
    refuses.
    """
    manifest, repository = _releasable(folder), Repository(repo)
    steps = _Steps(len(manifest.configs), progress)
    with _quiet_hub():
        steps.next("asking the hub")
        _open(repository, private)
        plan = _plan(manifest, repository, exists=True)
        commit, committed, tagged = _publish(plan, repository, steps)
        for config in manifest.configs.values():
            steps.next(f"reading back {config.name}")
            repository.ask(partial(_read_back, repo, plan.tag, config))
    return Pushed(commit, committed, tagged, plan)


def plan_push(folder: Path, repo: str, private: bool = False) -> PushPlan:
    """Return what :func:`push` would do, without writing anything; raises what it would raise."""
    manifest, repository = _releasable(folder), Repository(repo)
    with _quiet_hub():
        found = repository.is_private()
        _refuse_public(repository, found, private)
        return _plan(manifest, repository, exists=found is not None)


def _releasable(folder: Path) -> Manifest:
    """Read the manifest; raise :class:`InputError` where the folder must not be published."""
    manifest = read_manifest(folder)
    if parse_version(manifest.version) == Version(0, 0, 0):
        message = (
            f"{manifest.dataset!r} has no version: give it a stanza in catalogue.toml and build it"
        )
        raise fail(message, manifest.path)
    _refuse_sources(manifest)
    if CARD not in manifest.documents:
        message = f"does not list {CARD}: build the data set again with this version of solecism"
        raise fail(message, manifest.path)
    links = [path for path in (*manifest.files, MANIFEST) if not is_within(folder, path)]
    if wrong := sorted({*links, *changed_files(folder, manifest.files)}):
        message = f"{', '.join(wrong)}: not as the build made it: build the data set again"
        raise fail(message, manifest.path)
    return manifest


def _refuse_sources(manifest: Manifest) -> None:
    closed = [source for source in manifest.sources if source.get("redistributable") is False]
    names = [f"{s.get('treebank') or s.get('name')} ({s.get('licence')})" for s in closed]
    if names:
        message = f"made from sources that may not be passed on: {', '.join(dict.fromkeys(names))}"
        raise fail(message, manifest.path)
    _refuse_partial(manifest)


def _refuse_partial(manifest: Manifest) -> None:
    """Raise :class:`InputError` for sources that are not whole or have unknown bytes."""
    wrong = [
        f"{source.get('treebank') or source.get('name')} ({what}: {', '.join(source[what])})"
        for source in manifest.sources
        for what in ("missing", "changed")
        if source.get(what)
    ]
    if wrong:
        message = f"made from sources that are not whole: {'; '.join(dict.fromkeys(wrong))}"
        raise fail(f"{message}: fetch them and build again", manifest.path)


def _files(manifest: Manifest) -> dict[str, Path]:
    """Return the files of a release by their paths in the repository."""
    folder = manifest.path.parent
    return {path: folder / path for path in sorted((*manifest.files, MANIFEST))}


def _strays(manifest: Manifest) -> tuple[str, ...]:
    """Return what else is in the folder: files and folders that are neither hidden nor released."""
    folder, ours = manifest.path.parent, {MANIFEST, *manifest.files}
    inside = {parent.as_posix() for path in ours for parent in Path(path).parents}
    found = (p for place in inside for p in (folder / place).iterdir() if p.name[0] != ".")
    names = (path.relative_to(folder).as_posix() for path in found)
    return tuple(sorted(name for name in names if name not in ours and name not in inside))


def _open(repository: Repository, private: bool) -> None:
    found = repository.is_private()
    _refuse_public(repository, found, private)
    if found is None:
        repository.create(private)


def _refuse_public(repository: Repository, found: bool | None, private: bool) -> None:
    if private and found is False:
        raise fail(f"{repository.id}: is public already, so --private cannot be had")


def _plan(manifest: Manifest, repository: Repository, exists: bool) -> PushPlan:
    files = _files(manifest)
    if not exists:
        new = tuple(Change("add", path, local.stat().st_size) for path, local in files.items())
        return PushPlan(manifest, files, "", new)
    refs = repository.refs()
    tag = f"v{manifest.version}"
    if tag in refs.tags:
        return _released(manifest, files, repository, refs)
    last, difference = _last(manifest, repository, refs)
    changes = tuple(repository.changes(refs.head, files))
    return PushPlan(manifest, files, refs.head, changes, last, difference)


def _released(
    manifest: Manifest, files: dict[str, Path], repository: Repository, refs: Refs
) -> PushPlan:
    """Return the plan for a version that is released already; raises for other bytes."""
    tag = f"v{manifest.version}"
    commit = refs.tags[tag]
    changes = tuple(repository.changes(commit, files))
    other = [change.path for change in changes if change.kind != "keep"]
    if other:
        names = ", ".join(other[:3]) + (f" and {len(other) - 3} more" if len(other) > 3 else "")
        message = f"{tag} is released with other bytes ({names}): raise the version"
        raise fail(f"{repository.id}: {message} in catalogue.toml and build again")
    return PushPlan(manifest, files, refs.head, changes, tag, released=commit)


def _last(
    manifest: Manifest, repository: Repository, refs: Refs
) -> tuple[str, DatasetDifference | None]:
    """Compare with the newest release; refuse a version that is too small for what changed."""
    tags = sorted((parse_version(tag) for tag in refs.tags if TAG.fullmatch(tag)), reverse=True)
    if not tags:
        return "", None
    last = tags[0]
    if parse_version(manifest.version) < last:
        raise fail(f"{repository.id}: {manifest.version} is older than {last}, which is released")
    difference = compare(repository.snapshot(refs.tags[last.tag]), manifest.path.parent)
    if parse_version(manifest.version) < parse_version(difference.smallest):
        needs = f"what changed since {last} needs a {difference.needs} version"
        message = f"{manifest.version} is too small: {needs}, {difference.smallest} or above"
        raise fail(
            f"{repository.id}: {message} (see `solecism diff {repository.id}@{last.tag} ...`)"
        )
    return last.tag, difference


def _publish(plan: PushPlan, repository: Repository, steps: _Steps) -> tuple[str, bool, bool]:
    """Commit and tag what is not there yet; return the commit and what was done."""
    if plan.released:
        return plan.released, False, False
    commit = plan.head
    if not plan.unchanged:
        title = f"{plan.manifest.dataset} {plan.manifest.version}"
        steps.next("sending")
        commit = repository.commit(plan.head, title, plan.files, plan.changes, steps.say)
    steps.next("checking the commit")
    if not repository.holds(commit, plan.files):
        raise fail(f"{repository.id}: the hub lists other files at {commit[:12]} than were sent")
    steps.next(f"tagging {plan.tag}")
    repository.tag(plan.tag, commit)
    if repository.refs().tags.get(plan.tag) != commit:
        raise fail(f"{repository.id}: {plan.tag} is not the tag of {commit[:12]}")
    return commit, not plan.unchanged, True


class _Steps:
    """The steps of a push, counted for a progress bar."""

    def __init__(self, configs: int, progress: Progress | None) -> None:
        self._total, self._done, self._show = configs + 4, -1, progress or no_progress

    def next(self, name: str) -> None:
        """Begin a step."""
        self._done += 1
        self.say(name)

    def say(self, name: str) -> None:
        """Show what the step is doing."""
        self._show(name, max(self._done, 0), self._total)


@contextmanager
def _quiet_hub() -> Iterator[None]:
    """Silence huggingface_hub's own bars, and its warnings, which print signed addresses."""
    level, hidden = logging.get_verbosity(), are_progress_bars_disabled()
    logging.set_verbosity(ERROR)
    disable_progress_bars()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if not hidden:
            enable_progress_bars()


BATCH = 1000
"""Rows that are decoded at a time, which bounds the memory."""


def _read_back(repo: str, revision: str, config: ConfigFiles) -> None:
    """Load a config from the hub as a stranger would, and compare its content with the manifest.

    Nothing is taken from a cache. Raises :class:`InputError` where anything differs.
    """
    with _little_memory(), TemporaryDirectory(prefix="solecism-") as cache:
        loaded = _loaded(repo, config.name, revision, cache)
        content = _content_of(loaded)
    if content != config.content:
        message = f"{config.name}: {content}, not {config.content}"
        raise fail(f"{repo}: {revision} reads back differently: {message}")


def _loaded(repo: str, config: str, revision: str, cache: str) -> Any:
    """Load a config; a failure that hides its cause (a 503) counts as one of the connection."""
    import datasets

    try:
        return datasets.load_dataset(
            repo,
            config,
            revision=revision,
            cache_dir=cache,
            download_mode=datasets.DownloadMode.FORCE_REDOWNLOAD,
            batch_size=BATCH,
        )
    except (ValueError, FileNotFoundError) as error:
        raise ConnectionError(f"{repo}: {revision} cannot be loaded") from error


def _content_of(loaded: Any) -> Content:
    """Return the content of all splits, from the files that ``load_dataset`` has written."""
    digest = ContentDigest()
    for table in (t for split in sorted(loaded) for t in _tables(loaded[split])):
        digest.add(table)
    return digest.content


def _tables(split: Any) -> Iterator[pa.Table]:
    """Yield the rows of the files; the mapped table would stay in memory once it is touched."""
    for file in split.cache_files:
        with pa.OSFile(file["filename"]) as source, pa.ipc.open_stream(source) as batches:
            for batch in batches:
                yield pa.Table.from_batches([batch])


@contextmanager
def _little_memory() -> Iterator[None]:
    """Return memory at once, and hide the progress bars of ``datasets``."""
    from datasets import utils

    pool, hidden = pa.default_memory_pool(), utils.are_progress_bars_disabled()
    pa.set_memory_pool(pa.system_memory_pool())
    utils.disable_progress_bars()
    try:
        yield
    finally:
        if not hidden:
            utils.enable_progress_bars()
        gc.collect()
        pa.default_memory_pool().release_unused()
        pa.set_memory_pool(pool)
