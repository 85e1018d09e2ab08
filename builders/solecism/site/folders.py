"""Read built folders for a site: data sets, their configs, and the paradigms of each.

The folders may come from strangers. So nothing that their manifests say is used as a path as it is
(:func:`place_of`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path

from solecism.datasets import catalogue
from solecism.datasets.catalogue import CatalogueEntry, Reference, catalogue_entry
from solecism.datasets.manifest import Manifest, read_manifest
from solecism.errors import InputError, fail
from solecism.files import is_own_file
from solecism.grammar.template import Template, read_templates
from solecism.hashing import file_digest
from solecism.inputs import COUNT, check, parquet_schema
from solecism.root import Root
from solecism.schema import ItemRow, kind_of_items

_PARADIGM = {
    "construction?": str, "phenomenon?": str, "about?": str, "sets?": COUNT, "pairs?": COUNT,
    "skipped?": {str: COUNT}, "syncretic_forms?": COUNT, "example?": [str],
    "findings?": [{"code": str, "level": str, "message": str}],
    "sources?": [{"treebank?": str, "licence?": str, "tag?": (str, None)}], "agrees?": {str: [str]},
}  # fmt: skip
_CONFIG = {
    "languages?": [str], "default?": bool, "sets?": COUNT, "paradigms?": {str: _PARADIGM},
}  # fmt: skip
_MORE = {"license?": (str, [str]), "configs": {str: _CONFIG}, "inputs?": {str: {"sha256": str}}}
"""The shape of what pages read in a manifest and :func:`read_manifest` has not checked."""

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_TAKEN = ("index", "browse", "items", "phenomena", "languages", "results")


def place_of(name: str) -> str:
    """Return a safe name of a file or folder for a name: the name itself if it is plain.

    >>> place_of("subj_rel"), place_of("../<b>")
    ('subj_rel', 'b-9f46aef2')
    """
    if _PLAIN.fullmatch(name) and name.lower() not in _TAKEN and not name.endswith("."):
        return name
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:60]
    return f"{plain}-{sha256(name.encode()).hexdigest()[:8]}".lstrip("-")


@dataclass(frozen=True)
class SiteParadigm:
    """A paradigm, with the ``facts`` that the manifest of its data set has about it.

    ``template``: the template that made it, if its file is here and did not change since the build.
    """

    uid: str
    facts: ItemRow = field(default_factory=dict, repr=False)
    template: Template | None = None

    @property
    def about(self) -> str:
        """What the contrast is, and why the bad side is bad."""
        return str(self.facts.get("about", ""))

    @property
    def phenomenon(self) -> str:
        """The phenomenon that it belongs to; empty if that is not known."""
        return str(self.facts.get("phenomenon", ""))

    @property
    def construction(self) -> str:
        """The construction, if it has another name than the paradigm."""
        found = str(self.facts.get("construction", ""))
        return "" if found == self.uid else found

    @cached_property
    def content(self) -> str:
        """A text that is equal for paradigms with equal items; empty if that is unknown."""
        known = [self.facts.get(key) for key in ("example", "sets", "pairs")]
        return f"{self.uid} {known}" if known[0] else ""


def together(parts: Iterable[Mapping[str, Iterable[str]]]) -> dict[str, list[str]]:
    """Return the features in which words agree, by relation, from several such mappings."""
    found: dict[str, dict[str, None]] = {}
    for relation, features in chain.from_iterable(part.items() for part in parts):
        found.setdefault(relation, {}).update(dict.fromkeys(features))
    return {relation: list(features) for relation, features in found.items()}


@dataclass(frozen=True)
class SiteConfig:
    """A config: its ``kind`` (:data:`solecism.schema.KINDS`), files, paradigms, judgments."""

    data: str
    name: str
    kind: str
    languages: tuple[str, ...]
    rows: int
    default: bool
    files: tuple[Path, ...]
    digest: str
    paradigms: tuple[SiteParadigm, ...]
    judgments: tuple[Path, ...] = ()

    @property
    def place(self) -> str:
        """The folder of its pages."""
        return f"{place_of(self.data)}/{place_of(self.name)}"

    @property
    def spec(self) -> str:
        """The name for commands, as ``clams/he``."""
        return f"{self.data}/{self.name}"

    @property
    def language(self) -> str:
        """The first of its languages."""
        return self.languages[0]

    @property
    def agrees(self) -> dict[str, list[str]]:
        """The features in which words agree, by relation, where the items were mined."""
        return together(paradigm.facts.get("agrees", {}) for paradigm in self.paradigms)

    @property
    def sources(self) -> dict[str, ItemRow]:
        """The treebanks that the items were mined from, by name."""
        every = (s for paradigm in self.paradigms for s in paradigm.facts.get("sources", ()))
        return {source["treebank"]: source for source in every if source.get("treebank")}

    def has(self, paradigm: SiteParadigm) -> bool:
        """Return whether the config has a paradigm with the same items."""
        return bool(paradigm.content) and paradigm.content in {p.content for p in self.paradigms}

    @property
    def tag(self) -> str:
        """The ``lang`` of sentences on pages; ``und`` if the code is not a language tag."""
        return self.language if _TAG.fullmatch(self.language) else "und"


@dataclass(frozen=True)
class SiteData:
    """A data set: its entry of the catalogue, its configs, how to cite it."""

    entry: CatalogueEntry
    configs: tuple[SiteConfig, ...]
    licences: tuple[str, ...]
    references: tuple[Reference, ...]
    citation: str
    mined: bool

    @property
    def name(self) -> str:
        """The name of the data set."""
        return self.entry.name

    @property
    def place(self) -> str:
        """The folder of its pages."""
        return place_of(self.name)

    @cached_property
    def pages(self) -> Mapping[tuple[str, str], str]:
        """The page of each paradigm, by config and UID; one in several configs has one page."""
        alone = {c.paradigms[0].content: c for c in self.configs if len(c.paradigms) == 1}
        found = {}
        for config in self.configs:
            for paradigm in config.paradigms:
                other = alone.get(paradigm.content) if paradigm.content else None
                name = "index" if other or len(config.paradigms) == 1 else place_of(paradigm.uid)
                found[config.name, paradigm.uid] = f"{(other or config).place}/{name}.html"
        return found

    def page_of(self, config: SiteConfig, uid: str) -> str:
        """Return the page of a paradigm, or of the config if it has no such paradigm."""
        return self.pages.get((config.name, uid), f"{config.place}/index.html")

    def browsed(self, config: SiteConfig) -> SiteConfig:
        """Return the config whose item browser shows the items of a config.

        It is the config itself, unless its only paradigm is also in a config with several.
        """
        if len(config.paradigms) != 1:
            return config
        (own,) = config.paradigms
        others = (c for c in self.configs if c.kind == config.kind and len(c.paradigms) > 1)
        return next((c for c in others if c.has(own)), config)

    @cached_property
    def whole_configs(self) -> list[SiteConfig]:
        """The configs whose items are not all in another config, too."""
        return [config for config in self.configs if self.browsed(config) is config]

    def holders(self, config: SiteConfig, paradigm: SiteParadigm) -> list[SiteConfig]:
        """Return the configs that have the items of a paradigm: ``config``, then the others."""
        return [config, *(c for c in self.configs if c is not config and c.has(paradigm))]


def open_folders(folders: Sequence[Path], root: Root) -> list[SiteData]:
    """Read the manifests of folders; raises :class:`InputError` for other folders."""
    found = [_data(read_manifest(folder), root) for folder in folders]
    twice = [name for name, n in Counter(data.place.lower() for data in found).items() if n > 1]
    if twice:
        raise fail(f"two folders hold a data set {twice[0]!r}: name one of them")
    return found


def _data(manifest: Manifest, root: Root) -> SiteData:
    """Return the data set of a manifest; raises :class:`InputError`."""
    check(manifest.raw, _MORE, manifest.path)
    try:
        entry = catalogue_entry(root, manifest.dataset)
    except InputError:
        entry = CatalogueEntry(manifest.dataset, manifest.version, manifest.dataset)
    if entry.version != manifest.version:  # the date of this version is not known
        entry = replace(entry, version=manifest.version, date=None)
    mined = entry.configs == catalogue.MINED
    templates = {} if mined else _templates(manifest, root)
    judged = {f"{name}-judgments" for name in manifest.configs} & set(manifest.configs)
    found = (_config(manifest, n, templates, judged) for n in manifest.configs if n not in judged)
    configs = tuple(config for config in found if config.kind)
    if not configs:
        raise fail("has no items that pages can show", manifest.path)
    try:
        references = catalogue.references_of(root, entry)
        citation = catalogue.cite(root, entry.name)
    except InputError:
        references, citation = [], catalogue.bibtex(entry)
    licences = catalogue.as_list(manifest.raw.get("license", entry.license))
    known = tuple(map(catalogue.spdx, licences))
    return SiteData(entry, configs, known, tuple(references), citation, mined)


def _config(
    manifest: Manifest, name: str, templates: Mapping[str, Template], judged: set[str]
) -> SiteConfig:
    facts = manifest.raw["configs"][name]
    files = _files(manifest, name)
    codes = (*facts.get("languages", ()), name)
    paradigms = []
    for uid, some in facts.get("paradigms", {}).items():
        found = (templates[f"{code}/{uid}"] for code in codes if f"{code}/{uid}" in templates)
        paradigms.append(SiteParadigm(uid, some, next(found, None)))
    verdicts = _files(manifest, f"{name}-judgments") if f"{name}-judgments" in judged else ()
    kind = kind_of_items(parquet_schema(files[0]).names)
    return SiteConfig(
        manifest.dataset, name, kind, tuple(facts.get("languages", ())) or (name,),
        facts["rows"], facts.get("default", False), files,
        manifest.config(name).content.sha256, tuple(paradigms), verdicts,
    )  # fmt: skip


def _files(manifest: Manifest, config: str) -> tuple[Path, ...]:
    """Return the files of a config, which must be in the folder of the manifest."""
    folder = manifest.path.parent
    for name in manifest.config(config).files:
        if not is_own_file(folder, name):
            raise fail("is named in the manifest, but is not in its folder", folder / name)
    return tuple(manifest.paths(config))


def _templates(manifest: Manifest, root: Root) -> dict[str, Template]:
    """Return the templates that did not change since the build, by ``LANGUAGE/UID``."""
    found: dict[str, Template] = {}
    for name, facts in manifest.raw.get("inputs", {}).items():
        parts = Path(name).parts
        if len(parts) != 4 or parts[0] != "templates" or ".." in parts or parts[3][0] == "_":
            continue
        path = root.path / name
        if path.suffix == ".jinja" and path.is_file() and file_digest(path) == facts["sha256"]:
            found |= {f"{parts[2]}/{template.id}": template for template in read_templates(path)}
    return found
