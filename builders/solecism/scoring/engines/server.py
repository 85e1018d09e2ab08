"""Models behind a server: log probabilities of prompts from an OpenAI-compatible completions API.

vLLM, SGLang and others return them with ``echo`` and ``logprobs``, vLLM also with
``prompt_logprobs``. See ``docs/servers.md``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np
from numpy.typing import NDArray

from solecism.errors import InputError, candidates, fail
from solecism.scoring.encoding import Encoded
from solecism.scoring.results import Journal

__all__ = ["PREFIX", "Address", "RemoteModel", "ServerReader", "open_server"]

PREFIX = "openai:"
"""What the name of a model behind a server begins with, as ``openai:http://HOST/v1#NAME``."""

KEYS = ("SOLECISM_API_KEY", "OPENAI_API_KEY")
"""The environment variables that may hold a key; the first that is set is sent."""

PROMPTS = 16
"""Prompts of a request, where the server takes several."""

TRIES, LONGEST_WAIT, SECONDS = 6, 60.0, 120.0
"""Attempts of a request; the longest wait between two, and for an answer, in seconds."""

PROBES = (
    "The cats near the dog sleep.",
    "Nobody who knows the author laughs.",
    "Die Bäume sind größer – 山很高。",
)
"""The sentences on which a server is tried out."""

_MODES: Mapping[str, Mapping[str, Any]] = {
    "echo": {"echo": True, "logprobs": 1, "max_tokens": 0},
    "echo with one token": {"echo": True, "logprobs": 1, "max_tokens": 1},
    "prompt_logprobs": {"prompt_logprobs": 0, "max_tokens": 1},
}
"""The ways to ask, in the order in which they are tried."""

BROKEN = "\ufffd"
"""What stands in a token for a part of a character."""

_PASSING = {408, 425, 429, 500, 502, 503, 504}

Floats = NDArray[np.float64]
Piece = tuple[str, float | None]
"""A token of a prompt and its log probability."""


