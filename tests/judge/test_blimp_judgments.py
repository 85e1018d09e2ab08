"""BLiMP's raw judgments give its published figures (Warstadt et al. 2020, section 4.2)."""

import csv
from pathlib import Path

import pytest

from release import SHARED
from solecism.judge.design import read_study
from solecism.judge.importing import import_answers
from solecism.judge.outcome import Outcome, outcome_of

FOLDER = SHARED / "reference" / "blimp"
RAW = FOLDER / "human_responses.csv.xz"

pytestmark = pytest.mark.skipif(not RAW.is_file(), reason="BLiMP's raw judgments are not here")

STUDY = """\
[study]
design = "choice"
title = "BLiMP's validation"
language = "en"
seed = 0
pairs = 5
judges = 20
practice = 0
catch = 1

[[data]]
config = "blimp/all"

[rules]
completed = 0
catch = 0
median_time = 0
one_sided = 1
native_language = ["en"]
"""

RELEASED = 67


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("blimp")
    (folder / "study.toml").write_text(STUDY)
    study = read_study(folder, foreign=True)
    return outcome_of(study, import_answers(study, [RAW]).table)


def summary() -> dict[str, dict[str, str]]:
    text = (FOLDER / "human_validation_summary.csv").read_text()
    return {row["Condition"]: row for row in csv.DictReader(text.splitlines())}


def test_each_paradigm_is_as_published(outcome: Outcome) -> None:
    found = {group.name: group for group in outcome.levels["paradigm"]}
    assert len(summary()) == 69
    for uid, row in summary().items():
        assert found[uid].kept == int(row["accepted"]), uid
        assert found[uid].answers == int(row["count"]), uid
        assert found[uid].individual.value == pytest.approx(float(row["total_mean"]), abs=1e-9), uid


def test_two_paradigms_fall_below_four_of_five(outcome: Outcome) -> None:
    below = {group.name for group in outcome.failed}
    assert len(below & set(summary())) == 2


def released(outcome: Outcome) -> list[str]:
    rules, known = outcome.study.rules, summary()
    return [g.name for g in outcome.levels["paradigm"] if g.passes(rules) and g.name in known]


def test_majority_and_individual_accuracy(outcome: Outcome) -> None:
    uids = released(outcome)
    assert len(uids) == RELEASED
    whole = outcome.group("all", outcome.pairs[outcome.pairs["UID"].isin(uids)])
    assert (whole.kept, whole.pairs) == (323, 335)
    assert f"{100 * whole.individual.value:.1f}" == "88.6"
    assert f"{100 * whole.majority.value:.1f}" == "96.4"
    assert whole.answers == 6672
    assert whole.individual.low < 0.886 < whole.individual.high


PHENOMENA = (97.5, 90.0, 87.3, 83.9, 92.2, 85.0, 86.9, 97.0, 84.9, 88.1, 86.6, 90.9)
"""People by phenomenon, in the order of the paper's table 3."""

TABLE_3 = (
    "anaphor_agreement", "argument_structure", "binding", "control_raising",
    "determiner_noun_agreement", "ellipsis", "filler_gap_dependency", "irregular_forms",
    "island_effects", "npi_licensing", "quantifiers", "subject_verb_agreement",
)  # fmt: skip


def test_each_phenomenon_is_as_published(outcome: Outcome) -> None:
    terms = dict(_paradigms(FOLDER / "paradigms.tsv"))
    uids = released(outcome)
    values = {group.name: group.individual.value for group in outcome.levels["paradigm"]}
    for term, published in zip(TABLE_3, PHENOMENA, strict=True):
        some = [100 * values[uid] for uid in uids if terms[uid] == term]
        assert sum(some) / len(some) == pytest.approx(published, abs=0.06), term


def _paradigms(path: Path) -> list[tuple[str, str]]:
    rows = list(csv.DictReader(path.read_text().splitlines(), delimiter="\t"))
    names = rows[0].keys()
    uid = next(name for name in names if name.lower() == "uid")
    term = next(name for name in names if "term" in name.lower() or "phenomenon" in name.lower())
    return [(row[uid], row[term].lower().replace(" ", "_").replace("-", "_")) for row in rows]
