"""A model for lm-eval, ``solecism-mlm``: masked models, which lm-eval's own ``hf`` cannot score."""

from typing import NoReturn

import lm_eval.models  # first: lm-eval looks for its own models only if there are no others
import pyarrow as pa
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

from solecism.own_pairs import NEEDED
from solecism.scoring.engines.masked import open_masked
from solecism.scoring.methods.masked import score_pll
from solecism.scoring.models import load_model

assert lm_eval.models


@register_model("solecism-mlm")
class SolecismMaskedLM(LM):
    """A masked model, scored by pseudo-log-likelihood: that of Kauf and Ivanova (2023)."""

    def __init__(
        self,
        pretrained: str,
        revision: str | None = None,
        dtype: str = "float32",
        device: str | None = None,
        **_: object,
    ) -> None:
        super().__init__()
        place = device or "auto"
        loaded = load_model(pretrained, "masked", revision=revision, dtype=dtype, device=place)
        self._reader = open_masked(loaded)

    def loglikelihood(
        self, requests: list[Instance], disable_tqdm: bool = False
    ) -> list[tuple[float, bool]]:
        """Score context and continuation as one text; greedy has no meaning here (False)."""
        texts = ["".join(request.args) for request in requests]
        unique = list(dict.fromkeys(texts))
        names = [str(number) for number in range(len(unique))]
        columns = {name: unique if name.startswith("sentence_") else names for name in NEEDED}
        scored = pa.concat_tables(score_pll([pa.table(columns)], self._reader))
        found = scored["logp_good"].to_pylist()
        values = [float("-inf") if value is None else value for value in found]
        known = dict(zip(unique, values, strict=True))
        return [(known[text], False) for text in texts]

    def loglikelihood_rolling(
        self, requests: list[Instance], disable_tqdm: bool = False
    ) -> NoReturn:
        """Raise: masked models cannot do this."""
        raise NotImplementedError("a masked model has no rolling log-likelihood")

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> NoReturn:
        """Raise: masked models cannot do this."""
        raise NotImplementedError("a masked model does not generate")
