"""The data set blimp-pt: each guard of the inventory has a sentence that must not be drawn."""

import re

import pytest

from drawing import (
    Pairs,
    check_barred,
    check_patterns,
    check_values_differ,
    lemmas_of,
    pairs_of,
    slot_of,
    value_of,
)
from release import CHECKOUT

LEXICON = CHECKOUT / "lexicons" / "pt"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-pt", "pt")


CLITIC = "(me|nos|o|a|os|as|lhe)"


@pytest.mark.parametrize(
    ("uid", "good", "bad"),
    [
        # "Encontrou-se" after não is written in Brazil: never se.
        ("clitic_after_negation", rf" (não|nunca) {CLITIC} \w+", r" (não|nunca) \w+-(?!se)\w+"),
        ("clitic_after_negative_subject", rf"^(Ninguém|Nada|Nenhuma? \w+) {CLITIC} ", r" ?\w+-(?!se)\w+"),
        # "Tinha me ajudado" is good in Brazil: the pronoun is behind the participle.
        ("no_clitic_on_participle", rf" (não|nunca) {CLITIC} tinha ", r" tinha \w+-(?!se)\w+"),
        ("clitic_after_wh", r"^Quem (me|nos) \w+ .*\?$", r"^Quem \w+-(me|nos) .*\?$"),
        # "Não o contou, o segredo": what is told is plural.
        ("dative_clitic", r" não lhe \w+", r" não o \w+ [oa]?\w*s "),
        # "A gente", "tu", "você" have other verbs.
        ("subject_verb_person", r"^(Eu|Nós|Ele|Ela) ", r"^(Eu|Nós|Ele|Ela) "),
        # "Eu se, nós se" is heard: the bad one is me, nos.
        ("reflexive_person", r" (se|nos|me) \w+", r" (me|nos) \w+"),
        ("binding_domain", r" se \w+ a si própri[oa]\.$", r" se \w+ a si própri[oa]\.$"),
        ("principle_A_c_command", r" se \w+ a si própri[oa]\.$", r" se \w+ a si própri[oa]\.$"),
        # "Gastou nada" is emphatic in Brazil, nobody is not.
        ("negative_concord_person", r" não \w+ ninguém ", r" (já|também|ontem|hoje) \w+ ninguém "),
        # "Para eu ler" is good: the sentence, or its phrase, ends.
        ("pronoun_after_preposition", r" (para|por|sem|sobre|contra) mim\.$", r" eu\.$"),
        ("fused_pronoun", r" comigo\b", r" com mim\b"),
        # "A casa de quem falei" is of somebody: com and em alone.
        ("people_relative", r" (com|em) que ", r" (com|em) quem "),
        ("possessive_relative_agreement", r" cuj[oa] ", r" cuj[oa] "),
        # Regular future subjunctives are infinitives.
        ("future_subjunctive_if", r"^Se .*, ", r"^Se .*, "),
        # "Não sei se teria": whether; the condition has another clause behind it.
        ("condition_past", r"^Se .*sse(m)? .*, .*r[ií]a", r"^Se .*ria(m)? .*, .*r[ií]a"),
        # "É na mesa" is where it belongs: an hour that is over.
        ("estar_location", r"^(Ontem|Hoje) .* estava", r"^(Ontem|Hoje) .* era"),
        # "Quem a menina convidou, Marta": no name behind quem.
        ("wh_without_gap", r" que [oa] [a-zà-ú]+", r" quem [oa] [a-zà-ú]+"),
        # Portugal asks "de quem gosta a menina": é que is good in both.
        ("preposition_stranding", r"^(De|Em) quem é que ", r"^Quem é que .* (de|em)\?$"),
        ("left_branch_island_simple_question", r"^Quant[oa]s \w+ é que ", r"^Quant[oa]s é que "),
        # "Mais alta do que" has a que.
        ("comparative_que", r" que [^.]+\.$", r" (de|do|da) [^.]+\.$"),
        ("equative_como", r" tão .* como ", r" tão .* que "),
        ("infinitive_after_preposition", r" (sem|para|antes de|depois de) \w+r ", r" \w+ndo "),
        ("subjunctive_after_conjunction", r" (para|sem) que ", r" (para|sem) que "),
        # Muita before a singular adjective is slang in Portugal.
        ("degree_invariable", r"s muito \w+s\b", r"s muit[oa]s \w+s\b"),
        ("todo_agreement", r" tod[oa]s ", r" tod[oa]s "),
        ("floating_todo", r" (são|estão|eram) tod[oa]s ", r" (são|estão|eram) tod[oa]s "),
        ("auxiliary_ter", r" tinha \w+do ", r" era \w+do "),
        ("clausal_subject_gender", r"^É \w+ que ", r"^É \w+a que "),
        ("numeral_gender", r" (dois|duas) \w+", r" (dois|duas) \w+"),
        ("quantifier_number", r" cada \w+", r" cada \w+"),
        ("npi_scope", r"^(Nenhum|O |A )", r" que não "),
    ],
)  # fmt: skip
def test_sentences_have_one_reading(pairs: Pairs, uid: str, good: str, bad: str) -> None:
    check_patterns(pairs[uid], good, bad)


