"""The pages of a site: what each of them says, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from solecism.datasets.citation import Reference
from solecism.grammar.inherit import SLOTS
from solecism.grammar.template import Template, read_template
from solecism.harness.task_files import tasks_of_configs
from solecism.reports.checkpoints import checkpoint_curves
from solecism.reports.html import page_values
from solecism.reports.pages import REPORTS, page_source, render_page
from solecism.reports.people import PEOPLE
from solecism.reports.sections import ConfigSection, PageFigures
from solecism.site.code import coloured, coloured_file
from solecism.site.folders import SiteConfig, SiteData, SiteParadigm, place_of
from solecism.site.languages import LanguageEntry, language_entries, language_tree
from solecism.site.results import SiteResults
from solecism.site.samples import ParadigmSample
from solecism.site.starred import ShownItem, swap_of
from solecism.treebank.origins import language_name

__all__ = ["SiteContents", "SitePage", "fixed_files", "site_pages"]

FOLDERS = ("site/pages", REPORTS)

Crumbs = tuple[tuple[str, str], ...]
"""The pages above a page: their names and paths."""


@dataclass(frozen=True)
class SitePage:
    """A page: its path in the site, and its HTML."""

    path: str
    html: str


@dataclass(frozen=True)
class SiteContents:
    """All that the pages say; ``samples`` by the page that shows them."""

    data: tuple[SiteData, ...]
    samples: Mapping[str, ParadigmSample]
    results: SiteResults = field(default_factory=SiteResults)

    def sample(self, data: SiteData, config: SiteConfig, uid: str = "") -> ParadigmSample | None:
        """Return the sample of a paradigm; without a UID that of a config as a whole."""
        page = data.pages.get((config.name, uid), f"{config.place}/index.html")
        return self.samples.get(page)

    @cached_property
    def figures(self) -> dict[str, PageFigures]:
        """The figures of each data set that has results."""
        found = ((data.name, self.results.figures(data)) for data in self.data)
        return {name: figures for name, figures in found if figures is not None}

    @cached_property
    def languages(self) -> list[LanguageEntry]:
        """The languages of all configs."""
        return language_entries(self.data)


def fixed_files() -> dict[str, str]:
    """Return the files that are the same in each site."""
    style = "\n".join(page_source(name, FOLDERS) for name in ("base.css", "report.css", "site.css"))
    scripts = {name: page_source(name, FOLDERS) for name in ("site.js", "browse.js", "icon.svg")}
    return {"style.css": style, **scripts}


def site_pages(contents: SiteContents) -> Iterator[SitePage]:
    """Yield all pages."""
    yield _start(contents)
    for data in contents.data:
        yield _dataset(contents, data)
        yield from _phenomena(contents, data)
        yield from _sources(data)
        for config in data.configs:
            yield from _config(contents, data, config)
    yield from _languages(contents)
    yield from _results(contents)


def _page(
    name: str, path: str, title: str, contents: SiteContents, crumbs: Crumbs = (), /, **values: Any
) -> SitePage:
    html = render_page(
        name, FOLDERS, title=title, up="../" * path.count("/"), here=path, crumbs=crumbs,
        has_results=bool(contents.results.results), place_of=place_of, layout="site.html.jinja",
        language_name=language_name, **values,
    )  # fmt: skip
    return SitePage(path, html)


def _top(data: SiteData) -> Crumbs:
    return ((data.name, f"{data.place}/index.html"),)


def _start(contents: SiteContents) -> SitePage:
    configs = [config for data in contents.data for config in data.configs]
    own = [config for data in contents.data for config in _own_configs(data)]
    tested = {
        (data.name, config.language, paradigm.uid)
        for data in contents.data
        if not data.mined
        for config in data.configs
        for paradigm in config.paradigms
    }
    return _page(
        "start.html.jinja", "index.html", "Minimal pairs", contents,
        data=contents.data, examples=list(_examples(contents)), languages=contents.languages,
        totals={
            "data sets": len(contents.data),
            "languages": len({code for config in configs for code in config.languages}),
            "paradigms": len(tested),
            "items": sum(config.rows for config in own),
        },
        items_of=_items_of,
    )  # fmt: skip


def _own_configs(data: SiteData) -> list[SiteConfig]:
    """Return the configs of a data set without those whose items another config has, too."""
    return [config for config in data.configs if data.shelf(config) is config]


def _items_of(data: SiteData) -> int:
    return sum(config.rows for config in _own_configs(data))


def _uids(data: SiteData, config: SiteConfig) -> list[str]:
    """Return the paradigms of a config that have samples, of a mined one the config as a whole."""
    return [""] if data.mined else [paradigm.uid for paradigm in config.paradigms]


EXAMPLES = 6


LENGTH = 45
"""The characters of a sentence that is a good example."""


def _examples(contents: SiteContents) -> Iterator[tuple[SiteConfig, str, ShownItem]]:
    """Yield a pair of each of the first languages, with config and the page that it is from."""
    seen: set[str] = set()
    for data in contents.data:
        for config in data.configs:
            if config.kind != "pair" or config.language in seen or len(seen) == EXAMPLES:
                continue
            found = list(_swaps(contents, data, config))
            if found:
                seen.add(config.language)
                page, item = min(found, key=lambda one: abs(len(one[1].texts[0].text) - LENGTH))
                yield config, page, item


def _swaps(
    contents: SiteContents, data: SiteData, config: SiteConfig
) -> Iterator[tuple[str, ShownItem]]:
    """Yield the pairs of a config's pages that differ in one place, with their pages."""
    for uid in _uids(data, config):
        sample = contents.sample(data, config, uid)
        page = data.pages.get((config.name, uid), f"{config.place}/index.html")
        for item in sample.items if sample else ():
            if swap_of(item):
                yield page, item


