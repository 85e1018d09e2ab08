"""Write pairs and suites as examples in Cross-Linguistic Data Formats (CLDF, Forkel et al. 2018).

https://github.com/cldf/cldf describes the format: a folder of CSV files with metadata as JSON.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from solecism.datasets.glosses import find_glosses, glossed_sentences, language_of
from solecism.errors import fail
from solecism.language_tags import iso_of, language_name
from solecism.root import Root
from solecism.schema import ItemRow, kind_of_items

_COLUMNS = (
    {"name": "Grammaticality", "datatype": {"base": "string", "format": "good|bad"}},
    *({"name": name, "datatype": "string"} for name in ("Item_ID", "Paradigm", "Condition")),
)
"""The columns of the table of examples that CLDF does not name."""


def write_cldf(items: pa.Table, root: Root, folder: Path, title: str) -> None:
    """Write a data set of examples, two of each pair, one of each condition of a suite item.

    Words are as :func:`~solecism.datasets.glosses.interlinear` has them. A bad sentence has a star
    before it. ``root`` has the templates that made the items. Raises :class:`InputError` for items
    of other kinds, and for items that no template makes.
    """
    from pycldf import Generic

    kind = kind_of_items(items.column_names) or "form"
    if kind not in ("pair", "suite"):
        raise fail(f"{title}: {kind} items have no glosses of all words; pairs and suites do")
    rows = items.to_pylist()
    glosses = find_glosses(root, rows)
    if bare := [row["id"] for row in rows if row["id"] not in glosses]:
        message = f"no template in {root.path} makes {len(bare)} of its {len(rows)} items"
        raise fail(f"{title}: {message} (the first: id {bare[0]}), so they have no glosses")
    data = Generic.in_dir(folder)
    data.properties.update({"dc:title": title, "rdf:ID": re.sub(r"\W+", "-", title)})
    data.add_component("LanguageTable")
    data.add_component("ExampleTable", *_COLUMNS)
    codes = dict.fromkeys(language_of(row) for row in rows)
    languages = [
        {"ID": code, "Name": language_name(code), "ISO639P3code": iso_of(code)} for code in codes
    ]
    data.write(LanguageTable=languages, ExampleTable=_examples(rows, glosses))


def _examples(
    items: Sequence[ItemRow], glosses: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, object]]:
    """Yield the rows of the table of examples."""
    for item in items:
        for number, (name, text, words) in enumerate(glossed_sentences(item, glosses[item["id"]])):
            is_pair = "conditions" not in item
            yield {
                "ID": f"{item['id']}-{number}",
                "Language_ID": language_of(item),
                "Primary_Text": f"*{text}" if is_pair and name == "bad" else text,
                "Analyzed_Word": [word for word, _ in words],
                "Gloss": [gloss for _, gloss in words],
                "LGR_Conformance": "WORD_ALIGNED",
                "Grammaticality": name if is_pair else None,
                "Item_ID": item["id"],
                "Paradigm": item["UID" if is_pair else "suite"],
                "Condition": None if is_pair else name,
            }
