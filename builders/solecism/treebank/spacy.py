"""Raw text to CoNLL-U, parsed with a spaCy pipeline that the user has; trees are made UD's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Token

from solecism.errors import fail
from solecism.files import writing

__all__ = [
    "Arc",
    "Tree",
    "conllu_of",
    "is_blank",
    "load_pipeline",
    "paragraphs",
    "parse_file",
    "parse_texts",
    "reader_of",
    "texts_of",
]


_RELATIONS = """
acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated
expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root
vocative xcomp"""
"""Source: https://universaldependencies.org/u/dep/."""

_LONGEST = 100_000
_BLANKS = re.compile(r"[ \t\n\v\f\r]+")
_NEEDED = {"POS": "parts of speech", "MORPH": "features", "LEMMA": "lemmas"}


def texts_of(paths: Sequence[Path]) -> list[Path]:
    """Give the text files among and below ``paths``, those of a folder (``*.txt``) in the order of their names.

    Raises :class:`InputError` for a path that is not there, a folder without such files, and CoNLL-U.
    """
    return [file for path in paths for file in _texts(path)]


def _texts(path: Path) -> list[Path]:
    if not path.exists():
        raise fail("there is no such file or folder", path)
    if path.suffix == ".conllu":
        raise fail("is parsed already: mine it without a spaCy pipeline", path)
    found = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
    if not found:
        raise fail("holds no .txt files", path)
    return found


def load_pipeline(name: str) -> Language:
    """Load an installed pipeline, or one in a folder; raises :class:`InputError` where there is none."""
    try:
        return spacy.load(name)
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise fail(f"the spaCy pipeline {name!r} cannot be loaded: {reason}") from None


def paragraphs(path: Path) -> Iterator[str]:
    """Yield what stands between empty lines, its lines joined by blanks; long ones are cut at a line's end.

    Raises :class:`InputError` for lines that are not UTF-8.
    """
    lines: list[str] = []
    for line in _lines(path):
        if lines and (not line or sum(map(len, lines)) > _LONGEST):
            yield " ".join(lines)
            lines = []
        lines += [line] if line else []
    if lines:
        yield " ".join(lines)


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise fail("not UTF-8", path, number) from None
            yield _BLANKS.sub(" ", line).strip(" ")


def parse_file(path: Path, pipeline: Language, out: Path) -> None:
    """Write the parse of a text file to ``out``, which appears when it is whole (:func:`parse_texts`)."""
    with writing(out) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(parse_texts(paragraphs(path), pipeline, path.stem))


def parse_texts(texts: Iterable[str], pipeline: Language, name: str) -> Iterator[str]:
    """Yield texts as CoNLL-U; sentences are called ``NAME-1``, ``NAME-2`` and so on.

    Raises :class:`InputError` where the pipeline lacks what the miner needs, or has relations that are
    not UD's.
    """
    number, lacking = 1, set(_NEEDED)
    read = reader_of(pipeline)
    for doc in pipeline.pipe(_short(filter(None, texts), pipeline.max_length, name)):
        if not doc.has_annotation("DEP"):
            raise fail(f"the spaCy pipeline {_called(pipeline)} has no parser")
        lacking -= {attribute for attribute in _NEEDED if doc.has_annotation(attribute)}
        for words in _sentences(doc):
            tree = read(words)
            _require_relations(tree, pipeline)
            yield f"# sent_id = {name}-{number}\n{conllu_of(words, tree)}"
            number += 1
    if lacking and number > 1:
        what = " and ".join(_NEEDED[attribute] for attribute in _NEEDED if attribute in lacking)
        raise fail(f"the spaCy pipeline {_called(pipeline)} gives no {what}")


def _short(texts: Iterable[str], longest: int, name: str) -> Iterator[str]:
    for text in texts:
        if len(text) > longest:
            raise fail(
                f"a line of {len(text):,} letters is too long to parse: {text[:40]!r} ...", name
            )
        yield text


def _sentences(doc: Doc) -> Iterator[list[Token]]:
    """The words of every sentence; white space that spaCy made tokens of is left out."""
    words = ([token for token in sentence if not is_blank(token)] for sentence in doc.sents)
    return filter(None, words)


def _require_relations(tree: Tree, pipeline: Language) -> None:
    names = {arc.relation for arc in tree.values()}
    strange = {name for name in names if name.partition(":")[0] not in _RELATIONS.split()}
    if strange:
        told = ", ".join(sorted(strange))
        raise fail(f"the spaCy pipeline {_called(pipeline)} has relations that UD lacks: {told}")


def _called(pipeline: Language) -> str:
    return f"{pipeline.lang}_{pipeline.meta.get('name') or 'pipeline'}"


def conllu_of(words: Sequence[Token], tree: Tree) -> str:
    """Give the text and the words of a sentence in CoNLL-U, with an empty line behind them."""
    number = {-1: 0} | {token.i: at for at, token in enumerate(words, 1)}
    text = words[0].doc.text[words[0].idx : words[-1].idx + len(words[-1])]
    rows = "".join(f"{_row(token, tree[token.i], number)}\n" for token in words)
    return f"# text = {_BLANKS.sub(' ', text)}\n{rows}\n"


