"""Single sentences for EuroEval."""

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from datasets import load_dataset

from release import CHECKOUT
from solecism.commands import main
from solecism.commands.convert import convert
from solecism.datasets.build import build
from solecism.datasets.euroeval import SPLITS
from solecism.errors import InputError
from solecism.root import Root

UIDS = ["wh_with_gap", "article_gender", "dative_clitic", "clitic_climbing"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "blimp-fr"
    configs = build("blimp-fr", ["all"], out=folder, root=Root(CHECKOUT))
    assert configs[0].rows > 50_000
    return folder


def test_sentences_are_balanced_and_of_one_pair_each(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", Path("cache"))
    command = ["convert", f"{built}/all", "out", "--to", "euroeval", "--hub", "org/fr"]
    printed = CliRunner().invoke(main, command, catch_exceptions=False).output
    shares = [float(line.split()[-2]) for line in printed.splitlines() if "without grammar" in line]
    assert len(shares) == 2
    assert all(45 < share < 60 for share in shares)
    data = load_dataset("out")
    assert {split: len(rows) for split, rows in data.items()} == SPLITS
    (path,) = (built / "all").glob("*.parquet")
    pairs = pq.read_table(path, columns=["set_id", "sentence_good", "sentence_bad"]).to_pylist()
    sets = {
        row[side]: (row["set_id"], label)
        for row in pairs
        for side, label in (("sentence_good", "correct"), ("sentence_bad", "incorrect"))
    }
    taken = [row for rows in data.values() for row in rows]
    assert (
        len({row["text"] for row in taken}) == len({sets[row["text"]][0] for row in taken}) == 3328
    )
    assert all(sets[row["text"]][1] == row["label"] for row in taken)
    for rows in data.values():
        assert len({*Counter(rows["label"]).values()}) == 1
        by_uid = Counter(rows["UID"])
        assert len(by_uid) == 54
        assert max(by_uid.values()) - min(by_uid.values()) <= 3
    readme = Path("out", "README.md").read_text(encoding="utf-8")
    assert "BLIMP_FR_CONFIG = DatasetConfig(" in readme
    assert 'source="org/fr"' in readme
    assert "languages=[FRENCH]" in readme


def test_too_few_pairs_are_refused() -> None:
    build("clams", ["fr"], out="clams", root=Root(CHECKOUT))
    with pytest.raises(InputError, match=r"\d+ sentences are left for test of 2048"):
        convert("clams/fr/simple_agrmt_person", Path("out"), "euroeval")
    assert not Path("out").exists()
