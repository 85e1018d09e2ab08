"""``solecism score agreement/xx``: cloze items of a folder, with the inventory that lies beside
them."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from cloze_items import ITEMS, cloze_item, forms
from folders import write_tables
from masked_models import loaded, reader
from solecism.commands import main
from solecism.schema import CLOZE
from solecism.scoring.items import open_items
from solecism.scoring.methods.cloze import score_cloze
from tiny import edit

FILLED = [*ITEMS, *(cloze_item(f"The author {n} ", "laughs", ".") for n in range(3))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data set of items in config ``xx`` and their forms in ``xx-forms``, twelve more of each
    kind."""
    more = [
        {"form": text, "upos": "VERB", "feats": f"Number={n}", "lemma": text, "source": "UD"}
        for n, words in (("Sing", "TheauthorLpilots"), ("Plur", "nearofWhtody"))
        for text in words
    ]
    inventory = pa.concat_tables([forms(), pa.Table.from_pylist(more)], promote_options="default")
    items = pa.Table.from_pylist(FILLED, schema=CLOZE)
    return write_tables(tmp_path / "agreement", {"xx": items, "xx-forms": inventory})


def score(folder: Path, *options: str) -> Result:
    model = loaded("bert").name
    out = str(folder.parent / "results")
    return CliRunner().invoke(
        main, ["score", f"{folder}/xx", "--model", model, "--out", out, *options]
    )


def table_of(folder: Path, config: str) -> pa.Table:
    return pq.read_table(next((folder / config).glob("*.parquet")))


@pytest.mark.parametrize("method", ["cloze", "cloze:two_forms"])
def test_the_command_gives_what_the_function_gives(folder: Path, method: str) -> None:
    done = score(folder, *(["--json"] if method == "cloze" else ["--method", method]))
    assert done.exit_code == 0, done.output
    [path] = (folder.parent / "results").glob("*.json")
    inventory = table_of(folder, "xx-forms")
    digest = open_items(f"{folder}/xx-forms").digest
    assert f"|score:{method}|forms:{digest[:8]}|" in json.loads(path.read_text())["signature"]
    items = table_of(folder, "xx")
    tables = score_cloze([items], inventory, reader("bert"), two_forms=method != "cloze")
    wanted, found = pa.concat_tables(tables), pq.read_table(path.with_suffix(".parquet"))
    assert found["id"].equals(items["id"])
    assert set(found["method"].to_pylist()) == {method}
    assert found["skipped"].to_pylist() == wanted["skipped"].to_pylist()
    for side in ("logp_good", "logp_bad"):
        assert found[side].to_pylist() == pytest.approx(wanted[side].to_pylist(), nan_ok=True)


def test_items_without_their_forms_are_told(folder: Path) -> None:
    edit(folder / "manifest.json", '"xx-forms": {', '"yy-forms": {')
    done = score(folder)
    assert done.exit_code == 2
    assert "has no config 'xx-forms'" in done.output
