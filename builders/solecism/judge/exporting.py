"""The same study for other programs: PCIbex (PennController), Label Studio, JATOS, or a sheet.

What they give back, :mod:`solecism.judge.importing` reads. Of each trial ``shown`` says which
sentence is first, from the study's seed: in half of a list's trials the good one.
"""

from __future__ import annotations

import hashlib
import json
import uuid
import zipfile
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from solecism.errors import candidates, fail
from solecism.files import add_texts, csv_of, writing
from solecism.judge.design import Study
from solecism.judge.page import PageWording, html_of, page_direction, page_texts, read_wording
from solecism.judge.protocol import READINGS, REASONS, session_order, sides

TARGETS = ("pcibex", "label-studio", "jatos", "sheet")

_FILES = Path(__file__).with_name("page_files")
_PCIBEX_WORDS = (
    "agree", "next", "question_choice", "question_likert", "question_expert", "low", "high", "comment",
)  # fmt: skip


def export_study(study: Study, target: str, out: Path) -> list[Path]:
    """Write a study for another program into a folder; return the files.

    Raises :class:`InputError` for an unknown ``target`` (:data:`TARGETS`), and if another file is
    in the way.
    """
    if target not in TARGETS:
        raise fail(f"unknown target {target!r} {candidates('targets', TARGETS, target)}")
    wording = read_wording(study)
    if target == "jatos":
        return [_write_archive(study, wording, out)]
    make = {"pcibex": _pcibex, "label-studio": _label_studio, "sheet": _sheets}[target]
    return add_texts(out, {out / name: text for name, text in make(study, wording).items()})


def _rows(study: Study) -> list[list[dict[str, str]]]:
    """Return of each list a row for each trial: ``group`` (the list), its key, its sentences."""
    lists = []
    for number, keys in enumerate(study.lists, 1):
        first, rows = sides(keys, f"{study.seed}:export:{number}"), []
        for key in keys:
            item = study.items[key]
            row = {"group": str(number), "item": key, "kind": item["kind"]}
            if study.design == "choice":
                other = "bad" if first[key] == "good" else "good"
                row |= {"shown": first[key], "first": item[first[key]], "second": item[other]}
            else:
                side = "good" if item.get("good") else "bad"
                row |= {"shown": side, "sentence": item[side]}
            rows.append(row)
        lists.append(rows)
    return lists


def _pcibex(study: Study, wording: PageWording) -> dict[str, str]:
    """Return a PCIbex project: PennController takes the rows of a list by the column ``group``."""
    known = {
        "design": study.design, "study": study.id, "dir": page_direction(study),
        "language": study.language, "readings": READINGS,
        "words": {key: wording.words[key] for key in _PCIBEX_WORDS},
    }  # fmt: skip
    script = f"const study = {json.dumps(known, ensure_ascii=False, indent=2)};\n\n"
    return {
        "data_includes/main.js": script + (_FILES / "pcibex.js").read_text(encoding="utf-8"),
        "chunk_includes/items.csv": csv_of(chain.from_iterable(_rows(study)), exact=True),
        **{f"chunk_includes/{part}.html": html_of(text) for part, text in wording.parts.items()},
    }


def _label_studio(study: Study, wording: PageWording) -> dict[str, str]:
    """Return tasks for Label Studio, a file for each list, and the configuration of its page.

    The names of the controls are those of our columns.
    """
    labelling = (_FILES / f"label-studio-{study.design}.xml").read_text(encoding="utf-8")
    question = quoteattr(wording.words[f"question_{study.design}"])
    rows = enumerate(_rows(study), 1)
    tasks = {f"tasks-{number}.csv": csv_of(some, exact=True) for number, some in rows}
    return {"config.xml": labelling.format(question=question), **tasks}


def _sheets(study: Study, wording: PageWording) -> dict[str, str]:
    """Return a sheet for each list, for readers who fill in a table, and how to do that."""
    if study.design != "expert":
        raise fail(f"a sheet is for experts (--design expert); this design is {study.design!r}")
    columns = dict.fromkeys(("answer", "reason", "comment"), "")
    guide = [
        wording.parts["instructions"],
        "Copy the sheet to answers-NAME.csv, with a name of your own, and read one line after another.",
        f"answer: {', '.join(READINGS)}. reason: {', '.join(REASONS)}, or nothing.",
    ]
    texts = {"README.md": "\n\n".join(guide) + "\n"}
    for number, some in enumerate(_rows(study), 1):
        sentences = {row["item"]: row["sentence"] for row in some}
        order = session_order(study, number, f"{study.seed}:sheet:{number}")
        blind = [{"item": key, "sentence": sentences[key], **columns} for key in order]
        texts[f"sheet-{number}.csv"] = csv_of(blind)
    return texts


def _write_archive(study: Study, wording: PageWording, out: Path) -> Path:
    """Write a study archive of JATOS (``.jzip``): the page, and what JATOS must know of it."""
    page = page_texts(replace(study, home=replace(study.home, to="jatos")), wording)
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


def _jatos(study: Study, folder: str) -> dict[str, Any]:
    """Return the properties of a study, of its one component and of its batch."""

    def known(of: str, title: str) -> dict[str, Any]:
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
