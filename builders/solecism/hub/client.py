"""A hub as a client sees it: repositories, what may go wrong, and how long to wait."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
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
from huggingface_hub.utils.sha import git_hash

from solecism.errors import InputError, Problem, fail
from solecism.hashing import file_digest

__all__ = [
    "LARGEST", "LIMIT", "WAITS", "Change", "MissingError", "Refs", "Repository", "UnreachableError",
    "again", "explain", "folder_of", "limited", "of_hub", "reachable", "refused", "repeatable",
    "revisions_of", "same_bytes", "seconds", "transient",
]  # fmt: skip


WAITS = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds to wait before a call is repeated that failed for a passing reason."""

LIMIT = "SOLECISM_HUB_TIMEOUT"
"""The environment variable that sets another limit, in seconds."""

SECONDS = 30.0
"""The time that a server may be silent."""

LARGEST = 64 << 20
"""Bytes that an answer may have if it is no download."""

SLOWEST = 1 << 10
"""Bytes a second that must arrive in the long run, so that a server that drips ends some time."""

_KINDS = ("connect", "read", "write", "pool")
_XET = "HF_XET_CLIENT_CONNECT_TIMEOUT", "HF_XET_CLIENT_READ_TIMEOUT"
_XET_REPEATS = "HF_XET_CLIENT_RETRY_MAX_ATTEMPTS"
_DELAY = re.compile(r"\s*(\d+)\s*|.*;\s*t\s*=\s*(\d+).*", re.DOTALL)
_lock = threading.Lock()
_calls = 0

_Result = TypeVar("_Result")


def seconds() -> float:
    """Return the limit; raises :class:`InputError` if the environment has no positive number."""
    value = os.environ.get(LIMIT, "")
    try:
        limit = float(value or SECONDS)
    except ValueError:
        limit = 0
    if not 0 < limit < float("inf"):
        raise fail(f"{LIMIT} is {value!r}: it must be a number of seconds above 0")
    return limit


@contextmanager
def limited() -> Iterator[None]:
    """Raise :class:`UnreachableError` for requests in this context that are not answered in time.

    A server must take the connection, then send or take a byte every so many :func:`seconds`. After
    four times as long, the body of an answer must have come at :data:`SLOWEST` or faster.
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


def again(
    call: Callable[[], _Result],
    waits: Sequence[float] = WAITS,
    settled: Callable[[], _Result | None] = lambda: None,
) -> _Result:
    """Call something, and call it again after a passing failure; raise what the last call raised.

    ``waits``: seconds before each repeat. A call that writes needs ``settled``, which is asked
    after a failure of the hub: it returns the result if the call was carried out after all, else
    None.
    """
    for wait in (*waits, None):
        begun = time.monotonic()
        try:
            return call()
        except InputError:
            raise
        except Exception as error:
            done = settled() if of_hub(error) else None
            if done is not None:
                return done
            if wait is None or not repeatable(error, time.monotonic() - begun):
                raise
            time.sleep(wait)
    raise AssertionError("the last attempt returns or raises")


def repeatable(error: BaseException, took: float) -> bool:
    """Return whether a call that failed after so many seconds is worth another try.

    The store of large files does not say that it was silent: only the time shows it.
    """
    frames = walk_tb(error.__traceback__)
    stored = isinstance(error, ConnectionError) and any(
        "xet" in f.f_code.co_name for f, _ in frames
    )
    return transient(error) and not (stored and took >= seconds())


def reachable() -> bool:
    """Return whether the hub takes connections and answers (other libraries repeat for long)."""
    try:
        with limited():
            get_session().head(HfApi().endpoint)
    except UnreachableError:
        return False
    except Exception:  # whatever else is wrong shows when something is asked for
        return True
    return True


def _count(change: int) -> None:
    global _calls
    with _lock:
        _calls += change


def _watch(session: Any) -> None:
    """Let requests of a session pass through :func:`_send`, which leaves others unchanged."""
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
        message = f"{place} is silent: no byte in {limit:g} seconds ({_request(request)})"
        raise UnreachableError(Problem(message)) from None
    except http.ConnectError as error:
        raise UnreachableError(Problem(f"{place} cannot be reached ({error})")) from None


def _refuse_delay(response: Any, request: Any, limit: float) -> None:
    """Refuse to wait for a hub that is busy longer than the limit."""
    if response.status_code not in (429, 503):
        return
    texts = [response.headers.get(name, "") for name in ("retry-after", "ratelimit")]
    found = [m[1] or m[2] for text in texts if (m := _DELAY.fullmatch(text))]
    if any(int(text[:9]) > limit for text in found):
        response.close()
        message = f"{request.url.host} is busy and asks to be left alone for {found[0]} seconds"
        raise UnreachableError(Problem(message))


def _request(request: Any) -> str:
    return f"{request.method} {request.url.path}; {LIMIT} sets another limit"


def _watched(http: ModuleType, request: Any, limit: float, stream: Any, download: bool) -> Any:
    """Return the stream of an answer's bytes, with the limits."""

    class Watched(http.SyncByteStream):  # type: ignore[name-defined, misc]
        def __iter__(self) -> Iterator[bytes]:
            size, begun = 0, time.monotonic()
            with _timed(http, request, limit):
                for part in stream:
                    size += len(part)
                    if size > LARGEST and not download:
                        message = f"{request.url.host} answers with more than {LARGEST >> 20} MB"
                        raise fail(f"{message} ({request.method} {request.url.path})")
                    if time.monotonic() - begun > 4 * limit + size / SLOWEST:
                        message = f"{request.url.host} is too slow: {size:,} bytes"
                        raise UnreachableError(Problem(f"{message} ({_request(request)})"))
                    yield part

        def close(self) -> None:
            stream.close()

    return Watched()


