"""The data set blimp-uk: each guard of the inventory has a sentence that must not be drawn."""

import re

import pytest

from drawing import (
    Pairs,
    check_barred,
    check_lacks,
    check_patterns,
    check_values_differ,
    forms_of,
    pairs_of,
    slot_of,
    value_of,
)
from release import CHECKOUT

LEXICON = CHECKOUT / "lexicons" / "uk"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Return all pairs of the data set."""
    return pairs_of("blimp-uk", "uk")


NOWHERE = r" (?!(вийш|вибіг)\w* на (?!сцені))(?!виліз\w* на (березі|даху|балконі|горі|драбині))\w+ на \S+\.$"
"""No "вийшла на даху", where a lift stopped, and no "вилізла на березі", on the shore."""


@pytest.mark.parametrize(
    ("uid", "good", "bad"),
    [
        # "Ти, завжди читає газету" is a call: the pronoun stands after an adverb.
        ("present_person", r"^\w+ (я|ти|він|вона|ми|ви|вони) ", r"^\w+ (я|ти|він|вона|ми|ви|вони) "),
        # The head is in -а, so that "яку" is its own, and it is no object.
        ("distractor_agreement_relative_clause", r" \w+[ая], яку ", r" \w+[ая], яку .*, \w+(ли|лися)\.$"),
        # "Цю книжку" is no subject; "твої друзі" are not called.
        ("object_first_agreement", r" цю .*ли (твої|ваші|їхні) ", r" цю .*ла (твої|ваші|їхні) "),
        # "Оксана з Марією" has either number: and alone.
        ("coordinated_subject_number", r" (і|й) \S+ \S+(ли|лися) ", r" (і|й) \S+ \S+(?<!ли) "),
        # "Були мої ключі" is good: the genitive stays.
        ("genitive_of_absence", r" не було ", r" не (був|була|були) (мо|тво)\w+ "),
        ("impersonal_neuter", r" \w+лося [\w']+ти ", r" (вда|дов|захот)\w+ [\w']+ти "),
        ("clausal_subject_neuter", r"^Те, що .*, \w+ло ", r"^Те, що .*, \w+(ла|в) "),
        ("each_singular", r" (кожен|кожна) (з|із|зі) ", r" (кожен|кожна) (з|із|зі) "),
        # No predicate in the instrumental, which is good, too: the adjective is a nominative.
        ("predicate_gender_attractor", r" (був|була) \S+[йая]\.$", r" (був|була) \S+[йая]\.$"),
        # Pronouns and names are called; a noun in a clause is not.
        ("dative_experiencer", r", що .*(було|варто|слід|доведеться) ", r", що (вчора )?[а-яіїєґ]+ "),
        ("accusative_experiencer", r", що .* (боліл|болів|свербі)", r", що .* (боліл|болів|свербі)"),
        # "Не має" is has not; "немає" is one word.
        ("no_nominative_after_net", r" немає \S+\.$", r" немає \S+\.$"),
        ("existential_nominative", r"^(У|В) .* є \S+\.$", r"^(У|В) .* є \S+\.$"),
        # One object: what is found is no subject.
        ("impersonal_accusative", r"[нт]о \w+[ую]\.$", r"[нт]о \w+[ая]\.$"),
        # "Вийшла на даху, на пероні": where the lift or the train stopped.
        ("two_way_preposition_state", r" на \S+\.$", NOWHERE),
        ("nominalisation_genitive", r"\w+[нт]тя \w+|\w+ння \w+", r" тривало "),
        # After у the genitive is possession, after на and за there are two cases.
        ("preposition_case", r" (до|від|проти|про|через) \S+\.$", r" (до|від|проти|про|через) \S+\.$"),
        # "Вища, ніж сестра" is another paradigm.
        ("comparative_preposition", r" (від|за) ", r" (від|за) "),
        ("comparative_degree", r"[жчшщ](ий|а), ніж ", r", ніж "),
        # "Якої" is whose, too: never on the bad side.
        ("relative_pronoun_case", r", як\w+ (наш|наша|мій|моя|твій|твоя) ", r", як(?!ої )\w+ "),
        # "Ким є" may follow: the sentence ends there.
        ("sluicing_case", r", (кого|кому|ким)\.$", r", (кого|ким)\.$"),
        ("reciprocal_case", r" (одна одній|один одному|одне одному|одна одну|один одного|одне одного|"
         r"одна одною|один одним|одне одним)\.$", r" (одна|один|одне) \w+\.$"),
        # "Три стола" is surzhyk: the bad form is a genitive plural.
        ("numeral_paucal", r" (два|дві|три|чотири|обидва|обидві) ", r" (два|дві|три|чотири|обидва|обидві) "),
        ("numeral_oblique", r" (з|із|зі) \S+ма \w+ми\.$", r" (з|із|зі) \S+ма (?!\w+ми\.)"),
        # "У його" is heard: not after у.
        ("no_n_in_possessive", r" (його|її) \w+\.$", r" (?!у |в )\w+ (нього|неї) \w+\.$"),
        # "У себе вдома" is a place: kin is nobody's place.
        ("reflexive_possessor", r", що (в|у) (нього|неї) є ", r", що (в|у) себе є "),
        # "Своя квартира" is anybody's own.
        ("reflexive_possessor_subject", r", що (його|її) ", r", що сво(я|є|ї|й|ій) |, що свій "),
        ("binding_domain", r" (сам|себе|соб)", r" (сам|себе|соб)"),
        # "Сестрі ніколи спати" is good: finite verbs after ніхто alone.
        ("negative_concord", r" ніхто (з|із|зі) .* не \w+", r" ніхто (з|із|зі) .* (теж|знову) \w+"),
        ("negative_concord_object", r" не .* жодн(ого|ої) ", r" (теж|знову) .* жодн(ого|ої) "),
        # "Читатиме" of a perfective is no word: буде and an infinitive.
        ("future_aspect", r" буде \w+ти(ся)? ", r" буде \w+ти(ся)? "),
        ("phase_verb_aspect", r"(ла|в) \S+ти ", r"(ла|в) \S+ти "),
        # "За годину" goes with perfectives.
        ("duration_aspect", r"(довго|весь день|весь вечір)", r"^(?!.* годину )"),
        # "Якби" with a clause in the conditional behind it: якби as якщо is shut out.
        ("condition_past", r"^Якби .*, .* (би|б)\.$", r"^Якби .*, .* (би|б)\.$"),
        ("conditional_past", r" (би|б) (залюбки|охоче|радо|із) ", r" (би|б) (залюбки|охоче|радо|із) "),
        ("wish_past", r", щоб ", r", щоб "),
        # "Каже, щоб" asks somebody to do it.
        ("wish_complementizer", r"^(?!.* (каже|знає),)", r"^(?!.* (каже|знає),)"),
        # "Збирається оплатить" is the infinitive cut short.
        ("modal_infinitive", r"^(Я|Ти|Ми|Ви|Вони) ", r"^(?!.* (може|хоче|можемо|хочемо) )"),
        # "Кого запросила" is a person: the object is a thing in -у, -ю.
        ("wh_without_gap", r", що .* \w+[ую]\.$", r", кого .* \w+[ую]\.$"),
        # "Виглядає стомлений" is in the classics.
        ("adverb_with_look_verbs", r" (пахне|звучить) ", r" (пахне|звучить) "),
        ("passive_agent", r" (був|була) \S+ [мтн]\w+ \S+\.$", r" (мій|моя|твій|твоя|наш|наша) \w+\.$"),
        # "Замовив тарілку, суп і чай" is a list.
        ("measure_genitive", r"^(?!.* [ій] )[^,]+ \S+ \S+\.$", r"^(?!.* [ій] )[^,]+ \S+ \S+\.$"),
    ],
)  # fmt: skip
def test_sentences_have_one_reading(pairs: Pairs, uid: str, good: str, bad: str) -> None:
    check_patterns(pairs[uid], good, bad)


@pytest.mark.parametrize(
    ("uid", "name", "barred"),
    [
        # "Сестра лікаря": лікар is said of women, too (U5).
        ("past_gender_attractor", "сусіда", "men_and_women"),
        ("predicate_gender_attractor", "брата", "men_and_women"),
        ("relative_pronoun_gender", "бабусі", "men_and_women"),
        ("participle_in_passive", "брата", "men_and_women"),
        # "Молоді лікарки", her young ones (G8).
        ("adjective_case", "великим", "adjectives_as_nouns"),
        ("animate_accusative_adjective", "привітних", "adjectives_as_nouns"),
        # "Цей біль", "ця біль": the gender wavers.
        ("adjective_gender", "книжка", "russian_other_gender"),
        ("demonstrative_gender", "книжка", "russian_other_gender"),
    ],
)
def test_words_that_give_a_reading_are_barred(
    pairs: Pairs, uid: str, name: str, barred: str
) -> None:
    check_barred(LEXICON, barred, pairs[uid], name)


@pytest.mark.parametrize(
    ("uid", "name"),
    [
        ("dative_object", "допомагає"),
        ("coordination_case", "допомогла"),
        ("genitive_object", "позбулася"),
        ("instrumental_object", "цікавиться"),
        ("relative_pronoun_case", "допомагає"),
        ("sluicing_case", "допомагає"),
        ("reciprocal_case", "допомагають"),
    ],
)
def test_verbs_have_one_case_in_speech(pairs: Pairs, uid: str, name: str) -> None:
    """*Дякувати сестру*, *довіряти таємницю*, *чекати друга* and *на друга* (U4)."""
    check_lacks(pairs[uid], name, TWO_CASES)


TWO_CASES = """
    дякувати подякувати довіряти довірити служити навчати вибачати вибачити пробачати пробачити
    досягати досягти чекати почекати боятися злякатися шукати потребувати вимагати керувати
    торгувати нехтувати зраджувати зрадити вчити навчити радити порадити
