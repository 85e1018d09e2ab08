"""What takes too much time, memory or depth is refused at once, by a limit that has a name."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from expecting import problems_of
from solecism.avg.grammar import build_avg
from solecism.formula import parse
from solecism.grammar.front_matter import FrontMatterError, read_front_matter
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import load_paradigm
from solecism.grammar.suites import draw_suites
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.orthography import read_orthography
from solecism.limits import DEPTH, TooDeepError, check_nesting
from tiny import FILES, make_root, rewrite

SIMPLE, PHRASES = "templates/demo/xx/simple.jinja", "templates/demo/xx/_phrases.jinja"
FORMS = 61


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_root(tmp_path)


@pytest.fixture(autouse=True)
def _quick() -> object:
    start = time.process_time()
    yield
    assert time.process_time() - start < 5


def told(root: Path) -> str:
    """What drawing from the template ``simple`` is refused for."""

    def draw() -> None:
        paradigm = load_paradigm(root / SIMPLE, Lexicon(root / "lexicons/xx"))
        draw_items = draw_pairs if paradigm.template.is_pair else draw_suites
        for _ in draw_items(paradigm):
            pass

    return problems_of(draw, root)[0]


def write(root: Path, expression: str, front: str = "", phrases: str = "") -> None:
    """Write a template with an expression in both lines, and macros."""
    lines = "\n".join(
        f"{name}: {word} {{{{ {expression} }}}} {{{{ author }}}} {{{{ laughs | {verb} }}}}"
        for name, word, verb in (
            ("good", "x", "agree(author)"), ("bad", "y", 'clash(author, "Number")'),
        )
    )  # fmt: skip
    head = FILES[SIMPLE].partition("where:")[0]
    rewrite(root / SIMPLE, f"{head}controller: author\n{front}---\n{lines}\n")
    rewrite(root / PHRASES, FILES[PHRASES] + phrases)


def doubling(body: str, argument: str = "", times: int = 40) -> str:
    """Macros each of which calls the one before twice."""
    call = "{{{{ m{0}({1}) }}}}{{{{ m{0}({1}) }}}}"
    bodies = [body, *(call.format(n, argument) for n in range(times))]
    return "".join(
        f"{{% macro m{n}({argument}) %}}{text}{{% endmacro %}}\n" for n, text in enumerate(bodies)
    )


@pytest.mark.parametrize("body", ["a", ""])
def test_calls_of_macros_are_counted(root: Path, body: str) -> None:
    write(root, "m40()", phrases=doubling(body))
    assert "more than 1,000 calls of macros in {{ m40() }}" in told(root)


@pytest.mark.parametrize(
    "front", ['where: m40() == "a" and author.Number == "Sing"', "features: {f: m40()}"]
)
def test_calls_are_counted_in_clauses_and_features(root: Path, front: str) -> None:
    write(root, "author", f"{front}\n", doubling("a"))
    assert "more than 1,000 calls of macros" in told(root)


@pytest.mark.parametrize("expression", ["m40(author)", '"a" if m40(author) else ""'])
def test_what_doubling_macros_ask_of_a_slot_is_found_once(root: Path, expression: str) -> None:
    write(root, expression, phrases=doubling("{{ n.Number }}", "n"))
    assert "more than 1,000 calls of macros" in told(root)


@pytest.mark.parametrize("body", ["{{ x }} {{ x }}", "{{ x ~ x }}", "{{ x }} " * 2000])
def test_texts_that_double_are_cut_short(root: Path, body: str) -> None:
    write(root, "d(" * 30 + '"ab"' + ")" * 30, phrases=f"{{% macro d(x) %}}{body}{{% endmacro %}}")
    assert "more than 5,000 characters" in told(root)


def test_a_sentence_has_so_many_words(root: Path) -> None:
    write(root, '"' + "a " * 499 + '"')
    assert told(root).endswith("a sentence of more than 500 words and marks")
    write(root, '"' + "a " * 501 + '"')
    assert "more than 500 words and marks in {{" in told(root)


def many_forms(root: Path) -> None:
    cells = "\t".join(f"Number=A{n}|Person=3" for n in range(FORMS))
    forms = "\t".join(f"w{n}" for n in range(FORMS))
    rewrite(root / "lexicons/xx/verb.tsv", f"lemma\t{cells}\tFrame\nlaugh\t{forms}\tintransitive\n")
    rewrite(root / "lexicons/xx/noun.tsv", "lemma\tNumber=A0\nauthor\tauthor\n")


CLASH = '(laughs | clash(author, "Number"))'


@pytest.mark.parametrize(
    "line", [" ".join([f"{{{{ {CLASH} }}}}"] * 4), f"{{{{ {' ~ '.join([CLASH] * 4)} }}}}"]
)
@pytest.mark.parametrize("rule", ["", "joined\t.*\t.*\t= =\n"])
@pytest.mark.parametrize("suite", [False, True])
def test_a_line_makes_so_many_sentences_of_the_same_words(
    root: Path, line: str, rule: str, suite: bool
) -> None:
    many_forms(root)
    rewrite(root / "lexicons/xx/orthography.tsv", f"rule\tleft\tright\tresult\n{rule}")
    head = FILES[SIMPLE].partition("where:")[0] + ("predictions: [a.v < b.v]\n" if suite else "")
    names, region = (
        (("a", "b"), "[v: {{ author }}]") if suite else (("good", "bad"), "{{ author }}")
    )
    good, bad = (
        f"{name}: {region} {rest}\n"
        for name, rest in zip(names, ("{{ laughs | agree(author) }}", line), strict=True)
    )
    rewrite(root / SIMPLE, f"{head}---\n{good}{bad}")
    assert "more than 200 sentences of the same words" in told(root)


def test_one_clash_over_many_forms_is_no_fault(root: Path) -> None:
    many_forms(root)
    write(root, "author")
    paradigm = load_paradigm(root / SIMPLE, Lexicon(root / "lexicons/xx"))
    assert sum(map(len, draw_pairs(paradigm))) == FORMS - 1


DEEP = [
    "[" * 40_000, "[" * 500 + "]" * 500, "{a: " * 40_000, "\n " + "- " * 40_000 + "a",
    "\n" + "".join(" " * n + "a:\n" for n in range(1, 300)),
]  # fmt: skip


@pytest.mark.parametrize("text", DEEP)
def test_front_matter_has_so_many_levels(text: str) -> None:
    with pytest.raises(FrontMatterError) as caught:
        read_front_matter(f"id: {text}")
    assert "more than 50 lists and mappings in one another" in caught.value.message
    with pytest.raises(TooDeepError):
        check_nesting(f"id: {text}")


SING = 'author.Number == "Sing"'


@pytest.mark.parametrize(
    "expression",
    [
        f'"a" if {SING} else ' * 500 + '"b"', "(" * 500 + "author" + ")" * 500, "(" * 90_000,
        f'"a" if {"not " * 500} author else ""', "author" + ".b" * 40_000, "author" + ".b" * 60,
        "author" + " | agree(author)" * 60, '"a" if author in ' + "[" * 60 + "]" * 60 + ' else "b"',
        f'"a" if {" and ".join([SING] * 60)} else ""', "9" + "**9" * 60,
    ],
)  # fmt: skip
def test_an_expression_has_so_many_levels(root: Path, expression: str) -> None:
    write(root, expression)
    said = told(root)
    assert "more than 50 brackets" in said or "Jinja: unexpected" in said
    assert len(said) < 2_500


def test_conditions_in_macros_have_so_many_levels(root: Path) -> None:
    nested = "{% if n %}" * 500 + "a" + "{% endif %}" * 500
    write(root, "author", phrases=f"{{% macro m(n) %}}{nested}{{% endmacro %}}")
    assert "more than 50 brackets" in told(root)
    nested = "{% if n %}" * (DEPTH - 5) + "a" + "{% endif %}" * (DEPTH - 5)
    write(root, "m(author)", phrases=f"{{% macro m(n) %}}{nested}{{% endmacro %}}")
    assert load_paradigm(root / SIMPLE, Lexicon(root / "lexicons/xx"))


def test_macros_call_each_other_so_deep(root: Path) -> None:
    chain = "".join(
        f"{{% macro m{n}() %}}{f'{{{{ m{n - 1}() }}}}' if n else 'a'}{{% endmacro %}}\n"
        for n in range(2_000)
    )
    write(root, "m9()", phrases=chain)
    assert told(root).startswith(f"{PHRASES}:52: macro 'm50': more than 50 macros call each other")


def test_files_of_macros_are_read_once_and_import_each_other_so_deep(root: Path) -> None:
    def files(most: int) -> None:
        for n in range(most):
            imported = f'{{% from "xx/f{n + 1}.jinja" import a, b %}}' * 2 if n < most - 1 else ""
            macros = "{% macro a() %}x{% endmacro %}{% macro b() %}x{% endmacro %}"
            rewrite(root / f"templates/demo/xx/f{n}.jinja", imported + macros)

    files(40)
    write(root, "author", phrases='{% from "xx/f0.jinja" import a %}')
    assert load_paradigm(root / SIMPLE, Lexicon(root / "lexicons/xx"))
    files(80)
    assert "more than 50 files import each other" in told(root)


@pytest.mark.parametrize(
    ("front", "said"),
    [
        (f"draw: {'9' * 5000}", "is not below 1,000,000,000"),
        ("draw: 99999999", "`draw` asks for 99,999,999 minimal sets, more than 10,000,000"),
        ("draw: ²", "neither `all` nor a positive number"),
        (f"where: [{', '.join([SING] * 101)}]", "'where' has more than 100 entries"),
        (f"features: {{{', '.join(f'f{n}: author.Number' for n in range(101))}}}", "'features' has more"),
    ],
)  # fmt: skip
def test_a_template_has_so_many_parts(root: Path, front: str, said: str) -> None:
    write(root, "author", f"{front}\n")
    assert said in told(root)


def test_a_number_of_very_many_digits_is_told(root: Path) -> None:
    write(root, f'"a" if author in [{"9" * 5000}] else "b"')
    assert "Exceeds the limit" in told(root)


def test_a_template_has_so_many_lines_and_characters(root: Path) -> None:
    write(root, "author")
    text = (root / SIMPLE).read_text(encoding="utf-8")
    rewrite(root / SIMPLE, text + "bad: x\n" * 100)
    assert "more than 100 lines with sentences" in told(root)
    rewrite(root / SIMPLE, text + "# \n" * 100_000)
    assert "the file has more than 200,000 characters" in told(root)


def test_a_line_of_marks_and_of_many_continuations_is_read_quickly(root: Path) -> None:
    write(root, "author")
    text = (root / SIMPLE).read_text(encoding="utf-8")
    rewrite(root / SIMPLE, text.replace("good: x", f"good: {'.' * 100_000}x"))
    assert load_paradigm(root / SIMPLE, Lexicon(root / "lexicons/xx"))
    rewrite(root / SIMPLE, text + "  b\n" * 40_000)
    assert "more than 500 words and marks" in told(root)


def test_tests_that_link_very_many_words_are_refused(root: Path) -> None:
    rows = "".join(f"n{n}\tn{n}\n" for n in range(400))
    rewrite(root / "lexicons/xx/noun.tsv", f"lemma\tNumber=Sing\n{rows}")
    names = [f"s{n}" for n in range(6)]
    where = "".join(f"  - {a}.lemma != {b}.lemma\n" for a in names for b in names if a < b)
    slots = "".join(f"  {name}: {{from: noun}}\n" for name in names)
    words = " ".join(f"{{{{ {name} }}}}" for name in names)
    rewrite(
        root / SIMPLE,
        f"---\nid: simple\nslots:\n{slots}where:\n{where}draw: 10\n---\ngood: {words}\nbad: x {words}\n",
    )
    assert "where: the tests link too many words" in told(root)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(a?){500}a{500}", "asks for something more than 1,000 times"),
        ("((((.?){1000}){1000}){1000}){1000}b", "asks for something more than 1,000 times"),
        ("a{99999999999}", "not a regular expression"),
        ("(" * 5000 + "a" + ")" * 5000, "not a regular expression: it is too deep"),
        (r"\p{L}", "not a regular expression"),
    ],
)
def test_regular_expressions_that_ask_for_too_much(tmp_path: Path, pattern: str, said: str) -> None:
    path = rewrite(
        tmp_path / "orthography.tsv", f"rule\tleft\tright\tresult\nx\t{pattern}\tb\t= c\n"
    )
    (problem,) = problems_of(lambda: read_orthography(path), tmp_path)
    assert problem.startswith("orthography.tsv:2: rule 'x': ")
    assert said in problem


@pytest.mark.parametrize("pattern", ["(a|a)*b", "(a*)*b", "(x+x+)+y", "(.*)*(.*)*(.*)*b"])
def test_expressions_that_go_back_end(tmp_path: Path, pattern: str) -> None:
    path = rewrite(
        tmp_path / "orthography.tsv", f"rule\tleft\tright\tresult\nx\t{pattern}\tb\t= c\n"
    )
    (rule,) = read_orthography(path).rules
    assert not rule.fires("a" * 40, "b")
    assert not rule.fires("x" * 40, "b")


def test_expressions_that_take_too_long_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solecism.lexicon.orthography.SECONDS", 0.2)
    slow = "(a|aa)+[bc]"
    path = rewrite(tmp_path / "orthography.tsv", f"rule\tleft\tright\tresult\nx\t{slow}\tb\t= c\n")
    (rule,) = read_orthography(path).rules
    (problem,) = problems_of(lambda: rule.fires("a" * 900, "b"), tmp_path)
    assert problem.startswith(
        f"orthography.tsv:2: '{slow}' takes more than 0.2 seconds".replace("\\", "\\\\")
    )


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "a.v < b.v" + ")" * 5000,
        "a.v" + " + a.v" * 5000 + " < b.v",
        "(" * 60 + "a.v < b.v",
    ],
)
def test_predictions_have_so_many_signs_and_levels(text: str) -> None:
    (problem,) = problems_of(lambda: parse(text), Path())
    assert "has more than 500 names and signs, or 50 parentheses in one another" in problem


def test_a_grammar_makes_so_many_sentences(tmp_path: Path) -> None:
    nouns = " | ".join(f"n{n}" for n in range(50))
    text = f"vary: V[]\nS[] {'N[] ' * 10}V[a]\nN[] {nouns}\nV[a] x\nV[b] y\n"
    rewrite(tmp_path / "in" / "a.avg", text)
    (problem,) = problems_of(lambda: build_avg(tmp_path / "in", tmp_path / "out"), tmp_path)
    assert problem == "in/a.avg:2: the template makes more than 10,000,000 sentences"
    assert not (tmp_path / "out").exists()


def test_a_grammar_has_so_many_lines_and_long_words(tmp_path: Path) -> None:
    rewrite(tmp_path / "in" / "a.avg", "V[a] x\n" * 1_001)
    told = problems_of(lambda: build_avg(tmp_path / "in", tmp_path / "out"), tmp_path)
    assert told[0] == "in/a.avg:1001: more than 1,000 lines"
    rewrite(
        tmp_path / "in" / "a.avg", f"vary: V[]\nS[] N[] V[a]\nN[] {'a' * 200_000}\nV[a] x\nV[b] y\n"
    )
    assert build_avg(tmp_path / "in", tmp_path / "out") == {"a": 2}


def test_classes_stand_so_deep(root: Path) -> None:
    chain = "".join(f"c{n}\t{f'c{n - 1}' if n else ''}\n" for n in range(5_000))
    rewrite(root / "lexicons/xx/classes.tsv", f"class\tparent\n{chain}")
    said = problems_of(lambda: Lexicon(root / "lexicons/xx").hierarchy, root)
    assert said[0].endswith(":53: class 'c51' stands below more than 50 others")
