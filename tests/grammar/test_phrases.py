"""Expressions and macros: what they give, what they ask of slots, and what they cannot do."""

from pathlib import Path

import pytest

from expecting import problems_of
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts, load_paradigm
from solecism.grammar.phrases import PHRASES, Phrases
from solecism.grammar.render import read_units
from solecism.grammar.syntax import LinePart
from solecism.grammar.template import TemplateLine
from solecism.grammar.words import Skip, TemplateFault, Word, printed
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.orthography import Token
from tiny import edit, make_root, rewrite

ADJ = (
    "lemma\tGender=Masc|Number=Sing\tGender=Fem|Number=Sing\tNumber=Plur\n"
    "happy\theureux\theureuse\theureux\n"
    "calm\tcalme\tcalme\tcalmes\n"
    "old\tvieux\tvieille\t\n"
)
PRON = """\
lemma	Case=Nom	Case=Acc	Number	Person	Gender
he	he	him	Sing	3	Masc
she	she	her	Sing	3	Fem
they	they	them	Plur	3	Masc,Fem
"""
VERB = """\
lemma	VerbForm=Inf	Number=Sing|Person=1	Number=Sing|Person=3	Number=Plur	Tense=Past
be	be	am	is	are	was
go	go	go	goes	go	went
"""
PHRASES_FILE = """\
{# shared #}
{% macro the(n) %}{{ word("det", "the") | agree(n) }} {{ n }}{% endmacro %}
{% macro two(a, b) %}{{ the(a) }} and {{ the(b) }}{% endmacro %}
{% macro say(v, s) -%}
  {% if v.Frame == "transitive" and s is under("human") %}{{ v | agree(s) }}
  {%- elif v.Frame == "none" %}{{ v.Missing }}{% else %}{{ v | agree(s) }} {{ v.Frame }}{% endif %}
{%- endmacro %}
{% macro kind(n, class=n.Class) %}{{ class }}{% endmacro %}
{% macro quiet(n) %}{% endmacro %}
"""
DEMO = "templates/demo/xx"
SHARED = "templates/phrases/xx.jinja"
SIMPLE = f"{DEMO}/simple.jinja"
HE, SHE, THEY = ('word("pron", "he")', 'word("pron", "she")', 'word("pron", "they")')
NO_FEATURES = 'is no list of features: write "Tense=Past|VerbForm=Fin"'
AUTHOR = 'word("noun", "author") | form(Number="Sing")'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_root(tmp_path)
    for name, text in {"adj": ADJ, "pron": PRON, "aux": VERB}.items():
        rewrite(tmp_path / f"lexicons/xx/{name}.tsv", text)
    rewrite(tmp_path / "templates/demo/xx" / PHRASES, PHRASES_FILE)
    return tmp_path


def sandbox(root: Path, phrases: str | None = None) -> Phrases:
    folder = root / "templates/demo/xx"
    if phrases is not None:
        rewrite(folder / PHRASES, phrases)
    return Phrases(folder, Lexicon(root / "lexicons/xx"))


@pytest.fixture
def box(root: Path) -> Phrases:
    return sandbox(root)


def word_of(box: Phrases, source: str) -> Word:
    word = box.run.first(box.compiled(source), {})
    assert isinstance(word, Word)
    return word


def all_of(box: Phrases, source: str) -> list[str]:
    """The forms that an expression takes in turn."""
    return [word.text for word in box.run.each(box.compiled(source), {})]


def tokens_of(box: Phrases, source: str) -> list[Token]:
    """The tokens of a line that consists of an expression."""
    condition = TemplateLine("x", (LinePart("expression", source),), 1, "")
    (unit,) = read_units(condition, "x.jinja", box, [])
    unit.render(0, {})
    return list(unit.cache[0][0].tokens)


def rendered(box: Phrases, source: str) -> str:
    """What an expression prints, word by word."""
    value = printed(box.run.first(box.compiled(source), {}))
    for part in value:
        str(part)  # a fault is raised as it is
    return " ".join(token.text for token in tokens_of(box, source))


