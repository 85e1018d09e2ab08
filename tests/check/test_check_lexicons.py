"""One bad lexicon for each check, and a good one."""

from pathlib import Path

import pytest

from solecism.check.lexicons import Tables, form_missing
from solecism.check.registry import CHECKS, GROUPS, Finding
from solecism.check.run import check_lexicon
from solecism.lexicon.table import read_table
from tiny import codes, edit, make_root, rewrite

# code, table, what to replace, by what, line, what the message names
CASES = [
    ("L001", "noun", "pilot\tpilot\tpilots", "author\tpilot\tpilots", 4, "stands already in line 3"),
    ("L002", "classes", "human\tanimate", "human\tanimal", 3, "'animal' (did you mean 'animate'?"),
    ("L003", "orthography", "[aeiou].*", "[aeiou", 2, "not a regular expression"),
    ("L004", "noun", "Anim\thuman\t1", "Anim\thumna\t1", 3, "'humna' (did you mean 'human'?"),
    ("L005", "noun", "Set\n# a comment\n", "UPOS\n", 2, "'1' (UPOS: ADJ"),
    ("L006", "noun", "guards\tAnim", "guards\tAinm", 5, "Animacy 'Ainm' (did you mean 'Anim'?)"),
    ("L006", "verb", "Plur|Tense", "Pulr|Tense", 1, "Number 'Pulr' (did you mean 'Plur'?)"),
    ("L007", "noun", "Animacy", "Animcy", 1, "'Animcy' (did you mean 'Animacy'?)"),
    ("L007", "det", "Definite", "definite", 1, "'definite' (did you mean 'Definite'?)"),
    ("L008", "det", "the\tthe\tthe\tDef\tArt\na\ta\t\tInd\tArt\n", "", None, "det"),
    ("L009", "det", "\tPronType", "\tPronType\tGender=Fem", 1, "'Gender=Fem'"),
    ("L011", "noun", "chef\tchef\tchefs", "cook\tbaker\tbakers", 6, "'cook': baker, bakers"),
    ("L012", "noun", "pilot\tpilot\tpilots", "aviator\tauthor\tauthors", 4, "'aviator' and 'author'"),
    ("L013", "noun", "pilot\tpilot\tpilots", "pilot\tpilot\tpilоts", 4, "'pilоts'"),
    ("L014", "noun", "pilot\tpilot", "pilot\tpi\u00adlot", 4, "U+00AD (soft hyphen)"),
    ("L014", "noun", "pilot\tpilot", "pilot\tpi\u202elot", 4, "U+202E (right-to-left override)"),
    ("L014", "classes", "animate\t", "ani\u200bmate\t", 2, "U+200B (zero width space)"),
    ("L015", "orthography", "an =", "= =", 2, "'article'"),
    ("L022", "noun", "chef\tchef\tchefs\tAnim\thuman\t2", "chef\tchef\tchefs\tAnim\thuman\t2\n"
     "chef#2\tchef\tchefs\tAnim\thuman\t2", 7, "'chef#2'"),
    ("L023", "orthography", "article\ta\t[aeiou].*\tan =", "article\tde\tel|los\tdel =", 2, "'article'"),
    ("L015", "orthography", "stop\t\t\t.", "stop\ta\t\t.", 4, "'stop'"),
]  # fmt: skip


def _fill(text: str) -> str:
    """Give new columns of a table their cells: rows are filled up or cut to the header."""
    header, *rows = text.splitlines()
    width = header.count("\t")
    filled = [r if r[0] == "#" else r + "\t" * (width - r.count("\t")) for r in rows]
    return "\n".join([header, *filled]) + "\n"


def _check(root: Path) -> list[Finding]:
    return check_lexicon(root / "lexicons" / "xx")


@pytest.mark.parametrize(("code", "table", "old", "new", "line", "named"), CASES)
def test_each_check_finds_its_bad_file(
    tmp_path: Path, code: str, table: str, old: str, new: str, line: int | None, named: str
) -> None:
    path = make_root(tmp_path) / "lexicons" / "xx" / f"{table}.tsv"
    rewrite(path, _fill(edit(path, old, new).read_text("utf-8")))
    found = [f for f in _check(tmp_path) if f.code == code]
    assert found, [str(f) for f in _check(tmp_path)]
    assert found[0].path == str(path)
    assert named in found[0].message
    assert line in (None, found[0].line)


def test_every_code_of_lexicons_has_a_case() -> None:
    own = {"L010", "L020", "L021", "L025", "L027"}  # with several files
    found = {code for code in CHECKS if code[0] == "L"}
    assert {case[0] for case in CASES} | own == found - {*GROUPS["idle"]}


