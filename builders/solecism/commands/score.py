"""Score a model on items.

DATA: clams/he, a built folder and a config, or ORG/NAME/CONFIG.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from solecism.baselines.ngram import is_ngram, load_ngram, ngram_revision, score_ngram
from solecism.commands.options import FOLDER, JSON, NEW_FOLDER, console
from solecism.commands.report import report
from solecism.commands.surprisals import score_study_and_report, score_surprisals_and_report
from solecism.errors import candidates, fail
from solecism.scoring.engines.engines import ENGINES
from solecism.scoring.engines.masked import MaskedOptions
from solecism.scoring.items import PairData, open_items, require_pairs
from solecism.scoring.methods.cloze import score_cloze
from solecism.scoring.methods.focus import score_focus
from solecism.scoring.methods.pll import score_pll
from solecism.scoring.methods.region import all_hold, items_line, leave_out, score_suites
from solecism.scoring.methods.sentence import BOS, METHODS, CausalScorer, Options
from solecism.scoring.models import DTYPES, Loaded, kind_of, load_causal, load_masked
from solecism.scoring.readers import causal_reader, ngram_reader
from solecism.scoring.results import (
    Journal,
    ResultWriter,
    read_result,
    refuse_replacing,
    result_files,
)
from solecism.scoring.signature import Signature, environment
from solecism.scoring.summary import summarize_file
from solecism.terminal import terminal

__all__ = ["ALL_METHODS", "Request", "command", "score_and_report"]

MASKED = ("focus", "pll", "pll:original", "pll:within_word_l2r")
ALL_METHODS = (*METHODS, *MASKED, "ngram")
REGION = "region"
CLOZE = ("cloze", "cloze:two_forms")
FOR_KIND = {"pair": ALL_METHODS, "suite": (REGION,), "cloze": CLOZE}
"""The methods for each kind of items."""
FOR_MODEL = {
    "causal": (*METHODS, REGION),
    "masked": ("pll", *(method for method in MASKED if method != "pll"), *CLOZE),
    "n-gram": ("ngram", "sentence", REGION),
}
"""The methods for each kind of model; the first that is for the items is the usual one."""
SAMPLE, FEWEST = 1000, 30
"""Pairs on which the other choice of BOS is tried, at most and at least (a tenth of those scored)."""

Scorer = Callable[[Iterable[pa.Table], Journal], Iterator[pa.Table]]


@dataclass(frozen=True)
class Request:
    """What is asked of ``solecism score``; see its options."""

    data: str
    model: str
    out: Path
    method: str = ""
    revision: str | None = None
    data_revision: str | None = None
    dtype: str = "float32"
    device: str = "cpu"
    bos: str = "auto"
    eos: bool = False
    engine: str = "auto"
    multi_piece: str = "skip"
    tokens: int = 4096
    limit: int | None = None
    sample: int | None = None
    trust_remote_code: bool = False


@dataclass(frozen=True)
class _Prepared:
    """A scorer with what its figures depend on; ``remark`` is known when it has scored."""

    score: Scorer
    revision: str
    options: dict[str, str]
    remark: Callable[[PairData], str]


def score_and_report(request: Request, as_json: bool, console: Console) -> None:
    """Score, write ``<out>/<model>-<data>-<config>-<method>.json`` and ``.parquet``, print accuracies.

    Options that are not the usual ones are part of the name, and of a model in a folder the first digits of
    its fingerprint. Raises :class:`InputError` for anything that cannot be scored, and where there is
    the result of another run under that name. A run that is killed goes on where it was when it is
    repeated.
    """
    _refuse_unknown(request)
    data = replace(open_items(request.data, request.data_revision), sample=request.sample)
    request = replace(request, method=_method(request, data))
    prepared = _prepare(request)
    signature = _signature(request, data, prepared)
    stem = request.out / _stem(request, data, prepared.revision)
    refuse_replacing(stem, signature)
    written = _run(request, data, prepared, signature, stem)
    report([written], None, False, None, None, None, as_json, console)
    if not as_json:
        if request.method == REGION:
            console.print(items_line(read_result(written).summary["items"]))
        console.print(f"{prepared.remark(data)}written to {written}", soft_wrap=True, markup=False)


def _refuse_unknown(request: Request) -> None:
    """Tell of a wrong value before anything is loaded."""
    methods = [method for found in FOR_KIND.values() for method in found]
    known: dict[str, tuple[str, ...]] = {
        "method": ("", *methods), "bos": BOS, "engine": ("auto", *ENGINES), "dtype": DTYPES,
    }  # fmt: skip
    for what, values in known.items():
        value = getattr(request, what)
        if value not in values:
            near = candidates(f"values of --{what}", [v for v in values if v], value)
            raise fail(f"there is no {what} {value!r} {near}")


def _method(request: Request, data: PairData) -> str:
    """The method asked for, or the usual one for the items and the model; raises where it is for others."""
    fitting = FOR_KIND[data.kind]
    if request.method and request.method not in fitting:
        near = candidates("methods", fitting)
        kind = f"{data.kind} items of {request.data!r}"
        raise fail(f"method {request.method!r} is not for the {kind} {near}")
    if data.kind == "pair":
        require_pairs(data, request.data)
    kind = _kind(request)
    able = [method for method in FOR_MODEL[kind] if method in fitting]
    if not able:
        message = f"the {data.kind} items of {request.data!r} are not for {kind} models"
        raise fail(f"{message}, as {request.model!r} {candidates('methods', FOR_MODEL[kind])}")
    if request.method and request.method not in able:
        message = f"method {request.method!r} is not for {kind} models, as {request.model!r}"
        raise fail(f"{message} {candidates('methods', able)}")
    return request.method or able[0]


def _kind(request: Request) -> str:
    if is_ngram(request.model) or request.method == "ngram":
        return "n-gram"
    return kind_of(request.model, request.revision, request.trust_remote_code)


def _prepare(request: Request) -> _Prepared:
    if request.method == REGION:
        return _regions(request)
    if is_ngram(request.model) or request.method == "ngram":
        model = load_ngram(request.model)
        revision = ngram_revision(request.model)
        return _Prepared(lambda tables, _: score_ngram(tables, model), revision, {}, _no_remark)
    if request.method in CLOZE:
        return _cloze(request, _load(load_masked, request))
    if request.method in MASKED:
        return _masked(request, _load(load_masked, request))
    return _causal(request, _load(load_causal, request))


def _load(load: Callable[..., Loaded], request: Request) -> Loaded:
    return load(
        request.model,
        revision=request.revision,
        dtype=request.dtype,
        device=request.device,
        trust_remote_code=request.trust_remote_code,
    )


def _regions(request: Request) -> _Prepared:
    """The surprisal of regions, by an n-gram or a causal model."""
    if is_ngram(request.model):
        reader = ngram_reader(load_ngram(request.model))
        revision = ngram_revision(request.model)
        return _Prepared(lambda tables, _: score_suites(tables, reader), revision, {}, _no_remark)
    loaded = _load(load_causal, request)
    options = Options(METHODS[0], request.bos, False, request.engine, request.tokens)
    scorer = CausalScorer(loaded, options)

    def score(tables: Iterable[pa.Table], journal: Journal) -> Iterator[pa.Table]:
        scorer.journal = journal
        return score_suites(tables, causal_reader(scorer))

    return _Prepared(score, loaded.revision, {"bos": request.bos}, _no_remark)


def _causal(request: Request, loaded: Loaded) -> _Prepared:
    options = Options(request.method, request.bos, request.eos, request.engine, request.tokens)
    scorer = CausalScorer(loaded, options)

    def remark(data: PairData) -> str:
        if scorer.probed is None:
            return ""
        refused = "; ".join(f"{name}: {why}" for name, why in scorer.probed.refused.items())
        engine = f"engine {scorer.engine.name}{f' ({refused})' if refused else ''}"
        return f"{engine}\n{_other_bos(scorer, data, request.limit)}"

    def score(tables: Iterable[pa.Table], journal: Journal) -> Iterator[pa.Table]:
        scorer.journal = journal
        return scorer.score(tables)

    told = {"bos": request.bos, **({"eos": "yes"} if request.eos else {})}
    return _Prepared(score, loaded.revision, told, remark)


def _no_remark(_: PairData) -> str:
    return ""


def _other_bos(scorer: CausalScorer, data: PairData, limit: int | None) -> str:
    """Try the other choice of BOS on a sample and say so where it changes the result by over two points."""
    total = min(data.rows, limit or data.rows)
    step = max(total // min(SAMPLE, max(total // 10, 1)), 1)
    sample = data.every(step, total)
    if len(sample) < FEWEST:
        return ""
    other = "never" if scorer.options.bos != "never" else "auto"
    both = [
        CausalScorer(scorer.loaded, replace(scorer.options, bos=b))
        for b in (scorer.options.bos, other)
    ]
    means = [pc.mean(pa.concat_tables(s.score([sample]))["decision"]).as_py() for s in both]
    if None in means or abs(means[0] - means[1]) <= 0.02:
        return ""
    return (
        f"the choice of BOS matters: on {len(sample)} of these pairs {100 * means[0]:.1f} with "
        f"--bos {scorer.options.bos}, {100 * means[1]:.1f} with --bos {other}\n"
    )


def _masked(request: Request, loaded: Loaded) -> _Prepared:
    if request.method == "focus":
        options = MaskedOptions(multi_piece=request.multi_piece)  # type: ignore[arg-type]
        told = {} if request.multi_piece == "skip" else {"multi_piece": request.multi_piece}
        return _Prepared(
            lambda t, j: score_focus(t, loaded, options, j), loaded.revision, told, _no_remark
        )
    variant = request.method.partition(":")[2] or "within_word_l2r"
    options = MaskedOptions(variant=variant)  # type: ignore[arg-type]
    return _Prepared(lambda t, j: score_pll(t, loaded, options, j), loaded.revision, {}, _no_remark)


def _cloze(request: Request, loaded: Loaded) -> _Prepared:
    """All right forms of the language's inventory (config ``<language>-forms``) against all wrong ones."""
    inventory = open_items(f"{request.data}-forms", request.data_revision)
    forms = pa.concat_tables(inventory.tables())
    options = MaskedOptions(two_forms=request.method == CLOZE[1])
    told = {"forms": inventory.digest[:8]}
    return _Prepared(
        lambda tables, journal: score_cloze(tables, forms, loaded, options, journal),
        loaded.revision,
        told,
        _no_remark,
    )


