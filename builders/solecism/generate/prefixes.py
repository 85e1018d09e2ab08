"""The columns of BLiMP's prefix methods, computed from the two lines of a pair."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from solecism.generate.bulk import Rendered
from solecism.generate.difference import Difference
from solecism.generate.layout import Value

__all__ = ["CRITICAL", "prefix_columns"]

CRITICAL = "critical"
"""The region that holds the word compared by the two-prefix method."""


def prefix_columns(difference: Difference, good: Rendered, bad: Rendered) -> dict[str, pa.Array]:
    """Compute the columns of the one- and two-prefix methods (Warstadt et al. 2020, section 6.4).

    Where both lines mark a region ``critical`` with the same words after different texts, the pair is one
    for the two-prefix method; else, where exactly one word differs after a shared text, for the one-prefix.
    """
    nothing = pa.nulls(len(bad), pa.string()), pa.nulls(len(bad), pa.string())
    critical = [_critical(side) or nothing for side in (good, bad)]
    same = pc.and_(
        pc.equal(critical[0][1], critical[1][1]), pc.not_equal(critical[0][0], critical[1][0])
    )
    two = pc.fill_null(same, False)
    one = pc.and_not(pa.array(difference.single & (difference.word > 0)), two)
    texts = {
        "one_prefix_prefix": (one, difference.prefix),
        "one_prefix_word_good": (one, difference.words(good=True)),
        "one_prefix_word_bad": (one, difference.words(good=False)),
        "two_prefix_prefix_good": (two, critical[0][0]),
        "two_prefix_prefix_bad": (two, critical[1][0]),
        "two_prefix_word": (two, critical[0][1]),
    }
    columns = {name: pc.if_else(mask, text, None) for name, (mask, text) in texts.items()}
    return {"one_prefix_method": one, "two_prefix_method": two, **columns}


def _critical(side: Rendered) -> tuple[pa.Array, pa.Array] | None:
    """The text before the critical words and these words, where the line marks them."""
    marked = [n for n, c in enumerate(side.chunks) if any(CRITICAL in v.regions for v in c.values)]
    if not marked:
        return None
    first, last = marked[0], marked[-1]
    before = side.texts(lambda value: value.text, slice(0, first))
    here = side.texts(_before_critical, slice(first, first + 1))
    word = side.texts(_critical_words, slice(first, first + 1))
    more = side.texts(_further_words, slice(first + 1, last + 1))
    prefix = pc.utf8_rtrim_whitespace(pc.binary_join_element_wise(before, here, ""))
    return prefix, pc.binary_join_element_wise(word, more, "")


def _before_critical(value: Value) -> str:
    return value.text[: value.regions[CRITICAL].start] if CRITICAL in value.regions else value.text


def _critical_words(value: Value) -> str:
    place = value.regions.get(CRITICAL)
    return value.text[place.start : place.stop] if place else ""


def _further_words(value: Value) -> str:
    return value.text[: value.regions[CRITICAL].stop] if CRITICAL in value.regions else ""
