"""Scoring a model on items: what ``solecism score`` and :func:`solecism.score` do."""

from __future__ import annotations

import inspect
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from solecism.baselines.ngram import is_ngram, load_ngram, ngram_revision
from solecism.errors import candidates, fail
from solecism.progress import Progress, no_progress
from solecism.scoring.engines import BOS, DTYPES, ENGINES
from solecism.scoring.items import ItemSet, open_items
from solecism.scoring.methods import Method, Run, choose, method_names, methods
from solecism.scoring.results import Result, ResultWriter, read_result
from solecism.scoring.summary import (
    Signature,
    environment,
    items_right,
    refuse_replacing,
    summarize_file,
)

__all__ = ["score", "usual_value"]

Options = Mapping[str, Any]
"""The arguments of :func:`score` by name."""


_SHOWN = {
    "bos": "always",
    "eos": "changed",
    "limit": "changed",
    "sample": "changed",
    "dtype": "apart",
    "revision": "apart",
    "data_revision": "apart",
    "multi_piece": "changed",
}
"""The options that figures depend on. The name of a result has those that are not the usual ones,
in this order; the signature has them always, if they are not the usual ones, or in a part of its
own."""

_FOR_ALL = ("limit", "sample")
"""Those that matter whatever the method."""

SAMPLE, FEWEST = 1000, 30
"""The most and the fewest pairs on which the other choice of BOS is tried."""


def score(
    data: str,
    model: str,
    *,
    method: str | None = None,
    revision: str | None = None,
    data_revision: str | None = None,
    dtype: str = "float32",
    device: str = "cpu",
    bos: str = "auto",
    eos: bool = False,
    engine: str = "auto",
    multi_piece: str = "skip",
    batch_tokens: int = 4096,
    limit: int | None = None,
    sample: int | None = None,
    trust_remote_code: bool = False,
    out: str | Path = "results",
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
) -> Result:
    """Score a model on items, write a result and return it.

    Two files are written, ``<out>/<model>-<data>-<config>-<method>.json`` and ``.parquet``
    (``docs/results-format.md``). Their name also has the options that are not the usual ones and,
    of a model in a folder, the first digits of its fingerprint. A run that is killed goes on where
    it was when it is repeated.

    Arguments:
        data: ``clams/he`` (a built folder and a config), ``ORG/NAME/CONFIG`` on the hub, or a
            Parquet file.
        model: a name on the hub, or the folder of a causal, masked or n-gram model.
        method: a name of the registry (:mod:`solecism.scoring.methods`); by default the usual one
            for the items and the model.
        revision: the revision of the model.
        data_revision: the revision of a data set of the hub.
        dtype: ``float32``, ``bfloat16``, ``float16``, or ``auto``: as the weights were saved. Log
            probabilities are taken and added in float32 and float64 in any case.
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``, ``auto``: the fastest that is there, or
            ``map``: the layers are dealt over all cards as they fit (needs accelerate).
        bos: causal models: ``auto`` puts the BOS token first, the EOS token where there is no BOS;
            ``always`` insists on a BOS; ``never`` starts with the first token, which then has no
            probability.
        eos: causal models: also score the end-of-sentence token.
        engine: how causal models are run: ``tree``, ``cached``, ``plain``, ``loop``, or ``auto``
            for the fastest that gives the numbers of the plain loop.
        multi_piece: what ``focus`` does with words of several tokens: ``skip`` or ``pll``.
        batch_tokens: about how many tokens go through a causal model at a time.
        limit: score only so many items, the first ones.
        sample: score only so many items of each paradigm.
        trust_remote_code: run code that comes with the model.
        out: the folder of the result.
        progress: called with a name, the number of items that are done, and the number of all.
        notice: called with what there is to say, as that a run goes on after another.

    Raises :class:`InputError` for what cannot be scored, and where the result of another run has
    the same name.

    Example::

        result = solecism.score("clams/fr", "trigrams", limit=100)
        print(result.signature)
        print(result.summary["overall"]["accuracy"])
    """
    options: Options = locals()  # all arguments by name: the one place that lists them is above
    _refuse_unknown(options)
    items = replace(open_items(data, data_revision), sample=sample)
    chosen, kind = choose(method, items, data, lambda: _kind(options), model)
    reader, found_revision, options = _open_model(kind, chosen, options)
    options = {**options, "method": method or chosen.name}
    signature = _signature(options, items, chosen, found_revision)
    stem = Path(out) / _stem(options, items, found_revision)
    refuse_replacing(stem, signature)
    run = Run(reader, items, options)
    _write(stem, signature, chosen, run)
    result = read_result(stem)
    if "bos" in chosen.options and chosen.items == "pair" and notice:
        for note in _notes(result, run):
            notice(note)
    return result


