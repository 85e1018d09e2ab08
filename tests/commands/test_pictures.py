"""Colours and bars in a terminal that has them; plain text elsewhere."""

from __future__ import annotations

import io

from rich.console import Console

from solecism.commands.list import Size, size_table
from solecism.commands.show import item_grid

SIZES = [
    Size("demo/a", "1.0.0", 2, 800),
    Size("demo/b", "1.0.0", 1, 100),
    Size("mined", "1.0.0", 3, None),
]


def printed(what: object, colours: bool) -> str:
    out = io.StringIO()
    system = "standard" if colours else None
    Console(file=out, width=80, force_terminal=colours, color_system=system).print(what)  # type: ignore[arg-type]
    return out.getvalue()


def test_sizes_have_bars_in_a_terminal() -> None:
    lines = printed(size_table(SIZES, 16), False).splitlines()
    assert lines[1].rstrip().endswith("800  " + "█" * 16)
    assert lines[2].rstrip().endswith("100  ██")
    assert "█" not in lines[3]
    assert max(map(len, lines)) <= 80


def test_good_and_bad_have_colours_and_differing_words_are_bold() -> None:
    sentences = {"sentence_good": "The dog sleeps.", "sentence_bad": "The dog sleep."}
    item = {"id": "4c8b6338b5152a13", **sentences, "features": {}}
    plain, coloured = (printed(item_grid("pair", 1, item), colours) for colours in (False, True))
    assert "The dog [sleeps]." in plain
    assert "\x1b" not in plain
    assert "\x1b[32m The dog \x1b[0m\x1b[1;32m[sleeps]\x1b[0m" in coloured
    assert "\x1b[31m*The dog \x1b[0m\x1b[1;31m[sleep]\x1b[0m" in coloured
