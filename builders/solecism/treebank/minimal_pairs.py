"""Minimal pairs from mined items: the rows of ``<lang>-pairs`` and ``<lang>-pairs-wide``, chosen so
that many words occur.

Compare MultiBLiMP (Jumelet et al. 2025), which makes pairs of subject and verb from the same
sources. Here every relation is used, a form counts as wrong only if none of its readings is right,
and a pair that another reading might save says so in its feature ``doubt``.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from operator import itemgetter
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import regex

from solecism.hashing import digest_of
from solecism.schema import CLOZE, pair_schema
from solecism.treebank.cloze import wrong_answers
from solecism.treebank.conllu import Flags
from solecism.treebank.forms import differing
from solecism.treebank.relations import bundle, layered, text_of
from solecism.treebank.wrong_forms import Item, WrongForm, WrongForms

EXTRA = (
    "doubt", "flipped", "differs", "good_value", "bad_value", "layer", "relation", "source",
    "treebank", "sent_id", "licence", "attractors",
    "cues", "pron_type", "length", "depth", "frequency_good", "frequency_bad", "genre",
)  # fmt: skip
"""The features of mined pairs beside :data:`solecism.schema.FEATURES`."""
SCHEMA = pair_schema(EXTRA)
_OF_ITEM = ("distance", "layer", "relation", "treebank", "sent_id", "licence", "pron_type", "genre")
"""The features of a pair that are columns of its item."""
TERMS = {
    "determiner": "determiner_noun_agreement",
    "modifying": "adjective_noun_agreement",
    "predicated": "predicate_adjective_agreement",
    "verb": "subject_verb_agreement",
    "object": "object_verb_agreement",
    "indirect_object": "indirect_object_verb_agreement",
    "possessor": "possessor_noun_agreement",
    "adposition": "adposition_noun_agreement",
}
"""The term of the literature for each relation."""
_CLOSED = ("DET", "AUX", "PRON", "ADP")
_GRAVE = frozenset({"us or you", "case alone", "subject of a converb"})
"""Doubts that leave an item out: of such pairs more than a tenth are right on both sides."""
_TOKEN = regex.compile(r"[\w\p{M}]+(?:[-.'’״\"][\w\p{M}]+)*['’]?|[^\w\s]")
Row = dict[str, Any]


@dataclass(frozen=True)
class Caps:
    """How many pairs are kept.

    A *cell* is a paradigm (``UID``: relation, feature, and whether a noun is between the ends) with
    a change from one value to another (``Sing>Plur``). All cells of a language have the same quota:
    twice the median of the numbers of pairs at hand, at least ``floor`` and at most ``cell``. A
    cell has at most ``lemma`` pairs with one lemma of the target (``closed`` for determiners,
    auxiliaries and pronouns), at most ``controller`` pairs with one lemma of the controller, and,
    of other parts of speech, at most ``form`` pairs with one bad form. If no more than ``few``
    pairs are at hand in all, the quota is ``cell``, and the last two caps do not count.

    Pairs are taken in the order of their ids, which are hashes: a pair of each lemma, then a second
    pair of each, and so on. A sentence makes at most one pair of a cell.
    """

    cell: int = 200
    floor: int = 140
    lemma: int = 10
    closed: int = 50
    controller: int = 10
    form: int = 3
    few: int = 200


Cell = tuple[str, str, str]
_Ends = tuple[str, str, int, int]
"""A pair of words: the text, the relation, and where the ends stand."""
_Rank = tuple[bool, str]
"""Whether a pair has a doubt, and its id: lower ranks are taken first."""


@dataclass(frozen=True)
class PairSet:
    """Chosen pairs by cell, and the quota of the cells."""

    cells: Mapping[Cell, list[Row]]
    quota: int

    def rows(self) -> list[Row]:
        """Return the pairs, paradigm by paradigm, a pair of each cell in turn.

        ``pair_id`` numbers the pairs of a paradigm from 0.
        """
        paradigms: dict[str, list[list[Row]]] = defaultdict(list)
        for cell in sorted(self.cells):
            paradigms[cell[0]].append(self.cells[cell])
        return [
            {**row, "pair_id": number}
            for cells in paradigms.values()
            for number, row in enumerate(row for turn in zip_longest(*cells) for row in turn if row)
        ]

    def table(self) -> pa.Table:
        """Return the pairs as a table of :data:`SCHEMA`."""
        return pa.Table.from_pylist(self.rows(), SCHEMA)

    def facts(self) -> dict[str, object]:
        """Return the numbers of pairs by paradigm and change, and the quota.

        ``unfilled``: the cells that have fewer pairs than the quota, with their numbers of pairs;
        ``doubts``: how many pairs have each doubt; ``found_in``: in how many the bad form is found
        where.
        """
        kept: dict[str, dict[str, int]] = defaultdict(dict)
        unfilled, doubts, found_in = {}, Counter[str](), Counter[str]()
        for (uid, good, bad), rows in sorted(self.cells.items()):
            kept[uid][f"{good}>{bad}"] = len(rows)
            if len(rows) < self.quota:
                unfilled[f"{uid} {good}>{bad}"] = len(rows)
            for row in rows:
                doubts.update(filter(None, (row["features"]["doubt"] or "").split("; ")))
                found_in[row["features"]["source"]] += 1
        facts = {"kept": kept, "unfilled": unfilled, "doubts": doubts, "found_in": found_in}
        return {"quota": self.quota, **facts}


@dataclass
class PairMaker:
    """Makes pairs from tables of items (:meth:`take`), and keeps no more than the caps allow.

    ``made`` counts the pairs of each paradigm, without and with doubts, before the caps.
    """

    wrong_forms: WrongForms
    caps: Caps = field(default_factory=Caps)
    made: Counter[tuple[str, bool]] = field(default_factory=Counter)
    _kept: dict[Cell, dict[str, dict[_Rank, Row]]] = field(default_factory=dict)

    def take(self, items: pa.Table) -> tuple[pa.Table, Flags]:
        """Make pairs of the items whose target is masked (:data:`solecism.schema.CLOZE`).

        Returns all items with their columns ``doubt`` and ``candidates``, and flags of those in
        whose place no other form is right, as far as is known. The two items of a pair of words
        share the reasons why another form may be right.
        """
        rows, found = items.to_pylist(), dict[_Ends, Mapping[str, set[str]]]()
        for item in rows:
            if item["masked"] == "target":
                forms, found[_ends(item)] = self.wrong_forms.judge(item)
                most = self.caps.closed if item["upos"] in _CLOSED else self.caps.lemma
                for wrong in forms:
                    self._keep(_row(item, wrong), most)
        reasons = [set(self.wrong_forms.of_masked(item)) for item in rows]
        for item, own in zip(rows, reasons, strict=True):
            of_pair = found.get(_ends(item), {})
            own.update(*(of_pair.get(name, ()) for name in item["decides"]))
        sure = np.array([own <= {*self.wrong_forms.marks} - _GRAVE for own in reasons], bool)
        doubts = ["; ".join(sorted(own)) or None for own in reasons]
        known = self.wrong_forms.forms.of_lemma
        counts = [len(wrong_answers(item, known(item["upos"], item["lemma"]))) for item in rows]
        columns = {"doubt": doubts, "candidates": counts}
        for name, values in columns.items():
            field = CLOZE.field(name)
            items = items.set_column(CLOZE.names.index(name), field, pa.array(values, field.type))
        return items, sure

    def _keep(self, row: Row, most: int) -> None:
        """Keep a pair, unless ``most`` pairs of its cell and lemma have lower ranks."""
        features = row["features"]
        doubtful = bool(features["doubt"])
        self.made[row["UID"], doubtful] += 1
        cell = row["UID"], features["good_value"], features["bad_value"]
        kept = self._kept.setdefault(cell, {}).setdefault(features["target"] or "", {})
        kept.setdefault((doubtful, row["id"]), row)
        if len(kept) > most:
            del kept[max(kept)]

    def certain(self) -> PairSet:
        """Choose pairs without a doubt."""
        return self._choose({}, doubtful=False)

    def wide(self, certain: PairSet) -> PairSet:
        """Choose the certain pairs, and pairs with doubts where the quota leaves room."""
        return self._choose(certain.cells, doubtful=True)

    def _choose(self, chosen: Mapping[Cell, list[Row]], doubtful: bool) -> PairSet:
        """Choose pairs of each cell, beside those that were chosen before."""
        ranked = {cell: self._ranked(cell, doubtful) for cell in self._kept}
        few = sum(map(len, ranked.values())) <= self.caps.few
        if not few:
            ranked = {cell: self._varied(rows) for cell, rows in ranked.items()}
        sizes = [len(rows) for rows in ranked.values() if rows]
        usual = 2 * int(median(sizes)) if sizes else 0
        quota = self.caps.cell if few else min(self.caps.cell, max(self.caps.floor, usual))
        cells = {}
        for cell, rows in ranked.items():
            before = {row["sentence_good"]: row for row in chosen.get(cell, ())}
            for row in rows:
                if len(before) < quota:
                    before.setdefault(row["sentence_good"], row)
            cells[cell] = [*before.values()]
        return PairSet({cell: rows for cell, rows in cells.items() if rows}, quota)

    def _ranked(self, cell: Cell, doubtful: bool) -> list[Row]:
        """Return the pairs of a cell, those without doubts first, and a pair of each target's lemma
        in turn."""
        turns = [
            (rank[0], turn, rank, row)
            for of_lemma in self._kept[cell].values()
            for turn, (rank, row) in enumerate(sorted(of_lemma.items()))
            if doubtful or not rank[0]
        ]
        return [row for *_, row in sorted(turns, key=itemgetter(0, 1, 2))]

    def _varied(self, rows: Iterable[Row]) -> list[Row]:
        """Return pairs without those over the caps for a controller's lemma and a bad form."""
        seen: Counter[tuple[str, str]] = Counter()
        varied = []
        for row in rows:
            target = row["slots"][0]
            most = {("controller", row["features"]["controller"]): self.caps.controller}
            if target["upos"] not in _CLOSED:
                bad = row["sentence_bad"][target["bad_start"] : target["bad_end"]].casefold()
                most["form", bad] = self.caps.form
            seen.update(most.keys())
            if all(seen[word] <= number for word, number in most.items()):
                varied.append(row)
        return varied

    def facts(self, chosen: PairSet, doubtful: bool) -> dict[str, object]:
        """Return what the manifest says of a set: the caps, and the numbers of pairs made and kept.

        ``passed_over``: how often an item made no pair, by reason.
        """
        made: Counter[str] = Counter()
        for (uid, has_doubt), count in sorted(self.made.items()):
            made[uid] += count if doubtful or not has_doubt else 0
        skipped = dict(sorted(self.wrong_forms.skipped.items()))
        return {"caps": asdict(self.caps), "made": made, **chosen.facts(), "passed_over": skipped}


