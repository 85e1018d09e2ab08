"""A hub as a client sees it: repositories, what goes wrong, and how long to wait."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha1
from importlib import import_module
from json import JSONDecodeError
from pathlib import Path
from textwrap import shorten
from traceback import walk_tb
from types import ModuleType
from typing import Any, TypeVar
from urllib.parse import urlsplit
from warnings import catch_warnings, filterwarnings

from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationDelete,
    GitRefInfo,
    HfApi,
    get_session,
    snapshot_download,
)
from huggingface_hub.constants import HF_HUB_CACHE
from huggingface_hub.errors import (
    HfHubHTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import RepoFile

from solecism.errors import InputError, Problem, fail
from solecism.hashing import file_digest

__all__ = [
    "LARGEST",
    "LIMIT",
    "WAITS",
    "Change",
    "MissingError",
    "Refs",
    "Repository",
    "UnreachableError",
    "again",
    "folder_of",
    "limited",
    "of_hub",
    "reachable",
    "refused",
    "repeatable",
    "same_bytes",
    "seconds",
    "told",
    "transient",
]


WAITS = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds to wait before each repeat of a call that failed for a passing reason."""

LIMIT = "SOLECISM_HUB_TIMEOUT"
"""The variable of the environment that sets another limit, in seconds."""

SECONDS = 30.0
LARGEST = 64 << 20
"""Bytes that an answer may have which is no download."""

_KINDS = ("connect", "read", "write", "pool")
_XET = "HF_XET_CLIENT_CONNECT_TIMEOUT", "HF_XET_CLIENT_READ_TIMEOUT"
_XET_REPEATS = "HF_XET_CLIENT_RETRY_MAX_ATTEMPTS"
_DELAY = re.compile(r"\s*(\d+)\s*|.*;\s*t\s*=\s*(\d+).*", re.DOTALL)
_lock = threading.Lock()
_calls = 0

_Result = TypeVar("_Result")


def seconds() -> float:
    """Give the limit; raises :class:`InputError` where the environment's is no positive number."""
    told = os.environ.get(LIMIT, "")
    try:
        limit = float(told or SECONDS)
    except ValueError:
        limit = 0
    if not 0 < limit < float("inf"):
        raise fail(f"{LIMIT} is {told!r}: it must be a number of seconds above 0")
    return limit


@contextmanager
def limited() -> Iterator[None]:
    """Raise :class:`UnreachableError` for each request meanwhile that is not answered in time.

    A server must take the connection, then send or take a byte every so many :func:`seconds`.
    """
    _watch(get_session())
    _count(1)
    try:
        with catch_warnings(), _limited_store():
            filterwarnings("ignore", module="huggingface_hub")  # an error says it in a line
            yield
    finally:
        _count(-1)


@contextmanager
def _limited_store() -> Iterator[None]:
    """Set the limit of the store of large files, which reads the environment; a user's own stays.

    The variables are removed afterwards: another call, or a child process, may have another limit.
    """
    limit = f"{int(seconds() * 1000)}ms"
    wanted = {**dict.fromkeys(_XET, limit), _XET_REPEATS: "0"}
    own = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(own)
    try:
        yield
    finally:
        for name in own:
            os.environ.pop(name, None)


def again(call: Callable[[], _Result], waits: Sequence[float] = WAITS) -> _Result:
    """Call something that may be done twice, again after a passing failure.

    ``waits``: seconds before each repeat. Raises what the last call raised.
    """
    for wait in waits:
        begun = time.monotonic()
        try:
            return call()
        except Exception as error:
            if not repeatable(error, time.monotonic() - begun):
                raise
        time.sleep(wait)
    return call()


def repeatable(error: BaseException, took: float) -> bool:
    """Whether a call that failed after so many seconds is worth another try.

    The store of large files does not say that it was silent: there the time tells.
    """
    frames = walk_tb(error.__traceback__)
    stored = isinstance(error, ConnectionError) and any(
        "xet" in f.f_code.co_name for f, _ in frames
    )
    return transient(error) and not (stored and took >= seconds())