_PASSING = (408, 425, 429)
_TRANSPORT = ("httpx", "httpx2", "httpcore", "requests", "urllib3", "hf_xet")
"""Packages whose errors mean that no answer came (it depends on huggingface_hub which one)."""

_QUERY = re.compile(r"(?<=\S)\?[^\s\"')>]+")
_MISSING = (RepositoryNotFoundError, RevisionNotFoundError)


class MissingError(InputError):
    """An error for a repository or revision that the hub does not have, or hides from us."""


class UnreachableError(InputError):
    """An error for a hub that does not answer, or may not be asked (``HF_HUB_OFFLINE``)."""


def of_hub(error: BaseException) -> bool:
    """Return whether an error came from talking to the hub: anything else is a mistake of ours.

    An answer of another shape breaks huggingface_hub in many ways (``KeyError``, ``TypeError``
    ...): what is raised outside our own code is the answer's fault.
    """
    if transient(error) or isinstance(error, OSError | ValueError | RuntimeError):
        return True
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return not str(frames[-1].f_globals.get("__name__")).startswith("solecism.")


def transient(error: BaseException) -> bool:
    """Return whether the same call may succeed later: the hub is busy, or no whole answer came."""
    verdicts = (_is_passing(link) for link in _chain(error))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _is_passing(error: BaseException) -> bool | None:
    """Return whether an error may pass; None if its cause decides."""
    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        return status >= 500 or status in _PASSING
    if isinstance(error, OfflineModeIsEnabled):
        return False
    package = type(error).__module__.partition(".")[0]
    broken = isinstance(error, ConnectionError | TimeoutError | JSONDecodeError)
    return True if package in _TRANSPORT or broken else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what caused it or was being handled when it arose, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _status(error: BaseException) -> int:
    """Return the HTTP status of an error, or of the one that caused it; 0 where no answer came."""
    for link in _chain(error):
        if isinstance(link, HfHubHTTPError):
            return int(link.response.status_code)
    return 0


