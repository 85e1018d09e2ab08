"""What the Tab key offers for the names of data sets, configs and paradigms.

Names are paths: ``clams/he/subj_rel``. If only one name fits what was typed, the names below it are
offered, so that every press of the key goes one level down. The modules that know the names are
imported when the key is pressed, as otherwise every verb would start later.
"""

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import click

from solecism.errors import InputError
from solecism.root import Root, find_root

_Below = Callable[[Root, str], Iterable[str]]
"""A function that returns the names below a name; below the empty name are the data sets."""


def complete_configs(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Return data sets, or configs if a data set was typed: the arguments of ``solecism build``."""
    dataset = ctx.params.get("dataset") if parameter.name == "configs" else ""
    return [name for name in _names(ctx, dataset or "", _configs) if name.startswith(typed)]


def _offered(below: _Below, ctx: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Return the names that begin as typed; if there is only one, those below it instead."""
    parent = ""
    while True:
        names = [f"{parent}{name}" for name in _names(ctx, parent.rstrip("/"), below)]
        inside = [name for name in names if typed.startswith(f"{name}/")]
        fitting = inside or [name for name in names if name.startswith(typed)]
        if len(fitting) != 1 or not _names(ctx, fitting[0], below):
            return [] if inside else fitting
        parent = f"{fitting[0]}/"


def _names(ctx: click.Context, parent: str, below: _Below) -> list[str]:
    """Return the names below a name, or none if a file is broken: completion shows no errors."""
    given = ctx.params.get("root")
    try:
        return list(below(given if isinstance(given, Root) else find_root(), parent))
    except (InputError, OSError):
        return []


def _configs(root: Root, name: str) -> Iterable[str]:
    """Return the data sets, or the configs of a data set; there are no names below a config."""
    from solecism.datasets.catalogue import MINED, catalogue_entry, mined_names
    from solecism.datasets.from_templates import templates_of_configs
    from solecism.works.catalogue import origin_languages

    if not name:
        return sorted({*root.datasets, *mined_names()})
    if "/" in name:
        return []
    entry = catalogue_entry(root, name)
    return origin_languages() if entry.configs == MINED else templates_of_configs(root, entry)


def _shown(root: Root, name: str) -> Iterable[str]:
    """Return the data sets, the languages of one, or the paradigms of a language."""
    from solecism.datasets.from_templates import templates_of_language
    from solecism.works.catalogue import origin_languages

    dataset, _, language = name.partition("/")
    if "/" in language:
        return []
    if language:
        return [template.id for template in templates_of_language(root, dataset, language)]
    if not dataset or dataset in root.datasets:
        return root.configs(dataset) if dataset else _configs(root, "")
    kinds = ("", "-forms", "-pairs", "-pairs-wide")
    return [f"{code}{kind}" for code in origin_languages() for kind in kinds]


def _built(_: Root, name: str) -> Iterable[str]:
    """Return the data sets that are built here, or the configs of one."""
    from solecism.datasets.manifest import MANIFEST, read_manifest

    folder = Path(os.environ.get("SOLECISM_DATA", "."))
    if name:
        return [] if "/" in name else read_manifest(folder / name).configs
    return sorted(path.parent.name for path in folder.glob(f"*/{MANIFEST}"))


complete_names = partial(_offered, _configs)
"""Offers data sets and configs: the arguments of ``solecism list``."""
complete_paradigms = partial(_offered, _shown)
"""Offers paradigms, and configs that are mined: the argument of ``solecism show``."""
complete_built = partial(_offered, _built)
"""Offers what is built here or in ``$SOLECISM_DATA``: the arguments of ``solecism score``."""
