"""The checks of suite items: one bad suite for each code, and good ones that nothing is said of."""

from pathlib import Path

import pytest

from drawing import make_paradigm
from solecism.check.registry import CHECKS, Finding
from solecism.check.run import check_items
from solecism.grammar.suites import draw_suites

TABLES = {
    "item": """
        lemma  UPOS  Noun    Verb  Other
        i1     X     author  runs  run
        i2     X     pilot   eats  eat
    """,
    "orthography": """
        rule     left  right  result
        capital  -     -      yes
        stop     -     -      .
    """,
}
FRONT = "slots:\n  row: {from: item}\npredictions: bad.rest > good.rest\n"
LINES = """
good: the {{ row.Noun }} {{ row.Verb }} [rest: here]
bad: the {{ row.Noun }} {{ row.Other }} [rest: here]
"""


def findings(folder: Path, lines: str = LINES, front: str = FRONT, **tables: str) -> list[Finding]:
    paradigm = make_paradigm(folder, {**TABLES, **tables}, front, lines)
    return check_items(paradigm, draw_suites(paradigm))


def test_nothing_is_said_of_a_good_suite(tmp_path: Path) -> None:
    assert findings(tmp_path) == []


FAULTS: dict[str, tuple[dict[str, str], str]] = {
    "I102": ({"item": TABLES["item"].replace("pilot   eats  eat", "author  runs  run")}, "1 of 2"),
    "I103": (
        {
            "lines": LINES + "same: the {{ row.Noun }} {{ row.Other }} [rest: here]",
        },
        "2 of 2 items: The author runs here.",
    ),
    "I104": (
        {"front": FRONT.replace("good.rest", "good.tail")},
        "condition 'good' has no region 'tail' (regions: rest)",
    ),
    "I106": (
        {"lines": LINES.replace("{{ row.Other }} [rest: here]", "{{ row.Verb }} [rest: here] now")},
        "2 of 2",
    ),
    "I107": ({"lines": LINES.replace("Other }} [rest: here]", "Other }} [rest: there]")}, "2 of 2"),
    "I108": (
        {"lines": LINES.replace("bad: the {{ row.Noun }}", "bad: a {{ row.Noun }}")},
        "The author runs here. / A author run here.",
    ),
    "I110": ({"unwanted": "words  with  reason\nruns  author  testing"}, "1 of 2"),
    "I109": ({"lines": LINES.replace("bad: the", "bad: th\u0435")}, "2 of 2"),
}


@pytest.mark.parametrize("code", FAULTS)
def test_a_fault_has_its_code(tmp_path: Path, code: str) -> None:
    given, said = FAULTS[code]
    found = {finding.code: finding for finding in findings(tmp_path, **given)}
    assert code in found, list(found.values())
    assert found[code].level == CHECKS[code].level
    assert said in found[code].message
    assert Path(found[code].path).name == "p.jinja"


@pytest.mark.parametrize(
    ("prediction", "said"),
    [
        ("bad.rest > god.rest", "no condition 'god' (did you mean 'good'? conditions: good, bad)"),
        ("bad.rest > good.rest > bad.rest", "'>' after a comparison"),
        ("(1;%bad%) > (2;%good%)", "no region '2'"),
    ],
)
def test_bad_predictions_are_told(tmp_path: Path, prediction: str, said: str) -> None:
    front = FRONT.replace("bad.rest > good.rest", f'"{prediction}"')
    (finding,) = findings(tmp_path, front=front)
    assert finding.code == "I104"
    assert said in finding.message


def test_faults_of_the_engine_are_found(tmp_path: Path) -> None:
    """Items as the engine would never make them: an id that repeats, a span beside its words."""
    paradigm = make_paradigm(tmp_path, TABLES, FRONT, LINES)
    (table,) = draw_suites(paradigm)
    rows = table.to_pylist()
    rows[1]["id"] = rows[0]["id"]
    rows[0]["conditions"][0]["regions"][0]["first"] -= 1
    broken = type(table).from_pylist(rows, schema=table.schema)
    found = [(f.code, f.message.partition(": ")[2][:6]) for f in check_items(paradigm, [broken])]
    assert found == [("I101", "1 of 2"), ("I105", "1 of 2")]


def test_every_code_of_suites_has_a_case() -> None:
    assert {*FAULTS, "I101", "I105"} == {code for code in CHECKS if code.startswith("I1")}
