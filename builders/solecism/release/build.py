"""``solecism build``: a data set folder that ``load_dataset`` opens, from templates or any other source."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyarrow as pa

from solecism.errors import InputError, fail
from solecism.generate.blocks import LARGEST
from solecism.generate.collecting import no_collecting
from solecism.hashing import file_digest
from solecism.release.agreement import agreement_configs
from solecism.release.built import FILE, MANIFEST, BuiltConfig, BuiltParadigm
from solecism.release.catalogue import MINED, Stanza, stanza
from solecism.release.configs import Config, Part, distinct_parts
from solecism.release.digest import ContentDigest
from solecism.release.documents import write_documents
from solecism.release.paradigms import template_configs
from solecism.release.parquet import ItemWriter
from solecism.sources import Root

__all__ = ["build", "build_configs", "in_place_of"]

Progress = Callable[[str, int, int], None]


def build(
    root: Root,
    dataset: str,
    out: Path,
    configs: Sequence[str] = (),
    progress: Progress | None = None,
    most: int = LARGEST,
) -> list[BuiltConfig]:
    """Build a data set from its templates, or from treebanks, into the folder ``out``; return what was built.

    Nothing is left half-written: the folder is made beside ``out`` and takes its place at the end. Raises
    :class:`InputError` for bad sources, items that fail a check, or an ``out`` that is something else.
    """
    entry = stanza(root, dataset)
    if entry.configs == MINED:
        return build_configs(root, entry, agreement_configs(dataset, configs), out, progress)
    with no_collecting():
        chosen = template_configs(root, entry, configs, most)
        return build_configs(root, entry, chosen, out, progress)


def build_configs(
    root: Root,
    entry: Stanza,
    configs: Sequence[Config],
    out: Path,
    progress: Progress | None = None,
) -> list[BuiltConfig]:
    """Build configs of any kind and source into the folder ``out``; see :func:`build`.

    Each part is drawn once, table by table, and written to all configs that it belongs to.
    """
    parts = distinct_parts(configs)
    with in_place_of(out) as folder, ExitStack() as stack:
        outputs = [stack.enter_context(_Output(config, folder)) for config in configs]
        for number, part in enumerate(parts):
            (progress or _silent)(part.name, number, len(parts))
            _build_part(part, [o for o in outputs if part in o.config.parts])
        _refuse_errors(outputs)
        built = [output.built for output in outputs]
        write_documents(root, entry, built, folder)
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


def _silent(name: str, done: int, total: int) -> None:
    """Show no progress."""


class _Output:
    """A config being written. Its file is open from its first part to its last."""

    def __init__(self, config: Config, folder: Path) -> None:
        self.config, self.path = config, folder / config.name / FILE
        self.done: list[BuiltParadigm] = []
        self._digest = ContentDigest()
        self._writer: ItemWriter | None = None

    def __enter__(self) -> _Output:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if self._writer is not None:
            self._writer.__exit__(kind, error, None)

    @property
    def writer(self) -> ItemWriter:
        """The file, made when it is first asked for."""
        if self._writer is None:
            self.path.parent.mkdir(parents=True)
            self._writer = ItemWriter(self.path, self.config.schema)
        return self._writer

    def write(self, table: pa.Table) -> None:
        """Add items, converted if this config is."""
        shown = self.config.convert(table) if self.config.convert else table
        self._digest.add(shown)
        self.writer.write(shown)

    def finish(self, part: BuiltParadigm) -> None:
        """Note what was made of a part; after the last one close the file."""
        self.done.append(part)
        if len(self.done) == len(self.config.parts):
            self.writer.close()

    @property
    def built(self) -> BuiltConfig:
        """What was made of the config."""
        config, writer = self.config, self.writer
        return BuiltConfig(
            config.name,
            tuple(self.done),
            writer.rows,
            writer.bytes,
            self._digest.hexdigest(),
            file_digest(self.path),
            self.path.stat().st_size,
            config.kind,
            config.schema,
            config.languages,
            config.default,
        )


def _build_part(part: Part, outputs: Sequence[_Output]) -> None:
    for table in part.tables():
        for output in outputs:
            output.write(table)
    facts = part.facts()
    for output in outputs:
        output.finish(facts)


def _refuse_errors(outputs: Sequence[_Output]) -> None:
    findings = dict.fromkeys(f for output in outputs for part in output.done for f in part.findings)
    errors = [finding.problem for finding in findings if finding.level == "error"]
    if errors:
        raise InputError(errors)
