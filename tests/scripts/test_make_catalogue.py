"""The catalogue of treebanks and word lists: made from an index, and moved to another release."""

import json
import lzma
import shutil
from pathlib import Path
from typing import Any

import pytest

from make_catalogue import (
    list_licence,
    move_pins,
    pin_treebanks,
    read_index,
    strictest,
    unimorph_lines,
)
from release import SHARED
from solecism.errors import InputError
from solecism.works import catalogue
from solecism.works.catalogue import NOT_STATED, allows_commerce

INDEX, LISTS = SHARED / "ud-index.jsonl.xz", SHARED / "unimorph-index.jsonl.xz"
BY_SA = "Creative Commons License Attribution-ShareAlike 4.0 International."


def record(name: str, **more: Any) -> dict[str, Any]:
    """A line of an index."""
    files = [
        {"path": f"ott_own-ud-{split}.conllu", "blob_sha1": "b" * 40, "size": 7}
        for split in ("dev", "test", "train")
    ]
    return {
        "name": name, "language": "Otter", "tag": "r2.16", "tag_commit": "c" * 40, "files": files,
        "releases": {"first": "2.10", "last": "2.18"}, "license": "CC BY-SA 4.0",
        "license_file": [{"first_lines": [BY_SA]}], "renamed_to": None, **more,
    }  # fmt: skip


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the catalogue, in place of the project's."""
    path = Path(shutil.copy(catalogue.TREEBANKS, tmp_path))
    monkeypatch.setattr(catalogue, "TREEBANKS", path)
    return path


def write_index(path: Path, *records: dict[str, Any]) -> Path:
    data = "".join(f"{json.dumps(line)}\n" for line in records).encode()
    path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
    return path


@pytest.mark.parametrize(
    ("readme", "text", "licence"),
    [
        ("CC BY-SA 4.0", BY_SA, "CC-BY-SA-4.0"),
        ("CC BY-NC 4.0", BY_SA, "CC-BY-NC-SA-4.0"),
        ("CC BY-SA 4.0", "see https://creativecommons.org/licenses/by-nc-sa/4.0/", "CC-BY-NC-SA-4.0"),
        ("CC BY-SA 4.0", "Attribution-NonCommercial-NoDerivatives 4.0", "CC-BY-NC-ND-4.0"),
        ("CC BY-NC-SA 4.0", "NonCommercial- ShareAlike 3.0 Generic", "CC-BY-NC-SA-4.0"),
        ("PD", BY_SA, "CC-BY-SA-4.0"),
        ("PD", "", "LicenseRef-public-domain"),
        ("GNU GPL 3.0", "GNU GENERAL PUBLIC LICENSE", "GPL-3.0-only"),
        ("LGPL-LR", "Lesser General Public License For Linguistic Resources", "LGPLLR"),
        ("CC BY-SA 4.0", "distributed for academic use.", "CC-BY-SA-4.0 AND LicenseRef-academic-use"),
        ("", "", NOT_STATED),
    ],
)  # fmt: skip
def test_the_stricter_licence_holds(readme: str, text: str, licence: str) -> None:
    assert strictest(readme, text) == licence
    free = "-NC" not in licence and "academic" not in licence and licence != NOT_STATED
    assert allows_commerce(licence) == free


def test_the_licence_of_a_list_is_that_of_its_file() -> None:
    lines = [
        "The Wiktionary data (ces file) is licensed under Creative Commons BY-SA license:",
        "https://creativecommons.org/licenses/by-sa/3.0/",
        "The MorfFlex data (ces.xz file) is licensed under Creative Commons BY-NC-SA license:",
        "http://creativecommons.org/licenses/by-nc-sa/4.0/",
    ]
    assert list_licence(lines, "ces") == "CC-BY-SA-3.0"
    assert list_licence(lines, "ces.xz") == "CC-BY-NC-SA-4.0"
    assert list_licence(["License: n/a"], "eus") == NOT_STATED


def test_what_is_no_release_or_closed_is_left_out() -> None:
    records = [
        record("UD_Otter-Own"), record("UD_Otter-New", status="unreleased"),
        record("UD_Otter-Late", releases={"first": "2.19", "last": "2.19"}),
        record("UD_Otter-ND", license="CC BY-NC-ND 4.0"),
    ]  # fmt: skip
    pins = pin_treebanks(records, "2.18")
    assert list(pins.lines) == ["UD_Otter-Own"]
    assert pins.closed == ("UD_Otter-ND",)