def refused(error: BaseException, repo: str, endpoint: str) -> InputError:
    """Return the error for the user."""
    links = list(_chain(error))
    if any(isinstance(link, OfflineModeIsEnabled) for link in links):
        return UnreachableError(
            Problem(f"{repo}: HF_HUB_OFFLINE is set, so {endpoint} is not asked")
        )
    if disk := _of_disk(links):
        place = disk.filename or HF_HUB_CACHE
        return InputError(Problem(f"{repo}: cannot be kept: {disk.strerror}", str(place)))
    if transient(error):
        return UnreachableError(
            Problem(f"{repo}: no good answer from {endpoint} ({explain(error)})")
        )
    kind = MissingError if any(isinstance(link, _MISSING) for link in links) else InputError
    return kind(Problem(f"{repo}: {_because(error, kind, endpoint)}"))


def _of_disk(links: Sequence[BaseException]) -> OSError | None:
    """Return the error of a disk or file of ours that is the cause, as when the cache is full."""
    found = (e for e in links if isinstance(e, OSError) and (e.errno or 0) > 0)
    return next((e for e in found if not isinstance(e, ConnectionError | TimeoutError)), None)


def _because(error: BaseException, kind: type[InputError], endpoint: str) -> str:
    status = _status(error)
    if status == 401:
        way = "log in with `hf auth login` or set HF_TOKEN"
        return f"{endpoint} does not accept your token, or hides this from you ({way})"
    if status == 403:
        return f"your token may not do this ({explain(error)})"
    if kind is MissingError:
        return f"{endpoint} has no such data set or version, or hides it from you"
    return explain(error) if status else f"{endpoint} answers as no hub does ({explain(error)})"


def explain(error: BaseException) -> str:
    """Return what happened, without the query of an address, which may hold a signature."""
    for link in _chain(error):
        if isinstance(link, HfHubHTTPError):
            request, status = link.response.request, link.response.status_code
            place = urlsplit(str(request.url))
            message = link.server_message or "no explanation"
            return f"{request.method} {place.netloc}{place.path}: {status} {message}"
    last = list(_chain(error))[-1]
    message = _QUERY.sub("?...", str(last)).strip().partition("\n")[0]
    return f"{type(last).__name__}: {shorten(message, 300) if message else 'no answer'}"


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
    """One change of a commit (``add``, ``change``, ``delete``, ``keep``) and its size in bytes."""

    kind: str
    path: str
    size: int


def same_bytes(path: Path, remote: RepoFile) -> bool:
    """Return whether a local file has the bytes of a file of the hub, by size and digest."""
    if path.stat().st_size != remote.size:
        return False
    if remote.lfs is not None:
        return file_digest(path) == str(remote.lfs.sha256)
    return git_hash(path.read_bytes()) == remote.blob_id


