"""Pairs as a task of inspect-ai: its models that return log probabilities of prompts score them.

    inspect eval solecism/pairs -T data=clams/he --model vllm-completions/gpt2

A model sees the two sentences of a pair, each as a prompt by itself, and a pair is right when the
good one has the higher sum (a tie counts a half). Whether a sentence begins with a BOS token is the
server's choice; the first token has no probability where it does not.
"""

import math
from dataclasses import replace

import numpy as np
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from solecism.own_pairs import NEEDED
from solecism.scoring.items import open_pairs
from solecism.scoring.results import right_or_tie

_ASKED = GenerateConfig(prompt_logprobs=1, max_tokens=1, temperature=0.0)
_SIDES = ("good", "bad")
_KINDS = "`vllm-completions/...` and `openai-api-completions/...` with vLLM or SGLang do"


@task
def pairs(data: str, sample: int | None = None, revision: str | None = None) -> Task:
    """Return the pairs of a config as a task.

    Args:
        data: A config, as ``solecism score`` takes it: ``clams/he``, a folder, ``ORG/clams/he``.
        sample: Take so many pairs of each paradigm (those whose ids have the smallest hashes).
        revision: A revision on the hub.

    Raises:
        InputError: The data cannot be read, or are no pairs.
    """
    items = replace(open_pairs(data, revision), sample=sample)
    rows = [row for table in items.tables(NEEDED) for row in table.to_pylist()]
    return Task(
        dataset=MemoryDataset(
            [
                Sample(id=row["id"], input=row["sentence_good"], target="good", metadata=dict(row))
                for row in rows
            ],
            name=f"{items.name}/{items.config}",
        ),
        solver=prompt_log_probs(),
        scorer=higher_log_prob(),
        version=items.version,
        metadata={"content": items.digest},
    )


@solver
def prompt_log_probs() -> Solver:
    """Return a solver that asks for log P of both sentences of a pair."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for side in _SIDES:
            text = state.metadata[f"sentence_{side}"]
            output = await get_model().generate(text, config=_ASKED)
            state.store.set(f"logp_{side}", math.fsum(_values(output, text)))
        return state

    return solve


def _values(output: ModelOutput, text: str) -> list[float]:
    """Return the log probabilities of the tokens of ``text``; raise where there are none."""
    found = output.choices[0].prompt_logprobs if output.choices else None
    if found is None or not found.content:
        raise ValueError(f"{output.model} gives no log probabilities of prompts; {_KINDS}")
    values = [token.logprob for token in found.content]
    said = "".join("".join(token.token for token in found.content).split())  # perhaps no first one
    if said.isascii() and not "".join(text.split()).endswith(said):
        raise ValueError(f"{output.model} gives the tokens of another text than {text!r}")
    if not any(values) or not all(map(math.isfinite, values)):
        raise ValueError(f"{output.model} gives log probabilities that are none: {values[:5]}")
    return values


@scorer(metrics=[grouped(mean(), "UID"), stderr(cluster="set_id")])
def higher_log_prob() -> Scorer:
    """Return a scorer: 1 where the good sentence has the higher log P, 0 where the bad one has, a
    half for a tie."""

    async def score(state: TaskState, target: Target) -> Score:
        good, bad = (state.store.get(f"logp_{side}") for side in _SIDES)
        value = right_or_tie(np.array([good - bad]))[0]
        return Score(value=float(value), metadata={"logp_good": good, "logp_bad": bad})

    return score