# -- What expressions give


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f'word("adj", "happy") | agree({SHE}, Number="Sing")', "heureuse"),
        ('word("aux", "be") | agree(word("noun", "book") | form(Number="Sing"))', "is"),
        (f'word("aux", "be") | agree({HE}, Tense="Past")', "was"),
        (f'{SHE} | form(Case="Acc")', "her"),
        (
            'word("aux", "be") | form(Number="Sing", Person="1") | form(Number="Plur", Person="")',
            "are",
        ),
        (f'word("adj", "happy") | agree({SHE}, Number="Sing") | form(Gender="Masc")', "heureux"),
    ],
)
def test_forms_are_chosen(box: Phrases, source: str, expected: str) -> None:
    assert word_of(box, source).text == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f'word("aux", "be") | clash({HE}, "Number", "Person")', ["am", "are"]),
        (f'word("adj", "calm") | clash({SHE}, "Number")', ["calmes"]),
        (f'word("aux", "be") | agree({HE}, wrong="Number, Person")', ["am", "are"]),
        (f'word("aux", "be") | agree({HE}, wrong="Number, Person=1")', ["am"]),
        (f'word("aux", "be") | agree({HE}, wrong="")', ["is"]),
    ],
)
def test_a_clash_takes_in_turn_each_form_that_differs(
    box: Phrases, source: str, expected: list[str]
) -> None:
    assert all_of(box, source) == expected


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (f'word("adj", "calm") | clash({SHE}, "Gender")', "syncretic"),
        (f'word("adj", "calm") | agree({SHE}, wrong="Gender")', "syncretic"),
        (f'word("aux", "be") | agree({HE}, wrong="Person=2")', "lacking"),
        (f'{HE} | form(Case="Gen")', "lacking"),
    ],
)
def test_words_that_make_no_item_are_skipped(box: Phrases, source: str, reason: str) -> None:
    with pytest.raises(Skip) as caught:
        word_of(box, source)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            f'word("adj", "old") | agree({THEY}, Number="Sing")',
            "'old' has several forms that fit: vieux (Gender=Masc|Number=Sing), "
            "vieille (Gender=Fem|Number=Sing)",
        ),
        (
            f'word("adj", "old") | agree({HE}, Tense="Past")',
            "no form in adj.tsv expresses 'Tense' (features: Gender, Number); another word must show "
            "it, as an auxiliary or an article does",
        ),
        (
            f'word("adj", "old") | agree({HE}, Numbr="Sing")',
            "no form in adj.tsv expresses 'Numbr' (did you mean 'Number'? "
            "features: Gender, Number)",
        ),
        (
            f'word("adj", "old") | agree({HE}, Number="sing")',
            "value of Number 'sing' is not spelt as UD spells it",
        ),
        (
            f'word("adj", "old") | agree({HE}, Number=1)',
            "Number=1: the value must be a text",
        ),
        ('word("adj", "old") | agree("le")', "there is no word to agree with: 'le'"),
        (
            f'word("adj", "old") | clash({HE})',
            "clash needs the name of a feature: clash(x, 'Number')",
        ),
        (f'"le" | agree({HE})', "agree: 'le' is no word"),
        ('word("adj", "old") | agree', "agree: write it as agree(x)"),
        (
            f'word("adj", "old") | agree({HE}, "Sing")',
            f"'Sing' {NO_FEATURES}",
        ),
        (
            f"{HE}.Clas",
            "'he': pron.tsv has no column 'Clas' (did you mean 'Case'? "
            "columns: lemma, Case, Gender, Number, Person)",
        ),
        ('"le".upper', "'upper': only words have properties"),
        (f"{HE} is under({SHE})", "under wants a property or a text, not <pron she>"),
        (
            '"human" is under("humn")',
            "there is no class 'humn' (did you mean 'human'? classes: animate, human, artwork)",
        ),
    ],
)
def test_what_cannot_be_evaluated_is_told(box: Phrases, source: str, message: str) -> None:
    with pytest.raises(TemplateFault) as caught:
        box.compiled(source)({})
    assert str(caught.value) == message


