"""Scoring a model on items: what ``solecism score`` and :func:`solecism.score` do."""

from __future__ import annotations

import inspect
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from solecism.baselines.ngram import is_ngram, load_ngram, ngram_revision
from solecism.errors import candidates, fail
from solecism.progress import Progress, no_progress
from solecism.scoring.checkpoints import place_of_model
from solecism.scoring.engines import BOS, DTYPES, ENGINES
from solecism.scoring.items import ItemSet, open_items
from solecism.scoring.methods import Method, Run, choose, method_names, methods
from solecism.scoring.results import Result, ResultWriter, forget_parts, read_result
from solecism.scoring.summary import (
    Signature,
    environment,
    items_right,
    refuse_replacing,
    summarize_file,
)

if TYPE_CHECKING:
    from solecism.scoring.unigram import Unigram

__all__ = ["FAST", "ModelShelf", "all_options", "score", "score_with", "usual_value"]

Options = Mapping[str, Any]
"""The arguments of :func:`score` by name."""


_SHOWN = {
    "bos": "always",
    "eos": "changed",
    "limit": "changed",
    "sample": "changed",
    "fast": "changed",
    "dtype": "apart",
    "revision": "apart",
    "data_revision": "apart",
    "multi_piece": "changed",
    "unigram": "changed",
}
"""The options that figures depend on. The name of a result has those that are not the usual ones,
in this order; the signature has them always, if they are not the usual ones, or in a part of its
own."""

_FOR_ALL = ("limit", "sample", "fast")
"""Those that matter whatever the method."""

FAST = 50
"""How many items of each paradigm ``fast`` takes, those whose ids have the smallest hashes. It does
not change: the subset of a released version is the same for everyone."""

