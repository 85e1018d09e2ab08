"""The data set blimp-fr: sizes, what can be heard, elision, and that no wrong form is right."""

import re
from itertools import pairwise

import pytest

from drawing import Pairs, check_sizes, check_wrong_forms, forms_of, pairs_of
from release import CHECKOUT
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import read_table

LEXICON = CHECKOUT / "lexicons" / "fr"

SILENT = ("participle_with_etre",)
"""Paradigms of agreement whose words allow no more: of the verbs with être only *mort* sounds."""


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-fr", "fr", extra=("audible",))


def test_each_paradigm_has_a_thousand_pairs_and_no_sentence_twice(pairs: Pairs) -> None:
    check_sizes(pairs, paradigms=38)


def test_every_pair_says_whether_it_can_be_heard(pairs: Pairs) -> None:
    """At least half of the pairs can, in each paradigm of agreement whose words allow it."""
    for uid, rows in pairs.items():
        audible = [row["features"]["audible"] for row in rows]
        assert set(audible) <= {"yes", "liaison", "no"}
        if "agreement" in rows[0]["linguistics_term"] and uid not in SILENT:
            assert audible.count("yes") >= 500, uid


def test_words_are_elided_on_both_sides(pairs: Pairs) -> None:
    """No *le*, *que* ... stands before a vowel, and no *l'* before a consonant."""
    before = re.compile(r"\b(le|la|de|que|je|me|te|se|ne)$", re.IGNORECASE)
    mute = Lexicon(LEXICON).orthography
    for uid, rows in pairs.items():
        for row in rows:
            for side in ("sentence_good", "sentence_bad"):
                words = row[side].rstrip(".").split()
                for left, right in pairwise(words):
                    if before.search(left):
                        assert not mute.touches([left.lower()], [right]), (uid, row[side])
                for word in words:
                    if found := re.match(r"(?:[ldnmtsj]|qu)'(.)", word, re.IGNORECASE):
                        assert found[1].lower() in "aàâeéèêiîoôuûyhœ", (uid, row[side])


def test_no_wrong_form_is_the_right_one_too(pairs: Pairs) -> None:
    """Where one word differs, the wrong form has no features that the right form has."""
    forms = forms_of(LEXICON, ("det", "adj", "verb", "aux", "pron"))
    check_wrong_forms(pairs, forms, 10_000)


def test_words_of_two_genders_are_in_no_contrast_of_gender(pairs: Pairs) -> None:
    """*Le livre, la livre*; *l'ingénieur est parti, partie*."""
    (line,) = [
        line for line in (LEXICON / "typical/groups.tsv").read_text(encoding="utf-8").splitlines()
        if line.startswith("two_genders\t")
    ]  # fmt: skip
    both = set(line.split("\t")[1].split(", "))
    contrasts = {
        "article_gender": "voiture", "floating_tout": "filles", "participle_with_etre": "filles",
        "possessive_before_vowel": "amie", "tout_agreement": "robes",
    }  # fmt: skip
    for uid, name in contrasts.items():
        nouns = {s["lemma"] for row in pairs[uid] for s in row["slots"] if s["name"] == name}
        assert nouns
        assert not both & nouns, uid


def test_a_pronoun_before_a_verb_is_no_article_before_a_noun(pairs: Pairs) -> None:
    """*La porte*, *les marche*: the verbs of the paradigms of pronouns are no nouns."""
    nouns = {form for row in read_table(LEXICON / "noun.tsv").rows for form in row.forms.values()}
    for uid in ("accusative_clitic", "dative_clitic", "clitic_before_finite", "clitic_climbing",
                "clitic_order_first_person", "clitic_order_third_person"):  # fmt: skip
        for row in pairs[uid]:
            for side in ("tokens_good", "tokens_bad"):
                words = row[side].split()
                after = {b for a, b in pairwise(words) if a in ("le", "la", "les", "leur", "l'")}
                finite = {s["form"] for s in row["slots"] if s["upos"] == "VERB"}
                assert not after & finite & nouns, row[side]


CLITIC = r"(?:me|te|le|la|les|lui|leur|nous|vous|se|[mtls]')"
MODAL = "veut|voulait|peut|pouvait|doit|devait|ose|osait|sait|savait|va|vont|vient|viennent"

