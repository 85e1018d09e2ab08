"""The data set blimp-es: pronouns, government and selection. No wrong form is right elsewhere."""

import re
from collections import defaultdict
from typing import Any

import pytest

from drawing import Pairs, pairs_of
from release import CHECKOUT
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.orthography import tokenize
from solecism.lexicon.table import read_table

LEXICON = CHECKOUT / "lexicons" / "es"

Row = dict[str, Any]


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-es", "es")


def slot(row: Row, name: str) -> Row:
    """Return what a slot of a pair holds, with its features as a dictionary."""
    (found,) = [dict(slot) for slot in row["slots"] if slot["name"] == name]
    feats = (found["feats"] or "").split("|")
    return found | {"feats": dict(feat.split("=") for feat in feats if feat)}


def lemmas(rows: list[Row], name: str) -> set[str]:
    """Return the lemmas that a slot has."""
    return {slot(row, name)["lemma"] for row in rows}


@pytest.mark.parametrize(
    ("uid", "good", "bad"),
    [
        ("accusative_clitic", r"^¿Y \w+ \w+\? \w+ (la|las|los) ", r"^¿Y \w+ \w+\? \w+ les? "),
        ("dative_clitic", r" le ", r" lo "),
        # A fronted object (*esta carta le escribió Ana*) is right with le: never here.
        ("dislocation_clitic_gender", r"^\w+ \w+ las ", r"^\w+ \w+ los "),
        # *Ha lo dicho*, *la vista*: noun phrases, so never lo or la.
        ("clitic_before_auxiliary", r" (me|nos|los|las) ha ", r" ha (me|nos|los|las) "),
        # *Me se* is heard.
        ("clitic_order_first_person", r" (me|nos) l[oa]s? ", r" l[oa]s? (me|nos) "),
        ("se_before_accusative", r" se l[oa]s? ", r" le l[oa]s? "),
        # Behind a verb (*quiere lo ver*, *lo quiere ver*) the place is freer.
        (
            "clitic_after_infinitive",
            r" (sin|para) \w+[aeií]r(me|nos|l[oa]s?)\.$",
            r" (sin|para) (me|nos|l[oa]s?) \w+r\.$",
        ),
        # *La haz* is a noun phrase.
        (
            "clitic_after_imperative",
            r"^\w+, (el|ese|los|esos) \w+ [a-z]+los?\b",
            r"^\w+, (el|ese|los|esos) \w+ los? \w+\b",
        ),
        # *Solo a mí*, *a él*, *a mí y a ti* may stand alone.
        ("clitic_doubling_pronoun", r" me \w+ a mí\.$", r" (ya|también) \w+ a mí\.$"),
        # *Lo que* and *de los que* are about something else.
        ("relative_pronoun_gender", r" (en|del?) (la |el )?que ", r" (en|del?) (la |el )?que "),
    ],
)
def test_sentences_have_one_reading(pairs: Pairs, uid: str, good: str, bad: str) -> None:
    for row in pairs[uid]:
        assert re.search(good, row["sentence_good"]), row["sentence_good"]
        assert re.search(bad, row["sentence_bad"]), row["sentence_bad"]


@pytest.mark.parametrize(
    ("uid", "name", "wanted"),
    [
        # La, los for le are heard of women and of several people.
        ("dative_clitic", "niño", {"Gender": "Masc", "Number": "Sing"}),
        # *Lo dio, el libro*: the object said twice.
        ("dative_clitic", "flores", {"Number": "Plur"}),
        ("dislocation_clitic_gender", "cartas", {"Gender": "Fem", "Number": "Plur"}),
        ("dislocation_clitic_gender", "vecino", {"Gender": "Masc", "Number": "Sing"}),
        ("clitic_after_imperative", "dibujo", {"Gender": "Masc"}),
        ("personal_a", "tía", {"Animacy": "Anim", "Number": "Sing"}),
        ("no_a_with_thing", "camisa", {"Animacy": "Inan"}),
        ("object_de", "tía", {"Animacy": "Anim"}),
    ],
)
def test_words_have_the_features_that_close_a_reading(
    pairs: Pairs, uid: str, name: str, wanted: dict[str, str]
) -> None:
    for row in pairs[uid]:
        feats = slot(row, name)["feats"]
        assert {key: feats[key] for key in wanted} == wanted, row["sentence_bad"]


