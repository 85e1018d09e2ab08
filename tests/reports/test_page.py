"""The page of a report: models side by side, groups, the hardest pairs, what people decide."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from release import small_root
from scored import make_pairs, make_scores, scores_of, write_models, write_result
from solecism.datasets.build import build
from solecism.errors import InputError
from solecism.reports.charts import COLOURS
from solecism.reports.figures import ALL, MEAN
from solecism.reports.html import EACH, hardest, page_figures
from solecism.reports.people import find_judgments, read_judgments
from solecism.reports.report import open_results, report
from solecism.scoring.items import open_items


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on two configs."""
    return write_models(tmp_path_factory.mktemp("results"), "org/tiny", "org/large")


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return report(folder).html()


def test_a_model_has_one_colour_on_a_page(folder: Path, tmp_path: Path) -> None:
    """Also where a section lacks the model that is first on the page."""
    scores = make_scores(make_pairs(60, 5), 1, 2)
    write_result(tmp_path / "other", scores, "org/other", "zz")
    other = page_figures(open_results([folder, tmp_path]), "UID").sections[-1]
    assert f'fill="{COLOURS[2]}"' in other.chart
    assert not any(f'fill="{colour}"' in other.chart for colour in COLOURS[:2])


def test_paradigms_stand_below_phenomena_and_no_table_is_twice(folder: Path, page: str) -> None:
    (table,) = page_figures(open_results([folder / "tiny-xx"]), "phenomenon").sections[0].tables
    rows = [(row.level, row.name, row.note) for row in table.rows]
    assert rows == [
        (0, "agreement", ""),
        (1, "across a prepositional phrase", ""),
        (2, "prep_anim", ""),
        (2, "prep_inanim", ""),
        (1, "simple agreement", "simple_agrmt"),
        (0, "npi_licensing", "simple_npi"),
        (0, ALL, ""),
        (0, MEAN, ""),
    ]
    bodies = re.findall(r"<tbody>.*?</tbody>", page, re.DOTALL)
    assert len(bodies) == len(set(bodies))


def test_hardest_pairs_are_varied_and_hard_for_all_models(folder: Path) -> None:
    one, two = open_results([folder / "tiny-xx", folder / "large-xx"])
    found = hardest({"tiny": one, "large": two})
    uids = [pair.uid for pair in found]
    assert len(found) == 8
    assert max(map(uids.count, uids)) == EACH
    assert all(len(pair.scores) == 2 for pair in found)
    both = {r["id"]: r["margin"] for r in two.table.to_pylist()}
    assert both[found[0].id] == found[0].scores[1]["margin"]
    assert found[0].scores[0]["margin"] < 0 > found[0].scores[1]["margin"]


