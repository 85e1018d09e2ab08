"""Count what a data set leaves out because its spelling has a second reading, per paradigm.

    python scripts/count_homographs.py blimp-he he

Columns: the words that ``not`` of its slots and the columns below keep out; the different words of
bad sentences that the good ones lack; how many of them are forms of several lemmas of the lexicon
and of UniMorph (``../shared/unimorph``, if it is there), with three of those. Whether a reading
saves the sentence is for a reader to say.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from solecism.datasets.from_templates import load_paradigms, templates_of_language
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Paradigm
from solecism.grammar.slots import fill_slot
from solecism.language_tags import iso_of
from solecism.lexicon.table import read_table
from solecism.root import Root
from solecism.treebank.unimorph import read_unimorph

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = ("Adverb", "Lasts", "Participle", "Readings")
"""Columns that say what else a form can be or say."""
SPECIAL = frozenset({"classes", "orthography", "unwanted", "words", "evidence", "exceptions"})


def left_out(paradigm: Paradigm) -> int:
    """Return the number of words that the slots of a paradigm keep out."""
    count = 0
    for slot in paradigm.template.slots:
        wants = {name: v for name, v in slot.wants.items() if name not in COLUMNS}
        if not slot.oneof and (slot.without or wants != dict(slot.wants)):
            both = (replace(slot, wants=wants, without={}), slot)
            sizes = [len(fill_slot(s, frozenset(), paradigm.phrases, "")) for s in both]
            count += sizes[0] - sizes[1]
    return count


def readings(paradigms: list[Paradigm], language: str) -> dict[str, set[str]]:
    """Return the lemmas of each form, in the lexicon and in UniMorph."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "lexicons" / language).glob("*.tsv")):
        for row in read_table(path).rows if path.stem not in SPECIAL else ():
            for form in row.forms.values() or [row.shown]:
                found[form].add(row.shown)
    listed = ROOT.parent / "shared" / "unimorph" / (iso_of(language) or language)
    for triple in read_unimorph(listed, listed.name, lenient=True) if listed.is_file() else ():
        found[triple.form].add(triple.lemma)
    return found


def main(dataset: str, language: str) -> None:
    """Print a line for each paradigm."""
    root = Root(ROOT)
    loaded = load_paradigms(root, templates_of_language(root, dataset, language))
    paradigms = sorted(loaded.values(), key=lambda paradigm: paradigm.template.id)
    lemmas = readings(paradigms, language)
    print("paradigm\tleft out\twrong words\tof several lemmas")
    for paradigm in paradigms:
        wrong: set[str] = set()
        for row in (row for table in draw_pairs(paradigm) for row in table.to_pylist()):
            wrong |= set(row["tokens_bad"].split()) - set(row["tokens_good"].split())
        several = sorted(word for word in wrong if len(lemmas.get(word, ())) > 1)
        shown = f"{len(several)} ({', '.join(several[:3])})" if several else "0"
        print(paradigm.template.id, left_out(paradigm), len(wrong), shown, sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:3])