def _ends(item: Item) -> _Ends:
    ends = (item[end]["index"] for end in ("target", "controller"))
    return item["text"], item["relation"], *ends


def _row(item: Item, wrong: WrongForm) -> Row:
    """Return the row of a pair."""
    left, good, bad, right = item["left"] or "", item["answer"], wrong.form, item["right"] or ""
    before, behind = wrong.around or (left, right)
    prefix = left.rstrip()
    one = bool(prefix) and left != prefix and before == left  # a prefix must end before a blank
    return {
        "id": digest_of(f"{item['id']} {wrong.feature}"),
        "set_id": item["id"],
        "UID": f"{item['relation']}_{wrong.feature.lower()}{_distance(item, wrong)}",
        "field": "morphology",
        "linguistics_term": wrong.term or TERMS[item["relation"]],
        "language": item["language"],
        "sentence_good": left + good + right,
        "sentence_bad": before + bad + behind,
        "tokens_good": _tokens(left, good, right),
        "tokens_bad": _tokens(before, bad, behind),
        "simple_LM_method": True,
        "one_prefix_method": one,
        "one_prefix_prefix": prefix if one else None,
        "one_prefix_word_good": good if one else None,
        "one_prefix_word_bad": bad if one else None,
        **dict.fromkeys(("two_prefix_method", "lexically_identical"), False),
        "slots": _slots(item, wrong),
        "features": _features(item, wrong),
    }


