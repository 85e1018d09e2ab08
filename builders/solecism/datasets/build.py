"""Build a data set: a folder with Parquet files and documents that ``load_dataset`` opens."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa

from solecism.datasets.card import render_card
from solecism.datasets.catalogue import MINED, CatalogueEntry, catalogue_entry, references_of
from solecism.datasets.configs import (
    FILE,
    JUDGMENTS,
    BuiltConfig,
    BuiltParadigm,
    Config,
    ItemSource,
    choose,
)
from solecism.datasets.from_templates import template_configs, templates_of_configs
from solecism.datasets.limited import lacking, limited_configs, limited_entry
from solecism.datasets.manifest import (
    MANIFEST,
    ConfigFiles,
    files_of_build,
    manifest_json,
    read_manifest,
)
from solecism.datasets.rows import ItemWriter, in_rounds
from solecism.errors import InputError, Problem, fail
from solecism.files import CHANGED, json_of, recover_folder, replacing_folder
from solecism.grammar.paradigm import LARGEST
from solecism.grammar.template import Template
from solecism.hashing import file_digest
from solecism.lexicon.vocabulary import EVERYTHING, Limits
from solecism.root import Root, find_root
from solecism.terminal import Progress, no_progress

README, CHANGELOG = DOCUMENTS = "README.md", "CHANGELOG.md"


def build(
    dataset: str,
    configs: Sequence[str] = (),
    *,
    out: Path | str | None = None,
    root: Root | Path | str | None = None,
    most: int = LARGEST,
    commercial: bool = False,
    hub: str = "",
    progress: Progress | None = None,
    limits: Limits = EVERYTHING,
    name: str = "",
    tell: Callable[[str], None] = print,
) -> list[BuiltConfig]:
    """Build a data set from templates or treebanks, and return the configs that were built.

    ``configs`` are their names (all of them if there are none); ``out`` is the folder to write
    (``./DATASET``) and ``root`` the one with templates and lexicons (:func:`~solecism.find_root`);
    a template with ``draw: all`` may make ``most`` minimal sets; ``commercial`` leaves out
    treebanks that forbid commercial use; ``hub`` is the repository (``ORG/NAME``) that the examples
    in the card name, by default that of the catalogue.

    ``limits`` say what may be printed (:class:`~solecism.lexicon.vocabulary.Limits`): then the data
    set is another, called ``name`` (by default ``DATASET-`` and a part of a digest), and ``tell``
    gets a line for each paradigm that has fewer items, or none, before anything is written.

    The folder is made beside ``out`` and takes its place at the end, so that nothing is left half
    written. Other files in ``out`` stay. Configs of an earlier build that are not named are built
    anew: a folder is one version of a data set.

    Raises :class:`InputError` for templates or treebanks that cannot be used, items that fail a
    check, and an ``out`` that is not a folder of this data set.

    >>> import solecism
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     (config,) = solecism.build("clams", ["fr"], out=f"{folder}/clams")
    >>> config.name, config.kind, config.rows >= config.sets
    ('fr', 'pair', True)
    """
    home = find_root(root)
    entry = catalogue_entry(home, dataset)
    entry = limited_entry(entry, limits, name) if limits != EVERYTHING else entry
    entry = replace(entry, hub=hub) if hub else entry
    folder = Path(entry.name if out is None else out)
    recover_folder(folder)
    before = _configs_before(folder, entry.name)
    left_out: Mapping[str, str] = {}
    known: Mapping[str, Sequence[Template]] = {}
    if entry.configs == MINED:
        # What mines treebanks takes long to import, and templates do without it.
        from solecism.datasets.from_treebanks import mined_configs
        from solecism.treebank.languages import doubtful_sources

        others = [n for n, config in before.items() if config.kind == "cloze"] if configs else []
        made = mined_configs(dataset, [*configs, *others], commercial)
        left_out = {} if configs else doubtful_sources()
    else:
        known = templates_of_configs(home, entry)
        chosen = choose(dataset, known, configs)
        if configs:
            chosen = [name for name in known if name in {*chosen, *before}]
        made = template_configs(home, entry, known, chosen, most, limits)
    if entry.of:
        made = limited_configs(made, limits, entry.configs == MINED)
    wanted = {template.id: template.draw for some in known.values() for template in some}

    def tell_all(built: Sequence[BuiltConfig]) -> None:
        for line in lacking(built, wanted) if entry.of else ():
            tell(line)

    return build_configs(home, entry, made, folder, progress, left_out, tell_all)


def build_configs(
    root: Root, entry: CatalogueEntry, configs: Sequence[Config], out: Path,
    progress: Progress | None = None, left_out: Mapping[str, str] = MappingProxyType({}),
    tell: Callable[[Sequence[BuiltConfig]], None] | None = None,
) -> list[BuiltConfig]:  # fmt: skip
    """Build configs of any kind and source into the folder ``out``; see :func:`build`.

    ``left_out`` has the reason for each config that is known and not built; ``tell`` gets all
    configs that were drawn, before the folder takes its place.
    """
    small: dict[str, str] = {}
    with replacing_folder(out, files_of_build) as folder:
        items = _Items(configs, progress or no_progress)
        written = [(config, _write_config(config, items, folder)) for config in configs]
        paradigms = [paradigm for _, made in written for paradigm in made.paradigms]
        findings = dict.fromkeys(f for paradigm in paradigms for f in paradigm.findings)
        if errors := [f for f in findings if f.level == "error"]:
            raise InputError(Problem(f.message, f.path, f.line, f.code) for f in errors)
        if tell:
            tell([made for _, made in written])
        for config, made in written:
            if config.of in small or made.rows < config.least:
                small[config.name] = "" if config.of in small else _reason(config, made)
                shutil.rmtree(folder / config.name)
        built = [made for _, made in written if made.name not in small]
        if not built:
            raise fail("; ".join(f"{name}: {reason}" for name, reason in small.items() if reason))
        _write_documents(root, entry, built, folder, {**left_out, **small})
    return built


class _Items:
    """The items of all sources, each taken once: those that several configs have are kept."""

    def __init__(self, configs: Sequence[Config], show: Progress) -> None:
        self.uses = Counter(source for config in configs for source in config.sources)
        self.made: dict[ItemSource, BuiltParadigm] = {}
        self._kept: dict[ItemSource, list[pa.Table]] = {}
        self._show = show

    def of(self, source: ItemSource) -> Iterator[pa.Table]:
        """Yield the items of a source; what was made of it is in ``made`` then."""
        if self.uses[source] > 1 and source not in self._kept:
            self._kept[source] = list(self._taken(source))
        yield from self._kept[source] if source in self._kept else self._taken(source)

    def _taken(self, source: ItemSource) -> Iterator[pa.Table]:
        self._show(source.name, len(self.made), len(self.uses))
        self.made[source] = yield from source.tables()


def _write_config(config: Config, items: _Items, folder: Path) -> BuiltConfig:
    """Write the items of a config to its Parquet file.

    If the config is ``mixed``, they wait for the last source, as their order mixes the sources.
    """
    path = folder / config.name / FILE
    path.parent.mkdir(parents=True)
    writer, waiting = ItemWriter(path, config.schema), list[tuple[pa.Table, bool]]()
    for source in config.sources:
        tables = map(config.convert or (lambda table: table), items.of(source))
        if not config.mixed:
            for table in tables:
                writer.write(table)
        elif found := list(tables):
            waiting.append((pa.concat_tables(found), source.drawn))
    for table in in_rounds(waiting) if waiting else ():
        writer.write(table)
    writer.close()
    return BuiltConfig(
        config.name, tuple(items.made[source] for source in config.sources), writer.digest.content,
        writer.bytes, file_digest(path), path.stat().st_size, config.kind, config.schema,
        config.languages, config.default, config.tags,
    )  # fmt: skip


def _reason(config: Config, made: BuiltConfig) -> str:
    """Return why a config has fewer rows than it must have; of what is made of another config, with
    the most frequent reasons."""
    told = [str(p.facts["reason"]) for p in made.paradigms if p.facts.get("reason")]
    if told and not made.rows:
        return told[0]
    text = f"too small: {made.rows} rows, fewer than {config.least}"
    skipped = sum((p.counts.skipped for p in made.paradigms), Counter())
    counts = ", ".join(f"{name} {count}" for name, count in skipped.most_common(5))
    return f"{text} ({counts})" if counts and config.of else text


def _write_documents(
    root: Root, entry: CatalogueEntry, built: Sequence[BuiltConfig], folder: Path,
    left_out: Mapping[str, str],
) -> None:  # fmt: skip
    """Write all files beside the data; the same inputs give the same bytes.

    The manifest comes last, as it lists the others.
    """
    card = render_card(root, entry, built, references_of(root, entry), left_out, folder)
    (folder / README).write_text(card, encoding="utf-8", newline="\n")
    changelog = root.changelog(entry.name)
    if changelog.is_file():
        shutil.copyfile(changelog, folder / CHANGELOG)
    there = [folder / name for name in DOCUMENTS if (folder / name).is_file()]
    manifest = json_of(manifest_json(root, entry, built, there, left_out))
    (folder / MANIFEST).write_text(manifest, encoding="utf-8", newline="\n")


def _configs_before(out: Path, dataset: str) -> Mapping[str, ConfigFiles]:
    """Return the configs of the data set in ``out``, without those of judgments.

    Raises :class:`InputError` if ``out`` is not a folder of this data set, or has a document that
    was changed since it was built. This is checked before any item is drawn.
    """
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return {}
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
    configs = manifest.configs.items()
    return {name: config for name, config in configs if config.kind != JUDGMENTS}
