"""Glosses after the Leipzig rules: of words, and of features (``glosses.toml``).

The meaning of a lemma is in the column ``Gloss`` of its table, that of words which stand in
templates as they are printed in ``words.tsv``, with the columns ``form`` and ``Gloss``. Where there
is none, the lemma or the form takes its place.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from solecism.errors import Problem
from solecism.inputs import Json, read_toml
from solecism.lexicon.features import Feats
from solecism.lexicon.orthography import is_mark
from solecism.lexicon.table import Row, Table, read_tsv

WORDS, GLOSS = "words", "Gloss"

PRONOUN = "PRO"
"""The gloss of a pronoun that means nothing but its features: these stand alone."""

REST = "_"
"""The gloss of each further token of a word of several tokens."""


class Glosses:
    """The glosses of the words of a language.

    ``missing`` has a problem for each word that was asked for and has no gloss, if the language has
    the file ``words.tsv``: of other languages no glosses are expected.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{WORDS}.tsv"
        self.expected = self.path.exists()
        _, *rows = read_tsv(self.path, ["form", GLOSS]) if self.expected else [(1, [])]
        self._forms = {form: gloss for _, (form, gloss, *_) in rows}
        self.missing: dict[Problem, None] = {}

    def of_form(self, form: str) -> str:
        """Return the gloss of a word that is printed as it is; that of a mark is the mark."""
        found = self._forms.get(form) or self._forms.get(form.lower(), "")
        if not found and self.expected and not is_mark(form):
            self.missing[Problem(repr(form), str(self.path), 1)] = None
        return _joined(found or form)

    def of_word(self, row: Row, table: Table, cell: Feats, model: Feats) -> str:
        """Return the gloss of a word in the form ``cell``: ``author.NOM.PL``.

        A form that stands for some values of a feature has that of ``model``, the word that it
        agrees with; one that stands for all of them, or more than two, does not show the feature.
        """
        gloss = row.properties.get(GLOSS, "")
        if not gloss and self.expected:
            self.missing[Problem(repr(row.lemma), table.path, row.line)] = None
        bare = gloss == PRONOUN
        feats = row.inherent.updated(cell) if bare else cell
        several = {name: values for name, values in feats.pairs if len(values) > 1}
        open_to = {n for n, v in several.items() if len(v) > 2 or v >= table.values(n)}
        chosen = {n: values & model.get(n, values) or values for n, values in several.items()}
        features = gloss_of_features(feats.updated(chosen), frozenset(open_to))
        shown = "" if bare and features else _joined(gloss or row.shown)
        return ".".join(filter(None, (shown, features)))


def _joined(gloss: str) -> str:
    return gloss.replace(" ", ".")


@lru_cache(maxsize=1 << 12)
def gloss_of_features(feats: Feats, without: frozenset[str] = frozenset()) -> str:
    """Return the abbreviations of features, but for those called ``without``.

    Several values of one feature have a slash between them.

    >>> gloss_of_features(Feats.parse("Mood=Ind|Number=Plur|Person=1,3|Tense=Pres|VerbForm=Fin"))
    'PRS.1/3PL'
    """
    table, shown = _rules(), dict[str, str]()
    names = [name for name in table["order"] if name in feats and name not in without]
    if "Person" in names:
        names.sort(key=lambda name: name == "Case")
    for name in names:
        known: Mapping[str, str] = table.get(name, {})
        values = [known.get(value, value.upper()) for value in sorted(feats[name])]
        shown[name] = "/".join(filter(None, values))
    if shown.get("Person"):  # Leipzig rule 5: no stop between person and number
        shown["Person"] += shown.pop("Number", "")
    return ".".join(filter(None, shown.values()))


@cache
def _rules() -> dict[str, Json]:
    """Return the rules of ``glosses.toml``, which describes its keys."""
    return read_toml(Path(__file__).with_name("glosses.toml"))
