"""The same study for other programs: PCIbex (PennController), Label Studio, JATOS.

What they give back, :mod:`solecism.judge.formats` reads. Of each trial ``shown`` says which
sentence stands first, from the study's seed: in half of a list's trials the good one.
"""

from __future__ import annotations

import hashlib
import json
import uuid
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from solecism.errors import candidates, fail
from solecism.files import add_texts, csv_of
from solecism.judge.design import Study
from solecism.judge.order import sides
from solecism.judge.page import html_of, page_direction, page_texts
from solecism.judge.protocol import READINGS, REASONS
from solecism.judge.wording import PageWording, read_wording

__all__ = ["TARGETS", "export_study"]

_PCIBEX = Path(__file__).with_name("page_files") / "pcibex.js"


def export_study(study: Study, target: str, out: Path) -> list[Path]:
    """Write a study for another program into a folder; return the files.

    Raises :class:`InputError` for an unknown ``target`` (:data:`TARGETS`), and where another file
    is in the way.
    """
    if target not in TARGETS:
        raise fail(f"unknown target {target!r} {candidates('targets', list(TARGETS), target)}")
    if target == "jatos":
        return [_write_archive(study, out)]
    texts = TARGETS[target](study, read_wording(study))
    return add_texts(out, {out / name: text for name, text in texts.items()})


def _rows(study: Study) -> list[dict[str, str]]:
    """Return a row for each trial of each list: ``group`` (the list), its key and its sentences."""
    made = []
    for number, keys in enumerate(study.lists, 1):
        first = sides(keys, f"{study.seed}:export:{number}")
        for key in keys:
            item = study.items[key]
            known = {"group": str(number), "item": key, "kind": item["kind"]}
            made.append(known | _sentences(study, item, first[key]))
    return made


def _sentences(study: Study, item: Mapping[str, str], shown: str) -> dict[str, str]:
    if study.design == "choice":
        other = "bad" if shown == "good" else "good"
        return {"shown": shown, "first": item[shown], "second": item[other]}
    side = "good" if item.get("good") else "bad"
    return {"shown": side, "sentence": item[side]}


def _pcibex(study: Study, wording: PageWording) -> dict[str, str]:
    """Return a PCIbex project: PennController takes the rows of a list by the column ``group``."""
    names = ("consent", "instructions", "debriefing")
    known = {
        "design": study.design,
        "study": study.id,
        "dir": page_direction(study),
        "language": study.language,
        "readings": READINGS,
        "words": {key: wording.words[key] for key in _WORDS},
    }
    script = f"const study = {json.dumps(known, ensure_ascii=False, indent=2)};\n\n"
    return {
        "data_includes/main.js": script + _PCIBEX.read_text(encoding="utf-8"),
        "chunk_includes/items.csv": csv_of(_rows(study), exact=True),
        **{f"chunk_includes/{name}.html": html_of(wording.parts[name]) for name in names},
    }


_WORDS = (
    "agree", "next", "question_choice", "question_likert", "question_expert", "low", "high", "comment",
)  # fmt: skip


def _label_studio(study: Study, wording: PageWording) -> dict[str, str]:
    """Return tasks for Label Studio, a file a list, and the configuration of its page."""
    rows = _rows(study)
    lists = range(1, len(study.lists) + 1)
    tasks = {
        f"tasks-{number}.csv": csv_of(
            (row for row in rows if row["group"] == str(number)), exact=True
        )
        for number in lists
    }
    return {"config.xml": _labelling(study.design, wording.words), **tasks}


def _labelling(design: str, words: Mapping[str, str]) -> str:
    """Return the configuration: the names of its controls are those of our columns."""
    question = f"  <Header value={quoteattr(words[f'question_{design}'])}/>"
    if design == "choice":
        shown = [f'  <Text name="{name}" value="${name}"/>' for name in ("first", "second")]
        control = _choices("answer", "first", ("first", "second"), ("f", "j"))
    else:
        shown = ['  <Text name="sentence" value="$sentence"/>']
        control = _control(design)
    return "\n".join(["<View>", question, *shown, *control, "</View>", ""])


def _control(design: str) -> list[str]:
    if design == "likert":
        return ['  <Rating name="rating" toName="sentence" maxRating="7" required="true"/>']
    return [
        *_choices("answer", "sentence", READINGS, ("1", "2", "3")),
        *_choices("reason", "sentence", REASONS, (), required=False),
        '  <TextArea name="comment" toName="sentence" rows="2"/>',
    ]


def _choices(
    name: str, of: str, values: Iterable[str], keys: tuple[str, ...], required: bool = True
) -> list[str]:
    hot = [f' hotkey="{key}"' for key in keys] or [""] * 9
    must = ' required="true"' if required else ""
    return [
        f'  <Choices name="{name}" toName="{of}" choice="single" showInline="true"{must}>',
        *(f'    <Choice value="{value}"{key}/>' for value, key in zip(values, hot, strict=False)),
        "  </Choices>",
    ]


def _write_archive(study: Study, out: Path) -> Path:
    """Write a study archive of JATOS (``.jzip``): the page, and what JATOS must know of it."""
    page = page_texts(replace(study, home=replace(study.home, to="jatos")), read_wording(study))
    folder = f"solecism_{study.id}"
    files = {f"{folder}/{name}": text for name, text in page.items()}
    files[f"{folder}.jas"] = json.dumps(_jatos(study, folder), ensure_ascii=False, indent=2)
    path = out / f"{folder}.jzip"
    if path.exists():
        raise fail("is there already: move it, or choose another folder", path)
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(
                zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED
            )
    return path


def _jatos(study: Study, folder: str) -> dict[str, Any]:
    """Return the properties of a study, of its one component and of its batch."""

    def uid(of: str) -> str:
        return str(uuid.UUID(bytes=hashlib.sha256(f"{study.id} {of}".encode()).digest()[:16]))

    component = {
        "uuid": uid("component"), "title": study.title, "htmlFilePath": "index.html",
        "reloadable": True, "active": True, "comments": "", "jsonData": None,
    }  # fmt: skip
    batch = {
        "uuid": uid("batch"), "title": "Default", "active": True, "maxActiveMembers": None,
        "maxTotalMembers": None, "maxTotalWorkers": study.participants,
        "allowedWorkerTypes": ["GeneralSingle", "PersonalSingle", "Jatos"], "comments": None,
        "jsonData": None,
    }  # fmt: skip
    data = {
        "uuid": uid("study"), "title": study.title, "description": f"solecism study {study.id}",
        "active": True, "groupStudy": False, "linearStudy": True, "allowPreview": False,
        "dirName": folder, "comments": "", "jsonData": None,
        "endRedirectUrl": study.home.completion, "studyEntryMsg": None,
        "componentList": [component], "batchList": [batch],
    }  # fmt: skip
    return {"version": "3", "data": data}


TARGETS: Mapping[str, Callable[[Study, PageWording], dict[str, str]]] = {
    "pcibex": _pcibex,
    "label-studio": _label_studio,
    "jatos": lambda _, __: {},
}
"""The programs by name, and what makes their files (JATOS' is one archive)."""
