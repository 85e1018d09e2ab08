"""BLiMP's raw judgments give its published figures (Warstadt et al. 2020, section 4.2)."""

import lzma

import pandas as pd
import pytest

from release import SHARED
from solecism.judge.design import DataSource, Rules, Study
from solecism.judge.importing import import_answers
from solecism.judge.outcome import JudgedGroup, Outcome, outcome_of

FOLDER = SHARED / "reference" / "blimp"
RAW = FOLDER / "human_responses.csv.xz"

pytestmark = pytest.mark.skipif(not RAW.is_file(), reason="BLiMP's raw judgments are not here")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("blimp")
    study = Study(
        folder, "choice", "BLiMP's validation", "en", 0, pairs=5, judges=20, practice=0, catch=1,
        data=(DataSource("blimp/all"),), items={}, lists=[],
        rules=Rules(completed=0, catch=0, median_time=0, one_sided=1, native_language=("en",)),
    )  # fmt: skip
    (folder / "raw.csv").write_bytes(lzma.decompress(RAW.read_bytes()))
    return outcome_of(study, import_answers(study, [folder / "raw.csv"]).table)


def groups(outcome: Outcome) -> dict[str, JudgedGroup]:
    return {group.name: group for group in outcome.levels["paradigm"]}


def summary() -> pd.DataFrame:
    return pd.read_csv(FOLDER / "human_validation_summary.csv").set_index("Condition")


def test_each_paradigm_is_as_published(outcome: Outcome) -> None:
    assert len(summary()) == 69
    for uid, row in summary().iterrows():
        found = groups(outcome)[str(uid)]
        assert (found.kept, found.answers) == (row["accepted"], row["count"]), uid
        assert found.individual.value == pytest.approx(row["total_mean"], abs=1e-9), uid


def released(outcome: Outcome) -> list[str]:
    """The paradigms of BLiMP in which at least four of five pairs are confirmed: all but two."""
    found = [name for name, one in groups(outcome).items() if one.passes(outcome.study.rules)]
    return sorted({*found} & {*summary().index})


def test_majority_and_individual_accuracy(outcome: Outcome) -> None:
    uids = released(outcome)
    assert len(uids) == len(summary()) - 2 == 67
    whole = outcome.group("all", outcome.pairs[outcome.pairs["UID"].isin(uids)])
    assert (whole.kept, whole.pairs) == (323, 335)
    assert f"{100 * whole.individual.value:.1f}" == "88.6"
    assert f"{100 * whole.majority.value:.1f}" == "96.4"
    assert whole.answers == 6672
    assert whole.individual.low < 0.886 < whole.individual.high