def test_renamed_treebanks_count_once() -> None:
    ended = {"first": "2.5", "last": "2.15"}
    old = record("UD_Otter-Old", renamed_to="UD_Otter-Own", releases=ended, tag="r2.15")
    both = [old, record("UD_Otter-Own", releases={"first": "2.16", "last": "2.18"})]
    now = pin_treebanks(both, "2.18").lines
    assert list(now) == ["UD_Otter-Own"]
    assert now["UD_Otter-Own"]["also"] == ["UD_Otter-Old"]
    assert list(pin_treebanks(both, "2.15").lines) == ["UD_Otter-Old"]
    (alone,) = pin_treebanks([old], "2.18").lines.values()  # the new one is not there yet
    assert (alone["also"], alone["until"]) == (["UD_Otter-Own"], "2.15")


def test_a_later_tag_cannot_be_pinned_for_an_earlier_release() -> None:
    late = record("UD_Otter-Own", tag="r2.17")
    assert pin_treebanks([late], "2.16").unpinned == ("UD_Otter-Own",)
    assert pin_treebanks([late], "2.16").lines == {}
    before = pin_treebanks([record("UD_Otter-Own")], "2.16").lines
    assert pin_treebanks([late], "2.16", before).lines == before


@pytest.mark.parametrize("name", ["index.jsonl", "index.jsonl.xz"])
def test_an_index_moves_the_pins(copied: Path, tmp_path: Path, name: str) -> None:
    releases = {"first": "2.10", "last": "2.19"}
    moved = record("UD_Albanian-TSA", iso="sq", language="Albanian", releases=releases)
    index = write_index(tmp_path / name, moved, record("UD_Otter-Own", releases=releases))
    pins = move_pins(index, "2.19")
    assert pins.changes["added"] == ["UD_Otter-Own"]
    assert pins.changes["moved"] == ["UD_Albanian-TSA"]
    assert len(pins.changes["dropped"]) == 287
    head, *lines = copied.read_text(encoding="utf-8").splitlines()
    assert (json.loads(head), len(lines)) == ({"ud": "2.19"}, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "index.jsonl:1: is not JSON"),
        ('{"name": 3}', "index.jsonl:1: is no index of treebanks: it has no language"),
        ("", "pins no treebank of UD 2.18"),
    ],
)
def test_a_bad_index_changes_nothing(copied: Path, tmp_path: Path, text: str, message: str) -> None:
    before = copied.read_bytes()
    (tmp_path / "index.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        move_pins(tmp_path / "index.jsonl", "2.18")
    assert copied.read_bytes() == before


def test_an_index_that_is_cut_off(tmp_path: Path) -> None:
    path = write_index(tmp_path / "index.jsonl.xz", record("UD_Otter-Own"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"index.jsonl.xz: cannot be read"):
        read_index(path)


def test_lines_of_the_catalogue() -> None:
    found = {origin.name: origin for origin in catalogue.treebank_origins()}
    albanian = found["UD_Albanian-TSA"]
    assert (albanian.language, albanian.licence) == ("sq", "CC-BY-SA-4.0")
    assert all(len(o.ref) == 40 and o.pins for o in found.values())
    assert all(len(pin.blob) == 40 for o in found.values() for pin in o.pins)
    assert not [o.name for o in found.values() if "-ND" in o.licence]
    assert found["UD_Estonian-EDT"].licence == "CC-BY-NC-SA-4.0"
    assert found["UD_Ancient_Hebrew-PTNK"].licence == "CC-BY-NC-SA-4.0"
    assert found["UD_Xibe-XDT"].licence == "CC-BY-NC-SA-3.0"
    assert "UD_Czech-PDT" not in found
    assert found["UD_Czech-PDTC"].also == ("UD_Czech-PDT",)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("sq", "sq"), ("sqi", "sq"), ("Albanian", "sq"), ("northern_kurdish", "kmr"),
        ("Kurmanji", "kmr"), ("swiss german", "gsw"), ("nb", "no"), ("nob", "no"),
        ("nno", "nn"), ("Norwegian Nynorsk", "nn"), ("est", "et"), ("zho_Hant", "zh"),
        ("se", "sme"), ("srp_Latn", "sr"), ("qpm_Latn", "qpm"),
    ],
)  # fmt: skip
def test_languages_by_code_and_name(name: str, code: str) -> None:
    assert catalogue.find_code(name) == code


@pytest.mark.skipif(not INDEX.is_file(), reason="no ../shared")
def test_the_catalogue_is_what_the_index_gives() -> None:
    pins = pin_treebanks(read_index(INDEX), "2.18")
    lines = catalogue.TREEBANKS.read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, lines)) == [{"ud": "2.18"}, *pins.lines.values()]
    listed = catalogue.LISTS.read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, listed)) == unimorph_lines(LISTS)
