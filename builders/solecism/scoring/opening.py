"""Models are found, loaded and made ready to read items.

A model is one on the hub, a folder, a folder of checkpoints, an n-gram model, one behind a server,
or one that is loaded already. Torch is imported only for those that need it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from solecism.baselines.ngram import NgramModel, arpa_of, load_ngram, ngram_revision
from solecism.errors import candidates, fail
from solecism.scoring.options import ScoreOptions, step_of

if TYPE_CHECKING:
    from solecism.scoring.methods import Reader
    from solecism.scoring.models import Loaded
    from solecism.scoring.normalise import Unigram

T = TypeVar("T")

_CHECKPOINT = re.compile(
    r"(?:checkpoint|ckpt|chck|global_?step|step|epoch|iter)[-_]?\d[\w.]*", re.IGNORECASE
)

_CONFIGS = ("config.json", "adapter_config.json")
"""A folder with one of these is a checkpoint."""


def find_revisions(model: str, patterns: Sequence[str]) -> list[str]:
    """Return the revisions of a model that fit patterns (``chck_*M``), in order of their numbers.

    Of a folder these are the folders of checkpoints in it, of a hub branches and tags. Raises
    :class:`InputError` where a pattern fits none.
    """
    from solecism.hub.client import revisions_of

    names = _folders(Path(model)) if Path(model).is_dir() else revisions_of(model)
    steps: dict[str, float] = {}
    for pattern in patterns:
        fitting = [name for name in names if fnmatchcase(name, pattern)]
        if not fitting:
            near = candidates("revisions", names, pattern)
            raise fail(f"model {model!r} has no revision {pattern!r} {near}")
        for name in fitting:
            step = step_of(name)
            steps[name] = float("inf") if step is None else step  # main comes after all steps
    return sorted(steps, key=lambda name: (steps[name], name))


def _folders(folder: Path) -> list[str]:
    return sorted({path.parent.name for name in _CONFIGS for path in folder.glob(f"*/{name}")})


@dataclass
class LastLoaded:
    """The model, the n-gram model and the unigram model that were loaded last, by their keys."""

    model: dict[object, Loaded] = field(default_factory=dict)
    ngram: dict[object, NgramModel] = field(default_factory=dict)
    unigram: dict[object, Unigram] = field(default_factory=dict)


def keep(last: dict[object, T], key: object, load: Callable[[], T]) -> T:
    """Return what was loaded last under a key, else load it; the old one goes first."""
    if key not in last:
        last.clear()
        last[key] = load()
    return last[key]


@dataclass(frozen=True)
class OpenedModel:
    """A model that can read items: its ``reader``, and what signatures and results say of it.

    ``local``: it is a folder, so that its fingerprint is part of the name of results. ``base``: the
    model that an adapter was put on.
    """

    reader: Reader
    name: str
    revision: str
    dtype: str
    device: str
    local: bool = False
    bos: str = ""
    base: str = ""


@dataclass(frozen=True)
class ModelPlace:
    """Where a model is.

    ``sort``: ``server``, ``n-gram``, or ``network`` (in a folder or on the hub). ``model`` and
    ``revision`` are what results call it, of a checkpoint its run and its own name; ``source`` and
    ``commit`` are the folder that is opened, or the name and the revision on the hub. ``loaded``: a
    model of transformers that is loaded already.
    """

    sort: str
    model: str
    revision: str | None
    source: str
    commit: str | None = None
    loaded: Loaded | None = None

    def kind(self, options: ScoreOptions) -> str:
        """Return the kind of the model: ``causal``, ``masked`` or ``n-gram``."""
        if self.sort in ("server", "n-gram"):
            return "causal" if self.sort == "server" else "n-gram"
        from solecism.scoring import models  # needs torch, which n-gram models do not

        if self.loaded is not None:
            return models.kind_of_config(self.loaded.model.config)
        return models.kind_of(self.source, self.commit, options.trust_remote_code)

    def open(
        self, kind: str, options: ScoreOptions, last: LastLoaded, eos: bool = False
    ) -> OpenedModel:
        """Return the model, ready to read; what was loaded last is taken again."""
        if self.sort == "server" and kind != "n-gram":
            return _open_server(self.model, options)
        source, dtype, device = self.source, options.dtype, options.device
        name, local = options.name or self.model, Path(self.model).exists()
        if local and not options.name:  # the last part, of ``lstm/seed-0`` both
            parts = Path(name).resolve().parts
            name = "/".join(parts[-2 if parts[-1].startswith("seed-") else -1 :])
        if kind == "n-gram":
            device = "cpu" if device in ("auto", "map") else device
            ngram = keep(last.ngram, source, lambda: load_ngram(source))
            dtype = "float32" if dtype == "auto" else dtype
            return OpenedModel(ngram, name, ngram_revision(source), dtype, device, local)
        from solecism.scoring.models import load_model

        key = (source, kind, self.commit, dtype, device, options.trust_remote_code)
        found = self.loaded or keep(last.model, key, lambda: load_model(*key))
        about = (name, found.revision, found.dtype, found.device, local or self.loaded is not None)
        if kind == "masked":
            from solecism.scoring.engines.masked import open_masked

            return OpenedModel(open_masked(found), *about, base=found.base)
        from solecism.scoring.engines.causal import CausalReader

        how = options.bos, eos, options.engine, options.batch_tokens, options.word_correction
        reader = CausalReader(found, *how)
        return OpenedModel(reader, *about, reader.bos, found.base)


def place_of_model(model: str, revision: str | None, loaded: Loaded | None = None) -> ModelPlace:
    """Return where a model is.

    ``runs/A/checkpoint-100`` is ``checkpoint-100`` of ``runs/A``, so that results of all
    checkpoints of a run have one name. Raises :class:`InputError` where a folder has no such
    checkpoint.
    """
    if model.startswith("openai:"):
        return ModelPlace("server", model, revision, model)
    folder, source, commit = Path(model), model, revision
    if loaded is None and folder.is_dir():
        if revision is None and _CHECKPOINT.fullmatch(folder.resolve().name):
            model, revision = str(folder.resolve().parent), folder.resolve().name
        elif revision and not any((folder / revision / name).is_file() for name in _CONFIGS):
            near = candidates("checkpoints", _folders(folder), revision)
            raise fail(f"has no checkpoint {revision!r} {near}", model)
        source, commit = source if revision is None else str(Path(model, revision)), None
    sort = "n-gram" if loaded is None and arpa_of(Path(source)) else "network"
    return ModelPlace(sort, model, revision, source, commit, loaded)


def _open_server(model: str, options: ScoreOptions) -> OpenedModel:
    """Return a model behind a server, which decides about BOS and dtype itself."""
    from solecism.scoring.engines.server import open_server

    changed = options.changed()
    others = "bos", "eos", "revision", "dtype", "unigram", "chat", "word_correction"
    given = [name for name in others if name in changed]
    if given:
        raise fail(f"{given[0]} is what a server decides, or does not tell: leave it out")
    reader = open_server(model, options.requests)
    name = options.name or reader.name
    return OpenedModel(reader, name, "", "server", reader.server.url, bos=reader.bos)
