"""Configs that are built from templates, in either of the catalogue's two layouts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from solecism.check.finding import Finding
from solecism.check.items import checker_of
from solecism.datasets.catalogue import Stanza
from solecism.datasets.configs import BuiltParadigm, Config, Part, choose
from solecism.errors import fail
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import LARGEST, Counts, Paradigm, check_size, load_paradigm
from solecism.grammar.phrases import Phrases
from solecism.grammar.suites import draw_suites
from solecism.grammar.template import read_template
from solecism.root import Root
from solecism.schema import FEATURES, SUITE, pair_schema

__all__ = [
    "ALL",
    "PAIRS",
    "SCRIPT",
    "TRADITIONAL",
    "Group",
    "converter",
    "groups",
    "load_paradigms",
    "template_configs",
]


ALL, PAIRS, TRADITIONAL = "all", "pairs", "traditional"
"""Names of the configs that collect paradigms: of the main kind, of pairs beside suites, converted ones."""


@dataclass(frozen=True)
class Group:
    """A config as the templates' names give it. ``traditional``: the conversion, if it is converted."""

    name: str
    paths: tuple[Path, ...]
    default: bool = False
    traditional: str = ""


def groups(root: Root, entry: Stanza) -> list[Group]:
    """Give the configs of a data set with their templates; raises :class:`InputError`.

    Layout ``languages``: a config for each folder of templates. Layout ``paradigms``: one for each template,
    with ``all`` (the default) for the rows of all of them; where there are suites and pairs, ``all`` holds
    the suites and ``pairs`` the pairs.
    """
    name = entry.name
    if entry.configs == "languages":
        return [Group(n, tuple(root.templates(name, n))) for n in root.configs(name)]
    paths = [path for n in root.configs(name) for path in root.templates(name, n)]
    _refuse_same_names(paths)
    pairs = {path: read_template(path).is_pair for path in paths}
    suites = tuple(path for path in paths if not pairs[path])
    collected = [Group(ALL, suites or tuple(paths), default=True)]
    if suites and len(suites) < len(paths):
        collected.append(Group(PAIRS, tuple(path for path in paths if pairs[path])))
    if entry.traditional:
        collected += [_traditional(group, entry.traditional) for group in collected]
    return [*collected, *(Group(path.stem, (path,)) for path in paths)]


def _traditional(group: Group, conversion: str) -> Group:
    name = TRADITIONAL if group.default else f"{group.name}_{TRADITIONAL}"
    return Group(name, group.paths, traditional=conversion)


def _refuse_same_names(paths: Sequence[Path]) -> None:
    counts = Counter(path.stem for path in paths)
    reserved = (ALL, PAIRS, TRADITIONAL, f"{PAIRS}_{TRADITIONAL}")
    for path in paths:
        if path.stem in reserved:
            raise fail(f"{path.stem!r} is the name of a config that collects paradigms", path)
        if counts[path.stem] > 1:
            raise fail(f"two templates are called {path.stem!r}: it names the config", path)


def template_configs(
    root: Root, entry: Stanza, names: Sequence[str] = (), most: int = LARGEST
) -> list[Config]:
    """Bind the templates of the configs called ``names`` (none: of all) to their lexicons.

    Raises :class:`InputError` for anything wrong with them, so that nothing is drawn in vain.
    """
    known = groups(root, entry)
    chosen = choose(entry.name, known, names)
    paths = [path for group in chosen for path in group.paths]
    paradigms = load_paradigms(root, entry.name, paths)
    for paradigm in paradigms.values():
        check_size(paradigm, most)
    schema = pair_schema(_extra(entry, known, paradigms))
    parts = {
        path: _part(_Drawing(paradigm, root.path, entry.seed, schema, most))
        for path, paradigm in paradigms.items()
    }
    return [_config(group, paradigms, parts, schema) for group in chosen]