@dataclass(frozen=True)
class Address:
    """Where a model is: the URL of the API, and the name of the model (empty: the only one)."""

    url: str
    name: str

    @classmethod
    def of(cls, model: str) -> Address:
        """Read ``openai:http://HOST:PORT/v1#NAME``; raise :class:`InputError` for other texts."""
        parts = urlsplit(model.removeprefix(PREFIX))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise fail(f"{_safe(model)!r} is not of the form {PREFIX}http://HOST:PORT/v1#NAME")
        if parts.username or parts.password:
            raise fail(f"a key does not belong into the name of a model: set ${KEYS[0]}")
        return cls(f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/"), parts.fragment)


def _safe(model: str) -> str:
    return model.rpartition("@")[2] if "@" in model else model


@dataclass(frozen=True)
class RemoteModel:
    """What is known of a model behind a server."""

    name: str
    longest: int = 1 << 30


class _Client:
    """Sends requests; again where a failure may pass."""

    def __init__(self, url: str) -> None:
        key = next((os.environ[name] for name in KEYS if os.environ.get(name)), "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        local = urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")
        self.url, self._key = url, key
        self._http = httpx.Client(timeout=SECONDS, headers=headers, trust_env=not local)

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON of an answer; raise :class:`InputError` for a refusal."""
        for attempt in range(TRIES):
            try:
                answer = self._http.request(method, f"{self.url}/{path}", json=body)
            except httpx.HTTPError as error:
                if attempt == TRIES - 1:
                    raise self._failed(f"does not answer ({type(error).__name__})") from None
                time.sleep(_wait(attempt))
                continue
            if answer.status_code not in _PASSING or attempt == TRIES - 1:
                return self._read(answer)
            time.sleep(_wait(attempt, answer.headers.get("retry-after", "")))
        raise AssertionError

    def _read(self, answer: httpx.Response) -> Any:
        if answer.status_code in (401, 403):
            known = "refuses the key" if self._key else "wants a key"
            raise self._failed(f"{known} (${KEYS[0]})", answer.status_code)
        if answer.status_code != 200:
            raise self._failed(f"answers {answer.status_code}: {_said(answer)}", answer.status_code)
        try:
            return answer.json()
        except ValueError:
            raise self._failed(f"answers something that is no JSON: {answer.text[:60]!r}") from None

    def _failed(self, what: str, status: int = 0) -> InputError:
        text = what.replace(self._key, "***") if self._key else what
        return _RefusedError(f"the server {self.url} {text}", status)


class _RefusedError(InputError):
    """A server has refused a request with a status (0: with none)."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(fail(message).problems)
        self.status = status


def _wait(attempt: int, after: str = "") -> float:
    """Return the seconds to wait: what the server asks for, else ever longer."""
    asked = float(after) if after.replace(".", "", 1).isdigit() else 0.5 * 2**attempt
    return min(asked, LONGEST_WAIT)


def _said(answer: httpx.Response) -> str:
    try:
        found = answer.json()
        found = found.get("error", found.get("message", found))
        return str(found.get("message", found) if isinstance(found, dict) else found)[:200]
    except (ValueError, AttributeError):
        return answer.text[:100]


@dataclass
class ServerReader:
    """A model behind a server, read as a causal model of our own is (``CausalReader``).

    The ids of :meth:`encode` are places in what the server has answered. So :meth:`log_probs`
    knows the answers, also of a beginning of a text, until it was called. ``requests``: how many
    are in flight at once; ``mode``: how the server is asked; ``prompts``: how many prompts a
    request has; ``begins``: texts have a BOS token, so that the first token has a probability.
    """

    client: _Client
    loaded: RemoteModel
    mode: str = "echo"
    prompts: int = PROMPTS
    begins: bool = True
    requests: int = 8
    journal: Journal = field(default_factory=Journal)
    probed: None = None
    word_level: bool = False
    vocabulary: frozenset[str] = frozenset()
    _values: list[float] = field(default_factory=list)
    _known: dict[str, Encoded] = field(default_factory=dict)

    @property
    def bos(self) -> str:
        """What a signature says of BOS."""
        return "server" if self.begins else "server-none"

    def encode(self, texts: Sequence[str], offsets: bool = True) -> list[Encoded]:
        """Return the tokens of texts as the server has them; ask for each distinct text once."""
        fresh = [text for text in dict.fromkeys(texts) if text and text not in self._known]
        batches = [fresh[n : n + self.prompts] for n in range(0, len(fresh), self.prompts)]
        self.journal.expect(sum(map(len, batches)))
        for batch, answer in zip(batches, self._answers(batches), strict=True):
            for text, tokens in zip(batch, _unpacked(answer), strict=True):
                self._known[text] = self._kept(text, tokens)
        return [self._known.get(text) or Encoded(text, [], []) for text in texts]

    def _answers(self, batches: Sequence[list[str]]) -> Iterator[Floats]:
        """Yield what the server answers to each batch; what a run before has asked is known."""
        known = min(self.journal.known, len(batches))
        with ThreadPoolExecutor(self.requests) as pool:
            waiting: list[Future[Floats]] = []
            try:
                for place, _ in enumerate(batches):
                    while place >= known and len(waiting) < min(
                        2 * self.requests, len(batches) - place
                    ):
                        batch = batches[place + len(waiting)]
                        waiting.append(pool.submit(self._asked, batch))
                    ask = waiting.pop(0).result if waiting else partial(self._asked, batches[place])
                    yield self.journal.answer(ask)
            finally:
                for future in waiting:
                    future.cancel()

    def _asked(self, texts: list[str]) -> Floats:
        answers = zip(texts, self.ask(texts), strict=True)
        return _packed([_placed(text, pieces, self.begins) for text, pieces in answers])

    def ask(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the tokens of each text with their log probabilities; raise InputError."""
        body = {"model": self.loaded.name, "prompt": list(texts), "temperature": 0}
        found = self.client.send("POST", "completions", {**body, **_MODES[self.mode]})
        choices = found.get("choices") if isinstance(found, dict) else None
        if not isinstance(choices, list) or len(choices) != len(texts):
            count = len(choices) if isinstance(choices, list) else "no"
            raise _lacks(self.client, f"gives {count} answers to {len(texts)} prompts")
        if all(isinstance(c, dict) and isinstance(c.get("index"), int) for c in choices):
            choices = sorted(choices, key=lambda choice: choice["index"])
        read = _by_prompt if self.mode == "prompt_logprobs" else _by_echo
        cut = self.mode == "echo with one token"
        try:
            return [read(choice)[: -1 if cut else None] for choice in choices]
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration):
            raise _lacks(self.client, "returns no log probabilities of the prompt") from None

    def _kept(self, text: str, tokens: Floats) -> Encoded:
        """Remember the log probabilities of a text; a row of ``tokens`` a token."""
        first = len(self._values)
        self._values += tokens[:, 2].tolist()
        places = [(int(start), int(stop)) for start, stop in tokens[:, :2]]
        return Encoded(text, list(range(first, len(self._values))), places)

    def with_bos(self, ids: Sequence[int]) -> tuple[list[int], int]:
        """Return the ids, and the first place with a probability."""
        return list(ids), 0 if self.begins or not ids else 1

    whole = with_bos

    def log_probs(self, rows: Sequence[Sequence[int]]) -> list[Floats]:
        """Return the natural log probabilities of tokens that :meth:`encode` has given."""
        values = np.array(self._values)
        found = [values[list(row)] if row else np.zeros(0) for row in rows]
        self._values, self._known = [], {}
        return [np.concatenate([[0.0], row[1:]]) if not self.begins else row for row in found]


def _by_echo(choice: Mapping[str, Any]) -> list[Piece]:
    found = choice["logprobs"]
    tokens, values = found["tokens"], found["token_logprobs"]
    if len(tokens) != len(values):
        raise ValueError("not as many")
    return [
        (str(token), None if v is None else float(v))
        for token, v in zip(tokens, values, strict=True)
    ]


def _by_prompt(choice: Mapping[str, Any]) -> list[Piece]:
    pieces: list[Piece] = []
    for entry in choice["prompt_logprobs"]:
        if entry is None:
            pieces.append(("", None))  # the first token, which vLLM does not name
            continue
        one = next(iter(entry.values()))
        pieces.append((str(one["decoded_token"]), float(one["logprob"])))
    return pieces


def _placed(text: str, pieces: Sequence[Piece], begins: bool) -> list[tuple[int, int, float]]:
    """Return the characters and the log probability of each token of a text, without BOS.

    Tokens after the end of the text (generated ones) are left out. Tokens that are parts of a
    character (``\ufffd``), or that the server does not name, stand between those that are found.
    """
    out: list[tuple[int, int, float]] = []
    waiting: list[tuple[str, float]] = []
    place = 0
    for token, value in pieces[1:] if begins else pieces:
        if place >= len(text):
            break
        number = np.nan if value is None else value
        found = -1 if not token or BROKEN in token else text.find(token, place)
        if found < 0 or (found > place and not waiting):
            waiting.append((token, number))
            continue
        out += _between(text, place, found, waiting)
        out.append((found, found + len(token), number))
        place, waiting = found + len(token), []
    return out + _between(text, place, len(text), waiting)


def _between(
    text: str, start: int, stop: int, tokens: Sequence[tuple[str, float]]
) -> list[tuple[int, int, float]]:
    """Return the places of tokens that hold parts of the characters ``start:stop``.

    Each broken part is taken to be one byte; where this does not add up all have the whole place.
    """
    sizes = [len(token.replace(BROKEN, "").encode()) + token.count(BROKEN) for token, _ in tokens]
    owner = [n for n in range(start, stop) for _ in text[n].encode()]  # the character of each byte
    if sum(sizes) != len(owner) or 0 in sizes:
        return [(start, stop, value) for _, value in tokens]
    ends = np.cumsum(sizes).tolist()
    return [
        (owner[end - size], owner[end - 1] + 1, value)
        for size, end, (_, value) in zip(sizes, ends, tokens, strict=True)
    ]


def _packed(texts: Sequence[Sequence[tuple[int, int, float]]]) -> Floats:
    """Return tokens as one flat array, for the journal: a count, then its tokens, for each text."""
    parts = [np.array([len(text), *np.array(text, float).reshape(-1)]) for text in texts]
    return np.concatenate(parts)


def _unpacked(flat: Floats) -> Iterator[Floats]:
    place = 0
    while place < len(flat):
        count = int(flat[place])
        yield flat[place + 1 : place + 1 + 3 * count].reshape(count, 3)
        place += 1 + 3 * count


def open_server(model: str, requests: int = 8) -> ServerReader:
    """Return a reader of a model behind a server, after a check that it can score.

    ``model``: ``openai:http://HOST:PORT/v1#NAME``. On three sentences the server must return as
    many log probabilities as tokens, not all of them zero, others for other sentences, and tokens
    that are the text. Raises :class:`InputError` that says what it lacks.
    """
    address = Address.of(model)
    client = _Client(address.url)
    remote = RemoteModel(_model_of(client, address))
    return _tried(ServerReader(client, remote, prompts=PROMPTS, requests=requests))


def _model_of(client: _Client, address: Address) -> str:
    """Return the name of the model; raise with those there are if it is not among them."""
    try:
        found = client.send("GET", "models")
        names = [str(entry["id"]) for entry in found["data"]]
    except (KeyError, TypeError):
        names = []
    except _RefusedError as error:
        if error.status not in (404, 405, 501):
            raise
        names = []
    if address.name and (address.name in names or not names):
        return address.name
    if not address.name and len(names) == 1:
        return names[0]
    what = f"has no model {address.name!r}" if address.name else "has several models: name one"
    raise fail(f"the server {client.url} {what} {candidates('models', names, address.name)}")


def _tried(reader: ServerReader) -> ServerReader:
    """Return the reader with the first way of asking that works."""
    problems: list[InputError] = []
    for mode in _MODES:
        reader.mode = mode
        try:
            answers = _answers_to_probes(reader)
            reader.begins = _check(reader.client, answers)
            return reader
        except _RefusedError as error:
            if error.status not in (0, 400, 422, 501) or not error.status:
                raise
            problems.append(error)
        except InputError as error:
            problems.append(error)
    raise problems[0]


def _answers_to_probes(reader: ServerReader) -> list[list[Piece]]:
    """Ask for all probes at once, or one at a time where the server takes no list."""
    try:
        return reader.ask(PROBES)
    except InputError:
        reader.prompts = 1
        return [reader.ask([text])[0] for text in PROBES]


def _check(client: _Client, answers: Sequence[Sequence[Piece]]) -> bool:
    """Return whether the first token has a probability; raise for answers that are none."""
    begins = _begins(PROBES[0], answers[0])
    seen = set()
    for text, pieces in zip(PROBES, answers, strict=True):
        words = np.array(_placed(text, pieces, begins), float).reshape(-1, 3)
        _check_text(client, text, pieces[begins:], words)
        values = words[1:, 2]
        if np.isnan(values).any():
            raise _lacks(client, "returns null in place of a log probability")
        if not values.any():
            raise _lacks(client, "returns 0.0 for every token of a prompt")
        if (values > 0).any():
            raise _lacks(client, "returns log probabilities above 0")
        seen.add(tuple(values.round(6)))
    if len(seen) < len(PROBES):
        raise _lacks(client, "returns the same log probabilities for different sentences")
    return begins


def _begins(text: str, pieces: Sequence[Piece]) -> bool:
    """Return whether the first token is BOS: one without probability that is not of the text."""
    first, value = pieces[0]
    rest = "".join(token for token, _ in pieces[1:])
    return value is None and not (first and text.startswith(first)) and rest.startswith(text)


def _check_text(client: _Client, text: str, pieces: Sequence[Piece], words: Floats) -> None:
    """Raise unless the tokens of an ASCII text are the text."""
    said = "".join(token for token, _ in pieces)
    known = said.endswith(text) or (not pieces[0][0] and text.endswith(said))
    if len(words) < 2 or (text.isascii() and not known):
        raise _lacks(client, f"returns tokens that are not the text ({said[:40]!r})")


def _lacks(client: _Client, what: str) -> InputError:
    return fail(
        f"the server {client.url} {what}: it cannot score sentences. Needed are completions with "
        "echo and logprobs, or vLLM's prompt_logprobs (llama.cpp's server has neither): serve the "
        "model with vLLM or SGLang, or score its folder"
    )
