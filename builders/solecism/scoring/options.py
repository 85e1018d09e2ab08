"""The options of a run of a model on items, and the steps that names of revisions hold."""

import re
from dataclasses import dataclass
from pathlib import Path

from solecism.errors import fail
from solecism.inputs import Number, check
from solecism.scoring.engines import BOS, DTYPES, ENGINES

FAST = 50
"""How many items of each paradigm ``fast`` takes, those whose ids have the smallest hashes. It does
not change: the subset of a released version is the same for everyone."""

_POSITIVE = Number(1, whole=True)
_SHAPE = {
    "bos": BOS, "engine": ("auto", *ENGINES), "dtype": DTYPES, "multi_piece": ("skip", "pll"),
    "batch_tokens": _POSITIVE, "requests": _POSITIVE, "limit": (None, _POSITIVE),
    "sample": (None, _POSITIVE),
}  # fmt: skip
"""What the values of options may be (:mod:`solecism.inputs`)."""


@dataclass(frozen=True)
class ScoreOptions:
    """How a model is scored.

    Arguments:
        method: a name of the registry (:mod:`solecism.scoring.methods`); by default the usual one
            for the items and the model.
        revision: the revision of the model; of a folder of checkpoints the name of one of them.
        data_revision: the revision of a data set of the hub.
        dtype: ``float32``, ``bfloat16``, ``float16``, or ``auto``: as the weights were saved. Log
            probabilities are taken and added in float32 and float64 in any case.
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``, ``auto``: the fastest that is there, or
            ``map``: the layers are dealt over all cards as they fit (needs accelerate).
        bos: causal models: ``auto`` puts the BOS token first, the EOS token where there is no BOS;
            ``always`` insists on a BOS; ``never`` starts with the first token, which then has no
            probability. Encoder-decoder models begin with a token of their own.
        eos: causal models: also score the end-of-sentence token.
        engine: how causal models are run: ``tree``, ``plain``, ``loop``, or ``auto``
            for the fastest that gives the numbers of the plain loop.
        multi_piece: what ``focus`` does with words of several tokens: ``skip`` or ``pll``.
        word_correction: ``one_prefix``, ``two_prefix``, ``region``: probabilities of words, not of
            their tokens (:mod:`solecism.scoring.word_starts`).
        prompt: ``in_template``, ``yes_no``, ``both``: the prompt, as ``acceptable``, or
            ``en/acceptable`` for a prompt in another language than that of the sentences.
        chat: put prompts into the model's chat template.
        unigram: a text file, or a folder of text, from which a unigram model over the model's
            tokens is estimated, for the normaliser ``slor`` (:mod:`solecism.scoring.normalise`).
        batch_tokens: about how many tokens go through a causal model at a time.
        requests: how many requests a server has to answer at the same time.
        limit: score only so many items, the first ones.
        sample: score only so many items of each paradigm.
        fast: score a fixed subset, 50 items of each paradigm, the same for everyone.
        trust_remote_code: run code that comes with the model.
        name: what results and reports call the model, in place of its folder's name.
        again: score anew what has a result already.
        out: the folder of the result.
    """

    method: str | None = None
    revision: str | None = None
    data_revision: str | None = None
    dtype: str = "float32"
    device: str = "cpu"
    bos: str = "auto"
    eos: bool = False
    engine: str = "auto"
    multi_piece: str = "skip"
    word_correction: bool = False
    prompt: str = ""
    chat: bool = False
    unigram: str | Path | None = None
    batch_tokens: int = 4096
    requests: int = 8
    limit: int | None = None
    sample: int | None = None
    fast: bool = False
    trust_remote_code: bool = False
    name: str = ""
    again: bool = False
    out: str | Path = "results"

    def check(self) -> None:
        """Raise :class:`InputError` for a wrong value, before anything is loaded."""
        check(vars(self), _SHAPE, "options")
        if self.fast and self.sample:
            raise fail("fast and sample are both subsets: give one of them")

    @property
    def items_of_each(self) -> int | None:
        """How many items of each paradigm are scored, None for all."""
        return FAST if self.fast else self.sample

    def changed(self) -> dict[str, object]:
        """Return the options that are not the usual ones, by name."""
        usual = vars(ScoreOptions())
        return {name: value for name, value in vars(self).items() if value != usual[name]}


_STEP = re.compile(r"(\d+(?:\.\d+)?)([kKmMbBgG]?)(?![a-z])")
_SIZES = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "g": 10**9}


def step_of(revision: str) -> float | None:
    """Return the number in the name of a checkpoint, None where there is none.

    >>> [step_of(name) for name in ("chck_10M", "step1000", "main")]
    [10000000.0, 1000.0, None]
    """
    found = _STEP.findall(revision)
    return float(found[-1][0]) * _SIZES[found[-1][1].lower()] if found else None