@pytest.mark.parametrize(
    ("uid", "name", "barred"),
    [
        # Le, les of people without a thing: scored, renewed, lapped, hung up on, stood up.
        ("accusative_clitic", "estrenó", "anotar renovar doblar colgar plantar cortar ganar"),
        # The bare object is right after these: *busca un médico*, *tiene dos hijos*.
        ("personal_a", "abrazó", "buscar querer tener necesitar elegir nombrar saludar invitar"),
        (
            "no_a_with_thing",
            "lavó",
            "seguir superar afectar mirar tocar llevar subir traducir doblar afinar",
        ),
        ("object_de", "acuerda", "pensar hablar soñar"),
        ("object_en", "confía", "pensar creer participar dudar"),
        ("object_a", "parece", "renunciar asistir acostumbrar"),
        ("infinitive_with_a", "obligó", "ir venir volver salir aprender enseñar invitar"),
        ("infinitive_with_de", "trató", "parar terminar deber aprender empezar volver"),
        ("possessive_relative_agreement", "hermana", "persona víctima"),
        ("relative_pronoun_gender", "caja", "maleta puente mano"),
        ("dislocation_clitic_gender", "cartas", "maleta pluma pelota"),
    ],
)
def test_no_verb_or_noun_has_a_further_use(pairs: Pairs, uid: str, name: str, barred: str) -> None:
    assert not lemmas(pairs[uid], name) & set(barred.split())


@pytest.mark.parametrize(
    ("uid", "first", "second"),
    [
        ("principle_A_c_command", "hermana", "pablo"),
        ("possessive_relative_agreement", "vecino", "hermana"),
    ],
)
def test_the_other_noun_has_the_other_gender(
    pairs: Pairs, uid: str, first: str, second: str
) -> None:
    for row in pairs[uid]:
        genders = {slot(row, name)["feats"]["Gender"] for name in (first, second)}
        assert genders == {"Masc", "Fem"}, row["sentence_bad"]


def difference(row: Row) -> tuple[str, str]:
    """Return the first word of the bad sentence that differs, and the word before it."""
    good, bad = row["tokens_good"].split(), row["tokens_bad"].split()
    place = next(i for i, (a, b) in enumerate(zip(good, bad, strict=False)) if a != b)
    return bad[place], bad[place - 1]


@pytest.mark.parametrize(
    ("uid", "name", "right"),
    [
        ("object_de", "acuerda", "de"),
        ("object_en", "confía", "en"),
        ("object_a", "parece", "a"),
    ],
)
def test_the_bad_preposition_is_one_that_the_verb_never_has(
    pairs: Pairs, uid: str, name: str, right: str
) -> None:
    wrong: dict[str, set[str]] = {}
    for verb in read_table(LEXICON / "verb.tsv").rows:
        if verb.properties["Preposition"] == right:
            bare = verb.lemma.partition("#")[0]
            wrong.setdefault(bare, set()).update(verb.properties["Wrong"].split(","))
    for row in pairs[uid]:
        preposition, _ = difference(row)
        plain = {"al": "a", "del": "de"}.get(preposition, preposition)
        assert plain in wrong[slot(row, name)["lemma"]], row["sentence_bad"]


@pytest.mark.parametrize("uid", ["object_en", "object_a", "infinitive_with_a"])
def test_no_noun_stands_before_a_wrong_de(pairs: Pairs, uid: str) -> None:
    """*Al profesor de nadar*, *la semana pasada de la reunión* are noun phrases."""
    before = {"siempre", "mucho", "menudo"}
    for verb in read_table(LEXICON / "verb.tsv").rows:
        before |= set(verb.forms.values())
    for row in pairs[uid]:
        assert difference(row)[1] in before, row["sentence_bad"]


def test_an_imperative_is_no_other_form(pairs: Pairs) -> None:
    """*Lo compra*, *lo di* and *lo ven* are right: he buys it, I gave it, they see it."""
    cells = defaultdict(set)
    for name in ("verb", "noun", "adj"):
        for row in read_table(LEXICON / f"{name}.tsv").rows:
            for cell, form in row.forms.items():
                cells[form].add(str(cell))
    for pair in pairs["clitic_after_imperative"]:
        (imperative,) = cells[slot(pair, "haz")["form"]]
        assert "Mood=Imp" in imperative


@pytest.mark.parametrize(
    ("words", "spelt"),
    [
        ("salió sin saludar -nos", "salió sin saludarnos"),
        ("vino para ver -las", "vino para verlas"),
        ("quiere quedar -se", "quiere quedarse"),
        ("está peinando -se y vistiendo -se", "está peinándose y vistiéndose"),
        ("sigue escribiendo -les y contando -les", "sigue escribiéndoles y contándoles"),
        ("pon -lo , propón -lo , rehaz -los", "ponlo, proponlo, rehazlos"),
        ("detén -los , pospón -la , deshaz -lo", "detenlos, posponla, deshazlo"),
    ],
)
def test_an_enclitic_is_written_with_its_verb(words: str, spelt: str) -> None:
    tokens = Lexicon(LEXICON).orthography.spell(tokenize(words))
    assert "".join(t.text if t.glued else f" {t.text}" for t in tokens).strip() == spelt
