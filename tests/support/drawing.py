"""Helpers of the tests of drawing: small roots, written inline as aligned tables."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from textwrap import dedent
from typing import Any

import pyarrow as pa
import pytest

from release import CHECKOUT
from solecism.datasets.from_templates import (
    find_paradigm,
    load_paradigms,
    templates_of_language,
)
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts, Paradigm
from solecism.grammar.sampling import plan as plan_module
from solecism.grammar.suites import draw_suites
from solecism.lexicon.features import Feats
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.orthography import tokenize
from solecism.lexicon.table import read_table
from solecism.root import Root

DATASET, LANGUAGE = "tiny", "xx"

Files = Mapping[str, str]
Pairs = dict[str, list[dict[str, Any]]]
"""Pairs by UID."""
Forms = dict[str, dict[str, set[Feats]]]
"""The cells of each form (in lower case), by table and lemma."""


@lru_cache(maxsize=1)  # the next module may be about the same data set
def pairs_of(dataset: str, language: str, extra: tuple[str, ...] = ()) -> Pairs:
    """Draw all pairs of a language of a data set of the checkout; ``extra``: more features."""
    root = Root(CHECKOUT)
    paradigms = load_paradigms(root, templates_of_language(root, dataset, language))
    return {
        paradigm.template.id: pa.concat_tables(draw_pairs(paradigm, extra=extra)).to_pylist()
        for paradigm in paradigms.values()
    }


def lemmas_of(rows: list[dict[str, Any]], name: str) -> set[str]:
    """Return the lemmas that a slot has in some pairs."""
    return {slot["lemma"] for row in rows for slot in row["slots"] if slot["name"] == name}


def slot_of(row: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the word that a slot has in a pair."""
    (found,) = [word for word in row["slots"] if word["name"] == name]
    return dict(found)


def value_of(slot: Mapping[str, Any], feature: str) -> str:
    """Return the value of a feature of a slot's word, as ``Masc``; empty if it has none."""
    found = re.search(rf"\b{feature}=(\w+)", slot["feats"])
    return found[1] if found else ""


def group_of(lexicon: Path, name: str) -> set[str]:
    """Return the lemmas of a group of a lexicon; it has some."""
    found = {lemma for _, lemma in Lexicon(lexicon).typical.groups[name]}
    assert found
    return found


def check_barred(lexicon: Path, barred: str, rows: list[dict[str, Any]], name: str) -> None:
    """Assert that a slot, which all pairs have, never has a word of a group."""
    found = {slot_of(row, name)["lemma"] for row in rows}
    assert found
    assert not group_of(lexicon, barred) & found


def check_lacks(rows: list[dict[str, Any]], name: str, words: str) -> None:
    """Assert that a slot has words, in whatever use, and none of these."""
    found = {lemma.partition("#")[0] for lemma in lemmas_of(rows, name) if lemma}
    assert found
    assert not found & set(words.replace(",", " ").split())


def check_patterns(rows: list[dict[str, Any]], good: str, bad: str) -> None:
    """Assert that all good sentences match one pattern, and all bad ones the other."""
    for row in rows:
        assert re.search(good, row["sentence_good"]), row["sentence_good"]
        assert re.search(bad, row["sentence_bad"]), row["sentence_bad"]


def check_values_differ(rows: list[dict[str, Any]], first: str, second: str, feature: str) -> None:
    """Assert that the words of two slots never have the same value of a feature."""
    for row in rows:
        values = {value_of(slot_of(row, name), feature) for name in (first, second)}
        assert len(values) == 2, row["sentence_bad"]


def spelt_of(lexicon: Path, words: str) -> str:
    """Return words as the rules of spelling of a lexicon have them."""
    tokens = Lexicon(lexicon).orthography.spell(tokenize(words))
    return "".join(t.text if t.glued else f" {t.text}" for t in tokens).strip()


def check_sizes(pairs: Pairs, paradigms: int, words: int = 0) -> None:
    """Assert that each paradigm has 1,000 pairs and no sentence twice, and that words vary.

    ``paradigms`` and ``words``: how many there are at least, words on good sides.
    """
    assert len(pairs) >= paradigms
    for uid, rows in pairs.items():
        for side in ("sentence_good", "sentence_bad"):
            assert len(rows) == len({row[side] for row in rows}) == 1000, uid
    sentences = [row["sentence_good"].lower() for rows in pairs.values() for row in rows]
    assert len({word for sentence in sentences for word in re.findall(r"\w+", sentence)}) >= words


