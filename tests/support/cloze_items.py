"""Cloze items and the inventory of forms that belongs to them, in several scripts."""

from typing import Any

import pyarrow as pa

from solecism.schema import CLOZE

FORMS = [
    ("laughs", "VERB", "Number=Sing|Person=3", "laugh"),
    ("laugh", "VERB", "Number=Plur", "laugh"),
    ("rit", "VERB", "Number=Sing|Person=3", "rire"),
    ("rient", "VERB", "Number=Plur|Person=3", "rire"),
    ("צוחק", "VERB", "Gender=Masc|Number=Sing", "צחק"),
    ("צוחקים", "VERB", "Gender=Masc|Number=Plur", "צחק"),
    ("живёт", "VERB", "Number=Sing|Person=3", "жить"),
    ("живут", "VERB", "Number=Plur|Person=3", "жить"),
    ("today", "VERB", "", "today"),
    ("extraordinarily", "VERB", "Number=Sing", "extraordinarily"),
    ("author", "NOUN", "Number=Sing", "author"),
    ("near", "NOUN", "Number=Sing", "near"),
    ("near", "NOUN", "Number=Plur", "near"),
    ("pilots", "NOUN", "Number=Plur", "pilot"),
    ("authors", "NOUN", "Number=Plur", "author"),
]
"""``near`` stands for a word of two readings; ``today`` expresses nothing."""


def forms(*columns: str) -> pa.Table:
    names = ("form", "upos", "feats", "lemma")
    table = pa.table(dict(zip(names, zip(*FORMS, strict=True), strict=True)))
    table = table.append_column("source", pa.array(["UD"] * len(FORMS)))
    return table.select(columns) if columns else table


def cloze_item(left: str, answer: str, right: str, **changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = dict.fromkeys(CLOZE.names)
    made |= {
        "id": f"{left}|{answer}", "language": "xx", "left": left, "right": right, "answer": answer,
        "text": left + answer + right, "lemma": "laugh", "upos": "VERB", "relation": "verb",
        "masked": "target", "agrees_in": ["Number"], "distance": 1, "distractors": 0,
        "controller": {"form": "author", "lemma": "author", "feats": "Number=Sing|Person=3", "index": 1},
        "target": {"form": answer, "lemma": "laugh", "feats": "Number=Sing", "index": 2},
    }  # fmt: skip
    return made | changes


HEBREW = {"form": "הסופרים", "lemma": "סופר", "feats": "Gender=Masc|Number=Plur", "index": 0}
ITEMS = [
    cloze_item("The author ", "laughs", "."),
    cloze_item("The author", "laughs", " today.", text="The author laughs today."),
    cloze_item("", "הסופרים", " צוחקים היום.", masked="controller", upos="NOUN"),
    cloze_item("הסופרים ", "צוחקים", " היום.", controller=HEBREW),
    cloze_item("Автор ", "живёт", " в городе."),
    cloze_item("The ", "authors", " laugh.", masked="controller", upos="NOUN",
         target={"form": "laugh", "lemma": "laugh", "feats": "Number=Plur", "index": 2}),
]  # fmt: skip
