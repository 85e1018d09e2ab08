"""Every word that the released data sets can draw has a gloss."""

import pytest

from solecism.datasets.from_templates import load_paradigms, templates_of_language
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.suites import draw_suites
from solecism.root import installed_root


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name",
    [
        "blimp-de/de",
        "blimp-es/es",
        "blimp-fr/fr",
        "blimp-he/he",
        "blimp-it/it",
        "blimp-pl/pl",
        "blimp-pt/pt",
        "blimp-ru/ru",
        "blimp-uk/uk",
        "clams/de",
        "clams/fr",
        "clams/he",
        "clams/ru",
        "mandarin/zh",
    ],
)
def test_every_word_drawn_has_a_gloss(name: str) -> None:
    dataset, language = name.split("/")
    root = installed_root()
    templates = templates_of_language(root, dataset, language)
    paradigms = list(load_paradigms(root, templates).values())
    for paradigm in paradigms:
        drawn = draw_pairs(paradigm) if paradigm.template.is_pair else draw_suites(paradigm)
        assert sum(map(len, drawn))
    glosses = paradigms[0].phrases.lexicon.glosses
    assert glosses.expected
    assert not glosses.missing