_HASH = re.compile(r"[0-9a-f]{7,64}")

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
    unigram: str | Path | None = None,
    batch_tokens: int = 4096,
    requests: int = 8,
    limit: int | None = None,
    sample: int | None = None,
    fast: bool = False,
    trust_remote_code: bool = False,
    again: bool = False,
    out: str | Path = "results",
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
) -> Result:
    """Score a model on items, write a result and return it.

    Two files are written, ``<out>/<model>-<data>-<config>-<method>.json`` and ``.parquet``
    (``docs/results-format.md``). Their name also has the options that are not the usual ones and,
    of a model in a folder, the first digits of its fingerprint. A run that is killed goes on where
    it was when it is repeated. Where the result is there already it is returned as it is.

    Arguments:
        data: ``clams/he`` (a built folder and a config), ``ORG/NAME/CONFIG`` on the hub, either
            with ``/UID`` for one paradigm of it, or a Parquet file.
        model: a name on the hub, the folder of a causal, masked or n-gram model, or
            ``openai:http://HOST:PORT/v1#NAME``, a model behind a server (``docs/servers.md``).
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
            probability.
        eos: causal models: also score the end-of-sentence token.
        engine: how causal models are run: ``tree``, ``cached``, ``plain``, ``loop``, or ``auto``
            for the fastest that gives the numbers of the plain loop.
        multi_piece: what ``focus`` does with words of several tokens: ``skip`` or ``pll``.
        unigram: a text file, or a folder of text, from which a unigram model over the model's
            tokens is estimated, for the normaliser ``slor`` (:mod:`solecism.scoring.normalise`).
        batch_tokens: about how many tokens go through a causal model at a time.
        requests: how many requests a server has to answer at the same time.
        limit: score only so many items, the first ones.
        sample: score only so many items of each paradigm.
        fast: score a fixed subset, 50 items of each paradigm, the same for everyone.
        trust_remote_code: run code that comes with the model.
        again: score anew what has a result already.
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
    return score_with(options, ModelShelf())


@dataclass
class ModelShelf:
    """Keeps the models that were loaded last, for runs on several data sets."""

    kept: dict[str, tuple[tuple[Any, ...], Any]] = field(default_factory=dict)

    def get(self, load: Callable[..., Any], *given: Any) -> Any:
        """Return ``load(*given)``, without loading where that is what it loaded last."""
        key, _ = self.kept.get(load.__name__, (None, None))
        if key != given:
            self.kept.pop(load.__name__, None)  # the old one goes before the next one comes
            self.kept[load.__name__] = given, load(*given)
        return self.kept[load.__name__][1]


def score_with(options: Options, shelf: ModelShelf) -> Result:
    """Score as :func:`score` does, with its arguments by name and a place for the model."""
    _refuse_unknown(options)
    data, method = options["data"], options["method"]
    items = replace(open_items(data, options["data_revision"]), sample=_sample(options))
    chosen, kind = choose(method, items, data, lambda: _kind(options), options["model"])
    reader, found_revision, options = _open_model(kind, chosen, options, shelf)
    found = _unigram(chosen, options, reader, found_revision, shelf)
    options = {**options, "method": method or chosen.name, "unigram": found and str(found)}
    signature = _signature(options, items, chosen, found_revision)
    stem = Path(options["out"]) / _stem(options, items, found_revision)
    notice = options["notice"] or (lambda _: None)
    if refuse_replacing(stem, signature) and not options["again"]:
        forget_parts(stem)
        notice(f"{stem}.json is there already (--again scores it anew)")
        return read_result(stem)
    run = Run(reader, items, options, found)
    _write(stem, signature, chosen, run)
    result = read_result(stem)
    if "bos" in chosen.options and chosen.items == "pair":
        for note in _notes(result, run):
            notice(note)
    return result


def _sample(options: Options) -> int | None:
    return FAST if options["fast"] else options["sample"]


def all_options(data: str, model: str, **given: Any) -> Options:
    """Return the arguments of :func:`score` by name, those that are not given as they usually are.

    Raises ``TypeError`` for an unknown name.
    """
    bound = inspect.signature(score).bind(data, model, **given)
    bound.apply_defaults()
    return bound.arguments


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
    for option in ("batch_tokens", "requests", "limit", "sample"):
        value = options[option]
        if value is not None and value < 1:
            raise fail(f"{option} is {value}, wanted 1 or more")
    if options["fast"] and options["sample"]:
        raise fail("fast and sample are both subsets: give one of them")


def _kind(options: Options) -> str:
    if _is_remote(options):
        return "causal"
    if is_ngram(options["model"]):
        return "n-gram"
    from solecism.scoring.models import kind_of  # needs torch, which n-gram models do not

    place = place_of_model(options["model"], options["revision"])
    return kind_of(*place, options["trust_remote_code"])


def _open_model(
    kind: str, method: Method, options: Options, shelf: ModelShelf
) -> tuple[Any, str, Options]:
    """Return what reads texts for a method (see :class:`Run`), the revision of the model, and the
    options with the dtype and the device in place of ``auto``."""
    if _is_remote(options):
        return _open_server(options)
    if kind == "n-gram":
        model = shelf.get(load_ngram, options["model"])
        return model, ngram_revision(options["model"]), _plain(options)
    from solecism.scoring.models import load_model

    def load(name: str, kind: str, *given: Any) -> Any:
        return load_model(name, kind, **dict(zip(names, given, strict=True)))

    names = ("revision", "dtype", "device", "trust_remote_code")
    name, revision = place_of_model(options["model"], options["revision"])
    given = (revision, *(options[name] for name in names[1:]))
    loaded = shelf.get(load, name, kind, *given)
    options = {**options, "dtype": loaded.dtype, "device": loaded.device}
    if kind == "masked":
        from solecism.scoring.engines.masked import open_masked

        return open_masked(loaded), loaded.revision, options
    from solecism.scoring.engines.causal import CausalReader

    chosen = {name: options[name] for name in ("bos", "eos") if name in method.options}
    batches = {"engine": options["engine"], "tokens": options["batch_tokens"]}
    return CausalReader(loaded, **chosen, **batches), loaded.revision, options


def _is_remote(options: Options) -> bool:
    return bool(options["model"].startswith("openai:"))


def _open_server(options: Options) -> tuple[Any, str, Options]:
    """Return the reader of a model behind a server, which decides about BOS and dtype itself."""
    from solecism.scoring.engines.server import open_server

    given = [
        name
        for name in ("bos", "eos", "revision", "dtype", "unigram")
        if not _is_usual(options, name)
    ]
    if given:
        raise fail(f"{given[0]} is what a server decides: leave it out")
    reader = open_server(options["model"], options["requests"])
    own = {"bos": reader.bos, "dtype": "server", "device": reader.client.url}
    return reader, "", {**options, **own, "model": reader.loaded.name}


def _unigram(
    method: Method, options: Options, reader: Any, revision: str, shelf: ModelShelf
) -> Unigram | None:
    """Return the unigram model that was named, None for a method that has no use for it."""
    if options["unigram"] is None or "unigram" not in method.options:
        return None

    def load_unigram(path: Path, *_: Any) -> Unigram:
        from solecism.scoring.unigram import estimate_unigram

        return estimate_unigram(path, reader)

    found: Unigram = shelf.get(load_unigram, Path(options["unigram"]), revision, options["eos"])
    return found


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
    if items.uid:
        signed["uid"] = items.uid
    if options["revision"] and not _HASH.fullmatch(options["revision"]):
        signed["checkpoint"] = options["revision"]
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
    place = [items.name, items.config, *filter(None, [items.uid])]
    parts = [_model_name(model), *own, *place, options["method"]]
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

        longest = getattr(run.model, "window", method.window)

        def tell(share: float = 0.0) -> None:
            window = min(longest, total - done - scored)
            made = scored + int(share * window)
            speed = f", {2 * made / (time.perf_counter() - start):,.0f} sentences/s" if made else ""
            show(f"{items.name}/{items.config}{speed}", done + made, total)

        writer.journal.tell = tell
        tell()
        for table in method.score(_unscored(items.tables(limit=total), done), run):
            writer.write(table)
            scored += len(table)
            tell()


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
    """Yield why faster engines were refused, and whether the choice of BOS makes a difference."""
    probed = run.model.probed
    if probed is not None:
        refused = "; ".join(f"{name}: {why}" for name, why in probed.refused.items())
        if refused:
            yield f"engine {probed.engine.name} ({refused})"
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
            f"--bos {bos}, {100 * means[1]:.1f} with --bos {other}. Say which one you report "
            "(docs/scores.md)"
        )
