"""The tags, ids and links of an HTML page."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "br", "wbr", "hr", "img", "input", "source", "col"}
"""Tags that are never closed."""


class ParsedPage(HTMLParser):
    """A page: its tags with their attributes, and whether they are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open += [] if tag in VOID else [tag]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1:] == [tag]:
            self.open.pop()

    def values(self, *names: str) -> list[str]:
        """The values of attributes."""
        return [
            value for _, given in self.tags for n, value in given.items() if n in names and value
        ]

    @property
    def links(self) -> list[str]:
        return self.values("href", "src")
