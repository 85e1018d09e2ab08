"""The data set blimp-es: selection, mood, negation, gaps. No wrong form is right elsewhere."""

import re
from typing import Any

import pytest

from drawing import Pairs, pairs_of
from release import CHECKOUT
from solecism.lexicon.table import read_table

LEXICON = CHECKOUT / "lexicons" / "es"

Row = dict[str, Any]


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-es", "es")


def lemmas(rows: list[Row], name: str) -> set[str]:
    """Return the lemmas that a slot has."""
    return {slot["lemma"] for row in rows for slot in row["slots"] if slot["name"] == name}


@pytest.mark.parametrize(
    ("uid", "good", "bad"),
    [
        # *En llegando* is old Spanish; a gerund that is no complement may stand anywhere.
        (
            "infinitive_after_preposition",
            r" (sin|para|antes de|después de) \w+r ",
            r" (sin|para|antes de|después de) \w+ndo ",
        ),
        # *Lleva dos horas leer el libro* is right: it takes two hours.
        ("gerund_after_estar", r" (está|estaba|sigue|seguía|continúa|continuaba) \w+ndo ", r"r "),
        # *Antes de que llegó* is heard in America, so not with antes de que.
        ("subjunctive_after_conjunction", r" (para|sin) que ", r" (para|sin) que "),
        # *No sé si venga* is right in Mexico: the condition stands first.
        ("condition_present", r"^Si .*, (nos|lo) ", r"^Si .*, (nos|lo) "),
        # *No la compra*, *no sal*: never without a noun behind it.
        (
            "negated_imperative",
            r"^\w+, no \w+s (el|la|los|las|es[aeo]s?) ",
            r"^\w+, no (haz|pon|rehaz|deshaz|detén|pospón|propón|expón) (el|la|los|las|es[aeo]s?) ",
        ),
        # *Marta, está la médica* has another subject, so no name; no place stands behind.
        ("ser_noun", r"^(Yo|Él|Ella|Ese|Esa) ", r"^(Yo|Él|Ella|Ese|Esa) .* de(l| la| )"),
        ("estar_location", r" (está|estaba)n? (en|debajo de)", r" (es|era|son|eran) (en|debajo)"),
        # *Saludó nada* may be a thing (nada), *a nadie* never is.
        ("negative_concord_person", r" no \w+ a nadie ", r" (ya|también) \w+ a nadie "),
        ("npi_scope", r" que siempre .* no \w+ a nadie ", r" que no .* siempre \w+ a nadie "),
        # The other way round is heard in Mexico; behind it the clause has nothing.
        ("tampoco_after_negation", r" no .* tampoco\.$", r" no .* también\.$"),
        # *De los que, de lo que, de dos* are right.
        ("comparative_que", r" (más|menos) \w+ que ", r" (más|menos) \w+ de(l| la| \w+)"),
        # *Quién, Marta, invitó* and *quién mi hija invitó* have a call in them: an article alone.
        ("wh_without_gap", r" que (el|la) \w+ \w+ a", r" quién (el|la) \w+ \w+ a"),
        # *Muy* has nothing else behind it.
        ("degree_muy", r" muy \w+\.$", r" mucho \w+\.$"),
        # *Tan alta que llega* has a verb.
        ("equative_como", r" tan \w+ como ", r" tan \w+ que (el |la |mi |nuestr[oa] )?\w+\.$"),
        # Sin, contra and sobre may end a sentence.
        (
            "preposition_stranding",
            r"^¿(Con|De|En|A|Por) quién ",
            r"^¿Quién .* (con|de|en|a|por)\?$",
        ),
    ],
)
def test_sentences_have_one_reading(pairs: Pairs, uid: str, good: str, bad: str) -> None:
    for row in pairs[uid]:
        assert re.search(good, row["sentence_good"]), row["sentence_good"]
        assert re.search(bad, row["sentence_bad"]), row["sentence_bad"]


@pytest.mark.parametrize(
    ("uid", "name", "barred"),
    [
        # "Denies herself rest"; deber de, necesitar de, prometer, dejar dormir, olvidarse.
        ("bare_infinitive", "trata", "negar dejar olvidar prometer tener"),
        ("bare_infinitive", "quiere", "deber necesitar"),
        # *Es mucho frío*, *es mucha mujer*: nouns.
        ("degree_muy", "caro", "frío dulce viejo joven médico mejor"),
        # *Los naranja*, *dos limón*: colours and flavours.
        ("determiner_number", "libros", "naranja rosa limón café chocolate"),
        ("quantifier_number", "libros", "naranja rosa limón café chocolate"),
        # In these the indicative is heard.
        ("subjunctive_clause", "quiere", "esperar decir alegrar sentir temer"),
        # Commands, wishes, doubts: the subjunctive is right.
        ("indicative_clause", "supo", "decir insistir gritar avisar recordar ver creer comprobar"),
        # Other verbs' forms: sale (salar), venda (vendar), venga (vengar), sienta (sentar).
        ("subjunctive_clause", "duerma", "salir ir venir mentir sentir"),
        ("indicative_clause", "duerme", "salir ir venir mentir sentir"),
        ("condition_present", "gana", "vender sentir creer sumar ver"),
        # *La foto es en la planta baja*, *el baile es en la plaza*.
        ("estar_location", "llaves", "foto cuadro entrada baile fiesta café pan sopa casa sala"),
        # *Celoso de, orgulloso de, responsable de* are right; nouns, too.
        ("comparative_que", "alta", "celoso orgulloso responsable enamorado desconfiado seguro"),
        # *La cría*: raises her.
        ("wh_without_gap", "niña", "doctora tutora asesora prima amiga"),
    ],
)
def test_no_verb_or_noun_has_a_further_use(pairs: Pairs, uid: str, name: str, barred: str) -> None:
    found = lemmas(pairs[uid], name)
    assert found
    assert not found & set(barred.split())


@pytest.mark.parametrize(
    ("uid", "mood"),
    [("subjunctive_clause", "Sub"), ("indicative_clause", "Ind"), ("condition_present", "Ind")],
)
def test_the_wrong_mood_is_never_the_right_one_of_another_verb(
    pairs: Pairs, uid: str, mood: str
) -> None:
    right = {
        form
        for verb in read_table(LEXICON / "verb.tsv").rows
        for cell, form in verb.forms.items()
        if f"Mood={mood}" in str(cell)
    }
    assert right
    for row in pairs[uid]:
        both = zip(row["tokens_good"].split(), row["tokens_bad"].split(), strict=True)
        (wrong,) = [bad for good, bad in both if good != bad]
        assert wrong not in right, row["sentence_bad"]


@pytest.mark.parametrize("uid", ["tense_adverb_past", "tense_adverb_future"])
def test_a_time_is_past_or_to_come(pairs: Pairs, uid: str) -> None:
    groups = dict(
        line.split("\t")
        for line in (LEXICON / "typical" / "groups.tsv").read_text("utf-8").splitlines()
        if not line.startswith("#")
    )
    wanted = groups["past_time" if uid.endswith("past") else "yet_to_come"].split(", ")
    assert lemmas(pairs[uid], "ayer") <= set(wanted)


def test_a_negation_of_the_wrong_clause_has_the_same_words(pairs: Pairs) -> None:
    for row in pairs["npi_scope"]:
        good, bad = row["tokens_good"].split(), row["tokens_bad"].split()
        assert sorted(good) == sorted(bad)
