"""Results as a normaliser would have decided them: the same scores, other decisions."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from solecism.errors import InputError, Problem
from solecism.scoring.normalise import INPUTS, Normaliser, decisions, find_normaliser, margins
from solecism.scoring.results import Result
from solecism.scoring.summary import Signature, summarize

__all__ = ["RenormalisedResult", "renormalise"]


def renormalise(result: Result, name: str) -> Result:
    """Return a result as a normaliser would have decided it; nothing is written.

    Its signature names the normaliser, its figures are counted anew. Margins are in natural
    logarithms on the scale of the good side's sum. Raises :class:`InputError` for an unknown name,
    and for a result that has not what the normaliser needs.
    """
    normaliser = find_normaliser(name)
    if name == "sum":
        return result
    parts = dict(result.run)
    parts["options"] = {**parts["options"], "normaliser": name}
    signature = Signature(tool=parts.pop("solecism"), **parts)
    run = {**signature.to_json(), "solecism": signature.tool}
    head = {**result.summary, "signature": str(signature), "run": run}
    found = RenormalisedResult(result.path, head, normaliser)
    return RenormalisedResult(
        result.path, {**head, **summarize([found.table], signature.config)}, normaliser
    )


@dataclass(frozen=True)
class RenormalisedResult(Result):
    """A result whose decisions and margins are those of a normaliser."""

    normaliser: Normaliser

    def _read(self, names: list[str] | None) -> pa.Table:
        if names is not None and not {"decision", "margin"} & set(names):
            return super()._read(names)
        wanted = None if names is None else list(dict.fromkeys([*names, *INPUTS, "method"]))
        table = self._decided(super()._read(wanted))
        return table if names is None else table.select(names)

    def _decided(self, table: pa.Table) -> pa.Table:
        try:
            decided = decisions(table, self.normaliser.name)
        except InputError as error:
            raise InputError(Problem(p.message, str(self.path)) for p in error.problems) from None
        found = {
            "decision": decided,
            "margin": pa.array(margins(table, self.normaliser), from_pandas=True),
        }
        for name, column in found.items():
            if name in table.column_names:
                table = table.set_column(table.column_names.index(name), name, column)
        return table
