"""Our models inside lm-eval, end to end: the numbers are those of ``solecism score``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("torch", reason="needs the extra `score`")
lm_eval = pytest.importorskip("lm_eval", reason="needs the extra `harness`")

from lm_eval.tasks import TaskManager  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers, trainers  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: E402

import solecism.harness.models  # noqa: F401, E402  (registers our models)
from masked_models import loaded  # noqa: E402
from release import small_root  # noqa: E402
from solecism.datasets.build import build  # noqa: E402
from solecism.scoring.engines.causal import CausalReader  # noqa: E402
from solecism.scoring.engines.masked import open_masked  # noqa: E402
from solecism.scoring.items import open_pairs  # noqa: E402
from solecism.scoring.methods.pll import score_pll  # noqa: E402
from solecism.scoring.methods.sentence import score_pairs  # noqa: E402
from solecism.scoring.models import load_model  # noqa: E402

FEW = 12


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small data set ``clams`` and a model ``bare``, whose tokenizer has no BOS and
    no EOS."""
    folder = tmp_path_factory.mktemp("harness")
    build("clams", out=folder / "clams", root=small_root(folder / "root", "fr", ["simple_agrmt"]))
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(["Le chat dort."], trainers.BpeTrainer(initial_alphabet=alphabet))
    PreTrainedTokenizerFast(tokenizer_object=made).save_pretrained(folder / "bare")
    config = LlamaConfig(
        vocab_size=made.get_vocab_size() + 1, hidden_size=16, intermediate_size=16,
        num_hidden_layers=1, num_attention_heads=2, initializer_range=0.5,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder / "bare")
    return folder


def margins(
    work: Path, monkeypatch: pytest.MonkeyPatch, model: str, folder: Path | str, **more: Any
) -> list[float]:
    """What lm-eval has of each pair: log P of the good sentence less that of the bad one."""
    monkeypatch.setenv("SOLECISM_DATA", str(work))
    monkeypatch.setenv("HF_DATASETS_CACHE", str(work / "cache"))
    tasks = Path(sys.modules["solecism"].__path__[0]) / "harness" / "tasks"
    found = lm_eval.simple_evaluate(
        model=model, model_args=f"pretrained={folder},dtype=float32", limit=FEW,
        tasks=["solecism_clams_fr"], bootstrap_iters=0, log_samples=True,
        task_manager=TaskManager(include_path=str(tasks), include_defaults=False), **more,
    )  # fmt: skip
    assert 0 <= found["results"]["solecism_clams_fr"]["acc,none"] <= 1
    samples = sorted(found["samples"]["solecism_clams_fr"], key=lambda sample: sample["doc_id"])
    return [float(s["resps"][0][0][0]) - float(s["resps"][1][0][0]) for s in samples]


def pairs(work: Path) -> pa.Table:
    return pa.concat_tables(open_pairs(f"{work}/clams/fr").tables(limit=FEW))


def test_a_masked_model(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bert = loaded("bert")
    wanted = pa.concat_tables(score_pll([pairs(work)], open_masked(bert)))["margin"].to_pylist()
    found = margins(work, monkeypatch, "solecism-mlm", bert.name)
    assert found == pytest.approx(wanted, abs=1e-3)


def test_a_tokenizer_without_bos_and_eos(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = CausalReader(load_model(str(work / "bare")))
    wanted = pa.concat_tables(score_pairs([pairs(work)], reader))["margin"].to_pylist()
    found = margins(work, monkeypatch, "solecism", work / "bare")
    assert found == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("model", ["solecism", "solecism-mlm"])
def test_without_a_card_models_run_on_the_processor(
    work: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    folder = work / "bare" if model == "solecism" else loaded("bert").name
    with pytest.warns(UserWarning, match="no device 'cuda:0'"):
        assert len(margins(work, monkeypatch, model, folder, device="cuda:0")) == FEW
