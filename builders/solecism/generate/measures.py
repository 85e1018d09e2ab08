"""Features that are measured on the pair itself: ``$length`` and the like, beside Jinja expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.generate.bulk import Rendered
from solecism.generate.columns import Printed
from solecism.generate.difference import Difference
from solecism.generate.elimination import Columns
from solecism.generate.slots import Domain

__all__ = ["MEASURES", "Measured", "expressions"]

MEASURES = {
    "$length": "words of the good sentence",
    "$good": "the words of the good sentence that differ",
    "$bad": "the words of the bad sentence that differ",
    "$before": "words before the first that differs",
    "$rarest": "Zipf frequency (column Freq) of the rarest word of the good sentence, rounded down to a half",
}
"""What each measures; the values are texts, as all further features are."""


def expressions(features: Mapping[str, str]) -> list[str]:
    """The Jinja expressions among the features of a template."""
    return [source for source in features.values() if source not in MEASURES]


@dataclass(frozen=True)
class Measured:
    """Pairs of a batch: the slots printed in good sentences, with the words they may have and those taken."""

    difference: Difference
    good: Rendered
    printed: Sequence[Printed]
    domains: Sequence[Domain]
    taken: Columns

    def by(self, name: str) -> pa.StringArray:
        """Measure all pairs of a batch; null where there is nothing to measure."""
        if name in ("$good", "$bad"):
            return self.difference.words(good=name == "$good")
        if name == "$rarest":
            return self._rarest()
        numbers = self.difference.word if name == "$before" else self.good.words[-1]
        return pa.array(np.asarray(numbers).astype(str).tolist(), pa.string())

    def _rarest(self) -> pa.StringArray:
        lowest = np.full(len(self.good), np.inf)
        for slot, domain, column in zip(self.printed, self.domains, self.taken, strict=True):
            frequency = _frequencies(domain, column)
            known = (slot.code >= 0) & ~np.isnan(frequency)
            lowest = np.where(known, np.minimum(lowest, frequency), lowest)
        halves = pa.array(np.floor(2 * lowest) / 2, mask=np.isinf(lowest))
        return pc.cast(halves, pa.string())


def _frequencies(domain: Domain, taken: NDArray[np.int32]) -> NDArray[np.float64]:
    """The number in the column ``Freq`` of each word taken; nan where there is none."""
    entries, inverse = np.unique(taken, return_inverse=True)
    texts = [domain.words[entry].row.properties.get("Freq", "") for entry in entries.tolist()]
    return np.array([float(text or "nan") for text in texts])[inverse]
