"""The data set blimp-he: sizes, contrasts, and that no wrong form has a reading that is right."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from drawing import Pairs, check_sizes, pairs_of
from release import CHECKOUT
from solecism.lexicon.features import Feats
from solecism.lexicon.table import Row, read_table

LEXICON = CHECKOUT / "lexicons" / "he"
VERBS = ("verb", "aux")
PREFIXES = "והכלבמש"
"""Letters that may be a word of their own before the next one."""

Forms = dict[str, list[tuple[str, Row, Feats]]]
"""Table, word and cell of each form."""

AGREEMENT = {
    "past_gender": {"Gender"},
    "past_gender_attractor": {"Gender"},
    "past_number": {"Number", "Gender"},
    "past_number_attractor": {"Number", "Gender"},
    "past_person": {"Person", "Number", "Gender"},
    "coordinated_subject_number": {"Number", "Gender"},
    "coordinated_subject_person": {"Person"},
    "imperative_gender": {"Gender"},
}
"""The features in which the forms of the verb differ (the plural of the past has no gender)."""

REFLEXIVES = {
    "reflexive_gender": {"Gender"},
    "reflexive_number": {"Number"},
    "reflexive_person": {"Person", "Number", "Gender"},
    "reflexive_gender_attractor": {"Gender"},
    "reflexive_domain": {"Gender"},
}

SUFFIXES = {"resumptive_gender": {"Gender"}, "resumptive_number": {"Number"}}

TENSES = {
    "tense_adverb_past": ("Past", "Fut"),
    "tense_adverb_future": ("Fut", "Past"),
    "future_after_want": ("Fut", "Past"),
    "future_after_in_order_that": ("Fut", "Past"),
}
"""The tense of the good form, and that of the bad one."""

INFINITIVES = (
    "infinitive_after_modal",
    "infinitive_after_phase_verb",
    "infinitive_after_conjunction",
)

GOVERNMENT = {
    "object_le": "ל",
    "object_be": "ב",
    "object_al": "על",
    "object_el": "אל",
    "object_me": "מ",
    "object_im": "עם",
    "object_et": "את",
}
"""What the verbs of a paradigm govern."""

BINYANIM = {
    "nifal_object": {"NIFAL"},
    "hitpael_object": {"HITPAEL"},
    "passive_object": {"PUAL", "HUFAL"},
}
"""The binyan of the bad verb."""

BALANCED = {
    "past_gender": "Gender",
    "past_gender_attractor": "Gender",
    "past_number": "Number",
    "past_number_attractor": "Number",
    "coordinated_subject_number": "Number",
    "coordinated_subject_person": "Person",
    "imperative_gender": "Gender",
    "reflexive_gender": "Gender",
    "reflexive_number": "Number",
    "reflexive_gender_attractor": "Gender",
    "reflexive_domain": "Gender",
    "resumptive_gender": "Gender",
    "resumptive_number": "Number",
}
"""Both directions are drawn about equally often."""

SECOND_READINGS = {
    "adjective_definite": "שמר חלם חשב הסתכל",  # keep the house clean, dream of her young
    "passive_agent": "כתב קרא סיפר סגר כיסה בנה הוסיף",  # the door closed on my hands
    "comparative_preposition": "מנוסה חזק מוכשר עשיר מפורסם",  # strong in
    "copula_number": "בעל",  # הבעלים, the owner
    "hitpael_object": "פיטר",  # התפטרו אותו
    "object_al": "סמך ריחם השפיע המליץ",  # סמך אותו, ordained him
    "object_be": "תמך פגע בעט גער הביט זלזל נזכר",  # בעט אותו, kicked him out
    "object_et": "ליווה ניצח חיקה",  # without an object
    "object_le": "עזר הודה הזיק דאג חיכה האמין הפריע",  # הודה אותו, praised him
    "passive_object": "כיבס כיסה קילף",  # כובס, a launderer
    "resumptive_gender": "שיחק המליץ",  # the doctor whom he plays with her
    "resumptive_number": "שיחק המליץ",
    "future_after_in_order_that": "אפה תיקן",  # שאפתה, that I seduce
    "negative_concord_time": "כבר",
    "quantifier_number": "זמר טבח צלם שכן",  # כמה זמר, how much song; שכן, because
    "coordinated_subject_number": "הרים",  # pregnant
}
"""Lemmas that would save the bad sentence, by UID."""

JOINED = {
    "שאילת", "שאליהו", "שדליה", "שיורם", "שכרמלה", "שלאון", "שמיכה", "שמריה", "שמשה", "שרות",
    "שרותי", "ברות", "מרות", "מדליה", "מנחמן",
}  # fmt: skip
"""Prefix and name that are a word or a name as a whole (a blanket, a pane, Shemaryah)."""

DICTIONARY = Path("/usr/share/hunspell/he_IL.dic")
"""The words of hspell, if Debian's hunspell-he is installed."""