OLDER = {
    "climbing": rf" {CLITIC} ?(?:{MODAL}) (?:de )?\S+(?:er|ir|re)\b",
    "ne finir pas": r" (?:ne |n')\S+(?:er|ir|re) (?:pas|point)\b",
    "ne le pas finir": rf" ne {CLITIC} ?(?:pas|point) ",
    "pas ne": r" pas (?:ne |n')",
    "bare ne": r"^(?!.* (?:pas|que|qu'|rien|personne)\b).* (?:ne |n')",
    "point": r" point\b",
    "je le vous dis": r" (?:le|la|les|l') (?:(?:me|te|nous|vous) |[mt]')\S+",
    "n'a vu rien": r" n'(?:ai|as|a|avons|avez|ont) \S+ rien\b",
    "n'a personne vu (Switzerland)": r" n'(?:ai|as|a|avons|avez|ont) personne ",
    "le vieux ami": r" vieux [aeiouéèêhîôœ]",
    "un rouge manteau": r" (?:un|une|le|la|les|ce|cette|ces|mon|ma|mes) "
    r"(?:rouge|bleu|jaune|violet|rose|brun|marron|noir|blanc|vert|gris)\S* \S+",
}
"""Orders that older, literary or regional French has, as they begin in a bad sentence."""

ORDERS = {"word_order", "negation", "irregular_forms"}


def test_no_bad_order_is_good_in_older_french(pairs: Pairs) -> None:
    """*Les veut inviter*, *de ne la pas inviter*, *de ne vendre pas la moto* were good French."""
    seen = 0
    for uid, rows in pairs.items():
        if rows[0]["linguistics_term"] not in ORDERS:
            continue
        for row in rows:
            seen += 1
            for order, pattern in OLDER.items():
                found = re.search(pattern, row["tokens_bad"].replace("' ", "'"))
                good = re.search(pattern, row["tokens_good"].replace("' ", "'"))
                assert good or not found, (uid, order, row["sentence_bad"])
    assert seen > 10_000


def test_no_noun_phrase_stands_where_the_object_is_missing(pairs: Pairs) -> None:
    """*Que Paul a rencontré dimanche dernier*: whom? "Dimanche dernier"."""
    for row in pairs["wh_with_gap"]:
        assert not re.search(r"dernier|dernière|soir|matin|l'autre jour", row["sentence_bad"])


def test_a_wrong_ending_does_not_agree_with_the_subject(pairs: Pairs) -> None:
    """*Anne a lavé le chien mouillée*: she was wet; *Paul rend ma fille heureux*: he is happy."""
    for row in pairs["adjective_gender"]:
        slots = {slot["name"]: slot["feats"] for slot in row["slots"]}
        both = {re.findall(r"Gender=\w+", slots[name])[0] for name in ("anne", "robe")}
        assert len(both) == 1, row["sentence_bad"]
    for row in pairs["object_predicate_agreement"]:
        slots = {slot["name"]: slot["feats"] for slot in row["slots"]}
        assert "Animacy=Inan" in slots["cadeau"], row["sentence_bad"]


def test_lui_is_not_said_of_the_subject(pairs: Pairs) -> None:
    """*Paul lui écoute* is "Paul, lui, écoute"; *a leur écrit* has a noun."""
    seen = 0
    for uid in ("accusative_clitic", "clitic_before_auxiliary", "clitic_order_third_person"):
        for row in pairs[uid]:
            bad = row["tokens_bad"].split()
            assert ("leur", "écrit") not in pairwise(bad), row["sentence_bad"]
            if "lui" in bad:
                (subject,) = (slot["feats"] for slot in row["slots"] if slot["name"] == "anne")
                assert "Gender=Fem" in subject, row["sentence_bad"]
                seen += 1
    assert seen > 500


OBJECT_TOO = {"obstiner", "absenter", "taire", "tromper#2", "promener", "ennuyer", "plaindre#2"}
"""Reflexive verbs that somebody has without se: *il nous obstine* (Quebec), *on vous absente*."""


def test_no_verb_of_another_object_has_a_wrong_reflexive(pairs: Pairs) -> None:
    """*Ma sœur nous obstine* is good in Quebec: "contradicts us"."""
    seen = 0
    for row in pairs["reflexive_person"]:
        verb = next(s["lemma"] for s in row["slots"] if s["name"] == "trompe")
        if re.search(r" (?:se |s')", row["sentence_good"]):
            seen += 1
            assert verb not in OBJECT_TOO, row["sentence_bad"]
    assert seen > 300


def test_what_happens_at_once_is_not_in_the_imperfect(pairs: Pairs) -> None:
    """*Décidait de réparer*: nobody tells that of one decision."""
    for uid in ("infinitive_with_a", "infinitive_with_de", "de_before_infinitive"):
        for row in pairs[uid]:
            assert not re.search(r"(?:décid|oubli|accept)ait|parvenait", row["sentence_good"])
