"""Make the pages of a site: the path and the HTML of each."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import urlencode

from markupsafe import Markup
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from solecism.datasets.catalogue import Reference
from solecism.grammar.inherit import DEFAULTS, kind_files
from solecism.grammar.phrases import macro_files
from solecism.harness.task_files import tasks_of_configs
from solecism.inputs import read_source
from solecism.language_tags import language_name
from solecism.phenomena import phenomena, phenomenon_named
from solecism.reports.charts import checkpoint_curves
from solecism.reports.figures import FigureCell
from solecism.reports.html import FigureRow, FigureTable, PageFigures, page_values
from solecism.reports.pages import REPORTS, page_source, render_page
from solecism.reports.people import PEOPLE
from solecism.schema import KINDS
from solecism.site.examples import ParadigmSample, ShownItem
from solecism.site.folders import SiteConfig, SiteData, SiteParadigm, place_of, together
from solecism.site.results import SiteResults

_FAMILIES = Path(__file__).with_name("families.tsv")

FOLDERS = ("site/pages", REPORTS)

EXAMPLES, LENGTH = 6, 45
"""How many pairs the first page shows, and how many characters a good example has."""

MOST_HEADS = 12
"""The most configs that have a column in the table of paradigms."""

SitePage = tuple[str, str]
"""The path of a page in the site, and its HTML."""

Crumbs = tuple[tuple[str, str], ...]
"""The pages above a page in the hierarchy of the site: their names and paths."""


@dataclass(frozen=True)
class LanguageEntry:
    """A language with its configs, and its family and branch where they are known."""

    code: str
    name: str
    family: str
    branch: str
    configs: tuple[tuple[SiteData, SiteConfig], ...]

    @property
    def agrees(self) -> dict[str, list[str]]:
        """The features in which words agree, by relation, in the mined configs of the language."""
        return together(config.agrees for _, config in self.configs)


@dataclass(frozen=True)
class SiteContents:
    """All that the pages are made from; ``samples``: by the path of the page that shows them."""

    data: tuple[SiteData, ...]
    samples: Mapping[str, ParadigmSample]
    results: SiteResults = field(default_factory=SiteResults)

    def sampled(self, data: SiteData, config: SiteConfig) -> list[tuple[str, ParadigmSample]]:
        """Return the samples of a config with their pages."""
        uids = [""] if data.mined else [paradigm.uid for paradigm in config.paradigms]
        pages = (data.page_of(config, uid) for uid in uids)
        return [(page, self.samples[page]) for page in pages if page in self.samples]

    @cached_property
    def figures(self) -> dict[str, PageFigures]:
        """The figures of each data set that has results."""
        found = ((data.name, self.results.figures(data)) for data in self.data)
        return {name: figures for name, figures in found if figures is not None}

    @cached_property
    def languages(self) -> list[LanguageEntry]:
        """All languages, sorted by name; configs whose items another config has are left out."""
        configs: dict[str, list[tuple[SiteData, SiteConfig]]] = {}
        for data in self.data:
            for config in data.whole_configs:
                for code in config.languages:
                    configs.setdefault(code, []).append((data, config))
        with _FAMILIES.open(encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines, delimiter="\t")
            known = {code: (family, branch) for code, family, branch in rows}
        entries = (
            LanguageEntry(code, language_name(code), *known.get(code, ("", "")), tuple(some))
            for code, some in configs.items()
        )
        return sorted(entries, key=lambda entry: entry.name)


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
        yield from _sources(data)
        for config in data.configs:
            yield from _config(contents, data, config)
    yield from _phenomena(contents)
    yield from _languages(contents)
    yield _results(contents)


def _page(name: str, path: str, title: str, crumbs: Crumbs = (), /, **values: object) -> SitePage:
    html = render_page(
        name, FOLDERS, title=title, up="../" * path.count("/"), here=path, crumbs=crumbs,
        place_of=place_of, phenomenon_path=_phenomenon_path, layout="site.html.jinja",
        language_name=language_name, **values,
    )  # fmt: skip
    return path, html


def _top(data: SiteData) -> Crumbs:
    return ((data.name, f"{data.place}/index.html"),)


def _start(contents: SiteContents) -> SitePage:
    whole = [config for data in contents.data for config in data.whole_configs]
    tested = {
        (data.name, config.language, paradigm.uid)
        for data in contents.data if not data.mined
        for config in data.configs
        for paradigm in config.paradigms
    }  # fmt: skip
    return _page(
        "start.html.jinja", "index.html", "Minimal pairs",
        data=contents.data, examples=list(_examples(contents)), languages=contents.languages,
        totals={
            "data sets": len(contents.data),
            "languages": len(contents.languages),
            "paradigms": len(tested),
            "items": sum(config.rows for config in whole),
        },
    )  # fmt: skip


def _examples(contents: SiteContents) -> Iterator[tuple[SiteConfig, str, ShownItem]]:
    """Yield an example pair for each of the first languages: its config, its page and the pair."""
    seen: set[str] = set()
    for data in contents.data:
        for config in data.configs:
            if config.kind != "pair" or config.language in seen or len(seen) == EXAMPLES:
                continue
            pairs = [(page, i) for page, s in contents.sampled(data, config) for i in s.items]
            found = [(page, item) for page, item in pairs if item.swap]
            if found:
                seen.add(config.language)
                page, item = min(found, key=lambda one: abs(len(one[1].texts[0].text) - LENGTH))
                yield config, page, item


@dataclass(frozen=True)
class MatrixRow:
    """A paradigm of a data set: its page and size in each config, or None.

    ``figures``: the accuracies of models, by the name of each config that has it.
    """

    uid: str
    about: str
    data: SiteData
    cells: tuple[tuple[str, int, SiteConfig] | None, ...]
    figures: Mapping[str, Mapping[str, FigureCell]]


def _matrix(
    contents: SiteContents, data: SiteData
) -> tuple[list[SiteConfig], dict[str, list[MatrixRow]]]:
    """Return the configs that are columns of the table of paradigms, and its rows by phenomenon."""
    heads, results = [] if data.mined else data.whole_configs[:MOST_HEADS], contents.results
    uids = dict.fromkeys(paradigm.uid for config in heads for paradigm in config.paradigms)
    rows: dict[str, list[MatrixRow]] = {}
    for uid in uids:
        held = {c.name: (c, p) for c in heads for p in c.paradigms if p.uid == uid}
        sizes = {name: p.facts.get("pairs", 0) for name, (_, p) in held.items()}
        cells = tuple(
            (data.page_of(c, uid), sizes[c.name], c) if c.name in held else None for c in heads
        )
        figures = {c.spec: results.paradigm(data.holders(c, p), uid) for c, p in held.values()}
        first = next(iter(held.values()))[1]
        row = MatrixRow(uid, first.about, data, cells, figures)
        rows.setdefault(first.phenomenon, []).append(row)
    return heads, rows


def _dataset(contents: SiteContents, data: SiteData) -> SitePage:
    heads, matrix = _matrix(contents, data)
    return _page(
        "dataset.html.jinja", f"{data.place}/index.html", data.entry.pretty_name or data.name,
        data=data, heads=heads, matrix=matrix, figures=contents.figures.get(data.name),
        snippets=_snippets(data), references=list(map(_reference, data.references)),
    )  # fmt: skip


def _phenomenon_path(name: str) -> str:
    known = phenomenon_named(name)
    return f"phenomena/{place_of(known.name if known else name)}.html"


def _phenomena(contents: SiteContents) -> Iterator[SitePage]:
    """Yield a page for each phenomenon, with its paradigms in all data sets, and a list of them."""
    found: dict[str, list[MatrixRow]] = {}
    for data in contents.data:
        for name, rows in _matrix(contents, data)[1].items():
            known = phenomenon_named(name)
            found.setdefault(known.name if known else name, []).extend(rows)
    tree = {name: found[name] for name in (*phenomena(), *found) if name and name in found}
    top = ("Phenomena", "phenomena/index.html")
    yield _page("phenomena.html.jinja", top[1], top[0], tree=tree, known=phenomena())
    for name, rows in tree.items():
        every = [(row.uid, spec, cells) for row in rows for spec, cells in row.figures.items()]
        lines = [line for line in every if line[2]]
        models = tuple(dict.fromkeys(model for *_, cells in lines for model in cells))
        figures = (FigureRow(uid, 0, tuple(map(c.get, models)), spec) for uid, spec, c in lines)
        yield _page(
            "phenomenon.html.jinja", _phenomenon_path(name), name, (top,), rows=rows,
            known=phenomena().get(name), samples=contents.samples,
            figures=FigureTable("paradigm", models, tuple(figures)),
        )  # fmt: skip


def _sources(data: SiteData) -> Iterator[SitePage]:
    """Yield a page for each language with the files that its templates share."""
    templates = [p.template for config in data.configs for p in config.paradigms if p.template]
    for folder in dict.fromkeys(template.folder for template in templates):
        defaults = (folder.parent / DEFAULTS, folder / DEFAULTS)
        files = [*macro_files(folder), *filter(Path.is_file, defaults), *kind_files(folder)]
        codes = [(f"{path.parent.name}/{path.name}", _coloured_file(path)) for path in files]
        yield _page(
            "shared.html.jinja", _shared_path(data, folder.name),
            f"Macros of {language_name(folder.name)}", _top(data), data=data, codes=codes,
        )  # fmt: skip


def _shared_path(data: SiteData, code: str) -> str:
    return f"{data.place}/phenomena/macros-{place_of(code)}.html"


def _config(contents: SiteContents, data: SiteData, config: SiteConfig) -> Iterator[SitePage]:
    own = f"{config.place}/index.html"
    crumbs = (*_top(data), (config.name, own))
    if data.browsed(config) is config:
        yield _page(
            "browse.html.jinja", f"{config.place}/browse.html", f"Items of {config.spec}", crumbs,
            data=data, config=config,
        )  # fmt: skip
    if own not in data.pages.values() or data.mined:
        figures = contents.figures.get(config.data)
        sections = figures.sections if figures else ()
        own_sections = (s for s in sections if f"{s.title} ".startswith(f"{config.spec} "))
        yield _page(
            "config.html.jinja", own, config.spec, _top(data), data=data, config=config,
            sample=contents.samples.get(own), section=next(own_sections, None),
            snippets=_snippets(data, config), browse=_browse(data, config),
        )  # fmt: skip
    for paradigm in () if data.mined else config.paradigms:
        path = data.pages[config.name, paradigm.uid]
        if path.startswith(f"{config.place}/"):
            above = _top(data) if path == own else crumbs
            yield _paradigm(contents, data, config, paradigm, above)


def _browse(data: SiteData, config: SiteConfig, uid: str = "") -> str:
    """Return the path of the browser with a config's items; ``uid``: the paradigm to open it at."""
    whole = data.browsed(config)
    paradigms = [paradigm.uid for paradigm in config.paradigms]
    wanted = uid or (paradigms[0] if whole is not config and paradigms else "")
    several = wanted and len(whole.paradigms) > 1 and not data.mined
    at = f"#{urlencode({KINDS[config.kind].group: wanted})}" if several else ""
    return f"{whole.place}/browse.html{at}"


