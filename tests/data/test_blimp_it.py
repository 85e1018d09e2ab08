"""The data set blimp-it: sizes, spelling, and that no wrong form is the right one too."""

import re

import pytest

from drawing import Pairs, check_sizes, check_wrong_forms, forms_of, pairs_of, spelt_of
from release import CHECKOUT

LEXICON = CHECKOUT / "lexicons" / "it"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-it", "it")


def test_paradigms_are_whole_and_words_vary(pairs: Pairs) -> None:
    check_sizes(pairs, paradigms=48, words=2000)


@pytest.mark.parametrize(
    ("words", "spelt"),
    [
        ("il studente e il zaino di il gnomo", "lo studente e lo zaino dello gnomo"),
        ("in il stagno di la scuola", "nello stagno della scuola"),
        ("il amico di la amica , la isola", "l'amico dell'amica, l'isola"),
        ("i amici di i studenti , le amiche di le zie", "gli amici degli studenti, le amiche delle zie"),
        ("un psicologo , un amico , una amica , una zia", "uno psicologo, un amico, un'amica, una zia"),
        ("quel specchio , quei alberi , quel albero", "quello specchio, quegli alberi, quell'albero"),
        ("quella isola , quei libri", "quell'isola, quei libri"),
        ("la iena , il hotel , a il hotel", "la iena, l'hotel, all'hotel"),
        ("nessun studente , nessun amico , alcun dubbio", "nessuno studente, nessun amico, alcun dubbio"),
        ("su il scaffale di il mio amico", "sullo scaffale del mio amico"),
        ("in la quale , a il quale , su le quali", "nella quale, al quale, sulle quali"),
        ("scrive a Anna e a Elena , padre e Elio", "scrive ad Anna e a Elena, padre ed Elio"),
        ("lo ha visto , me la ha data , li ha presi", "l'ha visto, me l'ha data, li ha presi"),
        ("vuole comprare -lo e proporre -la", "vuole comprarlo e proporla"),
        ("sta lavando -si , senza salutare -mi", "sta lavandosi, senza salutarmi"),
    ],
)  # fmt: skip
def test_words_are_spelt_with_their_neighbours(words: str, spelt: str) -> None:
    assert spelt_of(LEXICON, words) == spelt


VOWEL, CLUSTER = "[aeouàèéìòù]|i(?![aeou])", "s[bcdfgklmnpqrtvz]|z|gn|p[sn]"
UNSPELT = (
    rf"\b(?:a|di|da|in|su) (?:il|i|la|le|gli)\b|\b(?:il|i|un|quel|quei|[dns]?[ea]l|sul|dal) (?:{CLUSTER})|"
    rf"\b(?:il|i|la|una|quel|quella|del|al|dal|nel|sul|(?:d|n)?ella|alla|dalla|sulla) (?:{VOWEL})|"
    r"\ba a|\be [eè]|(?:^| )-"
)


def test_no_sentence_breaks_a_rule_of_spelling(pairs: Pairs) -> None:
    """The bad side of the two paradigms of the article breaks one on purpose."""
    for uid, rows in pairs.items():
        for row in rows:
            texts = [row["sentence_good"], row["sentence_bad"]]
            for text in texts[: 1 if uid.startswith("article_before") else 2]:
                assert not re.search(UNSPELT, text, re.IGNORECASE), (uid, text)


def test_no_wrong_form_is_the_right_one_too(pairs: Pairs) -> None:
    """Where one word differs, the wrong form has no features that the right form has (g5)."""
    forms = forms_of(LEXICON, ("det", "adj", "verb", "aux", "pron", "pron.agreeing"))
    check_wrong_forms(pairs, forms, 10_000)
