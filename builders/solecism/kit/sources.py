"""Sources of forms, each read by an adapter of its own into one shape.

There is no inflector here, and no rule of any language. A program that inflects (verbecc,
morfeusz2, pymorphy3, lt-proc) runs in an environment of its own and writes a file of forms.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from solecism.errors import fail
from solecism.language_tags import iso_of
from solecism.lexicon.features import Feats
from solecism.lexicon.table import read_tsv
from solecism.treebank.conllu import files_of, read_tokens
from solecism.treebank.forms import counted_words, in_order
from solecism.treebank.unimorph import read_unimorph

_RARE = 0.1
"""What has less than this share of the most frequent value of its kind is left out."""
_Value = TypeVar("_Value", bound=Hashable)


class FoundForm(NamedTuple):
    """A form that a source has; ``upos`` is empty where the source does not say it.

    ``seen``: how often a treebank has it, else 1; 0 for a form that a program guessed.
    """

    lemma: str
    upos: str
    form: str
    feats: Feats
    seen: int = 1


Source = Mapping[str, list[FoundForm]]
"""The forms of one source by lemma."""


def read_treebank(path: Path, code: str) -> Iterator[FoundForm]:
    """Yield the words of CoNLL-U files with their counts, but misspelt, foreign and short ones.

    Capitals that the lemma has not are those of a place in the sentence.
    """
    for file in files_of([path]):
        for tokens in read_tokens(file):
            for word, seen in counted_words(tokens):
                form = word.form if word.lemma[:1].isupper() else word.form.lower()
                feats = Feats.parse(in_order(word.feats))
                yield FoundForm(word.lemma, word.upos, form, feats, seen)


def read_list(path: Path, code: str) -> Iterator[FoundForm]:
    """Yield the triples of a UniMorph file."""
    for triple in read_unimorph(path, iso_of(code) or code, lenient=True):
        yield FoundForm(triple.lemma, triple.upos, triple.form, triple.feats)


def read_forms(path: Path, code: str) -> Iterator[FoundForm]:
    """Yield the forms of a file: columns lemma, form, FEATS, and perhaps one that says ``guessed``.

    A form is guessed if its program does not know the word. Raises :class:`InputError` for FEATS
    that are not UD's.
    """
    _, *rows = read_tsv(path, ["lemma", "form", "FEATS"])
    for number, (lemma, form, feats, *guessed) in rows:
        try:
            yield FoundForm(lemma, "", form, Feats.parse(feats), int(not any(guessed)))
        except ValueError as error:
            raise fail(f"{form!r}: {error}", path, number) from None


ADAPTERS: Mapping[str, Callable[[Path, str], Iterator[FoundForm]]] = {
    "treebank": read_treebank,
    "unimorph": read_list,
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
            found = defaultdict[str, list[FoundForm]](list)
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
