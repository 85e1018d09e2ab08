"""Configs that are built from templates, and their conversion to traditional characters."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import pyarrow as pa

from solecism.check.pairs import PairMemory
from solecism.check.registry import Finding
from solecism.check.run import ItemChecker
from solecism.datasets.catalogue import CatalogueEntry
from solecism.datasets.configs import BuiltParadigm, Config, example_of
from solecism.errors import candidates, fail, unknown_error
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts, Paradigm, bind, check_size
from solecism.grammar.phrases import Phrases
from solecism.grammar.suites import draw_suites
from solecism.grammar.template import Template, read_template, read_templates
from solecism.language_tags import tags_of
from solecism.lexicon.lexicon import Lexicon
from solecism.phenomena import current_uid, phenomena, phenomenon_named
from solecism.root import Root
from solecism.schema import FEATURES, SUITE, ItemRow, pair_schema

ALL, PAIRS, TRADITIONAL = "all", "pairs", "traditional"
"""Names of configs that have the rows of several paradigms (layout ``paradigms``).

``all`` has all suites, or all pairs if there are no suites; ``pairs`` has the pairs if there are
suites too; ``traditional`` has the rows of ``all`` in traditional characters.
"""

PAIRS_TRADITIONAL = f"{PAIRS}_{TRADITIONAL}"
"""The config with the rows of ``pairs`` in traditional characters."""

COLLECTIONS = (ALL, PAIRS, TRADITIONAL, PAIRS_TRADITIONAL)
"""The names of all configs that collect others."""


def templates_of_configs(root: Root, entry: CatalogueEntry) -> dict[str, tuple[Template, ...]]:
    """Return the templates of each config of a data set; raises :class:`InputError`.

    In the layout ``languages`` each folder of templates is a config. In the layout ``paradigms``
    each template is a config. Further configs collect them: ``all`` (the default) has the suites,
    or the pairs if there are no suites, and ``pairs`` has the pairs if there are both. If the entry
    names a conversion, ``traditional`` and ``pairs_traditional`` have the same rows, converted.
    """
    dataset = entry.name
    by_language = {
        code: templates_of_language(root, dataset, code) for code in root.configs(dataset)
    }
    if entry.configs == "languages":
        return by_language
    found = list(chain.from_iterable(by_language.values()))
    counts = Counter(template.id for template in found)
    for template in found:
        if template.id in COLLECTIONS:
            message = f"{template.id!r} is the name of a config that collects paradigms"
            raise fail(message, template.path)
        if counts[template.id] > 1:
            message = f"two templates are called {template.id!r}: it names the config"
            raise fail(message, template.path)
    pairs = tuple(template for template in found if template.is_pair)
    suites = tuple(template for template in found if not template.is_pair)
    collected = {ALL: suites or pairs}
    if suites and pairs:
        collected[PAIRS] = pairs
    if entry.traditional:
        collected[TRADITIONAL] = collected[ALL]
        if suites and pairs:
            collected[PAIRS_TRADITIONAL] = pairs
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
    places = (
        (dataset, language) for dataset in root.datasets for language in root.configs(dataset)
    )
    found = chain.from_iterable(templates_of_language(root, *place) for place in places)
    if wanted:
        return [t for t in found if phenomenon_named(t.phenomenon) == wanted]
    words = text.lower()
    return [t for t in found if words in f"{t.id} {t.phenomenon} {t.about}".lower()]


def template_configs(
    root: Root, entry: CatalogueEntry, known: Mapping[str, Sequence[Template]],
    names: Iterable[str], most: int,
) -> list[Config]:  # fmt: skip
    """Return the configs called ``names``, with their templates bound to lexicons.

    ``known`` has the templates of all configs. A template with ``draw: all`` may make ``most``
    minimal sets. Raises :class:`InputError` for anything that is wrong with the templates, before
    any item is drawn.
    """
    chosen = {name: known[name] for name in names}
    paradigms = load_paradigms(root, entry.name, chain.from_iterable(chosen.values()))
    for paradigm in paradigms.values():
        check_size(paradigm, most)
    # The features of all templates, built or not, so that configs share a schema.
    features = {name for config in known.values() for t in config for name in t.features}
    schema = pair_schema(sorted(features))
    memories = defaultdict[str, PairMemory](PairMemory)
    sources = {
        name: _TemplateSource(
            paradigm, root.path, entry.seed, schema, most, memories[paradigm.language]
        )
        for name, paradigm in paradigms.items()
    }
    return [
        _config(entry, name, [sources[template.name] for template in config])
        for name, config in chosen.items()
    ]


def load_paradigms(root: Root, dataset: str, templates: Iterable[Template]) -> dict[str, Paradigm]:
    """Return paradigms by their names; those of one language share lexicon and macros.

    Raises :class:`InputError`.
    """
    by_name = {template.name: template for template in templates}
    folders = dict.fromkeys(template.folder for template in by_name.values())
    phrases = {folder: Phrases(folder, Lexicon(root.lexicon(folder.name))) for folder in folders}
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
    (paradigm,) = load_paradigms(root, dataset, [known[uid]]).values()
    return paradigm


def _config(entry: CatalogueEntry, name: str, sources: Sequence[_TemplateSource]) -> Config:
    templates = [source.paradigm.template for source in sources]
    by_kind = {template.is_pair: template for template in templates}
    if len(by_kind) > 1:
        message = (
            f"is a suite among the minimal pairs of config {name!r}: a config has items of one kind"
            ' (`configs = "paradigms"` in the catalogue makes a config of each paradigm)'
        )
        raise fail(message, by_kind[False].path, by_kind[False].conditions[0].line)
    has_collections = entry.configs == "paradigms"
    is_converted = has_collections and name in (TRADITIONAL, PAIRS_TRADITIONAL)
    return Config(
        name,
        "pair" if True in by_kind else "suite",
        sources[0].schema if True in by_kind else SUITE,
        tuple(sources),
        tuple(dict.fromkeys(Path(template.path).parent.name for template in templates)),
        default=has_collections and name == ALL,
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
    is_converted = name in (TRADITIONAL, PAIRS_TRADITIONAL)
    return tuple(tag for tag in tags if tag.endswith(SCRIPT) == is_converted)


class _TemplateSource:
    """Draws and checks the items of a paradigm; ``schema`` is that of the data set's pairs."""

    def __init__(
        self, paradigm: Paradigm, root: Path, seed: int, schema: pa.Schema, most: int,
        memory: PairMemory,
    ) -> None:  # fmt: skip
        self.name, self.paradigm, self.schema = paradigm.template.name, paradigm, schema
        self.drawn = paradigm.template.draw is not None
        self._root, self._seed, self._most, self._memory = root, seed, most, memory
        self._counts = Counts()
        self._example: tuple[str, ...] = ()
        self._findings: tuple[Finding, ...] = ()

    def tables(self) -> Iterator[pa.Table]:
        """Yield the items as they are drawn; each table is checked first."""
        checker = ItemChecker(self.paradigm, self._memory)
        seed, counts = self._seed, self._counts
        if self.paradigm.template.is_pair:
            extra = tuple(f.name for f in self.schema.field("features").type)[len(FEATURES) :]
            drawn = draw_pairs(self.paradigm, seed, counts, extra, self._most)
        else:
            drawn = draw_suites(self.paradigm, seed, counts)
        for table in drawn:
            checker.add(table)
            self._example = self._example or example_of(table)
            yield table
        self._findings = tuple(f.within(self._root) for f in checker.finish(self._counts))

    def built(self) -> BuiltParadigm:
        """Return what was drawn and what the checks found, after all tables were taken."""
        template = self.paradigm.template
        return BuiltParadigm(
            template.id, template.construction, template.phenomenon, template.about, self._counts,
            self._example, self._findings,
        )  # fmt: skip


