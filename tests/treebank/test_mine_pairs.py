"""Minimal pairs from mined items: what is made of hand-written sentences, and what is passed
over."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solecism.scoring.items import open_pairs
from solecism.treebank.cloze import MASKS, items_of
from solecism.treebank.conllu import tokens_of
from solecism.treebank.filters import FLAWS
from solecism.treebank.forms import LanguageForms, Paradigms, WordForm, count_words
from solecism.treebank.languages import find_language, rules_of
from solecism.treebank.minimal_pairs import SCHEMA, Caps, PairMaker
from solecism.treebank.mining import Settings, mine
from solecism.treebank.relations import bundle
from solecism.treebank.wrong_forms import WrongForms
from treebank import conllu

Row = dict[str, Any]
FIN = "Mood=Ind|Number={}|Person={}|Tense=Pres|VerbForm=Fin"
SING, PLUR = FIN.format("Sing", 3), FIN.format("Plur", 3)


def word(text: str, times: int = 5) -> tuple[WordForm, int]:
    """A word of the inventory: form, lemma, UPOS, FEATS."""
    form, lemma, upos, feats = text.split()
    return WordForm(form, lemma, upos, feats), times


def maker(
    language: str, text: str, known: Iterable[str], caps: Caps | None = None
) -> tuple[PairMaker, pa.Table]:
    """Mine a text; the inventory holds its words and the ``known`` ones."""
    tokens = tokens_of(text.encode())
    counts: Counter[WordForm] = Counter()
    count_words(tokens, counts)
    for entry in known:
        told, times = word(entry)
        counts[told] += times
    inventory = LanguageForms(language, {"UD_Own": counts}, {"UD_Own": "CC0-1.0"})
    wrong_forms = WrongForms(rules_of(language), inventory)
    settings = Settings(find_language(language), "strict", MASKS, frozenset(FLAWS), inventory)
    found, _ = settings.find(tokens)
    origin = {"treebank": "UD_Own", "licence": "CC0-1.0", "genre": ""}
    items = items_of(tokens, found, MASKS, settings.language, origin, inventory)
    return PairMaker(wrong_forms, caps or Caps()), items


def pairs(language: str, known: Sequence[str], *sentences: str) -> list[Row]:
    made, items = maker(language, conllu(*sentences), known)
    made.take(items)
    rows: list[Row] = made.certain().table().to_pylist()
    return rows


def reasons(language: str, known: Sequence[str], *sentences: str) -> Counter[str]:
    made, items = maker(language, conllu(*sentences), known)
    made.take(items)
    assert len(items), "nothing was mined"
    return made.wrong_forms.skipped


def wrong(rows: Iterable[Row]) -> set[str]:
    return {row["sentence_bad"] for row in rows}


ARTICLE = "Definite=Def|PronType=Art"


def clause(noun: str, verb: str, *between: str, after: str = "loudly ADV") -> str:
    """*The dogs bark loudly.*: noun and verb are FORM LEMMA NUMBER; ``between`` are lines."""
    (form, lemma, number), (verb, stem, of_verb) = noun.split(), verb.split()
    head = 3 + len(between)
    adverb, upos = after.split()
    return "\n".join([
        f"The the DET {ARTICLE} 2 det",
        f"{form} {lemma} NOUN Number={number} {head} nsubj",
        *between,
        f"{verb} {stem} VERB {FIN.format(of_verb, 3)} 0 root",
        f"{adverb}+ {adverb} {upos} _ {head} advmod",
        f". . PUNCT _ {head} punct",
    ])  # fmt: skip


DOGS = clause("dogs dog Plur", "bark bark Plur")
BARKS = [f"barks bark VERB {SING}", "dog dog NOUN Number=Sing"]


def test_the_finite_verb_in_the_other_number() -> None:
    (row,) = pairs("en", BARKS, DOGS)
    expected = {
        "sentence_good": "The dogs bark loudly.", "sentence_bad": "The dogs barks loudly.",
        "tokens_good": "The dogs bark loudly .", "tokens_bad": "The dogs barks loudly .",
        "UID": "verb_number", "linguistics_term": "subject_verb_agreement",
        "one_prefix_method": True, "two_prefix_method": False, "one_prefix_prefix": "The dogs",
        "one_prefix_word_good": "bark", "one_prefix_word_bad": "barks",
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected
    told = {
        "flipped": "Number", "good_value": "Plur", "relation": "verb", "controller": "dog",
        "controller_number": "Plur", "target": "bark", "distance": 1, "attractors": "0",
        "match": None, "treebank": "UD_Own", "sent_id": "s1", "licence": "CC0-1.0", "source": "UD",
    }  # fmt: skip
    assert {name: row["features"][name] for name in told} == told
    for slot in row["slots"]:
        for side in ("good", "bad"):
            text = row[f"sentence_{side}"][slot[f"{side}_start"] : slot[f"{side}_end"]]
            expected_text = "barks" if (slot["name"], side) == ("target", "bad") else slot["form"]
            assert text == expected_text
    assert [slot["name"] for slot in row["slots"]] == ["target", "controller"]


def test_determiners_at_the_beginning_and_inside() -> None:
    """Capitals are those of the answer; the span of a controller behind the target moves."""
    known = ["these this DET Number=Plur|PronType=Dem", "books book NOUN Number=Plur"]
    rows = pairs(
        "en",
        known,
        """
        I I PRON Case=Nom|Number=Sing|Person=1|PronType=Prs 2 nsubj
        like like VERB Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin 0 root
        this this DET Number=Sing|PronType=Dem 4 det
        book book NOUN Number=Sing 2 obj
        """,
        """
        This this DET Number=Sing|PronType=Dem 2 det
        book book NOUN Number=Sing 3 nsubj
        ended end VERB Mood=Ind|Tense=Past|VerbForm=Fin 0 root
        """,
    )
    told = {r["sentence_bad"]: r for r in rows if r["UID"] == "determiner_number"}
    assert set(told) == {"I like these book", "These book ended"}
    row = told["These book ended"]  # nothing stands before it
    assert (row["one_prefix_method"], row["one_prefix_prefix"]) == (False, None)
    slot = told["I like these book"]["slots"][1]
    assert "I like these book"[slot["bad_start"] : slot["bad_end"]] == "book"


def test_a_form_that_is_also_right_makes_no_pair() -> None:
    """*put* is the past too."""
    put = clause("dog dog Sing", "puts put Sing", after="it PRON")
    known = ["dogs dog NOUN Number=Plur", f"put put VERB {PLUR}"]
    past = "put put VERB Mood=Ind|Tense=Past|VerbForm=Fin"
    assert len(pairs("en", known, put)) == 1
    assert not pairs("en", [*known, past], put)
    assert reasons("en", [*known, past], put)["right by another reading"] == 1


def test_a_form_or_reading_that_is_rare_is_taken_for_a_mistake() -> None:
    plural, rare = (WordForm(form, "bark", "VERB", PLUR) for form in ("bark", "barks"))
    singular, odd = (WordForm(form, "bark", "VERB", SING) for form in ("barks", "barkz"))
    for count, number in ((2, 1), (3, 2)):
        words = Paradigms({plural: 50, singular: 30, odd: count})
        assert len(words.others(plural, {"Number"})) == number
    words = Paradigms({plural: 50, singular: 300, rare: 1})
    assert words.readings("barks", "VERB") == [bundle(SING)]


@pytest.mark.parametrize(
    ("noun", "other", "expected"),
    [("dog", "dogs", 1), ("series", "series", 0), ("team", "teams", 0), ("data", "datum", 0)],
)
def test_nouns_whose_number_is_in_doubt_are_passed_over(
    noun: str, other: str, expected: int
) -> None:
    known = [f"{other} {noun} NOUN Number=Plur", f"bark bark VERB {PLUR}"]
    rows = pairs("en", known, clause(f"{noun} {noun} Sing", "barks bark Sing"))
    assert len(rows) == expected


@pytest.mark.parametrize(("mark", "expected"), [("when", 1), ("if", 0)])
def test_where_a_subjunctive_may_stand(mark: str, expected: int) -> None:
    was = "Mood=Ind|Number={}|Person=3|Tense=Past|VerbForm=Fin"
    rows = pairs(
        "en",
        [f"were be AUX {was.format('Plur')}", "dogs dog NOUN Number=Plur"],
        f"""
        {mark} {mark} SCONJ _ 5 mark
        the the DET {ARTICLE} 3 det
        dog dog NOUN Number=Sing 5 nsubj
        was be AUX {was.format("Sing")} 5 cop
        old old ADJ Degree=Pos 0 root
        """,
    )
    assert len(rows) == expected


LE = "le DET Definite=Def|Gender={}|Number={}|PronType=Art"


def french(determiner: str, noun: str, gender: str, *more: str) -> str:
    return f"""
        Elle lui PRON Gender=Fem|Number=Sing|Person=3|PronType=Prs 2 nsubj
        voit voir VERB {SING} 0 root
        {determiner} {LE.format(gender, "Sing")} 4 det
        {noun} {noun} NOUN Gender={gender}|Number=Sing 2 obj
    """ + "\n".join(more)


BOTH = [f"le {LE.format('Masc', 'Sing')}", f"la {LE.format('Fem', 'Sing')}"]


@pytest.mark.parametrize(
    ("determiner", "noun", "gender", "expected"),
    [
        ("la", "nation", "Fem", {"Elle voit le nation"}),
        ("le", "monument", "Masc", {"Elle voit la monument"}),
        ("la", "journaliste", "Fem", set()),  # le journaliste is a man
        ("la", "tour", "Fem", set()),  # le tour is another noun
        ("la", "addition", "Fem", set()),  # the article would have to be elided
    ],
)
def test_gender_only_where_it_is_sure(
    determiner: str, noun: str, gender: str, expected: set[str]
) -> None:
    rows = pairs("fr", BOTH, french(determiner, noun, gender))
    assert {row["sentence_bad"] for row in rows if row["UID"] == "determiner_gender"} == expected


def test_nothing_else_would_have_to_be_spelt_otherwise() -> None:
    """*n'est* would become *ne sont*, *à la* would become *aux*."""
    known = [f"sont être AUX {PLUR}", "portes porte NOUN Gender=Fem|Number=Plur", *BOTH]
    known += ["les le DET Definite=Def|Number=Plur|PronType=Art"]
    door = f"""
        La le DET Definite=Def|Gender=Fem|Number=Sing|PronType=Art 2 det
        porte porte NOUN Gender=Fem|Number=Sing 5 nsubj
        n'+ ne ADV Polarity=Neg 5 advmod
        est être AUX {SING} 5 cop
        grande grand ADJ Gender=Fem|Number=Sing 0 root
    """
    at = """
        Pense penser VERB Mood=Imp|Number=Sing|Person=2|Tense=Pres|VerbForm=Fin 0 root
        à à ADP _ 4 case
        la le DET Definite=Def|Gender=Fem|Number=Sing|PronType=Art 4 det
        porte porte NOUN Gender=Fem|Number=Sing 1 obl
    """
    assert wrong(pairs("fr", known, door)) == {"Les porte n'est grande"}
    assert not pairs("fr", known, at)
    assert reasons("fr", known, at)["spelling of neighbours"] >= 1


