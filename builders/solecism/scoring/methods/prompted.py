"""Pairs: tuned models, asked with prompts (Ide et al. 2025).

``in_template``: log P of the sentence after a text that says it is acceptable. ``yes_no``:
log P(Yes) - log P(No) after a question about it. ``both``: each prompt of both kinds has a vote.
Prompts are in ``scoring/prompts/<language>.toml``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.errors import fail, unknown_error
from solecism.inputs import read_toml
from solecism.scoring.encoding import shared_spans
from solecism.scoring.methods import Method, Run, TextReader
from solecism.scoring.methods.sentence import Found, located, summed
from solecism.scoring.questions import windows
from solecism.scoring.results import UNALIGNED, require, right_or_tie, scores_table

_FOLDER = Path(__file__).parents[1] / "prompts"
_KINDS = ("in_template", "yes_no")
_SHAPE = {"answers": [str], "cue": str, **{kind: {str: str} for kind in _KINDS}}
_SIDES = ("sentence_good", "sentence_bad")
_MARK = "SENTENCE"
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Prompt:
    """A prompt of a kind: its ``text``, and what stands before and after it.

    ``begin`` and ``end`` are the chat template's; without one, ``end`` is the cue of an answer.
    """

    kind: str
    name: str
    text: str
    begin: str
    end: str
    answers: Sequence[str]

    def scores(self, table: pa.Table, reader: TextReader) -> tuple[Floats, list[Found]]:
        """Return the scores of both sides of pairs, (2, pairs), and the tokens that were read."""
        good, bad = (table[name].to_pylist() for name in _SIDES)
        if self.kind == "in_template":
            before = self.begin + self.text + (self.end or "\n\n")
            sums, found = _after([before] * len(good), good, bad, reader)
            return sums, [found]
        yes, no = ([answer] * len(good) for answer in self.answers)
        answered = []
        for texts in (good, bad):
            asked = [f"{self.begin}{self.text}\n\n{text}{self.end}" for text in texts]
            answered.append(_after(asked, yes, no, reader))
        margins = np.array([sums[0] - sums[1] for sums, _ in answered])
        return margins, [found for _, found in answered]


def _after(
    before: Sequence[str], one: Sequence[str], other: Sequence[str], reader: TextReader
) -> tuple[Floats, Found]:
    """Return log P of two texts after what stands before both, (2, texts).

    As in lm-eval, blanks at the end of what stands before belong to the text that follows.
    """
    ours, theirs = (reader.encode(list(map(str.__add__, before, side))) for side in (one, other))
    spans = [
        shared_spans(both, [(len(start), len(text.text)) for text in both]) or UNALIGNED
        for start, *both in zip(before, ours, theirs, strict=True)
    ]
    found = located(reader, ours, theirs, spans)
    return summed(reader, found), found


def _prompts(run: Run[Any], method: str) -> tuple[str, list[Prompt]]:
    """Return the language of the prompts of a run, and these."""
    begin, end = _chat_of(run) if run.options.chat else ("", "")
    language, _, name = run.options.prompt.rpartition("/")
    language = language or next(run.items.tables(["language"], limit=1))["language"][0].as_py()
    known = sorted(path.stem for path in _FOLDER.glob("*.toml"))
    if language not in known:
        raise unknown_error("no prompts in the language", language or "", "languages", known)
    texts = read_toml(_FOLDER / f"{language}.toml", _SHAPE)
    ends = {"in_template": end, "yes_no": end or texts["cue"]}
    found = [
        Prompt(kind, key, text, begin, ends[kind], texts["answers"])
        for kind in (_KINDS if method == "both" else (method,))
        for key, text in texts[kind].items()
        if name in ("", key)
    ]
    if not found:
        names = {key for kind in _KINDS for key in texts[kind]}
        raise unknown_error(f"method {method!r} has no prompt", name, "prompts", names)
    return language, found if method == "both" else found[:1]


def _chat_of(run: Run[Any]) -> tuple[str, str]:
    """Return what a model's chat template puts before and after what a user says."""
    name, tokenizer = run.reader.name, run.reader.loaded.tokenizer
    if not tokenizer.chat_template:
        raise fail(f"model {name!r} has no chat template: leave chat out")
    turn = [{"role": "user", "content": _MARK}]
    try:
        text = tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True)
        begin, end = text.split(_MARK)
    except Exception as error:  # a template of others may do anything
        reason = f"{type(error).__name__}: {str(error)[:80]}"
        raise fail(f"the chat template of model {name!r} fails ({reason})") from None
    return begin, end


def _signed(run: Run[Any], method: str) -> dict[str, str]:
    """Return the name and the digest of the prompts, as signatures have them."""
    if run.reader.word_level:
        raise fail(f"method {method!r} is not for models of words, whose texts have no prompt")
    language, prompts = _prompts(run, method)
    texts = json.dumps([vars(prompt) for prompt in prompts], ensure_ascii=False)
    name = prompts[0].name if len(prompts) == 1 else run.options.prompt.rpartition("/")[2] or "all"
    digest = hashlib.sha256(texts.encode()).hexdigest()[:8]
    return {"prompt": f"{language}/{name}#{digest}"}


def _score(tables: Iterable[pa.Table], run: Run[Any], method: str) -> Iterator[pa.Table]:
    language, prompts = _prompts(run, method)
    for table, _ in windows(tables, run.reader.window):
        require(table, _SIDES, "data set")
        others = set(table["language"].to_pylist()) - {language}
        if others and "/" not in run.options.prompt:
            raise fail(
                f"pairs in {language!r} and {others.pop()!r}: name a prompt, as en/acceptable"
            )
        asked = [prompt.scores(table, run.reader) for prompt in prompts]
        reasons = zip(*(found[2] for _, founds in asked for found in founds), strict=True)
        skipped = [next(filter(None, why), None) for why in reasons]
        sums, ((*sides, _), *_) = asked[0]
        if method == "both":
            right = sum(right_or_tie(scores[0] - scores[1]) for scores, _ in asked)
            sums = np.array([right, len(asked) - right])
        tokens = [np.array([s.last - s.first for s in side], np.int32) for side in sides]
        texts = [table[name].to_pylist() for name in _SIDES]
        yield scores_table(table, method, sums, tokens, texts, skipped)


def _method(name: str, formula: str) -> Method:
    return Method(
        name, formula, "pair", ("causal",), lambda tables, run: _score(tables, run, name),
        options=("bos", "chat"), further=lambda run: _signed(run, name),
    )  # fmt: skip


METHODS = (
    _method("in_template", "log P of the sentence after a text that says it is acceptable"),
    _method("yes_no", "log P(Yes) - log P(No) after the question whether it is acceptable"),
    _method("both", "votes of all prompts of in_template and of yes_no"),
)
