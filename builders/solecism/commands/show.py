"""Show items, with the words that matter in brackets.

NAME: clams/he/subj_rel, agreement/he, or FOLDER/CONFIG of a built data set. Of a name with several
paradigms, as blimp-he, an item of each is shown.
"""

import json
from collections.abc import Iterator

import click
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from solecism.commands.cli import JSON, ROOT, console, option, print_lines, sides
from solecism.commands.completion import complete_paradigms
from solecism.commands.list import mined_tables
from solecism.contrast import differing_span
from solecism.datasets.glosses import glossed_sentences
from solecism.datasets.samples import Sample, Wanted, samples
from solecism.lexicon.features import Feats
from solecism.lexicon.glosses import gloss_of_features
from solecism.root import Root
from solecism.schema import FEATURES, GLOSSES, ItemRow
from solecism.terminal import isolated


@click.command(help=__doc__)
@click.argument("name", shell_complete=complete_paradigms)
@option("-n", "number", type=click.IntRange(1), help="Default: 5, or one of each paradigm.")
@option("--seed", type=int, default=0, help="Another seed shows other items.")
@option("--where", "wanted", multiple=True, metavar="FEATURE=VALUE", help="As match=mismatch.")
@option("--gloss", is_flag=True, help="Gloss each word by the Leipzig rules.")
@sides
@JSON
@ROOT
def command(
    name: str, number: int | None, seed: int, wanted: tuple[str, ...], gloss: bool, as_json: bool,
    root: Root,
) -> None:  # fmt: skip
    values = dict(text.partition("=")[::2] for text in wanted)
    for sample in samples(root, name, Wanted(number, seed, values, gloss)):
        if as_json:
            print_lines(*(json.dumps(item, ensure_ascii=False) for item in sample.items))
        else:
            _print(sample)


def _print(sample: Sample) -> None:
    more = f" (a sample of up to {sample.space})" if sample.space else ""
    print_lines(f"{sample.name}: {sample.found} items{more}, {len(sample.items)} shown")
    if sample.about:
        print_lines(Text(sample.about, style="italic"))
    for count, item in enumerate(sample.items, 1):
        console().print(item_grid(sample.kind, count, item, console().width))
    for overview in mined_tables([sample.mined]) if sample.mined else ():
        console().print(overview)


def mark_difference(good: str, bad: str) -> tuple[str, str]:
    """Put brackets around the words in which two sentences differ."""
    space = " " if " " in good + bad else ""
    sides = [text.split(space) if space else list(text) for text in (good, bad)]
    for words, span in zip(sides, differing_span(*sides), strict=True):
        words[span] = [_bracketed(space.join(words[span]))]
    return space.join(sides[0]), space.join(sides[1])


def _bracketed(text: str) -> str:
    core = text.rstrip(".,;:!?")
    return f"[{core}]{text[len(core) :]}"


def item_grid(kind: str, count: int, item: ItemRow, width: int) -> Table:
    """Return the texts of an item, with what is known of it, and its id, below them.

    Glosses, if it has any, are below their words, in lines of up to ``width`` columns.
    """
    rows: list[tuple[str, Text]] = []
    if kind == "pair":
        good, bad = map(isolated, mark_difference(item["sentence_good"], item["sentence_bad"]))
        rows = [("good", Text(f" {good}", "green")), ("bad", Text(f"*{bad}", "red"))]
        for _, text in rows:
            text.highlight_regex(r"\[[^\]]*\]", "bold")
        about = _features(item.get("features") or {})
    elif kind == "suite":
        rows = [(c["name"], Text(isolated(c["text"]))) for c in item["conditions"]]
        about = "\n".join(item["predictions"])
    elif kind == "cloze":
        rows = [("", Text(isolated(f"{item['left']}[{item['answer']}]{item['right']}")))]
        ends = "; ".join(f"{end} {item[end]['form']}" for end in ("controller", "target"))
        agrees = ", ".join(item["agrees_in"])
        about = f"{item['relation']}, masked: {item['masked']}; {ends}; {agrees}"
    else:
        rows = [("", Text(isolated(str(item.get("form", "")))))]
        about = ", ".join(f"{name} {value}" for name, value in item.items() if name != "form")
    if item.get(GLOSSES):
        rows = _glossed_rows(kind, item, width)
    elif GLOSSES in item:
        about += _lemmas_and_features(item)
    about += f"; id {item['id']}" if "id" in item else ""
    grid = Table.grid(padding=(0, 1))
    for number, (label, text) in enumerate([*rows, ("", Text(about, style="dim"))]):
        grid.add_row("" if number else f"{count:>3}", label, text)
    return grid