ABSOLUTE = {"אכזב", "הפתיע", "הרשים", "ריגש", "העליב"}
"""Verbs that may lack their object, and then have ל of the person concerned."""


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-he", "he")


@pytest.fixture(scope="module")
def forms() -> Forms:
    """Return what each form of a verb, a preposition or a reflexive pronoun can be."""
    found: Forms = defaultdict(list)
    for name in (*VERBS, "adp.suffixed", "pron.refl"):
        for row in read_table(LEXICON / f"{name}.tsv").rows:
            for cell, form in row.forms.items():
                found[form].append((name, row, cell))
    return found


def changed(row: dict[str, Any]) -> tuple[str, str]:
    """Return the only word in which the sentences differ, good and bad."""
    good, bad = row["tokens_good"].split(), row["tokens_bad"].split()
    ((ours, theirs),) = [(a, b) for a, b in zip(good, bad, strict=True) if a != b]
    return ours, theirs


def cells(forms: Forms, word: str, tables: tuple[str, ...]) -> dict[str, list[dict[str, str]]]:
    """Return the features of a form by lemma without mark, in some tables."""
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    for table, row, cell in forms.get(word, []):
        if table in tables:
            found[row.shown].append(dict(part.split("=") for part in str(cell).split("|")))
    return found


def contrast(
    forms: Forms, words: tuple[str, str], tables: tuple[str, ...]
) -> list[tuple[dict[str, str], dict[str, str]]]:
    """Return the features of both forms, for all words that have both."""
    ours, theirs = (cells(forms, word, tables) for word in words)
    return [
        (a, b) for lemma in ours.keys() & theirs.keys() for a in ours[lemma] for b in theirs[lemma]
    ]


def unlike(a: dict[str, str], b: dict[str, str]) -> set[str]:
    """Return the names of the features that differ."""
    return {name for name in a.keys() | b.keys() if a.get(name) != b.get(name)}


def participle(cell: Feats, right: list[Feats]) -> bool:
    """Return whether a form is a participle of the gender and number of a right one."""
    bad = dict(part.split("=") for part in str(cell).split("|"))
    if bad.get("VerbForm") != "Part":
        return False
    return any(
        bad["Number"] == good.get("Number") and bad["Gender"] in good.get("Gender", "").split(",")
        for good in (dict(part.split("=") for part in str(one).split("|")) for one in right)
    )


def test_each_paradigm_has_a_thousand_pairs_and_no_sentence_twice(pairs: Pairs) -> None:
    check_sizes(pairs, paradigms=28)


@pytest.mark.parametrize(
    ("expected", "tables"),
    [(AGREEMENT, VERBS), (REFLEXIVES, ("pron.refl",)), (SUFFIXES, ("adp.suffixed",))],
)
def test_the_forms_differ_in_the_contrast_only(
    pairs: Pairs, forms: Forms, expected: dict[str, set[str]], tables: tuple[str, ...]
) -> None:
    """Nothing else is wrong with the bad form, and no reading of it is that of the good one."""
    for uid, names in expected.items():
        for row in pairs[uid]:
            found = contrast(forms, changed(row), tables)
            assert found, (uid, row["sentence_bad"])
            assert any(unlike(a, b) <= names for a, b in found), (uid, row["sentence_bad"])
            assert all(unlike(a, b) for a, b in found), (uid, row["sentence_bad"])