def reachable() -> bool:
    """Whether the hub takes connections and answers; asked in vain libraries of others repeat for long."""
    try:
        with limited():
            get_session().head(HfApi().endpoint)
    except UnreachableError:
        return False
    except Exception:  # whatever else it is, whoever asks for something will be told
        return True
    return True


def _count(change: int) -> None:
    global _calls
    with _lock:
        _calls += change


def _watch(session: Any) -> None:
    """Put ourselves before what the session sends, once; calls that are not ours pass unchanged."""
    if not isinstance(vars(session).get("send"), partial):
        http = import_module(type(session).__module__.partition(".")[0])
        session.send = partial(_send, session.send, http)


def _send(
    send: Callable[..., Any], http: ModuleType, request: Any, *, stream: bool = False, **more: Any
) -> Any:
    """Send a request; ``http`` is the package that the session comes from (httpx or a follower)."""
    if not _calls:
        return send(request, stream=stream, **more)
    limit = seconds()
    request.extensions = {**request.extensions, "timeout": dict.fromkeys(_KINDS, limit)}
    with _timed(http, request, limit):
        response = send(request, stream=True, **more)
    _refuse_delay(response, request, limit)
    response.stream = _watched(http, request, limit, response.stream, stream)
    if not stream:
        try:
            response.read()
        finally:
            response.close()
    return response


@contextmanager
def _timed(http: ModuleType, request: Any, limit: float) -> Iterator[None]:
    place = f"{request.url.scheme}://{request.url.netloc.decode('ascii', 'replace')}"
    try:
        yield
    except http.TimeoutException:
        told = f"{place} is silent: no byte in {limit:g} seconds"
        message = f"{told} ({request.method} {request.url.path}; {LIMIT} sets another limit)"
        raise UnreachableError(Problem(message)) from None
    except http.ConnectError as error:
        raise UnreachableError(Problem(f"{place} cannot be reached ({error})")) from None


def _refuse_delay(response: Any, request: Any, limit: float) -> None:
    """Refuse to wait for a hub that is busy longer than the limit."""
    if response.status_code not in (429, 503):
        return
    told = [response.headers.get(name, "") for name in ("retry-after", "ratelimit")]
    found = [m[1] or m[2] for text in told if (m := _DELAY.fullmatch(text))]
    if any(int(text[:9]) > limit for text in found):
        response.close()
        message = f"{request.url.host} is busy and asks to be left alone for {found[0]} seconds"
        raise UnreachableError(Problem(message))


def _watched(http: ModuleType, request: Any, limit: float, stream: Any, download: bool) -> Any:
    """The stream of an answer's bytes, with the limits."""

    class Watched(http.SyncByteStream):  # type: ignore[name-defined, misc]
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            with _timed(http, request, limit):
                for part in stream:
                    size += len(part)
                    if size > LARGEST and not download:
                        message = f"{request.url.host} answers with more than {LARGEST >> 20} MB"
                        raise fail(f"{message} ({request.method} {request.url.path})")
                    yield part

        def close(self) -> None:
            stream.close()

    return Watched()


_PASSING = (408, 425, 429)
_TRANSPORT = ("httpx", "httpx2", "httpcore", "requests", "urllib3", "hf_xet")
"""The packages whose errors mean that no answer came; which one it is depends on huggingface_hub."""

_QUERY = re.compile(r"(?<=\S)\?[^\s\"')>]+")
_MISSING = (RepositoryNotFoundError, RevisionNotFoundError)


class MissingError(InputError):
    """The hub has no such repository or revision, or hides it from us."""


class UnreachableError(InputError):
    """The hub gives no answer, or may not be asked (``HF_HUB_OFFLINE``)."""


def of_hub(error: BaseException) -> bool:
    """Whether an error came from talking to the hub: anything else is a mistake of ours.

    An answer of another shape breaks huggingface_hub in many ways (``KeyError``, ``TypeError`` ...): what is
    raised outside our own code is the answer's fault.
    """
    if transient(error) or isinstance(error, OSError | ValueError | RuntimeError):
        return True
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return not str(frames[-1].f_globals.get("__name__")).startswith("solecism.")


