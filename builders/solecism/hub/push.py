"""Publish a built data set as an immutable version of a hub's repository.

All files are pushed in one commit. The tag ``v<version>`` is made only after the hub lists exactly
our files at that commit, so that a tag always is a whole release. After a failure, the same command
goes on where it stopped.
"""

from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path

from solecism.datasets.catalogue import TAG, Version, parse_version
from solecism.datasets.manifest import MANIFEST, Manifest, changed_files, read_manifest
from solecism.errors import fail
from solecism.files import is_own_file
from solecism.hub import client
from solecism.hub.compare import DatasetDifference, compare

CARD = "README.md"


@dataclass(frozen=True)
class Change:
    """What a push does to a file: ``add``, ``change``, ``delete`` or ``keep`` it.

    ``size``: its size in bytes, on the hub if it is deleted.
    """

    kind: str
    path: str
    size: int


@dataclass(frozen=True)
class PushPlan:
    """What a push will do, or has done.

    ``head``: the last commit of the repository before it, empty if there was no repository;
    ``last``: the tag of the newest release; ``difference``: what changed since then; ``released``:
    the commit of our tag, if the version was released already; ``unasked``: why the hub could not
    be asked; ``commit``: the commit of the release, once it is pushed.
    """

    manifest: Manifest
    changes: tuple[Change, ...]
    head: str = ""
    last: str = ""
    difference: DatasetDifference | None = None
    released: str = ""
    unasked: str = ""
    commit: str = ""

    @property
    def tag(self) -> str:
        """The tag of the release."""
        return f"v{self.manifest.version}"

    @property
    def unchanged(self) -> bool:
        """Whether the last commit has exactly our files already."""
        return bool(self.head) and all(change.kind == "keep" for change in self.changes)


def push(folder: Path, repo: str, private: bool = False) -> PushPlan:
    """Publish a data set folder that ``solecism build`` made, and return what was done.

    ``repo`` is ``ORG/NAME``; ``private`` makes a new repository private and refuses a public one.
    Raises :class:`InputError` for files that are not as they were built, sources that may not be
    passed on, a version that is released with other bytes or is too low for what changed, somebody
    else's push in the meantime, and all that the hub refuses.
    """
    plan = _plan(_releasable(folder), repo, private)
    if plan.released:
        return replace(plan, commit=plan.released)
    api, commit = client.hub_api(), plan.head
    with client.hub_errors(repo):
        if not commit:
            api.create_repo(repo, repo_type=client.DATASET, private=private or None, exist_ok=True)
            commit = client.refs_of(repo).head
        if not plan.unchanged:
            done = api.upload_folder(
                repo_id=repo, repo_type=client.DATASET, folder_path=folder, parent_commit=commit,
                commit_message=f"{plan.manifest.dataset} {plan.manifest.version}",
                allow_patterns=[escape(path) for path in _paths(plan.manifest)],
                delete_patterns="*",
            )  # fmt: skip
            commit = done.oid
        if any(change.kind != "keep" for change in _changes(plan.manifest, repo, commit)):
            raise fail(f"{repo}: the hub lists other files at {commit[:12]} than were sent")
        if (other := client.refs_of(repo).tags.get(plan.tag, commit)) != commit:
            raise fail(f"{repo}: {plan.tag} is the tag of {other[:12]}: tags are never moved")
        api.create_tag(repo, tag=plan.tag, revision=commit, repo_type=client.DATASET, exist_ok=True)
    return replace(plan, commit=commit)


def plan_push(folder: Path, repo: str, private: bool = False) -> PushPlan:
    """Return what :func:`push` would do, without writing anything.

    Raises the errors that are known before pushing. If the hub cannot be reached, the plan says
    what would be sent to an empty repository.
    """
    manifest = _releasable(folder)
    try:
        return _plan(manifest, repo, private)
    except client.UnreachableError as error:
        return PushPlan(manifest, _changes(manifest), unasked=str(error))


