"""Several models, revisions and configs in one call: tables of models and learning curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from solecism.scoring.checkpoints import find_revisions
from solecism.scoring.items import expand_data
from solecism.scoring.results import Result
from solecism.scoring.run import ModelShelf, all_options, score_with

__all__ = ["score_all"]


def score_all(
    data: str | Iterable[str],
    model: str | Iterable[str],
    *,
    revisions: Sequence[str] = (),
    **options: Any,
) -> list[Result]:
    """Score each model (in each revision) on each config, and return the results in this order.

    What has a result already is not scored again. A model is loaded once for all configs.

    Arguments:
        data: names as of :func:`solecism.score`; ``clams/*`` stands for the configs that fit,
            ``clams`` for its default config, or for all configs where it has none.
        model: names as of :func:`solecism.score`.
        revisions: patterns of revisions, as ``chck_*M``, in order of their numbers: branches and
            tags of the hub, or the folders of checkpoints in a folder.
        options: the other arguments of :func:`solecism.score`.

    Raises :class:`InputError` as :func:`solecism.score` does, for names and patterns before
    anything is scored.

    Example::

        results = solecism.score_all("clams/*", ["gpt2", "distilgpt2"], fast=True)
        print(solecism.report(results).text())
    """
    specs = [s for spec in _listed(data) for s in expand_data(spec, options.get("data_revision"))]
    given = options.pop("revision", None)
    jobs = [
        (name, revision)
        for name in _listed(model)
        for revision in (find_revisions(name, revisions) if revisions else [given])
    ]
    shelf = ModelShelf()
    return [
        score_with(all_options(spec, name, revision=revision, **options), shelf)
        for name, revision in jobs
        for spec in dict.fromkeys(specs)
    ]


def _listed(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)