def test_a_word_of_which_no_form_was_chosen_prints_if_it_has_but_one(box: Phrases) -> None:
    assert rendered(box, 'word("det", "a")') == "a"
    with pytest.raises(TemplateFault, match="which form of 'author'"):
        rendered(box, 'word("noun", "author")')


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f"({AUTHOR}).Number", "Sing"),
        (f"({AUTHOR}).Person", "3"),
        (f"({AUTHOR}).Class", "human"),
        (f"{THEY}.Gender", "Masc,Fem"),
        (f"{HE}.Case", ""),
        (f'({AUTHOR}) if {HE}.Number == "Sing" else "x"', "author"),
        (f'"x" if {HE}.Number == "Plur"', ""),
        (f'"x" ~ {HE}.Person', "x3"),
        (f'the({AUTHOR}) ~ ", " ~ the({AUTHOR})', "the author , the author"),
        (f"two({AUTHOR}, b={AUTHOR})", "the author and the author"),
        (f'say(word("verb", "like"), {AUTHOR})', "likes"),
        (f'say(word("verb", "laugh"), {AUTHOR})', "laughs intransitive"),
        (f"kind({AUTHOR})", "human"),
    ],
)
def test_expressions_print_words_and_texts(box: Phrases, source: str, expected: str) -> None:
    assert rendered(box, source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('"human" is under("animate")', True),
        ('"human" is under("artwork")', False),
        ('"human" is not under("")', False),
        (f'({AUTHOR}) is under("animate")', True),
        ('word("noun", "book") is under(word("verb", "laugh").Subject)', False),
        ('"a" in ["a", "b"] and not "a" == "b"', True),
    ],
)
def test_tests(box: Phrases, source: str, expected: bool) -> None:
    assert box.compiled(source)({}) is expected


def test_a_phrase_is_compared_by_its_text(box: Phrases) -> None:
    assert box.compiled(f'the({AUTHOR}) == "the author"')({}) is True
    assert box.compiled(f'the({AUTHOR}) != "the author"')({}) is False
    assert box.compiled(f'the({AUTHOR}) in ["the author"]')({}) is True
    assert box.compiled(f"the({AUTHOR}) == the({AUTHOR})")({}) is False
    assert len({box.compiled(f"the({AUTHOR})")({})}) == 1


# -- What expressions ask of slots


def test_a_macro_of_the_language_asks_for_what_it_uses(root: Path) -> None:
    rewrite(root / SHARED, "{% macro class(n) %}{{ n.Class }}{% endmacro %}")
    box = sandbox(root, "{% macro k(n) %}{{ class(n) }}{% endmacro %}")
    assert box.uses("k(a)") == {"a": {"Class"}}
    assert rendered(box, f"k({AUTHOR})") == "human"


def test_a_data_set_may_replace_a_macro_of_its_language(root: Path) -> None:
    rewrite(
        root / SHARED,
        "{% macro k(n) %}a {{ n }}{% endmacro %}{% macro two(n) %}{{ k(n) }} {{ k(n) }}{% endmacro %}",
    )
    box = sandbox(root, "{% macro k(n) %}the {{ n }}{% endmacro %}")
    assert rendered(box, f"k({AUTHOR})") == "the author"
    assert rendered(box, f"two({AUTHOR})") == "a author a author"


# -- What expressions cannot do


SLOTS = ["author", "likes"]
KNOWN = "(macros: word, kind, quiet, say, the, two)"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "auhtor",
            "there is no slot 'auhtor' (did you mean 'author'? slots: author, likes)",
        ),
        ("teh(author)", f"there is no macro 'teh' {KNOWN}".replace("(m", "(did you mean 'the'? m")),
        ("the", "there is no slot 'the' (slots: author, likes)"),
        (
            "author | agre(likes)",
            "there is no filter 'agre' (did you mean 'agree'? filters: agree, clash, form)",
        ),
        ("author is defined", "there is no test 'defined' (tests: typical, under)"),
        ("author.__class__", "attribute '__class__' is not allowed"),
        ('author["x"]', "[...] is not allowed here"),
        ("author.lemma.upper()", "only a macro and `word` can be called"),
        ("2*10", "arithmetic is not allowed here"),
        ('{"a": author}', "{...} is not allowed here"),
        ("the(*author)", "* and ** are not allowed here"),
        ("author likes", "Jinja: 'likes' after the end of the expression"),
        ("", "Jinja: unexpected 'end of template'"),
        ("author |", "Jinja: unexpected end of template, expected 'name'"),
        ('author | agree(likes, Number="a", Number="b")', "a keyword stands twice"),
        ("the(author, n=author)", "macro 'the' takes the arguments: n"),
        ("kind()", "macro 'kind' takes the arguments: n, class"),
        ('word("det", "le")', "det.tsv has no lemma 'le' (lemmas: the, a)"),
        (
            'word("dte", "the")',
            "lexicon 'xx' has no table 'dte' (did you mean 'det'? "
            "tables: adj, aux, det, noun, pron, verb)",
        ),
        ('word("det")', 'word wants a table and a lemma: word("det", "le")'),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_expression_is_told(box: Phrases, source: str, message: str) -> None:
    told = [str(problem) for problem in box.problems(source, SLOTS, "x.jinja", 9)]
    if message.startswith("Jinja"):
        message = f"{message} ({told[0].split(' (', 1)[1].split(') in')[0]})"
    assert f"x.jinja:9: {message} in {{{{ {source} }}}}" in told
    assert len(told) <= 2


