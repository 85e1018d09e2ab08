"""The changelog of a data set: a section a version, with lines made from a diff and notes of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from solecism.datasets.catalogue import is_version, parse_version
from solecism.files import locked, write_text
from solecism.hub.compare import ConfigDifference, Difference, Items
from solecism.inputs import read_text

__all__ = ["add_to_changelog", "lines_of", "with_section"]

_SECTION = re.compile(r"^## ([^\s:,]+).*$", re.MULTILINE)
_MADE = "<!-- made by `solecism diff`: write notes above this line -->"


def lines_of(difference: Difference) -> list[str]:
    """What changed, as the items of a Markdown list."""
    added = [f"new config `{n}` ({_items(rows)})" for n, rows in difference.added_configs.items()]
    removed = [f"config `{n}` removed ({_items(r)})" for n, r in difference.removed_configs.items()]
    changed = [f"`{c.name}`: {what}" for c in difference.configs for what in _changes(c)]
    lines = [*added, *removed, *changed]
    return lines or ["documents only; the items are the same"]


def _changes(config: ConfigDifference) -> Iterator[str]:
    for word, items in (("added", config.added), ("removed", config.removed)):
        if items.count:
            yield f"{_items(items.count)} {word}{_by(items)}"
    if config.changed.count:
        columns = ", ".join(f"`{name}`" for name in config.changed_columns)
        yield f"{_items(config.changed.count)} changed in {columns}{_by(config.changed)}"
    yield from _columns(config)
    if config.moved:
        yield "rows stand in another order or have other numbers"


def _columns(config: ConfigDifference) -> Iterator[str]:
    kinds: Mapping[str, tuple[str, ...]] = {
        "added": config.columns_added,
        "removed": config.columns_removed,
        "of another type": config.columns_retyped,
    }
    for word, columns in kinds.items():
        if columns:
            yield f"columns {word}: " + ", ".join(f"`{column}`" for column in columns)


def _items(count: int) -> str:
    return f"{count:,} item" + ("s" if count != 1 else "")


def _by(items: Items) -> str:
    """The paradigms concerned, the largest first."""
    if not items.by:
        return ""
    largest = sorted(items.by.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"`{name}` {count:,}" for name, count in largest[:10])
    return f" ({shown}{', ...' if len(largest) > 10 else ''})"


def add_to_changelog(path: Path, name: str, difference: Difference) -> None:
    """Write the new version's section; what a person wrote into it above the made lines stays."""
    with locked(path):
        old = read_text(path) if path.is_file() else f"# Changelog of `{name}`\n"
        write_text(path, with_section(old, difference.new_version, lines_of(difference)))


def with_section(text: str, version: str, lines: list[str]) -> str:
    """Put made lines into the section of a version, which is made where it lacks, newest first."""
    head, sections = _sections(text)
    notes = sections.get(version, "").partition(_MADE)[0].strip()
    made = "\n".join(f"* {line}" for line in lines)
    sections[version] = "\n\n".join(part for part in (notes, f"{_MADE}\n\n{made}") if part)
    newest = sorted(sections, key=parse_version, reverse=True)
    parts = (f"## {v}\n\n{sections[v].strip()}" for v in newest)
    return "\n\n".join([head.strip(), *parts]) + "\n"


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """The text above the first version, and each version's text."""
    heads = [match for match in _SECTION.finditer(text) if is_version(match[1])]
    starts = [*(match.start() for match in heads), len(text)]
    sections: dict[str, str] = {}
    for head, end in zip(heads, starts[1:], strict=True):
        above = sections.get(head[1], "")
        sections[head[1]] = f"{above}{text[head.end() : end]}"
    return text[: starts[0]], sections
