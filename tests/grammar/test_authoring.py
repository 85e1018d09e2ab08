"""Saying what fits: typical arguments, weights, kinds of slots, templates like others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from drawing import drawn, make_root, rows, template
from expecting import problems_of
from solecism.check.run import check_paths
from solecism.datasets.from_templates import find_paradigm
from solecism.grammar.paradigm import Paradigm
from solecism.root import Root

TABLES = {
    "noun": """
        lemma    Number=Sing  Number=Plur  Class
        baker    baker        bakers       human
        pilot    pilot        pilots       human
        cake     cake         cakes        food
        bread    bread        breads       food
        plane    plane        planes       thing
        glass#2  glass        glasses      thing
    """,
    "verb": """
        lemma  Tense=Past  Weight
        bake   baked       3
        fly    flew        1
        see    saw         2
    """,
    "det": """
        lemma  Number=Sing  Number=Plur
        the    the          the
        this   this         these
    """,
    "classes": "class  parent\nhuman  -\nfood  thing\nthing  -",
    "typical/verb": """
        lemma  Subject              Object
        bake   baker                *food
        fly    *crew, -baker        plane
        see    *human               *thing, -*food, glass
    """,
    "typical/groups": """
        group  words
        crew   *human
    """,
}
LINES = """
    good: {{ the }} {{ baker }} {{ bakes }} {{ this | agree(cake) }} {{ cake }}
    bad:  {{ the }} {{ baker }} {{ bakes }} {{ this | agree(cake) }} {{ cake | clash(cake, "Number") }}
"""
FRONT = """
    slots:
      the:   {from: det, lemma: the}
      baker: {from: noun, Number: Sing}
      bakes: {from: verb}
      this:  {from: det, lemma: this}
      cake:  {from: noun}
    where:
      - the.Number == baker.Number
      - baker is typical(bakes.Subject)
      - cake is typical(bakes.Object)
    draw: all
