"""What may go wrong with a request."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from fake_hub.messages import Reply

__all__ = ["Fault"]

Kind = Literal["status", "drop", "lost", "cut", "silent", "stall", "drip", "spoil", "call", "after"]


@dataclass
class Fault:
    """A failure of requests that fit ``method`` and ``match`` (a pattern of the path).

    ``kind``: ``status`` answers with that status and does nothing; ``drop`` closes the connection
    and does nothing; ``lost`` does what is asked and closes the connection without an answer;
    ``cut`` closes it in the middle of the answer's body; ``silent`` does nothing and keeps the
    connection; ``stall`` falls silent in the middle of the answer's body; ``drip`` sends the body
    byte by byte, twenty a second; ``spoil`` sends what ``change`` makes of the answer; ``call`` and
    ``after`` only call ``action``: before the request is carried out, or after that (all others
    call it too, before). ``at``: which of the fitting requests from now, 0 is the next; None: all
    of them (``times`` at most).
    """

    kind: Kind = "status"
    at: int | None = 0
    status: int = 503
    match: str = ""
    method: str = ""
    times: int = 1
    action: Callable[[], None] = lambda: None
    change: Callable[[Reply], Reply] = lambda reply: reply
    hits: int = 0

    def strikes(self, method: str, path: str) -> bool:
        """Whether this request fails; counts it."""
        if self.times <= 0 or not re.search(self.match, path) or self.method not in ("", method):
            return False
        self.hits += 1
        if self.at is not None and self.hits - 1 != self.at:
            return False
        self.times -= 1
        return True
