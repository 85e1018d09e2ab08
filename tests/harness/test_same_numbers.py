"""Every data set of pairs: lm-eval's own model and ours give the same numbers, item by item."""

from pathlib import Path

import pytest

pytest.importorskip("lm_eval", reason="needs the extra `harness`")

import solecism
from causal_models import save_model
from lm_eval_runs import run_lm_eval
from release import CHECKOUT, small_root
from solecism.datasets import from_treebanks
from solecism.datasets.build import build
from solecism.root import Root
from solecism.scoring.from_lm_eval import read_lm_eval
from solecism.scoring.items import open_pairs
from solecism.scoring.normalise import decisions
from treebank import conllu, write_mirror

PAIRS = {
    "clams/fr": "solecism_clams_fr",
    "blimp/wh_island": "solecism_blimp_wh_island",
    "agreement/en-pairs": "solecism_agreement_en",
    "mandarin/ba_active_pair": "solecism_mandarin_ba_active_pair",
}
"""A config of each data set that has pairs, and its task. Suites: ``test_score_regions.py``."""
LIMIT = 40

_VERB = "Mood=Ind|Number={}|Person=3|Tense=Pres|VerbForm=Fin"
SENTENCES = f"""
    Strange strange ADJ Degree=Pos 2 amod
    dogs dog NOUN Number=Plur 3 nsubj
    bark+ bark VERB {_VERB.format("Plur")} 0 root
    . . PUNCT _ 3 punct

    That that DET Number=Sing|PronType=Dem 2 det
    dog dog NOUN Number=Sing 3 nsubj
    barks+ bark VERB {_VERB.format("Sing")} 0 root
    . . PUNCT _ 3 punct
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a part of each data set, and a model ``tiny``."""
    folder = tmp_path_factory.mktemp("numbers")
    build("clams", out=folder / "clams", root=small_root(folder / "root", "fr", ["simple_agrmt"]))
    for spec in ("blimp/wh_island", "mandarin/ba_active_pair"):
        name, config = spec.split("/")
        build(name, [config], out=folder / name, root=Root(CHECKOUT))
    mirror = folder / "mirror"
    texts = [conllu(part) for part in SENTENCES.split("\n\n")]
    write_mirror(mirror, "UD_English-EWT", "en_ewt-ud-test.conllu", "".join(texts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOLECISM_SOURCES", str(mirror))
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setattr(from_treebanks, "LEAST", 1)
        build("agreement", ["en"], out=folder / "agreement", root=Root(CHECKOUT))
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
    by_char = decisions(ours, "char").to_pylist()
    for row, normalised in zip(ours.to_pylist(), by_char, strict=True):
        sample = theirs[row["id"]]
        found = [float(answer[0][0]) for answer in sample["resps"]]
        assert found == pytest.approx([row["logp_good"], row["logp_bad"]], abs=1e-3)
        assert abs(row["margin"]) < 1e-3 or sample["acc"] == row["decision"]
        assert abs(row["margin"]) < 1e-2 or sample["acc_norm"] == normalised
