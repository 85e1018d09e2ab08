"""One bad template for each check, a good data set, and what the arguments of the command name."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from solecism.check.registry import CHECKS, GROUPS, Finding, render_codes
from solecism.check.run import check_paths
from solecism.check.templates import EXAMPLE
from solecism.commands import main
from solecism.errors import InputError
from tiny import FILES, codes, edit, make_root, rewrite

# code, template, what to replace by what, line, what the message names
CASES = [
    ("T001", "simple", "phenomenon:", "phenomenom:", 3, "'phenomenom' (did you mean 'phenomenon'?"),
    ("T001", "simple", "id: simple", "id: simpel", 2, "is not the file's name 'simple'"),
    ("T001", "simple", "good: ", "god: ", 12, "`good`"),
    ("T002", "_phrases", "{% endmacro %}", "", 1, "Jinja"),
    ("T003", "simple", "agree(author)", "agree(autor)", 12, "'autor' (did you mean 'author'?"),
    ("T004", "simple", "controller:", "draw: 1000\ncontroller:", 10, "1000 minimal sets are wanted"),
    ("T005", "simple", "2020-cross", "2020-croos", 5, "did you mean 'mueller-etal-2020-cross'?"),
    ("T006", "simple", "phenomenon: subject_verb_agreement\n", "", 1, "`phenomenon`"),
    ("T008", "across", "controller: author\n", "", 14, "guard"),
    ("T015", "simple", "{from: noun}", "{from: noun, not: {lemma: [author, pilot, a, b, c, d, e, f, g]}}",
     7, "9 lemmas: author, pilot, a, ..."),
    ("T015", "simple", "author is under(laughs.Subject)",
     "laughs.lemma not in ['a', 'b', 'c',\n  'd', 'e', 'f', 'g', 'h', 'i']", 9, "9 lemmas: a, b, c, ..."),
    ("T012", "simple", "author is under(laughs.Subject)", "laughs.Frame == 'intransitive'", 9,
     "laughs.Frame == 'intransitive'"),
    ("T012", "simple", "author is under(laughs.Subject)", "author is under(laughs.Object)", 9,
     "author is under(laughs.Object)"),
    ("T001", "simple", "source:", "allow: [X1]\nsource:", 5, "'X1' is not the code of a check"),
    ("T020", "simple", "phenomenon: subject_verb_agreement", "phenomenon: subject_verb_agrement", 3,
     "did you mean 'subject_verb_agreement'?"),
    ("T016", "simple", "id: simple", f"{EXAMPLE}\nid: simple", 2, "simple"),
    ("T026", "simple", "author is under(laughs.Subject)",
     "not author.lemma in ['a', 'b', 'c', 'd']", 9, "author.lemma in ['a', 'b', 'c', 'd']"),
    ("T027", "simple", "{from: noun}", "{from: noun, Set: 1, lemma: [author, guard, chef, pilot]}", 7,
     "'author': guard, chef"),
    ("T021", "simple", "good: ", "good: {{ 'a' if author.Number == 'Sing' else '' }} ", 12, "'a' if"),
    ("T017", "simple", "{{ laughs | agree(author) }}", "{{ laughs }}", 8, "'laughs' in Number"),
]  # fmt: skip
UNSEEN = ["\x1b[31m", "\x00", "\r", "\u202e", "\u2067", "\u200f", "\u061c", "\ue001", "\U000f0000", "\u200b",
          "\u2028", "\ufdd0", "\U0010ffff", "\u2060", "\x9b", " \u200d"]  # fmt: skip


@pytest.mark.parametrize("mark", UNSEEN)
@pytest.mark.parametrize("name", ["simple", "_phrases"])
def test_characters_that_nobody_sees_are_found_in_templates(
    tmp_path: Path, mark: str, name: str
) -> None:
    root = make_root(tmp_path)
    edit(_demo(root, name), "{{ ", f"{mark}{{{{ ")
    line = 12 if name == "simple" else 1
    found = [f for f in check_paths(["demo/xx/simple"], root) if f.code == "T014"]
    assert [(Path(f.path).stem, f.line) for f in found[:1]] == [(name, line)]
    assert f"U+{ord(mark.strip(' ')[0]):04X}" in found[0].message
    assert str(found[0]).isprintable()


OTHERS = {"T007", "T009", "T010", "T011", "T013", "T014", "T018", "T022", "T025"}
"""Codes with tests of their own below."""


def _demo(root: Path, name: str) -> Path:
    return root / "templates" / "demo" / "xx" / f"{name}.jinja"


def _found(root: Path, code: str) -> list[Finding]:
    findings = check_paths(["demo"], root)
    return [f for f in findings if f.code == code]


def test_a_good_data_set_has_no_findings(tmp_path: Path) -> None:
    assert check_paths([], make_root(tmp_path)) == []


@pytest.mark.parametrize(("code", "name", "old", "new", "line", "named"), CASES)
def test_each_check_finds_its_bad_file(
    tmp_path: Path, code: str, name: str, old: str, new: str, line: int, named: str
) -> None:
    root = make_root(tmp_path)
    edit(_demo(root, name), old, new)
    found = _found(root, code)
    assert found, list(map(str, check_paths(["demo"], root)))
    assert found[0].path == f"templates/demo/xx/{name}.jinja"
    assert named in found[0].message
    assert found[0].line == line


def test_every_code_of_templates_has_a_case() -> None:
    found = {code for code in CHECKS if code[0] == "T"}
    assert {case[0] for case in CASES} | OTHERS == found - {*GROUPS["idle"]}


def test_the_odd_one_out_of_several_languages_is_found(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    for language in ("yy", "zz"):
        name = f"templates/demo/{language}/simple.jinja"
        rewrite(root / name, FILES["templates/demo/xx/simple.jinja"])
    assert _found(root, "T007") == []
    edit(_demo(root, "simple"), "source:", "construction: simple agreement\nsource:")
    [found] = _found(root, "T007")
    assert (found.path, found.line) == ("templates/demo/xx/simple.jinja", 5)
    assert "construction is 'simple agreement', elsewhere 'simple'" in found.message
    for language in ("yy", "zz"):  # what `new` wrote is nobody's
        path = root / f"templates/demo/{language}/simple.jinja"
        rewrite(path, f"{path.read_text('utf-8')}{EXAMPLE}\n")
    assert not any("/xx/" in f.path for f in _found(root, "T007"))


def test_where_order_is_free_a_second_reading_is_asked_for(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    text = FILES["templates/demo/xx/simple.jinja"].replace("subject_verb_agreement", "case")
    for language in ("de", "en"):
        rewrite(root / f"templates/demo/{language}/simple.jinja", text)
    [found] = _found(root, "T025")
    assert (found.path, found.line) == ("templates/demo/de/simple.jinja", 12)
    bad = text.splitlines()[-1]
    rewrite(root / "templates/demo/de/simple.jinja", f"{text}{bad.replace('bad:', 'also:')}\n")
    assert _found(root, "T025") == []


def test_a_template_that_is_too_large_is_found_and_not_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_root(tmp_path)
    path = edit(_demo(root, "across"), 'clash(author, "Number")', 'clash(author, "Tense")')
    assert codes(check_paths(["demo/xx/across"], root)) == ["T004"]
    monkeypatch.setattr("solecism.check.templates.LARGEST", 39)
    [found] = check_paths(["demo/xx/across"], root)
    assert (found.code, found.line) == ("T011", 1)
    assert found.message.endswith(": 40 minimal sets")
    edit(path, "controller:", "draw: 20\ncontroller:")
    assert codes(check_paths(["demo/xx/across"], root)) == ["T004"]


def test_a_selection_that_all_words_pass_is_only_noted(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    edit(_demo(root, "simple"), "from: noun", "from: noun, Animacy: Anim")
    edit(_demo(root, "simple"), "Frame: intransitive", "Frame: intransitive, Subject: human")
    [found] = check_paths(["demo/xx/simple"], root)
    assert (found.code, found.level, found.line) == ("T013", "note", 9)


def test_a_default_says_nothing_of_sentences_that_is_not_computed(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    defaults = _demo(root, "simple").with_name("_defaults.yaml")
    rewrite(
        defaults,
        "source: mueller-etal-2020-cross\nfeatures:\n  long: $length\n  of: author.lemma\n",
    )
    assert codes(check_paths(["demo"], root)) == []
    edit(defaults, "  long:", "  heard: '\"yes\"'\n  long:")
    [found] = check_paths(["demo"], root)
    assert (found.code, found.level, found.line) == ("T022", "error", 3)
    assert found.path == "templates/demo/xx/_defaults.yaml"
    assert found.message.endswith(': heard: "yes"')


def test_a_broken_lexicon_is_found_under_its_own_code_once(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    edit(root / "lexicons" / "xx" / "noun.tsv", "pilot\tpilot", "author\tpilot")
    edit(root / "lexicons" / "xx" / "classes.tsv", "human\tanimate", "human\tanimal")
    found = check_paths([], root)
    assert [(f.code, f.path) for f in found] == [
        ("L002", "lexicons/xx/classes.tsv"),
        ("L001", "lexicons/xx/noun.tsv"),
    ]


NAMES = [
    ("demo", {"across", "simple"}), ("demo/xx", {"across", "simple"}), ("demo/xx/simple", {"simple"}),
    ("templates/demo/xx/simple.jinja", {"simple"}), ("templates", {"across", "simple"}),
    ("templates/demo/xx/_phrases.jinja", {"across", "simple"}), ("lexicons", {"noun"}),
    ("lexicons/xx", {"noun"}), ("lexicons/xx/noun.tsv", {"noun"}), ("lexicons/xx/verb.tsv", set()),
]  # fmt: skip


def _break_all(root: Path) -> Path:
    """Give each template and the table of nouns one fault."""
    for name in ("simple", "across"):
        edit(_demo(root, name), "2020-cross", "2020-croos")
    edit(root / "lexicons" / "xx" / "noun.tsv", "human\t1", "humna\t1")
    return root


@pytest.mark.parametrize(("name", "stems"), NAMES)
@pytest.mark.parametrize("absolute", [False, True])
def test_what_a_path_names(tmp_path: Path, name: str, stems: set[str], absolute: bool) -> None:
    root = _break_all(make_root(tmp_path))
    path = str(root / name) if absolute and (root / name).exists() else name
    found = check_paths([path], root, items=False)
    assert {Path(f.path).stem for f in found if f.code in ("T005", "L004")} == stems


def test_a_path_that_names_nothing_is_refused_with_the_candidates(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"'dmeo' names no lexicon.*did you mean 'demo'\?.*demo/xx"
    ):
        check_paths(["dmeo"], make_root(tmp_path))
    with pytest.raises(InputError, match="there are no folders"):
        check_paths([], tmp_path / "lexicons")


def test_the_command_prints_every_code_with_what_to_do() -> None:
    printed = CliRunner().invoke(main, ["check", "--codes"]).output
    assert printed == render_codes()
    for code, check in CHECKS.items():
        head = f"### {code} ({check.level})\n\n**{check.message}.**\n\n"
        advice = printed.partition(head)[2].partition("\n#")[0]
        assert " ".join(advice.split()) == check.advice, code
