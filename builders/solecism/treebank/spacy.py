"""Raw text to CoNLL-U, parsed with a spaCy pipeline that the user has; trees are made UD's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import spacy
from conllu.models import Metadata, TokenList
from conllu.models import Token as Line
from spacy.language import Language
from spacy.tokens import Doc, Token

from solecism.errors import fail
from solecism.files import writing
from solecism.treebank.conllu import files_of
from solecism.treebank.unimorph import numbered_lines

__all__ = [
    "as_given", "conllu_of", "from_clear", "is_blank", "load_pipeline", "paragraphs", "parse_file",
    "parse_texts", "texts_of",
]  # fmt: skip

_RELATIONS = """
acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse
dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct
reparandum root vocative xcomp"""
"""Source: https://universaldependencies.org/u/dep/."""

_LONGEST = 100_000
_BLANKS = re.compile(r"[ \t\n\v\f\r]+")
_NEEDED = {"POS": "parts of speech", "MORPH": "features", "LEMMA": "lemmas"}


def texts_of(paths: Sequence[Path]) -> list[Path]:
    """Return the text files among ``paths`` and, as ``*.txt``, below them; see :func:`files_of`.

    Also raises :class:`InputError` for CoNLL-U.
    """
    if parsed := [path for path in paths if path.suffix == ".conllu" and path.exists()]:
        raise fail("is parsed already: mine it without a spaCy pipeline", parsed[0])
    return files_of(paths, ".txt")


def load_pipeline(name: str) -> Language:
    """Load an installed pipeline or a folder; raises :class:`InputError` if there is none."""
    try:
        return spacy.load(name)
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise fail(f"the spaCy pipeline {name!r} cannot be loaded: {reason}") from None


def paragraphs(path: Path) -> Iterator[str]:
    """Yield what stands between empty lines, its lines joined by blanks.

    A long one is cut at the end of a line. Raises :class:`InputError` for lines that are not UTF-8.
    """
    lines: list[str] = []
    for _, text in numbered_lines(path):
        line = _BLANKS.sub(" ", text.removeprefix("\ufeff")).strip(" ")
        if lines and (not line or sum(map(len, lines)) > _LONGEST):
            yield " ".join(lines)
            lines = []
        lines += [line] if line else []
    if lines:
        yield " ".join(lines)


def parse_file(path: Path, pipeline: Language, out: Path) -> None:
    """Write the parse of a text file (:func:`parse_texts`) to ``out``."""
    with writing(out) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(parse_texts(paragraphs(path), pipeline, path.stem))


def parse_texts(texts: Iterable[str], pipeline: Language, name: str) -> Iterator[str]:
    """Yield the sentences of texts as CoNLL-U; their ids are ``NAME-1``, ``NAME-2`` and so on.

    Raises :class:`InputError` where the pipeline lacks what the miner needs, or has relations that
    are not UD's.
    """
    number, lacking = 1, set(_NEEDED)
    read = _reader_of(pipeline)
    for doc in pipeline.pipe(_short(filter(None, texts), pipeline.max_length, name)):
        if not doc.has_annotation("DEP"):
            raise fail(f"the spaCy pipeline {_called(pipeline)} has no parser")
        lacking -= {attribute for attribute in _NEEDED if doc.has_annotation(attribute)}
        for words in _sentences(doc):
            tree = read(words)
            _require_relations(tree, pipeline)
            yield conllu_of(words, tree, sent_id=f"{name}-{number}")
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
    """Yield the words of every sentence, without the white space that spaCy made tokens of."""
    for sentence in doc.sents:
        if words := [token for token in sentence if not is_blank(token)]:
            yield words


def _require_relations(tree: Tree, pipeline: Language) -> None:
    relations = {arc.relation for arc in tree.values()}
    strange = {name for name in relations if name.partition(":")[0] not in _RELATIONS.split()}
    if strange:
        names = ", ".join(sorted(strange))
        raise fail(f"the spaCy pipeline {_called(pipeline)} has relations that UD lacks: {names}")


