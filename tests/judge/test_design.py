"""The folder of a study: what is written is read again, what is broken is named."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from expecting import problems_of
from people import made_study, pairs_in
from solecism.errors import InputError
from solecism.judge.creation import StudyOptions, create_study
from solecism.judge.design import Study, read_study
from solecism.judge.schema import DESIGNS
from tiny import edit


@pytest.mark.parametrize("design", DESIGNS)
def test_a_study_is_read_as_it_was_made(tmp_path: Path, design: str) -> None:
    made = made_study(tmp_path / "study", design=design)
    read = read_study(tmp_path / "study")
    assert read == made
    assert read.id == made.id
    assert len(read.id) == 16
    assert max(read.totals) - min(read.totals) <= 1
    assert set(made.items) == {key for keys in made.lists for key in keys}
    kinds = [read.items[key]["kind"] for key in read.lists[0]]
    assert kinds[:2] == ["practice"] * 2
    assert kinds[-2:] == ["catch"] * 2


def test_the_same_seed_makes_the_same_study(tmp_path: Path) -> None:
    options = StudyOptions(pairs=3, practice=2, catch=2)
    one = create_study(pairs_in(), [], options, tmp_path / "1")
    assert one.id == create_study(pairs_in()[::-1], [], options, tmp_path / "2").id
    assert one.id != create_study(pairs_in(), [], replace(options, seed=1), tmp_path / "3").id


def test_rules_change_the_id_and_texts_do_not(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study")
    edit(tmp_path / "study/study.toml", 'institution = "A University"', 'institution = "B"')
    edit(tmp_path / "study/study.toml", "hourly = 15.0", "hourly = 20")
    assert read_study(tmp_path / "study").id == study.id
    edit(tmp_path / "study/study.toml", "catch = 0.75", "catch = 0.5")
    assert read_study(tmp_path / "study").id != study.id


BROKEN = [
    ('design = "choice"', 'design = "choise"',
     "study.design is 'choise' (did you mean 'choice'? known: choice, likert, expert)"),
    ("catch = 0.75", "catsh = 0.75", "unknown key 'rules.catsh' (did you mean 'catch'?"),
    ("catch = 0.75", "catch = 75", "rules.catch is 75, not a number from 0 to 1"),
    ("judges = 20\n", "", "study has no judges"),
    ("lists = 1", "lists = 2", "study.lists is 2, lists.json has 1 lists"),
    ('to = "download"', 'to = "datapipe"', "home.datapipe is empty"),
    ('server = ""', 'server = "example.org"', "home.server is 'example.org', not an address"),
    *(('server = ""', f'server = "https://x{sign}y"', "not an address")
      for sign in ("; script-src *", " ", ";", "'", ",", "\\n")),
    ('config = "demo/en"', 'config = "demo/../../evil"', "data.config '../../evil' is no name"),
    ("seed = 0", "seed = ", "TOML: "),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), BROKEN)
def test_broken_designs_are_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    made_study(tmp_path / "study")
    edit(tmp_path / "study/study.toml", old, new)
    problems = problems_of(lambda: read_study(tmp_path / "study"), tmp_path)
    assert problems[0].startswith("study/study.toml")
    assert said in " ".join(problems)


def _items(change: dict[str, Any]) -> str:
    item = {"key": "i1", "kind": "item", "config": "c", "id": "1", "set_id": "s", "UID": "u",
            "linguistics_term": "t", "language": "en", "good": "a", "bad": "b"}  # fmt: skip
    return "".join(json.dumps({**item, **one}) + "\n" for one in ({}, change))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "items.jsonl:2: key 'i1' is there twice"),
        ({"key": "i2", "bad": ""}, "items.jsonl:2: trial 'i2' needs good and bad (choice)"),
        ({"kind": "itm"}, "kind is 'itm' (did you mean 'item'?"),
    ],
)
def test_broken_trials_are_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    made_study(tmp_path / "study")
    (tmp_path / "study/items.jsonl").write_text(_items(change), encoding="utf-8")
    assert said in problems_of(lambda: read_study(tmp_path / "study"), tmp_path)[0]


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        ([], "has no lists"),
        ([["i1", "i9"]], "list 1: items.jsonl has no trial 'i9'"),
        ([["i1", "i1"]], "list 1 has a trial twice"),
        ({"1": ["i1"]}, "is no file of lists: it is {'1': ['i1']}, not a list"),
    ],
)
def test_broken_lists_are_named(tmp_path: Path, lists: object, said: str) -> None:
    made_study(tmp_path / "study")
    (tmp_path / "study/lists.json").write_text(json.dumps(lists), encoding="utf-8")
    assert said in problems_of(lambda: read_study(tmp_path / "study"), tmp_path)[0]


def test_a_folder_that_is_no_study(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is this a folder that `solecism judge new` has made"):
        read_study(tmp_path)


def test_a_study_is_not_written_over(tmp_path: Path) -> None:
    made_study(tmp_path / "study")
    before = {p: p.read_bytes() for p in (tmp_path / "study").rglob("*") if p.is_file()}
    with pytest.raises(InputError, match="is there already"):
        made_study(tmp_path / "study", seed=1)
    assert {p: p.read_bytes() for p in (tmp_path / "study").rglob("*") if p.is_file()} == before


def test_pairs_of_two_languages(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"several languages \(en, he\)"):
        create_study(pairs_in("en") + pairs_in("he"), [], StudyOptions(), tmp_path)


def test_the_salt_is_not_in_the_design(tmp_path: Path) -> None:
    study: Study = made_study(tmp_path / "study")
    assert len(study.salt) == 32
    assert study.salt not in (tmp_path / "study/study.toml").read_text()
    assert (tmp_path / "study/salt.txt").stat().st_mode & 0o077 == 0
    (tmp_path / "study/salt.txt").write_text("\n")
    with pytest.raises(InputError, match="is missing or empty"):
        _ = read_study(tmp_path / "study").salt
