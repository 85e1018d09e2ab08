"""The page of a study: a static folder that runs in any browser, without a network."""

from __future__ import annotations

import json
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markdown_it import MarkdownIt

from solecism.contrast import direction
from solecism.files import write_text
from solecism.judge.design import Study
from solecism.judge.protocol import REASONS
from solecism.judge.wording import PageWording, read_wording

__all__ = ["html_of", "page_direction", "page_texts", "write_page"]

_FILES = Path(__file__).with_name("page_files")
_SCRIPTS = (
    "jspsych.js", "plugin-html-button-response.js", "plugin-survey-html-form.js", "study.js", "order.js",
    "delivery.js", "page.js",
)  # fmt: skip


def write_page(study: Study) -> Path:
    """Write the page into the study's folder (again) and return its folder.

    Raises :class:`InputError` if a text of the study is missing or broken.
    """
    folder = study.folder / "page"
    for name, text in page_texts(study, read_wording(study)).items():
        write_text(folder / name, text)
    return folder


def page_texts(study: Study, wording: PageWording) -> dict[str, str]:
    """Return the files of the page by name."""
    copied = [name for name in _SCRIPTS if name != "study.js"]
    texts = {
        name: (_FILES / name).read_text("utf-8") for name in (*copied, "page.css", "LICENSE.txt")
    }
    title = study.title or wording.words[f"question_{study.design}"]
    home = {name: getattr(study.home, name) for name in ("to", "server", "datapipe", "completion")}
    known = {
        "id": study.id, "title": title, "design": study.design, "language": study.language,
        "dir": page_direction(study), "seed": study.seed, "lists": study.lists,
        "items": {key: dict(item) for key, item in study.items.items()}, "reasons": REASONS,
        "home": home, "salt": "" if study.home.to == "server" else study.salt,
        "texts": {part: html_of(text) for part, text in wording.parts.items()},
        "words": dict(wording.words),
    }  # fmt: skip
    script = json.dumps(known, ensure_ascii=False)
    for sign in "<>&\u2028\u2029":  # nothing may end the script or a line of it
        script = script.replace(sign, f"\\u{ord(sign):04x}")
    texts["study.js"] = f"window.solecismStudy = {script};\n"
    template = Environment(
        autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    ).from_string((_FILES / "index.html").read_text("utf-8"))
    texts["index.html"] = template.render(
        language=study.language, dir=page_direction(study), title=title, policy=_policy(study),
        no_script=wording.words["no_script"],
        scripts=("jatos.js", *_SCRIPTS) if study.home.to == "jatos" else _SCRIPTS,
    )  # fmt: skip
    return texts


def page_direction(study: Study) -> str:
    """Return ``rtl`` if the sentences are written from right to left, else ``ltr``."""
    item = next(iter(study.items.values()))
    return direction(item.get("good") or item["bad"])


def html_of(text: str) -> str:
    """Return Markdown as HTML; HTML in it stays text."""
    return str(MarkdownIt("commonmark", {"html": False}).render(text))


def _policy(study: Study) -> str:
    """Return what the page may load and where it may send; JATOS has scripts of its own."""
    if study.home.to == "jatos":
        return ""
    pipe = "https://pipe.jspsych.org" if study.home.to == "datapipe" else ""
    to = " ".join(place for place in ("'self'", study.home.server, pipe) if place)
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        f" connect-src {to}; base-uri 'none'; form-action 'self'"
    )
