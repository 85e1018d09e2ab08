"""Interlinear glosses: of features, of words by the rules of spelling, of sentences."""

from pathlib import Path

import pytest

from drawing import make_paradigm
from solecism.check.run import check_paths
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.suites import draw_suites
from solecism.lexicon.features import Feats
from solecism.lexicon.glosses import gloss_of_features

TABLES = {
    "noun": """
        lemma            Number=Sing      Number=Plur       Gender  Gloss
        ami              ami              amis              Masc    friend
        pièce de théâtre  pièce de théâtre  pièces de théâtre  Fem     play
    """,
    "det": """
        lemma  Gender=Masc|Number=Sing  Gender=Fem|Number=Sing  Number=Plur  Gloss
        le     le                       la                      les          the
    """,
    "verb": """
        lemma  Number=Sing|Person=1,3  Number=Sing|Person=2  Number=Plur|Person=1,2,3  Gloss
        rire   rit                     ris                   rient                     laugh
    """,
    "pron": """
        lemma  Number  Person  Gender     Gloss
        je     Sing    1       Fem,Masc   PRO
        elle   Sing    3       Fem        PRO
    """,
    "words": """
        form  Gloss
        de    of
        vite  at once
    """,
    "orthography": """
        rule         left   right      result
        elision      le|la  [aeiou].*  l'+=
        contraction  de     les        des
        capital      -      -          yes
        stop         -      -          .
    """,
}
FRONT = """
slots:
  n: {from: [noun, pron]}
  m: {from: noun}
where: [n.lemma != m.lemma]
"""
PHRASES = """
{% macro the(n) %}{% if n.upos == "NOUN" %}{{ word("det", "le") | agree(n) }}{% endif %} {{ n }}{% endmacro %}
"""
SIDES = """
{}: {{{{ the(n) }}}} de {{{{ the(m) }}}} {{{{ word("verb", "rire") | agree(n) }}}} vite, bien
{}: {{{{ the(n) }}}} de {{{{ the(m) }}}} {{{{ word("verb", "rire") | clash(n, "Number") }}}} vite, bien
"""


def test_features_in_the_order_of_the_rules() -> None:
    verb = Feats.parse("Mood=Ind|Number=Plur|Person=3|Tense=Past|VerbForm=Fin|Voice=Pass")
    assert gloss_of_features(verb) == "PST.PASS.3PL"
    assert gloss_of_features(Feats.parse("Case=Gen|Gender=Neut|Number=Sing")) == "GEN.SG.N"
    assert gloss_of_features(Feats.parse("Case=Nom|Gender=Masc|Number=Sing|Person=3")) == (
        "3SG.M.NOM"
    )
    assert gloss_of_features(Feats.parse("Animacy=Anim|Case=Lat|Degree=Pos")) == "LAT"


@pytest.mark.parametrize(
    ("tokens", "gloss"),
    [
        ("je de l' ami rit vite , bien", "1SG of the.SG.M friend.SG laugh.1SG at.once , bien"),
        ("elle des amis rient vite , bien", "3SG.F of.the.PL friend.PL laugh.PL at.once , bien"),
        (
            "l' ami de la pièce de théâtre rit vite , bien",
            "the.SG.M friend.SG of the.SG.F play.SG _ _ laugh.3SG at.once , bien",
        ),
    ],
    ids=["values of the subject", "contraction and every value", "several words"],
)
def test_each_token_of_a_sentence_has_a_gloss(tmp_path: Path, tokens: str, gloss: str) -> None:
    paradigm = make_paradigm(tmp_path, TABLES, FRONT, SIDES.format("good", "bad"), PHRASES)
    found: dict[str, str] = {}
    for row in (row for table in draw_pairs(paradigm, glosses=True) for row in table.to_pylist()):
        found |= zip((row["tokens_good"], row["tokens_bad"]), row["glosses"], strict=True)
    assert found[tokens] == gloss
    (finding,) = check_paths([], tmp_path)
    assert (finding.code, finding.path) == ("T018", "lexicons/xx/words.tsv")
    assert finding.message.endswith("'bien'")


def test_without_glosses_lemmas_stand_in_their_place(tmp_path: Path) -> None:
    tables = {name: text.replace("Gloss", "Sense") for name, text in TABLES.items()}
    del tables["words"]
    front = f"{FRONT}predictions: ['a > b']"
    paradigm = make_paradigm(tmp_path, tables, front, SIDES.format("a", "b"), PHRASES)
    items = [row for table in draw_suites(paradigm, glosses=True) for row in table.to_pylist()]
    wanted = "le.PL ami.PL de le.SG.F pièce.de.théâtre.SG _ _"
    assert f"{wanted} rire.PL vite , bien" in [item["glosses"][0] for item in items]
    assert "T018" not in [finding.code for finding in check_paths([], tmp_path)]