@pytest.fixture
def hebrew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A result on a small data set that is here, of which one pair is hardest."""
    monkeypatch.chdir(tmp_path)
    root = small_root(tmp_path / "root", "he", ["simple_agrmt"])
    build("clams", out=tmp_path / "clams", root=root)
    items = open_items("clams/he")
    pairs = next(items.tables(limit=50))
    scores = scores_of(pairs, [10.0] * 7 + [-15.0] + [10.0] * 42)
    return write_result(tmp_path / "r", scores, "tiny", "he", data="clams", digest=items.digest)


def test_hardest_pairs_show_sentences_of_data_that_are_here(hebrew: Path) -> None:
    row = next(open_items("clams/he").tables(limit=50)).to_pylist()[7]
    (pair, *_) = hardest({"tiny": open_results([hebrew])[0]})
    assert "".join(text for text, _ in pair.good) == row["sentence_good"]
    assert "".join(text for text, _ in pair.bad) == row["sentence_bad"]
    marked = [text for text, differs in pair.good if differs]
    assert len(marked) == 1
    page = report(hebrew).html()
    assert f"<mark>{marked[0]}</mark>" in page
    assert '<span lang="he" dir="rtl">' in page
    assert f"solecism explain {row['id']} --data clams/he" in page


def test_sentences_of_other_data_are_not_shown(
    hebrew: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = hebrew.read_text(encoding="utf-8")
    digest = open_items("clams/he").digest
    hebrew.write_text(text.replace(digest, digest[::-1]), encoding="utf-8")
    assert hardest({"tiny": open_results([hebrew])[0]})[0].good == []
    (tmp_path / "elsewhere").mkdir()
    hebrew.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert hardest({"tiny": open_results([hebrew])[0]})[0].good == []


JUDGED = "UID,accuracy,n\nprep_anim,0.9,20\nprep_inanim,0.8,20\nsimple_npi,1,40\n"


def test_people_are_a_column_and_a_line(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(JUDGED, encoding="utf-8")
    made = report(folder / "tiny-xx", by="phenomenon", judgments=file)
    people = made.columns[-1]
    assert people.label == "people"
    assert people.cells["agreement"].value == pytest.approx(0.85)
    assert people.cells[ALL].value == pytest.approx(0.925)
    assert people.cells[MEAN].value == pytest.approx(0.925)
    assert people.cells["agreement"].n == 40
    text = made.text()
    assert re.search(r"^phenomenon +tiny +r +people", text, re.MULTILINE)
    assert max(map(len, text.split("\n\n")[0].splitlines())) <= 80
    page = made.html()
    assert re.search(r"agreement: tiny [0-9.]+, people 85.0;", page)
    assert '<th scope="col" class="head">people</th>' in page
    assert "phenomenon,agreement,people,people,xx,0.85" in made.csv()


def test_people_beside_the_data(hebrew: Path, tmp_path: Path) -> None:
    assert all(column.results for column in report(hebrew).columns)
    judged = tmp_path / "clams" / "he-judgments"
    judged.mkdir()
    table = pa.table({"UID": ["simple_agrmt"], "accuracy": [0.97]})
    pq.write_table(table, judged / "test-00000-of-00001.parquet")
    path = tmp_path / "clams" / "manifest.json"
    manifest = json.loads(path.read_text())
    file = {"he-judgments/test-00000-of-00001.parquet": {"sha256": "0" * 64, "bytes": 1}}
    entry = {"kind": "judgments", "rows": 1, "content_sha256": "0" * 64, "files": file}
    manifest["configs"]["he-judgments"] = entry
    path.write_text(json.dumps(manifest))
    found = find_judgments(open_results([hebrew]))
    assert found == {("clams", "he"): {"simple_agrmt": (0.97, 0)}}
    cell = report(hebrew, by="UID").columns[-1].cells["simple_agrmt"]
    assert (cell.value, cell.low) == (0.97, None)


BROKEN = [
    ("UID,acuracy\na,1\n", r"have no column 'accuracy' .did you mean 'acuracy'"),
    ("UID,accuracy\na,1\na,1\n", "people.csv:3: paradigm 'a' is there twice"),
    ("id,UID,accuracy\nx,a,1\ny,a,1\nx,a,0\n", "people.csv:4: 'x' is the id of two pairs"),
    ("id,UID,accuracy\n,a,1\n,a,1\n", "people.csv:3: '' is the id of two pairs"),
    ("UID,accuracy\na,93\n", "people.csv:2: accuracy is '93', wanted a number from 0 to 1"),
    ("UID,accuracy\n", "holds no judgments"),
    ("UID,accuracy\na,0,9\n", "people.csv: is not CSV: its rows have more cells than heads"),
    ("UID,accuracy\nelse,1\n", "are of none of the paradigms of these results .paradigms: prep"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_broken_judgments_are_refused(
    folder: Path, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "people.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        report(folder / "tiny-xx", judgments=tmp_path / "people.csv")


@pytest.mark.parametrize(("uid", "said"), [(["a"], "array"), (None, "empty")])
def test_odd_tables_of_judgments_are_refused(tmp_path: Path, uid: object, said: str) -> None:
    pq.write_table(pa.table({"UID": [uid], "accuracy": [0.5]}), tmp_path / "people.parquet")
    with pytest.raises(InputError, match=f"people.parquet:2: UID is {said}"):
        read_judgments(tmp_path / "people.parquet")


def test_judgments_of_several_configs(folder: Path, tmp_path: Path) -> None:
    lines = [f"{config},prep_anim,{share}" for config, share in (("xx", 0.9), ("yy", 0.7))]
    file = tmp_path / "people.csv"
    file.write_text("\n".join(["config,UID,accuracy", *lines]), encoding="utf-8")
    assert set(read_judgments(file)) == {"xx", "yy"}
    made = report(folder, by="config", judgments=file)
    assert [made.columns[-1].cells[name].value for name in ("xx", "yy")] == [0.9, 0.7]
    assert "people" in made.text()