@dataclass(frozen=True)
class MatrixRow:
    """A paradigm of a data set: what it is about, and its page and size in each config."""

    uid: str
    about: str
    cells: tuple[tuple[str, int] | None, ...]


def _dataset(contents: SiteContents, data: SiteData) -> SitePage:
    heads, matrix = _matrix(data)
    return _page(
        "dataset.html.jinja", f"{data.place}/index.html", data.entry.pretty_name or data.name,
        contents, data=data, heads=heads, matrix=matrix, figures=contents.figures.get(data.name),
        configs=_shown_configs(data), items=_items_of(data), snippets=_snippets(data),
        references=list(map(_reference, data.references)),
    )  # fmt: skip


def _shown_configs(data: SiteData) -> list[SiteConfig]:
    """Return the configs to list: where some collect the others, only those."""
    return _own_configs(data)


MOST_HEADS = 12


def _matrix(data: SiteData) -> tuple[list[SiteConfig], dict[str, list[MatrixRow]]]:
    """Return configs, and by phenomenon the paradigms with their pages in each config."""
    heads = [] if data.mined else _own_configs(data)[:MOST_HEADS]
    rows: dict[str, dict[str, SiteParadigm]] = {}
    for config in heads:
        for paradigm in config.paradigms:
            rows.setdefault(paradigm.phenomenon, {}).setdefault(paradigm.uid, paradigm)
    known = {(c.name, p.uid): p for c in heads for p in c.paradigms}
    return heads, {
        phenomenon: [
            MatrixRow(uid, paradigm.about, tuple(_cell(data, c, known.get((c.name, uid))) for c in heads))
            for uid, paradigm in some.items()
        ]
        for phenomenon, some in rows.items()
    }  # fmt: skip


def _cell(
    data: SiteData, config: SiteConfig, paradigm: SiteParadigm | None
) -> tuple[str, int] | None:
    if paradigm is None:
        return None
    return data.pages[config.name, paradigm.uid], int(paradigm.facts.get("pairs", 0))


def _phenomena(contents: SiteContents, data: SiteData) -> Iterator[SitePage]:
    if data.mined:
        return
    heads, matrix = _matrix(data)
    for name, rows in matrix.items():
        if not name:
            continue
        shown = [(row, _first_item(contents, data, heads, row)) for row in rows]
        yield _page(
            "phenomenon.html.jinja", f"{data.place}/phenomena/{place_of(name)}.html", name, contents,
            _top(data), data=data, heads=heads, rows=shown,
            table=contents.results.phenomenon(data, name),
        )  # fmt: skip


def _first_item(
    contents: SiteContents, data: SiteData, heads: Sequence[SiteConfig], row: MatrixRow
) -> tuple[SiteConfig, ShownItem] | None:
    for config, cell in zip(heads, row.cells, strict=True):
        sample = contents.sample(data, config, row.uid) if cell else None
        if sample is not None and sample.items:
            return config, sample.items[0]
    return None


