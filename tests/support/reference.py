"""A slow, obvious way to draw pairs, to hold the engine against.

It shares no code with the engine: it reads the tables itself, takes every combination of
``itertools.product``, renders every line whole with plain Jinja, and spells every whole sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined

Features = dict[str, set[str]]
Rows = list[tuple[dict[str, str], list[tuple[Features, str]]]]
Pair = tuple[str, str, str, str]
"""Good and bad sentence, good and bad tokens."""

_FEATURES = {"Gender", "Animacy", "Person", "Number", "Case", "Tense", "Definite", "Degree"}
_MARKS = ".,;:!?…。，、；：？！»)]"
_FINAL = ".?!…。？！"


class Lacking(Exception):  # noqa: N818
    """These words make no sentence."""


@dataclass
class Choices:
    """Which alternative each ``clash`` of a line takes, and how many there were."""

    script: list[int]
    sizes: list[int] = field(default_factory=list)

    def take(self, forms: list[Ref]) -> Ref:
        place = len(self.sizes)
        self.sizes.append(len(forms))
        return forms[self.script[place] if place < len(self.script) else 0]


@dataclass(frozen=True, eq=False)
class Ref:
    """A word: all forms of its row, those it may take, and the one drawn (an index of
    ``forms``)."""

    table: str
    row: Mapping[str, str]
    forms: Sequence[tuple[Features, str]]
    may: Sequence[int]
    here: int | None
    world: World
    slot: str = ""

    @property
    def feats(self) -> Features:
        nominal = {} if self.table in ("verb", "aux") else {"Person": {"3"}}
        own = {k: set(v.split(",")) for k, v in self.row.items() if k in _FEATURES and v}
        return {**nominal, **own, **({} if self.here is None else self.forms[self.here][0])}

    def noted(self) -> Ref:
        """Note that the form drawn for the slot matters."""
        if self.slot:
            self.world.drawn.add(self.slot)
        return self

    def __str__(self) -> str:
        self.noted()
        texts = [self.forms[i][1] for i in ([self.here] if self.here is not None else self.may)]
        bare = self.row["lemma"].partition("#")[0]
        return f"\ue000{texts[0] if texts else bare}\ue001"

    def __getattr__(self, name: str) -> str:
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "lemma":
            return self.row["lemma"].partition("#")[0]
        if name in self.row:
            return self.row[name]
        return ",".join(sorted(self.noted().feats.get(name, ())))

    def _only(self, found: list[int]) -> Ref:
        texts = {self.forms[i][1] for i in found}
        if not texts:
            raise Lacking
        assert len(texts) == 1, texts
        return replace(self, here=found[0], slot="")

    def agree(self, model: Ref, wrong: str = "", **wanted: str) -> Ref:
        if wrong:
            return self.clash(model, *wrong.split(", "), **wanted)
        asked = {**model.noted().feats, **_features(wanted)}
        fit = [i for i in self.may if set(wanted) <= set(self.forms[i][0])]
        fit = [i for i in fit if _alike(self.forms[i][0], asked)]
        return self._only([i for i in fit if set(self.forms[i][0]) & set(asked)] or fit)

    def clash(self, model: Ref, *texts: str, **wanted: str) -> Ref:
        values = [text.split("=") for text in texts if "=" in text]
        names = [text.split("=")[0] for text in texts]
        right = self.agree(model, **wanted)
        asked = {**model.feats, **_features(wanted)}
        assert right.here is not None
        good_cell, good = self.forms[right.here]
        wrong: dict[str, int] = {}
        for i in self.may:
            cell, text = self.forms[i]
            differs = any(n in cell and n in asked and not cell[n] & asked[n] for n in names)
            others = _alike(cell, asked, names) and _alike(cell, good_cell, names)
            others = others and all(value in cell.get(name, ()) for name, value in values)
            if set(wanted) <= set(cell) and differs and others and text != good:
                wrong.setdefault(text, i)
        if not wrong:
            raise Lacking
        return self.world.choices.take([replace(self, here=i, slot="") for i in wrong.values()])

    def form(self, **wanted: str) -> Ref:
        here = {} if self.noted().here is None else self.forms[self.here or 0][0]
        asked = {**here, **_features(wanted)}
        every = range(len(self.forms))
        fit = [i for i in every if set(wanted) <= set(self.forms[i][0])]
        return self._only([i for i in fit if _alike(self.forms[i][0], asked)])


def _features(wanted: Mapping[str, str]) -> Features:
    return {name: set(value.split(",")) for name, value in wanted.items()}


def _alike(a: Features, b: Features, but: Sequence[str] = ()) -> bool:
    return all(a[n] & b[n] for n in a if n in b and n not in but)


class World:
    """A paradigm read by hand: tables, spelling, slots and lines."""

    def __init__(self, root: Path, dataset: str, language: str, uid: str) -> None:
        self.words = root / "lexicons" / language
        folder = root / "templates" / dataset / language
        _, front, body = (folder / f"{uid}.jinja").read_text(encoding="utf-8").split("---\n", 2)
        self.front: dict[str, Any] = yaml.load(front, Loader=yaml.BaseLoader)
        lines = re.sub(r"\n\s+", " ", body).splitlines()
        self.lines = [line.split(":", 1) for line in lines if line.strip() and line[0] != "#"]
        phrases = folder / "_phrases.jinja"
        self.phrases = phrases.read_text(encoding="utf-8") if phrases.exists() else ""
        self.env = Environment(undefined=StrictUndefined)
        self.env.filters |= {"agree": Ref.agree, "clash": Ref.clash, "form": Ref.form}
        self.env.tests["under"] = self._under
        self.env.globals["word"] = self._word
        self.drawn: set[str] = set()
        self.tables: dict[str, Rows] = {}
        self.compiled: dict[str, Any] = {}
        self.choices = Choices([])

    def _rows(self, table: str) -> Rows:
        if table in self.tables:
            return self.tables[table]
        path = self.words / f"{table}.tsv"
        if not path.exists():
            return []
        header, *lines = [x.split("\t") for x in path.read_text(encoding="utf-8").splitlines()]
        out = []
        for cells in lines:
            named = list(zip(header, cells, strict=True))
            forms = [(_cell(name), text) for name, text in named if "=" in name and text]
            out.append(({name: text for name, text in named if "=" not in name}, forms))
        self.tables[table] = out
        return out

    def _word(self, table: str, lemma: str) -> Ref:
        row, forms = next(x for x in self._rows(table) if x[0]["lemma"] == lemma)
        return Ref(table, row, forms, range(len(forms)), None, self)

    def _under(self, word: Ref, classes: str) -> bool:
        parents = {row["class"]: row["parent"] for row, _ in self._rows("classes")}

        def below(name: str) -> set[str]:
            return {name} | (below(parents[name]) if parents.get(name) else set())

        wanted = set(filter(None, classes.split(",")))
        return not wanted or any(below(c) & wanted for c in word.Class.split(","))

    def _entries(self, name: str, with_forms: bool) -> list[Ref]:
        wants = dict(self.front["slots"][name])
        tables = wants.pop("from")
        out = []
        for table in [tables] if isinstance(tables, str) else tables:
            for row, forms in sorted(self._rows(table), key=lambda x: x[0]["lemma"]):
                columns = {n for _, f in self._rows(table) for cell, _ in f for n in cell}
                may = _allowed(row, forms, columns, wants)
                here = sorted(may, key=lambda i: _name(forms[i][0])) if with_forms else [None]
                here = here if forms else [None]
                if _selected(row, wants) and (may or not forms):
                    out += [Ref(table, row, forms, may, i, self, name) for i in here]
        return out

    def combinations(self) -> Iterator[dict[str, Ref]]:
        """All words that go together; forms that no line asks for are not drawn."""
        self._find_drawn()
        names = list(self.front.get("slots", {}))
        yield from self._product(names, [self._entries(n, n in self.drawn) for n in names])

    def _find_drawn(self) -> None:
        names = list(self.front.get("slots", {}))
        self.drawn = set()
        for words in product(*(self._entries(name, True) for name in names)):
            for _, line in self.lines:
                list(self._alternatives(line, dict(zip(names, words, strict=True))))
            for source in self.front.get("features", {}).values():
                self._expression(source, dict(zip(names, words, strict=True)))

    def _product(
        self, names: Sequence[str], entries: Sequence[Sequence[Ref]]
    ) -> Iterator[dict[str, Ref]]:
        where = self.front.get("where", [])
        texts = [where] if isinstance(where, str) else where
        clauses = [self.env.compile_expression(text) for text in texts]
        for words in product(*entries):
            by_name = dict(zip(names, words, strict=True))
            if self._repeats(by_name):
                continue
            if all(clause(**by_name) for clause in clauses):
                yield by_name

    def _repeats(self, words: Mapping[str, Ref]) -> bool:
        may = set(self.front.get("may_repeat", []))
        return any(
            a.table == b.table and a.row["lemma"] == b.row["lemma"] and not {n, m} <= may
            for (n, a), (m, b) in combinations(words.items(), 2)
        )

    def pairs(self) -> Iterator[Pair]:
        """All pairs, in order."""
        (_, good), *bad = [line for line in self.lines if line[0] != "also"]
        also = [line for name, line in self.lines if name == "also"]
        for words in self.combinations():
            right = list(self._alternatives(good, words))
            assert len(right) < 2
            for text, tokens in right:
                fine = {text, *(t for line in also for t, _ in self._alternatives(line, words))}
                for _, line in bad:
                    for wrong, wrong_tokens in self._alternatives(line, words):
                        if wrong not in fine:
                            yield text, wrong, tokens, wrong_tokens

    def _alternatives(self, line: str, words: Mapping[str, Ref]) -> Iterator[tuple[str, str]]:
        """Both renderings of a line, for each combination of the choices of its clashes."""
        scripts: list[list[int]] = [[]]
        while scripts:
            self.choices = Choices(scripts.pop(0))
            try:
                yield self._spelt(self._render(line, words))
            except Lacking:
                return
            if not self.choices.script:
                scripts = [list(s) for s in product(*map(range, self.choices.sizes))][1:]

    def _render(self, line: str, words: Mapping[str, Ref]) -> str:
        """Render a line whole; U+E002 marks the ends of expressions."""
        out = ""
        for part in re.split(r"(\{\{.*?\}\})", line):
            if part.startswith("{{"):
                out += f"\ue002{self._expression(part[2:-2], words)}\ue002"
            else:
                out += re.sub(r"\\([\[\]])|\[[\w-]+:\s?|\]", lambda m: m[1] or "", part)
        return out

    def _expression(self, source: str, words: Mapping[str, Ref]) -> str:
        if source not in self.compiled:
            text = f"{self.phrases}{{{{ {source} }}}}"
            self.compiled[source] = self.env.from_string(text)
        try:
            return str(self.compiled[source].render(**words)).strip()
        except Lacking:
            if source in self.front.get("features", {}).values():
                return ""
            raise

    def _spelt(self, text: str) -> tuple[str, str]:
        """Spell a rendered line: as a sentence, and as tokens."""
        tokens = _tokens(text)
        settings = {"capital": "", "stop": "", "space": ""}
        for row, _ in self._rows("orthography"):
            if row["rule"] in settings:
                settings[row["rule"]] = row["result"]
            else:
                tokens = _rewritten(tokens, row)
        stop = settings["stop"]
        loose = tokens[:-1] if tokens and stop and tokens[-1][0] == stop else tokens
        if stop and not (tokens and tokens[-1][0][-1] in _FINAL):
            tokens = [*tokens, (stop, True)]
        space = "" if settings["space"] == "no" else " "
        sentence = "".join(text if glued else space + text for text, glued in tokens)
        sentence = sentence.removeprefix(space)
        if settings["capital"] == "yes":
            sentence = sentence[:1].upper() + sentence[1:]
        return sentence, " ".join(text for text, _ in loose)


def _cell(name: str) -> Features:
    return {k: set(v.split(",")) for k, v in (part.split("=") for part in name.split("|"))}


def _name(cell: Features) -> str:
    return "|".join(f"{k}={','.join(sorted(cell[k]))}" for k in sorted(cell, key=str.lower))


def _selected(row: Mapping[str, str], wants: Mapping[str, str | list[str]]) -> bool:
    """Whether the properties of a word are those that a slot asks for."""
    for name, value in wants.items():
        asked = {value} if isinstance(value, str) else set(value)
        if name in row and not asked & set(row[name].split(",")):
            return False
    return True


def _allowed(
    row: Mapping[str, str],
    forms: Sequence[tuple[Features, str]],
    columns: set[str],
    wants: Mapping[str, str | list[str]],
) -> list[int]:
    """The forms of a word that have the features a slot asks for."""
    asked = {n: {v} if isinstance(v, str) else set(v) for n, v in wants.items()}
    asked = {n: v for n, v in asked.items() if n not in row and n in columns}
    return [i for i, (c, _) in enumerate(forms) if all(c.get(n, set()) & asked[n] for n in asked)]


def _tokens(text: str) -> list[tuple[str, bool]]:
    """Words and final marks, each with whether it is written together with what stands before
    it."""
    out: list[tuple[str, bool]] = []
    glued = False
    for match in re.finditer("\ue000(.*?)\ue001|\ue002|\\s+|[^\\s\ue000-\ue002]+", text):
        if match[0].isspace():
            glued = False
        for number, word in enumerate((match[1] or match[0]).strip("\ue002").split()):
            core = word.rstrip(_MARKS)
            joined = (glued and number == 0) or word[0] in _MARKS
            parts = [part for part in (core, *word[len(core) :]) if part]
            out += [(part, joined if i == 0 else True) for i, part in enumerate(parts)]
            glued = True
    return out


def _rewritten(tokens: Sequence[tuple[str, bool]], rule: Mapping[str, str]) -> list[Any]:
    out: list[tuple[str, bool]] = []
    for text, glued in tokens:
        fires = (
            bool(out)
            and not glued
            and re.fullmatch(rule["left"], out[-1][0])
            and re.fullmatch(rule["right"], text)
        )
        if not fires:
            out.append((text, glued))
            continue
        new = re.split("[ +]", rule["result"])
        first = out[-1][0] if new[0] == "=" else new[0]
        out[-1] = (first, out[-1][1])
        if len(new) == 2:
            out.append((text if new[1] == "=" else new[1], "+" in rule["result"]))
    return out


def reference_pairs(root: Path, dataset: str, language: str, uid: str) -> list[Pair]:
    """Draw all pairs of a paradigm, slowly."""
    return list(World(root, dataset, language, uid).pairs())