def test_a_verb_before_a_subject_that_could_be_dropped() -> None:
    """*Comen el pollo*: they eat it."""
    known = [f"comen comer VERB {PLUR}", "pollos pollo NOUN Gender=Masc|Number=Plur"]
    before = f"""
        Come comer VERB {SING} 0 root
        otro otro ADJ Gender=Masc|Number=Sing 3 amod
        pollo pollo NOUN Gender=Masc|Number=Sing 1 nsubj
    """
    after = f"""
        Otro otro ADJ Gender=Masc|Number=Sing 2 amod
        pollo pollo NOUN Gender=Masc|Number=Sing 3 nsubj
        come comer VERB {SING} 0 root
    """
    assert wrong(pairs("es", known, after)) == {"Otro pollo comen"}
    assert not pairs("es", known, before)
    assert reasons("es", known, before)["subject may be dropped"] == 1


GERMAN = "Case={}|Gender={}|Number={}"


def test_german_objects_may_stand_first() -> None:
    """*Die Frau sehen die Kinder*: it is the children who see her."""

    def sees(thing: str, number: str) -> str:
        return f"""
            Die der DET Case=Nom|Definite=Def|Gender=Fem|Number=Sing|PronType=Art 2 det
            Frau Frau NOUN {GERMAN.format("Nom", "Fem", "Sing")} 3 nsubj
            sieht sehen VERB {SING} 0 root
            {thing} {thing} NOUN {GERMAN.format("Acc", "Neut", number)} 3 obj
        """

    known = [
        f"sehen sehen VERB {PLUR}",
        f"Frauen Frau NOUN {GERMAN.format('Nom', 'Fem', 'Plur')}",
        f"Kinder Kinder NOUN {GERMAN.format('Nom', 'Neut', 'Plur')}",
    ]
    assert wrong(pairs("de", known, sees("Wasser", "Sing"))) == {"Die Frau sehen Wasser"}
    assert not pairs("de", known, sees("Kinder", "Plur"))


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ([], set()),  # *dem Hauses* is right for all we know
        ([f"Hauses Haus NOUN {GERMAN.format('Dat', 'Neut', 'Sing')}"], set()),
        ([f"Haus Haus NOUN {GERMAN.format('Dat', 'Neut', 'Sing')}"], {"Er denkt dem Hauses"}),
    ],
)
def test_case_only_where_the_noun_shows_it(known: list[str], expected: set[str]) -> None:
    article = "der DET Case={}|Definite=Def|Gender=Neut|Number=Sing|PronType=Art"
    house = f"""
        Er er PRON Case=Nom|Gender=Masc|Number=Sing|Person=3|PronType=Prs 2 nsubj
        denkt denken VERB {SING} 0 root
        des {article.format("Gen")} 4 det
        Hauses Haus NOUN {GERMAN.format("Gen", "Neut", "Sing")} 2 obj
    """
    forms = [f"dem {article.format('Dat')}", f"das {article.format('Acc')}"]
    assert wrong(pairs("de", [*forms, *known], house)) == expected