def test_no_wrong_verb_is_the_right_form_of_another(pairs: Pairs, forms: Forms) -> None:
    """*שתה* is also "she set". A letter before the rest of a word may be a prefix."""
    for uid in (*AGREEMENT, *TENSES):
        for row in pairs[uid]:
            ours, theirs = changed(row)
            right = [cell for table, _, cell in forms[ours] if table in VERBS]
            words = [theirs, theirs[1:]] if theirs[0] in PREFIXES else [theirs]
            for word in words[: 1 if uid in TENSES else 2]:
                for table, other, cell in forms.get(word, []):
                    if table in VERBS:
                        assert cell not in right, (uid, other.lemma, row["sentence_bad"])
                        assert not (uid in AGREEMENT and participle(cell, right)), (uid, word)


def test_tenses_are_those_of_the_adverb_or_the_clause(pairs: Pairs, forms: Forms) -> None:
    """The bad form has the other tense, and no form of the future is an imperative as well."""
    for uid, (good, bad) in TENSES.items():
        for row in pairs[uid]:
            ours, theirs = changed(row)
            found = contrast(forms, (ours, theirs), VERBS)
            assert any(a.get("Tense") == good and b.get("Tense") == bad for a, b in found), uid
            if uid == "tense_adverb_future":
                readings = [cell for some in cells(forms, theirs, VERBS).values() for cell in some]
                assert not any(cell.get("Mood") == "Imp" for cell in readings), row["sentence_bad"]
                assert not any(cell.get("VerbForm") == "Part" for cell in readings), theirs
    needs = {r.lemma: r.properties["Tense"] for r in read_table(LEXICON / "adv.tsv").rows}
    for uid, tense in (("tense_adverb_past", "Past"), ("tense_adverb_future", "Fut")):
        for row in pairs[uid]:
            assert any(
                row["tokens_good"].startswith(f"{when} ") and needs[when] == tense for when in needs
            ), row["sentence_good"]


def test_infinitives_and_finite_forms(pairs: Pairs, forms: Forms) -> None:
    """Where one of them is right, the other one is not spelt like it."""
    for uid in (*INFINITIVES, "finite_clause"):
        for row in pairs[uid]:
            _, theirs = changed(row)
            readings = [cell for some in cells(forms, theirs, VERBS).values() for cell in some]
            assert readings, theirs
            for cell in readings:
                assert (cell == {"VerbForm": "Inf"}) == (uid == "finite_clause"), (uid, theirs)


def test_the_imperative_after_al_is_no_future_and_no_past(pairs: Pairs, forms: Forms) -> None:
    """*אל תקני* is also "do not buy"."""
    for row in pairs["negated_imperative"]:
        ours, theirs = changed(row)
        found = contrast(forms, (ours, theirs), VERBS)
        assert any(a.get("Tense") == "Fut" and b.get("Mood") == "Imp" for a, b in found)
        for some in cells(forms, theirs, VERBS).values():
            for cell in some:
                assert cell.get("Tense") != "Fut", row["sentence_bad"]
                assert (cell.get("Tense"), cell.get("Number")) != ("Past", "Sing"), theirs


def test_verbs_govern_the_good_preposition_and_not_the_bad_one(pairs: Pairs, forms: Forms) -> None:
    """No use of the verb in the lexicon has the bad one."""
    for uid, governed in GOVERNMENT.items():
        for row in pairs[uid]:
            ours, theirs = changed(row)
            good, bad = (cells(forms, word, ("adp.suffixed",)).keys() for word in (ours, theirs))
            before = row["tokens_good"].split()[-2]
            uses = [
                (word.shown, word.properties["Preposition"])
                for table, word, _ in forms[before]
                if table == "verb"
            ]
            assert governed in good, (uid, ours)
            assert governed not in bad, (uid, theirs)
            meant = {lemma for lemma, governs in uses if governs == governed}
            assert meant, (uid, before)
            for lemma, governs in uses:
                assert lemma not in meant or governs not in bad, row["sentence_bad"]


