"""A suite in SyntaxGym's JSON."""

from typing import Any

AGREEMENT: dict[str, Any] = {
    "meta": {"name": "number", "metric": "sum"},
    "region_meta": {"1": "subject", "2": "verb", "3": "rest"},
    "predictions": [{"type": "formula", "formula": "(2;%mismatch%) > (2;%match%)"}],
    "items": [
        {
            "item_number": 7,
            "conditions": [
                {
                    "condition_name": name,
                    "regions": [
                        {"region_number": 2, "content": verb},
                        {"region_number": 1, "content": "The old woman"},
                        {"region_number": 3, "content": rest},
                    ],
                }
                for name, verb, rest in [("match", "sings", "in here."), ("mismatch", "sing", "")]
            ],
        }
    ],
}

TABLES = {
    "item": """
        lemma  UPOS  Verb  Good  Bad  Noun
        i2     X     听到  首    张   歌曲
        i1     X     养    只    条   白猫
    """,
    "orthography": """
        rule   left  right  result
        space  -     -      no
    """,
}
"""Lexicon tables of a suite of Mandarin classifiers, whose texts have no spaces."""

LINES = """
good: 他 [verb: {{ row.Verb }}] 了 一 {{ row.Good }} [noun: {{ row.Noun }} 。]
bad: 他 [verb: {{ row.Verb }}] 了 一 {{ row.Bad }} [noun: {{ row.Noun }} 。]
"""
