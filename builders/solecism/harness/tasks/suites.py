"""The class that the task files of suites name."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import log

from lm_eval.api.instance import Instance
from lm_eval.api.metrics import mean
from lm_eval.api.task import ConfigurableTask

from solecism.formula import WHOLE, parse, place_of
from solecism.schema import ItemRow

_DIGITS = 3
"""Digits of a surprisal in bits that are left after a difference of two sums in float32."""


class SuiteTask(ConfigurableTask):
    """Items of a suite: which predictions hold of the surprisals of regions.

    The surprisal of a region is what it adds to that of the text before it: two texts are scored,
    each from its beginning. So a tokenizer that merges across the edge of a region never moves
    words into or out of it. ``acc`` is the mean over the predictions, ``all_hold`` the share of
    items of which all hold.
    """

    def __init__(self, config: Mapping[str, object]) -> None:
        super().__init__(config={k: v for k, v in config.items() if k != "class"})

    def construct_requests(self, doc: ItemRow, ctx: object, **kwargs: object) -> list[Instance]:
        """Ask for each distinct text, up to and through each region that a prediction speaks of."""
        for name in ("apply_chat_template", "chat_template"):
            kwargs.pop(name, None)
        ask = partial(Instance, request_type="loglikelihood", doc=doc, **kwargs)
        return [ask(arguments=("", text), idx=n) for n, text in enumerate(_texts(doc))]

    def process_results(
        self, doc: ItemRow, results: Sequence[tuple[float, bool]]
    ) -> dict[str, float]:
        """Return the share of predictions that hold (a tie one half), and whether all do."""
        logs = dict(zip(_texts(doc), (float(logp) for logp, _ in results), strict=True))
        logs[""] = 0.0

        def surprisal(condition: str, region: str) -> float:
            before, through = _around(doc, condition, region)
            # lm-eval adds in float32: of equal regions the differences are not quite equal.
            return round((logs[before] - logs[through]) / log(2), _DIGITS)

        outcomes = [parse(text)(surprisal) for text in doc["predictions"]]
        return {"acc": sum(outcomes) / len(outcomes), "all_hold": min(outcomes)}

    def aggregation(self) -> dict[str, Callable[[list[float]], float]]:
        """Return how each figure is made of those of the items: as a mean."""
        return {"acc": mean, "all_hold": mean}

    def higher_is_better(self) -> dict[str, bool]:
        """Return that more is better, for both figures."""
        return {"acc": True, "all_hold": True}


def _texts(doc: ItemRow) -> list[str]:
    """Return the texts to score, each once."""
    terms = [term for text in doc["predictions"] for term in parse(text).terms]
    texts = [text for term in terms for text in _around(doc, *term)]
    return list(dict.fromkeys(filter(None, texts)))


def _around(doc: ItemRow, condition: str, region: str) -> tuple[str, str]:
    """Return the text before a region and the text through it."""
    found = next(c for c in doc["conditions"] if c["name"] == condition)
    if region == WHOLE:
        return "", found["text"]
    place = place_of(region, [r["name"] for r in found["regions"]])
    assert place is not None
    span = found["regions"][place]
    return found["text"][: span["start"]].rstrip(), found["text"][: span["end"]]
