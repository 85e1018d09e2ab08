"""The same study for other programs: what they get."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from people import made_study
from solecism.commands import main
from solecism.errors import InputError
from solecism.judge.exporting import export_study


def test_a_project_for_pcibex(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", "he", lists=2)
    export_study(study, "pcibex", tmp_path / "out")
    with (tmp_path / "out/chunk_includes/items.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [sum(row["group"] == name for row in rows) for name in "12"] == [*study.totals]
    for number, keys in enumerate(study.lists, 1):
        some = [row for row in rows if row["group"] == str(number)]
        assert [row["item"] for row in some] == list(keys)
        assert abs(sum(row["shown"] == "good" for row in some) * 2 - len(some)) <= 1
    item = study.items[rows[0]["item"]]
    assert item[rows[0]["shown"]] == rows[0]["first"]
    script = (tmp_path / "out/data_includes/main.js").read_text(encoding="utf-8")
    assert '"dir": "rtl"' in script
    assert (tmp_path / "out/chunk_includes/consent.html").read_text(encoding="utf-8").count("<p>")


@pytest.mark.parametrize(
    ("design", "controls"),
    [("choice", ["answer"]), ("likert", ["rating"]), ("expert", ["answer", "reason", "comment"])],
)
def test_a_project_for_label_studio(tmp_path: Path, design: str, controls: list[str]) -> None:
    study = made_study(tmp_path / "study", design=design)
    export_study(study, "label-studio", tmp_path / "out")
    view = ElementTree.parse(tmp_path / "out/config.xml").getroot()
    assert [each.get("name") for each in view if each.get("toName")] == controls
    shown = [each.get("value") for each in view if each.tag == "Text"]
    with (tmp_path / "out/tasks-1.csv").open(newline="", encoding="utf-8") as file:
        names = csv.DictReader(file).fieldnames or []
    assert {value[1:] for value in shown if value} <= set(names)


def test_an_archive_for_jatos(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study")
    done = CliRunner().invoke(
        main,
        ["judge", "export", str(study.folder), "--to", "jatos", "--out", str(tmp_path / "out")],
    )
    assert done.exit_code == 0, done.output
    path = tmp_path / "out" / f"solecism_{study.id}.jzip"
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        (said,) = [name for name in names if name.endswith(".jas")]
        data = json.loads(archive.read(said))["data"]
        page = archive.read(f"{data['dirName']}/index.html").decode()
    assert data["componentList"][0]["htmlFilePath"] == "index.html"
    assert '"jatos.js"' in page
    assert study.id in data["description"]
    with pytest.raises(InputError, match="is there already"):
        export_study(study, "jatos", tmp_path / "out")