def load_paradigms(root: Root, dataset: str, paths: Iterable[Path]) -> dict[Path, Paradigm]:
    """Load paradigms by their files; those of one language share their phrases."""
    paths = list(dict.fromkeys(paths))
    phrases = {
        language: Phrases(root.folder(dataset, language), root.lexicon(language))
        for language in dict.fromkeys(path.parent.name for path in paths)
    }
    return {
        path: load_paradigm(path, root.lexicon(path.parent.name), phrases[path.parent.name])
        for path in paths
    }


def _extra(
    entry: Stanza, known: Sequence[Group], paradigms: Mapping[Path, Paradigm]
) -> tuple[str, ...]:
    """The further features of pairs: with a config a paradigm, those of all of them, built or not."""
    templates = [paradigm.template for paradigm in paradigms.values()]
    if entry.configs == "paradigms":
        templates = [read_template(path) for group in known for path in group.paths]
    return tuple(sorted({name for template in templates for name in template.features}))


def _config(
    group: Group,
    paradigms: Mapping[Path, Paradigm],
    parts: Mapping[Path, Part],
    schema: pa.Schema,
) -> Config:
    kinds = {paradigms[path].template.is_pair: path for path in group.paths}
    if len(kinds) > 1:
        message = (
            f"is a suite among the minimal pairs of config {group.name!r}: a config has items of one "
            'kind (`configs = "paradigms"` in the catalogue makes a config of each paradigm)'
        )
        raise fail(message, kinds[False], paradigms[kinds[False]].template.conditions[0].line)
    kind = "pair" if True in kinds else "suite"
    return Config(
        group.name,
        kind,
        schema if kind == "pair" else SUITE,
        tuple(parts[path] for path in group.paths),
        tuple(dict.fromkeys(path.parent.name for path in group.paths)),
        group.default,
        converter(group.traditional) if group.traditional else None,
    )


@dataclass
class _Drawing:
    """One paradigm being drawn and checked; ``schema`` is that of the data set's pairs."""

    paradigm: Paradigm
    root: Path
    seed: int
    schema: pa.Schema
    most: int
    counts: Counts = field(default_factory=Counts)
    example: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    def tables(self) -> Iterator[pa.Table]:
        """Draw and check the items; the facts are known at the end."""
        checker = checker_of(self.paradigm)
        for table in self._drawn():
            checker.add(table)
            self.example = self.example or _example(table)
            yield table
        self.findings = tuple(f.within(self.root) for f in checker.finish(self.counts))

    def _drawn(self) -> Iterator[pa.Table]:
        if not self.paradigm.template.is_pair:
            return draw_suites(self.paradigm, self.seed, self.counts)
        extra = tuple(f.name for f in self.schema.field("features").type)[len(FEATURES) :]
        return draw_pairs(self.paradigm, self.seed, self.counts, extra, self.most)

    def facts(self) -> BuiltParadigm:
        """What was drawn."""
        template = self.paradigm.template
        return BuiltParadigm(
            template.id, template.construction, template.phenomenon, template.about, self.counts,
            self.example, self.findings,
        )  # fmt: skip


def _part(drawing: _Drawing) -> Part:
    return Part(drawing.paradigm.name, drawing.tables, drawing.facts)


def _example(table: pa.Table) -> tuple[str, ...]:
    if "conditions" in table.column_names:
        return tuple(condition["text"] for condition in table["conditions"][0].as_py())
    return tuple(table[f"sentence_{side}"][0].as_py() for side in ("good", "bad"))


SCRIPT = "Hant"
"""What the language code of converted items ends in (``zh-Hant``; ISO 15924)."""

Convert = Callable[[str], str]


def converter(conversion: str) -> Callable[[pa.Table], pa.Table]:
    """Give a function that converts suite items or pairs (``conversion``: OpenCC's, ``s2t``, ``s2tw``).

    Ids stay, so that an item can be found in both scripts. Every sentence is converted as a whole, words in
    their context, and its words and regions are cut out of the result by their places; so a conversion must
    keep the number of characters. Raises :class:`InputError` where one does not, or is not known to OpenCC.
    """
    convert = _same_length(_load(conversion), conversion)
    return lambda table: _table(table, convert)