"""


@pytest.mark.parametrize(
    ("uid", "name", "words"),
    [
        # "Є друга", a second one; "є онука", a granddaughter.
        ("existential_nominative", "машина", "друг онук кузен бабуся няня"),
        # "Поцілувала онук" (онуки, granddaughters); "зустріла залу".
        ("animate_accusative", "брата", "онук зал банк метод"),
        ("accusative_experiencer", "сестру", "онук мати"),
        # Datives of онучок, a grandson, and of кар'єр, a quarry.
        ("dative_object", "сестрі", "онучка кар'єра бабуся няня"),
    ],
)
def test_homographs_are_barred(pairs: Pairs, uid: str, name: str, words: str) -> None:
    check_lacks(pairs[uid], name, words)


def test_no_second_object_is_a_subject(pairs: Pairs) -> None:
    """*Подрузі й друга, онучці й онука*: the second one, the granddaughter, did it, too."""
    for row in pairs["coordination_case"]:
        assert not re.search(r" [ій] (друга|онука|сусіда)\.$", row["sentence_bad"]), row["id"]


def test_no_future_is_spelt_like_a_present(pairs: Pairs) -> None:
    """*Учора виграє, організує*: of a present it would be a story told as if it were now."""
    cells = forms_of(LEXICON, ("verb",))
    for row in pairs["tense_adverb"]:
        (bad,) = {*row["tokens_bad"].split()} - {*row["tokens_good"].split()}
        tenses = {value for own in cells[bad].values() for cell in own for value in cell["Tense"]}
        assert "Pres" not in tenses, row["sentence_bad"]
    for uid in ("future_aspect", "phase_verb_aspect", "duration_aspect", "tense_adverb"):
        for row in pairs[uid]:
            assert "організу" not in row["sentence_bad"], "it has both aspects"


def test_nothing_is_bought_in_part(pairs: Pairs) -> None:
    """*Купив хліба*, *сиру*: the genitive is some of it."""
    verbs = "купити з'їсти випити взяти дати принести налити"
    check_lacks(pairs["animate_accusative"], "зустріла", verbs)


@pytest.mark.parametrize(
    ("uid", "first", "second", "feature"),
    [
        ("past_gender_attractor", "сестра", "сусіда", "Gender"),
        ("predicate_gender_attractor", "куртка", "брата", "Gender"),
        ("participle_in_passive", "сумка", "брата", "Gender"),
        ("relative_pronoun_gender", "лист", "бабусі", "Gender"),
        ("binding_domain", "оксана", "андрій", "Gender"),
    ],
)
def test_attractors_are_other(
    pairs: Pairs, uid: str, first: str, second: str, feature: str
) -> None:
    check_values_differ(pairs[uid], first, second, feature)


def test_doublets_are_in_no_contrast(pairs: Pairs) -> None:
    """Both *братові* and *брату*, *стола* and *столу* are good (U2): no side differs in one."""
    doublet = re.compile(r"^(\w+?)(?:ові|еві|єві|у|ю|а|я)$")
    cells = forms_of(LEXICON, ("noun", "propn"))
    for uid, rows in pairs.items():
        for row in rows:
            good, bad = (row[f"tokens_{side}"].lower().split() for side in ("good", "bad"))
            if len(good) != len(bad):
                continue
            for ours, theirs in zip(good, bad, strict=True):
                if ours != theirs and ours in cells and theirs not in cells:
                    found = doublet.match(ours), doublet.match(theirs)
                    stems = [match[1] for match in found if match]
                    assert len({*stems}) != 1 or len(stems) < 2, (uid, row["sentence_bad"])


def test_no_word_of_surzhyk_is_drawn(pairs: Pairs) -> None:
    """Neither side has a word of Russian or of surzhyk."""
    words = {
        word
        for rows in pairs.values()
        for row in rows
        for side in ("sentence_good", "sentence_bad")
        for word in re.findall(r"[\w']+", row[side].lower())
    }
    assert not words & set(SURZHYK.split())


SURZHYK = """
    зараза слідуючий слідуюча получив получила получити получає любий приймати міроприємство
    багаточисленний протиріччя відмічати відмінити учбовий настоящий даже тоже больше нада
    надо єслі пока сейчас шо када вобще вообще щас конєшно канєшно
    самольот діван холодільник балька шкаф стул потолок учебнік булочна бумага
    красивіший кращіший самий єлка кастрюля полотенце окошко