def usual_value(option: str) -> Any:
    """Return the default of an option of :func:`score`.

    >>> usual_value("dtype")
    'float32'
    """
    return inspect.signature(score).parameters[option].default


def _refuse_unknown(options: Options) -> None:
    """Raise :class:`InputError` for a wrong value before anything is loaded."""
    name = options["method"]
    if name is not None and not any(name in method.names for method in methods()):
        raise fail(f"unknown method {name!r} {candidates('methods', method_names(), name)}")
    known = {
        "bos": BOS, "engine": ("auto", *ENGINES), "dtype": DTYPES, "multi_piece": ("skip", "pll"),
    }  # fmt: skip
    for option, values in known.items():
        value = options[option]
        if value not in values:
            near = candidates(f"values of --{option}", values, value)
            raise fail(f"unknown {option} {value!r} {near}")
    for option in ("batch_tokens", "limit", "sample"):
        value = options[option]
        if value is not None and value < 1:
            raise fail(f"{option} is {value}, wanted 1 or more")


def _kind(options: Options) -> str:
    if is_ngram(options["model"]):
        return "n-gram"
    from solecism.scoring.models import kind_of  # needs torch, which n-gram models do not

    return kind_of(options["model"], options["revision"], options["trust_remote_code"])


def _open_model(kind: str, method: Method, options: Options) -> tuple[Any, str, Options]:
    """Return what reads texts for a method (see :class:`Run`), the revision of the model, and the
    options with the dtype and the device in place of ``auto``."""
    if kind == "n-gram":
        return load_ngram(options["model"]), ngram_revision(options["model"]), _plain(options)
    from solecism.scoring.models import load_model

    names = ("revision", "dtype", "device", "trust_remote_code")
    loaded = load_model(options["model"], kind, **{name: options[name] for name in names})
    options = {**options, "dtype": loaded.dtype, "device": loaded.device}
    if kind == "masked":
        from solecism.scoring.engines.masked import open_masked

        return open_masked(loaded), loaded.revision, options
    from solecism.scoring.engines.causal import CausalReader

    chosen = {name: options[name] for name in ("bos", "eos") if name in method.options}
    batches = {"engine": options["engine"], "tokens": options["batch_tokens"]}
    return CausalReader(loaded, **chosen, **batches), loaded.revision, options


def _plain(options: Options) -> Options:
    """Return options without ``auto``: an n-gram model has neither a device nor another dtype."""
    chosen = {"dtype": "float32", "device": "cpu"}
    return {**options, **{k: v for k, v in chosen.items() if options[k] in ("auto", "map")}}


def _is_usual(options: Options, name: str) -> bool:
    return bool(options[name] == usual_value(name))


def _signature(options: Options, items: ItemSet, method: Method, revision: str) -> Signature:
    signed = {
        name: "yes" if options[name] is True else str(options[name])
        for name in (*method.options, *_FOR_ALL)
        if _SHOWN[name] == "always" or not _is_usual(options, name)
    }
    return Signature(
        items.name, items.version, items.digest, items.config, method.signed or method.name,
        _model_name(options["model"]), revision, options["dtype"], signed | method.further(items),
    )  # fmt: skip


def _model_name(model: str) -> str:
    """Return a name of the hub as it is, of a folder its last part, of ``lstm/seed-0`` both."""
    path = Path(model)
    if not path.exists():
        return model
    return "/".join(path.resolve().parts[-2 if path.resolve().name.startswith("seed-") else -1 :])