def test_a_finnish_genitive_may_stand_before_any_noun() -> None:
    """*huomisen äänestyksessä*: in tomorrow's vote."""
    adjective = "huominen ADJ Case={}|Degree=Pos|Number=Sing"
    noun = "äänestys NOUN Case={}|Number=Sing"
    known = [f"huomisen {adjective.format('Gen')}", f"äänestyksen {noun.format('Gen')}"]
    vote = f"""
        Tulen tulla VERB Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin 0 root
        huomiseen {adjective.format("Ill")} 3 amod
        äänestykseen {noun.format("Ill")} 1 obl
    """
    assert not pairs("fi", known, vote)
    inside = [f"huomisessa {adjective.format('Ine')}", f"äänestyksessä {noun.format('Ine')}"]
    assert wrong(pairs("fi", [*known, *inside], vote)) == {"Tulen huomisessa äänestykseen"}


def test_a_german_subjunctive_is_no_mistake() -> None:
    first = f"halte halten VERB {FIN.format('Sing', 1)}"
    rows = pairs(
        "de",
        [first],
        f"""
        Er er PRON Case=Nom|Gender=Masc|Number=Sing|Person=3|PronType=Prs 2 nsubj
        hält halten VERB {SING} 0 root
        """,
    )
    assert not rows


def test_russian_gender_only_of_things() -> None:
    past = "Aspect=Perf|Gender={}|Mood=Ind|Number=Sing|Tense=Past|VerbForm=Fin|Voice=Act"

    def falls(noun: str, animacy: str) -> str:
        return f"""
            {noun} {noun} NOUN Animacy={animacy}|Case=Nom|Gender=Masc|Number=Sing 2 nsubj
            упал упасть VERB {past.format("Masc")} 0 root
        """

    known = [f"упала упасть VERB {past.format('Fem')}"]
    assert wrong(pairs("ru", known, falls("стол", "Inan"))) == {"стол упала"}
    assert not pairs("ru", known, falls("доктор", "Anim"))  # the doctor may be a woman


