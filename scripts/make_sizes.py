"""Write the table of sizes of CLAMS into docs/datasets.md, from the templates.

Usage: python scripts/make_sizes.py (the tests say when the page is stale).
"""

from __future__ import annotations

import re
from pathlib import Path

from solecism.datasets.from_templates import load_paradigms, templates_of_language
from solecism.files import write_text
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts, Paradigm
from solecism.root import Root

CHECKOUT = Path(__file__).resolve().parents[1]
PAGE = CHECKOUT / "docs" / "datasets.md"
LANGUAGES = ("en", "fr", "de", "he", "ru")
PAPER = {
    "simple_agrmt": (140, 280, 140, 140, 280),
    "vp_coord": (840, 980, 980, 980, 980),
    "long_vp_coord": (400, 500, 500, 500, 500),
    "subj_rel": (11_200, 11_200, 11_200, 11_200, 10_080),
    "obj_rel_within_anim": (11_200,) * 5,
    "obj_rel_across_anim": (11_200,) * 5,
    "prep_anim": (16_800, 14_000, 12_600, 5_600, 5_880),
}
"""The numbers of Table 6 of Mueller et al. (2020)."""


def sizes(language: str) -> dict[str, int]:
    """Return the number of minimal sets of each paradigm of a language."""
    root = Root(CHECKOUT)
    found = load_paradigms(root, "clams", templates_of_language(root, "clams", language))
    return {paradigm.template.id: _size(paradigm) for paradigm in found.values()}


def _size(paradigm: Paradigm) -> int:
    if paradigm.template.draw is not None:
        return paradigm.template.draw
    counts = Counts()
    for _ in draw_pairs(paradigm, 0, counts):
        pass
    return counts.sets


def table() -> str:
    """Return the table: ours / those of the paper, and the sum of the other paradigms."""
    ours = {language: sizes(language) for language in LANGUAGES}
    lines = [f"| UID | {' | '.join(LANGUAGES)} |", "|---|" + "---:|" * len(LANGUAGES)]
    for uid, theirs in PAPER.items():
        cells = (f"{ours[code][uid]:,} / {n:,}" for code, n in zip(LANGUAGES, theirs, strict=True))
        lines.append(f"| `{uid}` | {' | '.join(cells)} |")
    others = [sum(n for uid, n in ours[code].items() if uid not in PAPER) for code in LANGUAGES]
    lines.append(f"| others | {' | '.join(f'{n:,}' for n in others)} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the page with the table of today."""
    text = PAGE.read_text(encoding="utf-8")
    return re.sub(r"\| UID \| en .*?\n(?=\n)", table(), text, flags=re.S)


if __name__ == "__main__":
    write_text(PAGE, page())
