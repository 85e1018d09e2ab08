"""The picture of a data set, and what a card says of it on a hub."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

import solecism
from release import CHECKOUT, small_root

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    solecism.build("clams", root=small_root(tmp_path), out=tmp_path / "clams")
    return tmp_path / "clams"


def test_a_hebrew_pair_runs_from_right_to_left(folder: Path) -> None:
    picture = ElementTree.parse(folder / "examples.svg").getroot()
    sentences = [each for each in picture.iter(f"{SVG}text") if each.get("direction") == "rtl"]
    assert len(sentences) == 2
    marked = [{span.get("class") for span in each} for each in sentences]
    assert marked == [{"good"}, {"bad"}]
    assert "![Pairs of Solecism CLAMS](examples.svg)" in (folder / "README.md").read_text("utf-8")


def test_signs_of_xml_stay_text(tmp_path: Path) -> None:
    from solecism.datasets.configs import BuiltConfig, BuiltParadigm
    from solecism.datasets.picture import examples_svg
    from solecism.grammar.paradigm import Counts
    from solecism.hashing import Content

    pair = ("<script>a & b</script>", "<script>a & c</script>")
    paradigm = BuiltParadigm("x", "x", "x", "", Counts(), pair)
    config = BuiltConfig("<i>", (paradigm,), Content(1, "0" * 64), 1, "0" * 64, 1)
    text = examples_svg("<b>", [config])
    tree = ElementTree.fromstring(text)
    assert not list(tree.iter(f"{SVG}script"))
    assert "&lt;script&gt;" in text


def test_a_card_names_the_repository(tmp_path: Path) -> None:
    root = small_root(tmp_path)
    shutil.copy(CHECKOUT / "dataset_cards" / "clams.md", root.path / "dataset_cards" / "clams.md")
    solecism.build("clams", root=root, out=tmp_path / "clams", hub="ORG/pairs")
    card = (tmp_path / "clams" / "README.md").read_text("utf-8")
    assert 'load_dataset("ORG/pairs"' in card
    assert "https://arxiv.org/abs/2005.00187" in card


def test_columns_stand_once_in_a_card(tmp_path: Path) -> None:
    solecism.build("blimp", ["passive_1", "passive_2"], out=tmp_path / "blimp")
    text = (tmp_path / "blimp" / "README.md").read_text("utf-8")
    infos = yaml.safe_load(text.split("---\n")[1])["dataset_info"]
    assert ["features" in info for info in infos] == [True, False]
    assert len(text) < 40_000


def test_without_short_pairs_there_is_no_picture(tmp_path: Path) -> None:
    root = small_root(tmp_path)
    (root.path / "dataset_cards" / "clams.md").write_text(
        "{% if picture %}![x](examples.svg){% endif %}\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("solecism.datasets.picture.LONGEST", 3)
        solecism.build("clams", root=root, out=tmp_path / "clams")
    assert not (tmp_path / "clams" / "examples.svg").exists()
    assert "examples.svg" not in (tmp_path / "clams" / "README.md").read_text("utf-8")
