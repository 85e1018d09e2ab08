"""`solecism mine --pairs`: minimal pairs of one's own treebank."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from solecism.errors import InputError
from solecism.scoring.items import open_pairs
from solecism.treebank.minimal_pairs import SCHEMA
from solecism.treebank.mining import mine
from treebank import conllu

BARK = """
    Strange strange ADJ Degree=Pos 2 amod
    dogs dog NOUN Number=Plur 3 nsubj
    bark+ bark VERB Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin 0 root
    . . PUNCT _ 3 punct
"""
BARKS = """
    That that DET Number=Sing|PronType=Dem 2 det
    dog dog NOUN Number=Sing 3 nsubj
    barks+ bark VERB Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin 0 root
    . . PUNCT _ 3 punct
"""


def test_pairs_of_a_treebank_are_written_and_can_be_opened(tmp_path: Path) -> None:
    path, out = tmp_path / "en_mine.conllu", tmp_path / "pairs.parquet"
    path.write_text(conllu(BARK, BARKS), encoding="utf-8")
    mined = mine(path, language="en", pairs=out, keep=False)
    table = pq.read_table(out)
    assert table.schema.equals(SCHEMA)
    assert "Strange dogs barks." in table["sentence_bad"].to_pylist()
    assert mined.counts.pairs == len(table) == open_pairs(str(out)).rows
    with pytest.raises(InputError, match="the preset `strict`"):
        mine(path, language="en", preset="paper", pairs=out)
