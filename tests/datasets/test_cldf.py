"""Pairs and suites as examples of CLDF, read and validated by its own library."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import solecism
from cloze_items import ITEMS
from drawing import make_root, template
from solecism.commands.convert import convert
from solecism.errors import InputError
from solecism.schema import CLOZE

pycldf = pytest.importorskip("pycldf", reason="needs the extra `cldf`")

TABLES = {
    "noun": "lemma  Number=Sing  Number=Plur  Gloss\nami  ami  amis  friend",
    "verb": "lemma  Number=Sing  Number=Plur  Gloss\nrire  rit  rient  laugh",
    "words": "form  Gloss\nl'  the",
    "orthography": "rule  left  right  result\nspelling  l'  .*  =+=\nstop  -  -  .",
}
PAIRS = """
good: l' {{ n }} {{ v | agree(n) }}
bad: l' {{ n }} {{ v | clash(n, "Number") }}
"""
SUITE = """
one: l' {{ n }} [verb: {{ v | agree(n) }}]
two: l' {{ n }} [verb: {{ v | clash(n, "Number") }}]
"""
SLOTS = "slots:\n  n: {from: noun}\n  v: {from: verb}"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root that is the current folder, with a data set of pairs and one of suites."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOLECISM_ROOT", raising=False)
    pairs = {"pairs": template("pairs", SLOTS, PAIRS)}
    suites = {"suite": template("suite", f"{SLOTS}\npredictions: [two.verb > one.verb]", SUITE)}
    make_root(tmp_path, TABLES, pairs, "", "twos", "fr")
    make_root(tmp_path, TABLES, suites, "", "many", "fr")
    for name in ("twos", "many"):
        solecism.build(name, out=name)
    return tmp_path


def examples(folder: Path) -> list[dict[str, Any]]:
    data = pycldf.Dataset.from_metadata(folder / "Generic-metadata.json")
    assert data.validate()
    (language,) = data["LanguageTable"]
    assert (language["Name"], language["ISO639P3code"]) == ("French", "fra")
    return list(data["ExampleTable"])


@pytest.mark.usefixtures("built")
def test_pairs_are_two_examples_each() -> None:
    convert("twos/fr", Path("cldf"), "cldf")
    found = {row["Primary_Text"]: row for row in examples(Path("cldf"))}
    assert set(found) == {"l'ami rit.", "*l'ami rient.", "l'amis rient.", "*l'amis rit."}
    bad = found["*l'amis rit."]
    assert bad["Analyzed_Word"] == ["l'=amis", "rit."]
    assert bad["Gloss"] == ["the=friend.PL", "laugh.SG"]
    assert bad["Item_ID"] == found["l'amis rient."]["Item_ID"]
    assert (bad["Grammaticality"], bad["Paradigm"]) == ("bad", "pairs")


@pytest.mark.usefixtures("built")
def test_conditions_of_suites_are_an_example_each() -> None:
    convert("many/fr", Path("cldf"), "cldf")
    found = [(row["Primary_Text"], row["Condition"]) for row in examples(Path("cldf"))]
    assert sorted(found) == [
        ("l'ami rient.", "two"), ("l'ami rit.", "one"), ("l'amis rient.", "one"), ("l'amis rit.", "two"),
    ]  # fmt: skip


def test_items_without_glosses_are_refused(built: Path) -> None:
    pq.write_table(CLOZE.empty_table().from_pylist(ITEMS, CLOZE), "cloze.parquet")
    with pytest.raises(InputError, match="cloze items have no glosses of all words"):
        convert("cloze.parquet", Path("cldf"), "cldf")
    (built / "templates/twos/fr/pairs.jinja").unlink()
    with pytest.raises(InputError, match=r"makes 2 of its 2 items.*so they have no glosses"):
        convert("twos/fr", Path("cldf"), "cldf")
    assert not Path("cldf").exists()
