"""The page of a study: a static folder that runs in any browser, without a network."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markdown_it import MarkdownIt

from solecism.files import write_text
from solecism.judge.design import Study
from solecism.judge.protocol import REASONS
from solecism.judge.wording import RIGHT_TO_LEFT, PageWording, read_wording

__all__ = ["html_of", "page_direction", "page_texts", "write_page"]

_HERE = Path(__file__).with_name("page_files")

_SCRIPTS = (
    "jspsych.js", "plugin-html-button-response.js", "plugin-survey-html-form.js", "study.js", "order.js",
    "home.js", "page.js",
)  # fmt: skip

_COPIED = (*(name for name in _SCRIPTS if name != "study.js"), "page.css", "LICENSE.txt")


def page_texts(study: Study, wording: PageWording) -> dict[str, str]:
    """Return the files of the page by name."""
    texts = {name: (_HERE / name).read_text("utf-8") for name in _COPIED}
    texts["study.js"] = f"window.solecismStudy = {_script(_known(study, wording))};\n"
    texts["index.html"] = _index(study, wording)
    return texts


def write_page(study: Study) -> Path:
    """Write the page into the study's folder (again) and return its folder.

    Raises :class:`InputError` where a text of the study is missing or broken.
    """
    folder = study.folder / "page"
    for name, text in page_texts(study, read_wording(study)).items():
        write_text(folder / name, text)
    return folder


def _known(study: Study, wording: PageWording) -> dict[str, Any]:
    """Return what the page knows; a salt only where the page itself makes pseudonyms."""
    return {
        "id": study.id,
        "title": study.title,
        "design": study.design,
        "language": study.language,
        "dir": page_direction(study),
        "seed": study.seed,
        "items": {key: dict(item) for key, item in study.items.items()},
        "lists": study.lists,
        "reasons": REASONS,
        "home": {
            name: getattr(study.home, name) for name in ("to", "server", "datapipe", "completion")
        },
        "salt": "" if study.home.to == "server" else study.salt,
        "texts": {part: html_of(text) for part, text in wording.parts.items()},
        "words": dict(wording.words),
    }


def page_direction(study: Study) -> str:
    """Return ``rtl`` for a language that is written from right to left, else ``ltr``."""
    return "rtl" if study.language.partition("-")[0] in RIGHT_TO_LEFT else "ltr"


def _script(value: object) -> str:
    """Return JSON that can stand in a script: nothing in it ends the script or a line of it."""
    text = json.dumps(value, ensure_ascii=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def html_of(text: str) -> str:
    """Return Markdown as HTML; HTML in it stays text."""
    return str(MarkdownIt("commonmark", {"html": False}).render(text))


def _index(study: Study, wording: PageWording) -> str:
    scripts = ("jatos.js", *_SCRIPTS) if study.home.to == "jatos" else _SCRIPTS
    return str(
        _template().render(
            language=study.language,
            dir=page_direction(study),
            title=study.title,
            no_script=wording.words["no_script"],
            scripts=scripts,
            policy=_policy(study),
        )
    )


@lru_cache(1)
def _template() -> Any:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.from_string((_HERE / "index.html").read_text("utf-8"))


def _policy(study: Study) -> str:
    """Return what the page may load and where it may send; JATOS has scripts of its own."""
    if study.home.to == "jatos":
        return ""
    places = ["'self'", study.home.server]
    if study.home.to == "datapipe":
        places.append("https://pipe.jspsych.org")
    own = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'"
    to = " ".join(place for place in places if place)
    return f"{own}; connect-src {to}; base-uri 'none'; form-action 'self'"