def test_polite_pronouns_are_passed_over() -> None:
    known = [f"es être AUX {FIN.format('Sing', 2)}"]
    polite = f"""
        Vous vous PRON Number=Plur|Person=2|PronType=Prs 3 nsubj
        êtes être AUX {FIN.format("Plur", 2)} 3 cop
        là là ADJ _ 0 root
    """
    assert reasons("fr", known, polite)["polite"] >= 1
    assert not pairs("fr", known, polite)


def many(
    numbers: Sequence[str], verbs: Sequence[str], nouns: Sequence[str]
) -> tuple[str, list[str]]:
    """Sentences *The NOUN VERB*, each noun with each verb."""
    sentences, known = [], []
    for noun, verb in product(nouns, verbs):
        known += [f"{noun} {noun} NOUN Number=Sing", f"{noun}ks {noun} NOUN Number=Plur"]
        known += [f"{verb}s {verb} VERB {SING}", f"{verb} {verb} VERB {PLUR}"]
        for number in numbers:
            s, p = ("s", "") if number == "Sing" else ("", "ks")
            words = f"{noun}{p} {noun} {number}", f"{verb}{s} {verb} {number}"
            sentences.append(clause(*words, after=f"{verb}ly ADV"))
    return conllu(*sentences), known


def kept(text: str, known: list[str], caps: Caps, turn: bool = False) -> PairMaker:
    made, items = maker("en", text, known, caps)
    made.take(items.take(list(range(len(items)))[::-1]) if turn else items)
    return made


