"""The signature of a figure: all that it depends on, in one line, after sacrebleu (Post 2018, section 4)."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from solecism.errors import fail
from solecism.version import __version__

__all__ = ["Signature", "environment", "parse_signature"]

_HASH = re.compile(r"^((?:sha256-)?[0-9a-f]{12})[0-9a-f]+$")
_ESCAPES = {"%": "%25", "|": "%7C", "\n": "%0A"}


@dataclass(frozen=True)
class Signature:
    """What a figure depends on; its text is as
    ``acc|data:clams@1.0.0#4f3a9c1e|cfg:he|score:sentence|bos:auto|model:gpt2@607a30d|dtype:float32|solecism:0.1.0``.

    ``digest`` and ``revision`` may be empty (then ``#`` and ``@`` are left out). The digest is cut to 8
    characters, a revision that is a hash (``607a30d783df...``, ``sha256-88357...``) to 12 hexadecimal digits, a
    branch or tag stands whole. ``options`` are whatever else a method depends on (``bos``, ``limit``, ...).
    """

    data: str
    version: str
    digest: str
    config: str
    method: str
    model: str
    revision: str = ""
    dtype: str = "float32"
    options: Mapping[str, str] = field(default_factory=dict)
    tool: str = __version__

    def __str__(self) -> str:
        parts = {
            "data": f"{_joined(self.data, '@', self.version)}{'#' * bool(self.digest)}{self.digest[:8]}",
            "cfg": self.config,
            "score": self.method,
            **dict(sorted(self.options.items())),
            "model": _joined(self.model, "@", _HASH.sub(r"\1", self.revision)),
            "dtype": self.dtype,
            "solecism": self.tool,
        }
        return "|".join(["acc", *(f"{key}:{_escape(value)}" for key, value in parts.items())])

    def to_json(self) -> dict[str, Any]:
        """The parts in full, for a result's ``run``."""
        return {
            "data": self.data, "version": self.version, "digest": self.digest, "config": self.config,
            "method": self.method, "model": self.model, "revision": self.revision,
            "dtype": self.dtype, "options": dict(sorted(self.options.items())), "solecism": self.tool,
        }  # fmt: skip


def _joined(name: str, mark: str, rest: str) -> str:
    return f"{name}{mark}{rest}" if rest else name


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(c, c) for c in text)


def _unescape(text: str) -> str:
    for plain, escaped in reversed(_ESCAPES.items()):
        text = text.replace(escaped, plain)
    return text


def parse_signature(text: str) -> dict[str, str]:
    """Take a signature apart: ``{"metric": "acc", "data": "clams@1.0.0#4f3a9c1e", "cfg": "he", ...}``.

    Raises :class:`InputError` where a part is not ``key:value``.
    """
    metric, *parts = text.split("|")
    pairs = [part.partition(":") for part in parts]
    wrong = [key for key, colon, _ in pairs if not colon or not key]
    if wrong or not parts:
        raise fail(f"{text!r} is no signature: {wrong[0] if wrong else metric!r} is not key:value")
    return {"metric": metric, **{key: _unescape(value) for key, _, value in pairs}}


def environment(device: str, dtype: str, seconds: float, sentences: int) -> dict[str, Any]:
    """What a run ran on; ``seconds`` of wall time for ``sentences`` (two for a pair) scored in this run."""
    names = ("torch", "transformers", "tokenizers", "numpy", "pyarrow")
    return {
        "python": platform.python_version(),
        **{name: _version(name) for name in names},
        "solecism": __version__,
        "platform": platform.platform(),
        "device": device,
        "dtype": dtype,
        "seconds": round(seconds, 3),
        "sentences_per_second": round(sentences / seconds, 1) if seconds > 0 else None,
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