def test_a_slot_and_a_macro_of_one_name_are_told_apart(box: Phrases) -> None:
    assert [p.message for p in box.problems("the(the)", ["the"], "x.jinja", 9)] == [
        "'the' is a macro and this slot: rename the slot in {{ the(the) }}"
    ]


def test_a_word_in_a_broken_table_is_told_with_the_place_in_the_table(root: Path) -> None:
    edit(root / "lexicons/xx/det.tsv", "a\ta\t\t", "the\ta\t\t")
    box = sandbox(root)
    assert box.problems('word("det", "the")', [], "x.jinja", 9) == []
    assert problems_of(lambda: box.compiled('word("det", "the")')({}), root) == [
        "lexicons/xx/det.tsv:3: lemma 'the' stands already in line 2"
    ]


# -- Macros


PATH = f"templates/demo/xx/{PHRASES}"


@pytest.mark.parametrize(
    ("phrases", "messages"),
    [
        ("{% macro a(n) %}{% for x in n %}{{ x }}{% endfor %}{% endmacro %}",
         ["1: a loop is not allowed here"]),
        ("{% set x = 1 %}", ["1: set is not allowed here"]),
        ("{% macro a(n) %}{{ n.__class__ }}{% endmacro %}",
         ["1: attribute '__class__' is not allowed"]),
        ("{% macro a(n) %}{{ n[0] }}{{ 2 * 3 }}{% endmacro %}",
         ["1: [...] is not allowed here", "1: arithmetic is not allowed here"]),
        ("\n{% macro a(n) %}{{ m }}{% endmacro %}",
         ["2: there is no argument 'm' (arguments: n)"]),
        ("{% macro a(n) %}{{ b(n) }}{% endmacro %}",
         ["1: there is no macro 'b' (macros: word, a)"]),
        ("{% macro a(n) %}{{ n | agre(n) }}{{ n is undr('x') }}{% endmacro %}",
         ["1: there is no filter 'agre' (did you mean 'agree'? filters: agree, clash, form)",
          "1: there is no test 'undr' (did you mean 'under'? tests: typical, under)"]),
        ("{% macro a(n) %}\n{{ word('det', 'le') | agree(n) }}{% endmacro %}",
         ["2: det.tsv has no lemma 'le' (lemmas: the, a)"]),
        ("{% macro a(n, n) %}{{ n }}{% endmacro %}",
         ["1: macro 'a' has two arguments of the same name"]),
        ("{% macro a() %}\n{{ b('x') }}{% endmacro %}{% macro b() %}{% endmacro %}",
         ["2: macro 'b' takes the arguments: none"]),
        ("{% macro a(n) %}{{ a(n) }}{% endmacro %}", ["1: macro 'a' calls itself"]),
        ("{% macro a(n) %}{{ b(n) }}{% endmacro %}\n{% macro b(n) %}{{ a(n) }}{% endmacro %}",
         ["1: macro 'a' calls itself"]),
        ("{% macro a(n) %}{% macro b(m) %}{{ m }}{% endmacro %}{% endmacro %}",
         ["1: a macro inside macro 'a'"]),
        ("text\n{{ x }}", ["1: only macros may stand here"]),
        ("{% macro a(n) %}\n{{ n }",
         ["2: Jinja: unexpected '}' (an expression ends with }}, a block with %})"]),
        ("{% macro a(n) %}\n\n{% endmacor %}",
         ["3: Jinja: Encountered unknown tag 'endmacor'."]),
        ('{% import "xx/_phrases.jinja" as p %}',
         ["1: an import is not allowed here"]),
        ('{% from "xx/other.jinja" import b %}', ["1: an import is not allowed here"]),
        ("{% macro a(n) %}e\u0301{% endmacro %}",
         [r"1: not in Unicode normal form C: '%}e\u0301{%'"]),
    ],
)  # fmt: skip
def test_bad_macros_are_told(root: Path, phrases: str, messages: list[str]) -> None:
    told = problems_of(lambda: sandbox(root, phrases), root)
    if "Encountered" in messages[0]:
        assert told[0].startswith(f"{PATH}:{messages[0]}")
    else:
        assert told == [f"{PATH}:{message}" for message in messages]


