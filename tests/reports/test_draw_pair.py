"""The picture of the README: a pair, its words, their surprisals."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from draw_pair import THEMES, picture, words_of
from release import CHECKOUT
from solecism.scoring.explanation import ExplainedPair, ExplainedSentence, ExplainedToken


def sentence(verb: str, bits: float) -> ExplainedSentence:
    tokens = (
        ExplainedToken("The", 4.0), ExplainedToken("aut", 8.0), ExplainedToken("hors", 1.5, starts_word=False),
        ExplainedToken(verb, bits), ExplainedToken("<", 2.0), ExplainedToken(".", 0.5, starts_word=False),
    )  # fmt: skip
    return ExplainedSentence(f"The authors {verb} <.", tokens)


PAIR = ExplainedPair(
    "0123", "simple", "agreement", "en", "clams/en", "models/tiny", "sentence",
    sentence("sleep", 3.25), sentence("sleeps", 6.25),
)  # fmt: skip


def test_tokens_are_added_up_to_words() -> None:
    words = words_of(PAIR.good)
    assert [word.text for word in words] == ["The", "authors", "sleep", "<."]
    assert sum(word.surprisal for word in words) == PAIR.good.surprisal


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_picture_marks_what_differs(theme: str) -> None:
    root = ElementTree.fromstring(picture(PAIR, theme))
    shown = [element for element in root.iter() if element.tag.endswith("}text")]
    bold = [element.text for element in shown if element.get("font-weight")]
    assert bold == ["sleep", "3.2", "sleeps", "6.2"]
    assert (shown[-1].text or "").endswith("19.2 and 22.2 in all: tiny")
    heights = [
        float(element.get("height", 0))
        for element in root.iter()
        if element.tag.endswith("}rect") and element.get("rx") == "2"
    ]
    assert len(heights) == 8
    assert max(heights) == heights[1]


def test_pictures_of_the_readme_say_what_the_text_says() -> None:
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    for theme in THEMES:
        drawn = (CHECKOUT / f"docs/pictures/pair-{theme}.svg").read_text(encoding="utf-8")
        assert ">6.2</text>" in drawn
        assert ">9.2</text>" in drawn
    assert "6.2 bits for is, 9.2 bits for are" in readme