"""


def typical_root(folder: Path, **changes: str) -> Root:
    (folder / "lexicons" / "xx" / "typical").mkdir(parents=True, exist_ok=True)
    tables = {**TABLES, **{name.replace("_", "/"): text for name, text in changes.items()}}
    return make_root(folder, tables, {"p": template("p", FRONT, LINES)})


def good(paradigm: Paradigm) -> list[str]:
    return [row["sentence_good"] for row in rows(paradigm)]


def paradigm(folder: Path, front: str, kinds: str = "", lines: str = LINES) -> Paradigm:
    root = typical_root(folder)
    templates = folder / "templates" / "tiny" / "xx"
    (templates / "p.jinja").write_text(template("p", front, lines))
    if kinds:
        (templates / "_slots.yaml").write_text(kinds)
    return find_paradigm(root, "tiny", "xx", "p")


# Typical arguments.


def test_words_are_drawn_with_what_is_typical_of_them(tmp_path: Path) -> None:
    sentences = good(find_paradigm(typical_root(tmp_path), "tiny", "xx", "p"))
    objects = {"baked": {"cake", "bread"}, "flew": {"plane"}, "saw": {"plane", "glass"}}
    subjects = {"baked": {"baker"}, "flew": {"pilot"}, "saw": {"baker", "pilot"}}
    expected = {
        f"the {who} {verb} {this} {what}{end}"
        for verb in objects
        for who in subjects[verb]
        for what in objects[verb]
        for this, end in (("this", ""), ("these", "es" if what == "glass" else "s"))
    }
    assert set(sentences) == expected


def test_a_word_without_an_entry_is_not_drawn(tmp_path: Path) -> None:
    root = typical_root(tmp_path, typical_verb="lemma  Subject  Object\nfly  pilot  plane")
    sentences = good(find_paradigm(root, "tiny", "xx", "p"))
    assert set(sentences) == {"the pilot flew this plane", "the pilot flew these planes"}


def test_typical_stands_in_other_expressions_too(tmp_path: Path) -> None:
    front = FRONT.replace("      - cake is typical(bakes.Object)\n", "")
    front += "    features: {known: \"'yes' if cake is typical(bakes.Object)\"}\n"
    table = drawn(paradigm(tmp_path, front), extra=("known",)).to_pylist()
    known = Counter((row["sentence_good"].split()[2], row["features"]["known"]) for row in table)
    assert (known["flew", "yes"], known["flew", ""]) == (2, 8)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("typical_verb", "lemma  Subject\nbke  baker", "2: verb.tsv has no lemma 'bke' (did you mean 'bake'"),
        ("typical_verb", "lemma  Subject\nbake  bakr", "2: unknown entry 'bakr' (did you mean 'baker'"),
        ("typical_verb", "lemma  Subject\nbake  *foo", "2: unknown entry '*foo' (did you mean 'food'"),
        ("typical_verb", "lemma  Subject\nbake  baker\nbake  pilot", "3: 'bake' stands twice"),
        ("typical_groups", "group  words\nfood  cake", "2: 'food' is a class or a group already"),
        ("typical_vrb", "lemma  Subject\nbake  baker", "1: the lexicon has no table 'vrb' (did you mean"),
    ],
)  # fmt: skip
def test_bad_typical_arguments_are_told(tmp_path: Path, file: str, text: str, message: str) -> None:
    root = typical_root(tmp_path, **{file: text})
    path = f"lexicons/xx/{file.replace('_', '/')}.tsv"
    (problem, *_) = problems_of(lambda: find_paradigm(root, "tiny", "xx", "p"), tmp_path)
    assert problem.startswith(f"{path}:{message}")
    found = {(f.code, f.path, f.line) for f in check_paths(["lexicons/xx"], tmp_path)}
    assert ("L001", path, int(message.partition(":")[0])) in found


def test_typical_arguments_are_not_read_where_no_template_asks_for_them(tmp_path: Path) -> None:
    front = FRONT.replace("      - cake is typical(bakes.Object)\n", "")
    front = front.replace("      - baker is typical(bakes.Subject)\n", "")
    bound = paradigm(tmp_path, front)
    assert "typical" not in vars(bound.phrases.lexicon)


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("cake is typical(bakes.Objekt)", "typical/verb.tsv has no column 'Objekt' (did you mean 'Object'"),
        ("cake is typical(bakes)", "write the test as x is typical(verb.Object)"),
        ("cake is typical('bakes')", "write the test as x is typical(verb.Object)"),
    ],
)  # fmt: skip
def test_a_bad_test_is_told(tmp_path: Path, test: str, message: str) -> None:
    front = FRONT.replace("cake is typical(bakes.Object)", test)
    (problem,) = problems_of(lambda: paradigm(tmp_path, front), tmp_path)
    assert message in problem


# Weights.

WEIGHED = """
    slots:
      the:   {from: det, lemma: the, Number: Sing}
      baker: {from: noun, Number: Sing, lemma: {baker: 2, pilot: 1}}
      bakes: {from: verb, weight: Weight}
      this:  {from: det, lemma: this}
      cake:  {from: noun, lemma: [cake, bread, plane], Number: {Sing: 1, Plur: 2}}
    may_repeat: [the, this]
"""


def shares(sentences: list[str], place: int) -> dict[str, int]:
    return dict(Counter(sentence.split()[place] for sentence in sentences))


@pytest.mark.parametrize("mark", ["- ", ""])
def test_an_implication_is_a_word(tmp_path: Path, mark: str) -> None:
    test = 'if bakes.lemma == "bake": cake.Number == "Sing"'
    front = f"""
        slots:
          the:   {{from: det, lemma: the}}
          baker: {{from: noun, lemma: baker, Number: Sing, where: it.Number == the.Number}}
          bakes: {{from: verb}}
          this:  {{from: det, lemma: this}}
          cake:  {{from: noun, lemma: cake}}
        where:
          {mark}{test}
    """
    found = {
        (r["slots"][2]["lemma"], r["slots"][4]["feats"]) for r in rows(paradigm(tmp_path, front))
    }
    assert ("bake", "Number=Sing") in found
    assert ("bake", "Number=Plur") not in found
    assert ("see", "Number=Plur") in found
