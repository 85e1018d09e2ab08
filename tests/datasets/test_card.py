"""The card, as the hub's own classes read it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from huggingface_hub import DatasetCard

from expecting import problems_of
from release import small_root
from solecism.datasets.build import build
from solecism.datasets.card import (
    card_data,
    feature_list,
    render_card,
    version_rows,
    with_head,
)
from solecism.datasets.catalogue import CatalogueEntry
from solecism.datasets.configs import FILE, BuiltConfig, BuiltParadigm
from solecism.datasets.lock import LOCK, note_commits, read_lock, record
from solecism.grammar.paradigm import Counts
from solecism.hashing import Content
from solecism.root import Root
from solecism.schema import CLOZE, SUITE, pair_schema

TINY = CatalogueEntry("tiny", "2.0.0", "Tiny", "Few pairs", tags=("syntax",))


def config(name: str = "he", **other: Any) -> BuiltConfig:
    """A built config of seven pairs."""
    paradigm = BuiltParadigm(
        "simple", "in a clause", "agreement", "About.", Counts(), ("a", "b"), ()
    )
    made = BuiltConfig(name, (paradigm,), Content(7, "d" * 64), 900, "f" * 64, 300)
    return replace(made, **other)


def readme(folder: Path) -> DatasetCard:
    return DatasetCard.load(folder / "README.md")


@pytest.fixture(scope="module")
def clams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small part of clams, built."""
    folder = tmp_path_factory.mktemp("built")
    build("clams", out=folder / "clams", root=small_root(folder))
    return folder / "clams"


# metadata


def test_the_hub_reads_the_metadata_back(clams: Path) -> None:
    data = readme(clams).data.to_dict()
    info, configs = data.pop("dataset_info"), data.pop("configs")
    assert data == {
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "language": ["he"],
        "language_details": "heb_Hebr",
        "license": "cc-by-4.0",
        "multilinguality": ["monolingual"],
        "size_categories": ["1K<n<10K"],
        "source_datasets": ["original"],
        "task_categories": ["text-classification"],
        "task_ids": ["acceptability-classification"],
        "pretty_name": "Solecism CLAMS",
        "tags": [
            "syntax", "minimal-pairs", "agreement", "grammaticality", "linguistics", "evaluation",
        ],
    }  # fmt: skip
    assert [c["config_name"] for c in configs] == [i["config_name"] for i in info] == ["he"]
    assert configs[0]["data_files"] == [{"split": "test", "path": f"he/{FILE}"}]


TRAPS = ["no", "No", "on", "off", "yes", "null", "~", "true", "1.0", "1_000", "1:30", "2026-11-21",
         "0x1F", "010", "", " a", "a: b", "#a", "- a", "*a", "&a", "!a", "%a", "@a", "`a", "'a", '"a',
         "a\nb", "é", "中文", "=", "<<", ".inf", "1e3.5", "[a", "{a", "a #b", "?", "|"]  # fmt: skip


@pytest.mark.parametrize("text", TRAPS)
def test_texts_that_yaml_takes_for_something_else(text: str) -> None:
    entry = replace(TINY, pretty_name=text, tags=(text,))
    whole = with_head(card_data(entry, [config(text, languages=(text,))]), "# Card\n")
    data = DatasetCard(whole).data.to_dict()
    assert (data["pretty_name"], data["tags"], data["language"]) == (text, [text], [text])
    assert data["configs"][0]["config_name"] == data["dataset_info"][0]["config_name"] == text


@pytest.mark.parametrize("schema", [pair_schema(["stress"]), CLOZE, SUITE])
def test_features_of_every_kind_are_those_that_datasets_reads(schema: pa.Schema) -> None:
    datasets = pytest.importorskip("datasets")
    read = yaml.safe_load(yaml.safe_dump(feature_list(schema)))
    features = datasets.Features.from_arrow_schema(schema)
    assert datasets.Features._from_yaml_list(read) == features


# text