def _load(conversion: str) -> Convert:
    from opencc import OpenCC

    try:
        made: Convert = OpenCC(conversion).convert
        made("")
    except (OSError, ValueError, RuntimeError) as error:
        raise fail(f"OpenCC has no conversion {conversion!r}: {error}") from None
    return made


def _same_length(convert: Convert, conversion: str) -> Convert:
    def checked(text: str) -> str:
        out = convert(text)
        if len(out) != len(text):
            raise fail(f"OpenCC {conversion!r} changes the length of {text!r}: {out!r}")
        return out

    return checked


def _table(table: pa.Table, convert: Convert) -> pa.Table:
    item = _suite if "conditions" in table.column_names else _pair
    rows = [item(row, convert) for row in table.to_pylist()]
    return pa.Table.from_pylist(rows, schema=table.schema)


def _suite(row: Mapping[str, Any], convert: Convert) -> dict[str, Any]:
    conditions = [_condition(condition, convert) for condition in row["conditions"]]
    _refuse_unlike(row["conditions"], conditions)
    return {**row, "language": _language(row), "conditions": conditions}


def _language(row: Mapping[str, Any]) -> str:
    return f"{row['language']}-{SCRIPT}"


def _condition(condition: Mapping[str, Any], convert: Convert) -> dict[str, Any]:
    text = convert(condition["text"])
    return {
        **condition,
        "text": text,
        "tokens": _spaced(condition["tokens"], text),
        "regions": [{**r, "text": text[r["start"] : r["end"]]} for r in condition["regions"]],
    }


def _spaced(tokens: str, text: str) -> str:
    """Put the characters of a text where those of its tokens stand (marks at the end may be missing)."""
    characters = iter(text.replace(" ", ""))
    return "".join(c if c == " " else next(characters) for c in tokens)


def _refuse_unlike(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    """Refuse a region that is the same in two conditions and is converted in two ways."""
    known: dict[tuple[str, str], str] = {}
    for old, new in zip(before, after, strict=True):
        for region, shown in zip(old["regions"], new["regions"], strict=True):
            same = known.setdefault((region["name"], region["text"]), shown["text"])
            if same != shown["text"]:
                message = f"{region['text']!r} becomes {same!r} and, in {new['text']!r}, "
                raise fail(f"{message}{shown['text']!r}: reword the item")


def _pair(row: Mapping[str, Any], convert: Convert) -> dict[str, Any]:
    good, bad = (convert(row[f"sentence_{side}"]) for side in ("good", "bad"))
    return {
        **row,
        "language": _language(row),
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
"""The columns of each method: prefix and following word of each side."""


def _prefixes(row: Mapping[str, Any], good: str, bad: str) -> dict[str, str]:
    out: dict[str, str] = {}
    for method, sides in _PREFIXES.items():
        for (side, (prefix, word)), text in zip(sides.items(), (good, bad), strict=True):
            names = f"{method}_{prefix}", f"{method}_{word}"
            if row[names[0]] is None or row[names[1]] is None:
                continue
            cut = _cut(row[f"sentence_{side}"], row[names[0]], row[names[1]], text)
            for name, value in zip(names, cut, strict=True):
                if out.setdefault(name, value) != value:
                    message = f"becomes {out[name]!r} and, in {text!r}, {value!r}: reword the pair"
                    raise fail(f"{row[name]!r} {message}")
    return out


def _cut(sentence: str, prefix: str, word: str, converted: str) -> tuple[str, str]:
    start = sentence.index(word, len(prefix))
    return converted[: len(prefix)], converted[start : start + len(word)]


def _slot(slot: Mapping[str, Any], good: str, convert: Convert) -> dict[str, Any]:
    start, end = slot["good_start"], slot["good_end"]
    form = slot["form"]
    shown = good[start:end] if start is not None else form and convert(form)
    return {**slot, "lemma": slot["lemma"] and convert(slot["lemma"]), "form": shown}