def _distance(item: Item, wrong: WrongForm) -> str:
    """Return the ending of a pair's UID: what stands between its ends.

    ``_attractor``: a noun, a name or a pronoun with another value than the controller's;
    ``_intervening``: nouns, but no such one; an empty text: no noun.
    """
    own = bundle(item["controller"]["feats"]).get(wrong.feature)
    for attractor in item["attractors"] or []:
        theirs = bundle(attractor["feats"]).get(wrong.feature)
        if own and theirs and not own & theirs:
            return "_attractor"
    return "_intervening" if item["intervening_noun"] else ""


def _tokens(left: str, word: str, right: str) -> str:
    """Return the words and marks of a sentence with blanks between them."""
    return " ".join([*_TOKEN.findall(left), word, *_TOKEN.findall(right)])


def _slots(item: Item, wrong: WrongForm) -> list[Row]:
    """Return where the ends stand in the good and the bad sentence, with what is known of them.

    A controller that is written together with other words has no slot.
    """
    start, size = len(item["left"] or ""), len(item["answer"])
    grown, at = len(wrong.form) - size, len(wrong.around[0]) if wrong.around else start
    places = [("target", item["upos"], (start, start + size), (at, at + size + grown))]
    first, end = item["controller"]["start"], item["controller"]["end"]
    if item["text"][first:end] == item["controller"]["form"] and not wrong.around:
        moved = grown * (first > start)
        places.append(("controller", None, (first, end), (first + moved, end + moved)))
    return [
        {
            "name": name, "lemma": item[name]["lemma"], "form": item[name]["form"], "upos": upos,
            "feats": item[name]["feats"], "good_start": good[0], "good_end": good[1],
            "bad_start": bad[0], "bad_end": bad[1],
        }
        for name, upos, good, bad in places
    ]  # fmt: skip