def _row(token: Token, arc: Arc, number: Mapping[int, int]) -> str:
    """A line of ten columns."""
    columns = (
        number[token.i], token.text, token.lemma_, token.pos_, token.tag_, token.morph,
        number[arc.head], arc.relation, "", _misc(token),
    )  # fmt: skip
    return "\t".join(_BLANKS.sub(" ", str(column)).strip(" ") or "_" for column in columns)


def _misc(token: Token) -> str:
    doc, after = token.doc, token.i + 1
    spaced = token.whitespace_ or (after < len(doc) and is_blank(doc[after]))
    return "" if spaced or after == len(doc) else "SpaceAfter=No"


class Arc(NamedTuple):
    """What a token depends on: the place of its head in the text, -1 for a root."""

    head: int
    relation: str


Tree = dict[int, Arc]
"""The arc of every word of a sentence, by its place in the text."""

_RENAMED = {
    "nsubjpass": "nsubj:pass", "csubjpass": "csubj:pass", "auxpass": "aux:pass", "dobj": "obj",
    "dative": "iobj", "relcl": "acl:relcl", "predet": "det:predet", "preconj": "cc:preconj",
    "poss": "nmod:poss", "neg": "advmod", "npadvmod": "obl", "npmod": "obl", "quantmod": "advmod",
    "prt": "compound:prt", "intj": "discourse", "meta": "dep", "acomp": "xcomp", "attr": "xcomp",
    "oprd": "xcomp", "prep": "advmod", "agent": "advmod", "pobj": "obl", "pcomp": "advcl",
}  # fmt: skip
_COMPLEMENTS = ("pobj", "pcomp")
_PREDICATES = ("acomp", "attr")
_NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "ADJ")


def is_blank(token: Token) -> bool:
    """Tell whether a token is white space, which is no word."""
    return token.is_space or not token.text.strip()


def reader_of(pipeline: Language) -> Callable[[Sequence[Token]], Tree]:
    """Tell how to read the trees of a pipeline: ClearNLP's are known by ``pobj`` among its relations."""
    clear = any("pobj" in getattr(pipe, "labels", ()) for _, pipe in pipeline.pipeline)
    return from_clear if clear else as_told


def as_told(words: Sequence[Token]) -> Tree:
    """Read a sentence; heads that are white space are passed over, and spaCy's ``ROOT`` is ``root``."""
    return {token.i: _arc(token) for token in words}


def _arc(token: Token) -> Arc:
    above = token
    while above.head.i != above.i:
        above = above.head
        if not is_blank(above):
            return Arc(above.i, token.dep_)
    return Arc(-1, "root")


def from_clear(words: Sequence[Token]) -> Tree:
    """Read a sentence of ClearNLP's and make it one of UD's."""
    tree, tokens = as_told(words), {token.i: token for token in words}
    for token in words:
        if tree[token.i].relation == "conj":
            tree[token.i] = Arc(_first_conjunct(tree, token.i), "conj")
    for token in words:
        if token.dep_ in ("prep", "agent", "dative"):
            _turn_preposition(tree, tokens, token)
        elif token.lemma_ == "be" and token.pos_ in ("AUX", "VERB"):
            _turn_copula(tree, token)
    return {at: Arc(head, _RENAMED.get(name, name)) for at, (head, name) in tree.items()}


def _first_conjunct(tree: Tree, at: int) -> int:
    """ClearNLP hangs each conjunct on the one before, UD all on the first."""
    head = tree[at].head
    while tree[head].relation == "conj":
        head = tree[head].head
    return head


def _child(tree: Tree, head: int, relations: Sequence[str]) -> int | None:
    """The first dependent with one of some relations."""
    found = (at for at, arc in tree.items() if arc.head == head and arc.relation in relations)
    return next(found, None)


def _turn_preposition(tree: Tree, tokens: dict[int, Token], word: Token) -> None:
    """*in the house*: the noun becomes the head, ``nmod`` of a nominal or ``obl``."""
    noun = _child(tree, word.i, _COMPLEMENTS)
    if noun is None:
        return
    clause = tree[noun].relation == "pcomp"
    above = tree[word.i].head
    nominal = above >= 0 and tokens[above].pos_ in _NOMINAL
    relation = ("acl" if nominal else "advcl") if clause else "nmod" if nominal else "obl"
    _exchange(tree, word.i, noun, Arc(above, relation), "mark" if clause else "case")


def _turn_copula(tree: Tree, word: Token) -> None:
    """*she is happy*: the adjective becomes the head; in *there are cats* the cats are the subject."""
    predicate = _child(tree, word.i, _PREDICATES)
    if predicate is None:
        return
    if _child(tree, word.i, ("expl",)) is not None:
        tree[predicate] = Arc(word.i, "nsubj")
    else:
        _exchange(tree, word.i, predicate, tree[word.i], "cop")


def _exchange(tree: Tree, old: int, new: int, arc: Arc, relation: str) -> None:
    """Put ``new`` in the place of its head ``old``, which hangs on it then; so do all its dependents."""
    for at, (head, name) in tree.items():
        if head == old:
            tree[at] = Arc(new, name)
    tree[new], tree[old] = arc, Arc(new, relation)