def transient(error: BaseException) -> bool:
    """Whether the same call may succeed a little later: the hub is busy, or no whole answer came."""
    verdicts = (_is_passing(link) for link in _chain(error))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _is_passing(error: BaseException) -> bool | None:
    """Judge an error; None where it says nothing, so that its cause decides."""
    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        return status >= 500 or status in _PASSING
    if isinstance(error, OfflineModeIsEnabled):
        return False
    package = type(error).__module__.partition(".")[0]
    broken = isinstance(error, ConnectionError | TimeoutError | JSONDecodeError)
    return True if package in _TRANSPORT or broken else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what caused it or was being handled when it arose, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _status(error: BaseException) -> int:
    """The HTTP status of an error, or of the one that caused it; 0 where no answer came."""
    for link in _chain(error):
        if isinstance(link, HfHubHTTPError):
            return int(link.response.status_code)
    return 0


def refused(error: BaseException, repo: str, endpoint: str) -> InputError:
    """Turn what went wrong into the error for the user."""
    links = list(_chain(error))
    if any(isinstance(link, OfflineModeIsEnabled) for link in links):
        return UnreachableError(
            Problem(f"{repo}: HF_HUB_OFFLINE is set, so {endpoint} is not asked")
        )
    if disk := _of_disk(links):
        place = disk.filename or HF_HUB_CACHE
        return InputError(Problem(f"{repo}: cannot be kept: {disk.strerror}", str(place)))
    if transient(error):
        return UnreachableError(Problem(f"{repo}: no good answer from {endpoint} ({told(error)})"))
    kind = MissingError if any(isinstance(link, _MISSING) for link in links) else InputError
    return kind(Problem(f"{repo}: {_because(error, kind, endpoint)}"))


def _of_disk(links: Sequence[BaseException]) -> OSError | None:
    """The error of a disk or file of ours that is behind it, as when the cache is full."""
    found = (e for e in links if isinstance(e, OSError) and (e.errno or 0) > 0)
    return next((e for e in found if not isinstance(e, ConnectionError | TimeoutError)), None)


def _because(error: BaseException, kind: type[InputError], endpoint: str) -> str:
    status = _status(error)
    if status == 401:
        way = "log in with `hf auth login` or set HF_TOKEN"
        return f"{endpoint} does not accept your token, or hides this from you ({way})"
    if status == 403:
        return f"your token may not do this ({told(error)})"
    if kind is MissingError:
        return f"{endpoint} has no such data set or version, or hides it from you"
    return told(error) if status else f"{endpoint} answers as no hub does ({told(error)})"


def told(error: BaseException) -> str:
    """Say what happened: never the query of an address, which may hold a signature."""
    for link in _chain(error):
        if isinstance(link, HfHubHTTPError):
            request = link.response.request
            said = link.server_message or "no explanation"
            place = urlsplit(str(request.url))
            return (
                f"{request.method} {place.netloc}{place.path}: {link.response.status_code} {said}"
            )
    last = list(_chain(error))[-1]
    said = _QUERY.sub("?...", str(last)).strip().partition("\n")[0]
    return f"{type(last).__name__}: {shorten(said, 300) if said else 'no answer'}"


BRANCH = "main"
TYPE = "dataset"
DATA = ".parquet"
WORKERS = 4
OID = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
"""A commit's id."""

Notice = Callable[[str], None]


@dataclass(frozen=True)
class Refs:
    """The commit of the branch main and of each tag."""

    head: str
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Change:
    """One operation of a commit: ``kind`` is ``add``, ``change``, ``delete`` or ``keep``; size in bytes."""

    kind: str
    path: str
    size: int


