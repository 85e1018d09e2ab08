"""``solecism build``: a data set folder that ``load_dataset`` opens, from templates or any other source."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.datasets.catalogue import MINED, Stanza, stanza
from solecism.datasets.configs import (
    FILE,
    MANIFEST,
    BuiltConfig,
    BuiltParadigm,
    Config,
    Part,
    distinct_parts,
)
from solecism.datasets.documents import DOCUMENTS, input_digests, write_documents
from solecism.datasets.from_templates import groups, template_configs
from solecism.datasets.from_treebanks import agreement_configs
from solecism.datasets.manifest import Manifest, damaged, files_of_build, read_manifest
from solecism.datasets.parquet import ItemWriter
from solecism.digest import ContentDigest
from solecism.errors import InputError, fail
from solecism.files import CHANGED, recover_folder, replacing_folder
from solecism.grammar.collector import no_collecting
from solecism.grammar.paradigm import LARGEST
from solecism.hashing import file_digest
from solecism.root import Root
from solecism.version import __version__

__all__ = ["build", "build_configs", "check_place", "in_order", "kept_configs"]


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

    Nothing is left half-written: the folder is made beside ``out`` and takes its place at the end. Other
    files in ``out`` stay, and so do the configs of an earlier build that are not named. Raises
    :class:`InputError` for bad sources, items that fail a check, an ``out`` that is something else, and one
    whose other configs are of another version or of other sources.
    """
    entry = stanza(root, dataset)
    recover_folder(out, files_of_build)
    before = check_place(out, dataset)
    if entry.configs == MINED:
        chosen = agreement_configs(dataset, configs)
        kept = kept_configs(root, entry, before, [c.name for c in chosen])
        return build_configs(root, entry, chosen, out, progress, kept)
    with no_collecting():
        chosen = template_configs(root, entry, configs, most)
        kept = kept_configs(root, entry, before, [c.name for c in chosen]) if configs else []
        return build_configs(root, entry, chosen, out, progress, kept)


def build_configs(
    root: Root,
    entry: Stanza,
    configs: Sequence[Config],
    out: Path,
    progress: Progress | None = None,
    kept: Sequence[BuiltConfig] = (),
) -> list[BuiltConfig]:
    """Build configs of any kind and source into the folder ``out``; see :func:`build`.

    Each part is drawn once, table by table, and written to all configs that it belongs to. ``kept`` are
    configs that ``out`` has and that stay.
    """
    parts = distinct_parts(configs)
    with replacing_folder(out, files_of_build) as folder, ExitStack() as stack:
        outputs = [stack.enter_context(_Output(config, folder)) for config in configs]
        for number, part in enumerate(parts):
            (progress or _silent)(part.name, number, len(parts))
            _build_part(part, [o for o in outputs if part in o.config.parts])
        _refuse_errors(outputs)
        built = [output.built for output in outputs]
        for config in kept:
            _copy(out / config.name / FILE, folder / config.name / FILE)
        every = in_order(root, entry, [*built, *kept]) if kept else built
        write_documents(root, entry, every, folder)
    return built


def _copy(old: Path, new: Path) -> None:
    """Make a file stand in two places, without copying it where the disk can."""
    new.parent.mkdir()
    try:
        os.link(old, new)
    except OSError:
        shutil.copyfile(old, new)


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


def check_place(out: Path, dataset: str) -> Manifest | None:
    """Return the manifest of the data set that stands in ``out``, if there is one.

    Raises :class:`InputError` where ``out`` is something else, another data set, or has documents that were
    changed since they were built: all that can be known before anything is drawn.
    """
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return None
    known = files_of_build(out)
    if not known:
        message = f"exists and is no data set of ours (no {MANIFEST} of ours): choose another --out"
        raise fail(message, out)
    manifest = read_manifest(out)
    if manifest.dataset != dataset:
        raise fail(f"holds the data set {manifest.dataset!r}: choose another --out", out)
    for name in DOCUMENTS:
        if (out / name).exists() and name not in known:
            raise fail(CHANGED, out / name)
    return manifest


def kept_configs(
    root: Root, entry: Stanza, before: Manifest | None, building: Sequence[str]
) -> list[BuiltConfig]:
    """Return the configs of an earlier build that stay beside those that are being built.

    Raises :class:`InputError` where they are not of the version, the program and the sources of now: one
    folder is one version of a data set.
    """
    names = [name for name in before.configs if name not in building] if before else []
    if before is None or not names:
        return []
    try:
        if reason := next(_differences(root, entry, before, names), ""):
            kept = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            message = (
                f"has other configs ({kept}) {reason}: build them too, or choose another --out"
            )
            raise fail(message, before.path.parent)
        return [_restored(before, name) for name in names]
    except (KeyError, TypeError, AttributeError) as error:
        raise fail(f"is no manifest of this version of solecism: {error!r}", before.path) from None


def _restored(before: Manifest, name: str) -> BuiltConfig:
    schema = pq.read_schema(before.path.parent / name / FILE).remove_metadata()
    return BuiltConfig.from_json(name, before.raw["configs"][name], schema)


def _differences(
    root: Root, entry: Stanza, before: Manifest, names: Sequence[str]
) -> Iterator[str]:
    """Yield why configs cannot stay."""
    if before.version != entry.version:
        yield f"of version {before.version}, not {entry.version}"
    if before.raw.get("tool") != f"solecism {__version__}":
        yield f"made by {before.raw.get('tool')}, not solecism {__version__}"
    if before.raw.get("seed") != entry.seed:
        yield "drawn with another seed"
    if wrong := damaged(before.path.parent, [before.configs[name] for name in names]):
        yield f"that are not as they were built ({wrong[0]})"
    if entry.configs != MINED:
        yield from _other_sources(root, entry, before, names)


def _other_sources(
    root: Root, entry: Stanza, before: Manifest, names: Sequence[str]
) -> Iterator[str]:
    """Yield the files that the configs depend on and that have changed, appeared or gone."""
    facts = [before.raw["configs"][name] for name in names]
    spoken = sorted({code for config in facts for code in config["languages"]})
    single = {uid for config in facts for uid in config["paradigms"]}
    whole = entry.configs == "languages" or any(len(c["paradigms"]) > 1 for c in facts)

    def concerns(path: Path) -> bool:
        if path.parts[0] == "lexicons":
            return path.parts[1] in spoken
        if path.parts[0] != "templates":
            return False
        shared = path.stem.startswith("_") or whole or path.stem in single
        return shared and (len(path.parts) == 3 or path.parts[2] in spoken)

    now, then = input_digests(root, entry, spoken), before.raw["inputs"]
    for path in sorted({*now, *then}):
        if concerns(Path(path)) and now.get(path) != then.get(path):
            yield f"made with another {path}"


def in_order(root: Root, entry: Stanza, built: Sequence[BuiltConfig]) -> list[BuiltConfig]:
    """Return configs in the order in which a build of all has them."""
    if entry.configs == MINED:
        return sorted(built, key=lambda config: config.name)
    order = [group.name for group in groups(root, entry)]
    return sorted(built, key=lambda config: order.index(config.name))
