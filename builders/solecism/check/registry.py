"""The table of all checks (code, level, function), and the page ``docs/checks.md`` made from it.

A check is a function. The first paragraph of its docstring is the message, the rest says what to do
(after wn's ``validate``: https://github.com/goodmami/wn).
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from solecism.check import lexicons, pairs, suites, templates
from solecism.check.finding import Finding, Hit, Level, hits
from solecism.check.pairs import Flags, PairBatch
from solecism.check.suites import SuiteBatch
from solecism.grammar.paradigm import Counts, Paradigm

__all__ = [
    "BOUND_CHECKS", "CHECKS", "COUNT_CHECKS", "DRAFT_CHECKS", "ITEM_CHECKS", "LEXICON_CHECKS",
    "READING_CHECKS", "SUITE_CHECKS", "Check", "render_docs",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., object], covariant=True)


@dataclass(frozen=True)
class Check(Generic[F]):
    """One check. ``code`` never changes its meaning; ``function`` carries message and advice, or
    ``text`` has them."""

    code: str
    level: Level
    function: F
    text: str = ""

    @property
    def message(self) -> str:
        """A sentence about what is wrong, without its full stop."""
        return " ".join(self._parts[0].split()).rstrip(".")

    @property
    def advice(self) -> str:
        """Some sentences about what to do."""
        return " ".join(self._parts[2].split())

    @property
    def _parts(self) -> tuple[str, str, str]:
        return inspect.cleandoc(self.text or self.function.__doc__ or "").partition("\n\n")

    def finding(self, hit: Hit) -> Finding:
        """Return the finding that a hit is."""
        return Finding(self.code, self.level, f"{self.message}: {hit.detail}", hit.path, hit.line)


READING_CHECKS = {
    "L001": """A lexicon table cannot be read.

        Correct what is named: the header, a cell, the encoding (`docs/formats.md`, Lexicon tables).
        """,
    "L002": """The hierarchy of classes cannot be read.

        Every parent must be a class with a line of its own, and no class may be below itself
        (`docs/formats.md`, classes.tsv).
        """,
    "L003": """The spelling rules cannot be read.

        Correct the rule that is named (`docs/formats.md`, Orthography).
        """,
    "T001": """A template cannot be read.

        Correct the front matter or the line that is named (`docs/formats.md`, Templates).
        """,
    "T002": """The macros of a language cannot be read.

        Correct `_phrases.jinja`; the templates of the language are not checked further until then.
        """,
    "T003": """A template does not fit the lexicon.

        It names a slot, macro, table, column or value that does not exist, or no word fits.
        """,
    "T004": """No items can be drawn from a template.

        A form is ambiguous or missing, or the words allow fewer items than `draw` wants.
        """,
    "T014": """A template holds characters that cannot be seen.

        Remove control characters (but tabs), direction marks, zero-width and private-use
        characters; the file is not read until then. The joiners that Persian and Indic scripts need
        may follow a letter.
        """,
}
"""What is said of problems that a reader or a draw raises, by code."""

LEXICON_CHECKS: tuple[Check[Callable[[lexicons.Tables], Iterator[Hit]]], ...] = (
    Check("L004", "error", lexicons.unknown_class),
    Check("L005", "error", lexicons.unknown_upos),
    Check("L006", "warning", lexicons.rare_value),
    Check("L007", "warning", lexicons.column_near_feature),
    Check("L008", "warning", lexicons.table_without_words),
    Check("L009", "warning", lexicons.empty_column),
    Check("L010", "warning", lexicons.form_missing),
    Check("L011", "warning", lexicons.lemma_unlike_forms),
    Check("L012", "warning", lexicons.same_forms),
    Check("L013", "error", lexicons.mixed_scripts),
    Check("L014", "error", lexicons.invisible_characters),
    Check("L015", "warning", lexicons.idle_rule),
)
"""Of the tables of a language."""

DRAFT_CHECKS: tuple[Check[Callable[[templates.UnboundTemplate], Iterator[Hit]]], ...] = (
    Check("T005", "error", templates.unknown_source),
    Check("T006", "warning", templates.nothing_said),
    Check("T007", "warning", templates.differs_from_siblings),
    Check("T008", "warning", templates.attractors_without_controller),
    Check("T015", "warning", templates.long_list),
    Check("T016", "warning", templates.still_the_example),
)
"""Of a template as written."""

BOUND_CHECKS: tuple[Check[Callable[[Paradigm], Iterator[Hit]]], ...] = (
    Check("T009", "error", templates.idle_slot),
    Check("T010", "error", templates.unprinted_slot),
    Check("T011", "warning", templates.too_large),
    Check("T012", "warning", templates.idle_clause),
    Check("T013", "note", templates.idle_selection),
    Check("T017", "warning", templates.free_feature),
)
"""Of a template bound to its lexicon."""

ITEM_CHECKS: tuple[Check[Callable[[PairBatch], Flags]], ...] = (
    Check("I001", "error", pairs.duplicate_id),
    Check("I002", "error", pairs.duplicate_pair),
    Check("I003", "error", pairs.good_is_bad),
    Check("I004", "error", pairs.good_and_bad),
    Check("I005", "warning", pairs.several_words_differ),
    Check("I006", "error", pairs.lemma_twice),
    Check("I007", "warning", pairs.not_printed),
    Check("I008", "error", pairs.span_wrong),
    Check("I010", "error", pairs.not_nfc),
    Check("I011", "error", pairs.bad_spacing),
    Check("I012", "error", pairs.no_final_mark),
    Check("I013", "error", pairs.no_capital),
    Check("I014", "error", pairs.mixed_letters),
    Check("I017", "error", pairs.unwanted_words),
    Check("I018", "warning", pairs.other_word),
    Check("I019", "error", pairs.stray_characters),
)
"""Of the pairs of a paradigm, batch by batch."""

SUITE_CHECKS: tuple[Check[Callable[[SuiteBatch], list[bool]]], ...] = (
    Check("I101", "error", suites.same_id),
    Check("I102", "error", suites.item_twice),
    Check("I103", "error", suites.conditions_equal),
    Check("I104", "error", suites.prediction_unreadable),
    Check("I105", "error", suites.region_wrong),
    Check("I106", "error", suites.always_a_tie),
    Check("I107", "warning", suites.target_without_control),
    Check("I108", "warning", suites.several_places_differ),
    Check("I109", "error", suites.badly_written),
    Check("I110", "error", suites.unwanted_conditions),
)
"""Of the items of a suite, batch by batch."""

COUNT_CHECKS: tuple[Check[Callable[[Counts], Iterator[str]]], ...] = (
    Check("I015", "warning", pairs.mostly_left_out),
    Check("I016", "note", pairs.left_out),
)
"""Of the counts of a draw."""

CHECKS: dict[str, Check[Callable[..., object]]] = {
    check.code: check
    for table in (
        tuple(Check(code, "error", hits, text) for code, text in READING_CHECKS.items()),
        LEXICON_CHECKS,
        DRAFT_CHECKS,
        BOUND_CHECKS,
        ITEM_CHECKS,
        SUITE_CHECKS,
        COUNT_CHECKS,
    )
    for check in table
}
"""All checks by code."""

_SECTIONS = {"L": "Lexicons", "T": "Templates", "I": "Items"}

_HEAD = """\
# Check codes

<!-- Made from the docstrings of the checks; do not edit. To make it anew:
     python -c "from solecism.check.registry import render_docs; print(render_docs(), end='')" -->

`solecism check` looks for mistakes in lexicons (`L`), templates (`T`) and the items drawn from
them (`I`). An **error** means that the data are wrong; a **warning**, that something is probably
not meant; a **note** is for information. Codes keep their meaning.
"""


def render_docs() -> str:
    """Return the text of the page ``docs/checks.md``."""
    parts = [_HEAD]
    for letter, title in _SECTIONS.items():
        parts.append(f"## {title}\n")
        chosen = sorted(code for code in CHECKS if code[0] == letter)
        parts += [_entry(CHECKS[code]) for code in chosen]
    return "\n".join(parts)


def _entry(check: Check[Callable[..., object]]) -> str:
    advice = "\n".join(textwrap.wrap(check.advice, 98, break_on_hyphens=False))
    return f"### {check.code} ({check.level})\n\n**{check.message}.**\n\n{advice}\n"