def same_bytes(path: Path, remote: RepoFile) -> bool:
    """Whether a local file has the bytes that a file of the hub has, by size and digest."""
    if path.stat().st_size != remote.size:
        return False
    if remote.lfs is not None:
        return file_digest(path) == str(remote.lfs.sha256)
    data = path.read_bytes()
    return (
        sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest() == remote.blob_id
    )


class Repository:
    """A data set repository, ``ORG/NAME``. Every method raises :class:`InputError` for a refusal."""

    def __init__(self, repo: str, waits: Sequence[float] = WAITS) -> None:
        if repo.count("/") != 1 or not all(repo.split("/")):
            raise fail(f"{repo!r} is no repository of a hub: it must be of the form ORG/NAME")
        self.id, self.api, self._waits = repo, HfApi(library_name="solecism"), waits
        self.endpoint = str(self.api.endpoint)

    def is_private(self) -> bool | None:
        """Whether only its owners see it; None where it does not exist (or cannot be seen)."""
        try:
            private = self.read(lambda: self.api.dataset_info(self.id)).private
        except MissingError:
            return None
        if not isinstance(private, bool):
            raise self._odd("does not say whether the data set is private")
        return private

    def create(self, private: bool) -> None:
        """Make the repository where there is none."""
        self.read(
            lambda: self.api.create_repo(
                self.id, repo_type=TYPE, private=private or None, exist_ok=True
            )
        )

    def refs(self) -> Refs:
        """Read the head of main and the tags."""
        found = self.read(lambda: self.api.list_repo_refs(self.id, repo_type=TYPE))
        heads = self._commits(found.branches)
        if BRANCH not in heads:
            raise fail(f"{self.id}: has no branch {BRANCH}")
        return Refs(heads[BRANCH], self._commits(found.tags))

    def _commits(self, refs: Sequence[GitRefInfo]) -> dict[str, str]:
        for name, commit in ((ref.name, ref.target_commit) for ref in refs):
            if not (isinstance(name, str) and isinstance(commit, str) and OID.fullmatch(commit)):
                raise self._odd(f"{name!r} is no name, or {commit!r} no commit")
        return {ref.name: ref.target_commit for ref in refs}

    def _odd(self, message: str) -> InputError:
        return fail(f"{self.id}: {self.endpoint} answers as no hub does ({message})")

    def files(self, revision: str) -> dict[str, RepoFile]:
        """List the files at a revision by path, without the hub's own ``.gitattributes``."""
        entries = self.read(
            lambda: list(
                self.api.list_repo_tree(self.id, recursive=True, revision=revision, repo_type=TYPE)
            )
        )
        found = [entry for entry in entries if isinstance(entry, RepoFile)]
        for file in found:
            if not (isinstance(file.path, str) and isinstance(file.size, int)):
                raise self._odd(f"{file.path!r} is no path, or {file.size!r} no size")
        files = {file.path: file for file in found}
        files.pop(".gitattributes", None)
        return files

    def changes(self, revision: str, files: Mapping[str, Path]) -> list[Change]:
        """What a commit must do so that the files at a revision become ``files``, sorted by path."""
        remote = self.files(revision)
        return [
            _change(path, files.get(path), remote.get(path)) for path in sorted({*files, *remote})
        ]

    def holds(self, revision: str, files: Mapping[str, Path]) -> bool:
        """Whether a revision has exactly these files."""
        return all(change.kind == "keep" for change in self.changes(revision, files))

    def snapshot(
        self, revision: str | None, patterns: Sequence[str] | None = None, force: bool = False
    ) -> Path:
        """Download the files of a revision (those that fit the patterns) that the cache lacks; its folder."""
        call = partial(snapshot_download, self.id, repo_type=TYPE, revision=revision)
        more = {"allow_patterns": patterns, "force_download": force, "max_workers": WORKERS}
        return Path(self.read(partial(call, **more)))

    def commit(
        self,
        parent: str,
        title: str,
        files: Mapping[str, Path],
        changes: Sequence[Change],
        notice: Notice,
    ) -> str:
        """Make one commit of all changes on top of ``parent``; return its id.

        Where the head has moved on, it is ours if it holds our files; else somebody else has pushed.
        """

        def attempt() -> str:
            operations = _operations(files, changes)
            self._upload(operations, notice)
            notice("committing")
            done = self.api.create_commit(
                self.id, operations, commit_message=title, repo_type=TYPE, parent_commit=parent
            )
            return str(done.oid)

        def settled() -> str | None:
            head = self.refs().head
            if head == parent:
                return None
            if self.holds(head, files):
                return head
            message = "someone else pushed in the meantime"
            raise fail(f"{self.id}: {message} ({BRANCH} is at {head[:12]}, was at {parent[:12]})")

        return self._safely(attempt, settled)

    def tag(self, name: str, commit: str) -> None:
        """Make a tag; a tag that is there already must point to the same commit."""

        def attempt() -> str:
            self.api.create_tag(self.id, tag=name, revision=commit, repo_type=TYPE)
            return commit

        def settled() -> str | None:
            target = self.refs().tags.get(name)
            if target is not None and target != commit:
                message = f"{name} is the tag of {target[:12]}, not of {commit[:12]}"
                raise fail(f"{self.id}: {message}: tags are never moved")
            return target

        self._safely(attempt, settled)

    def _safely(self, attempt: Callable[[], str], settled: Callable[[], str | None]) -> str:
        """Try to write; after a failure look whether it was carried out before it is tried again."""
        for wait in (*self._waits, None):
            begun = time.monotonic()
            try:
                with limited():
                    return attempt()
            except InputError:
                raise
            except Exception as error:
                if not of_hub(error):
                    raise
                done = settled()
                if done is not None:
                    return done
                if wait is None or not repeatable(error, time.monotonic() - begun):
                    raise refused(error, self.id, self.endpoint) from None
                time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _upload(self, operations: Sequence[Any], notice: Notice) -> None:
        """Send the data files one after the other: they are seen by nobody until the commit."""
        for operation in operations:
            if isinstance(operation, CommitOperationAdd) and operation.path_in_repo.endswith(DATA):
                notice(f"sending {operation.path_in_repo}")
                self.api.preupload_lfs_files(
                    self.id, [operation], repo_type=TYPE, num_threads=1, free_memory=False
                )

    def read(self, call: Callable[[], _Result]) -> _Result:
        """Call something that only reads, or that may be done twice; again after a passing failure.

        Raises :class:`UnreachableError` where the hub gives no good answer, :class:`MissingError` where it
        has nothing.
        """
        try:
            with limited():
                return again(call, self._waits)
        except InputError:
            raise
        except Exception as error:
            if not of_hub(error):
                raise
            raise refused(error, self.id, self.endpoint) from None


