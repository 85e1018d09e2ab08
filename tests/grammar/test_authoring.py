"""Saying what fits: typical arguments, weights, kinds of slots, templates like others."""

from collections import Counter
from pathlib import Path

import pytest

from drawing import drawn, make_root, never_list, rows, template
from expecting import problems_of
from solecism.check.run import check_paths
from solecism.datasets.from_templates import find_paradigm
from solecism.grammar.paradigm import Paradigm
from solecism.grammar.template import read_template
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


@pytest.mark.parametrize("listed", [True, False])
def test_balanced_draws_keep_weights_exactly_in_any_first_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: bool
) -> None:
    if not listed:
        never_list(monkeypatch)
    front = WEIGHED + "    balance: [bakes.lemma, baker.lemma]\n    draw: 12\n"
    sentences = good(paradigm(tmp_path, front))
    assert shares(sentences, 2) == {"baked": 6, "flew": 2, "saw": 4}
    assert shares([text for text in sentences if "baked" in text], 1) == {"baker": 4, "pilot": 2}
    assert shares(sentences[:6], 2) == {"baked": 3, "flew": 1, "saw": 2}


@pytest.mark.parametrize("listed", [True, False])
def test_weights_are_chances_without_balance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: bool
) -> None:
    """Over many seeds, the first draw has each verb as often as it weighs."""
    if not listed:
        never_list(monkeypatch)
    found = paradigm(tmp_path, WEIGHED + "    draw: 1\n")
    firsts = [good_of_seed(found, seed) for seed in range(600)]
    for place, word, share in ((2, "baked", 3 / 6), (3, "these", 2 / 3), (1, "baker", 2 / 3)):
        assert abs(shares(firsts, place)[word] / 600 - share) < 0.07, word


def good_of_seed(found: Paradigm, seed: int) -> str:
    return str(rows(found, seed)[0]["sentence_good"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pilot: 1", "pilot: 0", "the weight of 'pilot' is no number from 1 to 1,000"),
        ("pilot: 1", "pilot: much", "the weight of 'pilot' is no number from 1 to 1,000"),
        ("weight: Weight", "weight: Tense", "weight: a column of numbers from 1 to 1,000, not nothing"),
    ],
)  # fmt: skip
def test_bad_weights_are_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    (problem,) = problems_of(
        lambda: paradigm(tmp_path, WEIGHED.replace(old, new) + "    draw: 4\n"), tmp_path
    )
    assert message in problem


# What a slot must not be.


# Kinds of slots.

KINDS = """
subject of v: {from: noun, Number: Sing, where: it is typical(v.Subject)}
object of v: {from: noun, not: {lemma: bread}, where: [it is typical(v.Object), 'it.lemma != "it"']}
determiner of n: {from: det, where: it.Number == n.Number}
"""
OF_KINDS = """
    slots:
      the:   {kind: determiner of baker, lemma: the}
      baker: subject of bakes
      bakes: {from: verb}
      this:  {from: det, lemma: this}
      cake:  {kind: object of bakes, not: {lemma: plane}}
    draw: all
"""


def test_a_slot_is_of_a_kind_and_adds_to_it(tmp_path: Path) -> None:
    sentences = good(paradigm(tmp_path, OF_KINDS, KINDS))
    assert {" ".join(text.split()[:3] + text.split()[4:]) for text in sentences} == {
        "the baker baked cake", "the baker baked cakes", "the baker saw glass", "the pilot saw glass",
        "the baker saw glasses", "the pilot saw glasses",
    }  # fmt: skip


def test_kinds_of_all_languages_of_one_and_of_a_data_set(tmp_path: Path) -> None:
    shared = tmp_path / "templates/phrases"
    shared.mkdir(parents=True)
    (shared / "kinds.yaml").write_text(KINDS)
    (shared / "xx.yaml").write_text("subject of v: {kind: subject of v, lemma: baker}\n")
    own = "object of v: {kind: object of v, lemma: [cake, 'glass#2']}\n"
    sentences = good(paradigm(tmp_path, OF_KINDS, own))
    assert {" ".join(text.split()[:3] + text.split()[4:]) for text in sentences} == {
        "the baker baked cake", "the baker baked cakes", "the baker saw glass", "the baker saw glasses",
    }  # fmt: skip


def test_a_kind_adds_to_another(tmp_path: Path) -> None:
    kinds = KINDS + 'seen object of v: {kind: object of v, where: v.lemma == "see"}\n'
    front = OF_KINDS.replace("kind: object of bakes", "kind: seen object of bakes")
    assert shares(good(paradigm(tmp_path, front, kinds)), 2) == {"saw": 4}