EVIDENCE = "table\tlemma\tcell\tunimorph\tud\tanalyser\nnoun\tchef\tNumber=Plur\tother: cheves\t\t"
EXCEPTIONS = "table\tlemma\tform\tsource\treason\n"


def test_a_contradicted_form_needs_a_reason_and_a_reason_a_contradiction(tmp_path: Path) -> None:
    words = make_root(tmp_path) / "lexicons" / "xx"
    rewrite(words / "exceptions.tsv", EXCEPTIONS + "noun\tchef\tchef\tUniMorph\tbecause\n")
    assert codes(_check(tmp_path)) == []  # nobody was asked
    rewrite(words / "evidence.tsv", f"# a head\n{EVIDENCE}\n")
    idle, unexplained = sorted(_check(tmp_path), key=lambda finding: finding.code)
    assert (unexplained.code, unexplained.line) == ("L025", 3)
    assert (idle.code, idle.line) == ("L020", 2)
    rewrite(words / "exceptions.tsv", EXCEPTIONS + "noun\tchef\tchefs\tUniMorph\tbecause\n")
    assert codes(_check(tmp_path)) == []
    rewrite(words / "exceptions.tsv", EXCEPTIONS + "noun\tchef\tchefs\tUniMorph\t\n")
    assert codes(_check(tmp_path)) == ["L025"]  # no reason is none
    rewrite(words / "exceptions.tsv", EXCEPTIONS + "noun\tchef\tNumber=Plur\t\tbecause\n")
    assert codes(_check(tmp_path)) == ["L020", "L025"]  # it does not lack that form
    rewrite(words / "exceptions.tsv", EXCEPTIONS)
    rewrite(words / "evidence.tsv", f"{EVIDENCE}yes\n")  # another source has the form
    assert codes(_check(tmp_path)) == []


@pytest.mark.parametrize(
    ("name", "text", "code", "line", "named"),
    [
        ("evidence", f"{EVIDENCE}\nnoun\tbaker\tNumber=Plur\n", "L027", 3, "'baker': Number=Plur"),
        ("evidence", f"{EVIDENCE}\nnoun\tchef\tCase=Dat\n", "L027", 3, "'chef': Case=Dat"),
        ("evidence", f"# table\tforms\n# noun\t9\n{EVIDENCE}\n", "L027", 1, "noun: 10 forms, 9 in"),
        ("evidence", f"# table\tforms\n# noun\t10\n{EVIDENCE}\n", "L027", 1, "verb: 8 forms, 0 in"),
        ("evidence", f"{EVIDENCE}\nnoun\tchef\tnumber=Plur\n", "L001", 3, "'number' is not spelt"),
        ("exceptions", EXCEPTIONS + "noun\tchef\tcase=Dat\t\tx\n", "L001", 2, "'case' is not spelt"),
    ],
)  # fmt: skip
def test_evidence_and_reasons_fit_the_tables(
    tmp_path: Path, name: str, text: str, code: str, line: int, named: str
) -> None:
    rewrite(make_root(tmp_path) / "lexicons" / "xx" / f"{name}.tsv", text)
    found = [f for f in _check(tmp_path) if f.code == code and named in f.message]
    assert [finding.line for finding in found] == [line], [str(f) for f in _check(tmp_path)]


def test_two_tables_agree_about_a_word(tmp_path: Path) -> None:
    words = make_root(tmp_path) / "lexicons" / "xx"
    header, *_ = (words / "noun.tsv").read_text("utf-8").splitlines()
    forms = "\t".join(part for part in header.split("\t") if "=" in part)
    rewrite(words / "noun.art.tsv", f"lemma\t{forms}\nchef\tchef\tcheves\nchef#2\tchef\tchefes\n")
    found = [finding for finding in _check(tmp_path) if finding.code == "L021"]
    assert len(found) == 1
    assert "cheves" in found[0].message or "chefs" in found[0].message


def _many(rows: int, last: str) -> str:
    plain = [f"noun{n}x\tnoun{n}x\tnoun{n}xs" for n in range(rows)]
    return "\n".join(["lemma\tNumber=Sing\tNumber=Plur", *plain, last]) + "\n"


@pytest.mark.parametrize(("rows", "found"), [(9, []), (10, ["L010"])])
def test_a_missing_form_is_found_where_nearly_all_words_have_it(
    tmp_path: Path, rows: int, found: list[str]
) -> None:
    path = rewrite(tmp_path / "xx" / "noun.tsv", _many(rows, "gold\tgold\t"))
    findings = check_lexicon(path.parent)
    assert codes(findings) == found
    assert all("'gold': Number=Plur" in f.message and f.line == rows + 2 for f in findings)


