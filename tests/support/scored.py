"""Made-up pairs and scores, and results written from them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from solecism.schema import pair_schema
from solecism.scoring.results import scores_table, writing_result
from solecism.scoring.summary import Signature, environment, summarize_file

CONSTRUCTIONS = {
    "simple_agrmt": "simple agreement",
    "prep_anim": "across a prepositional phrase",
    "prep_inanim": "across a prepositional phrase",
    "simple_npi": "simple <NPI> & co",
}


def make_pairs(n: int, seed: int = 0) -> pa.Table:
    """``n`` pairs of four paradigms, two pairs a minimal set, with attractors in half of them."""
    rng = np.random.default_rng(seed)
    uids = list(CONSTRUCTIONS)
    rows = [_pair(number, uids[number // 2 % 4], rng) for number in range(n)]
    return pa.Table.from_pylist(rows, pair_schema(["mood"]))


def _pair(number: int, uid: str, rng: np.random.Generator) -> dict[str, Any]:
    attractor = uid.startswith("prep")
    features = {
        "construction": CONSTRUCTIONS[uid],
        "controller": f"noun{number % 7}",
        "controller_number": "Sing" if number % 2 else "Plur",
        "match": ["match", "mismatch"][int(rng.integers(2))] if attractor else None,
        "intervenes": attractor or None,
        "distance": int(rng.integers(2, 12)) if attractor else 1,
        "mood": "calm" if number % 3 else None,
    }
    return {
        "id": f"i{number}", "set_id": f"s{number // 2}", "UID": uid, "language": "xx",
        "linguistics_term": "npi_licensing" if uid == "simple_npi" else "agreement",
        "sentence_good": "Good " * (number % 5 + 1), "sentence_bad": "Bad", "features": features,
    }  # fmt: skip


def make_scores(
    pairs: pa.Table, mean: float = 1.0, seed: int = 1, reasons: Sequence[str] = ("too long",)
) -> pa.Table:
    """Scores with margins around ``mean``, some ties, some skipped."""
    rng = np.random.default_rng(seed)
    n = len(pairs)
    margin = rng.normal(mean, 2.0, n)
    margin[rng.random(n) < 0.05] = 0.0
    good = rng.normal(-30, 3, n)
    out = rng.random(n) < 0.06
    skipped = [str(rng.choice(list(reasons))) if skip else None for skip in out]
    texts = pairs["sentence_good"].to_pylist()
    tokens = np.array([len(text) // 5 for text in texts])
    logp = (good, good - margin)
    return scores_table(pairs, "sentence", logp, (tokens, tokens), (texts, texts), skipped)


def scores_of(
    pairs: pa.Table, margins: ArrayLike, method: str = "sentence", skipped: str | None = None
) -> pa.Table:
    """Scores with these margins, of sentences of one token; all or none are ``skipped``."""
    n = len(pairs)
    good, ones = np.full(n, -20.0), np.ones(n, dtype=int)
    logp = (good, good - np.asarray(margins))
    return scores_table(pairs, method, logp, (ones, ones), [["x"] * n] * 2, [skipped] * n)


def signature(model: str = "org/tiny", config: str = "xx", **more: Any) -> Signature:
    """A signature of the made-up data set."""
    facts = {
        "data": "demo",
        "version": "1.0.0",
        "digest": "4f3a9c1e55",
        "method": "sentence",
        **more,
    }
    return Signature(config=config, model=model, **facts)


def write_result(
    stem: Path, scores: pa.Table, model: str = "org/tiny", config: str = "xx", **more: Any
) -> Path:
    """Write a whole result; return the path of its JSON."""
    sig = signature(model, config, **more)
    made = environment("cpu", "float32", 2.0, 2 * len(scores))

    def summary(table: Path) -> dict[str, Any]:
        return summarize_file(table, sig, made)

    with writing_result(stem, str(sig), summary) as (_, write):
        write(scores)
    return stem.with_name(f"{stem.name}.json")


def write_models(folder: Path, *models: str) -> Path:
    """Write the results of models on two configs of made-up pairs; return the folder."""
    for config, start in (("xx", 0), ("yy", 9)):
        pairs = make_pairs(400, start)
        for number, model in enumerate(models):
            scores = make_scores(pairs, 0.8 + number, 10 * start + number)
            write_result(folder / f"{model[4:]}-{config}", scores, model, config)
    return folder