NOUNS = [f"b{a}{b}" for a in "aeiou" for b in "dgk"]
VERBS = [f"z{a}{b}" for a in "aeiou" for b in "bt"]


def test_no_lemma_and_no_controller_has_more_than_its_share() -> None:
    caps = Caps(lemma=3, controller=2, few=0)
    rows = kept(*many(["Sing", "Plur"], VERBS, NOUNS), caps).certain().rows()
    targets = Counter((r["features"]["good_value"], r["features"]["target"]) for r in rows)
    controllers = Counter((r["features"]["good_value"], r["features"]["controller"]) for r in rows)
    assert max(targets.values()) == 3
    assert max(controllers.values()) == 2
    assert len(targets) == 2 * len(VERBS)


def test_no_bad_form_has_more_than_its_share() -> None:
    rows = kept(*many(["Sing", "Plur"], VERBS, NOUNS), Caps(form=2, few=0)).certain().rows()
    forms = Counter((r["features"]["good_value"], r["one_prefix_word_bad"]) for r in rows)
    assert set(forms.values()) == {2}
    assert len(forms) == 2 * len(VERBS)


def judged(language: str, known: Sequence[str], *sentences: str) -> list[tuple[object, ...]]:
    """What the items of sentences have for a masked end, a doubt, candidates, and a flag."""
    made, items = maker(language, conllu(*sentences), known)
    table, sure = made.take(items)
    columns = (table[name].to_pylist() for name in ("masked", "doubt", "candidates"))
    return list(zip(*columns, sure.tolist(), strict=True))


