"""The data set blimp-es, pronouns, selection, mood ...: no wrong form is right elsewhere."""

from collections import defaultdict
from typing import Any

import pytest

from drawing import Pairs, check_lacks, check_patterns, group_of, lemmas_of, pairs_of, slot_of
from release import CHECKOUT
from solecism.lexicon.table import read_table

LEXICON = CHECKOUT / "lexicons" / "es"

Row = dict[str, Any]


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-es", "es")


def slot(row: Row, name: str) -> Row:
    """Return what a slot of a pair holds, with its features as a dictionary."""
    found = slot_of(row, name)
    feats = (found["feats"] or "").split("|")
    return found | {"feats": dict(feat.split("=") for feat in feats if feat)}


@pytest.mark.parametrize(
    ("uid", "good", "bad"),
    [
        (
            "accusative_clitic",
            r"^¿Y \w+ \w+\? (?:Mi )?\w+ (la|las|los) ",
            r"^¿Y \w+ \w+\? (?:Mi )?\w+ les? ",
        ),
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
    check_patterns(pairs[uid], good, bad)


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
        # "Fotografió Lara", "se enamoró en Lara": places.
        ("personal_a", "tía", "Lara Rafaela Nuria"),
        ("object_de", "tía", "Lara Rafaela Nuria"),
        ("object_a", "tía", "Lara Rafaela Nuria"),
        ("object_de", "acuerda", "pensar hablar soñar"),
        ("object_a", "parece", "renunciar asistir acostumbrar"),
        ("infinitive_with_a", "obligó", "ir venir volver salir aprender enseñar invitar"),
        ("infinitive_with_de", "trató", "parar terminar deber aprender empezar volver"),
        ("possessive_relative_agreement", "hermana", "persona víctima"),
        ("relative_pronoun_gender", "caja", "maleta puente mano"),
        ("dislocation_clitic_gender", "cartas", "maleta pluma pelota"),
        # *Deber de*, *necesitar de*.
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
    check_lacks(pairs[uid], name, barred)


def test_no_verb_with_a_bare_infinitive_is_wrong_with_one() -> None:
    """*Niega descanso*, *promete*, *deja dormir*, *olvida*.

    The verb of the bad side alone has no lemma in a pair, so its group is asked.
    """
    verbs = {lemma.partition("#")[0] for lemma in group_of(LEXICON, "never_bare")}
    assert not verbs & {"negar", "dejar", "olvidar", "prometer", "tener"}


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


@pytest.mark.parametrize(
    ("uid", "kin", "young"),
    [
        ("ser_noun", "médica", "pablo"),
        ("principle_A_c_command", "hermana", "pablo"),
        ("possessive_relative_agreement", "hermana", "vecino"),
        ("subject_verb_agreement_attractor", "maestra", "hijos"),
    ],
)
def test_a_child_has_no_grandchildren(pairs: Pairs, uid: str, kin: str, young: str) -> None:
    """*Él es el nieto del niño* is true of nobody."""
    pupils = group_of(LEXICON, "pupils")
    barred = {"hijo", "hija", "nieto", "nieta", "sobrino", "sobrina", "yerno", "nuera", "suegro"}
    assert barred & lemmas_of(pairs[uid], kin)
    for row in pairs[uid]:
        if slot_of(row, young)["lemma"] in pupils:
            assert slot_of(row, kin)["lemma"] not in barred, row["sentence_good"]


def difference(row: Row) -> tuple[str, str]:
    """Return the first word of the bad sentence that differs, and the word before it."""
    good, bad = row["tokens_good"].split(), row["tokens_bad"].split()
    place = next(i for i, (a, b) in enumerate(zip(good, bad, strict=False)) if a != b)
    return bad[place], bad[place - 1]


@pytest.mark.parametrize(
    ("uid", "name", "right"),
    [
        ("object_de", "acuerda", "de"),
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


@pytest.mark.parametrize("uid", ["object_a", "infinitive_with_a"])
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
    assert lemmas_of(pairs[uid], "ayer") <= set(wanted)


def test_a_negation_of_the_wrong_clause_has_the_same_words(pairs: Pairs) -> None:
    for row in pairs["npi_scope"]:
        good, bad = row["tokens_good"].split(), row["tokens_bad"].split()
        assert sorted(good) == sorted(bad)