"""


def test_a_woman_has_no_wifes_parents(pairs: Pairs) -> None:
    """*Інна каже, що її теща*: a teller may be a woman, so that nobody has a wife's parents."""
    for rows in pairs.values():
        for row in rows:
            found = re.search(r"\b(тещ|тест(ь|я|ю|ем|ев))", row["sentence_good"].lower())
            assert not found, row["sentence_good"]


def test_nobody_is_called(pairs: Pairs) -> None:
    """*Бабусю*, *матір* as accusatives are forms of address, too; no bad side ends with one."""
    for uid in ("existential_nominative", "dative_object", "accusative_object"):
        for row in pairs[uid]:
            assert not re.search(r" (?:бабусю|няню)\.$", row["sentence_bad"]), (uid, row)


def test_things_have_one_genitive_where_it_is_the_contrast(pairs: Pairs) -> None:
    """*Бачу листа, ножа*: of things in -а both accusatives are good, so those in -у alone."""
    for row in pairs["animate_accusative"]:
        if value_of(slot_of(row, "брата"), "Animacy") == "Inan":
            assert row["sentence_bad"].rstrip(".").endswith(("у", "ю")), row["sentence_bad"]


def test_animals_are_no_plural_objects_in_a_contrast(pairs: Pairs) -> None:
    """*Пасе корови* and *пасе корів* are both good."""
    animals = "кіт пес кінь корова вівця птах кролик кішка"
    check_lacks(pairs["animate_accusative_adjective"], "сусідів", animals)


def test_the_owner_is_of_the_gender_of_the_speaker(pairs: Pairs) -> None:
    """*У неї* is said after a woman, *у нього* after a man: each speaks of what is theirs."""
    for row in pairs["reflexive_possessor"]:
        gender = value_of(slot_of(row, "оксана"), "Gender")
        assert (" неї " in row["sentence_good"]) == (gender == "Fem"), row["sentence_good"]
