"""Fillers of a masked place: the forms of an inventory that are one token of a model's vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import torch
from torch import Tensor

from solecism.errors import fail
from solecism.score.masked import require
from solecism.score.masked_text import encode, find_span
from solecism.score.models import Loaded
from solecism.words.features import Feats

__all__ = ["Inventory", "Setting", "Wanted", "wanted_features"]

Wanted = tuple[tuple[str, frozenset[str]], ...]
"""Features and the values that agree."""


@dataclass(frozen=True)
class Setting:
    """What stands right before a masked place decides which token a form is: ``carrier`` is that text
    (a word and a blank, one sign, or nothing at the start); ``capital``: forms get a capital letter."""

    carrier: str
    capital: bool

    @classmethod
    def of(cls, before: str, answer: str) -> Setting:
        """The setting after the text ``before`` in the place of ``answer``."""
        if not before.strip():
            return cls("", answer[:1].isupper())
        return cls("x " if before[-1].isspace() else before[-1], capital=False)

    def text(self, form: str) -> str:
        """The text that shows which token the form is here."""
        return self.carrier + (form[:1].upper() + form[1:] if self.capital else form)


def wanted_features(feats: Feats, names: Iterable[str]) -> Wanted:
    """What a form must express to agree with ``feats`` in ``names`` (those that it has)."""
    return tuple((name, feats[name]) for name in sorted(names) if name in feats)


@dataclass(eq=False)
class Inventory:
    """The table ``<lang>-forms`` read for one model.

    ``rows``: for each part of speech, forms with features and lemma (empty if the table has none). What is
    asked once is kept.
    """

    loaded: Loaded
    rows: dict[str, list[tuple[str, Feats, str]]]
    lemmas: bool
    _tokens: dict[tuple[str, Setting], list[int]] = field(default_factory=dict)
    _sets: dict[tuple[str, Wanted, Setting, str], tuple[Tensor, Tensor]] = field(
        default_factory=dict
    )

    @classmethod
    def read(cls, forms: pa.Table, loaded: Loaded) -> Inventory:
        """Read ``form``, ``upos``, ``feats`` and, if there, ``lemma``.

        Raises :class:`InputError` for missing columns and features that are not spelt as UD spells them.
        """
        require(forms, ("form", "upos", "feats"), "forms")
        lemmas = "lemma" in forms.column_names
        names = ("form", "upos", "feats", *(("lemma",) if lemmas else ()))
        distinct = forms.select(names).group_by(list(names), use_threads=False).aggregate([])
        known: dict[str, Feats] = {}
        rows: dict[str, list[tuple[str, Feats, str]]] = {}
        for form, upos, feats, *lemma in zip(
            *(distinct[n].to_pylist() for n in names), strict=True
        ):
            text = feats or ""
            if text not in known:
                known[text] = _parse(text, form)
            rows.setdefault(upos, []).append((form, known[text], lemma[0] if lemma else ""))
        return cls(loaded, rows, lemmas)

    def token(self, form: str, setting: Setting) -> int | None:
        """The token that a form is in a setting; ``None`` where it is several or unknown."""
        return next(iter(self._single([form], setting)))

    def sets(
        self, upos: str, wanted: Wanted, setting: Setting, lemma: str = ""
    ) -> tuple[Tensor, Tensor]:
        """Token ids (int64, sorted, on the model's device) of right and wrong fillers.

        Right: a form of the part of speech that expresses all of ``wanted`` with a value in common each;
        wrong: one that expresses another value for some, and is not right by another reading. ``lemma``:
        only forms of that lemma.
        """
        key = (upos, wanted, setting, lemma)
        if key not in self._sets:
            self._sets[key] = self._split(*key)
        return self._sets[key]

    def _split(
        self, upos: str, wanted: Wanted, setting: Setting, lemma: str
    ) -> tuple[Tensor, Tensor]:
        rows = self.rows.get(upos, [])
        right, wrong = set(), set()
        for (_, feats, of), token in zip(rows, self._vocabulary(upos, setting), strict=True):
            if token < 0 or (lemma and of != lemma):
                continue
            if all(name in feats and values & feats[name] for name, values in wanted):
                right.add(token)
            elif any(name in feats and not values & feats[name] for name, values in wanted):
                wrong.add(token)
        return self._ids(right), self._ids(wrong - right)

    def _ids(self, tokens: set[int]) -> Tensor:
        return torch.tensor(sorted(tokens), dtype=torch.int64, device=self.loaded.device)

    def _vocabulary(self, upos: str, setting: Setting) -> list[int]:
        """The token of each row of a part of speech, -1 where it is not one."""
        key = (upos, setting)
        if key not in self._tokens:
            forms = [form for form, _, _ in self.rows.get(upos, [])]
            found = self._single(forms, setting)
            self._tokens[key] = [-1 if token is None else token for token in found]
        return self._tokens[key]

    def _single(self, forms: Sequence[str], setting: Setting) -> list[int | None]:
        texts = [setting.text(form) for form in forms]
        unknown, start = self.loaded.tokenizer.unk_token_id, len(setting.carrier)
        tokens: list[int | None] = []
        for encoded in encode(self.loaded, texts):
            span = find_span(encoded, start, len(encoded.text))
            single = span is not None and span.aligned and len(span) == 1
            token = int(encoded.ids[span.start]) if span and single else None
            tokens.append(None if token == unknown else token)
        return tokens


def _parse(text: str, form: str) -> Feats:
    try:
        return Feats.parse(text)
    except ValueError as error:
        raise fail(f"the forms: form {form!r}: {error}") from None