def _sources(data: SiteData) -> Iterator[SitePage]:
    """Yield a page for each language with what its templates share: macros and kinds of slots."""
    shared: dict[str, list[Path]] = {}
    for config in data.configs:
        for paradigm in config.paradigms:
            if paradigm.template is not None:
                folder = paradigm.template.parent
                files = [
                    folder.parent / "_phrases.jinja",
                    folder / "_phrases.jinja",
                    folder / SLOTS,
                ]
                shared[folder.name] = [path for path in files if path.is_file()]
    for code, files in shared.items():
        codes = [(f"{path.parent.name}/{path.name}", coloured_file(path)) for path in files]
        yield _page(
            "shared.html.jinja", _shared_path(data, code), f"Macros of {language_name(code)}",
            SiteContents((), {}), _top(data), data=data, codes=codes,
        )  # fmt: skip


def _shared_path(data: SiteData, code: str) -> str:
    return f"{data.place}/phenomena/macros-{place_of(code)}.html"


def _config(contents: SiteContents, data: SiteData, config: SiteConfig) -> Iterator[SitePage]:
    own = f"{config.place}/index.html"
    if data.shelf(config) is config:
        yield _browser(contents, data, config)
    if own not in data.pages.values() or data.mined:
        yield _page(
            "config.html.jinja", own, config.spec, contents, _top(data), data=data, config=config,
            sample=contents.sample(data, config), section=_section(contents, config),
            snippets=_snippets(data, config),
            browse=_browse(data, config),
        )  # fmt: skip
    if data.mined:
        return
    crumbs = (*_top(data), (config.name, own))
    for paradigm in config.paradigms:
        path = data.pages[config.name, paradigm.uid]
        if path.startswith(f"{config.place}/"):
            above = _top(data) if path == own else crumbs
            yield _paradigm(contents, data, config, paradigm, path, above)


def _section(contents: SiteContents, config: SiteConfig) -> ConfigSection | None:
    """Return what a report says of a config."""
    figures = contents.figures.get(config.data)
    titles = (f"{config.spec} ", f"{config.data} ")
    for section in figures.sections if figures else ():
        if f"{section.title} ".startswith(titles[0]):
            return section
    return None


def _browse(data: SiteData, config: SiteConfig, uid: str = "") -> str:
    """Return the path of the browser that has a config's items, at a paradigm if one is named."""
    key = {"pair": "UID", "suite": "suite"}.get(config.kind, "")
    shelf = data.shelf(config)
    paradigms = [paradigm.uid for paradigm in config.paradigms]
    wanted = uid or (paradigms[0] if shelf is not config and paradigms else "")
    several = len(shelf.paradigms) > 1
    at = f"#{urlencode({key: wanted})}" if key and wanted and several else ""
    return f"{shelf.place}/browse.html{at}"


def _browser(contents: SiteContents, data: SiteData, config: SiteConfig) -> SitePage:
    return _page(
        "browse.html.jinja", f"{config.place}/browse.html", f"Items of {config.spec}", contents,
        (*_top(data), (config.name, f"{config.place}/index.html")), data=data, config=config,
    )  # fmt: skip


def _paradigm(
    contents: SiteContents, data: SiteData, config: SiteConfig, paradigm: SiteParadigm,
    path: str, crumbs: Crumbs,
) -> SitePage:  # fmt: skip
    sample = contents.sample(data, config, paradigm.uid)
    cells = contents.results.paradigm(data.holders(config, paradigm), paradigm.uid)
    template = read_template(paradigm.template) if paradigm.template else None
    code = paradigm.template.parent.name if paradigm.template else ""
    others = [
        (other, data.pages[other.name, paradigm.uid])
        for other in _own_configs(data)
        if any(p.uid == paradigm.uid for p in other.paradigms)
        and data.pages[other.name, paradigm.uid] != path
    ]
    return _page(
        "paradigm.html.jinja", path, paradigm.uid, contents, crumbs, data=data, config=config,
        paradigm=paradigm, sample=sample, template=template, others=others,
        swap=_swap(sample), source=_source_of(data, template), cells=cells,
        code=coloured_file(paradigm.template) if paradigm.template else None,
        shared=_shared_path(data, code) if code else "",
        snippets=_snippets(data, config, paradigm.uid),
        browse=_browse(data, config, paradigm.uid), people=PEOPLE,
    )  # fmt: skip


def _swap(sample: ParadigmSample | None) -> tuple[str, str] | None:
    found = (swap_of(item) for item in sample.items) if sample else iter(())
    return next((swap for swap in found if swap), None)


@dataclass(frozen=True)
class ReferenceLine:
    """A work in one line: who, when, what; where it can be read."""

    text: str
    url: str


