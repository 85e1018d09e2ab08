"""A sample takes so many pairs of each paradigm, the same ones each time, spread over the
paradigm."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scored import make_pairs
from solecism.errors import InputError
from solecism.scoring.items import ItemSet


@pytest.fixture
def data(tmp_path: Path) -> ItemSet:
    """A thousand pairs of four paradigms in two files."""
    pairs = make_pairs(1000)
    files = (tmp_path / "a.parquet", tmp_path / "b.parquet")
    pq.write_table(pairs.slice(0, 301), files[0])
    pq.write_table(pairs.slice(301), files[1])
    return ItemSet("made", "xx", "1.0.0", "", files)


def ids(data: ItemSet, rows: int = 65536, limit: int | None = None) -> list[str]:
    tables = list(data.tables(("id", "UID"), rows, limit))
    return pa.concat_tables(tables)["id"].to_pylist() if tables else []


def test_the_order_stays_and_batches_do_not_matter(data: ItemSet) -> None:
    some, order = replace(data, sample=20), {text: n for n, text in enumerate(ids(data))}
    places = [order[text] for text in ids(some)]
    assert places == sorted(places)
    assert ids(some, rows=7) == ids(some)
    assert ids(some, limit=13) == ids(some)[:13]
    assert places[0] < 100 < 900 < places[-1]


def test_one_paradigm(data: ItemSet) -> None:
    """Whole, or a sample of it; another name is an error with candidates."""
    one = replace(data, uid="prep_anim")
    assert set(pa.concat_tables(one.tables(("UID",)))["UID"].to_pylist()) == {"prep_anim"}
    assert one.rows == 250
    assert ids(replace(one, sample=20)) == [
        name for name in ids(replace(data, sample=20)) if name in set(ids(one))
    ]
    with pytest.raises(InputError, match=r"made/xx has no paradigm 'prep_anmi' .*prep_anim"):
        len(list(replace(data, uid="prep_anmi").tables()))