def test_only_words_and_texts_are_printed(root: Path) -> None:
    edit(root / PATH, "{# shared #}", "{% macro bare(n) %}{{ n is under('human') }}{% endmacro %}")
    edit(root / SIMPLE, "good: ", "good: {{ bare(author) }} ")
    path = root / SIMPLE
    assert problems_of(
        lambda: list(draw_pairs(load_paradigm(path, Lexicon(root / "lexicons/xx")), 0, Counts())),
        root,
    ) == [f"{SIMPLE}:12: only words and texts can be printed, not True in {{{{ bare(author) }}}}"]


def test_a_column_that_a_macro_never_comes_to_ask_for_need_not_be_there(root: Path) -> None:
    edit(
        root / SIMPLE,
        "good: {{ the(author) }} {{ laughs | agree(author) }}",
        "good: {{ say(laughs, author) }}",
    )
    edit(root / SIMPLE, "bad:  {{ the(author) }} ", "bad: ")
    paradigm = load_paradigm(root / SIMPLE, Lexicon(root / "lexicons/xx"))
    (batch,) = draw_pairs(paradigm, 0, Counts())
    assert "Laughs intransitive." in batch["sentence_good"].to_pylist()


@pytest.mark.parametrize(
    "source",
    [
        "not " * 300 + '"a" == "b"', "(" * 300 + '"a"' + ")" * 300, 'word("a", ' * 120 + '"a"' + ")" * 120,
        '"a"' + ' | form("a")' * 500, " and ".join(['"a" == "b"'] * 3_000), "(" * 20_000,
    ],
)  # fmt: skip
def test_expressions_inside_too_many_others_are_told(box: Phrases, source: str) -> None:
    (found,) = box.problems(source, [], "x.jinja", 1)
    assert found.message.startswith("too many expressions are inside one another")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("9" * 5_001, "a number has thousands of digits"),
        (r"'\ud800'", "U+D800 is not allowed"),
        (r"'a\u202eb'", "U+202E (right-to-left override) is not allowed"),
        (r"'\x00'", "U+0000 is not allowed"),
    ],
)
def test_what_nobody_sees_or_reads_is_told(box: Phrases, source: str, message: str) -> None:
    (found,) = box.problems(source, [], "x.jinja", 1)
    assert found.message.startswith(message)


def doubling(times: int, leaf: str, argument: bool = False) -> str:
    """Macros that each print the one before twice."""
    first = f"{{% macro m0(x) %}}{leaf}{{% endmacro %}}"
    inner = "{{ x }}{{ x }}" if argument else "{{ m%d(x) }}{{ m%d(x) }}"
    rest = (
        f"{{% macro m{n}(x) %}}{inner if argument else inner % (n - 1, n - 1)}{{% endmacro %}}"
        for n in range(1, times)
    )
    return "\n".join([first, *rest])


@pytest.mark.parametrize("leaf", ["a", "{{ x }}", ""])
def test_macros_that_double_each_other_are_told(root: Path, leaf: str) -> None:
    told = problems_of(lambda: sandbox(root, doubling(40, leaf)), root)
    message = "macro 'm13': it calls other macros over 10,000 times"
    assert told == [f"{PATH}:14: {message}"]


@pytest.mark.parametrize("value", ['"a"', 'word("noun", "book") | form(Number="Sing")'])
def test_a_macro_that_makes_too_much_is_told(root: Path, value: str) -> None:
    box = sandbox(root, doubling(2, "", argument=True))
    with pytest.raises(TemplateFault, match="macro 'm1' makes over 10,000 letters"):
        rendered(box, "m1(" * 30 + value + ")" * 30)


@pytest.mark.parametrize(
    ("phrases", "message"),
    [
        (
            "{% macro a(n) %}" + "{% if n %}" * 150 + "a" + "{% endif %}" * 150 + "{% endmacro %}",
            "1: too many expressions are inside one another",
        ),
        (
            "{% macro a(n) %}{% autoescape true %}a{% endautoescape %}{% endmacro %}",
            "1: autoescape is not allowed here",
        ),
        ("{% autoescape true %}a{% endautoescape %}", "1: autoescape"),
    ],
    ids=["if", "autoescape", "autoescape outside"],
)
def test_odd_blocks_are_told(root: Path, phrases: str, message: str) -> None:
    told = problems_of(lambda: sandbox(root, phrases), root)
    assert told[0].startswith(f"{PATH}:{message}")
