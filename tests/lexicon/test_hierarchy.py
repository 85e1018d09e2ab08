"""The hierarchy of word classes."""

from pathlib import Path

import pytest

from expecting import problems_of
from solecism.lexicon.lexicon import Hierarchy, read_hierarchy
from tiny import rewrite

CLASSES = (
    "class\tparent\n# beings\nanimate\t\nhuman\tanimate\noccupation\thuman\n"
    "animal\tanimate\nartwork\t\n"
)


def read(tmp_path: Path, text: str) -> Hierarchy:
    return read_hierarchy(rewrite(tmp_path / "classes.tsv", text))


@pytest.mark.parametrize(
    ("name", "above", "expected"),
    [
        ("human", "human", True),
        ("occupation", "animate", True),
        ("human", "occupation", False),
        ("artwork", "animate", False),
        ("", "animate", False),
        ("unknown", "animate", False),
    ],
)
def test_a_class_stands_below_itself_and_all_above(
    tmp_path: Path, name: str, above: str, expected: bool
) -> None:
    assert (above in read(tmp_path, CLASSES).above(name)) is expected


@pytest.mark.parametrize(
    ("rows", "messages"),
    [
        ("human\t\nhuman\t\n", ["classes.tsv:3: class 'human' stands twice"]),
        (
            "human\tanimte\nanimate\t\n",
            [
                "classes.tsv:2: class 'human': no class 'animte' "
                "(did you mean 'animate'? classes: human, animate)"
            ],
        ),
        ("human\thuman\n", ["classes.tsv:2: class 'human' is below itself"]),
        (
            "x\ta\na\tb\nb\ta\n",
            [
                "classes.tsv:3: class 'a' is below itself",
                "classes.tsv:4: class 'b' is below itself",
            ],
        ),
        ("\thuman\nhuman\t\n", ["classes.tsv:2: the class has no name"]),
        ("human\tanimate\tx\n", ["classes.tsv:2: 'human': 3 cells where the header has 2"]),
    ],
)  # fmt: skip
def test_a_bad_class_is_told(tmp_path: Path, rows: str, messages: list[str]) -> None:
    assert problems_of(lambda: read(tmp_path, "class\tparent\n" + rows), tmp_path) == messages
