"""The data set blimp-ru: sizes, and that no wrong form is another right one."""

import re

import pytest

from drawing import Forms, Pairs, check_sizes, check_wrong_forms, forms_of, pairs_of
from release import CHECKOUT
from solecism.lexicon.features import Feats, subset
from solecism.lexicon.table import read_table

LEXICON = CHECKOUT / "lexicons" / "ru"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-ru", "ru")


@pytest.fixture(scope="module")
def forms() -> Forms:
    """Return the cells of each form, by table and lemma."""
    return forms_of(LEXICON, ("noun", "propn", "det", "adj", "verb", "pron.rel"))


def test_each_paradigm_has_a_thousand_pairs_and_no_sentence_twice(pairs: Pairs) -> None:
    check_sizes(pairs, paradigms=40)


def test_no_wrong_form_is_the_right_one_too(pairs: Pairs, forms: Forms) -> None:
    """Where one word differs, the wrong form of it has no case and number of the right one."""
    check_wrong_forms(pairs, forms, 20_000)


@pytest.mark.parametrize(
    ("uid", "reading"),
    [
        ("animate_accusative", "Case=Acc|Number=Plur"),  # *Потерял паспорта*: several.
        ("nominalisation_genitive", "Case=Gen"),  # *Покупкой одеяла*: of one.
        ("coordination_case", "Case=Nom|Number=Sing"),  # *Помогла брату и дочь*: so did she.
        ("passive_agent", "Case=Ins"),
    ],
)
def test_wrong_words_have_no_right_reading(
    pairs: Pairs, forms: Forms, uid: str, reading: str
) -> None:
    """The last word that differs is right with these features, so no noun of it has them."""
    for row in pairs[uid]:
        good, bad = row["tokens_good"].lower().split(), row["tokens_bad"].lower().split()
        wrong = [b for a, b in zip(good, bad, strict=True) if a != b][-1]
        for cells in forms[wrong].values():
            assert not any(subset(Feats.parse(reading), cell) for cell in cells), wrong


SHARED_GENDER = {"Fem": ("ая", "яя"), "Masc": ("ый", "ий", "ой")}


@pytest.mark.parametrize("uid", ["adjective_case", "adjective_gender", "adjective_number"])
def test_a_wrong_adjective_is_not_said_of_the_subject(pairs: Pairs, forms: Forms, uid: str) -> None:
    """*Иван вымыл грязный чашку*: he was dirty; *мать звонила сонная сестре*: she was sleepy."""
    verbs = {form for form, rows in forms.items() if any(key.startswith("verb") for key in rows)}
    for row in pairs[uid]:
        good, bad = row["tokens_good"].split(), row["tokens_bad"].split()
        wrong = next(b for a, b in zip(good, bad, strict=True) if a != b)
        verb = next(word for word in bad if word in verbs)
        gender = "Fem" if verb.endswith(("ла", "лась")) else "Masc"
        assert not wrong.endswith(SHARED_GENDER[gender]), row["sentence_bad"]


@pytest.mark.parametrize(
    ("uid", "pattern"),
    [
        ("phase_verb_aspect", r"бросила?\b"),  # *Бросил постирать рубашку*: to be washed.
        ("phase_verb_aspect", r"зак(о|а)нч\w+ (разыскать|выучить|полить)"),
        ("reciprocal_case", r"мешают|доверяют|машут"),  # They stir each other.
        ("adjective_case", r"мешал|доверял|жертвовал"),
        ("subject_nominative", r"\b(по)?гулял|\bигра|засыпал|уходил"),  # Somebody walked him.
        ("odin_agreement", r"танцевал|спал|работал"),  # One dance, one hour.
        ("chtoby_or_chto", r"утверждает"),  # So that he would buy it.
        ("relative_pronoun_case", r"которой .*(спас|защити|обиде|успокои)ла?\b"),  # With whom.
        ("genitive_object", r"(успех|ответ|разговор|вопрос|отпуск|дом)у"),  # An older genitive.
    ],
)
def test_bad_sentences_have_no_second_reading(pairs: Pairs, uid: str, pattern: str) -> None:
    """Verbs with a second frame, by which the bad sentence would be good, are not drawn."""
    for row in pairs[uid]:
        assert not re.search(pattern, row["sentence_bad"]), row["sentence_bad"]


DAY = r"(вчера|утром|в среду|неделю назад|в субботу)"


@pytest.mark.parametrize(
    "pattern",
    [
        rf"{DAY} (избегал|руководил|управлял|гордил|интересовал|верил|доверял|мечтал)",
        rf"{DAY} (постарел|похудел|потолстел|вырос|худел|толстел)",
        r"^(Опять|Снова|Наконец) (у |\w+ работал)",
        r"работала? (чемпион|студент|солдат|космонавт)",
        r"[Уу] (него|них) .*(юбка|платье)",
        r"[Вв] школе .*(ложк|полотен|бокал)",
        r"(вылечил|видел)\w* (скромн|честн|щедр)",
        r"наде(л|ла) (шарфы|шапки|шляпы|костюмы)",
        r"(надел|примерил) (\w+ )?(юбку|платье)",
        r"[Кк]ажд(ый|ая) \w+ (при|у)(шёл|шла|ехал)",
        r"желает, чтобы|сообщает, что",
        r"(двадцать|тридцать) од\w+ (табурет|дверь|стул|подушк)",
        r"^(Долго|Давно) ",
    ],
)
def test_nobody_would_say(pairs: Pairs, pattern: str) -> None:
    """Points of time go with events, garments with their wearers, things with their places."""
    for uid, rows in pairs.items():
        for row in rows:
            assert not re.search(pattern, row["sentence_good"]), (uid, row["sentence_good"])


def test_each_case_of_a_name_that_declines_differs() -> None:
    """*Андрей удалось*: the dative was the nominative once, and *Зой* an accusative."""
    for row in read_table(LEXICON / "propn.tsv").rows:
        nominative, dative, accusative = (
            row.forms[Feats.parse(f"Case={case}")] for case in ("Nom", "Dat", "Acc")
        )
        assert dative != nominative != accusative, row.lemma
        assert accusative[-1] in ("ую" if nominative[-1] in "ая" else "ая"), row.lemma
