"""Configs that are built from templates."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from solecism.check.pairs import PairMemory
from solecism.check.run import ItemChecker
from solecism.datasets.catalogue import CatalogueEntry
from solecism.datasets.configs import BuiltParadigm, Config, Items, ItemSource, example_of
from solecism.datasets.traditional import SCRIPT, converter
from solecism.errors import candidates, fail, unknown_error
from solecism.grammar.columns import FREQUENCY
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts, Paradigm, bind, check_size
from solecism.grammar.phrases import Phrases
from solecism.grammar.suites import draw_suites
from solecism.grammar.template import Template, read_template, read_templates
from solecism.language_tags import tags_of
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.vocabulary import EVERYTHING, Limits
from solecism.phenomena import current_uid, phenomena, phenomenon_named
from solecism.root import Root
from solecism.schema import SUITE, pair_schema

ALL, PAIRS, TRADITIONAL = "all", "pairs", "traditional"
"""Names of configs that have the rows of several paradigms (layout ``paradigms``).

``all`` has all suites, or all pairs if there are no suites; ``pairs`` has the pairs if there are
suites too; ``traditional`` has the rows of ``all`` in traditional characters.
"""

CONVERTED = {ALL: TRADITIONAL, PAIRS: f"{PAIRS}_{TRADITIONAL}"}
"""The config with the rows of another in traditional characters."""

COLLECTIONS = (*CONVERTED, *CONVERTED.values())
"""The names of all configs that collect others."""


def templates_of_configs(root: Root, entry: CatalogueEntry) -> dict[str, tuple[Template, ...]]:
    """Return the templates of each config of a data set; raises :class:`InputError`.

    In the layout ``languages`` each folder of templates is a config. In the layout ``paradigms``
    each template is a config. Further configs collect them: ``all`` (the default) has the suites,
    or the pairs if there are no suites, and ``pairs`` has the pairs if there are both. If the entry
    names a conversion, ``traditional`` and ``pairs_traditional`` have the same rows, converted.
    """
    dataset = entry.templates
    codes = root.configs(dataset)
    by_language = {code: templates_of_language(root, dataset, code) for code in codes}
    if entry.configs == "languages":
        return by_language
    found = list(chain.from_iterable(by_language.values()))
    counts = Counter(template.id for template in found)
    for uid, path in ((template.id, template.path) for template in found):
        if uid in COLLECTIONS:
            raise fail(f"{uid!r} is the name of a config that collects paradigms", path)
        if counts[uid] > 1:
            raise fail(f"two templates are called {uid!r}: it names the config", path)
    pairs = tuple(template for template in found if template.is_pair)
    suites = tuple(template for template in found if not template.is_pair)
    collected = {ALL: suites, PAIRS: pairs} if suites and pairs else {ALL: suites or pairs}
    if entry.traditional:
        collected |= {CONVERTED[name]: some for name, some in collected.items()}
    return {**collected, **{template.id: (template,) for template in found}}


def templates_of_language(root: Root, dataset: str, language: str) -> tuple[Template, ...]:
    """Return the templates of a language, sorted by UID.

    The pairs that a suite declares are templates of their own.
    """
    found = [t for path in root.templates(dataset, language) for t in read_templates(path)]
    return tuple(sorted(found, key=lambda template: template.id))


def paradigms_on(root: Root, phenomenon: str = "", text: str = "") -> list[Template]:
    """Return the paradigms of all data sets on a phenomenon, or with a text in what they say.

    They say their UID, phenomenon and `about`. Raises :class:`InputError` for a phenomenon that
    is not in the list of all.
    """
    wanted = phenomenon_named(phenomenon)
    if phenomenon and not wanted:
        raise unknown_error("there is no phenomenon", phenomenon, "phenomena", phenomena())
    places = ((dataset, code) for dataset in root.datasets for code in root.configs(dataset))
    found = chain.from_iterable(templates_of_language(root, *place) for place in places)
    if wanted:
        return [t for t in found if phenomenon_named(t.phenomenon) == wanted]
    words = text.lower()
    return [t for t in found if words in f"{t.id} {t.phenomenon} {t.about}".lower()]


def template_configs(
    root: Root, entry: CatalogueEntry, known: Mapping[str, Sequence[Template]],
    names: Iterable[str], most: int, limits: Limits = EVERYTHING,
) -> list[Config]:  # fmt: skip
    """Return the configs called ``names``, with their templates bound to lexicons.

    ``known`` has the templates of all configs; ``limits`` say what they may print. A template with
    ``draw: all`` may make ``most`` minimal sets. Raises :class:`InputError` for anything that is
    wrong with the templates, before any item is drawn.
    """
    chosen = {name: known[name] for name in names}
    paradigms = load_paradigms(root, chain.from_iterable(chosen.values()), limits)
    for paradigm in paradigms.values():
        check_size(paradigm, most)
    # The features of all templates, built or not, so that configs share a schema.
    features = {name for config in known.values() for t in config for name in t.features}
    measured = FREQUENCY if limits.frequencies else ()
    extra, memories = (*sorted(features), *measured), defaultdict[str, PairMemory](PairMemory)
    sources = {}
    for name, p in paradigms.items():
        items = partial(_items, root, p, entry.seed, extra, most, memories[p.language])
        sources[name] = ItemSource(name, items, p.template.draw is not None)
    return [
        _config(entry, name, templates, tuple(sources[t.name] for t in templates), extra)
        for name, templates in chosen.items()
    ]


def load_paradigms(
    root: Root, templates: Iterable[Template], limits: Limits = EVERYTHING
) -> dict[str, Paradigm]:
    """Return paradigms by their names; those of one language share lexicon and macros.

    Raises :class:`InputError`.
    """
    by_name = {template.name: template for template in templates}
    folders = dict.fromkeys(template.folder for template in by_name.values())
    lexicons = {folder: Lexicon(root.lexicon(folder.name), limits) for folder in folders}
    phrases = {folder: Phrases(folder, lexicon) for folder, lexicon in lexicons.items()}
    return {name: bind(t, phrases[t.folder]) for name, t in by_name.items()}


def find_paradigm(root: Root, dataset: str, language: str, uid: str) -> Paradigm:
    """Return one paradigm; raises :class:`InputError`, with names like it, if it is unknown."""
    path = root.folder(dataset, language) / f"{uid}.jinja"
    known = {uid: read_template(path)} if path.is_file() else {}
    if not known:
        known = {t.id: t for t in templates_of_language(root, dataset, language)}
    if uid not in known:
        near = candidates("paradigms", [*known], current_uid(uid))
        raise fail(f"{dataset}/{language} has no paradigm {uid!r} {near}")
    (paradigm,) = load_paradigms(root, [known[uid]]).values()
    return paradigm


def _config(
    entry: CatalogueEntry, name: str, templates: Sequence[Template],
    sources: tuple[ItemSource, ...], extra: Sequence[str],
) -> Config:  # fmt: skip
    by_kind = {template.is_pair: template for template in templates}
    if len(by_kind) > 1:
        way = '`configs = "paradigms"` in the catalogue makes a config of each paradigm'
        why = f"a config has items of one kind ({way})"
        message = f"is a suite among the minimal pairs of config {name!r}: {why}"
        raise fail(message, by_kind[False].path, by_kind[False].conditions[0].line)
    is_collected = entry.configs == "paradigms" and name in COLLECTIONS
    is_converted = is_collected and name in CONVERTED.values()
    return Config(
        name,
        "pair" if True in by_kind else "suite",
        pair_schema(extra) if True in by_kind else SUITE,
        sources,
        tuple(dict.fromkeys(Path(template.path).parent.name for template in templates)),
        default=is_collected and name == ALL,
        convert=converter(entry.traditional) if is_converted else None,
        mixed=True,
        tags=tags_of_config(entry, name, templates),
    )


def tags_of_config(
    entry: CatalogueEntry, name: str, templates: Sequence[Template]
) -> tuple[str, ...]:
    """Return the tags of a config's languages; converted ones have that of their script alone."""
    tags = tags_of(dict.fromkeys(template.folder.name for template in templates))
    if not entry.traditional:
        return tags
    is_converted = name in CONVERTED.values()
    return tuple(tag for tag in tags if tag.endswith(SCRIPT) == is_converted)


def _items(
    root: Root, paradigm: Paradigm, seed: int, extra: tuple[str, ...], most: int, memory: PairMemory
) -> Items:
    """Draw and check the items of a paradigm; ``extra`` are features of the data set's pairs."""
    template, counts = paradigm.template, Counts()
    checker, example = ItemChecker(paradigm, memory), tuple[str, ...]()
    if template.is_pair:
        drawn = draw_pairs(paradigm, seed, counts, extra, most)
    else:
        drawn = draw_suites(paradigm, seed, counts)
    for table in drawn:
        checker.add(table)
        example = example or example_of(table)
        yield table
    findings = tuple(f.within(root.path) for f in checker.finish(counts))
    return BuiltParadigm(
        template.id, template.construction, template.phenomenon, template.about, counts, example,
        findings,
    )  # fmt: skip
