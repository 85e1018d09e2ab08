"""Questions to a hub, with its errors as :class:`InputError` of one line.

Retries, uploads, time limits and the cache are those of huggingface_hub.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from json import JSONDecodeError
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from huggingface_hub import HfApi, get_session, snapshot_download
from huggingface_hub.errors import (
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils.sha import git_hash

from solecism.datasets.manifest import MANIFEST, read_manifest
from solecism.errors import InputError, Problem, fail
from solecism.hashing import file_digest

if TYPE_CHECKING:
    from datasets import Dataset

DATASET = "dataset"
"""The type of our repositories on the hub."""

_QUERY = re.compile(r"(?<=\S)\?[^\s\"')>]+")
_NO_ANSWER: type[OSError] = HfHubHTTPError.__mro__[1]
"""The error for a hub that does not answer, of the library that huggingface_hub uses (httpx, or
its successor)."""


class MissingError(InputError):
    """An error for a repository or revision that the hub does not have, or hides from us."""


class UnreachableError(InputError):
    """An error for a hub that does not answer, or may not be asked (``HF_HUB_OFFLINE``)."""


def hub_api() -> HfApi:
    """Return the API of the hub that the environment names."""
    return HfApi(library_name="solecism")


@contextmanager
def hub_errors(repo: str) -> Iterator[None]:
    """Turn errors of the hub into an :class:`InputError` of one line."""
    try:
        yield
    except (RuntimeError, _NO_ANSWER, LocalEntryNotFoundError, ConnectionError) as error:
        # a failed upload is a RuntimeError whose cause says why
        cause = error.__cause__ if isinstance(error, RuntimeError) else error
        if not isinstance(cause, _NO_ANSWER | ConnectionError | LocalEntryNotFoundError):
            raise
        raise _told(cause, repo, str(hub_api().endpoint)) from None
    except HFValidationError:
        raise _unnamed(repo) from None
    except (ValueError, LookupError, TypeError, AttributeError, OSError) as error:
        if isinstance(error, OSError) and error.filename:
            raise  # of a file of this machine
        # A proxy or a captive portal answers with a page of its own, and says that all is well.
        what = "no JSON" if isinstance(error, JSONDecodeError) else _explained(error)
        why = f"the answer of {hub_api().endpoint} is not that of a hub ({what})"
        raise UnreachableError(Problem(f"{repo}: {why}")) from None


def _unnamed(repo: str) -> InputError:
    return fail(f"{repo!r} is no repository of a hub: it must be of the form ORG/NAME")


def _told(error: BaseException, repo: str, endpoint: str) -> InputError:
    """Return the error that the user is told for an error of the hub."""
    if isinstance(error, RepositoryNotFoundError | RevisionNotFoundError):
        why = f"{endpoint} has no such data set or version, or hides it from you"
        return MissingError(Problem(f"{repo}: {why} (log in: `hf auth login`)"))
    if isinstance(error, OfflineModeIsEnabled):
        why = f"HF_HUB_OFFLINE is set, so {endpoint} is not asked"
        return UnreachableError(Problem(f"{repo}: {why}"))
    why = _explained(error)
    status = error.response.status_code if isinstance(error, HfHubHTTPError) else 503
    if status >= 500 or status in (408, 429):
        return UnreachableError(Problem(f"{repo}: no good answer from {endpoint} ({why})"))
    known = {
        401: f"{endpoint} does not accept your token (log in with `hf auth login` or set HF_TOKEN)",
        403: f"your token may not do this ({why})",
        412: f"someone else pushed in the meantime: push again ({why})",
    }
    return fail(f"{repo}: {known.get(status, why)}")


def _explained(error: BaseException) -> str:
    """Return what went wrong. Queries of addresses are left out, as they may hold a signature."""
    if isinstance(error, HfHubHTTPError):
        status, said = error.response.status_code, error.server_message or "no explanation"
        return f"{error.response.request.url.path}: {status} {said}"
    cause = error.__cause__ or error
    return f"{type(cause).__name__}: {_QUERY.sub('?...', str(cause)).strip()[:300]}"


class Refs(NamedTuple):
    """The commit of the branch main (``head``), and the commits of the tags by name."""

    head: str
    tags: Mapping[str, str]


def refs_of(repo: str) -> Refs:
    """Return the head and the tags of a data set; raise :class:`InputError`."""
    if repo.count("/") != 1 or not all(repo.split("/")):
        raise _unnamed(repo)
    with hub_errors(repo):
        found = hub_api().list_repo_refs(repo, repo_type=DATASET)
    heads = {ref.name: ref.target_commit for ref in found.branches}
    if "main" not in heads:
        raise fail(f"{repo}: has no branch main")
    return Refs(heads["main"], {ref.name: ref.target_commit for ref in found.tags})


def files_at(repo: str, revision: str) -> dict[str, RepoFile]:
    """Return the files at a revision by path, without the hub's own ``.gitattributes``."""
    with hub_errors(repo):
        tree = hub_api().list_repo_tree(repo, revision=revision, repo_type=DATASET, recursive=True)
        files = {entry.path: entry for entry in tree if isinstance(entry, RepoFile)}
    files.pop(".gitattributes", None)
    return files