@pytest.mark.parametrize(
    ("kinds", "front", "message"),
    [
        (KINDS, "object of bakes", "slot 'cake': there is no kind 'objct of bakes'"),
        (KINDS, "object of bakes", "slot 'cake': 'object of baks': there is no slot 'baks'"),
        (KINDS + "subject of n: {from: noun}\n", "", "there is a kind 'subject of ...' already"),
        (KINDS + "thing: noun\n", "", "'thing' wants a name and"),
        (KINDS + "x: {kind: y, from: noun}\n", "", "there is no kind 'y'"),
    ],
)
def test_bad_kinds_are_told(tmp_path: Path, kinds: str, front: str, message: str) -> None:
    wrong = message.partition("'")[2].split("'")[2] if front else ""
    text = OF_KINDS.replace(front, wrong) if front else OF_KINDS
    (problem,) = problems_of(lambda: paradigm(tmp_path, text, kinds), tmp_path)
    assert message in problem


# Names for expressions.

NAMED = (
    FRONT
    + """
    names:
      who: baker if bakes.lemma == "bake" else cake
      all: who | form(Number="Plur")
"""
)


def test_a_template_names_an_expression(tmp_path: Path) -> None:
    lines = (
        "good: {{ the }} {{ all }} {{ bakes }} {{ this }} {{ cake }}\nbad: {{ bakes }} {{ all }}"
    )
    printed = {tuple(text.split()[1:3]) for text in good(paradigm(tmp_path, NAMED, lines=lines))}
    assert printed == {
        ("bakers", "baked"),
        ("planes", "flew"),
        ("planes", "saw"),
        ("glasses", "saw"),
    }


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("baker: cake", "names: 'baker' is a slot or no name"),
        ("if: cake", "names: 'if' is a slot or no name"),
        ("who: cake", "names: 'who' is used nowhere"),
        ("who: [cake]", "'who' wants a text"),
    ],
)
def test_bad_names_are_told(tmp_path: Path, names: str, message: str) -> None:
    front = FRONT + f"    names: {{{names}}}\n"
    assert message in problems_of(lambda: paradigm(tmp_path, front), tmp_path)[0]


# Templates like others.


def like(folder: Path, front: str, lines: str = "") -> Paradigm:
    root = typical_root(folder)
    text = template("q", f"like: p\n{front}", lines)
    text = text.replace("phenomenon: agreement\nabout: A test.\nsource: nobody-1999\n", "")
    (folder / "templates" / "tiny" / "xx" / "q.jinja").write_text(text)
    return find_paradigm(root, "tiny", "xx", "q")


def test_a_template_takes_over_all_but_what_it_says(tmp_path: Path) -> None:
    found = like(tmp_path, "about: Another test.\nslots: {bakes: {lemma: see}}")
    assert found.template.about == "Another test."
    assert found.template.phenomenon == "subject_verb_agreement"
    assert found.template.id == found.template.construction == "q"
    assert set(good(found)) == {
        f"the {who} saw {what}"
        for who in ("baker", "pilot")
        for what in ("this plane", "this glass", "these planes", "these glasses")
    }


def test_what_cannot_be_taken_over_is_told(tmp_path: Path) -> None:
    root = typical_root(tmp_path)
    folder = tmp_path / "templates" / "tiny" / "xx"
    for uid, above in (("q", "o"), ("r", "s"), ("s", "r")):
        (folder / f"{uid}.jinja").write_text(f"---\nid: {uid}\nlike: {above}\n---\n")
    told = {
        uid: problems_of(lambda: find_paradigm(root, "tiny", "xx", uid), tmp_path)[0]  # noqa: B023
        for uid in ("q", "r")
    }
    assert "like: there is no template 'o'" in told["q"]
    assert "is like this template itself" in told["r"]


# Features as texts.


def test_defaults_are_what_templates_share_unless_they_say_otherwise(tmp_path: Path) -> None:
    root = typical_root(tmp_path)
    folder = root.path / "templates" / "tiny" / "xx"
    defaults = "about: Shared.\ndraw: 2\nfeatures: {one: baker, two: bakes}\n"
    (folder / "_defaults.yaml").write_text(defaults, encoding="utf-8")
    path = folder / "p.jinja"
    text = path.read_text().replace("draw: all", "draw: ~\nfeatures: {two: ~, three: cake}")
    path.write_text(text.replace("about: ", "# "))
    read = read_template(path)
    assert (read.about, read.draw) == ("Shared.", None)
    assert read.features == {"one": "baker", "three": "cake"}
    (folder / "_defaults.yaml").write_text("about: a: b\n", encoding="utf-8")
    (told,) = problems_of(lambda: read_template(path), root.path)
    assert told.startswith("templates/tiny/xx/_defaults.yaml:1: YAML: a text with ': '")


def test_an_implication_is_a_word(tmp_path: Path) -> None:
    implied = 'if bakes.lemma == "bake": cake.Number == "Sing"'
    sentences = good(paradigm(tmp_path, FRONT.replace("cake is typical(bakes.Object)", implied)))
    verbs = {tuple(sentence.split()[2:4]) for sentence in sentences}
    assert ("baked", "these") not in verbs
    assert verbs >= {("baked", "this"), ("saw", "this"), ("saw", "these")}