def _features(item: Item, wrong: WrongForm) -> Row:
    """Return the features of a pair."""
    controller, attractors = item["controller"], item["attractors"] or []
    own, target = bundle(controller["feats"]), bundle(item["feats"])
    theirs = [bundle(attractor["feats"]) for attractor in attractors]
    numbers = {text_of(feats, "Number") for feats in theirs} - {None}
    differ = numbers - {text_of(own, "Number")}
    counts = {name: item[name] for name in ("length", "depth")}
    counts |= {"frequency_good": item["frequency"], "frequency_bad": wrong.frequency}
    return {
        "construction": item["relation"],
        "controller": controller["lemma"],
        **{f"controller_{n.lower()}": text_of(own, n) for n in ("Number", "Gender", "Person")},
        "attractor": _joined(a["lemma"] or a["form"] for a in attractors),
        "attractor_number": _joined(text_of(feats, "Number") for feats in theirs),
        "attractor_gender": _joined(text_of(feats, "Gender") for feats in theirs),
        "match": "mismatch" if differ else "match" if numbers else None,
        "intervenes": bool(item["intervening_noun"]),
        "target": item["lemma"],
        "doubt": "; ".join(wrong.doubts) or None,
        "flipped": wrong.feature,
        "good_value": text_of(target, layered(wrong.feature, item["layer"] or "")),
        "bad_value": wrong.value,
        "differs": ",".join(sorted(differing(target, bundle(wrong.feats)))),
        "source": wrong.source,
        "attractors": str(len(attractors)),
        "cues": _joined(item["cues"] or ()),
        **{name: None if count is None else str(count) for name, count in counts.items()},
        **{name: item[name] for name in _OF_ITEM},
    }


def _joined(texts: Iterable[str | None]) -> str | None:
    """Return texts with commas between them, None without any; ``-`` is for a text not known."""
    return ",".join(text or "-" for text in texts) or None
