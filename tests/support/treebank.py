"""Little treebanks written as plain lines, and mirrors of them."""

from pathlib import Path
from textwrap import dedent


def conllu(*sentences: str) -> str:
    """Write sentences as CoNLL-U. A line is a word: form, lemma, UPOS, FEATS, head, relation; a
    form that ends in ``+`` is written together with the next word."""
    return "".join(_sentence(number, text) for number, text in enumerate(sentences, 1))


def _sentence(number: int, text: str) -> str:
    rows = [line.split() for line in dedent(text).strip().splitlines()]
    written = "".join(row[0][:-1] if row[0].endswith("+") else f"{row[0]} " for row in rows)
    lines = [f"# sent_id = s{number}", f"# text = {written.strip()}"]
    for place, (form, lemma, upos, feats, head, relation) in enumerate(rows, 1):
        misc = "SpaceAfter=No" if form.endswith("+") else "_"
        cells = [
            str(place),
            form.removesuffix("+"),
            lemma,
            upos,
            "_",
            feats,
            head,
            relation,
            "_",
            misc,
        ]
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n\n"


def write_mirror(folder: Path, treebank: str, name: str, text: str) -> Path:
    """Write a file of a treebank into a mirror; return the mirror."""
    (folder / treebank).mkdir(parents=True, exist_ok=True)
    (folder / treebank / name).write_text(text, encoding="utf-8")
    return folder