def folder_of(repo: str, revision: str | None) -> Path:
    """Download a data set of a hub that was named where a folder might have been.

    Where the hub cannot be reached, what the cache has of it must do. Raises :class:`InputError`.
    """
    try:
        repository = Repository(repo)
        try:
            return repository.snapshot(revision)
        except UnreachableError:
            cached = partial(snapshot_download, repo, repo_type=TYPE, revision=revision)
            with suppress(LocalEntryNotFoundError):
                return Path(cached(local_files_only=True))
            raise
    except InputError as error:
        raise fail(f"there is no folder {repo!r}, and on a hub: {error}") from None


def _change(path: str, local: Path | None, remote: RepoFile | None) -> Change:
    if local is None:
        return Change("delete", path, remote.size if remote else 0)
    size = local.stat().st_size
    if remote is None:
        return Change("add", path, size)
    return Change("keep" if same_bytes(local, remote) else "change", path, size)


def _operations(
    files: Mapping[str, Path], changes: Sequence[Change]
) -> list[CommitOperationAdd | CommitOperationDelete]:
    """Fresh operations: huggingface_hub writes into those that it has tried."""
    return [
        CommitOperationDelete(change.path, is_folder=False)
        if change.kind == "delete"
        else CommitOperationAdd(change.path, files[change.path])
        for change in changes
        if change.kind != "keep"
    ]