def test_a_mass_noun_has_no_plural_and_prefixes_tell_verbs_apart(tmp_path: Path) -> None:
    header, *words = _many(20, "milk\tmilk\t\tmass").splitlines()
    lines = [f"{header}\tCount", *(word if word[0] == "m" else f"{word}\tcount" for word in words)]
    rewrite(tmp_path / "noun.tsv", "\n".join(lines) + "\n")
    verbs = "lemma\tPrefix\tTense=Past\tTense=Pres\naufmachen\tauf\tmachte\tmacht\n"
    rewrite(tmp_path / "verb.tsv", verbs + "zumachen\tzu\tmachte\tmacht\n")
    assert codes(check_lexicon(tmp_path)) == []


def test_a_form_in_a_narrower_column_of_another_table_is_not_missing(tmp_path: Path) -> None:
    verbs = rewrite(
        tmp_path / "verb.tsv", _many(20, "be\tis\t").replace("Number=Plur", "Tense=Past")
    )
    aux = "lemma\tNumber=Sing|Tense=Past\tNumber=Plur|Tense=Past\nbe\twas\twere\n"
    tables = read_table(verbs), read_table(rewrite(tmp_path / "aux.tsv", aux))
    assert [hit.line for hit in form_missing(Tables(tmp_path, tables[:1]))] == [22]
    assert list(form_missing(Tables(tmp_path, tables))) == []


QUIET = [
    ("noun", "chef\tchef\tchefs\tAnim\thuman\t2", "Band#1\tBand\tBände\tInan\tartwork\t2\n"
     "Band#2\tBand\tBände\tInan\tartwork\t2", "homonyms"),
    ("noun", "pilot\tpilot\tpilots", "pilot\tpilot\tPiloten", "another form"),
    ("det", "Ind\tArt", "Ind\tDem", "values of three letters"),
    ("noun", "1\npilot\tpilot\tpilots\tAnim\thuman\t1\nguard\tguard\tguards\tAnim\thuman\t2",
     "set1\npilot\tpilot\tpilots\tAnim\thuman\tset1\nguard\tguard\tguards\tAnim\thuman\tset2",
     "numbered values"),
    ("classes", "artwork\t", "artwork\t\nhumans\tanimate", "a class that is nearly another"),
    ("verb", "artwork\t\tintransitive", "artwork\t\tditransitive", "two letters more"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "old", "new", "why"), QUIET, ids=[case[-1] for case in QUIET])
def test_what_is_normal_is_not_reported(
    tmp_path: Path, table: str, old: str, new: str, why: str
) -> None:
    edit(make_root(tmp_path) / "lexicons" / "xx" / f"{table}.tsv", old, new)
    assert _check(tmp_path) == []


def test_what_a_part_inherits_is_checked_in_its_main_table_alone(tmp_path: Path) -> None:
    words = make_root(tmp_path) / "lexicons" / "xx"
    rewrite(words / "noun.art.tsv", "lemma\tCircle\nauthor\tbooks\n")
    found = [f for f in _check(tmp_path) if f.path.endswith("noun.art.tsv")]
    assert {f.code for f in found} == {"L016", "L017"}  # no template draws from it


DEFECTIVE = "lemma\tFrame\tA=1\tA=2\tA=3\tA=4\tA=5\tA=6\tMood=Imp\n"


@pytest.mark.parametrize(
    ("frame", "forms", "reasons", "missing"),
    [
        ("modal", 3, [], ["A=4", "A=5", "A=6", "Mood=Imp"]),
        ("modal", 3, ["A=4,5", "Mood=Imp"], ["A=6"]),
        ("modal", 7, [], []),
        ("", 3, [], []),
    ],
)
def test_a_word_with_a_frame_has_its_forms_or_a_reason(
    tmp_path: Path, frame: str, forms: int, reasons: list[str], missing: list[str]
) -> None:
    rows = [f"w{n}\tmodal\t" + "\t".join(f"w{n}{x}" for x in "abcdefg") for n in range(30)]
    last = f"last\t{frame}\t" + "\t".join(f"last{x}" for x in "abcdefg"[:forms])
    verbs = read_table(rewrite(tmp_path / "verb.tsv", DEFECTIVE + "\n".join([*rows, last]) + "\n"))
    explained = {("verb", "last", reason): 1 for reason in reasons}
    tables = Tables(tmp_path, (verbs,), explained=explained)
    found = [problem.message for problem in form_missing(tables)]
    assert found == [f"'last': {cell}" for cell in missing]