def _stem(options: Options, items: ItemSet, revision: str) -> str:
    model = options["model"]
    own = [revision.removeprefix("sha256-")[:8]] if Path(model).exists() else []
    parts = [_model_name(model), *own, items.name, items.config, options["method"]]
    parts += [f"{name}_{options[name]}" for name in _SHOWN if not _is_usual(options, name)]
    return "-".join(re.sub(r"[^\w.]+", "_", part) for part in parts)


def _write(stem: Path, signature: Signature, method: Method, run: Run) -> None:
    """Score what is not scored yet and write the result."""
    items, options = run.items, run.options
    total = min(items.rows, options["limit"] or items.rows)
    show = options["progress"] or no_progress
    start, scored = time.perf_counter(), 0

    def summary(table: Path) -> dict[str, Any]:
        seconds = time.perf_counter() - start
        ran = environment(options["device"], options["dtype"], seconds, 2 * scored)
        whole = {"items": items_right(table).to_json()} if items.kind == "suite" else {}
        return {**summarize_file(table, signature, ran), **whole}

    mark = _resume_mark(options, signature)
    with ResultWriter(stem, mark, notice=options["notice"], summary=summary) as writer:
        done = writer.done
        if hasattr(run.model, "journal"):
            run.model.journal = writer.journal
        show(f"{items.name}/{items.config}", done, total)
        for table in method.score(_unscored(items.tables(limit=total), done), run):
            writer.write(table)
            scored += len(table)
            speed = f"{2 * scored / (time.perf_counter() - start):,.0f} sentences/s"
            show(f"{items.name}/{items.config}, {speed}", done + scored, total)


def _resume_mark(options: Options, signature: Signature) -> str:
    """Return all that must be the same for a run to go on."""
    ran = environment(options["device"], options["dtype"], 1.0, 0)
    names = ("torch", "transformers", "tokenizers", "numpy", "device")
    batches = {"engine": options["engine"], "tokens": options["batch_tokens"]}
    parts = [signature.to_json(), {name: ran[name] for name in names}, batches]
    return json.dumps(parts, ensure_ascii=False)


def _unscored(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Leave out the leading items, which have ``rows`` rows in a result already.

    A suite item has a row for each of its predictions.
    """
    for table in tables:
        counts = [1] * len(table)
        if "predictions" in table.column_names:
            counts = pc.list_value_length(table["predictions"]).to_pylist()
        start = 0
        while start < len(counts) and rows >= counts[start] and rows:
            rows -= counts[start]
            start += 1
        if start < len(counts):
            yield table.slice(start)


def _notes(result: Result, run: Run) -> Iterator[str]:
    """Yield which engine was used, and whether the choice of BOS makes a difference."""
    probed = run.model.probed
    if probed is not None:
        refused = "; ".join(f"{name}: {why}" for name, why in probed.refused.items())
        yield f"engine {probed.engine.name}{f' ({refused})' if refused else ''}"
        yield from _other_bos(result, run)


def _other_bos(result: Result, run: Run) -> Iterator[str]:
    """Try the other choice of BOS on a sample; yield a note if it makes a difference."""
    from solecism.scoring.methods.sentence import score_pairs

    rows = int(result.summary["rows"])
    step = max(rows // min(SAMPLE, max(rows // 10, 1)), 1)
    sample, bos = run.items.every(step, rows), run.options["bos"]
    if len(sample) < FEWEST:
        return
    other = "never" if bos != "never" else "auto"
    reader = replace(run.model, bos=other, journal=type(run.model.journal)(), probed=None)
    scored = pa.concat_tables(score_pairs([sample], reader, run.options["method"]))
    ours = result.read(["decision"]).take(pa.array(range(0, rows, step)))
    means = [pc.mean(table["decision"]).as_py() for table in (ours, scored)]
    if None not in means and abs(means[0] - means[1]) > 0.02:
        yield (
            f"the choice of BOS matters: on {len(sample)} of these pairs {100 * means[0]:.1f} with "
            f"--bos {bos}, {100 * means[1]:.1f} with --bos {other}"
        )
