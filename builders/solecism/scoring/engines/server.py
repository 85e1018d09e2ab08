"""Models behind a server: log probabilities of prompts from an OpenAI-compatible completions API.

vLLM, SGLang and others return them with ``echo`` and ``logprobs``, vLLM also with
``prompt_logprobs``. Each answer is checked. See ``docs/servers.md``.
"""

import math
import os
import time
from collections.abc import Container, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from openai import APIStatusError, DefaultHttpxClient, OpenAI, OpenAIError

from solecism.errors import InputError, candidates, fail
from solecism.inputs import Json
from solecism.scoring.encoding import Encoded
from solecism.terminal import Tell

PREFIX = "openai:"
"""What the name of a model behind a server begins with, as ``openai:http://HOST/v1#NAME``."""

KEYS = ("SOLECISM_API_KEY", "OPENAI_API_KEY")
"""The environment variables that may hold a key; the first that is set is sent."""

PROMPTS = 16
"""The number of prompts in a request."""

RETRIES, SECONDS = 5, 120.0
"""How often a failed request is sent again; how many seconds an answer may take."""

LARGEST = 1 << 25
"""The most bytes of an answer."""

PROBES = (
    "The cats near the dog sleep.",
    "Nobody who knows the author laughs.",
    "Die Bäume sind größer – 山很高。",
)
"""The sentences on which a server is tried out."""

_MODES: Mapping[str, Mapping[str, object]] = {
    "echo": {"echo": True, "logprobs": 1, "max_tokens": 0},
    "echo with one token": {"echo": True, "logprobs": 1, "max_tokens": 1},
    "prompt_logprobs": {"prompt_logprobs": 0, "max_tokens": 1},
}
"""The ways to ask, in the order in which they are tried."""

BROKEN = "\ufffd"
"""The character that servers put into a token that holds only a part of a character."""

Floats = NDArray[np.float64]
Piece = tuple[str, float | None]
"""A token of a prompt and its log probability."""
PlacedToken = tuple[int, int, float]
"""The first and the last character (exclusive) of a token, and its log probability."""


