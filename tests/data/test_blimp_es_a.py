"""The data set blimp-es, agreement: no bad sentence is good in another reading."""

import re
from typing import Any

import pytest

from drawing import Pairs, pairs_of, value_of
from release import CHECKOUT

GROUPS = CHECKOUT / "lexicons/es/typical/groups.tsv"

Slots = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-es", "es")


def slots_of(row: dict[str, Any]) -> Slots:
    """Return the words of a pair by the names of their slots."""
    return {slot["name"]: slot for slot in row["slots"]}


def group(name: str) -> set[str]:
    """Return the plain words of a group, without those of other groups."""
    lines = GROUPS.read_text(encoding="utf-8").splitlines()
    (words,) = [line.split("\t")[1] for line in lines if line.startswith(f"{name}\t")]
    return {word for word in words.split(", ") if word[0] not in "*-"}


@pytest.mark.parametrize(
    ("uid", "pattern"),
    [
        # "Ella y yo", "los vecinos trabajamos", "tú trabaja" (voseo).
        ("subject_verb_person", r"^(?:tú|vos|usted|ustedes|ellos|ellas|vosotros)\b"),
        # "Mi niña" may be whom one speaks to; "llegó unos paquetes" is heard.
        ("inverted_subject", r"\b(?:mi|mis|unos|unas)\b"),
        # Verbs that have an object, too: "subió los paquetes" has a silent subject.
        ("inverted_subject", r"\b(?:sub|entr|pas|empez|ca|volv|regres|salt|son)(?:ió|ó|yó)\b"),
        # Polished (Colombia), played a part.
        ("inverted_subject", r"\b(?:brill|actu)(?:ó|aron)\b"),
        # "El niño o la niña", "ni"; "la cría y el abuelo" begins with a pronoun and a verb.
        ("coordinated_subject", r"\b(?:o|u|ni|con)\b|^(?:la|las|los) "),
        # "Cada uno de los niños".
        ("each_singular", r"\bde l[oa]s\b"),
        # "Nosotros se" is heard, "nosotros te levantamos" is good.
        ("reflexive_person", r"^nosotr[oa]s (?:se|te|les?|l[oa]s?) "),
        # "Es lógica que" has a noun, "la necesaria que" a relative clause.
        ("clausal_subject_gender", r"^(?!es \w+a que )"),
        # "A sí mismo" doubles a clitic.
        ("binding_domain", r"\ba sí mism"),
        # "La casa es todo nueva" has an adverb.
        ("floating_todo", r"\b(?:todo|toda)\b"),
        # "Las niñas tienen escritas las cartas" is good.
        ("participle_with_haber", r"\b(?:tienen?|lleva[n]?)\b"),
        ("object_predicate_agreement", r"\b(?:loc[oa]s?|sol[oa]s?)\b"),
        ("depictive_agreement", r"\b(?:tranquil|rápid|junt|sol)[oa]s?\b"),
    ],
)
def test_no_bad_sentence_has_words_of_another_reading(pairs: Pairs, uid: str, pattern: str) -> None:
    for row in pairs[uid]:
        assert not re.search(pattern, row["tokens_bad"].lower()), row["sentence_bad"]


@pytest.mark.parametrize(
    ("uid", "name", "names"),
    [
        ("article_gender", "llave", ["two_genders", "also_adjectives"]),
        ("attributive_adjective_gender", "mesa", ["two_genders"]),
        ("attributive_adjective_gender", "antigua", ["noun_adjectives", "adverbial_adjectives"]),
        ("predicate_adjective_attractor", "camisa", ["two_genders"]),
        ("predicate_adjective_attractor", "gastada", ["noun_adjectives", "adverbial_adjectives"]),
        ("object_predicate_agreement", "nerviosa", ["adverbial_adjectives"]),
        ("depictive_agreement", "cansadas", ["adverbial_adjectives"]),
        ("depictive_agreement", "playa", ["two_genders"]),
        ("participle_in_passive", "carta", ["two_genders"]),
        ("participle_with_haber", "escrito", ["participle_nouns"]),
        ("floating_todo", "casas", ["two_genders"]),
        ("clausal_subject_gender", "necesario", ["noun_adjectives"]),
        ("numeral_plural", "libros", ["colours_and_flavours"]),
    ],
)
def test_no_word_of_a_trap_list_is_in_a_contrast(
    pairs: Pairs, uid: str, name: str, names: list[str]
) -> None:
    """*La documental* has a silent noun, *dos limón* are two ice creams, *canta bonito*."""
    words = {slots_of(row)[name]["lemma"] for row in pairs[uid]}
    for trap in names:
        assert not words & {word.partition("#")[0] for word in group(trap)}, (uid, trap)