def same_bytes(path: Path, remote: RepoFile) -> bool:
    """Return whether a local file and a file of the hub have the same size and digest."""
    if path.stat().st_size != remote.size:
        return False
    if remote.lfs is not None:
        return file_digest(path) == str(remote.lfs.sha256)
    return git_hash(path.read_bytes()) == remote.blob_id


def snapshot(
    repo: str, revision: str | None, patterns: Sequence[str] | None = None, force: bool = False
) -> Path:
    """Download the files of a revision that are not in the cache; return its folder in the cache.

    ``patterns``: download only files that fit one of these; ``force``: also download files that are
    in the cache.
    """
    with hub_errors(repo):
        found = snapshot_download(
            repo, repo_type=DATASET, revision=revision, force_download=force,
            allow_patterns=list(patterns) if patterns else None,
        )  # fmt: skip
    return Path(found)


def folder_of(repo: str, revision: str | None) -> Path:
    """Return the folder of a data set's revision, downloaded from a hub or from the cache.

    Raises :class:`InputError` for a data set that cannot be had. It says that there is no such
    folder either: users may give a folder or a data set of a hub.
    """
    try:
        folder = snapshot(repo, revision)
        try:
            read_manifest(folder)
        except InputError:  # it was damaged in the cache
            if not (folder / MANIFEST).is_file():
                raise fail("is none of ours: name its columns, --good and --bad", repo) from None
            snapshot(repo, revision, [MANIFEST], force=True)
        return folder
    except InputError as error:
        raise fail(f"there is no folder {repo!r}, and on a hub: {error}") from None


def dataset_of(name: str, revision: str | None) -> Dataset:
    """Return the rows of somebody's data set on a hub: ``ORG/NAME`` or ``ORG/NAME/CONFIG``.

    Its split ``test``, or the first that there is. Raises :class:`InputError`.
    """
    from datasets import load_dataset  # takes long
    from datasets.exceptions import DatasetsError

    org, _, rest = name.partition("/")
    short, _, config = rest.partition("/")
    folder = snapshot(f"{org}/{short}", revision)
    try:
        found = load_dataset(str(folder), config or None)
    except (DatasetsError, ValueError, OSError) as error:
        raise fail(f"{name}: {str(error).splitlines()[0]}") from None
    return found["test" if "test" in found else min(found)]


def revisions_of(model: str) -> list[str]:
    """Return the names of the branches and tags of a model of a hub; raise :class:`InputError`."""
    with hub_errors(model):
        found = hub_api().list_repo_refs(model)
    return sorted({ref.name for ref in (*found.branches, *found.tags)})


def reachable() -> bool:
    """Return whether the hub answers within 30 seconds; other libraries would try for longer."""
    with suppress(InputError), hub_errors("hub"):
        get_session().head(hub_api().endpoint, timeout=30)
        return True
    return False
