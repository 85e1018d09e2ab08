"""Pairs of three data sets: lm-eval's own model and ours give the same numbers, item by item."""

from pathlib import Path

import pytest

pytest.importorskip("lm_eval", reason="needs the extra `harness`")

import solecism
from causal_models import save_model
from lm_eval_runs import run_lm_eval
from release import CHECKOUT, small_root
from solecism.datasets.build import build
from solecism.root import Root
from solecism.scoring.from_lm_eval import read_lm_eval
from solecism.scoring.items import open_pairs
from solecism.scoring.normalise import NORMALISERS, margins
from solecism.scoring.results import right_or_tie

PAIRS = {
    "clams/fr": "solecism_clams_fr",
    "blimp/wh_island": "solecism_blimp_wh_island",
    "mandarin/ba_active_pair": "solecism_mandarin_ba_active_pair",
}
"""Configs and their tasks. Suites: ``test_score_regions.py``."""
LIMIT = 40


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a part of each data set, and a model ``tiny``."""
    folder = tmp_path_factory.mktemp("numbers")
    build("clams", out=folder / "clams", root=small_root(folder / "root", "fr", ["simple_agrmt"]))
    for spec in ("blimp/wh_island", "mandarin/ba_active_pair"):
        name, config = spec.split("/")
        build(name, [config], out=folder / name, root=Root(CHECKOUT))
    tables = (next(open_pairs(f"{folder}/{spec}").tables(limit=LIMIT)) for spec in PAIRS)
    save_model(folder / "tiny", [text for t in tables for text in t["sentence_good"].to_pylist()])
    return folder


@pytest.mark.parametrize("spec", PAIRS)
def test_lm_eval_gives_the_same_numbers(
    work: Path, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work)
    ours = solecism.score(spec, "tiny", limit=LIMIT).table
    options = ("--limit", str(LIMIT), "--batch_size", "8")
    samples, _ = run_lm_eval(work, monkeypatch, PAIRS[spec], *options)
    (written,) = work.glob(f"lm-eval-{PAIRS[spec]}/*/results_*.json")
    (read,) = read_lm_eval(written)
    assert read.table["id"].to_pylist() == ours["id"].to_pylist()
    assert read.table["margin"].to_pylist() == pytest.approx(ours["margin"].to_pylist(), abs=1e-3)
    theirs = {sample["doc"]["id"]: sample for sample in samples}
    assert len(theirs) == len(samples) == len(ours) > 1
    by_char = right_or_tie(margins(ours, NORMALISERS["char"])).tolist()
    for row, normalised in zip(ours.to_pylist(), by_char, strict=True):
        sample = theirs[row["id"]]
        found = [float(answer[0][0]) for answer in sample["resps"]]
        assert found == pytest.approx([row["logp_good"], row["logp_bad"]], abs=1e-3)
        assert abs(row["margin"]) < 1e-3 or sample["acc"] == row["decision"]
        assert abs(row["margin"]) < 1e-2 or sample["acc_norm"] == normalised
