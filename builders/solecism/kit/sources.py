"""Sources of forms, each read by an adapter of its own into one shape.

There is no inflector here, and no rule of any language. A program that inflects (verbecc,
morfeusz2, pymorphy3, lt-proc) runs in an environment of its own and writes a file of forms.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TypeVar

from solecism.errors import fail
from solecism.language_tags import iso_of
from solecism.lexicon.features import Feats
from solecism.lexicon.table import read_tsv
from solecism.treebank.conllu import files_of
from solecism.treebank.forms import attested_words
from solecism.works.unimorph import Attested, read_unimorph

_RARE = 0.1
"""What has less than this share of the most frequent value of its kind is left out."""
_Value = TypeVar("_Value", bound=Hashable)


Source = Mapping[str, list[Attested]]
"""The forms of one source by lemma."""


def read_forms(path: Path, code: str) -> Iterator[Attested]:
    """Yield the forms of a file: columns lemma, form, FEATS, and perhaps one that says ``guessed``.

    A form is guessed if its program does not know the word. Raises :class:`InputError` for FEATS
    that are not UD's.
    """
    _, *rows = read_tsv(path, ["lemma", "form", "FEATS"])
    for number, (lemma, form, feats, *guessed) in rows:
        try:
            yield Attested(form, lemma, "", Feats.parse(feats), int(not any(guessed)))
        except ValueError as error:
            raise fail(f"{form!r}: {error}", path, number) from None


ADAPTERS: Mapping[str, Callable[[Path, str], Iterator[Attested]]] = {
    "treebank": lambda path, _: chain.from_iterable(map(attested_words, files_of([path]))),
    "unimorph": lambda path, code: read_unimorph(path, iso_of(code) or code, lenient=True),
    "forms": read_forms,
}
"""The adapters by the option that names a file for them."""


def read_sources(places: Mapping[str, Path | None], code: str) -> dict[str, Source]:
    """Return the forms of each file by adapter.

    A file of forms is called by its own name, which says what program wrote it.
    """
    sources: dict[str, Source] = {}
    for kind, path in places.items():
        if path:
            found = defaultdict[str, list[Attested]](list)
            for form in ADAPTERS[kind](path, code):
                found[form.lemma].append(form)
            if not found:
                raise fail(f"there are no forms in it that --{kind} can read", path)
            sources[path.stem if kind == "forms" else kind] = found
    return sources


def usual(found: Iterable[tuple[_Value, int]]) -> list[_Value]:
    """Return the values that are not rare beside the most frequent one, which comes first."""
    counts: Counter[_Value] = Counter()
    for value, count in found:
        counts[value] += count
    least = _RARE * max(counts.values(), default=0)
    return [value for value, count in counts.most_common() if count >= least]