def test_items_have_the_reasons_of_pairs() -> None:
    assert judged("en", BARKS, DOGS) == [("controller", None, 1, True), ("target", None, 1, True)]
    firms = clause("firms firm Plur", "bark bark Plur")
    known = [f"barks bark VERB {SING}", "firm firm NOUN Number=Sing"]
    may_follow = "number may follow meaning"
    found = judged("en", known, firms)
    assert found == [("controller", may_follow, 1, False), ("target", may_follow, 1, False)]


def test_an_item_without_a_wrong_form_says_so() -> None:
    made, items = maker("en", conllu(DOGS), BARKS)
    made.wrong_forms.forms.__dict__["_by_lemma"] = {}
    table, sure = made.take(items)
    assert table["candidates"].to_pylist() == [0, 0]
    assert sure.all()


def test_cells_are_filled_to_the_same_quota() -> None:
    few, known = many(["Plur"], VERBS[:1], NOUNS[:6])
    lots, more = many(["Sing"], VERBS, NOUNS)
    made = kept(few + lots, known + more, Caps(floor=5, cell=20, form=10))
    facts = made.facts(made.certain(), doubtful=False)
    assert facts["quota"] == 20
    assert facts["kept"] == {"verb_number": {"Plur>Sing": 6, "Sing>Plur": 20}}
    assert facts["unfilled"] == {"verb_number Plur>Sing": 6}
    assert facts["made"] == {"verb_number": 6 + len(VERBS) * len(NOUNS)}
    small = kept(lots, more, Caps(floor=5, cell=7, few=1000)).certain()
    assert small.quota == 7
    cut = kept(lots, more, Caps(floor=5, cell=7)).certain().rows()
    assert [row["pair_id"] for row in cut] == list(range(7))
    assert len({row["features"]["target"] for row in cut}) == 7


def test_pairs_with_a_noun_between_have_uids_of_their_own() -> None:
    def near(noun: str) -> str:
        lines = "near near ADP _ 5 case", f"the the DET {ARTICLE} 5 det", f"{noun} 2 nmod"
        return clause("dogs dog Plur", "bark bark Plur", *lines)

    cat, cats = "cat cat NOUN Number=Sing", "cats cat NOUN Number=Plur"
    made, items = maker("en", conllu(near(cat), near(cats), DOGS), BARKS)
    made.take(items)
    uids = {uid for uid, _ in made.made}
    assert uids >= {"verb_number", "verb_number_attractor", "verb_number_intervening"}
    rows = made.certain().rows()
    assert len({row["sentence_good"] for row in rows}) == len(rows)
    assert {row["features"]["bad_value"] for row in rows} == {"Sing"}
    assert {row["features"]["differs"] for row in rows} == {"Number"}
    (told,) = [r["features"] for r in rows if r["UID"] == "verb_number_attractor"]
    assert (told["attractor"], told["attractor_number"], told["match"]) == (
        "cat", "Sing", "mismatch",
    )  # fmt: skip
    assert (told["distance"], told["intervenes"]) == (4, True)


def test_the_choice_does_not_depend_on_the_order_of_the_items() -> None:
    text, known = many(["Sing", "Plur"], VERBS, NOUNS)
    caps = Caps(cell=20, lemma=3, controller=4)
    one, other = kept(text, known, caps), kept(text, known, caps, turn=True)
    assert one.certain().rows() == other.certain().rows()


def test_pairs_of_a_treebank_are_written_and_can_be_opened(tmp_path: Path) -> None:
    path, out = tmp_path / "en_mine.conllu", tmp_path / "pairs.parquet"
    barks = clause("dog dog Sing", "barks bark Sing")
    path.write_text(conllu(DOGS.replace("The the", "Strange the"), barks), encoding="utf-8")
    mined = mine(path, pairs=out, keep=False, without=FLAWS)
    table = pq.read_table(out)
    assert table.schema.equals(SCHEMA)
    assert "Strange dogs barks loudly." in table["sentence_bad"].to_pylist()
    assert mined.counts.pairs == len(table) == open_pairs(str(out)).rows
