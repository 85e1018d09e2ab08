"""Copy a template into another folder of its language, with all that it takes over."""

import json
import re
from collections.abc import Collection
from pathlib import Path

from jinja2 import nodes

from solecism.grammar.front_matter import Entry, read_front_matter
from solecism.grammar.inherit import DEFAULTS, read_yaml
from solecism.grammar.phrases import Phrases
from solecism.grammar.template import Template
from solecism.grammar.uses import merge_uses
from solecism.inputs import read_source
from solecism.lexicon.lexicon import Lexicon

_KEY = r"(?m)^{}:.*\n(?:[ \t-].*\n)*"
"""A key of front matter with its value, in whole lines."""


def copied(source: Path, uid: str) -> str:
    """Return the text of a template with another id, and with the defaults of its folders.

    Each key from there has a comment. Features that are the same in all sentences are left out, as
    the sentences of the copy will be others.
    """
    front, _, lines = read_source(source).removeprefix("---\n").partition("\n---\n")
    own = read_front_matter(front).fields
    files = [p for p in (source.parents[1] / DEFAULTS, source.with_name(DEFAULTS)) if p.is_file()]
    defaults = "".join(f"{read_source(path)}\n" for path in files)
    below = {k: e for p in files for k, e in read_yaml(p).fields.items()}
    mark = f"# from {source.parents[1].name}/{DEFAULTS}"
    front = re.sub(_KEY.format("id"), f"id: {uid}\n", f"{front}\n")
    for key in [key for key in below if key not in {*own, "features"}]:
        front += "".join(f"{mark}\n{found}" for found in re.findall(_KEY.format(key), defaults))
    mine, more = (fields.get("features", Entry()).fields for fields in (own, below))
    slots = own.get("slots", Entry()).fields
    kept = {n: entry for n, entry in {**more, **mine}.items() if not is_constant(entry, slots)}
    if kept.keys() != mine.keys():
        front = re.sub(_KEY.format("features"), "", front) + ("features:\n" if kept else "")
        for name, entry in kept.items():
            value = json.dumps(entry.text, ensure_ascii=False)
            front += f"  {name}: {value}{'' if name in mine else f'  {mark}'}\n"
    for name in [name for name in {**more, **mine} if name not in kept]:
        front += f"# Left out: {name}. Say of your sentences: `features: {{{name}: ...}}`.\n"
    return f"---\n{front}---\n{lines}"


def is_constant(feature: Entry, slots: Collection[str]) -> bool:
    """Return whether a feature is neither computed nor asks for a word of one of the slots."""
    text = feature.text or ""
    return not text.startswith("$") and not {*slots} & {*re.findall(r"\w+", text)}


def lacking(template: Template, phrases: Phrases, lexicon: Lexicon, macros: str) -> list[str]:
    """Return what a template asks of its language that another has not: columns and macros.

    ``lexicon`` and ``macros`` (their text) are those of the other language.
    """
    sources = [*template.line_expressions, *template.tests]
    uses, missing = merge_uses(map(phrases.uses, sources)), list[str]()
    for slot in template.slots:
        asked = {*slot.wants, *slot.without, *uses.get(slot.name, ())}
        for name in slot.tables:
            if name not in lexicon.names:
                missing.append(f"table {name}")
                continue
            ours, theirs = phrases.lexicon.table(name), lexicon.table(name)
            known = {*theirs.columns, *theirs.feature_names}
            columns = asked & {*ours.columns, *ours.feature_names} - known
            missing += [f"column {column} of {name}" for column in sorted(columns)]
    calls = nodes.Output([phrases.tree(source) for source in sources]).find_all(nodes.Call)
    names = {call.node.name for call in calls if isinstance(call.node, nodes.Name)} - {"word"}
    missing += [f"macro {name}" for name in sorted(names) if f"macro {name}(" not in macros]
    return list(dict.fromkeys(missing))