def _reference(work: Reference) -> ReferenceLine:
    families = [name.partition(",")[0].strip("{} ") for name in work.authors]
    who = families[0] if families else ""
    if len(families) == 2:
        who = " and ".join(families)
    elif len(families) > 2:
        who += " et al."
    title = work.fields.get("title", "").replace("{", "").replace("}", "")
    year = work.fields.get("year", "")
    url = work.fields.get("url", "") or work.fields.get("doi", "")
    if url.startswith("10."):
        url = f"https://doi.org/{url}"
    shown = url if url.startswith(("https://", "http://")) else ""
    return ReferenceLine(f"{who} ({year}): {title}", shown)


def _source_of(data: SiteData, template: Template | None) -> ReferenceLine | None:
    key = template.source if template else ""
    return next((_reference(work) for work in data.references if work.key == key), None)


@dataclass(frozen=True)
class CodeSnippet:
    """Lines to copy, under a title."""

    title: str
    code: Markup


def _snippets(data: SiteData, config: SiteConfig | None = None, uid: str = "") -> list[CodeSnippet]:
    """Return lines that load data, score a model on them, and run them in lm-eval."""
    chosen = config or next((c for c in data.configs if c.default), data.configs[0])
    home = data.entry.hub or data.name
    load = f'from datasets import load_dataset\n\nitems = load_dataset("{home}", "{chosen.name}", split="test")'
    column = {"pair": "UID", "suite": "suite"}.get(chosen.kind)
    if uid and column and len(chosen.paradigms) > 1:
        load += f'\nsome = items.filter(lambda item: item["{column}"] == "{uid}")'
    found = [("Load", load, "python")]
    if chosen.kind in ("pair", "suite", "cloze"):
        spec = f"{chosen.spec}/{uid}" if uid and len(chosen.paradigms) > 1 else chosen.spec
        found.append(("Score a model", f"solecism score {spec} --model MODEL", "console"))
    if task := tasks_of_configs().get((data.name, chosen.name)):
        line = f"lm_eval --model hf --model_args pretrained=MODEL --tasks {task}"
        line += ' --include_path "$(solecism tasks)"'
        found.append(("In lm-eval", line, "console"))
    made = [CodeSnippet(title, coloured(text, language)) for title, text, language in found]
    if config is None or not uid:
        made.append(CodeSnippet("Cite", coloured(data.citation, "bibtex")))
    return made


def _languages(contents: SiteContents) -> Iterator[SitePage]:
    yield _page(
        "languages.html.jinja", "languages/index.html", "Languages", contents,
        tree=language_tree(contents.languages),
    )  # fmt: skip
    for entry in contents.languages:
        yield _page(
            "language.html.jinja", f"languages/{place_of(entry.code)}.html", entry.name, contents,
            (("Languages", "languages/index.html"),), entry=entry,
            examples=list(_of_language(contents, entry)),
        )  # fmt: skip


def _of_language(
    contents: SiteContents, entry: LanguageEntry
) -> Iterator[tuple[SiteConfig, ShownItem]]:
    """Yield an item of each config of a language."""
    for data, config in entry.configs:
        for uid in _uids(data, config):
            sample = contents.sample(data, config, uid)
            if sample is not None and sample.items and config.kind != "forms":
                yield config, sample.items[0]
                break


def _results(contents: SiteContents) -> Iterator[SitePage]:
    results = contents.results
    boards = [
        (data, config, leaders)
        for data in contents.data
        for config in data.configs
        if (leaders := results.leaders(config))
    ]
    people = {
        spec: judged.cell(judged.accuracy)
        for key, judged in results.judgments.items()
        if (spec := "/".join(key))
    }
    yield _page(
        "leaders.html.jinja", "results/index.html", "Results", contents, boards=boards,
        people=people, strays=results.strays, figures=contents.figures,
    )  # fmt: skip
    if results.results:
        values = page_values(results.results, "config", judgments=results.judged(results.results))
        values["checkpoints"] = checkpoint_curves(results.results)
        title = values.pop("title")
        yield _page(
            "page.html.jinja", "results/report.html", title, contents,
            (("Results", "results/index.html"),), browsers=_browsers(contents), **values,
        )  # fmt: skip


def _browsers(contents: SiteContents) -> dict[str, str]:
    """Return the browser of each config, by the title that its section of the report has."""
    return {
        f"{config.spec} {data.entry.version}": f"../{_browse(data, config)}"
        for data in contents.data
        for config in data.configs
        if data.shelf(config) is config
    }
