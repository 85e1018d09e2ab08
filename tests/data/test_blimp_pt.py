"""The data set blimp-pt: sizes, spelling, and that no wrong form is the right one too."""

import re

import pytest

from drawing import Pairs, check_sizes, check_wrong_forms, forms_of, pairs_of, spelt_of
from release import CHECKOUT

LEXICON = CHECKOUT / "lexicons" / "pt"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-pt", "pt")


def test_paradigms_are_whole_and_words_vary(pairs: Pairs) -> None:
    check_sizes(pairs, paradigms=45, words=2000)


@pytest.mark.parametrize(
    ("words", "spelt"),
    [
        ("o livro de o menino em a mesa", "o livro do menino na mesa"),
        ("a o menino , a a menina , a as meninas", "ao menino, à menina, às meninas"),
        ("por o parque e por as ruas", "pelo parque e pelas ruas"),
        ("de este lado , em aquela casa , a aquele vizinho", "deste lado, naquela casa, àquele vizinho"),
        ("gosta de ele e pensa em elas", "gosta dele e pensa nelas"),
        ("a mesa em a qual , o amigo a o qual", "a mesa na qual, o amigo ao qual"),
        ("veio com mim", "veio comigo"),
        ("quer comprar -lo e vender -la", "quer comprá-lo e vendê-la"),
        ("sem abrir -los nem construir -las", "sem abri-los nem construí-las"),
        ("vai pôr -lo , vai propor -la", "vai pô-lo, vai propô-la"),
        ("não viu -me , quer queixar -se", "não viu-me, quer queixar-se"),
        ("em um dia de uma semana", "em um dia de uma semana"),
    ],
)  # fmt: skip
def test_words_are_spelt_with_their_neighbours(words: str, spelt: str) -> None:
    assert spelt_of(LEXICON, words) == spelt


UNSPELT = (
    r"\b(?:de|em) (?:[oa]s?|est[ea]s?|ess[ea]s?|aquel[ea]s?|el[ea]s?|uma?)\b|\bpor [oa]s?\b|"
    r"\ba (?:[oa]s?|aquel[ea]s?)\b|\bcom (?:mim|nós)\b|(?:^| )-|r-l[oa]s?\b"
)


def test_no_sentence_breaks_a_rule_of_spelling(pairs: Pairs) -> None:
    """The bad side of fused_pronoun breaks one: *com mim* is the contrast."""
    for uid, rows in pairs.items():
        for row in rows:
            texts = [row["sentence_good"], row["sentence_bad"]]
            for text in texts[: 1 if uid == "fused_pronoun" else 2]:
                assert not re.search(UNSPELT, text, re.IGNORECASE), (uid, text)


def test_no_wrong_form_is_the_right_one_too(pairs: Pairs) -> None:
    """Where one word differs, the wrong form has no features that the right form has (g5)."""
    forms = forms_of(LEXICON, ("det", "adj", "verb", "aux", "pron", "pron.agreeing"))
    check_wrong_forms(pairs, forms, 10_000)
