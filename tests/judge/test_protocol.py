"""What page and server say: rows are completed from the study, anything else is refused."""

from pathlib import Path
from typing import Any

import pytest

from expecting import problems_of
from people import made_study
from solecism.errors import InputError
from solecism.inputs import check
from solecism.judge.protocol import ANSWER, answer_row, session_order
from solecism.judge.schema import DESIGNS

SAID = {"participant": "abc", "native_language": "en", "flags": ["honeypot"]}


def answer(item: str, position: int = 1, **row: Any) -> dict[str, Any]:
    row = {"shown": "bad", "time": 1200, **row}
    return {"session": "s", "position": position, "item": item, "row": row}


WRONG = [
    ("choice", {"answer": "both"}, "answer is 'both' (known: good, bad)"),
    ("choice", {}, "it has no answer"),
    ("choice", {"answer": "good", "rating": 3}, "rating is no part of an answer of the design"),
    ("choice", {"answer": "good", "flags": ["admin"]}, "flags[1] is 'admin' (known: honeypot"),
    ("likert", {"rating": 3, "shown": "good"}, "has no such sentence"),
    ("expert", {"answer": "no", "reason": "bad"}, "reason is 'bad'"),
    ("expert", {"answer": "no", "comment": "x" * 2001}, "comment has more than 2,000"),
]


@pytest.mark.parametrize(("design", "row", "message"), WRONG)
def test_answers_that_do_not_fit_are_refused(
    tmp_path: Path, design: str, row: dict[str, Any], message: str
) -> None:
    study = made_study(tmp_path / "study", design=design)
    key = next(key for key in study.lists[0] if study.items[key].get("bad"))

    def take() -> None:
        said = answer(key, **row)
        check(said, ANSWER, "answer")
        answer_row(study, 1, said, SAID)

    assert message in problems_of(take, tmp_path)[0]


def test_a_position_that_the_list_does_not_have(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", lists=2)
    with pytest.raises(InputError, match="position 8: list 1 has 7"):
        answer_row(study, 1, answer(study.lists[0][0], 8, answer="good"), SAID)


@pytest.mark.parametrize("design", DESIGNS)
def test_orders_differ_and_practice_comes_first(tmp_path: Path, design: str) -> None:
    study = made_study(tmp_path / "study", design=design)
    orders = [session_order(study, 1, f"0:{session}") for session in "abcd"]
    assert len({tuple(order) for order in orders}) == 4
    for order in orders:
        assert sorted(order) == sorted(study.lists[0])
        assert order[:2] == study.lists[0][:2]


def test_an_expert_reads_the_two_sides_in_two_halves(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", design="expert", catch=0, practice=0)
    order = session_order(study, 1, "0:x")
    half = [key.partition("-")[0] for key in order[:6]]
    assert sorted(half) == sorted({key.partition("-")[0] for key in order})