def _signature(request: Request, data: PairData, prepared: _Prepared) -> Signature:
    part = {"limit": request.limit, "sample": request.sample}
    options = prepared.options | {name: str(n) for name, n in part.items() if n}
    method = "pll:within_word_l2r" if request.method == "pll" else request.method
    method = "ngram" if is_ngram(request.model) and method != REGION else method
    return Signature(
        data.name, data.version, data.digest, data.config, method, _model_name(request.model),
        prepared.revision, request.dtype, options,
    )  # fmt: skip


def _model_name(model: str) -> str:
    """A hub id as it is; of a folder its last part, of a seed two: ``lstm-fr/seed-0``."""
    path = Path(model)
    if not path.exists():
        return model
    return "/".join(path.resolve().parts[-2 if path.resolve().name.startswith("seed-") else -1 :])


def _stem(request: Request, data: PairData, revision: str) -> str:
    own = [revision.removeprefix("sha256-")[:8]] if Path(request.model).exists() else []
    parts = [_model_name(request.model), *own, data.name, data.config, request.method]
    usual = Request(request.data, request.model, request.out, request.method)
    told = ("bos", "eos", "limit", "sample", "dtype", "revision", "data_revision", "multi_piece")
    changed = [name for name in told if getattr(request, name) != getattr(usual, name)]
    parts += [f"{name}_{getattr(request, name)}" for name in changed]
    return "-".join(re.sub(r"[^\w.]+", "_", part) for part in parts)