class RefusedError(InputError):
    """A server cannot be used.

    ``status``: the HTTP status with which it refused a request, -1 if it did not answer (then no
    other way to ask is tried), else 0.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(fail(message).problems)
        self.status = status


class Server:
    """A server, asked with openai's client, which repeats requests after temporary failures.

    The key is removed from all error messages.
    """

    def __init__(self, model: str) -> None:
        self._key = next((os.environ[name] for name in KEYS if os.environ.get(name)), "")
        try:
            parts = urlsplit(model.removeprefix(PREFIX))
            fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:  # a bad port, half an IPv6 address
            fits = False
        if "@" in model or "?" in model or (self._key and self._key in model):
            raise fail(f"a key does not belong into the name of a model: set ${KEYS[0]}")
        if not fits:
            raise fail(f"{model!r} is not of the form {PREFIX}http://HOST:PORT/v1#NAME")
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")
        self.model = parts.fragment
        self._client = OpenAI(
            api_key=self._key or "none", base_url=self.url, timeout=SECONDS, max_retries=RETRIES,
            http_client=_limited_client(),
        )  # fmt: skip

    def ask(self, path: str, body: Mapping[str, object] | None = None) -> Json:
        """Return the JSON of an answer; raise :class:`RefusedError` for a refusal."""
        try:
            if body is None:
                return self._client.get(path, cast_to=object)
            return self._client.post(path, cast_to=object, body=body)
        except APIStatusError as error:
            status, said = error.status_code, error.body
        except (OpenAIError, ValueError, RecursionError) as error:  # also no URL, no or deep JSON
            raise self.refused(f"does not answer ({type(error).__name__})", -1) from None
        if status in (401, 403):
            known = "refuses the key" if self._key else "wants a key"
            raise self.refused(f"{known} (${KEYS[0]})", status)
        said = said.get("message", said) if isinstance(said, dict) else said
        raise self.refused(f"answers {status}", status, said)

    def without_key(self, text: str) -> str:
        """Return ``text`` with ``***`` in place of the key."""
        return text.replace(self._key, "***") if self._key else text

    def refused(self, what: str, status: int = 0, said: object = "") -> RefusedError:
        """Return the error to raise, with the beginning of what the server ``said``."""
        more = f": {self.without_key(str(said))[:200]!r}" if said else ""
        return RefusedError(f"the server {self.url} {what}{more}", status)

    def lacks(self, what: str, said: str = "") -> RefusedError:
        """Return the error for an answer that cannot be scored."""
        more = f" ({self.without_key(said)[:40]!r})" if said else ""
        return RefusedError(
            f"the server {self.url} {what}{more}: it cannot score sentences. Needed are completions "
            "with echo and logprobs, or vLLM's prompt_logprobs (llama.cpp's server has neither): "
            "serve the model with vLLM or SGLang, or score its folder"
        )


def _limited_client() -> DefaultHttpxClient:
    """Return openai's client with limits, so that a faulty server cannot block or fill the memory.

    An answer has at most ``LARGEST`` bytes, comes within ``SECONDS``, and is not compressed. After
    an answer that breaks these rules nothing more is read from the server.
    """
    client = next(kind for kind in DefaultHttpxClient.__mro__ if kind.__name__ == "Client")
    library: Any = import_module(client.__module__.partition(".")[0])  # httpx or httpx2
    failed: list[str] = []

    def limit(response: Any) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            failed.append("an answer is packed")
        body, end = bytearray(), time.monotonic() + SECONDS
        with closing(response.stream) as stream:
            for part in () if failed else stream:
                body += part
                if len(body) > LARGEST or time.monotonic() > end:
                    failed.append("an answer is too large or too slow")
                    break
        if failed:
            raise ValueError(*failed)
        response.stream = library.ByteStream(bytes(body))

    headers = {"accept-encoding": "identity"}
    return DefaultHttpxClient(headers=headers, event_hooks={"response": [limit]}, timeout=SECONDS)


@dataclass
class ServerReader:
    """A model behind a server, read as a causal model of our own is (``CausalReader``).

    The ids that :meth:`encode` returns are places in a list of the server's log probabilities, in
    which :meth:`log_probs` looks them up; it then empties the list. ``requests``: how many
    are in flight at once; ``mode``: how the server is asked; ``begins``: texts have a BOS token, so
    that the first token has a probability; ``window``: the pairs that are asked for together, and
    kept.
    """

    server: Server
    name: str
    requests: int = 8
    mode: str = "echo"
    begins: bool = True
    longest: int = 1 << 30
    window: int = 1024
    word_level: bool = False
    vocabulary: Container[str] = ()
    tell: Tell = lambda share: None
    _values: list[float] = field(default_factory=list)
    _known: dict[str, Encoded] = field(default_factory=dict)

    @property
    def bos(self) -> str:
        """How a signature names the BOS token."""
        return "server" if self.begins else "server-none"

    def encode(self, texts: Sequence[str], offsets: bool = True) -> list[Encoded]:
        """Return texts as the server tokenises them; ask for each distinct text once."""
        fresh = [text for text in dict.fromkeys(texts) if text and text not in self._known]
        for text, pieces in zip(fresh, self.ask(fresh), strict=True):
            tokens = self.place(text, pieces)
            first = len(self._values)
            self._values += [value for _, _, value in tokens]
            ids = list(range(first, len(self._values)))
            self._known[text] = Encoded(text, ids, [(start, stop) for start, stop, _ in tokens])
        return [self._known.get(text) or Encoded(text, [], []) for text in texts]

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

    def ask(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the tokens of each text with their log probabilities; raise InputError."""
        batches = [list(texts[n : n + PROMPTS]) for n in range(0, len(texts), PROMPTS)]
        options = {"model": self.name, "temperature": 0, **_MODES[self.mode]}
        bodies = [{**options, "prompt": batch} for batch in batches]
        found: list[list[Piece]] = []
        with ThreadPoolExecutor(self.requests) as pool:
            ask = partial(self.server.ask, "completions")
            # the loop alone holds the answers: where it ends early, what waits is not sent
            for batch, answer in zip(batches, pool.map(ask, bodies), strict=True):
                found += self._pieces(answer, len(batch))
                self.tell(len(found) / len(texts))
        return found

    def _pieces(self, answer: Json, count: int) -> list[list[Piece]]:
        """Return the tokens of each choice of an answer, in the order of their indices."""
        try:
            choices = {choice["index"]: choice for choice in answer["choices"]}
            ordered = [choices[number] for number in range(count)]
            if len(answer["choices"]) != count:
                raise KeyError(count)
        except (KeyError, TypeError):
            what = f"does not give one answer to each of {count} prompts"
            raise self.server.lacks(what, str(answer)) from None
        try:
            read = _by_prompt if self.mode == "prompt_logprobs" else _by_echo
            pairs = [list(read(one)) for one in ordered]
            found = [[(str(t), None if v is None else float(v)) for t, v in some] for some in pairs]
        except (KeyError, TypeError, ValueError, AttributeError, StopIteration, OverflowError):
            raise self.server.lacks("returns no log probabilities of the prompt") from None
        return [pieces[:-1] for pieces in found] if self.mode == "echo with one token" else found

    def place(self, text: str, pieces: Sequence[Piece]) -> list[PlacedToken]:
        """Return where the tokens of a text are, without BOS; raise if they are not the text.

        Tokens that are parts of a character (``\ufffd``), or that the server does not name, stand
        between those that are found. One token after the end may have been generated.
        """
        own = pieces[self.begins :]
        self._check_values(own)
        said = "".join(token for token, _ in pieces)
        other = self.server.lacks("returns tokens that are not the text", said)
        out: list[PlacedToken] = []
        waiting: list[tuple[str, float]] = []
        place = 0
        for number, (token, value) in enumerate(own):
            if place == len(text) and not waiting and number == len(own) - 1:
                break
            known = np.nan if value is None else value
            if not token or BROKEN in token:
                waiting.append((token, known))
                continue
            if not out and not waiting and not text.startswith(token):
                token = token.removeprefix(" ")
            start = text.find(token, place) if waiting else place
            fits = not waiting or _may_be(text[place:start], waiting, not out)
            if not text.startswith(token, start) or not fits:
                raise other
            out += _between(text, place, start, waiting)
            out.append((start, start + len(token), known))
            place, waiting = start + len(token), []
        rest = text[place:]
        if (rest and not waiting) or (waiting and not _may_be(rest, waiting, not out)):
            raise other
        return out + _between(text, place, len(text), waiting)

    def _check_values(self, pieces: Sequence[Piece]) -> None:
        """Raise for log probabilities that are none; only the first may be missing."""
        values = [value for _, value in pieces if value is not None]
        wrong = {
            "null in place of a log probability": None in [v for _, v in pieces[not self.begins :]],
            "log probabilities that are not finite": not math.isfinite(sum(values)),
            "log probabilities above 0": any(value > 0 for value in values),
            "0.0 for every token of a prompt": len(values) > 1 and not any(values),
        }
        for what, holds in wrong.items():
            if holds:
                raise self.server.lacks(f"returns {what}")


