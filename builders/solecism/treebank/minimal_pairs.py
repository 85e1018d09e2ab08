"""Minimal pairs from mined items: the rows of ``<lang>-pairs``, chosen so that no word fills them.

Compare MultiBLiMP (Jumelet et al. 2025), which makes pairs of subject and verb from the same
sources; here every relation is used, and a form is only taken for wrong where no reading of it is
right.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from itertools import islice, zip_longest
from typing import Any

import pyarrow as pa

from solecism.schema import pair_schema
from solecism.treebank.agreement import bundle
from solecism.treebank.wrong_forms import Flip, Flipper, Item

__all__ = ["EXTRA", "SCHEMA", "Caps", "PairMaker"]

EXTRA = (
    "flipped", "good_value", "relation", "source", "treebank", "sent_id", "licence", "attractors",
    "cues", "pron_type",
)  # fmt: skip
"""The features of mined pairs beside :data:`solecism.schema.FEATURES`."""
SCHEMA = pair_schema(EXTRA)
TERMS = {
    "determiner": "determiner_noun_agreement",
    "modifying": "adjective_noun_agreement",
    "predicated": "predicate_adjective_agreement",
    "verb": "subject_verb_agreement",
}
"""The term of the literature for each relation."""
_CLOSED = ("DET", "AUX", "PRON")
_ROWS = 1 << 12
_TOKEN = re.compile(r"\w+(?:[-.'’״\"]\w+)*['’]?|[^\w\s]")
Row = dict[str, Any]


@dataclass(frozen=True)
class Caps:
    """How many pairs are kept at most of a paradigm (``UID``: relation and feature).

    ``paradigm``: in all; ``lemma`` and ``controller``: for each value of the good form, of one
    lemma as target and as controller; ``closed``: in place of ``lemma`` for determiners and
    auxiliaries; ``balance``: how many times as often as the rarest value with at least ``floor``
    pairs another value may be there. Pairs are taken in the order of their ids, which are hashes,
    one of each value and lemma after the other.
    """

    paradigm: int = 1000
    lemma: int = 10
    closed: int = 100
    controller: int = 10
    balance: int = 2
    floor: int = 50


@dataclass
class PairMaker:
    """Makes pairs of the items that pass by, and keeps no more than the caps allow.

    ``made`` counts the pairs of each paradigm before the caps.
    """

    flipper: Flipper
    caps: Caps = field(default_factory=Caps)
    made: Counter[str] = field(default_factory=Counter)
    _heaps: dict[tuple[str, str, str], list[_Kept]] = field(default_factory=dict)

    def take(self, items: pa.Table) -> None:
        """Make pairs of the items whose target is masked (:data:`solecism.schema.CLOZE`)."""
        places = _controllers(items)
        for item in items.filter(pa.compute.equal(items["masked"], "target")).to_pylist():
            for flip in self.flipper.flips(item):
                most = self.caps.closed if item["upos"] in _CLOSED else self.caps.lemma
                self._keep(_row(item, flip, places.get(_key(item))), most)

    def _keep(self, row: Row, most: int) -> None:
        self.made[row["UID"]] += 1
        features = row["features"]
        key = row["UID"], features["good_value"], features["target"] or ""
        heap = self._heaps.setdefault(key, [])
        kept = _Kept(-int(row["id"], 16), row)
        if any(kept.order == other.order for other in heap):
            return
        if len(heap) < most:
            heapq.heappush(heap, kept)
        else:
            heapq.heappushpop(heap, kept)

    def rows(self) -> list[Row]:
        """Return the pairs that are kept, paradigm by paradigm; ``pair_id`` counts within one."""
        uids = sorted({uid for uid, _, _ in self._heaps})
        return [row for uid in uids for row in self._paradigm(uid)]

    def tables(self) -> Iterator[pa.Table]:
        """Yield the kept pairs as tables of :data:`SCHEMA`."""
        rows = iter(self.rows())
        while some := list(islice(rows, _ROWS)):
            yield pa.Table.from_pylist(some, SCHEMA)

    def _paradigm(self, uid: str) -> list[Row]:
        values = sorted({value for name, value, _ in self._heaps if name == uid})
        ranked = [self._value(uid, value) for value in values]
        sizes = [len(rows) for rows in ranked if len(rows) >= self.caps.floor]
        most = self.caps.balance * min(sizes) if sizes else self.caps.floor
        turns = zip_longest(*(rows[: max(most, self.caps.floor)] for rows in ranked))
        chosen = [row for turn in turns for row in turn if row is not None]
        return [
            {**row, "pair_id": number} for number, row in enumerate(chosen[: self.caps.paradigm])
        ]

    def _value(self, uid: str, value: str) -> list[Row]:
        """Return the pairs of a value, lemmas in turn, capped for controllers too."""
        heaps = [heap for (name, of, _), heap in self._heaps.items() if (name, of) == (uid, value)]
        each = [(rank, -k.order, k.row) for h in heaps for rank, k in enumerate(sorted(h)[::-1])]
        seen: Counter[str] = Counter()
        rows = []
        for _, _, row in sorted(each, key=lambda entry: entry[:2]):
            seen[row["features"]["controller"]] += 1
            if seen[row["features"]["controller"]] <= self.caps.controller:
                rows.append(row)
        return rows

    def facts(self) -> dict[str, Any]:
        """Return what the manifest says: the caps, pairs made and kept, and why items made none."""
        kept: Mapping[str, Counter[str]] = defaultdict(Counter)
        for row in self.rows():
            kept[row["UID"]][row["features"]["good_value"]] += 1
        return {
            "caps": asdict(self.caps),
            "made": dict(sorted(self.made.items())),
            "kept": {uid: dict(sorted(count.items())) for uid, count in sorted(kept.items())},
            "passed_over": dict(sorted(self.flipper.skipped.items())),
        }


@dataclass(frozen=True, order=True)
class _Kept:
    order: int
    row: Row = field(compare=False)


_Place = tuple[object, ...]


def _key(item: Item) -> _Place:
    ends = item["controller"]["index"], item["target"]["index"]
    return item["treebank"], item["sent_id"], item["text"], item["relation"], *ends


def _controllers(items: pa.Table) -> dict[_Place, int]:
    """Return where controllers start in their texts, from the items in which they are masked."""
    wanted = items.filter(pa.compute.equal(items["masked"], "controller"))
    names = ("treebank", "sent_id", "text", "relation", "controller", "target", "left")
    return {_key(item): len(item["left"] or "") for item in wanted.select(names).to_pylist()}


def _row(item: Item, flip: Flip, controller: int | None) -> Row:
    left, good, bad, right = item["left"] or "", item["answer"], flip.form, item["right"] or ""
    uid = f"{item['relation']}_{flip.feature.lower()}"
    prefix = left.rstrip()
    one = bool(prefix) and left != prefix
    row = {
        "id": blake2b(f"{item['id']} {flip.feature}".encode(), digest_size=8).hexdigest(),
        "set_id": item["id"],
        "UID": uid,
        "field": "morphology",
        "linguistics_term": TERMS[item["relation"]],
        "language": item["language"],
        "sentence_good": left + good + right,
        "sentence_bad": left + bad + right,
        "tokens_good": _tokens(left, good, right),
        "tokens_bad": _tokens(left, bad, right),
        "simple_LM_method": True,
        "one_prefix_method": one,
        "two_prefix_method": False,
        "lexically_identical": False,
        "slots": _slots(item, flip, controller),
        "features": _features(item, flip),
    }
    if one:
        words = {"good": good, "bad": bad}
        row |= {f"one_prefix_word_{side}": word for side, word in words.items()}
        row["one_prefix_prefix"] = prefix
    return row


def _tokens(left: str, word: str, right: str) -> str:
    """Return the words and marks of a sentence with blanks between them."""
    return " ".join([*_TOKEN.findall(left), word, *_TOKEN.findall(right)])


def _slots(item: Item, flip: Flip, controller: int | None) -> list[Row]:
    start = len(item["left"] or "")
    grown = len(flip.form) - len(item["answer"])
    target = (start, start + len(item["answer"])), (start, start + len(flip.form))
    slots = [_slot("target", item["target"], item["upos"], *target)]
    if controller is not None:
        end = controller + len(item["controller"]["form"])
        moved = grown if controller > start else 0
        good, bad = (controller, end), (controller + moved, end + moved)
        slots.append(_slot("controller", item["controller"], None, good, bad))
    return slots


def _slot(
    name: str, end: Item, upos: str | None, good: tuple[int, int], bad: tuple[int, int]
) -> Row:
    return {
        "name": name, "lemma": end["lemma"], "form": end["form"], "upos": upos, "feats": end["feats"],
        "good_start": good[0], "good_end": good[1], "bad_start": bad[0], "bad_end": bad[1],
    }  # fmt: skip


def _features(item: Item, flip: Flip) -> Row:
    controller, attractors = item["controller"], item["attractors"] or []
    own, target = bundle(controller["feats"] or "_"), bundle(item["feats"] or "_")
    numbers = {_text(bundle(a["feats"] or "_"), "Number") for a in attractors} - {None}
    differ = numbers - {_text(own, "Number")}
    return {
        "construction": item["relation"],
        "controller": controller["lemma"],
        **{f"controller_{n.lower()}": _text(own, n) for n in ("Number", "Gender", "Person")},
        "attractor": _joined(a["lemma"] or a["form"] for a in attractors),
        "attractor_number": _joined(_text(bundle(a["feats"] or "_"), "Number") for a in attractors),
        "attractor_gender": _joined(_text(bundle(a["feats"] or "_"), "Gender") for a in attractors),
        "match": "mismatch" if differ else "match" if numbers else None,
        "intervenes": bool(item["intervening_noun"]),
        "distance": item["distance"],
        "target": item["lemma"],
        "flipped": flip.feature,
        "good_value": _text(target, flip.feature),
        "relation": item["relation"],
        "source": flip.source,
        "treebank": item["treebank"],
        "sent_id": item["sent_id"],
        "licence": item["licence"],
        "attractors": str(len(attractors)),
        "cues": _joined(item["cues"] or ()),
        "pron_type": item["pron_type"],
    }


def _text(feats: Mapping[str, frozenset[str]], name: str) -> str | None:
    return ",".join(sorted(feats[name])) if name in feats else None


def _joined(texts: Iterable[str | None]) -> str | None:
    return ",".join(text or "-" for text in texts) or None