def _glossed_rows(kind: str, item: ItemRow, width: int) -> list[tuple[str, Text]]:
    """Return the words of each sentence in a line and their glosses in the next, each with a label.

    Words stand in their order from left to right in every script, each above its gloss.
    """
    sentences = glossed_sentences(item, item[GLOSSES])
    styles = [(sentence.name, "", "") for sentence in sentences]
    lines = [sentence.words for sentence in sentences]
    if kind == "pair":
        styles = [("good", " ", "green"), ("bad", "*", "red")]
        _bracket(*lines)
    # The number of the item, the labels, and a space after each; then the star.
    room = width - 5 - max(len(name) + len(star) for name, star, _ in styles)
    rows = []
    for (label, star, style), line in zip(styles, lines, strict=True):
        for number, words in enumerate(_wrapped(line, room)):
            above, below = Text(" " * len(star) if number else star, style), Text(" " * len(star))
            for word, gloss in words:
                size = _size(word, gloss)
                above.append(isolated(word) + " " * (size - cell_len(word)))
                below.append(gloss.ljust(size))
            above.highlight_regex(r"\[[^\]]*\]", "bold")
            rows += [("" if number else label, above), ("", below)]
        rows.append(("", Text()))
    return rows


_Words = list[tuple[str, str]]
"""Words, each with its gloss."""


def _bracket(good: _Words, bad: _Words) -> None:
    """Put brackets around the words in which the sides of a pair differ."""
    spans = differing_span([word for word, _ in good], [word for word, _ in bad])
    for words, span in zip((good, bad), spans, strict=True):
        for place in range(span.start, span.stop):
            word, gloss = words[place]
            words[place] = _bracketed(word), gloss


def _wrapped(words: _Words, width: int) -> Iterator[_Words]:
    """Cut words into lines of up to ``width`` columns."""
    line, used = _Words(), 0
    for word in words:
        if line and used + _size(*word) > width:
            yield line
            line, used = [], 0
        line.append(word)
        used += _size(*word)
    yield line


def _size(word: str, gloss: str) -> int:
    """Return the width of a word with its gloss and the space after them, in columns."""
    return max(cell_len(word), cell_len(gloss)) + 2


def _lemmas_and_features(item: ItemRow) -> str:
    """Return lemma and features of the words of a mined item of which the treebank says them."""
    ends = [item[end] for end in ("controller", "target") if end in item]
    known = [*(item.get("slots") or ends), *(item.get("attractors") or ())]
    texts = []
    for word in known:
        features = gloss_of_features(Feats.parse(word["feats"] or ""))
        meaning = ".".join(filter(None, (word["lemma"], features)))
        texts.append(f"{word['form']} {meaning}")
    return f"; lemma and features: {', '.join(texts)}" if texts else ""


def _features(features: ItemRow) -> str:
    known = {name: str(value) for name, value in features.items() if value is not None}
    shown = []
    for role in ("controller", "attractor"):
        names = [name for name in known if name in FEATURES and name.partition("_")[0] == role]
        if names:
            shown.append(" ".join([role, *(known.pop(name) for name in names)]))
    known.pop("construction", None)
    shown += [f"{name} {value}" for name, value in known.items()]
    return "; ".join(shown) or "no features"
