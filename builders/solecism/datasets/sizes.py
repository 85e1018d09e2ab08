"""How large what can be built is, without building it."""

from collections.abc import Sequence
from dataclasses import dataclass

from solecism.datasets.catalogue import MINED, CatalogueEntry, catalogue_entry, mined_names
from solecism.datasets.configs import choose
from solecism.datasets.from_templates import load_paradigms, tags_of_config, templates_of_configs
from solecism.datasets.lock import locked_configs
from solecism.errors import InputError, Problem, fail
from solecism.language_tags import language_name, tags_of
from solecism.root import Root
from solecism.schema import ItemRow
from solecism.works.catalogue import find_code, origin_languages, treebanks_of
from solecism.works.sources import present


@dataclass(frozen=True)
class Size:
    """How large a config or a paradigm is.

    ``paradigms`` is the number of its paradigms; of what is mined, the number of treebanks, and
    ``here`` is how many of them are on this machine. ``items`` are its rows in the lock, if it is
    there; else it makes up to so many minimal ``sets`` (or suite items), as some may be left out
    when they are drawn. ``language_tags`` are those of its languages (``deu_Latn``). ``problems``
    say why the data set cannot be read.
    """

    name: str
    version: str
    paradigms: int | None
    sets: int | None = None
    here: int | None = None
    language_tags: tuple[str, ...] = ()
    items: int | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class MinedSize(Size):
    """A language of a mined data set; ``sentences`` and ``words`` of its treebanks, if known."""

    language: str = ""
    licences: tuple[str, ...] = ()
    sentences: int | None = None
    words: int | None = None
    treebanks: tuple[ItemRow, ...] = ()


def sizes(root: Root, names: Sequence[str] = ()) -> list[Size]:
    """Return the sizes of what names make: of configs (``clams``) or paradigms (``clams/he``).

    Without names, all data sets are there, those that cannot be read with their problems. Of one
    with a config for each paradigm only the configs of several paradigms are listed then, and a
    mined data set has one size for all its languages.
    """
    found: list[Size] = []
    for name in names or (*root.datasets, *mined_names()):
        dataset, _, config = name.strip("/").partition("/")
        if "/" in config:
            raise fail(f"{name!r}: name a data set or a config, as clams or clams/he")
        entry = catalogue_entry(root, dataset)
        try:
            measure = _mined if entry.configs == MINED else _drawn
            found += measure(root, entry, config, not names)
        except InputError as error:
            if names:
                raise
            found.append(Size(name, entry.version, None, problems=tuple(error.problems)))
    return found


def _mined(_: Root, entry: CatalogueEntry, config: str, is_all: bool) -> Sequence[Size]:
    """Return the sizes of the languages of a mined data set; if ``is_all``, one for all."""
    message = f"data set {entry.name!r} has no config {{}}"
    codes = [find_code(config, message)] if config else origin_languages()
    mined = [mined_size(entry, code) for code in codes]
    treebanks, here = sum(s.paradigms or 0 for s in mined), sum(s.here or 0 for s in mined)
    together = Size(entry.name, entry.version, treebanks, None, here, tags_of(codes))
    return [together] if is_all else mined


def _drawn(root: Root, entry: CatalogueEntry, config: str, is_all: bool) -> list[Size]:
    """Return the sizes of the configs of a data set, or of the paradigms of one of them."""
    known = templates_of_configs(root, entry)
    parts = [(name, f"{entry.name}/{name}", some) for name, some in known.items()]
    if config:
        (config,) = choose(entry.name, known, [config])
        parts = [(template.id, template.name, (template,)) for template in known[config]]
    elif is_all and entry.configs == "paradigms":
        parts = [part for part in parts if len(part[-1]) > 1]
    # In the other layout a paradigm is no config, though it may have the name of one.
    is_config = not config or entry.configs == "paradigms"
    locked = locked_configs(root, entry) if is_config else {}
    unlocked = [t for name, _, some in parts if name not in locked for t in some]
    whole = load_paradigms(root, (template for template in unlocked if not template.draw))
    counts = {t.name: t.draw or whole[t.name].plan.size() for t in unlocked}
    return [
        Size(
            shown, entry.version, len(some),
            None if name in locked else sum(counts[template.name] for template in some),
            None, tags_of_config(entry, config or name, some),
            locked[name].rows if name in locked else None,
        )
        for name, shown, some in parts
    ]  # fmt: skip


def mined_size(entry: CatalogueEntry, code: str) -> MinedSize:
    """Return what is known of a language of a mined data set before it is mined."""
    here = {found.origin.name for found in present(code)}
    works = treebanks_of(code)
    keys = ("name", "licence", "commercial", "tag", "sentences", "words")
    return MinedSize(
        f"{entry.name}/{code}", entry.version, len(works), None, len(here), tags_of([code]), None, (),
        language_name(code), tuple(sorted({work.licence for work in works})),
        sum(w.sentences or 0 for w in works) or None, sum(w.words or 0 for w in works) or None,
        tuple({**{k: getattr(w, k) for k in keys}, "here": w.name in here} for w in works),
    )  # fmt: skip
