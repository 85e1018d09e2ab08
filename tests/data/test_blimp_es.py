"""The data set blimp-es: sizes, spelling, and that no wrong form is the right one too."""

import re

import pytest

from drawing import Pairs, check_sizes, check_wrong_forms, forms_of, pairs_of, spelt_of
from release import CHECKOUT

LEXICON = CHECKOUT / "lexicons" / "es"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-es", "es")


def test_paradigms_are_whole_and_words_vary(pairs: Pairs) -> None:
    check_sizes(pairs, paradigms=48, words=2000)


@pytest.mark.parametrize(
    ("words", "spelt"),
    [
        ("va a el mercado de el pueblo", "va al mercado del pueblo"),
        ("habla de él con mí", "habla de él conmigo"),
        ("Ana y Inés , padre y hijo , agua y hielo", "Ana e Inés, padre e hijo, agua y hielo"),
        ("siete o ocho , uno o otro , mujer o hombre", "siete u ocho, uno u otro, mujer u hombre"),
        ("la agua de una alma , la casa", "el agua de un alma, la casa"),
        ("salió para comprar -lo", "salió para comprarlo"),
        ("está comprando -lo y comiendo -la", "está comprándolo y comiéndola"),
        ("está leyendo -las", "está leyéndolas"),
        ("haz -lo , mantén -lo , compón -las", "hazlo, mantenlo, componlas"),
        ("salió sin saludar -nos", "salió sin saludarnos"),
        ("vino para ver -las", "vino para verlas"),
        ("quiere quedar -se", "quiere quedarse"),
        ("está peinando -se y vistiendo -se", "está peinándose y vistiéndose"),
        ("sigue escribiendo -les y contando -les", "sigue escribiéndoles y contándoles"),
        ("pon -lo , propón -lo , rehaz -los", "ponlo, proponlo, rehazlos"),
        ("detén -los , pospón -la , deshaz -lo", "detenlos, posponla, deshazlo"),
    ],
)
def test_words_are_spelt_with_their_neighbours(words: str, spelt: str) -> None:
    assert spelt_of(LEXICON, words) == spelt


UNSPELT = (
    r"\b(?:a|de) el\b|\b[yY] h?i(?![ae])\w|\b[oO] h?o|\bcon (?:mí|ti|sí)\b|(?:^| )-|"
    r"\b(?:la|una) (?:agua|alma|área|águila|hacha|aula|arma)\b"
)


def test_no_sentence_breaks_a_rule_of_spelling(pairs: Pairs) -> None:
    for uid, rows in pairs.items():
        for row in rows:
            for side in ("sentence_good", "sentence_bad"):
                text = row[side]
                assert not re.search(UNSPELT, text), (uid, text)
                assert text.count("¿") == text.count("?"), (uid, text)
                assert text.count("¡") == text.count("!"), (uid, text)


def test_no_wrong_form_is_the_right_one_too(pairs: Pairs) -> None:
    """Where one word differs, the wrong form has no features that the right form has (g5)."""
    forms = forms_of(LEXICON, ("det", "adj", "verb", "aux", "pron", "pron.agreeing"))
    check_wrong_forms(pairs, forms, 10_000)


def test_no_subject_of_the_first_person_is_a_noun(pairs: Pairs) -> None:
    """*Los vecinos trabajamos* is good (g2): no verb in *-mos* but after *nosotros*."""
    plain = re.compile(r"\b\w+[aei]mos\b")
    for uid, rows in pairs.items():
        for row in rows:
            if not re.search(r"\b[Nn]osotr[oa]s\b", row["sentence_bad"]):
                found = set(plain.findall(row["sentence_bad"].lower()))
                assert found <= {"últimos", "próximos", "primos"}, (uid, row["sentence_bad"])
