"""The texts: eleven languages, nothing missing, every name filled in."""

import re
from pathlib import Path

import pytest

from people import made_study
from solecism.errors import InputError
from solecism.judge.page import has_texts, read_wording, texts_for
from solecism.judge.schema import DESIGNS
from tiny import edit

LANGUAGES = ["de", "en", "es", "fr", "he", "it", "pl", "pt", "ru", "uk", "zh"]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_whole(language: str, design: str) -> None:
    texts, english = texts_for(language, design), texts_for("en", design)
    assert set(texts) == {"consent.md", "instructions.md", "debriefing.md", "page.toml"}
    for name, text in texts.items():
        names = set(re.findall(r"\{(\w+)\}", text)) - {"language"}
        assert names == set(re.findall(r"\{(\w+)\}", english[name])) - {"language"}, name
        if name.endswith(".md"):
            assert text.startswith("# ")
            assert text.count("\n* ") == english[name].count("\n* ")
            assert text.count("**") % 2 == 0


def test_other_languages_get_english_texts() -> None:
    texts = texts_for("sw", "choice")
    assert texts["consent.md"] == texts_for("en", "choice")["consent.md"]
    assert 'language = "the language of the sentences"' in texts["page.toml"]
    assert not has_texts("sw")
    assert texts_for("zh-Hant", "choice") == texts_for("zh", "choice")


def test_names_are_filled_in(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study")
    parts, words = read_wording(study)
    for text in ("A University", f"about {study.minutes} minutes", f"{study.amount:.2f} EUR"):
        assert text in parts["consent"]
    assert "us@example.org" in words["download_why"]
    assert words["progress"] == "{done} of {total}"


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("consent.md", "{minutes}", "{minuts}", r"unknown name {minuts} \(did you mean 'minutes'"),
        ("page.toml", "agree =", "agre =", r"unknown key 'agre' \(did you mean 'agree'"),
        ("page.toml", 'yes = "Yes"', "yes = 1", "yes is 1, not a text"),
        ("page.toml", 'yes = "Yes"\n', "", "has no yes"),
    ],
)
def test_broken_texts_are_named(tmp_path: Path, file: str, old: str, new: str, said: str) -> None:
    study = made_study(tmp_path / "study")
    edit(tmp_path / "study/texts" / file, old, new)
    with pytest.raises(InputError, match=said) as caught:
        read_wording(study)
    assert file in str(caught.value)