def _run(
    request: Request, data: PairData, prepared: _Prepared, signature: Signature, stem: Path
) -> Path:
    """Score what is not scored yet and write the result; return the path of its summary."""
    total = min(data.rows, request.limit or data.rows)
    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(),
        TextColumn("{task.fields[speed]} sentences/s"), TimeRemainingColumn(),
    )  # fmt: skip
    console = terminal(stderr=True)
    start, scored = time.perf_counter(), 0

    def summary(table: Path) -> dict[str, Any]:
        ran = environment(request.device, request.dtype, time.perf_counter() - start, 2 * scored)
        items = {"items": all_hold(table).to_json()} if request.method == REGION else {}
        return {**summarize_file(table, signature, ran), **items}

    told = _told(request, signature)
    with (
        ResultWriter(stem, told, notice=console.print, summary=summary) as writer,
        Progress(*columns, console=console, transient=True) as progress,
    ):
        done = writer.resume()
        task = progress.add_task(
            f"{data.name}/{data.config}", total=total, completed=done, speed="-"
        )
        rest = leave_out if request.method == REGION else _after
        for table in prepared.score(rest(data.tables(limit=total), done), writer.journal):
            writer.write(table)
            scored += len(table)
            speed = f"{2 * scored / (time.perf_counter() - start):,.0f}"
            progress.update(task, completed=done + scored, speed=speed)
    return result_files(stem)[0]


