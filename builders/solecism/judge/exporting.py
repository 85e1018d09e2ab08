"""Export a study to JATOS, or as sheets that experts fill in.

:mod:`solecism.judge.importing` reads the answers that come back.
"""

import hashlib
import json
import uuid
import zipfile
from dataclasses import replace
from pathlib import Path

from solecism.errors import fail
from solecism.files import add_texts, csv_of, writing
from solecism.judge.design import Study
from solecism.judge.page import page_texts, read_wording
from solecism.judge.protocol import READINGS, REASONS, session_order


def export_study(study: Study, target: str, out: Path) -> list[Path]:
    """Write a study for another program (``jatos``, ``sheet``) into a folder; return the files.

    Raises :class:`InputError` if another file is in the way.
    """
    if target == "jatos":
        return [_write_archive(study, out)]
    return add_texts(out, {out / name: text for name, text in _sheets(study).items()})


def _sheets(study: Study) -> dict[str, str]:
    """Return a sheet for each list, for experts who fill in a table, and a guide, by file name."""
    if study.design != "expert":
        raise fail(f"a sheet is for experts (--design expert); this design is {study.design!r}")
    guide = [
        read_wording(study)[0]["instructions"],
        "Copy the sheet to answers-NAME.csv, with a name of your own, and read one line after another.",
        f"answer: {', '.join(READINGS)}. reason: {', '.join(REASONS)}, or nothing.",
    ]
    texts = {"README.md": "\n\n".join(guide) + "\n"}
    blanks = dict.fromkeys(("answer", "reason", "comment"), "")
    for number in range(1, len(study.lists) + 1):
        order = session_order(study, number, f"{study.seed}:sheet:{number}")
        trials = [study.items[key] for key in order]
        rows = [{"item": t["key"], "sentence": t.get("good") or t["bad"], **blanks} for t in trials]
        texts[f"sheet-{number}.csv"] = csv_of(rows)
    return texts


def _write_archive(study: Study, out: Path) -> Path:
    """Write a study archive of JATOS (``.jzip``): the page, and what JATOS must know of it."""
    page = page_texts(replace(study, home=replace(study.home, to="jatos")))
    folder = f"solecism_{study.id}"
    files = {f"{folder}/{name}": text for name, text in page.items()}
    files[f"{folder}.jas"] = json.dumps(_jatos(study, folder), ensure_ascii=False, indent=2)
    path = out / f"{folder}.jzip"
    if path.exists():
        raise fail("is there already: move it, or choose another folder", path)
    with writing(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            archive.writestr(info, text, zipfile.ZIP_DEFLATED)
    return path


def _jatos(study: Study, folder: str) -> dict[str, object]:
    """Return the properties of a study, of its one component and of its batch."""

    def known(of: str, title: str) -> dict[str, object]:
        digest = hashlib.sha256(f"{study.id} {of}".encode()).digest()[:16]
        unset = dict.fromkeys(("comments", "jsonData"))
        return {"uuid": str(uuid.UUID(bytes=digest)), "title": title, "active": True, **unset}

    title = study.title or f"solecism {study.id}"
    component = {**known("component", title), "htmlFilePath": "index.html", "reloadable": True}
    batch = {
        **known("batch", "Default"), "maxActiveMembers": None, "maxTotalMembers": None,
        "maxTotalWorkers": study.participants,
        "allowedWorkerTypes": ["GeneralSingle", "PersonalSingle", "Jatos"],
    }  # fmt: skip
    data = {
        **known("study", title), "description": f"solecism study {study.id}", "dirName": folder,
        "groupStudy": False, "linearStudy": True, "allowPreview": False, "studyEntryMsg": None,
        "endRedirectUrl": study.home.completion, "componentList": [component], "batchList": [batch],
    }  # fmt: skip
    return {"version": "3", "data": data}