def _called(pipeline: Language) -> str:
    return f"{pipeline.lang}_{pipeline.meta.get('name') or 'pipeline'}"


def conllu_of(words: Sequence[Token], tree: Tree, **comments: str) -> str:
    """Return a sentence as CoNLL-U, with comments and its text, and an empty line behind it."""
    number = {-1: 0} | {token.i: at for at, token in enumerate(words, 1)}
    text = words[0].doc.text[words[0].idx : words[-1].idx + len(words[-1])]
    lines = [_line(token, number[token.i], number[tree[token.i].head], tree) for token in words]
    return TokenList(lines, Metadata(comments, text=_BLANKS.sub(" ", text))).serialize()


def _line(token: Token, number: int, head: int, tree: Tree) -> Line:
    columns = {
        "form": token.text, "lemma": token.lemma_, "upos": token.pos_, "xpos": token.tag_,
        "feats": str(token.morph), "head": str(head), "deprel": tree[token.i].relation, "deps": "",
        "misc": _misc(token),
    }  # fmt: skip
    cleaned = {name: _BLANKS.sub(" ", text).strip(" ") for name, text in columns.items()}
    return Line(id=number, **{name: text or None for name, text in cleaned.items()})


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
    """Return whether a token is white space, which is no word."""
    return token.is_space or not token.text.strip()


def _reader_of(pipeline: Language) -> Callable[[Sequence[Token]], Tree]:
    """Return the reader of a pipeline's trees; ClearNLP's have ``pobj`` among their relations."""
    clear = any("pobj" in getattr(pipe, "labels", ()) for _, pipe in pipeline.pipeline)
    return from_clear if clear else as_given


def as_given(words: Sequence[Token]) -> Tree:
    """Return a sentence's tree, without heads that are white space; ``ROOT`` becomes ``root``."""
    return {token.i: _arc(token) for token in words}


def _arc(token: Token) -> Arc:
    above = token
    while above.head.i != above.i:
        above = above.head
        if not is_blank(above):
            return Arc(above.i, token.dep_)
    return Arc(-1, "root")


def from_clear(words: Sequence[Token]) -> Tree:
    """Read a tree of ClearNLP's and make it one of UD's."""
    tree, tokens = as_given(words), {token.i: token for token in words}
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
    """Return the first conjunct, on which UD hangs all; ClearNLP hangs each on the one before."""
    head = tree[at].head
    while tree[head].relation == "conj":
        head = tree[head].head
    return head


def _child(tree: Tree, head: int, relations: Sequence[str]) -> int | None:
    """Return the first dependent with one of some relations."""
    found = (at for at, arc in tree.items() if arc.head == head and arc.relation in relations)
    return next(found, None)


def _turn_preposition(tree: Tree, tokens: dict[int, Token], word: Token) -> None:
    """Make the noun of *in the house* the head, ``nmod`` of a nominal or ``obl``."""
    noun = _child(tree, word.i, _COMPLEMENTS)
    if noun is None:
        return
    clause = tree[noun].relation == "pcomp"
    above = tree[word.i].head
    nominal = above >= 0 and tokens[above].pos_ in _NOMINAL
    relation = ("acl" if nominal else "advcl") if clause else "nmod" if nominal else "obl"
    _exchange(tree, word.i, noun, Arc(above, relation), "mark" if clause else "case")


def _turn_copula(tree: Tree, word: Token) -> None:
    """Make the adjective of *she is happy* the head, the cats of *there are cats* the subject."""
    predicate = _child(tree, word.i, _PREDICATES)
    if predicate is None:
        return
    if _child(tree, word.i, ("expl",)) is not None:
        tree[predicate] = Arc(word.i, "nsubj")
    else:
        _exchange(tree, word.i, predicate, tree[word.i], "cop")


def _exchange(tree: Tree, old: int, new: int, arc: Arc, relation: str) -> None:
    """Put ``new`` in place of its head ``old``, which then hangs on it, as its dependents do."""
    for at, (head, name) in tree.items():
        if head == old:
            tree[at] = Arc(new, name)
    tree[new], tree[old] = arc, Arc(new, relation)