def test_a_preposition_without_a_suffix_is_bare(pairs: Pairs, forms: Forms) -> None:
    for row in pairs["resumptive_needed"]:
        ours, theirs = changed(row)
        assert theirs in cells(forms, ours, ("adp.suffixed",)), ours
        assert row["tokens_bad"].endswith(f" {theirs}")
        assert theirs not in {"ליד", "אחרי", "לפני", "בשביל"}, "also an adverb or a noun"


def test_verbs_without_an_object_have_no_reading_with_one(pairs: Pairs, forms: Forms) -> None:
    """*קולף* is also a participle of a verb with an object."""
    for uid, binyanim in BINYANIM.items():
        for row in pairs[uid]:
            _, theirs = changed(row)
            readings = [row for table, row, _ in forms[theirs] if table == "verb"]
            assert readings, theirs
            for reading in readings:
                assert reading.properties["HebBinyan"] in binyanim, (uid, theirs)
                assert reading.properties.get("Preposition") != "את", (uid, theirs)


def test_an_agent_stands_after_a_passive(pairs: Pairs, forms: Forms) -> None:
    for row in pairs["passive_agent"]:
        ours, theirs = changed(row)
        assert any(row.properties.get("Frame") == "passive" for _, row, _ in forms[ours]), ours
        assert not any(row.properties.get("Frame") == "passive" for _, row, _ in forms[theirs]), (
            theirs
        )
        assert " על ידי " in row["tokens_bad"]


def test_negation_is_the_only_difference(pairs: Pairs) -> None:
    for uid, rows in pairs.items():
        if uid.startswith("negative_concord") or uid == "ein_in_past":
            for row in rows:
                ours, theirs = changed(row)
                assert ours == "לא"
                assert (
                    theirs == "אין" if uid == "ein_in_past" else theirs not in {"לא", "אין", "אל"}
                )
                assert row["tokens_bad"].split().count("לא") == 0


def test_both_directions_are_balanced(pairs: Pairs, forms: Forms) -> None:
    for uid, name in BALANCED.items():
        counts: Counter[str] = Counter()
        for row in pairs[uid]:
            found = contrast(forms, changed(row), (*VERBS, "adp.suffixed", "pron.refl"))
            counts[next(a for a, b in found if name in unlike(a, b)).get(name, "")] += 1
        assert len(counts) == 2, (uid, counts)
        assert min(counts.values()) >= 400, (uid, counts)


@pytest.mark.parametrize("uid", SECOND_READINGS)
def test_no_word_has_a_reading_that_saves_the_sentence(
    pairs: Pairs, forms: Forms, uid: str
) -> None:
    avoided = set(SECOND_READINGS[uid].split())
    for row in pairs[uid]:
        words = set(row["tokens_bad"].split())
        lemmas = {(slot["lemma"] or "").partition("#")[0] for slot in row["slots"]}
        wrong = words.difference(row["tokens_good"].split())
        lemmas |= {word.shown for one in wrong for _, word, _ in forms.get(one, [])}
        assert not avoided & (lemmas | words), row["sentence_bad"]


def test_a_bare_adjective_cannot_be_said_of_the_subject(pairs: Pairs) -> None:
    """*הרקדנית נפרדה מהשוטרת ביישנית* is how she left."""
    for row in pairs["adjective_definite"]:
        subject, noun = (
            Feats.parse(slot["feats"])
            for name in ("רבקה", "ילד")
            for slot in row["slots"]
            if slot["name"] == name
        )
        assert any(subject.text(name) != noun.text(name) for name in ("Gender", "Number")), row


def test_the_reflexive_pronoun_is_an_object_with_et(pairs: Pairs) -> None:
    """*כעס על עצמה* is also "was angry at power", *צילם את עצמה* "photographed her bone"."""
    for uid in REFLEXIVES:
        for row in pairs[uid]:
            assert row["tokens_bad"].split()[-2] == "את", row["sentence_bad"]
            lemmas = {slot["lemma"] for slot in row["slots"] if slot["upos"] == "VERB"}
            assert not lemmas & {"ויתר", "צילם", "צייר", "שקל", "הציג", "תיאר"}, row["sentence_bad"]