def _paradigm(
    contents: SiteContents, data: SiteData, config: SiteConfig, paradigm: SiteParadigm, crumbs: Crumbs
) -> SitePage:  # fmt: skip
    path = data.pages[config.name, paradigm.uid]
    sample = contents.samples.get(path)
    template = paradigm.template
    places = {c.name: data.pages.get((c.name, paradigm.uid), path) for c in data.whole_configs}
    source = next((w for w in data.references if template and w.key == template.source), None)
    swaps = (item.swap for item in sample.items if item.swap) if sample else iter(())
    return _page(
        "paradigm.html.jinja", path, paradigm.uid, crumbs, data=data, config=config,
        paradigm=paradigm, sample=sample, template=template, swap=next(swaps, None),
        others=[(name, place) for name, place in places.items() if place != path],
        source=_reference(source) if source else None,
        cells=contents.results.paradigm(data.holders(config, paradigm), paradigm.uid),
        code=_coloured_file(Path(template.path)) if template else None,
        shared=_shared_path(data, template.folder.name) if template else "",
        snippets=_snippets(data, config, paradigm.uid),
        browse=_browse(data, config, paradigm.uid), people=PEOPLE,
    )  # fmt: skip


def _reference(work: Reference) -> dict[str, str]:
    """Return a work as one line (``text``), and the ``url`` where it can be read (may be empty)."""
    families = [name.partition(",")[0].strip("{} ") for name in work.authors]
    who = " and ".join(families) if len(families) < 3 else f"{families[0]} et al."
    title = work.fields.get("title", "").replace("{", "").replace("}", "")
    url = work.fields.get("url", "") or work.fields.get("doi", "")
    url = f"https://doi.org/{url}" if url.startswith("10.") else url
    shown = url if url.startswith(("https://", "http://")) else ""
    return {"text": f"{who} ({work.fields.get('year', '')}): {title}", "url": shown}