SCRIPT = "Hant"
"""The script of converted items, which ends their language code (``zh-Hant``; ISO 15924)."""

Convert = Callable[[str], str]


def converter(conversion: str) -> Callable[[pa.Table], pa.Table]:
    """Return a function that converts tables of suite items or pairs by OpenCC.

    ``conversion`` is its name of a conversion, such as ``s2t``. Ids stay, so that an item can be
    found in both scripts. Each sentence is converted as a whole, because a word is converted by its
    context; its words and regions are then cut out by their places.

    Raises :class:`InputError` if OpenCC does not know the conversion. So does the function that is
    returned, if the number of characters changes, or if a region or prefix that several sentences
    of an item share is converted in two ways.
    """
    from opencc import OpenCC

    try:
        made: Convert = OpenCC(conversion).convert
        made("")
    except (OSError, ValueError, RuntimeError) as error:
        raise fail(f"OpenCC has no conversion {conversion!r}: {error}") from None

    def convert(text: str) -> str:
        out = made(text)
        if len(out) != len(text):
            raise fail(f"OpenCC {conversion!r} changes the length of {text!r}: {out!r}")
        return out

    def convert_table(table: pa.Table) -> pa.Table:
        convert_item = _suite if "conditions" in table.column_names else _pair
        rows = [convert_item(row, convert) for row in table.to_pylist()]
        return pa.Table.from_pylist(rows, schema=table.schema)

    return convert_table