def test_a_preposition_and_a_person_are_no_infinitive(pairs: Pairs) -> None:
    """*גאה לצייר* is "proud to paint"."""
    infinitives = {
        form for row in read_table(LEXICON / "verb.tsv").rows
        for cell, form in row.forms.items() if cell.text("VerbForm") == "Inf"
    } | {"לגנן", "לחייל", "למלצר", "לנער", "לנערה", "לשכן", "לתייר", "לצדוק"}  # fmt: skip
    for row in pairs["adjective_government"]:
        assert not infinitives & set(row["sentence_bad"].rstrip(".").split()), row["sentence_bad"]


def joined_names(pairs: Pairs) -> set[str]:
    """Return the words of bad sentences that are ש and a name."""
    found = set()
    for row in (row for rows in pairs.values() for row in rows):
        names = {slot["form"] for slot in row["slots"] if slot["upos"] == "PROPN"}
        found |= {"ש" + name for name in names}.intersection(row["sentence_bad"].split())
    return found


def test_no_name_with_a_prefix_is_another_word(pairs: Pairs) -> None:
    """*אמרה שמריה לקנות* is also said to Shemaryah."""
    names = joined_names(pairs)
    assert len(names) > 100
    words = {
        word for rows in pairs.values() for row in rows for word in row["sentence_bad"].split()
    }  # fmt: skip
    assert not words & JOINED


@pytest.mark.skipif(not DICTIONARY.is_file(), reason="needs Debian's package hunspell-he")
def test_no_name_with_a_prefix_is_in_the_dictionary(pairs: Pairs) -> None:
    known = {line.partition("/")[0] for line in DICTIONARY.read_text().splitlines()}
    assert "שמיכה" in known
    assert not joined_names(pairs) & known


def test_states_have_no_point_in_time(pairs: Pairs) -> None:
    """Nobody hated on Tuesday, and nobody opened the door for years."""
    states = {"שנא", "אהב", "העריך", "כיבד", "פחד", "חשש", "התגעגע", "נמשך", "סמך", "העסיק"}
    points = {"אתמול", "אמש", "שלשום", "הבוקר", "היום", "לפני שעה", "ביום שלישי", "אתמול בערב"}
    for rows in pairs.values():
        for row in rows:
            when = {slot["lemma"] for slot in row["slots"] if slot["upos"] == "ADV"}
            verbs = [slot["lemma"] for slot in row["slots"] if slot["upos"] == "VERB"]
            assert not (when & points and verbs and verbs[0] in states), row["sentence_good"]


def test_no_wrong_imperative_is_a_past(pairs: Pairs, forms: Forms) -> None:
    """*חגית, לבש את המעיל*: he wore."""
    for row in pairs["imperative_gender"]:
        ours, theirs = changed(row)
        for a, b in contrast(forms, (ours, theirs), VERBS):
            assert (a.get("Mood"), b.get("Tense")) != ("Imp", "Past"), row["sentence_bad"]


def test_the_wrong_preposition_of_an_object_is_not_for_whom(pairs: Pairs, forms: Forms) -> None:
    """*אכזב לה* is "disappointed, to her harm"."""
    seen = set()
    for row in pairs["object_et"]:
        _, theirs = changed(row)
        assert "אל" in cells(forms, theirs, ("adp.suffixed",)), row["sentence_bad"]
        assert theirs != "אליה", row["sentence_bad"]
        seen |= {slot["lemma"] for slot in row["slots"]}
    assert seen > ABSOLUTE


def test_names_are_of_one_sex() -> None:
    names = read_table(LEXICON / "propn.tsv").rows
    assert len(names) >= 150
    assert len({row.lemma for row in names}) == len(names)
    assert not {"דניאל", "גבריאל", "עמנואל", "סיוון", "טל", "שקד"} & {row.lemma for row in names}
