"""Scoring models on items: what ``solecism score`` and :func:`solecism.score` do."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solecism.errors import fail
from solecism.own_pairs import own_pairs
from solecism.scoring.items import expand_data, listed_items, open_items
from solecism.scoring.methods import Method, Reader, Run, choose
from solecism.scoring.opening import LastLoaded, OpenedModel, find_revisions, keep, place_of_model
from solecism.scoring.options import ScoreOptions
from solecism.scoring.results import Result, Summary, read_result, writing_result
from solecism.scoring.summary import Signature, environment, refuse_replacing, summarize_file
from solecism.terminal import Progress, no_progress

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from solecism.scoring.models import Loaded

Notice = Callable[[str], None]

_SIGNED = ("limit", "sample", "fast")
"""Options that are signed whatever the method."""

_NAMED = (
    "bos", "eos", "limit", "sample", "fast", "dtype", "revision", "data_revision", "multi_piece", "unigram",
    "prompt", "chat", "word_correction",
)  # fmt: skip
"""Options that are part of the name of a result, in this order, unless they are the usual ones."""

_HASH = re.compile(r"[0-9a-f]{7,64}")


def score(
    data: Any,
    model: str | Path | PreTrainedModel,
    options: ScoreOptions | None = None,
    *,
    tokenizer: PreTrainedTokenizerBase | None = None,
    progress: Progress = no_progress,
    notice: Notice = lambda _: None,
    **changes: Any,
) -> Result:
    """Score a model on items, write a result and return it.

    Two files are written, ``<out>/<model>-<data>-<config>-<method>.json`` and ``.parquet``
    (``docs/results-format.md``). Their name also has the options that are not the usual ones and,
    of a model in a folder, the first digits of its fingerprint. A run that is killed goes on where
    it was when it is repeated. If the result is there already it is returned as it is.

    Arguments:
        data: ``clams/he`` (a built folder and a config), ``ORG/NAME/CONFIG`` on the hub, either
            with ``/UID`` for one paradigm of it; a file of pairs (.jsonl, .csv, .parquet ...); or
            pairs in memory: a ``Dataset``, a data frame, an Arrow table, a list of mappings.
        model: a name on the hub, the folder of a model or of an adapter, a GGUF file,
            ``openai:http://HOST:PORT/v1#NAME``, a model behind a server (``docs/servers.md``), or
            a model of transformers that is loaded already, as one that is being trained.
        options: how to score; ``changes`` are options by name (:class:`ScoreOptions`).
        tokenizer: of a model that is loaded already; by default the one of its name.
        progress: called with a name, the number of items that are done, and the number of all.
        notice: called with what there is to say, as that a run goes on after another.

    Raises :class:`InputError` for what cannot be scored, and where the result of another run has
    the same name.

    Example::

        result = solecism.score("clams/fr", "trigrams", limit=100)
        print(result.signature)
        print(result.summary["overall"]["accuracy"])
    """
    given = replace(options or ScoreOptions(), **changes)
    scorer = _Scorer(progress, notice)
    data = str(data if isinstance(data, str | Path) else own_pairs(data))
    if isinstance(model, str | Path):
        return scorer.score(data, str(model), given)
    from solecism.scoring.models import unwrapped, wrap_model

    model = unwrapped(model)
    is_training = model.training
    model.eval()  # type: ignore[no-untyped-call]
    try:
        loaded = wrap_model(model, tokenizer, given.name)
        return scorer.score(data, loaded.name, given, loaded)
    finally:
        model.train(is_training)


def score_all(
    data: str | Iterable[str],
    model: str | Iterable[str],
    options: ScoreOptions | None = None,
    *,
    revisions: Sequence[str] = (),
    progress: Progress = no_progress,
    notice: Notice = lambda _: None,
    **changes: Any,
) -> list[Result]:
    """Score each model (in each revision) on each config, and return the results in this order.

    What has a result already is not scored again. A model is loaded once for all configs.

    Arguments:
        data: names as of :func:`solecism.score`; ``clams/*`` stands for the configs that fit,
            ``clams`` for its default config, or for all configs where it has none.
        model: names as of :func:`solecism.score`.
        revisions: patterns of revisions, as ``chck_*M``, in order of their numbers: branches and
            tags of the hub, or the folders of checkpoints in a folder.
        options, changes, progress, notice: as of :func:`solecism.score`.

    Raises :class:`InputError` as :func:`solecism.score` does, for names and patterns before
    anything is scored.

    Example::

        results = solecism.score_all("clams/*", ["gpt2", "distilgpt2"], fast=True)
        print(solecism.report(results).text())
    """
    given = replace(options or ScoreOptions(), **changes)
    names, models = ([each] if isinstance(each, str) else list(each) for each in (data, model))
    expanded = (spec for name in names for spec in expand_data(name, given.data_revision))
    specs = list(dict.fromkeys(expanded))
    jobs = [
        (name, replace(given, revision=revision))
        for name in models
        for revision in (find_revisions(name, revisions) if revisions else [given.revision])
    ]
    if given.name and len({name for name, _ in jobs}) > 1:
        raise fail("one name cannot stand for several models")
    scorer = _Scorer(progress, notice)
    if given.limit is None and given.items_of_each is None and given.data_revision is None:
        rows = (listed_items(spec).rows for spec in specs if ":" not in spec)
        scorer.all_items = len(jobs) * sum(rows)
    return [scorer.score(spec, name, chosen) for name, chosen in jobs for spec in specs]


@dataclass
class _Scorer:
    """Scores models on data sets, one after the other.

    ``all_items`` counts the items of all data sets, for the progress (0: not known), ``before``
    those that are done.
    """

    progress: Progress
    notice: Notice
    last: LastLoaded = field(default_factory=LastLoaded)
    before: int = 0
    all_items: int = 0

    def score(
        self, data: str, model: str, options: ScoreOptions, loaded: Loaded | None = None
    ) -> Result:
        """Score as :func:`score` does."""
        options.check()
        place = place_of_model(model, options.revision, loaded)
        options = replace(options, revision=place.revision)
        items = replace(open_items(data, options.data_revision), sample=options.items_of_each)
        kind_of = partial(place.kind, options)
        method, kind = choose(options.method, items, data, kind_of, place.model)
        eos = options.eos and "eos" in method.options
        corrects = options.word_correction and "word_correction" in method.options
        options = replace(options, word_correction=corrects)
        opened = place.open(kind, options, self.last, eos)
        unigram = None
        if options.unigram is not None and "unigram" in method.options:
            from solecism.scoring.normalise import estimate_unigram

            path = options.unigram
            key = (path, opened.name, opened.revision, eos)
            unigram = keep(self.last.unigram, key, lambda: estimate_unigram(path, opened.reader))
        run = Run(opened.reader, items, options, unigram)
        signature, name = _signed(run, method, opened)
        stem = Path(options.out) / name
        if refuse_replacing(stem, signature) and not options.again:
            self.notice(f"{stem}.json is there already (--again scores it anew)")
        else:
            self._write(stem, signature, method, run, opened)
        self.before += items.rows if self.all_items else 0
        return read_result(stem)

    def _write(
        self,
        stem: Path,
        signature: Signature,
        method: Method,
        run: Run[Reader],
        opened: OpenedModel,
    ) -> None:
        """Score what is not scored yet and write the result."""
        items, options = run.items, run.options
        total = min(items.rows, options.limit or items.rows)
        start, scored = time.perf_counter(), 0

        def ran() -> dict[str, object]:
            seconds = time.perf_counter() - start
            return environment(opened.device, opened.dtype, seconds, 2 * scored)

        def summary(table: Path) -> Summary:
            return summarize_file(table, signature, ran())

        libraries = [ran()[name] for name in ("torch", "transformers", "tokenizers", "numpy")]
        batches = [opened.device, options.engine, options.batch_tokens]
        mark = json.dumps([signature.to_json(), libraries, *batches], ensure_ascii=False)
        with writing_result(stem, mark, summary, notice=self.notice) as (done, write):

            def tell(share: float = 0.0) -> None:
                window = (method.window or run.reader.window) if share else 0
                made = scored + int(share * min(window, total - done - scored))
                seconds = time.perf_counter() - start
                speed = f", {2 * made / seconds:,.0f} sentences/s" if made else ""
                name, so_far = f"{items.name}/{items.config}{speed}", min(done + made, total)
                self.progress(name, self.before + so_far, max(self.all_items, total))

            run.reader.tell = tell
            tell()
            for table in method.score(_unscored(items.tables(limit=total), done), run):
                write(table)
                scored += len(table)
                tell()


def _signed(run: Run[Reader], method: Method, opened: OpenedModel) -> tuple[Signature, str]:
    """Return the signature of a result, and its name without the ending."""
    options, items = run.options, run.items
    bos = opened.bos or options.bos
    changed = replace(options, dtype=opened.dtype, bos=bos).changed() | {"unigram": run.unigram}
    signed = {
        name: "yes" if changed[name] is True else str(changed[name])
        for name in (*method.options, *_SIGNED)
        if changed.get(name)
    }
    if "bos" in method.options:
        signed["bos"] = bos
    if opened.base:
        signed["base"] = opened.base
    if items.uid:
        signed["uid"] = items.uid
    if options.revision and not _HASH.fullmatch(options.revision):
        signed["checkpoint"] = options.revision
    signature = Signature(
        items.name, items.version, items.digest, items.config, method.signed or method.name,
        opened.name, opened.revision, opened.dtype, signed | method.further(run),
    )  # fmt: skip
    own = opened.revision.removeprefix("sha256-")[:8] if opened.local else ""
    parts = [opened.name, own, items.name, items.config, items.uid, options.method or method.name]
    parts += [f"{name}_{changed[name]}" for name in _NAMED if changed.get(name)]
    return signature, "-".join(re.sub(r"[^\w.]+", "_", part) for part in parts if part)


def _unscored(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Leave out the leading items, which have ``rows`` rows in a result already.

    A suite item has a row for each of its predictions.
    """
    for table in tables:
        counts = np.ones(len(table), np.int64)
        if "predictions" in table.column_names:
            counts = pc.list_value_length(table["predictions"]).to_numpy()
        ends = np.cumsum(counts)
        start = int(np.searchsorted(ends, rows, side="right")) if rows else 0
        rows -= int(ends[start - 1]) if start else 0
        if start < len(table):
            yield table.slice(start)