def test_checks_are_claimed_only_of_what_a_locked_version_has(tmp_path: Path) -> None:
    (tmp_path / "dataset_cards").mkdir()
    (tmp_path / "dataset_cards" / "tiny.md").write_text("{{ verified }} {{ unverified }}")
    (tmp_path / "catalogue.toml").write_text('[tiny]\nversion = "2.0.0"\n')
    root, built = Root(tmp_path), [config("he"), config("it")]
    record(tmp_path / LOCK, "tiny", "1.0.0", {"he": Content(6, "x")})
    assert render_card(root, TINY, built, []).endswith("['he'] ['it']")
    record(tmp_path / LOCK, "tiny", "2.0.0", {"he": Content(6, "x"), "it": built[1].content})
    assert render_card(root, TINY, built, []).endswith("['it'] ['he']")


@pytest.mark.parametrize("language", ["it", "he"])
def test_the_card_of_clams_claims_nothing_of_other_words(tmp_path: Path, language: str) -> None:
    small_root(tmp_path)
    for top in ("templates/clams", "lexicons"):
        (tmp_path / top / "he").rename(tmp_path / top / language)
    phrases = tmp_path / "templates/phrases"
    (phrases / "he.jinja").rename(phrases / f"{language}.jinja")
    build("clams", out=tmp_path / "clams", root=tmp_path)
    text = " ".join(readme(tmp_path / "clams").text.split())
    assert f"Nobody has checked `{language}`" in text
    for claim in ("English, French", "was looked up", "110 pairs", "Russian pair", "In French"):
        assert claim not in text


def test_numbers_of_the_card_are_those_of_the_data(clams: Path) -> None:
    facts = json.loads((clams / "manifest.json").read_text(encoding="utf-8"))["configs"]["he"]
    text = readme(clams).text
    assert f"| `he` | {facts['sets']:,} | {facts['rows']:,} | 1 |" in text
    assert f"found in these {facts['rows']:,} items" in " ".join(text.split())
    assert f"| 1.0.0 | `v1.0.0` | this one | {facts['rows']:,} | 1 |" in text
    assert "| `he/simple_agrmt` | 100 | 100 | 100 | " in text  # heuristics
    assert "| `I003` | error | The good and the bad sentence are the same | 0 |" in text


def test_earlier_versions_stand_in_the_card_with_their_commits(tmp_path: Path) -> None:
    (tmp_path / "catalogue.toml").write_text('[tiny]\nversion = "2.0.0"\n')
    contents = {"1.2.0": 5, "1.10.0": 6, "2.0.0": 7, "3.0.0": 8}
    for version, count in contents.items():
        record(tmp_path / LOCK, "tiny", version, {"he": Content(count, "x")})
    note_commits(tmp_path / LOCK, "tiny", {"v1.2.0": "c0ffee", "v2.0.0": "0ff"})
    rows = version_rows(read_lock(tmp_path / LOCK)["tiny"], "2.0.0", [config()])
    assert [row[:4] for row in rows] == [
        ("2.0.0", "v2.0.0", "", 7), ("1.10.0", "v1.10.0", "", 6), ("1.2.0", "v1.2.0", "c0ffee", 5),
    ]  # fmt: skip


def test_a_data_set_without_a_card_gets_a_plain_one(tmp_path: Path) -> None:
    card = DatasetCard(render_card(Root(tmp_path), TINY, [config()], []))
    assert "# Tiny 2.0.0" in card.text
    assert "* `he`: 7 items" in card.text


BAD = [
    ('{{ cycler.__init__.__globals__.os.popen("id").read() }}', "unsafe"),
    ('{{ entry["__class__"] }}', "unsafe"),
    ('{{ "{0.__class__.__mro__}".format(entry) }}', "unsafe"),
    ('{{ columns.append("a") }}', "'append'"),
    ('{% include "/etc/passwd" %}', "no loader"),
    ("{{ entry.name.nothing }}", "has no attribute 'nothing'"),
    ("{{ nobody }}", "'nobody' is undefined"),
    ("{% for a in built %}", "Unexpected end of template"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), BAD)
def test_a_card_can_do_no_harm_and_is_told_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "dataset_cards").mkdir()
    (tmp_path / "dataset_cards" / "tiny.md").write_text(f"# Tiny\n\n{text}\n")
    told = problems_of(lambda: render_card(Root(tmp_path), TINY, [config()], []), tmp_path)[0]
    assert told.startswith("dataset_cards/tiny.md:3: Jinja: ")
    assert said in told
