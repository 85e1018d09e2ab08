"""A small French pipeline, trained here on a few sentences of our own, which it learns by heart."""

from functools import cache
from pathlib import Path
from typing import Any

_WORDS = {
    "le": ("le", "DET", "Definite=Def|Gender=Masc|Number=Sing|PronType=Art"),
    "la": ("le", "DET", "Definite=Def|Gender=Fem|Number=Sing|PronType=Art"),
    "les": ("le", "DET", "Definite=Def|Number=Plur|PronType=Art"),
    "chat": ("chat", "NOUN", "Gender=Masc|Number=Sing"),
    "chats": ("chat", "NOUN", "Gender=Masc|Number=Plur"),
    "fille": ("fille", "NOUN", "Gender=Fem|Number=Sing"),
    "filles": ("fille", "NOUN", "Gender=Fem|Number=Plur"),
    "dort": ("dormir", "VERB", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
    "dorment": ("dormir", "VERB", "Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin"),
    ".": (".", "PUNCT", ""),
}
_TOK2VEC = {
    "@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": None, "width": 32, "depth": 1,
    "embed_size": 200, "window_size": 1, "maxout_pieces": 2, "subword_features": True,
}  # fmt: skip
_TREE = ((1, "det"), (2, "nsubj"), (2, "ROOT"), (2, "punct"))
TEXTS = ("la fille dort.", "les filles dorment.", "le chat dort.", "les chats dorment.")


def gold(pipeline: Any, text: str) -> Any:
    """A text with its annotation: determiner, noun, verb, full stop."""
    from spacy.tokens import Doc

    words = [*text[:-1].split(), "."]
    told = [_WORDS[word] for word in words]
    return Doc(
        pipeline.vocab,
        words=words,
        spaces=[word not in ("dort", "dorment", ".") for word in words],
        lemmas=[lemma for lemma, _, _ in told],
        pos=[pos for _, pos, _ in told],
        morphs=[morph for _, _, morph in told],
        heads=[head for head, _ in _TREE],
        deps=[dep for _, dep in _TREE],
    )


@cache
def trained() -> Any:
    """The pipeline, trained; the same each time."""
    import spacy
    from spacy.training import Example
    from spacy.util import fix_random_seed

    fix_random_seed(1)
    pipeline = spacy.blank("fr")
    pipeline.meta["name"] = "small"
    small = {"model": {"tok2vec": _TOK2VEC}}
    pipeline.add_pipe("morphologizer", config=small)
    pipeline.add_pipe("trainable_lemmatizer", config={**small, "min_tree_freq": 1})
    pipeline.add_pipe("parser", config={**small, "min_action_freq": 1})
    examples = [Example(pipeline.make_doc(text), gold(pipeline, text)) for text in TEXTS]
    optimizer = pipeline.initialize(lambda: examples)
    for _ in range(40):
        pipeline.update(examples, sgd=optimizer)
    return pipeline


def saved(folder: Path) -> Path:
    """The pipeline in a folder."""
    trained().to_disk(folder)
    return folder
