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