def _suite(row: ItemRow, convert: Convert) -> ItemRow:
    """Return a suite item with the texts of its conditions and regions converted."""
    conditions = []
    known: dict[tuple[str, str], str] = {}
    for old in row["conditions"]:
        text = convert(old["text"])
        regions = [{**r, "text": text[r["start"] : r["end"]]} for r in old["regions"]]
        for region, shown in zip(old["regions"], regions, strict=True):
            same = known.setdefault((region["name"], region["text"]), shown["text"])
            if same != shown["text"]:  # the same region is converted in two ways
                message = f"{region['text']!r} becomes {same!r} and, in {text!r}, "
                raise fail(f"{message}{shown['text']!r}: reword the item")
        tokens = _spaced(old["tokens"], text)
        conditions.append({**old, "text": text, "tokens": tokens, "regions": regions})
    return {**row, "language": f"{row['language']}-{SCRIPT}", "conditions": conditions}


def _spaced(tokens: str, text: str) -> str:
    """Return the characters of a text with spaces where ``tokens`` has them.

    Characters of the text that ``tokens`` lacks at its end, such as a full stop, are left out.
    """
    characters = iter(text.replace(" ", ""))
    return "".join(c if c == " " else next(characters) for c in tokens)


def _pair(row: ItemRow, convert: Convert) -> ItemRow:
    """Return a pair with all of its texts converted."""
    good, bad = (convert(row[f"sentence_{side}"]) for side in ("good", "bad"))
    return {
        **row,
        "language": f"{row['language']}-{SCRIPT}",
        "sentence_good": good,
        "sentence_bad": bad,
        "tokens_good": _spaced(row["tokens_good"], good),
        "tokens_bad": _spaced(row["tokens_bad"], bad),
        **_prefixes(row, good, bad),
        "slots": [_slot(slot, good, convert) for slot in row["slots"]],
        "features": {
            n: convert(v) if isinstance(v, str) else v for n, v in row["features"].items()
        },
    }


_PREFIXES = {
    "one_prefix": {"good": ("prefix", "word_good"), "bad": ("prefix", "word_bad")},
    "two_prefix": {"good": ("prefix_good", "word"), "bad": ("prefix_bad", "word")},
}
"""The columns of each prefix method: the prefix and the word after it, for each side."""


def _prefixes(row: ItemRow, good: str, bad: str) -> dict[str, str]:
    """Return the columns of the prefix methods, cut out of the converted sentences.

    Columns that are null in ``row`` are left out. Raises :class:`InputError` if what both sentences
    share is converted in two ways.
    """
    out: dict[str, str] = {}
    for method, sides in _PREFIXES.items():
        for (side, (prefix, word)), text in zip(sides.items(), (good, bad), strict=True):
            names = f"{method}_{prefix}", f"{method}_{word}"
            if row[names[0]] is None or row[names[1]] is None:
                continue
            before, after = (row[name] for name in names)
            start = row[f"sentence_{side}"].index(after, len(before))
            cut = text[: len(before)], text[start : start + len(after)]
            for name, value in zip(names, cut, strict=True):
                if out.setdefault(name, value) != value:
                    message = f"becomes {out[name]!r} and, in {text!r}, {value!r}: reword the pair"
                    raise fail(f"{row[name]!r} {message}")
    return out


def _slot(slot: ItemRow, good: str, convert: Convert) -> ItemRow:
    """Return a slot converted; the form is cut out of the good sentence if it is printed there."""
    start, end = slot["good_start"], slot["good_end"]
    form = slot["form"]
    shown = good[start:end] if start is not None else form and convert(form)
    return {**slot, "lemma": slot["lemma"] and convert(slot["lemma"]), "form": shown}