class Repository:
    """A data set repository, ``ORG/NAME``. Methods raise :class:`InputError` for a refusal."""

    def __init__(self, repo: str, waits: Sequence[float] = WAITS) -> None:
        if repo.count("/") != 1 or not all(repo.split("/")):
            raise fail(f"{repo!r} is no repository of a hub: it must be of the form ORG/NAME")
        self.id, self.api, self._waits = repo, HfApi(library_name="solecism"), waits
        self.endpoint = str(self.api.endpoint)

    def is_private(self) -> bool | None:
        """Return whether only its owners see it; None if it does not exist or is hidden from us."""
        try:
            private = self.ask(lambda: self.api.dataset_info(self.id)).private
        except MissingError:
            return None
        if not isinstance(private, bool):
            raise self._odd("does not say whether the data set is private")
        return private

    def create(self, private: bool) -> None:
        """Make the repository if there is none."""
        create = partial(self.api.create_repo, repo_type=TYPE, private=private or None)
        self.ask(lambda: create(self.id, exist_ok=True))

    def refs(self) -> Refs:
        """Read the head of main and the tags."""
        found = self.ask(lambda: self.api.list_repo_refs(self.id, repo_type=TYPE))
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
        tree = partial(self.api.list_repo_tree, repo_type=TYPE, recursive=True)
        entries = self.ask(lambda: list(tree(self.id, revision=revision)))
        found = [entry for entry in entries if isinstance(entry, RepoFile)]
        for file in found:
            if not (isinstance(file.path, str) and isinstance(file.size, int)):
                raise self._odd(f"{file.path!r} is no path, or {file.size!r} no size")
        files = {file.path: file for file in found}
        files.pop(".gitattributes", None)
        return files

    def changes(self, revision: str, files: Mapping[str, Path]) -> list[Change]:
        """Return the changes that make the files at a revision ``files``, sorted by path."""
        remote = self.files(revision)
        return [
            _change(path, files.get(path), remote.get(path)) for path in sorted({*files, *remote})
        ]

    def holds(self, revision: str, files: Mapping[str, Path]) -> bool:
        """Return whether a revision has exactly these files."""
        return all(change.kind == "keep" for change in self.changes(revision, files))

    def snapshot(
        self, revision: str | None, patterns: Sequence[str] | None = None, force: bool = False
    ) -> Path:
        """Download the files of a revision that the cache lacks, and return its folder.

        ``patterns``: only files that fit one of them; ``force``: files that the cache has, too.
        """
        call = partial(snapshot_download, self.id, repo_type=TYPE, revision=revision)
        options = {"allow_patterns": patterns, "force_download": force, "max_workers": WORKERS}
        return Path(self.ask(partial(call, **options)))

    def commit(
        self,
        parent: str,
        title: str,
        files: Mapping[str, Path],
        changes: Sequence[Change],
        notice: Notice,
    ) -> str:
        """Make one commit of all changes on top of ``parent``; return its id.

        Where the head has moved on, it is ours if it holds our files; else somebody else has
        pushed.
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

        return self.ask(attempt, settled)

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

        self.ask(attempt, settled)

    def _upload(self, operations: Sequence[Any], notice: Notice) -> None:
        """Send the data files one after the other: they are seen by nobody until the commit."""
        for operation in operations:
            if isinstance(operation, CommitOperationAdd) and operation.path_in_repo.endswith(DATA):
                notice(f"sending {operation.path_in_repo}")
                self.api.preupload_lfs_files(
                    self.id, [operation], repo_type=TYPE, num_threads=1, free_memory=False
                )

    def ask(
        self, call: Callable[[], _Result], settled: Callable[[], _Result | None] = lambda: None
    ) -> _Result:
        """Call something that asks the hub, and again after a passing failure; see :func:`again`.

        Raises :class:`UnreachableError` where the hub does not answer, :class:`MissingError` where
        it has nothing.
        """
        try:
            with limited():
                return again(call, self._waits, settled)
        except InputError:
            raise
        except Exception as error:
            if not of_hub(error):
                raise
            raise refused(error, self.id, self.endpoint) from None


def folder_of(repo: str, revision: str | None) -> Path:
    """Return the folder of a data set of a hub that was named where a folder might have been.

    If the hub cannot be reached, the cache is used. Raises :class:`InputError`.
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


def revisions_of(model: str) -> list[str]:
    """Return the names of the branches and tags of a model of a hub; raise :class:`InputError`."""
    api = HfApi(library_name="solecism")
    try:
        with limited():
            found = again(partial(api.list_repo_refs, model), WAITS, lambda: None)
    except Exception as error:
        if isinstance(error, InputError) or not of_hub(error):
            raise
        raise refused(error, model, str(api.endpoint)) from None
    return sorted({ref.name for ref in (*found.branches, *found.tags)})


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
    """Return new operations: huggingface_hub writes into those that it has tried."""
    return [
        CommitOperationDelete(change.path, is_folder=False)
        if change.kind == "delete"
        else CommitOperationAdd(change.path, files[change.path])
        for change in changes
        if change.kind != "keep"
    ]
