"""The task for inspect-ai: the numbers of `solecism score`, through a server."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("torch", reason="needs the extra `score`")
pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
pytest.importorskip("openai", reason="needs the extra `inspect`")

import inspect_ai
from inspect_ai.log import EvalLog

import solecism
from causal_models import save_model
from completions import Completions, Fault, serving
from release import CHECKOUT
from solecism.datasets.build import build
from solecism.root import Root
from solecism.scoring.items import open_pairs

pytestmark = pytest.mark.nightly

LIMIT = 12


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inspect")
    build("blimp", ["wh_island"], out=folder / "blimp", root=Root(CHECKOUT))
    table = pa.concat_tables(open_pairs(f"{folder}/blimp/wh_island").tables(limit=LIMIT))
    save_model(folder / "tiny", table["sentence_good"].to_pylist())
    return folder


def evaluate(
    work: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault | None = None, style: str = "vllm"
) -> EvalLog:
    """Return the log of some pairs, scored through a server as inspect's own model asks it."""
    monkeypatch.chdir(work)
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    with serving(Completions(work / "tiny", style=style, fault=fault)) as name:
        url = name.removeprefix("openai:").partition("#")[0]
        (log,) = inspect_ai.eval(
            "solecism/pairs", task_args={"data": "blimp/wh_island"}, limit=LIMIT,
            model="openai-api-completions/local/tiny", model_base_url=url, display="none",
            log_dir=str(work / "logs"), fail_on_error=True, max_retries=0,
        )  # fmt: skip
    return log


def test_the_same_numbers_as_score(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = evaluate(work, monkeypatch)
    assert log.status == "success"
    assert log.results
    assert log.samples
    table = solecism.score("blimp/wh_island", "tiny", limit=LIMIT).table
    ours = {row["id"]: row for row in table.to_pylist()}
    for sample in log.samples:
        (score,) = (sample.scores or {}).values()
        row, found = ours[str(sample.id)], score.metadata or {}
        assert found["logp_good"] == pytest.approx(row["logp_good"], abs=1e-3)
        assert found["logp_bad"] == pytest.approx(row["logp_bad"], abs=1e-3)
        assert abs(row["margin"]) < 1e-2 or score.value == row["decision"]
    metrics = {name: m.value for s in log.results.scores for name, m in s.metrics.items()}
    assert metrics["wh_island"] == metrics["all"]
    assert metrics["all"] == pytest.approx(sum(r["decision"] for r in ours.values()) / LIMIT)
    assert log.eval.metadata
    assert log.eval.metadata["content"]


def _zeros(_: Completions, answer: dict[str, Any]) -> dict[str, Any]:
    for choice in answer["choices"]:
        for entry in choice["prompt_logprobs"]:
            for value in (entry or {}).values():
                value["logprob"] = 0.0
    return answer


def _others(_: Completions, answer: dict[str, Any]) -> dict[str, Any]:
    for choice in answer["choices"]:
        choice["prompt_logprobs"] = choice["prompt_logprobs"][:3]
    return answer


@pytest.mark.parametrize(
    ("fault", "style", "message"),
    [
        (None, "echo", "gives no log probabilities of prompts"),
        (_zeros, "vllm", "log probabilities that are none"),
        (_others, "vllm", "the tokens of another text"),
    ],
)
def test_a_server_that_does_not_say(
    fault: Fault | None, style: str, message: str, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = evaluate(work, monkeypatch, fault, style)
    assert log.status == "error"
    assert log.error
    assert message in log.error.message
