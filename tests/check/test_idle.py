"""What no template uses, and columns that no list knows: one bad language for each check."""

from pathlib import Path

import pytest

from solecism.check.run import check_lexicon
from tiny import make_root, rewrite

LEXICON, TEMPLATES = "lexicons/xx", "templates/demo/xx"
GROUPS = "group\twords\ncrew\tpilot\nstaff\t*crew\n"
TYPICAL = "lemma\tSubject\tAgent\nlaugh\t*staff\tchef\n"
COLUMNS = (
    "column\ttables\tvalues\tasked\tmeaning\n"
    "Class\tnoun\nSet\tnoun\t1,2,4\nFrame\tnoun,adj\nSubject\tverb\nObject\tverb\n"
)

# code, file, its text, the file that is named, line, what the message names
CASES = [
    ("L016", f"{LEXICON}/adj.tsv", "lemma\tScene\nbig\tzoo\n", "adj.tsv", 1, "'Scene'"),
    ("L017", f"{LEXICON}/adj.tsv", "lemma\tScene\nbig\tzoo\n", "adj.tsv", 1, "'adj'"),
    ("L018", f"{LEXICON}/typical/groups.tsv", GROUPS, "groups.tsv", 3, "'staff'"),
    ("L019", f"{LEXICON}/typical/verb.tsv", "lemma\tAgent\nlaugh\tchef\n", "verb.tsv", 1, "'Agent'"),
    ("L024", "lexicons/columns.tsv", COLUMNS, "verb.tsv", 1, "'Frame'"),
    ("L024", "lexicons/columns.tsv", COLUMNS, "noun.tsv", 7, "'book': Set '3' ("),
    ("L026", f"{LEXICON}/adj.tsv", "lemma\tA=1\nbig\t?\n", "adj.tsv", 2, "'big': A=1 is ?"),
    ("T023", "templates/phrases/xx.jinja", "\n{% macro is(s) %}{% endmacro %}\n", "xx.jinja", 2, "'is'"),
    ("T024", f"{TEMPLATES}/_slots.yaml", "thing of v: {from: noun}\n", "_slots.yaml", 1, "'thing of'"),
    ("T024", "templates/phrases/xx.yaml", "a b: {from: noun}\n", "xx.yaml", 1, "'a b'"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "name", "text", "file", "line", "named"), CASES)
def test_what_nothing_uses_is_found(
    tmp_path: Path, code: str, name: str, text: str, file: str, line: int, named: str
) -> None:
    rewrite(make_root(tmp_path) / name, text)
    found = [f for f in check_lexicon(tmp_path / LEXICON) if f.code == code]
    assert any(f.path.endswith(file) and f.line == line and named in f.message for f in found), [
        str(f) for f in check_lexicon(tmp_path / LEXICON)
    ]


@pytest.mark.parametrize(
    "use",
    [
        "{from: noun, under: [staff]}",
        "{from: noun}\nwhere: author is typical(laughs.Subject) and laughs is typical(laughs.Agent)",
    ],
)  # fmt: skip
def test_what_a_template_names_is_used(tmp_path: Path, use: str) -> None:
    root = make_root(tmp_path)
    rewrite(root / LEXICON / "typical/groups.tsv", GROUPS)
    rewrite(root / LEXICON / "typical/verb.tsv", TYPICAL)
    rewrite(root / TEMPLATES / "p.jinja", f"---\nslots:\n  author: {use}\n---\n")
    codes = {f.code for f in check_lexicon(root / LEXICON)}
    assert codes == ({"L019"} if "under" in use else set())


def test_a_lexicon_without_templates_is_not_idle(tmp_path: Path) -> None:
    rewrite(tmp_path / LEXICON / "adj.tsv", "lemma\tScene\nbig\tzoo\n")
    assert check_lexicon(tmp_path / LEXICON) == []
