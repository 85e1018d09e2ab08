"""The same study for other programs: what they get."""

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from people import made_study
from solecism.commands import main
from solecism.errors import InputError
from solecism.judge.exporting import export_study


def test_an_archive_for_jatos(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study")
    argv = ["judge", "export", str(study.folder), "--to", "jatos", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(main, argv)
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