def _coloured(text: str, language: str) -> Markup:
    """Return code as HTML with highlighted syntax; ``language``: a name that Pygments knows."""
    lexer = get_lexer_by_name(language, stripnl=False)
    return Markup(highlight(text, lexer, HtmlFormatter(nowrap=True)))


def _coloured_file(path: Path) -> Markup:
    """Return a template or a table of slots as HTML."""
    return _coloured(read_source(path), "yaml+jinja")


def _snippets(
    data: SiteData, config: SiteConfig | None = None, uid: str = ""
) -> list[tuple[str, Markup]]:
    """Return titles and pieces of code: to load data, score a model, run lm-eval, and cite.

    ``config``: the default one if None; ``uid``: the paradigm, empty for the whole config.
    """
    chosen = config or next((c for c in data.configs if c.default), data.configs[0])
    home = data.entry.hub or data.name
    load = "from datasets import load_dataset\n\n"
    load += f'items = load_dataset("{home}", "{chosen.name}", split="test")'
    several = uid and len(chosen.paradigms) > 1
    if several:
        column = KINDS[chosen.kind].group
        load += f'\nsome = items.filter(lambda item: item["{column}"] == "{uid}")'
    found = [("Load", load, "python")]
    if chosen.kind in ("pair", "suite", "cloze"):
        spec = f"{chosen.spec}/{uid}" if several else chosen.spec
        found.append(("Score a model", f"solecism score {spec} --model MODEL", "console"))
    if task := tasks_of_configs().get((data.name, chosen.name)):
        line = f"lm_eval --model hf --model_args pretrained=MODEL --tasks {task}"
        found.append(("In lm-eval", f'{line} --include_path "$(solecism list --tasks)"', "console"))
    if config is None or not uid:
        found.append(("Cite", data.citation, "bibtex"))
    return [(title, _coloured(text, language)) for title, text, language in found]