def forms_of(lexicon: Path, names: Sequence[str]) -> Forms:
    """Return the cells of each form of some tables of a lexicon."""
    found: Forms = defaultdict(lambda: defaultdict(set))
    for name in names:
        for row in read_table(lexicon / f"{name}.tsv").rows:
            for cell, form in row.forms.items():
                found[form.lower()][f"{name}:{row.shown}"].add(cell)
    return found


def check_wrong_forms(pairs: Pairs, forms: Forms, least: int) -> None:
    """Assert that where one word differs, the wrong form has no features of the right one.

    ``least``: more than so many words must have been compared.
    """
    compared = 0
    for uid, rows in pairs.items():
        for row in rows:
            good, bad = row["tokens_good"].lower().split(), row["tokens_bad"].lower().split()
            differ = [(a, b) for a, b in zip(good, bad, strict=False) if a != b]
            if len(good) != len(bad) or len(differ) != 1:
                continue
            ours, theirs = (forms.get(word, {}) for word in differ[0])
            for lemma in ours.keys() & theirs.keys():
                assert not ours[lemma] & theirs[lemma], (uid, row["sentence_bad"])
                compared += 1
    assert compared > least


def tsv(text: str) -> str:
    """Turn a table aligned with two or more spaces into tabs; ``-`` is an empty cell."""
    lines = [re.split(r"\s{2,}", line.strip()) for line in text.strip().splitlines()]
    return "".join("\t".join("" if c == "-" else c for c in line) + "\n" for line in lines)


def template(uid: str, front: str, lines: str) -> str:
    """Put a template together; ``front`` need not have the texts that every paradigm has."""
    texts = {"phenomenon": "subject_verb_agreement", "about": "A test.", "source": "nobody-1999"}
    head = dedent(front).strip()
    known = {line.partition(":")[0] for line in head.splitlines()}
    rest = [f"{key}: {value}" for key, value in texts.items() if key not in known]
    return "\n".join(["---", f"id: {uid}", *rest, head, "---", dedent(lines).strip(), ""])


def make_root(
    folder: Path,
    tables: Files,
    templates: Files,
    phrases: str = "",
    dataset: str = DATASET,
    language: str = LANGUAGE,
) -> Root:
    """Write a root: tables as :func:`tsv` reads them, templates whole, by their names."""
    words, paradigms = folder / "lexicons" / language, folder / "templates" / dataset / language
    words.mkdir(parents=True, exist_ok=True)
    paradigms.mkdir(parents=True, exist_ok=True)
    for name, text in tables.items():
        (words / f"{name}.tsv").write_text(tsv(text), encoding="utf-8")
    for uid, text in templates.items():
        (paradigms / f"{uid}.jinja").write_text(text, encoding="utf-8")
    if phrases:
        (paradigms / "_phrases.jinja").write_text(dedent(phrases), encoding="utf-8")
    return Root(folder)


def make_paradigm(
    folder: Path, tables: Files, front: str, lines: str, phrases: str = ""
) -> Paradigm:
    """Write a root with one paradigm, ``p``, and load it."""
    root = make_root(folder, tables, {"p": template("p", front, lines)}, phrases)
    return find_paradigm(root, DATASET, LANGUAGE, "p")


def drawn(
    paradigm: Paradigm, seed: int = 0, counts: Counts | None = None, extra: tuple[str, ...] = ()
) -> pa.Table:
    """Draw all pairs into one table."""
    return pa.concat_tables(draw_pairs(paradigm, seed, counts, extra))


def rows(paradigm: Paradigm, seed: int = 0, extra: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Draw all pairs as dictionaries."""
    return drawn(paradigm, seed, extra=extra).to_pylist()  # type: ignore[no-any-return]


def never_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small spaces be drawn from as large ones are."""
    monkeypatch.setattr(plan_module._LevelTree, "is_small", lambda tree, most: False)


def sentences(paradigm: Paradigm, seed: int = 0) -> list[tuple[str, str]]:
    """Draw all pairs as good and bad sentences."""
    return [(row["sentence_good"], row["sentence_bad"]) for row in rows(paradigm, seed)]


def suite_items(
    paradigm: Paradigm, seed: int = 0, counts: Counts | None = None
) -> list[dict[str, Any]]:
    """Draw all items of a suite as dictionaries."""
    return pa.concat_tables(draw_suites(paradigm, seed, counts)).to_pylist()  # type: ignore[no-any-return]
