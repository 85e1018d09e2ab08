"""What the published files give: the figures of Warstadt et al. (2020)."""

import pytest

pytest.importorskip("pandas", reason="needs the extra `analysis`")

import pandas as pd

from release import SHARED
from solecism.analyses.answers import read_accuracies
from solecism.analyses.blimp import PEOPLE, analyse_blimp

FOLDER = SHARED / "reference" / "blimp"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="BLiMP's published files are not here")

MODELS = ("ngram", "lstm", "txl", "gpt2")


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    found = [
        read_accuracies(FOLDER / "models_summary.jsonl"),
        read_accuracies(FOLDER / "human_validation_summary.csv", PEOPLE),
    ]
    return {part.name: part.table for part in analyse_blimp([], found)}


def test_overall_accuracies(tables: dict[str, pd.DataFrame]) -> None:
    overall = tables["phenomena"].set_index("phenomenon").loc["overall"]
    assert [f"{100 * overall[name]:.2f}" for name in MODELS] == ["61.24", "69.81", "69.63", "83.02"]
    assert f"{100 * overall[PEOPLE]:.2f}" == "88.55"


PHENOMENA = (
    "anaphor_agreement", "argument_structure", "binding", "control_raising",
    "determiner_noun_agreement", "ellipsis", "filler_gap_dependency", "irregular_forms",
    "island_effects", "npi_licensing", "quantifiers", "subject_verb_agreement",
)  # fmt: skip

BY_PHENOMENON = {
    PEOPLE: (97.5, 90.0, 87.3, 83.9, 92.2, 85.0, 86.9, 97.0, 84.9, 88.1, 86.6, 90.9),
    "gpt2": (99.3, 81.8, 80.9, 81.9, 95.8, 89.3, 81.3, 91.9, 72.7, 76.8, 79.0, 86.4),
}


@pytest.mark.parametrize("model", BY_PHENOMENON)
def test_accuracies_by_phenomenon(tables: dict[str, pd.DataFrame], model: str) -> None:
    found = tables["phenomena"].set_index("phenomenon")[model]
    for term, value in zip(PHENOMENA, BY_PHENOMENON[model], strict=True):
        assert 100 * found[term] == pytest.approx(value, abs=0.0501), term


CORRELATIONS = {
    ("ngram", "lstm"): ".59", ("ngram", "txl"): ".58", ("ngram", "gpt2"): ".43",
    ("ngram", PEOPLE): ".34", ("lstm", "txl"): ".90", ("lstm", "gpt2"): ".79",
    ("lstm", PEOPLE): ".49", ("txl", "gpt2"): ".77", ("txl", PEOPLE): ".48",
    ("gpt2", PEOPLE): ".65",
}  # fmt: skip


def test_correlations(tables: dict[str, pd.DataFrame]) -> None:
    found = tables["correlations"].set_index("model")
    for (one, two), value in CORRELATIONS.items():
        assert f"{found.loc[one, two]:.2f}"[1:] == value, (one, two)


def test_what_makes_agreement_harder(tables: dict[str, pd.DataFrame]) -> None:
    found = tables["agreement"].set_index(["what", "model"])
    costs = [100 * found.loc[("intervening adjective", name), "cost"] for name in MODELS]
    assert [round(cost, 1) for cost in costs] == pytest.approx([35.1, 4.8, 5.3, 2.1], abs=0.051)
    for what, value in (("relational noun", 79.5), ("relative clause", 65.7)):
        row = found.loc[(f"attractor in a {what}", "gpt2")]
        assert 100 * row["without"] == pytest.approx(94.8, abs=0.051)
        assert 100 * row["with"] == pytest.approx(value, abs=0.051)


def test_the_paradigm_that_all_models_fail(tables: dict[str, pd.DataFrame]) -> None:
    found = tables["difficulty"]
    assert found[found["all fail"] == "yes"]["UID"].tolist() == ["principle_A_reconstruction"]
    assert len(found) == 67
