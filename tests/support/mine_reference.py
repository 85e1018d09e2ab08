"""The rules of the paper read sentence by sentence with ``conllu``: slow, plain, and without our
code.

Source: Bacon and Regier (2019), *Does BERT agree?*, and the program published with it.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import conllu

RELATIONS = {
    "af": ["modifying"], "de": ["determiner", "modifying", "predicated", "verb"],
    "en": ["determiner", "verb"], "es": ["determiner", "modifying", "predicated", "verb"],
    "fi": ["determiner", "modifying", "predicated", "verb"],
    "fr": ["determiner", "modifying", "predicated", "verb"], "he": ["modifying", "predicated", "verb"],
    "it": ["determiner", "modifying", "predicated", "verb"], "pl": ["modifying", "predicated", "verb"],
    "ru": ["modifying", "predicated", "verb"], "ta": ["modifying", "verb"], "hu": ["predicated"],
    "hy": ["verb"], "br": ["verb"],
}  # fmt: skip

_VALUES = {
    "Number": {"Sing", "Plur"},
    "Gender": {"Masc", "Fem", "Neut"},
    "Case": {"Nom", "Acc", "Erg", "Abs"},
    "Person": {"1", "2", "3"},
}

Word = dict[str, Any]
Item = dict[str, Any]


def reading(paths: Iterable[Path]) -> Iterator[conllu.TokenList]:
    """Read files with ``conllu``."""
    for path in paths:
        with path.open(encoding="utf-8") as file:
            yield from conllu.parse_incr(file)


def mine_plainly(
    sentences: Iterable[conllu.TokenList], relations: list[str], letter: bool, masks: list[str]
) -> list[Item]:
    """All items in the order of the dependents, each masked sentence once for each relation and
    mask."""
    items, seen = [], set()
    for sentence in sentences:
        words = {token["id"]: token for token in sentence if isinstance(token["id"], int)}
        for relation, target, controller in _pairs(words, letter):
            if relation not in relations or not _agree(target, controller):
                continue
            for mask in masks:
                masked = controller if mask == "controller" else target
                if not _values(masked):
                    continue
                context, answer = _masked(sentence, masked["id"])
                if (context, relation, mask) not in seen:
                    seen.add((context, relation, mask))
                    ends = {"target": target["id"], "controller": controller["id"]}
                    about = _about(words, target, controller)
                    items.append(
                        {"sent_id": sentence.metadata.get("sent_id"), "relation": relation, "masked": mask,
                         "answer": answer, "context": context, "feats": _text(masked), **ends, **about}
                    )  # fmt: skip
    return items


def _pairs(words: dict[int, Word], letter: bool) -> Iterator[tuple[str, Word, Word]]:
    for token in words.values():
        head = words.get(token["head"])
        if head is None:
            continue
        if relation := _direct(token, head):
            ends = (token, head) if relation in ("determiner", "modifying") else (head, token)
            yield relation, *ends
        elif _carries(token, head):
            above = token["id"] if letter else head["id"]
            subjects = [w for w in words.values() if w["head"] == above and _is_subject(w)]
            for subject in subjects[:1]:
                yield "verb", token, subject


def _direct(token: Word, head: Word) -> str:
    """The relation of a word to its head, if it is one of the first four."""
    upos, deprel = token["upos"], token["deprel"]
    if upos == "DET" and deprel in ("det", "det:predet") and head["upos"] == "NOUN":
        return "determiner"
    if upos == "ADJ" and deprel == "amod" and head["upos"] == "NOUN":
        return "modifying"
    if _is_subject(token):
        return {"ADJ": "predicated", "VERB": "verb"}.get(head["upos"], "")
    return ""


def _carries(token: Word, head: Word) -> bool:
    if token["deprel"] == "cop":
        return head["upos"] != "ADJ"
    auxiliary = token["upos"] == "AUX" and token["deprel"] in ("aux", "aux:pass")
    return auxiliary and head["upos"] == "VERB"


def _is_subject(word: Word) -> bool:
    return word["deprel"] == "nsubj" and word["upos"] in ("NOUN", "PRON")


def _values(word: Word) -> dict[str, set[str]]:
    feats = word["feats"] or {}
    found = {name: set(feats.get(name, "").split(",")) & known for name, known in _VALUES.items()}
    return {name: values for name, values in found.items() if values}


def _agree(a: Word, b: Word) -> bool:
    ours, theirs = _values(a), _values(b)
    return all(values & theirs[name] for name, values in ours.items() if name in theirs)


def _masked(sentence: conllu.TokenList, number: int) -> tuple[str, str]:
    """The sentence, forms joined by blanks, a multiword token as its surface form and masked
    whole."""
    forms, answer, covered = [], "", 0
    for token in sentence:
        if isinstance(token["id"], int):
            inside = [token["id"]] if token["id"] > covered else []
        elif token["id"][1] == "-":
            covered = token["id"][2]
            inside = list(range(token["id"][0], covered + 1))
        else:
            continue
        if number in inside:
            answer = token["form"]
        if inside:
            forms.append("[MASK]" if number in inside else token["form"])
    return " ".join(forms), answer


def _about(words: dict[int, Word], target: Word, controller: Word) -> Item:
    low, high = sorted((target["id"], controller["id"]))
    shared = [n for n, v in _values(target).items() if v & _values(controller).get(n, set())]
    others = [w for w in words.values() if w is not target and w is not controller]
    differing = {w["id"]: _differing(w, controller) for w in others}
    nouns = [w for w in others if w["upos"] == "NOUN"]
    between = [w for w in others if low < w["id"] < high]
    return {
        "agrees_in": shared,
        "distance": high - low,
        "distractors": sum(bool(differing[w["id"]]) for w in nouns),
        "intervening_noun": any(w in nouns for w in between),
        "attractors": [
            w["id"]
            for w in between
            if w["upos"] in ("NOUN", "PROPN", "PRON") and set(shared) & differing[w["id"]]
        ],
    }


def _differing(word: Word, controller: Word) -> set[str]:
    ours, theirs = _values(word), _values(controller)
    return {name for name, values in ours.items() if name in theirs and not values & theirs[name]}


def _text(word: Word) -> str:
    feats = word["feats"]
    return "|".join(f"{name}={value}" for name, value in feats.items()) if feats else "_"
