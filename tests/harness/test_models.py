"""A masked model in lm-eval has the numbers of ``solecism score``."""

from pathlib import Path

import pyarrow as pa
import pytest

lm_eval = pytest.importorskip("lm_eval", reason="needs the extra `harness`")

from lm_eval.tasks import TaskManager  # noqa: E402

import solecism.harness.models  # noqa: E402
from masked_models import loaded  # noqa: E402
from release import small_root  # noqa: E402
from solecism.datasets.build import build  # noqa: E402
from solecism.harness import TASKS  # noqa: E402
from solecism.scoring.engines.masked import open_masked  # noqa: E402
from solecism.scoring.items import open_pairs  # noqa: E402
from solecism.scoring.methods.masked import score_pll  # noqa: E402

assert solecism.harness.models  # imported for the model that it registers
FEW = 12


def test_margins_of_a_masked_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = small_root(tmp_path / "root", "fr", ["simple_agrmt"])
    build("clams", out=tmp_path / "clams", root=root)
    bert = loaded("bert")
    pairs = pa.concat_tables(open_pairs(f"{tmp_path}/clams/fr").tables(limit=FEW))
    wanted = pa.concat_tables(score_pll([pairs], open_masked(bert)))["margin"].to_pylist()
    monkeypatch.setenv("SOLECISM_DATA", str(tmp_path))
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    found = lm_eval.simple_evaluate(
        model="solecism-mlm", model_args=f"pretrained={bert.name},device=cpu", limit=FEW,
        tasks=["solecism_clams_fr"], bootstrap_iters=0, log_samples=True,
        task_manager=TaskManager(include_path=str(TASKS), include_defaults=False),
    )  # fmt: skip
    samples = sorted(found["samples"]["solecism_clams_fr"], key=lambda sample: sample["doc_id"])
    margins = [float(s["resps"][0][0][0]) - float(s["resps"][1][0][0]) for s in samples]
    assert margins == pytest.approx(wanted, abs=1e-3)
