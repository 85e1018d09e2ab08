"""``solecism score agreement/xx``: cloze items of a folder, with the inventory that lies beside
them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

pytest.importorskip("torch", reason="needs the extra `score`")

from cloze_items import ITEMS, cloze_item, forms
from masked_models import loaded, reader
from solecism.commands import main
from solecism.hashing import ContentDigest
from solecism.schema import CLOZE
from solecism.scoring.methods.cloze import score_cloze

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
    tables = {
        "xx": pa.Table.from_pylist(FILLED, schema=CLOZE),
        "xx-forms": pa.concat_tables(
            [forms(), pa.Table.from_pylist(more)], promote_options="default"
        ),
    }
    path = tmp_path / "agreement"
    entries = []
    for name, table in tables.items():
        (path / name).mkdir(parents=True)
        pq.write_table(table, path / name / "test.parquet")
        entries.append(
            f"- config_name: {name}\n  version: 1.0.0\n  description: content {content(table)}\n"
            f"  data_files:\n  - split: test\n    path: {name}/test.parquet\n"
        )
    (path / "README.md").write_text("---\nconfigs:\n" + "".join(entries) + "---\n")
    return path


def content(table: pa.Table) -> str:
    """The first digits of the digest of rows."""
    digest = ContentDigest()
    digest.add(table)
    return digest.content.sha256[:16]


def score(folder: Path, *options: str) -> Result:
    model = loaded("bert").name
    out = str(folder.parent / "results")
    return CliRunner().invoke(
        main, ["score", f"{folder}/xx", "--model", model, "--out", out, *options]
    )


def test_cloze_is_the_usual_method_for_cloze_items(folder: Path) -> None:
    done = score(folder, "--json")
    assert done.exit_code == 0, done.output
    [path] = (folder.parent / "results").glob("*.json")
    written = json.loads(path.read_text())
    forms = content(pq.read_table(folder / "xx-forms" / "test.parquet"))
    assert f"|score:cloze|forms:{forms[:8]}|" in written["signature"]
    rows = pq.read_table(path.with_suffix(".parquet"))
    assert rows["id"].to_pylist() == [one["id"] for one in FILLED]
    assert set(rows["method"].to_pylist()) == {"cloze"}


def test_two_forms_gives_what_the_function_gives(folder: Path) -> None:
    done = score(folder, "--method", "cloze:two_forms")
    assert done.exit_code == 0, done.output
    [path] = (folder.parent / "results").glob("*.parquet")
    items = pa.Table.from_pylist(FILLED, schema=CLOZE)
    inventory = pq.read_table(folder / "xx-forms" / "test.parquet")
    tables = score_cloze([items], inventory, reader("bert"), two_forms=True)
    wanted = pa.concat_tables(tables)
    found = pq.read_table(path)
    assert found["skipped"].to_pylist() == wanted["skipped"].to_pylist()
    assert found["logp_good"].to_pylist() == pytest.approx(
        wanted["logp_good"].to_pylist(), nan_ok=True
    )


def test_items_without_their_forms_are_told(folder: Path) -> None:
    card = folder / "README.md"
    card.write_text(card.read_text().replace("xx-forms", "yy-forms"))
    done = score(folder)
    assert done.exit_code == 2
    assert "has no config 'xx-forms'" in done.output
