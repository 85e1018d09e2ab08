"""The data set blimp-it: each guard of the inventory has a sentence that must not be drawn."""

import pytest

from drawing import (
    Pairs,
    check_barred,
    check_patterns,
    check_values_differ,
    pairs_of,
    slot_of,
    value_of,
)
from release import CHECKOUT

LEXICON = CHECKOUT / "lexicons" / "it"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-it", "it")


@pytest.mark.parametrize(
    ("uid", "good", "bad"),
    [
        # "Lo, la" and "l'" say who is meant; "noi li ha" is heard of nobody.
        ("participle_after_clitic", r" li ha(nno)? \w+i ", r" li ha(nno)? \w+[ae] "),
        # "Il zio" is old, "il pneumatico" is said: s and a consonant alone.
        ("article_before_s", r"^(Lo|Uno) s[bcdfgklmnpqrtv]", r"^(Il|Un) s[bcdfgklmnpqrtv]"),
        ("article_before_consonant", r"^(Il|Un) (?!s[b-df-hj-np-tv-z]|z|gn|ps|pn)[b-z]", r"^(Lo|Uno) [b-z]"),
        # "Qualche città": no noun whose plural is spelt like it.
        ("qualche_singular", r" qualche \w+", r" qualche \w+"),
        # "Sono molte, alte" is of several: one thing or woman.
        ("degree_invariable", r" (è|era) molto \w+[ae]\.$", r" (è|era) molta \w+[ae]\.$"),
        # "Noi si troviamo" is heard; "Anna mi sveglia" has an object.
        ("reflexive_person", r"^(Io mi|(?!Noi).* si) ", r"^(Io si|(?!Noi).* mi) "),
        ("binding_domain", r" sé stess[oa]\.$", r" sé stess[oa]\.$"),
        ("principle_A_c_command", r" sé stess[oa]\.$", r" sé stess[oa]\.$"),
        # "Il cui" agrees with what is owned alone.
        ("possessive_relative_agreement", r" (il|la) cui ", r" (il|la) cui "),
        # "In che, per che" are said: di, con, a before a person.
        ("cui_after_preposition", r" (di|con|a) cui ", r" (di|con|a) che "),
        ("che_in_subject_relative", r" che \w+ ", r" cui \w+ "),
        # "Lo racconta, il segreto": the thing is plural. "L'ha" is either: no perfect.
        ("dative_clitic", r" gli (?!h)\w+ (due|tre|quattro|alcun|molt)", r" lo (?!h)\w+ "),
        # Tuscan gli and le as "them" have a participle in -i, -e.
        ("accusative_clitic", r" l'ha(nno)? \w+[oa] ", r" (gli|le) ha(nno)? \w+[oa] "),
        ("clitic_order_first_person", r" (me|ce) l[oaie'] ?", r" l[oaie'] ?(me|ce) "),
        ("clitic_vowel", r" (me|te|ce|ve) l", r" (mi|ti|ci|vi) l"),
        ("clitic_after_negation", r" non (mi|ci|l|li|le|lo|la)\b", r" (mi|ci|lo|la|li|le) non "),
        # "Ha le invitate" is a noun with its article.
        ("clitic_before_auxiliary", r" (li|mi|ci) ha", r" ha(nno)? (li|mi|ci) "),
        # "Per lo" is old; "viene a trovarmi, mi viene a trovare" are both good.
        ("clitic_after_infinitive", r" (per|senza) \w+r(mi|ci|li|le)\.$", r" (mi|ci|li|le) \w+re\.$"),
        ("ne_with_quantity", r"^Di .* ne ha ", r"^Di .* l[ie] ha "),
        ("no_ne_with_tutti", r" l[ie] ha .* tutt[ie] ", r" ne ha .* tutt[ie] "),
        # Con is "together with", a and in are heard somewhere.
        ("object_di", r" d(i|el|ella|ello|ell') ?", r" su(l|lla|llo|ll')? ?"),
        ("object_da", r" da [A-Z]", r" di [A-Z]"),
        ("gerund_after_stare", r" sta(va)? \w+ndo ", r" sta(va)? \w+re "),
        # "In mangiando" is old.
        ("infinitive_after_preposition", r" (senza|per|di) \w+re ", r" (senza|per|di) \w+ndo "),
        # "Perché dorme" is because; the indicative is heard after senza che, prima che.
        ("subjunctive_after_conjunction", r" affinché ", r" affinché "),
        # "Se trovi la chiave, ce lo dirà": whether he finds it.
        ("condition_present", r"^Se (?!.*, ce lo )", r"^Se (?!.*, ce lo )"),
        ("causative_fare", r" fatto \w+re ", r" fatto \w.* \w+re "),
        # In the North nessuno is heard without non: già stands there.
        ("negative_concord_person", r" non \w+.* nessuno ", r" già \w+.* nessuno "),
        ("npi_scope", r"^Nessun.* alcuna? ", r"^(Il|Lo|La|L').* che non .* alcuna? "),
        ("comparative_che", r" più \w+ che \w+\.$", r" più \w+ di \w+\.$"),
        ("equative_come", r" come ", r" d(i|el|ella|ello|ell') ?"),
        # "Sa che, Marta, ha incontrato": nobody is named before the verb.
        ("wh_with_gap", r" chi (ho|abbiamo) ", r" che (ho|abbiamo) "),
        ("wh_without_gap", r" che (il|la|lo|l')", r" chi (il|la|lo|l')"),
        # "Sopra, dietro, contro, su" may stand alone.
        ("preposition_stranding", r"^(Con|Di|A|Da) chi ", r"^Chi .* (con|di|a|da)\?$"),
        ("auxiliary_reflexive", r" si (è|sono) ", r" si (ha|hanno) "),
        # "L'anno scorso" is over; "nel 1990" may have the future of historians.
        ("tense_adverb_past", r"^(?!Nel \d)", r"\w+(à|anno) "),
        ("clausal_subject_gender", r"^È \w+o che ", r"^È \w+a che "),
        # "È tutto nuova" has an adverb: several things.
        ("floating_tutto", r" tutt[ie] ", r" tutt[ie] "),
    ],
)  # fmt: skip
def test_sentences_have_one_reading(pairs: Pairs, uid: str, good: str, bad: str) -> None:
    check_patterns(pairs[uid], good, bad)


