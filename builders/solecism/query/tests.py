"""Tests of users: a request, the word that changes, and how. A file has one or more, in YAML.

See docs/query.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from solecism.errors import fail, unknown_error
from solecism.grammar.front_matter import Entry, read_front_matter
from solecism.hashing import digest_of
from solecism.inputs import read_text
from solecism.phenomena import phenomena
from solecism.query.request import Request, read_request

KEYS = (
    "id", "about", "phenomenon", "request", "target", "change", "agreeing", "forms", "keep",
    "languages",
)  # fmt: skip
LISTS = ("agreeing", "keep", "languages")
FORMS = ("both", "treebank", "unimorph")
_RELATIONS = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "comp",
    "compound", "conj", "cop", "csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed",
    "flat", "goeswith", "iobj", "list", "mark", "mod", "nmod", "nsubj", "nummod", "obj", "obl",
    "orphan", "parataxis", "punct", "reparandum", "root", "subj", "udep", "unk", "vocative", "xcomp",
)  # fmt: skip
"""The relations of UD, and those that only SUD has."""
OTHER = "other"
"""In ``change``: every other value of the feature."""


@dataclass(frozen=True)
class Test:
    """A test.

    ``free``: the request without what it asks of the features that change; ``target``: the name of
    the word that changes; ``changes``: its new values by feature, one change or several;
    ``agreeing``: relations of dependents that change with it; ``keep``: names that become columns;
    ``languages``: the codes for which it ships (none: all); ``place``: file and line of ``change``.
    """

    id: str
    about: str
    phenomenon: str
    request: Request
    free: Request
    target: str
    changes: tuple[Mapping[str, str], ...]
    agreeing: tuple[str, ...] = ()
    forms: str = FORMS[0]
    keep: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    place: tuple[str, int] = ("", 0)

    @property
    def features(self) -> list[str]:
        """The features that change."""
        return sorted({name for change in self.changes for name in change})

    @property
    def controller(self) -> str:
        """The name of the word that decides the features that change, as the pattern compares
        them; empty if there is none."""
        compared = self.request.pattern.compared
        found = [compared.get((self.target, _asked(name)), "") for name in self.features]
        return found[0] if all(found) else ""

    @property
    def linked(self) -> list[str]:
        """The names that an edge of the pattern links to the target, in their order."""
        links = (clause.names for clause in self.request.pattern.clauses if clause.link == "edge")
        return [
            name for names in links if self.target in names for name in names if name != self.target
        ]

    def facts(self) -> dict[str, object]:
        """Return what a manifest says of it."""
        asked = {"id": self.id, "about": self.about, "request": self.request.text.strip()}
        return {**asked, "change": list(self.changes), "digest": digest_of(self.request.text)}


def read_tests(path: Path) -> list[Test]:
    """Read the tests of a file; ``---`` is between them.

    Raises :class:`InputError` with file, line and what could have been meant.
    """
    found, first = list[Test](), 1
    for part in ("\n" + read_text(path)).split("\n---"):
        text = part.partition("\n")[2]
        if text.strip():
            found.append(_read_test(read_front_matter(text, str(path), first), path))
        first += part.count("\n") + (first > 1)
    if not found:
        raise fail("holds no test", path)
    return found


@cache
def shipped_tests() -> list[Test]:
    """Return the tests that ship with Solecism (``requests/``), in the order of their files."""
    files = sorted((Path(__file__).parent / "requests").glob("*.yaml"))
    return [test for file in files for test in read_tests(file)]


def tests_of(tests: Sequence[Test], code: str) -> list[Test]:
    """Return the tests that are for a language."""
    return [test for test in tests if code in (test.languages or (code,))]


def _read_test(entry: Entry, path: Path) -> Test:
    keys = entry.fields
    for name, value in keys.items():
        if name not in KEYS:
            raise unknown_error("there is no key", name, "keys", KEYS, path, value.line)
    for name in ("id", "request", "target", "change"):
        if name not in keys:
            raise entry.fault(f"the key `{name}` is missing")
    text = {name: value.text or "" for name, value in keys.items()}
    texts = {name: value.texts() for name, value in keys.items() if name in LISTS}
    line = keys["request"].line + ("\n" in text["request"])
    request = read_request(text["request"], str(path), line)
    names = request.pattern.names
    _check(keys, "target", [text["target"]], names, path)
    _check(keys, "keep", texts.get("keep", ()), names, path)
    relations = [name.partition(":")[0] for name in texts.get("agreeing", ())]
    _check(keys, "agreeing", relations, _RELATIONS, path)
    _check(keys, "forms", [text.get("forms", FORMS[0])], FORMS, path)
    _check(keys, "phenomenon", [text.get("phenomenon", "case")], [*phenomena()], path)
    changes = _changes(keys["change"])
    free = {(text["target"], _asked(name)) for change in changes for name in change}
    for feature, wanted in (pair for change in changes for pair in change.items()):
        asked = _asked(feature)
        if request.pattern.tests.get((text["target"], asked)) == f"{asked}={wanted}":
            raise keys["change"].fault(f"{feature}={wanted} is what the request asks for already")
    return Test(
        text["id"], text.get("about", ""), text.get("phenomenon", "case"), request,
        read_request(text["request"], str(path), line, free), text["target"], changes,
        forms=text.get("forms", FORMS[0]), place=(str(path), keys["change"].line), **texts,
    )  # fmt: skip


def _check(
    keys: Mapping[str, Entry], key: str, given: Sequence[str], known: Sequence[str], path: Path
) -> None:
    """Raise :class:`InputError` for a value of a key that is none of those that are known."""
    for value in given:
        if value not in known:
            raise unknown_error(f"`{key}` cannot be", value, "known", known, path, keys[key].line)


def _asked(feature: str) -> str:
    """Return a feature as requests name it: ``Person__psor``."""
    return feature.replace("[", "__").removesuffix("]")


def _changes(entry: Entry) -> tuple[Mapping[str, str], ...]:
    changes = []
    for one in entry.items or (entry,):
        if not one.fields or any(value.text is None for value in one.fields.values()):
            raise entry.fault(
                "`change` wants features with values, as {Case: Nom}, or a list of such"
            )
        changes.append({name: value.text or "" for name, value in one.fields.items()})
    return tuple(changes)
