"""Twelve paradigms that most languages have, as templates of a data set.

They draw words by kinds and print them by the macros of the language, so they are the same in all
languages. A template says in ``needs`` what one form of a table must have: ``noun.Gender``,
``verb.Gender|Mood=Ind|Tense=Past``.
"""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from solecism.errors import InputError
from solecism.files import add_texts
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import load_paradigm
from solecism.grammar.phrases import Phrases
from solecism.inputs import read_source
from solecism.lexicon.features import Feats
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import unwritten
from solecism.root import SHARED, Root

_NEEDS = re.compile(r"^needs: \[(.*)\]\n", re.MULTILINE)


def write_skeleton(root: Root, dataset: str, code: str) -> list[str]:
    """Write the paradigms that the lexicon of a language can fill and that are not there yet.

    Return lines that say which draw, and which wait and why. Raises :class:`InputError` for
    tables, lists or macros that cannot be read, and where a form is unknown.
    """
    lexicon = Lexicon(root.lexicon(code))
    folder = root.path / "templates" / dataset / lexicon.code
    if unknown := [p for name in lexicon.names for p in unwritten(lexicon.table(name))]:
        raise InputError(unknown)
    phrases = Phrases(folder, lexicon)
    _ = lexicon.typical, lexicon.orthography  # read now: their faults are no reason to wait
    texts, waiting = dict[Path, str](), list[str]()
    for model in sorted(Path(__file__).with_suffix("").glob("*.jinja")):
        path, text = folder / model.name, read_source(model)
        (needs,) = _NEEDS.findall(text)
        text = _NEEDS.sub("", text)
        reasons = [*filter(None, (_lacking(lexicon, need) for need in needs.split(", ")))]
        if reason := reasons[0] if reasons else _failing(text, path, phrases):
            waiting.append(f"{path.stem} ({reason})")
        else:
            texts[path] = text
    wrote = add_texts(root.path, {path: t for path, t in texts.items() if not path.exists()})
    total = f"{len(texts) + len(waiting)} paradigms: {len(texts)} draw; {len(waiting)} wait"
    return [*(f"wrote {path}" for path in wrote), total, *(f"waits: {text}" for text in waiting)]


def _lacking(lexicon: Lexicon, need: str) -> str:
    """Return what a lexicon lacks of a need, or an empty text."""
    table, _, asked = need.rpartition(".")
    parts = [part.partition("=")[::2] for part in asked.split("|")]
    for row in lexicon.table(table).rows if table in lexicon.names else ():
        for cell in row.forms or [Feats()]:
            said = {"lemma": row.lemma, **row.properties, **{n: cell.text(n) for n in cell}}
            texts = [(said.get(name, ""), value) for name, value in parts]
            if all(text and (not value or value in text.split(",")) for text, value in texts):
                return ""
    return f"no {asked.replace('|', ', ')} in {table}"


def _failing(text: str, path: Path, phrases: Phrases) -> str:
    """Return why a template makes no pairs, or an empty text.

    It is tried in a folder that is like its own.
    """
    with TemporaryDirectory() as temporary:
        place = Path(temporary, *path.parts[-3:])
        place.parent.mkdir(parents=True)
        Path(temporary, SHARED).symlink_to(path.parents[2].absolute() / SHARED)
        place.write_text(text, encoding="utf-8")
        try:
            paradigm = load_paradigm(place, phrases.lexicon, phrases)
            return "" if sum(map(len, draw_pairs(paradigm))) else "its words make no pair"
        except InputError as error:
            return error.problems[0].message