@pytest.mark.parametrize(
    ("uid", "barred"),
    [
        # "La capo", "il mobile": of two genders, or said of both.
        ("article_gender", {"chiave": ["two_genders", "also_adjectives"]}),
        # "Parla chiaro", "un corto": adverbs and nouns.
        ("attributive_adjective_gender", {"comoda": ["adverbial_adjectives"], "sedia": ["two_genders"]}),
        ("predicate_adjective_attractor", {"rotta": ["adverbial_adjectives"]}),
        # "Il medico" may be a woman.
        ("depictive_agreement", {"bambine": ["two_genders"]}),
        ("object_predicate_agreement", {"bambina": ["two_genders"]}),
        ("floating_tutto", {"case": ["two_genders"]}),
        # "Due limone": two ice creams.
        ("numeral_plural", {"libri": ["colours_and_flavours"]}),
        # A form of another verb is good with another person.
        ("indicative_clause", {"dorme": ["homographs"]}),
        ("subject_verb_person", {"compro": ["homographs"]}),
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
        ("subject_verb_agreement_attractor", "sorella", "vicini", "Number"),
        ("distractor_agreement_relative_clause", "vicino", "bambine", "Number"),
        ("predicate_adjective_attractor", "camicia", "bambino", "Gender"),
        ("participle_in_passive", "lettera", "vicino", "Gender"),
        ("participle_with_essere", "figlia", "vicino", "Gender"),
        ("object_predicate_agreement", "rumore", "bambina", "Gender"),
        ("binding_domain", "bambina", "vicino", "Gender"),
    ],
)
def test_another_noun_has_the_value_of_the_bad_form(
    pairs: Pairs, uid: str, first: str, second: str, feature: str
) -> None:
    check_values_differ(pairs[uid], first, second, feature)


def test_no_verb_that_takes_an_object_lacks_one(pairs: Pairs) -> None:
    """*La sorella dei vicini salutano* is good (i1): she is whom they greet."""
    for uid, name in (
        ("subject_verb_agreement_attractor", "lavora"), ("distractor_agreement_relative_clause", "lavora"),
        ("coordinated_subject", "cenano"), ("inverted_subject_relative", "dormono"),
    ):  # fmt: skip
        verbs = {slot_of(row, name)["lemma"] for row in pairs[uid]}
        assert verbs
        assert not verbs & {"salutare", "giocare", "vivere", "salire", "correre", "guidare"}


def test_no_auxiliary_is_either(pairs: Pairs) -> None:
    """*Ha corso, è corso* (i4)."""
    verbs = {slot_of(row, "arriva")["lemma"] for row in pairs["perfect_auxiliary"]}
    either = (
        "correre volare saltare salire vivere durare cominciare finire continuare suonare piovere"
        " emigrare appartenere"
    )
    assert verbs
    assert not verbs & set(either.split())


def test_the_possessor_of_a_plural_in_a_is_no_masculine_plural(pairs: Pairs) -> None:
    """*Le dita dei bambini sono sporchi*: dirty children."""
    for row in pairs["gender_changing_plural"]:
        owner = slot_of(row, "bambino")
        found = value_of(owner, "Gender"), value_of(owner, "Number")
        assert found != ("Masc", "Plur"), row["sentence_bad"]
