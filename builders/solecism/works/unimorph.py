"""UniMorph word lists, and the UD features that their tags mean.

Source: John Sylak-Glassman (2016), The Composition and Use of the Universal Morphological Feature
Schema (UniMorph Schema), for the tags; McCarthy et al. (2018), Marrying Universal Dependencies and
Universal Morphology, for the idea of a mapping; Batsuren et al. (2022), UniMorph 4.0, for tags with
arguments, ``NOM(3,SG)``.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from solecism.errors import InputError, Problem, candidates
from solecism.inputs import read_text, read_toml, refuse_pointer
from solecism.lexicon.features import Feats

_KNOWN = read_toml(Path(__file__).with_suffix(".toml"))
_PARTS: dict[str, str] = _KNOWN["parts"]
_TAGS = {
    tag: (name, value) for name, tags in _KNOWN["features"].items() for tag, value in tags.items()
}
_NONE = frozenset({"LGSPEC1", "LGSPEC2", "LGSPEC3", *_PARTS} - {"V.PTCP", "V.MSDR", "V.CVB"})
"""Tags without a UD feature: parts of speech, and tags for what is special to a language."""

_ROMANCE = {"IPFV": ("Tense", "Imp"), "PFV": ("Tense", "Past"), "PRF": ("Tense", "Pqp"),
            "V.CVB": ("VerbForm", "Ger")}  # fmt: skip
_OWN: dict[str, dict[str, tuple[str, str]]] = {
    **dict.fromkeys(("cat", "fra", "glg", "ita", "por", "ron", "spa"), _ROMANCE),
    "rus": {"LGSPEC1": ("Variant", "Short")},
}
"""Tags that mean another feature in a language (ISO 639-3): the one that its treebanks have."""

_LAYERS = {"NOM": "", "ACC": "[obj]", "DAT": "[dat]", "ERG": "[erg]", "ABS": "[abs]"}
_POSSESSOR = re.compile(r"PSS(?P<person>[123])(?P<number>[SPD])")
_ATOM = re.compile(r"(?P<tag>[^;()]+)(?:\((?P<arguments>[^()]*)\))?")
_TAG_COLUMN = re.compile(rf"(?:{'|'.join(map(re.escape, _PARTS))})(?:;.+)?")
_Found = list[tuple[str, str]]


class Attested(NamedTuple):
    """A form that a source has, with what it is a form of, and what it expresses in UD.

    ``upos`` is empty where the source does not say it. ``times``: how often a treebank has the
    form, else 1; 0 for a form that a program guessed.
    """

    form: str
    lemma: str
    upos: str
    feats: Feats
    times: int = 1


def read_unimorph(path: Path, language: str = "", lenient: bool = False) -> Iterator[Attested]:
    """Yield the triples of a UniMorph file, line by line.

    Columns are lemma, form, tags, or lemma, tags, form (as in the shared task of 2023). Further
    columns (a segmentation), empty lines and comments are passed over; lines may end in ``CR LF``.
    Texts are in NFC. ``language``, an ISO 639-3 code, tells what tags mean. After the last line,
    :class:`InputError` is raised with all problems of the file, each with the first line that has
    it; with ``lenient``, such lines are passed over.
    """
    problems: dict[str, Problem] = {}
    text = read_text(path)
    refuse_pointer(path)
    lines = (line.rstrip("\r") for line in text.split("\n"))
    for number, line in enumerate(lines, 1):
        if not line or (line.startswith("#") and "\t" not in line):
            continue
        try:
            yield _triple(unicodedata.normalize("NFC", line), language)
        except ValueError as error:
            problems.setdefault(str(error), Problem(str(error), str(path), number))
    if problems and not lenient:
        raise InputError(problems.values())


def _triple(line: str, language: str) -> Attested:
    cells = line.split("\t")
    if len(cells) < 3:
        raise ValueError(f"{len(cells)} columns where a triple has 3 (tabs between): {line!r}")
    lemma, form, tags, *_ = cells
    if not _TAG_COLUMN.fullmatch(tags) and _TAG_COLUMN.fullmatch(form):
        form, tags = tags, form
    if not lemma or not form:
        raise ValueError(f"the {'form' if lemma else 'lemma'} is empty: {line!r}")
    return Attested(form, lemma, *to_ud(tags, language))


@lru_cache(maxsize=1 << 15)
def to_ud(tags: str, language: str = "") -> tuple[str, Feats]:
    """Return the UPOS and the features of a bundle of UniMorph tags.

    A verb without a tag for its form is finite; but a present with gender and without person is a
    participle (Hebrew). Brackets after a case tag of a verb have the features of the argument that
    it agrees with: ``NOM(3,SG)`` is ``Person=3``, ``ACC(3,SG)`` is ``Person[obj]=3``. The brackets
    of ``PSS`` have features of the layer ``[psor]``. Elsewhere brackets do not count: ``DAT(SG)``.
    Tags without a UD feature (``LGSPEC1``) are passed over, unless ``language`` (ISO 639-3) has one
    for them. Raises ``ValueError`` for a tag that is not in the schema.

    >>> upos, feats = to_ud("V;IND;PRS;3;SG")
    >>> upos, str(feats)
    ('VERB', 'Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin')
    """
    atoms = [(atom["tag"], atom["arguments"]) for atom in _ATOM.finditer(tags)]
    parts = [tag for tag, _ in atoms if tag in _PARTS]
    if not parts or atoms[0][0] not in _PARTS:
        near = candidates("parts of speech", list(_PARTS))
        raise ValueError(f"tags {tags!r} do not begin with a part of speech {near}")
    verb = _PARTS[parts[0]] in ("VERB", "AUX")
    own = _OWN.get(language, {})
    found = [pair for tag, more in atoms if tag not in own for pair in _expand(tag, more, verb)]
    values = _merge(found) | _merge([own[tag] for tag, _ in atoms if tag in own])
    return _PARTS[parts[0]], Feats.of(_settle(values, verb))


def _expand(tag: str, arguments: str | None, verb: bool) -> _Found:
    inner = [t for part in re.split(r"[;,]", arguments or "") if part for t in _value(part)]
    if tag == "PSS":
        return [(f"{name}[psor]", value) for name, value in inner]
    if arguments is not None and verb and tag in _LAYERS:
        return [(f"{name}{_LAYERS[tag]}", value) for name, value in inner]
    return _value(tag) + inner


def _value(tag: str) -> _Found:
    if possessor := _POSSESSOR.fullmatch(tag):
        number = {"S": "Sing", "P": "Plur", "D": "Dual"}[possessor["number"]]
        return [("Person[psor]", possessor["person"]), ("Number[psor]", number)]
    if tag in _NONE:
        return []
    options = [tag] if tag in _TAGS else [option for option in re.split(r"[+/{}]", tag) if option]
    if all(option in _TAGS for option in options):
        return [_TAGS[option] for option in options]
    raise ValueError(f"no such tag: {tag!r} {candidates('tags', list(_TAGS), tag)}")


def _merge(found: _Found) -> dict[str, set[str]]:
    values: dict[str, set[str]] = {}
    for name, value in found:
        values.setdefault(name, set()).add(value)
    return values


def _settle(values: dict[str, set[str]], verb: bool) -> dict[str, set[str]]:
    """Return features with what depends on several of them put right."""
    if values.get("Definite") == {"Cons"} and "Person[psor]" in values:
        values["Definite"] = {"Def"}
        if "Gender" in values:
            values["Gender[psor]"] = values.pop("Gender")
    if values.get("VerbForm") == {"Inf"} and "Person" in values:  # the five infinitives of Finnish
        values["InfForm"] = values.pop("Person")
    if verb and "VerbForm" not in values:
        participle = values.get("Tense") == {"Pres"} and "Gender" in values
        values["VerbForm"] = {"Part" if participle and "Person" not in values else "Fin"}
    return values