def _by_echo(choice: Json) -> Iterable[tuple[object, Json]]:
    found = choice["logprobs"]
    return zip(found["tokens"], found["token_logprobs"], strict=True)


def _by_prompt(choice: Json) -> Iterable[tuple[object, Json]]:
    for entry in choice["prompt_logprobs"]:
        # vLLM does not name the first token
        one = next(iter(entry.values())) if entry else {"decoded_token": "", "logprob": None}
        yield one["decoded_token"], one["logprob"]


def _may_be(part: str, tokens: Sequence[tuple[str, float]], is_first: bool) -> bool:
    """Return whether tokens without their text may be a part of one.

    They hold parts of characters, or blanks; vLLM does not name the first token of a text.
    """
    unnamed = is_first and len(tokens) == 1 and not tokens[0][0]
    return bool(part) and (unnamed or not part.isascii() or part.isspace())


def _between(
    text: str, start: int, stop: int, tokens: Sequence[tuple[str, float]]
) -> list[PlacedToken]:
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


def open_server(model: str, requests: int = 8) -> ServerReader:
    """Return a reader of a model behind a server, after a check that it can score.

    ``model``: ``openai:http://HOST:PORT/v1#NAME``. The first way of asking is taken in which the
    server answers three sentences rightly, and differently. Raises :class:`InputError` that says
    what it lacks.
    """
    server = Server(model)
    reader = ServerReader(server, _name_of_model(server), requests)
    problems: list[RefusedError] = []
    for mode in _MODES:
        reader.mode = mode
        try:
            _try_probes(reader)
            return reader
        except RefusedError as error:
            if error.status not in (0, 400, 422, 501):
                raise
            problems.append(error)
    raise problems[0]


def _name_of_model(server: Server) -> str:
    """Return the name of the model; raise with those there are if it is not among them."""
    names: list[str] = []
    try:
        names = [server.without_key(str(entry["id"])) for entry in server.ask("models")["data"]]
    except (KeyError, TypeError, RefusedError) as error:
        if isinstance(error, RefusedError) and error.status not in (404, 405, 501):
            raise
    if server.model and (server.model in names or not names):
        return server.model
    if not server.model and len(names) == 1:
        return names[0]
    what = f"has no model {server.model!r}" if server.model else "has several models: name one"
    raise server.refused(f"{what} {candidates('models', names, server.model)}")


def _try_probes(reader: ServerReader) -> None:
    """Ask for all probes; raise where the answers cannot be scored."""
    answers = reader.ask(PROBES)
    (_, value), *rest = answers[0] or [("", 0.0)]
    said = "".join(token for token, _ in rest)
    reader.begins = value is None and said.startswith(PROBES[0])
    found = [reader.place(text, pieces) for text, pieces in zip(PROBES, answers, strict=True)]
    distinct = {tuple(round(value, 6) for _, _, value in tokens[1:]) for tokens in found}
    if len(distinct) < len(PROBES):
        raise reader.server.lacks("returns the same log probabilities for different sentences")