def _releasable(folder: Path) -> Manifest:
    """Return the manifest of a folder; raise :class:`InputError` if it must not be published."""
    manifest = read_manifest(folder)
    if parse_version(manifest.version) == Version(0, 0, 0):
        message = f"{manifest.dataset!r} has no version: give it a line in catalogue.toml"
        raise fail(f"{message}, then build it", manifest.path)
    names = [(str(s.get("treebank") or s.get("name")), s) for s in manifest.sources]
    closed = [f"{n} ({s.get('licence')})" for n, s in names if s.get("redistributable") is False]
    if what := ", ".join(dict.fromkeys(closed)):
        raise fail(f"made from sources that may not be passed on: {what}", manifest.path)
    partial = [f"{name} ({what}: {', '.join(source[what])})" for name, source in names
               for what in ("missing", "changed") if source.get(what)]  # fmt: skip
    if partial:
        message = f"made from sources that are not whole: {'; '.join(dict.fromkeys(partial))}"
        raise fail(f"{message}: fetch them and build again", manifest.path)
    if CARD not in manifest.documents:
        message = f"does not list {CARD}: build the data set again with this version of solecism"
        raise fail(message, manifest.path)
    links = [path for path in _paths(manifest) if not is_own_file(folder, path)]
    if wrong := sorted({*links, *changed_files(folder, manifest.files)}):
        message = f"{', '.join(wrong)}: not as the build made it: build the data set again"
        raise fail(message, manifest.path)
    return manifest


def _paths(manifest: Manifest) -> list[str]:
    """Return the paths of a release's files in the repository, in order."""
    return sorted((*manifest.files, MANIFEST))


def _changes(manifest: Manifest, repo: str = "", revision: str = "") -> tuple[Change, ...]:
    """Return, in the order of paths, the changes that turn a revision into the release.

    Without a revision, all files are added.
    """
    folder, ours = manifest.path.parent, set(_paths(manifest))
    theirs = client.files_at(repo, revision) if revision else {}
    found = []
    for path in sorted({*ours, *theirs}):
        local, remote, kind = folder / path, theirs.get(path), "add"
        if path not in ours:
            found.append(Change("delete", path, theirs[path].size))
            continue
        if remote is not None:
            kind = "keep" if client.same_bytes(local, remote) else "change"
        found.append(Change(kind, path, local.stat().st_size))
    return tuple(found)


def _plan(manifest: Manifest, repo: str, private: bool) -> PushPlan:
    """Return what a push will do; raises :class:`InputError` as :func:`push` does."""
    try:
        refs = client.refs_of(repo)
        with client.hub_errors(repo):
            if private and client.hub_api().dataset_info(repo).private is False:
                raise fail(f"{repo}: is public already, so --private is not possible")
    except client.MissingError:
        return PushPlan(manifest, _changes(manifest))
    tag = f"v{manifest.version}"
    if tag in refs.tags:
        commit = refs.tags[tag]
        changes = _changes(manifest, repo, commit)
        if other := [change.path for change in changes if change.kind != "keep"]:
            message = f"{tag} is released with other bytes ({', '.join(other)}): raise the version"
            raise fail(f"{repo}: {message} in catalogue.toml and build again")
        return PushPlan(manifest, changes, refs.head, tag, released=commit)
    changes = _changes(manifest, repo, refs.head)
    tags = [parse_version(tag) for tag in refs.tags if TAG.fullmatch(tag)]
    if not tags:
        return PushPlan(manifest, changes, refs.head)
    last, version = max(tags), parse_version(manifest.version)
    if version < last:
        raise fail(f"{repo}: {manifest.version} is older than {last}, which is released")
    difference = compare(client.snapshot(repo, refs.tags[last.tag]), manifest.path.parent)
    if version < parse_version(difference.smallest):
        needs = f"what changed since {last} needs a {difference.needs} version"
        message = f"{manifest.version} is too small: {needs}, {difference.smallest} or above"
        raise fail(f"{repo}: {message} (see `solecism diff {repo}@{last.tag} ...`)")
    return PushPlan(manifest, changes, refs.head, last.tag, difference)
