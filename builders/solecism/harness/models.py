"""Our scorers as models of lm-eval: ``solecism`` (fast causal) and ``solecism-mlm`` (pseudo-log-likelihood)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model
from lm_eval.models.huggingface import HFLM

from solecism.score.causal import WINDOW
from solecism.score.masked import MaskedOptions
from solecism.score.models import Loaded, load_masked
from solecism.score.pll import score_pll
from solecism.score.probe import Probed, probe

__all__ = ["SolecismLM", "SolecismMaskedLM"]

Scored = list[tuple[float, bool]]


@register_model("solecism")
class SolecismLM(HFLM):
    """lm-eval's own ``hf`` model, tokenisation and arguments included, but scored on the prefix tree.

    ``engine`` and ``batch_tokens`` are further arguments. Whether a continuation would also be chosen
    greedily is not computed (always False): only the multiple-choice and log-likelihood metrics hold.
    """

    def __init__(
        self, *args: Any, engine: str = "auto", batch_tokens: int = 4096, **kwargs: Any
    ) -> None:
        kwargs.setdefault("dtype", "float32")
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
                [*context, *continuation][-self.max_length :] for _, context, continuation in some
            ]
            values = self._score(rows)
            lengths = [len(continuation) for _, _, continuation in some]
            out += [(float(v[-n:].sum()), False) for v, n in zip(values, lengths, strict=True)]
        return out

    def _score(self, rows: list[list[int]]) -> list[Any]:
        if self._probed is None:
            dtype = str(next(self.model.parameters()).dtype).removeprefix("torch.")
            loaded = Loaded(self.model, self.tokenizer, "lm-eval", "", dtype, str(self.device))
            self._probed = probe(loaded, rows, self._engine, self._batch_tokens)
        return self._probed.engine.score(rows)


@register_model("solecism-mlm")
class SolecismMaskedLM(LM):
    """Masked models, scored by pseudo-log-likelihood (Kauf & Ivanova 2023 unless ``variant=original``)."""

    def __init__(
        self,
        pretrained: str,
        revision: str | None = None,
        dtype: str = "float32",
        device: str = "cpu",
        variant: str = "within_word_l2r",
        trust_remote_code: bool = False,
        **_: Any,
    ) -> None:
        super().__init__()
        self._loaded = load_masked(
            pretrained,
            revision=revision,
            dtype=dtype,
            device=device,
            trust_remote_code=bool(trust_remote_code),
        )
        self._options = MaskedOptions(variant=variant)  # type: ignore[arg-type]

    def loglikelihood(self, requests: list[Instance], disable_tqdm: bool = False) -> Scored:
        """Score context and continuation as one text; whether it is greedy has no meaning (False)."""
        texts = ["".join(request.args) for request in requests]
        unique = list(dict.fromkeys(texts))
        table = pa.table({
            "id": [str(number) for number in range(len(unique))],
            "sentence_good": unique,
            "sentence_bad": unique,
        })  # fmt: skip
        scored = pa.concat_tables(score_pll([table], self._loaded, self._options))
        known = dict(zip(unique, scored["logp_good"].to_pylist(), strict=True))
        return [
            (known[text] if known[text] is not None else float("-inf"), False) for text in texts
        ]

    def loglikelihood_rolling(self, requests: list[Instance], disable_tqdm: bool = False) -> Any:
        """Not defined for masked models."""
        raise NotImplementedError("a masked model has no rolling log-likelihood")

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> Any:
        """Not defined for masked models."""
        raise NotImplementedError("a masked model does not generate")
