"""Run the commands of a section of a Markdown page as written, from the folder of the page.

``sh`` blocks are run by bash, ``python`` blocks by the Python of ``.venv``; the first failure ends
the run. Usage: python scripts/run_readme.py README.md "Quick start"
"""

import re
import subprocess
import sys
from pathlib import Path

_BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def section(text: str, title: str) -> str:
    """Return the text below a heading, up to the next heading of the same or a higher level."""
    pattern = rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,2}} |\Z)"
    match = re.search(pattern, text, re.MULTILINE | re.DOTALL)
    if match is None:
        raise SystemExit(f"there is no section {title!r}")
    return match[2]


def blocks(text: str) -> list[tuple[str, str]]:
    """Return the language and the text of each block that can be run."""
    return [(match[1], match[2]) for match in _BLOCK.finditer(text)]


def main(page: Path, title: str) -> None:
    """Run the blocks of a section."""
    folder = page.resolve().parent
    for language, source in blocks(section(page.read_text(encoding="utf-8"), title)):
        print(f"--- {language}\n{source}", flush=True)
        python = [str(folder / ".venv/bin/python"), "-c", source]
        command = python if language == "python" else ["bash", "-euo", "pipefail", "-c", source]
        subprocess.run(command, cwd=folder, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