@pytest.mark.parametrize(
    ("uid", "left", "right"),
    [
        # Two men may be one: "mi amigo y mi socio trabaja".
        ("coordinated_subject", "padre", "abuela"),
        ("predicate_adjective_attractor", "camisa", "niño"),
        ("object_predicate_agreement", "ruido", "niña"),
        ("participle_in_passive", "carta", "vecino"),
        ("binding_domain", "niña", "vecino"),
    ],
)
def test_the_two_nouns_are_of_two_genders(pairs: Pairs, uid: str, left: str, right: str) -> None:
    for row in pairs[uid]:
        slots = slots_of(row)
        genders = {value_of(slots[left], "Gender"), value_of(slots[right], "Gender")}
        assert genders == {"Masc", "Fem"}, row["sentence_bad"]


@pytest.mark.parametrize(
    ("uid", "name", "animacy"),
    [
        ("subject_verb_agreement_attractor", "maestra", "Anim"),
        ("distractor_agreement_relative_clause", "niñas", "Anim"),
        # A person without a is no object; a thing would be ("los libros que leen").
        ("inverted_subject_relative", "niña", "Anim"),
        ("inverted_subject_relative", "libros", "Inan"),
        ("each_singular", "niño", "Anim"),
        ("article_gender", "llave", "Inan"),
        # "La madre dejó contenta al niño": she is.
        ("object_predicate_agreement", "ruido", "Inan"),
    ],
)
def test_people_and_things_are_where_they_must(
    pairs: Pairs, uid: str, name: str, animacy: str
) -> None:
    for row in pairs[uid]:
        assert value_of(slots_of(row)[name], "Animacy") == animacy, row["sentence_bad"]


def test_a_wrong_adjective_is_not_said_of_another_noun(pairs: Pairs) -> None:
    """*La niña volvió del parque cansado*: a tired park; *Ana compró una mesa cansada*."""
    for row in pairs["depictive_agreement"]:
        slots = slots_of(row)
        if value_of(slots["niñas"], "Number") == "Sing":
            genders = {value_of(slots[name], "Gender") for name in ("niñas", "playa")}
            assert len(genders) == 1, row["sentence_bad"]
        assert value_of(slots["playa"], "Number") == "Sing"
    for row in pairs["attributive_adjective_gender"]:
        slots = slots_of(row)
        assert value_of(slots["ana"], "Gender") == value_of(slots["mesa"], "Gender"), row[
            "sentence_bad"
        ]


def test_no_participle_agrees_with_the_object(pairs: Pairs) -> None:
    """*Ha escrita la carta* is old Spanish."""
    for row in pairs["participle_with_haber"]:
        slots = slots_of(row)
        subject, thing = (
            (value_of(slots[name], "Gender"), value_of(slots[name], "Number"))
            for name in ("niñas", "carta")
        )
        assert subject != thing, row["sentence_bad"]


def test_no_third_person_has_a_verb_of_another_object(pairs: Pairs) -> None:
    """*Elena me levantó* is good; *nosotros me levantamos* is not."""
    seen = 0
    for row in pairs["reflexive_person"]:
        if not row["tokens_good"].startswith(("yo ", "nosotros ", "nosotras ")):
            assert slots_of(row)["se_quejó"]["lemma"] == "quejar"
            seen += 1
    assert seen > 300