def _languages(contents: SiteContents) -> Iterator[SitePage]:
    """Yield the page of all languages, by family and branch, and a page for each language."""
    tree: dict[str, dict[str, list[LanguageEntry]]] = {}
    for entry in sorted(contents.languages, key=lambda e: (not e.family, e.family, e.branch)):
        tree.setdefault(entry.family, {}).setdefault(entry.branch, []).append(entry)
    yield _page("languages.html.jinja", "languages/index.html", "Languages", tree=tree)
    for entry in contents.languages:
        examples = []
        for data, config in entry.configs:
            items = [item for _, some in contents.sampled(data, config) for item in some.items]
            if items and config.kind != "forms":
                examples.append((config, items[0]))
        yield _page(
            "language.html.jinja", f"languages/{place_of(entry.code)}.html", entry.name,
            (("Languages", "languages/index.html"),), entry=entry, examples=examples,
        )  # fmt: skip


def _results(contents: SiteContents) -> SitePage:
    """Return the page of results: the content of a report, with links to the items."""
    path, found = "results/index.html", contents.results
    if not found.results:
        return _page("no_results.html.jinja", path, "Results", others=found.others)
    whole = [(data, config) for data in contents.data for config in data.whole_configs]
    browsers = {f"{c.spec} {d.entry.version}": f"../{_browse(d, c)}" for d, c in whole}
    values = page_values(found.results, "config", judgments=found.judgments)
    values |= {"checkpoints": checkpoint_curves(found.results), "browsers": browsers}
    return _page("page.html.jinja", path, str(values.pop("title")), others=found.others, **values)
