"""The Hebrew lexicon is spelt in full without vowel signs, by the Academy's rules of 2017.

What can be checked by form: signs, endings, what a binyan asks for, and a list of spellings that
are often seen and are not the rule.
"""

import re
from collections.abc import Iterator

import pytest

from release import CHECKOUT
from solecism.lexicon.features import Feats
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import Row, Table, read_table

FOLDER = CHECKOUT / "lexicons" / "he"
LOCKED = frozenset({"לעתים"})
"""Older spellings of CLAMS, whose data do not change."""
DEFECTIVE = frozenset(
    re.findall(
        r"[א-ת]+",
        """
    אדוה אוזניה אויר אוניה אמא אפנים אשה אתי אתך אתנו בנין בעית בקור בשול גופיה גנה דבור זכרון
    חדוש חמשה חנוך טלויזיה טפול טריה ידים כון כסא כסאות כתה כתות לחמניה לעתים מאפיה מדה
    מוזיאון מוסיקה מזודה מטריה מכנסים מלה מעונין משקפים נעלים נקיה סדור סוכריה ספור ספריה
    עגבניה עוגיה עינים ענין עפרון עתון עתונאי פטריה צהרים צלום צלומים צנור ראיון ראיונות רגלים
    רהוט שוה שויון שינים שלחן שלחנות שנוי שעור ששה שתים תיאטרון תכניות תכנית תקוה
    """,
    )
)
"""Spellings that are often seen and that the rules do not allow."""
POINTS = re.compile("[\u0591-\u05c7]")
FINAL_INSIDE = re.compile("[ךםןףץ](?=[א-ת])|[כמנצ](?= |$)")
"""A final letter inside a word, or a plain one at its end (pe may end foreign words)."""

Form = tuple[Table, Row, Feats, str]


def forms() -> Iterator[Form]:
    """Yield every form of the Hebrew lexicon, and words that have none."""
    for name in Lexicon(FOLDER).names:
        table = read_table(FOLDER / f"{name}.tsv")
        for row in table.rows:
            for cell, text in (row.forms or {Feats(): row.shown}).items():
                yield table, row, cell, text


ALL = list(forms())


def verbs(binyan: str, **feats: str) -> list[tuple[str, str]]:
    """Return lemma and form of the verbs of a binyan in the cells with these features."""
    return [
        (row.shown, text) for table, row, cell, text in ALL
        if row.properties.get("HebBinyan") == binyan and table.name == "verb"
        and all(value in cell.text(name).split(",") for name, value in feats.items())
    ]  # fmt: skip


def test_there_are_no_points_and_letters_stand_where_they_may() -> None:
    for table, row, _, text in ALL:
        prefix = table.name == "adp.suffixed" and len(text) == 1
        assert not POINTS.search(text), (table.name, text)
        assert prefix or not FINAL_INSIDE.search(text), (table.name, row.lemma, text)
        assert "ווו" not in text, (table.name, text)


def test_no_word_is_spelt_defectively() -> None:
    for table, _, _, text in ALL:
        found = DEFECTIVE.intersection(text.split()) - LOCKED
        assert not found, (table.name, text)


def test_no_template_prints_a_defective_spelling() -> None:
    for path in sorted((CHECKOUT / "templates" / "blimp-he" / "he").iterdir()):
        assert not DEFECTIVE.intersection(re.findall("[א-ת]+", path.read_text())), path.name


def test_adjectives_in_i_double_the_yod_of_their_plural() -> None:
    """*ביתיים*, *עצמאיים* ("independent"; the noun is עצמאים), but *אחראים*."""
    masculine = Feats.parse("Gender=Masc|Number=Sing")
    plural = Feats.parse("Gender=Masc|Number=Plur")
    for row in read_table(FOLDER / "adj.tsv").rows:
        one, many = row.forms[masculine], row.forms[plural]
        if one.endswith("י"):
            assert many == one + ("ם" if one == "אחראי" else "ים"), one


def test_nouns_of_two_parts_end_in_two_yods() -> None:
    plural = [r for r in read_table(FOLDER / "noun.tsv").rows if r.properties["Count"] == "plural"]
    assert plural
    for row in plural:
        assert row.shown.endswith("יים") or row.shown == "מים", row.shown


def test_feminine_nouns_keep_their_yod_before_the_ending() -> None:
    """*ספרייה* and *בעיה* both have two before the *t* of the construct state."""
    for row in read_table(FOLDER / "noun.tsv").rows:
        single = row.forms.get(Feats.parse("Definite=Cons|Number=Sing"), "")
        if row.shown.endswith("יה") and row.properties["Gender"] == "Fem":
            assert single.endswith("יית"), single


@pytest.mark.parametrize(
    ("binyan", "feats", "pattern"),
    [
        (
            "PIEL",
            {"Tense": "Past", "Person": "3", "Gender": "Masc", "Number": "Sing"},
            ".י.+|.{4,}",
        ),
        ("NIFAL", {"VerbForm": "Inf"}, "להי.+|ליהנות"),
        ("NIFAL", {"Tense": "Fut", "Person": "3", "Gender": "Masc", "Number": "Sing"}, "יי.+"),
        ("HITPAEL", {"VerbForm": "Inf"}, "לה[יא-ת].+"),
        ("HIFIL", {"VerbForm": "Inf"}, "לה.+"),
        ("PIEL", {"VerbForm": "Part", "Gender": "Masc", "Number": "Sing"}, "מ.+"),
    ],
)
def test_verbs_have_the_letters_of_their_binyan(
    binyan: str, feats: dict[str, str], pattern: str
) -> None:
    found = verbs(binyan, **feats)
    assert found
    wrong = [form for _, form in found if form and not re.fullmatch(pattern, form)]
    assert not wrong
