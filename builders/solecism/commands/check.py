"""``solecism check``: run the coded checks and print what they find."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from solecism.check.finding import Level
from solecism.check.run import check_paths
from solecism.root import Root

__all__ = ["check_and_report"]

_STYLES: dict[Level, str] = {"error": "red", "warning": "yellow", "note": "dim"}


def check_and_report(root: Root, paths: Sequence[str], as_json: bool, console: Console) -> bool:
    """Print every finding and a summary; tell whether there was an error."""
    findings = check_paths(paths, root.path)
    for finding in findings:
        text = json.dumps(finding.to_json(), ensure_ascii=False) if as_json else str(finding)
        console.print(Text(text, style="" if as_json else _STYLES[finding.level]), soft_wrap=True)
    counts = Counter(finding.level for finding in findings)
    if not as_json:
        console.print(", ".join(f"{counts[level]} {level}s" for level in _STYLES))
    return counts["error"] > 0
