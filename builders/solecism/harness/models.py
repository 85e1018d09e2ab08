"""Our models in lm-eval: ``solecism`` (causal, fast) and ``solecism-mlm`` (pseudo-log-likelihood)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import torch
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model
from lm_eval.models.huggingface import HFLM

from solecism.scoring.engines.causal import Probed, probe
from solecism.scoring.engines.masked import open_masked
from solecism.scoring.items import NEEDED
from solecism.scoring.methods.pll import score_pll
from solecism.scoring.methods.sentence import WINDOW
from solecism.scoring.models import Loaded, load_model

__all__ = ["SolecismLM", "SolecismMaskedLM"]

Scored = list[tuple[float, bool]]


def _device(asked: str | None) -> str:
    """Return the device that was asked for, by default a GPU; the CPU where there is no GPU."""
    wanted = asked or "cuda"
    if not wanted.startswith("cuda") or torch.cuda.is_available():
        return wanted
    if asked:
        warnings.warn(f"there is no device {asked!r}: the model runs on the CPU", stacklevel=3)
    return "cpu"


@register_model("solecism")
class SolecismLM(HFLM):
    """lm-eval's own ``hf`` model and its arguments, but scored on the prefix tree.

    ``engine`` and ``batch_tokens`` are further arguments. With a tokenizer that has neither BOS nor
    EOS the first token of a text without context has no probability, as with ``--bos never``.
    Whether a continuation would also be chosen greedily is not computed (always False): only the
    multiple-choice and log-likelihood metrics hold.
    """

    def __init__(
        self, *args: Any, engine: str = "auto", batch_tokens: int = 4096, **kwargs: Any
    ) -> None:
        kwargs.setdefault("dtype", "float32")
        kwargs["device"] = _device(kwargs.get("device"))
        super().__init__(*args, **kwargs)
        self._engine, self._batch_tokens = engine, int(batch_tokens)
        self._probed: Probed | None = None

    def _loglikelihood_tokens(
        self,
        requests: Sequence[tuple[tuple[str, str], list[int], list[int]]],
        disable_tqdm: bool = False,
        override_bs: int | None = None,
    ) -> Scored:
        """Score continuations: the sum of log P (natural) of their tokens after the context's."""
        out: Scored = []
        for start in range(0, len(requests), 2 * WINDOW):
            some = requests[start : start + 2 * WINDOW]
            rows = [
                [token for token in (*context, *continuation) if token is not None]
                for _, context, continuation in some
            ]
            values = self._score([row[-self.max_length :] for row in rows])
            lengths = [len(continuation) for _, _, continuation in some]
            out += [
                (float(v[max(len(v) - n, 0) :].sum()), False)
                for v, n in zip(values, lengths, strict=True)
            ]
        return out

    def _score(self, rows: list[list[int]]) -> list[Any]:
        if self._probed is None:
            dtype = str(next(self.model.parameters()).dtype).removeprefix("torch.")
            loaded = Loaded(self.model, self.tokenizer, "lm-eval", "", dtype, str(self.device))
            self._probed = probe(loaded, rows, self._engine, self._batch_tokens)
        return self._probed.engine.score(rows)


@register_model("solecism-mlm")
class SolecismMaskedLM(LM):
    """A masked model, scored by pseudo-log-likelihood.

    That of Kauf & Ivanova (2023) unless ``variant=original``.
    """

    def __init__(
        self,
        pretrained: str,
        revision: str | None = None,
        dtype: str = "float32",
        device: str | None = None,
        variant: str = "within_word_l2r",
        trust_remote_code: bool = False,
        **_: Any,
    ) -> None:
        super().__init__()
        loaded = load_model(
            pretrained,
            "masked",
            revision=revision,
            dtype=dtype,
            device=_device(device),
            trust_remote_code=bool(trust_remote_code),
        )
        self._reader = open_masked(loaded)
        self._variant: Any = variant

    def loglikelihood(self, requests: list[Instance], disable_tqdm: bool = False) -> Scored:
        """Score context and continuation as one text; whether it is greedy has no meaning (False)."""
        texts = ["".join(request.args) for request in requests]
        unique = list(dict.fromkeys(texts))
        names = [str(number) for number in range(len(unique))]
        columns = {name: unique if name.startswith("sentence_") else names for name in NEEDED}
        scored = pa.concat_tables(score_pll([pa.table(columns)], self._reader, self._variant))
        known = dict(zip(unique, scored["logp_good"].to_pylist(), strict=True))
        return [
            (known[text] if known[text] is not None else float("-inf"), False) for text in texts
        ]

    def loglikelihood_rolling(self, requests: list[Instance], disable_tqdm: bool = False) -> Any:
        """Raise: masked models cannot do this."""
        raise NotImplementedError("a masked model has no rolling log-likelihood")

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> Any:
        """Raise: masked models cannot do this."""
        raise NotImplementedError("a masked model does not generate")