def _told(request: Request, signature: Signature) -> str:
    """All that must be the same for a run to go on: the signature in full, and what its digits depend on."""
    ran = environment(request.device, request.dtype, 1.0, 0)
    names = ("torch", "transformers", "tokenizers", "numpy", "device")
    batches = {"engine": request.engine, "tokens": request.tokens}
    parts = [signature.to_json(), {name: ran[name] for name in names}, batches]
    return json.dumps(parts, ensure_ascii=False)


def _after(tables: Iterable[pa.Table], done: int) -> Iterator[pa.Table]:
    """Leave out the leading rows that are scored already."""
    for table in tables:
        if done < len(table):
            yield table.slice(done)
        done = max(done - len(table), 0)


@click.command(help=__doc__)
@click.argument("data", required=False)
@click.option("--model", help="Hub id or folder of a causal, masked or n-gram model.")
@click.option(
    "--surprisals",
    type=FOLDER,
    help="Instead of a model: a folder of files with the surprisal of each token.",
)
@click.option(
    "--method",
    default="",
    show_default="sentence, for masked models pll; region for suites, cloze for cloze items",
    help="sentence, one_prefix, focus, pll, region, cloze ...",
)
@click.option("--revision", help="Revision of the model.")
@click.option("--data-revision", help="Revision of a data set of the hub.")
@click.option("--dtype", default="float32", show_default=True)
@click.option("--device", default="cpu", show_default=True)
@click.option(
    "--bos", default="auto", show_default=True, help="auto (lm-eval's rule), always, never."
)
@click.option("--eos", is_flag=True, help="Also score the end-of-sentence token.")
@click.option(
    "--engine", default="auto", show_default=True, help="auto, tree, cached, plain, loop."
)
@click.option(
    "--multi-piece", type=click.Choice(["skip", "pll"]), default="skip", show_default=True
)
@click.option("--batch-tokens", "tokens", type=click.IntRange(1), default=4096, show_default=True)
@click.option("--limit", type=click.IntRange(1), help="Score only the first pairs.")
@click.option("--sample", type=click.IntRange(1), help="Score so many pairs of each paradigm.")
@click.option("--trust-remote-code", is_flag=True, help="Run code that comes with the model.")
@click.option(
    "--out",
    type=NEW_FOLDER,
    default=Path("results"),
    show_default=True,
    help="Folder of the results.",
)
@JSON
def command(as_json: bool, surprisals: Path | None, **request: Any) -> None:
    if surprisals is not None:
        _score_surprisals(surprisals, as_json, **request)
        return
    if not request["data"] or not request["model"]:
        raise click.UsageError(
            "name a config and a model, as `solecism score clams/he --model gpt2`"
        )
    score_and_report(Request(**request), as_json, console())


def _score_surprisals(
    folder: Path, as_json: bool, data: str | None, model: str | None, out: Path, **_: Any
) -> None:
    if model:
        raise click.UsageError("--surprisals takes the place of --model")
    if data:
        score_surprisals_and_report(data, folder, out, as_json, console())
    else:
        score_study_and_report(folder, out, as_json, console())
