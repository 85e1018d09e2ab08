"""The page of a study: a static folder that runs in any browser, without a network.

What it says to people (consent, instructions, debriefing, the words on the page) is in
``judge/texts/<language>/``; a study gets a copy in its folder, to be edited or translated. A study
in a language that has no texts gets the English ones.
"""

import json
import re
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markdown_it import MarkdownIt

from solecism.contrast import direction
from solecism.errors import candidates, fail
from solecism.files import place_in, write_text
from solecism.inputs import check, read_source, read_toml
from solecism.judge.design import Study
from solecism.judge.protocol import REASONS

_TEXTS = Path(__file__).with_name("texts")
_FILES = Path(__file__).with_name("page_files")
_SCRIPTS = (
    "jspsych.js", "plugin-html-button-response.js", "plugin-survey-html-form.js", "study.js", "order.js",
    "delivery.js", "page.js",
)  # fmt: skip

PARTS = ("consent", "instructions", "debriefing")
WORDS = "page.toml"
"""The file with the words on the page, a text for each key."""


def has_texts(language: str) -> bool:
    """Return whether there are texts in a language; otherwise a study has the English ones."""
    return (_TEXTS / language.partition("-")[0] / WORDS).is_file()


def texts_for(language: str, design: str) -> dict[str, str]:
    """Return the texts of a study in a language (else English), by the names of their files."""
    folder = _TEXTS / (language.partition("-")[0] if has_texts(language) else "en")
    sources = {f"{part}.md": f"{part}.md" for part in PARTS} | {WORDS: WORDS}
    sources["instructions.md"] = f"instructions-{design}.md"
    texts = {name: (folder / source).read_text("utf-8") for name, source in sources.items()}
    if not has_texts(language):
        texts[WORDS] = texts[WORDS].replace('"English"', '"the language of the sentences"')
    return texts


def read_wording(study: Study) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts of a study as Markdown by name, and the words on its page by key.

    Duration, pay, institution and contact are filled in. Without pay the lines about it go. Raises
    :class:`InputError` for a file or a key that is missing, and for an unknown ``{name}``.
    """
    folder = study.folder / "texts"
    words, known = read_toml(folder / WORDS), read_toml(_TEXTS / "en" / WORDS)
    check(words, dict.fromkeys(known, str), folder / WORDS, strict=True)
    values = {
        "language": words["language"], "minutes": str(study.minutes),
        "trials": str(max(study.totals)),
        "pay": f"{study.amount:.2f} {study.pay.currency}" if study.pay.hourly else "",
        "institution": study.institution or "[institution]",
        "contact": study.contact or "[contact]",
        "done": "{done}", "total": "{total}",  # the page fills these in
    }  # fmt: skip

    def filled(text: str, path: Path) -> str:
        for name in re.findall(r"\{(\w*)\}", text):
            if name not in values:
                near = candidates("names", list(values), name)
                raise fail(f"unknown name {{{name}}} {near}", path)
        return re.sub(r"\{(\w*)\}", lambda match: values[match[1]], text)

    parts = {}
    for part in PARTS:
        path = folder / f"{part}.md"
        lines = read_source(path).splitlines(keepends=True)
        shown = [line for line in lines if values["pay"] or "{pay}" not in line]
        parts[part] = filled("".join(shown), path)
    return parts, {key: filled(text, folder / WORDS) for key, text in words.items()}


def write_page(study: Study) -> Path:
    """Write the page into the study's folder (again) and return its folder.

    Raises :class:`InputError` if a text of the study is missing or broken.
    """
    folder = study.folder / "page"
    for name, text in page_texts(study).items():
        write_text(place_in(study.folder, f"page/{name}"), text)
    return folder


def page_texts(study: Study) -> dict[str, str]:
    """Return the files of the page by name."""
    parts, words = read_wording(study)
    copied = [name for name in (*_SCRIPTS, "page.css", "LICENSE.txt") if name != "study.js"]
    texts = {name: (_FILES / name).read_text("utf-8") for name in copied}
    title = study.title or words[f"question_{study.design}"]
    item = next(iter(study.items.values()))
    writing = direction(item.get("good") or item["bad"])
    markdown = MarkdownIt("commonmark", {"html": False})  # HTML in a text stays text
    home = {name: getattr(study.home, name) for name in ("to", "server", "datapipe", "completion")}
    known = {
        "id": study.id, "title": title, "design": study.design, "language": study.language,
        "dir": writing, "seed": study.seed, "lists": study.lists, "items": study.items,
        "reasons": REASONS, "home": home,
        "salt": "" if study.home.to == "server" else study.salt,
        "texts": {part: markdown.render(text) for part, text in parts.items()},
        "words": words,
    }  # fmt: skip
    script = json.dumps(known, ensure_ascii=False)
    for sign in "<>&\u2028\u2029":  # nothing may end the script or a line of it
        script = script.replace(sign, f"\\u{ord(sign):04x}")
    texts["study.js"] = f"window.solecismStudy = {script};\n"
    pipe = "https://pipe.jspsych.org" if study.home.to == "datapipe" else ""
    to = " ".join(place for place in ("'self'", study.home.server, pipe) if place)
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        f" connect-src {to}; base-uri 'none'; form-action 'self'"
    )
    is_jatos = study.home.to == "jatos"  # JATOS has scripts of its own
    made = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    texts["index.html"] = made.from_string((_FILES / "index.html").read_text("utf-8")).render(
        language=study.language, dir=writing, title=title,
        policy="" if is_jatos else policy, no_script=words["no_script"],
        scripts=("jatos.js", *_SCRIPTS) if is_jatos else _SCRIPTS,
    )  # fmt: skip
    return texts
