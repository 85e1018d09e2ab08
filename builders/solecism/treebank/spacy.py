"""Raw text to CoNLL-U, parsed with a spaCy pipeline that the user has installed.

Trees with the relations of ClearNLP, as spaCy's English pipelines make them, are turned into UD's.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import spacy
from conllu import models, parser
from spacy.language import Language
from spacy.tokens import Token

from solecism.errors import fail
from solecism.inputs import read_text, read_toml
from solecism.treebank.conllu import files_of

# Source: https://universaldependencies.org/u/dep/.
_RELATIONS = """
acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse
dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct
reparandum root vocative xcomp"""

_LONGEST = 1_000_000  # letters of a paragraph: more take spaCy too much memory
_BLANKS = re.compile(r"[ \t\n\v\f\r]+")
_NEEDED = {"POS": "parts of speech", "MORPH": "features", "LEMMA": "lemmas"}


class Arc(NamedTuple):
    """What a token depends on: the place of its head in the text (-1 for a root), and how."""

    head: int
    relation: str


Tree = dict[int, Arc]  # the arc of every word of a sentence, by its place in the text


def texts_of(paths: Sequence[Path]) -> list[Path]:
    """Return the files among ``paths``, and the files ``*.txt`` in folders among them.

    Raises :class:`InputError` for files of CoNLL-U, and as :func:`files_of` does.
    """
    if parsed := [path for path in paths if path.suffix == ".conllu" and path.exists()]:
        raise fail("is parsed already: mine it without a spaCy pipeline", parsed[0])
    return files_of(paths, ".txt")


def load_pipeline(name: str) -> Language:
    """Return an installed pipeline, or that of a folder; raises :class:`InputError` if there is
    none."""
    try:
        return spacy.load(name)
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise fail(f"the spaCy pipeline {name!r} cannot be loaded: {reason}") from None


def paragraphs(path: Path) -> list[str]:
    """Return the paragraphs of a text file, each as one line; empty lines are between them.

    Raises :class:`InputError` for text that is not UTF-8 and for a paragraph that is too long.
    """
    text = read_text(path).removeprefix("\ufeff")
    found = [_BLANKS.sub(" ", part).strip(" ") for part in re.split(r"\n[ \t\r]*\n", text)]
    if longest := max((part for part in found if len(part) > _LONGEST), key=len, default=""):
        what = f"a paragraph of {len(longest):,} letters is too long to parse: put empty lines"
        raise fail(f"{what} between paragraphs ({longest[:40]!r} ...)", path)
    return list(filter(None, found))


def parse_texts(texts: Iterable[str], pipeline: Language, name: str) -> Iterator[str]:
    """Yield the sentences of texts as CoNLL-U; their ids are ``NAME-1``, ``NAME-2`` and so on.

    Raises :class:`InputError` if the pipeline lacks what the miner needs, or has relations that
    are not UD's.
    """
    number, lacking = 0, set(_NEEDED)
    called = f"the spaCy pipeline {pipeline.lang}_{pipeline.meta.get('name') or 'pipeline'}"
    clear = any("pobj" in getattr(pipe, "labels", ()) for _, pipe in pipeline.pipeline)
    for doc in pipeline.pipe(texts):
        if not doc.has_annotation("DEP"):
            raise fail(f"{called} has no parser")
        lacking -= {attribute for attribute in _NEEDED if doc.has_annotation(attribute)}
        sentences = ([token for token in some if not is_blank(token)] for some in doc.sents)
        for words in filter(None, sentences):
            tree = from_clear(words) if clear else as_given(words)
            relations = {arc.relation for arc in tree.values()}
            if strange := {r for r in relations if r.partition(":")[0] not in _RELATIONS.split()}:
                raise fail(f"{called} has relations that UD lacks: {', '.join(sorted(strange))}")
            number += 1
            yield conllu_of(words, tree, sent_id=f"{name}-{number}")
    if lacking and number:
        what = (name for attribute, name in _NEEDED.items() if attribute in lacking)
        raise fail(f"{called} gives no {' and '.join(what)}")


def conllu_of(words: Sequence[Token], tree: Tree, **comments: str) -> str:
    """Return a sentence as CoNLL-U: ``comments``, its text, its words, and an empty line."""
    doc, number = words[0].doc, {-1: 0} | {token.i: at for at, token in enumerate(words, 1)}
    said = {**comments, "text": _BLANKS.sub(" ", doc[words[0].i : words[-1].i + 1].text)}
    rows = []
    for at, token in enumerate(words, 1):
        after, arc = token.i + 1, tree[token.i]
        spaced = token.whitespace_ or after == len(doc) or is_blank(doc[after])
        told = (token.text, token.lemma_, token.pos_, token.tag_, str(token.morph))
        cells = (_BLANKS.sub(" ", cell).strip(" ") or None for cell in told)
        misc = None if spaced else {"SpaceAfter": "No"}
        row = (at, *cells, number[arc.head], arc.relation, None, misc)
        rows.append(models.Token(zip(parser.DEFAULT_FIELDS, row, strict=True)))
    return models.TokenList(rows, models.Metadata(said)).serialize()


_RENAMED = read_toml(Path(__file__).with_suffix(".toml"))
_NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "ADJ")


def is_blank(token: Token) -> bool:
    """Return whether a token is white space only."""
    return token.is_space or not token.text.strip()


def as_given(words: Sequence[Token]) -> Tree:
    """Return a sentence's tree as the pipeline made it, with ``root`` for ``ROOT``.

    A head that is white space is replaced by that one's head.
    """
    tree = {}
    for token in words:
        above = token.head
        while is_blank(above) and above.head.i != above.i:
            above = above.head
        root = token.head.i == token.i or is_blank(above)
        tree[token.i] = Arc(-1, "root") if root else Arc(above.i, token.dep_)
    return tree


def from_clear(words: Sequence[Token]) -> Tree:
    """Return the UD tree of a sentence that is parsed with the relations of ClearNLP."""
    tree, tokens = as_given(words), {token.i: token for token in words}
    for token in words:
        head = tree[token.i].head
        while tree[token.i].relation == "conj" and tree[head].relation == "conj":
            # In UD all conjuncts depend on the first, in ClearNLP each on the one before.
            head = tree[head].head
        tree[token.i] = tree[token.i]._replace(head=head)
    for token in words:
        above = tokens.get(tree[token.i].head)
        if token.dep_ in ("prep", "agent", "dative"):
            _turn_preposition(tree, token, above is not None and above.pos_ in _NOMINAL)
        elif token.lemma_ == "be" and token.pos_ in ("AUX", "VERB"):
            _turn_copula(tree, token)
    return {at: Arc(head, _RENAMED.get(name, name)) for at, (head, name) in tree.items()}


def _child(tree: Tree, head: int, *relations: str) -> int | None:
    """Return the place of the first dependent with one of the relations, None without any."""
    found = (at for at, arc in tree.items() if arc.head == head and arc.relation in relations)
    return next(found, None)


def _turn_preposition(tree: Tree, word: Token, nominal: bool) -> None:
    """Make the noun the head of *in the house*, and the preposition its dependent.

    ``nominal``: whether the phrase depends on a nominal: then the noun is ``nmod``, else ``obl``.
    """
    noun = _child(tree, word.i, "pobj", "pcomp")
    if noun is not None:
        clause = tree[noun].relation == "pcomp"
        relation = ("acl" if nominal else "advcl") if clause else "nmod" if nominal else "obl"
        _exchange(tree, word.i, noun, relation, "mark" if clause else "case")


def _turn_copula(tree: Tree, word: Token) -> None:
    """Make *happy* the head of *she is happy*, and *cats* the subject of *there are cats*."""
    predicate = _child(tree, word.i, "acomp", "attr")
    if predicate is not None and _child(tree, word.i, "expl") is not None:
        tree[predicate] = Arc(word.i, "nsubj")
    elif predicate is not None:
        _exchange(tree, word.i, predicate, tree[word.i].relation, "cop")


def _exchange(tree: Tree, old: int, new: int, relation: str, below: str) -> None:
    """Put ``new`` in the place of its head ``old``.

    ``new`` gets the head of ``old``, with ``relation``; ``old`` depends on ``new``, with ``below``.
    The other dependents of ``old`` depend on ``new``, with their relations.
    """
    tree.update({at: Arc(new, name) for at, (head, name) in tree.items() if head == old})
    tree[new], tree[old] = Arc(tree[old].head, relation), Arc(new, below)
