"""List the words that the spelling of a language joins and that are words as a whole, too.

    python scripts/count_homographs.py blimp-he he /usr/share/hunspell/he_IL.dic

The first argument is a built folder. In Hebrew *ה* and *גינות* "gardens" make *הגינות*, which is
also "decency": such a word can save a bad sentence. A joined word is one of a sentence that is none
of its tokens, so the program knows no prefixes. It is looked up among the forms and lemmas of the
lexicon, and in files with words: the first two words of a line count (UniMorph: lemma and form;
Hunspell: the word before its flags). Columns: the word, how often, where, and what it is. Whether
that reading is of another gender, number or part of speech, and saves the sentence, is for a reader
to say.
"""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow.parquet as pq

from solecism.inputs import read_lines
from solecism.lexicon.lexicon import Lexicon

LEXICONS = Path(__file__).resolve().parents[1] / "lexicons"
WORD = re.compile(r"[\w'-]+")


def known_words(language: str, files: tuple[str, ...]) -> dict[str, set[str]]:
    """Return what each word of the lexicon and of the files is."""
    known: dict[str, set[str]] = defaultdict(set)
    lexicon = Lexicon(LEXICONS / language)
    for row in (row for name in lexicon.names for row in lexicon.table(name).rows):
        for form in (row.shown, *row.forms.values()):
            known[form].add(f"{row.upos} {row.lemma}")
    for line in (line for file in files for line in read_lines(Path(file))):
        for word in re.split(r"[\s/]+", line)[:2]:
            known[word].add(line)
    return known


def main(folder: str, language: str, *files: str) -> None:
    """Print a line for each word."""
    known, where = known_words(language, files), defaultdict[str, Counter[str]](Counter)
    for item in pq.read_table(next(Path(folder).glob("all/*.parquet"))).to_pylist():
        for side in ("good", "bad"):
            words, tokens = (WORD.findall(item[f"{x}_{side}"]) for x in ("sentence", "tokens"))
            for word in {*words}.difference(tokens) & known.keys():
                where[word][item["UID"]] += 1
    for word, counts in sorted(where.items()):
        print(word, counts.total(), ",".join(counts), *sorted(known[word])[:3], sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
