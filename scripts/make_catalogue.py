"""Make the catalogue of treebanks and word lists from two indexes.

    python scripts/make_catalogue.py UD_INDEX UNIMORPH_INDEX --ud 2.18

Of treebanks alone ``solecism fetch agreement --ud 2.18 --index FILE`` does the same.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from solecism.treebank import origins
from solecism.treebank.pins import move_pins, unimorph_lines, write_lines

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Rewrite ``treebanks.jsonl`` and ``unimorph.jsonl``, and say what they have now."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("treebanks", type=Path, help="the index of UD's repositories")
    parser.add_argument("unimorph", type=Path, help="the index of UniMorph's repositories")
    parser.add_argument("--ud", required=True, metavar="RELEASE", help="as 2.18")
    given = parser.parse_args(arguments)
    pins = move_pins(given.treebanks, given.ud)
    lists = unimorph_lines(given.unimorph)
    write_lines(origins.LISTS, lists)
    print(f"UD {pins.release}: {len(pins.lines)} treebanks, {len(lists)} word lists")
    for what in ("added", "dropped", "moved", "unpinned", "closed"):
        print(f"{what}: {', '.join(getattr(pins, what)) or 'none'}")


if __name__ == "__main__":
    main()
