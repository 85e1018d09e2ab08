"""Languages and their names: codes, ISO 639-3, tags (``deu_Latn``) and English names.

``language_tags.tsv`` has them all. Any of them names a language wherever a user names one; data,
folders and results have the codes.
"""

import csv
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path, PurePath

_TABLE = Path(__file__).with_name("language_tags.tsv")


@cache
def _languages() -> Mapping[str, Mapping[str, str]]:
    """Return the lines of the table by code."""
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader((line for line in lines if line[0] != "#"), delimiter="\t")
    return {row["code"]: row for row in rows}


def iso_of(code: str) -> str | None:
    """Return the ISO 639-3 code of a language by its code, None if it is not known."""
    return _languages()[code]["iso639_3"] if code in _languages() else None


def language_name(code: str) -> str:
    """Return the English name of a language by its code, or the code if it is not known."""
    return _languages()[code]["name"] if code in _languages() else code


def tags_of(codes: Iterable[str]) -> tuple[str, ...]:
    """Return the tags of languages, one a script; there are none of a code that is not known.

    >>> tags_of(["de", "zh"])
    ('deu_Latn', 'zho_Hans', 'zho_Hant')
    """
    known = (_languages()[code] for code in codes if code in _languages())
    return tuple(
        f"{row['iso639_3']}_{script}" for row in known for script in row["scripts"].split()
    )


def isos_of(tags: Iterable[str]) -> list[str]:
    """Return the ISO 639-3 codes in tags, each once."""
    return list(dict.fromkeys(tag.partition("_")[0] for tag in tags))


@cache
def language_names() -> Mapping[str, str]:
    """Return the codes of languages by all their names, in lower case and with blanks.

    If a name is that of two languages, codes come before ISO 639-3, and these before other names.
    """
    names: dict[str, str] = {}
    for code, row in _languages().items():
        besides = filter(None, row["besides"].split("; "))
        names |= {_plain(name): code for name in (row["name"], *besides)}
    names |= {_plain(tag): code for code in _languages() for tag in tags_of([code])}
    names |= {row["iso639_3"]: code for code, row in _languages().items()}
    return names | {code: code for code in _languages()}


def code_of(name: str) -> str | None:
    """Return the code of a language by any of its names, None for an unknown name.

    >>> code_of("heb_Hebr"), code_of("Ancient Greek"), code_of("deu"), code_of("clams")
    ('he', 'grc', 'de', None)
    """
    return language_names().get(_plain(name))


def _plain(name: str) -> str:
    """Return a name in lower case, with one blank in place of blanks, ``_`` and ``-``."""
    return re.sub(r"[\s_-]+", " ", name.strip()).casefold()


def config_named(name: str, known: Collection[str]) -> str:
    """Return the config that a name means: of ``known``, or after a language (``deu_Latn-pairs``).

    Any other name is returned as it is.

    >>> config_named("deu_Latn-pairs", ["de", "de-pairs"])
    'de-pairs'
    """
    language, dash, part = name.partition("-")
    found = f"{code_of(language)}{dash}{part}"
    return found if found in known and name not in known else name


def with_codes(path: PurePath) -> Path:
    """Return a path with the code of each folder that is called after a language otherwise.

    >>> with_codes(PurePath("clams/heb/subj_rel")).as_posix()
    'clams/he/subj_rel'
    """
    return Path(*(code_of(part) or part for part in path.parts))
