"""``solecism build``: from templates and lexicons to a data set folder that ``load_dataset`` opens."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from solecism.check.items import ItemChecker
from solecism.errors import InputError, Problem, fail
from solecism.generate.blocks import LARGEST, check_size
from solecism.generate.pairs import Counts, draw_pairs
from solecism.generate.paradigm import Paradigm
from solecism.items import pair_schema
from solecism.release.built import FILE, MANIFEST, BuiltConfig, BuiltParadigm
from solecism.release.catalogue import stanza
from solecism.release.digest import ContentDigest, file_digest
from solecism.release.documents import write_documents
from solecism.release.parquet import PairWriter
from solecism.sources import Root

__all__ = ["build", "in_place_of"]

Progress = Callable[[str, int, int], None]


def build(
    root: Root,
    dataset: str,
    out: Path,
    configs: Sequence[str] = (),
    progress: Progress | None = None,
    most: int = LARGEST,
) -> list[BuiltConfig]:
    """Build a data set into the folder ``out`` and return what was built.

    Nothing is left half-written: the folder is made beside ``out`` and takes its place at the end. Raises
    :class:`InputError` for bad sources, items that fail a check, or an ``out`` that is something else.
    """
    entry = stanza(root, dataset)
    names = list(configs) or root.configs(dataset)
    paradigms = {name: root.paradigms(dataset, name) for name in names}
    for paradigm in (p for some in paradigms.values() for p in some):
        check_size(paradigm, most)
        _refuse_suite(paradigm)
    extra = tuple(
        sorted({f for some in paradigms.values() for p in some for f in p.template.features})
    )
    with in_place_of(out) as folder:
        job = _Job(root.path, folder, entry.seed, extra, most, progress or _silent)
        built = [_build_config(name, paradigms[name], job) for name in names]
        write_documents(root, entry, built, pair_schema(extra), folder)
    return built


@contextmanager
def in_place_of(out: Path) -> Iterator[Path]:
    """Give a fresh folder that takes the place of ``out`` when the block ends well, else vanishes."""
    if out.exists() and not (out / MANIFEST).is_file():
        message = f"exists and is no data set of ours (it has no {MANIFEST}): choose another --out"
        raise fail(message, out)
    out.parent.mkdir(parents=True, exist_ok=True)
    for stale in out.parent.glob(f".{out.name}.new-*"):
        if not Path(f"/proc/{stale.name.rpartition('-')[2]}").exists():
            shutil.rmtree(stale, ignore_errors=True)
    fresh = out.parent / f".{out.name}.new-{os.getpid()}"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    try:
        yield fresh
        _swap(fresh, out)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _swap(fresh: Path, out: Path) -> None:
    old = out.parent / f".{out.name}.old-{os.getpid()}"
    if out.exists():
        out.rename(old)
    fresh.rename(out)
    shutil.rmtree(old, ignore_errors=True)


@dataclass(frozen=True)
class _Job:
    """What stays the same while a data set is built. ``extra``: names of further features."""

    root: Path
    folder: Path
    seed: int
    extra: tuple[str, ...]
    most: int
    progress: Progress


def _silent(name: str, done: int, total: int) -> None:
    """Show no progress."""


def _build_config(name: str, paradigms: Sequence[Paradigm], job: _Job) -> BuiltConfig:
    path = job.folder / name / FILE
    path.parent.mkdir()
    digest = ContentDigest()
    built: list[BuiltParadigm] = []
    with PairWriter(path, pair_schema(job.extra)) as writer:
        for number, paradigm in enumerate(paradigms):
            job.progress(paradigm.name, number, len(paradigms))
            built.append(_build_paradigm(paradigm, writer, digest, job))
    _refuse_errors(built)
    size = path.stat().st_size
    return BuiltConfig(
        name,
        tuple(built),
        writer.rows,
        writer.bytes,
        digest.hexdigest(),
        file_digest(path),
        size,
        job.extra,
    )


def _build_paradigm(
    paradigm: Paradigm, writer: PairWriter, digest: ContentDigest, job: _Job
) -> BuiltParadigm:
    counts, checker = Counts(), ItemChecker(paradigm)
    example = ("", "")
    for table in draw_pairs(paradigm, job.seed, counts, job.extra, job.most):
        checker.add(table)
        digest.add(table)
        writer.write(table)
        if example == ("", ""):
            example = tuple(table[f"sentence_{side}"][0].as_py() for side in ("good", "bad"))
    template = paradigm.template
    return BuiltParadigm(
        template.id, template.construction, template.phenomenon, template.about, counts, example,
        tuple(finding.within(job.root) for finding in checker.finish(counts)),
    )  # fmt: skip


def _refuse_suite(paradigm: Paradigm) -> None:
    if not paradigm.template.is_pair:
        line = paradigm.template.conditions[0].line
        message = "is a suite; only minimal pairs can be built into a data set so far"
        raise fail(message, paradigm.template.path, line)


def _refuse_errors(built: Sequence[BuiltParadigm]) -> None:
    errors = [f for paradigm in built for f in paradigm.findings if f.level == "error"]
    if errors:
        raise InputError(Problem(f.message, f.path, f.line, f.code) for f in errors)
