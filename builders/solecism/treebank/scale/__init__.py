"""Mining on many machines: a datatrove pipeline that gives the bytes of one process (extra ``scale``)."""

from solecism.treebank.scale.job import Job, run
from solecism.treebank.scale.shards import Shard
from solecism.treebank.scale.steps import (
    ConlluReader,
    ConlluWriter,
    ItemsJoiner,
    ItemsWriter,
    Miner,
    SpacyParser,
    TextReader,
    WordCounter,
    WordsJoiner,
    WordsWriter,
)

__all__ = [
    "ConlluReader",
    "ConlluWriter",
    "ItemsJoiner",
    "ItemsWriter",
    "Job",
    "Miner",
    "Shard",
    "SpacyParser",
    "TextReader",
    "WordCounter",
    "WordsJoiner",
    "WordsWriter",
    "run",
]