@pytest.mark.parametrize(
    ("uid", "barred"),
    [
        # "O patrão voltou cansada": said of women, too.
        ("depictive_agreement", {"meninas": ["said_of_women"]}),
        ("object_predicate_agreement", {"menina": ["said_of_women"]}),
        # "Foi pago, foi pagado": two participles.
        ("participle_in_passive", {"escrita": ["two_participles"]}),
        ("participle_with_ter", {"dormido": ["two_participles"]}),
        # A form of another verb is good with another person.
        ("subject_verb_person", {"leio": ["homographs"]}),
        ("indicative_clause", {"dorme": ["homographs"]}),
        # "Confia em Lara": places.
        ("object_de", {"vizinho": ["place_names"]}),
        ("object_com", {"vizinho": ["place_names"]}),
    ],
)  # fmt: skip
def test_words_of_another_reading_are_barred(
    pairs: Pairs, uid: str, barred: dict[str, list[str]]
) -> None:
    for name, groups in barred.items():
        for group in groups:
            check_barred(LEXICON, group, pairs[uid], name)


@pytest.mark.parametrize(
    ("uid", "first", "second", "feature"),
    [
        # The bad form has the value of the noun between, or of the subject.
        ("subject_verb_agreement_attractor", "tia", "meninos", "Number"),
        ("distractor_agreement_relative_clause", "vizinho", "meninas", "Number"),
        ("predicate_adjective_attractor", "camisa", "menino", "Gender"),
        ("participle_in_passive", "carta", "vizinho", "Gender"),
        ("object_predicate_agreement", "barulho", "menina", "Gender"),
        ("binding_domain", "menina", "vizinho", "Gender"),
        ("possessive_relative_agreement", "vizinho", "irmã", "Gender"),
    ],
)
def test_another_noun_has_the_value_of_the_bad_form(
    pairs: Pairs, uid: str, first: str, second: str, feature: str
) -> None:
    check_values_differ(pairs[uid], first, second, feature)


def test_a_plural_subject_has_a_verb_that_speech_keeps(pairs: Pairs) -> None:
    """*As primas vive perto* is heard in Brazil (p4): plural subjects have the preterite."""
    for uid, name, verb in (
        ("distractor_agreement_relative_clause", "vizinho", "vive"),
        ("subject_verb_agreement_attractor", "tia", "vive"),
    ):
        plural = [row for row in pairs[uid] if value_of(slot_of(row, name), "Number") == "Plur"]
        assert plural
        assert {value_of(slot_of(row, verb), "Tense") for row in plural} == {"Past"}


@pytest.mark.parametrize(
    ("uid", "name", "barred"),
    [
        # "A caixa, o caixa": two meanings. "Pintou a óleo" has a preposition.
        (
            "article_gender",
            "chave",
            "capital caixa rádio lente guia cabeça óleo lápis óculos banana laranja mala",
        ),
        (
            "numeral_gender",
            "mesas",
            "capital caixa rádio lente guia cabeça lápis óculos banana laranja mala",
        ),
        # "Comprou barato": adverbs; "um curto": nouns.
        ("attributive_adjective_gender", "moderna", "barato caro curto alto baixo médio"),
        ("predicate_adjective_attractor", "branca", "barato caro médico claro"),
        ("clausal_subject_gender", "necessário", "certo seguro preciso estranho lógico"),
        # "Muita cara": a face.
        ("degree_invariable", "bonitas", "caro doce meio bastante"),
        # "Esperança de, medo a": other prepositions are heard.
        ("infinitive_with_a", "ajudou", "aprender começar continuar voltar"),
        ("infinitive_with_de", "gosta", "acabar parar deixar lembrar esquecer"),
        ("object_com", "conta", "sonhar casar falar"),
        ("object_em", "confia", "pensar"),
        ("subjunctive_clause", "exigiu", "querer permitir esperar"),
    ],
)
def test_words_that_another_variety_allows_are_out(
    pairs: Pairs, uid: str, name: str, barred: str
) -> None:
    words = lemmas_of(pairs[uid], name)
    assert words
    assert not words & set(barred.split())


def test_future_subjunctives_are_no_infinitives(pairs: Pairs) -> None:
    """*Se a Ana dormir* (p9): of regular verbs the two are one form."""
    for row in pairs["future_subjunctive_if"]:
        verb = slot_of(row, "fizer")
        assert verb["form"] != verb["lemma"], row["sentence_good"]


def test_no_word_of_one_country(pairs: Pairs) -> None:
    """p5 and p3: spellings and words of Brazil or Portugal alone, and the persons that differ."""
    barred = (
        r"\b(fato|facto|ônibus|autocarro|trem|comboio|celular|telemóvel|geladeira|frigorífico|econômic\w+|económic\w+"
        r"|bebê|bebé|Antônio|António|conosco|connosco|tu|você|vocês|vós|ti|contigo|gente)\b"
    )
    for uid, rows in pairs.items():
        for row in rows:
            found = re.search(barred, row["sentence_good"], re.IGNORECASE)
            assert not found, (uid, row["sentence_good"])
