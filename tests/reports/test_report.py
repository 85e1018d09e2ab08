"""Reports: tables for terminals, comparisons, CSV, LaTeX, JSON, and the page."""

import csv
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy import stats

from html_pages import ParsedPage
from scored import make_pairs, make_scores, scores_of, write_models, write_result
from solecism.commands import main
from solecism.errors import InputError
from solecism.reports.comparison import correlations, difference
from solecism.reports.figures import ALL, MEAN, columns, curves, labels
from solecism.reports.report import open_results, report
from solecism.reports.text import records
from solecism.scoring.results import Result, read_result
from solecism.scoring.summary import wilson


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on two configs, and three seeds of a third on one of them."""
    models = ("org/tiny", "org/large-model-of-a-long-name")
    out = write_models(tmp_path_factory.mktemp("results"), *models)
    for seed in range(3):
        scores = make_scores(make_pairs(400), 0.5, 100 + seed)
        write_result(out / f"lstm-{seed}", scores, f"runs/lstm/seed-{seed}", "xx")
    return out


def printed(folder: Path, *names: str, **options: Any) -> str:
    """What ``solecism report`` prints at 80 columns."""
    as_json = options.pop("as_json", False)
    made = report([folder / name for name in names], **options)
    return json.dumps(made.to_json()) if as_json else made.text()


def test_one_result_with_its_counts(folder: Path) -> None:
    text = printed(folder, "tiny-xx.json")
    result = read_result(folder / "tiny-xx")
    found = result.summary["by"]["construction"]["simple agreement"]
    ends = f"{100 * found['low']:.1f}–{100 * found['high']:.1f}"
    skipped = sum(found["skipped"].values())
    line = next(line for line in text.splitlines() if line.startswith("simple agreement"))
    scored = result.table.to_pandas().query("UID == 'simple_agrmt'")
    r = f"{scored['logp_good'].corr(scored['logp_bad']):.2f}".lstrip("0")
    assert line.split()[2:] == [
        f"{100 * found['accuracy']:.1f}", ends, r, str(found["n"]), str(found["ties"]), str(skipped),
    ]  # fmt: skip
    assert result.signature in text
    assert "skipped (too long" in text


def test_models_side_by_side_fit_80_columns(folder: Path) -> None:
    text = printed(folder, "tiny-xx", "large-model-of-a-long-name-xx", by="phenomenon")
    body = text.split("\n\n")[0]
    assert max(map(len, body.splitlines())) <= 80
    names = ("agreement", "NPI licensing", "large-model-of-a-long-name")
    assert all(name in body for name in names)
    assert body.count("–") == 6
    lines = report(folder, group=True).text().splitlines()  # several models and configs
    assert {"tiny", "large-model-of-a-long-name", "lstm"} <= set(lines)


def test_off_a_terminal_nothing_wraps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "a-model-of-a-name-that-is-longer-than-any-column-of-a-terminal"
    for config, text in (("xx", name), ("yy", f"{name}-2")):
        write_result(tmp_path / config, make_scores(make_pairs(60)), text, "xx")
    monkeypatch.delenv("COLUMNS", raising=False)
    wide = CliRunner().invoke(main, ["report", str(tmp_path)]).output
    assert re.search(f"{name}-2 +r\n", wide)
    monkeypatch.setenv("COLUMNS", "60")
    narrow = CliRunner().invoke(main, ["report", str(tmp_path)]).output
    assert max(map(len, narrow.split("\n\n")[0].splitlines())) <= 60


def test_how_minimal_paradigms_are(folder: Path, tmp_path: Path) -> None:
    """The correlation of log P of the two sides: of a paradigm's pairs, else the mean of these."""
    tables = [read_result(folder / f"tiny-{config}").table.to_pandas() for config in ("xx", "yy")]
    every = [
        found[["logp_good", "logp_bad"]].dropna().corr().iloc[0, 1]
        for table in tables
        for _, found in table.groupby("UID")
    ]
    both = [folder / "tiny-xx", folder / "tiny-yy"]
    (by_config,) = columns(open_results(both), "config")
    assert by_config.cells["xx"].correlation == pytest.approx(np.mean(every[:4]))
    assert by_config.cells[ALL].correlation == pytest.approx(np.mean(every))
    records = json.loads(printed(folder, "tiny-xx", by="UID", as_json=True))["cells"]
    assert [r["correlation"] for r in records[:4]] == pytest.approx(
        sorted(every[:4], key=every.index)
    )
    seeds = [folder / f"lstm-{seed}" for seed in range(3)]
    (mean,) = columns(open_results(seeds), "UID", group=True)
    single = [c.cells[ALL].correlation for c in columns(open_results(seeds), "UID")]
    assert mean.cells[ALL].correlation == pytest.approx(np.mean(single))
    of_words = write_result(tmp_path / "f", make_scores(make_pairs(60)), method="focus")
    assert columns(open_results([of_words]), "UID")[0].cells[ALL].correlation is None
    assert " r " not in report(of_words).text()


def test_by_config_pools_all_pairs(folder: Path) -> None:
    results = open_results([folder / "tiny-xx.json", folder / "tiny-yy.json"])
    (column,) = columns(results, "config")
    rows = [r.summary["overall"] for r in results]
    right = sum(r["accuracy"] * r["n"] for r in rows)
    n = sum(r["n"] for r in rows)
    assert list(column.cells) == ["xx", "yy", ALL, MEAN]
    assert column.cells[ALL].value == pytest.approx(right / n)
    assert column.cells[ALL].low == pytest.approx(wilson(right, n).low)
    assert column.cells[MEAN].value == pytest.approx(np.mean([r["accuracy"] for r in rows]))


def test_by_feature_and_by_one_that_the_summary_does_not_have(folder: Path) -> None:
    assert re.search(r"^mismatch +\d", printed(folder, "tiny-xx", by="match"), re.MULTILINE)
    results = open_results([folder / "tiny-xx"])
    (column,) = columns(results, "controller")
    table = results[0].table.to_pylist()
    rows = (r for r in table if r["features"]["controller"] == "noun3" and not r["skipped"])
    some = [row["decision"] for row in rows]
    assert column.cells["noun3"].value == pytest.approx(np.mean(some))
    with pytest.raises(InputError, match=r"no grouping 'mod' .did you mean 'mood'"):
        printed(folder, "tiny-xx", by="mod")


@pytest.fixture(scope="module")
def languages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model on data sets of three languages, with names of phenomena and a UID that are older."""
    out = tmp_path_factory.mktemp("languages")
    for data, language, terms in (
        ("blimp-de", "de", {"deren_dessen": "government", "b": "case", "c": "word_order"}),
        ("blimp-he", "he", {"d": "case", "e": "negation"}),
        ("clams", "he", {"f": "case"}),
        ("mandarin", "zh", {"g": "garden_path_subject", "h": "comparative"}),
    ):
        pairs = make_pairs(60).to_pylist()
        for number, pair in enumerate(pairs):
            uid = list(terms)[0 if number < 20 else number // 2 % len(terms)]
            pair |= {"language": language, "UID": uid, "linguistics_term": terms[uid]}
        scores = make_scores(pa.Table.from_pylist(pairs, make_pairs(1).schema), 1.0, len(data))
        write_result(out / data, scores, "tiny", "all", data=data)
    return out


def test_phenomena_over_languages(languages: Path) -> None:
    made = report(languages, by="phenomenon")
    columns = {column.label: column.cells for column in made.columns}
    assert list(columns) == ["de", "he", "zh", "all"]
    uids = {k: v for name in ("blimp-de", "blimp-he", "clams")
            for k, v in read_result(languages / name).accuracies().items()}  # fmt: skip
    de, he = np.mean([uids["deren_dessen"], uids["b"]]), np.mean([uids["d"], uids["f"]])
    assert columns["de"]["case"].value == pytest.approx(de)
    assert columns["he"]["case"].value == pytest.approx(he)
    assert columns["all"]["case"].value == pytest.approx((de + he) / 2)
    assert columns["zh"].keys() >= {"garden_path", "selection"}
    assert "garden_path" not in columns["all"]
    chinese = read_result(languages / "mandarin").summary["overall"]["n"]
    assert columns["zh"][ALL].n == chinese - columns["zh"]["garden_path"].n
    lines = [line.split("  ")[0].strip() for line in made.text(200).splitlines()]
    assert lines[: lines.index("")] == [
        "phenomenon", "case and government", "selection", "word order", "negation",
        "garden paths", "all pairs", "mean of rows",
    ]  # fmt: skip
    cells = records(made.columns, made.by)
    assert ("case", "he") in {(cell["group"], cell["language"]) for cell in cells}
    assert re.search(r"<h3>By phenomenon.*>case and government</th>", made.html(), re.DOTALL)


def test_older_names_are_read_as_those_of_today(languages: Path) -> None:
    (column,) = report(languages / "blimp-de", by="UID").columns
    assert {*column.cells} == {"relative_possessor_gender", "b", "c", ALL, MEAN}
    (column,) = report(languages / "blimp-de", by="phenomenon").columns
    assert list(column.cells) == ["case", "word_order", ALL, MEAN]


def test_seeds_become_mean_and_deviation(folder: Path) -> None:
    names = [f"lstm-{seed}" for seed in range(3)]
    (column,) = columns(open_results([folder / name for name in names]), "UID", group=True)
    values = [read_result(folder / name).accuracies()["prep_anim"] for name in names]
    cell = column.cells["prep_anim"]
    assert column.label == "lstm"
    assert (cell.value, cell.deviation) == pytest.approx((np.mean(values), np.std(values, ddof=1)))
    assert (cell.seeds, cell.low) == (3, None)
    assert "3 seeds, mean ± standard deviation" in printed(folder, *names, group=True)


def test_labels_tell_apart_what_differs() -> None:
    base = {"model": "a/gpt2", "revision": "1", "bos": "bos:auto", "config": "he"}
    assert labels([base, {**base, "config": "fr"}]) == ["he", "fr"]
    assert labels([base, {**base, "bos": "bos:never"}]) == ["bos:auto", "bos:never"]
    assert labels([base, {**base, "model": "b/gpt2"}]) == ["a/gpt2", "b/gpt2"]
    assert labels([base, {**base, "model": "b/bert", "revision": "2"}]) == ["gpt2", "bert"]
    assert labels([base]) == ["gpt2"]
    three = labels([base, {**base, "config": "fr"}, {**base, "model": "bert"}])
    assert three == ["gpt2 he", "gpt2 fr", "bert he"]


def decisions(results: Sequence[Result]) -> pd.DataFrame:
    """The items that two results have scored, with the decision of each."""
    one, two = (result.table.to_pandas().set_index("id") for result in results)
    frame = pd.DataFrame({"UID": one["UID"], "one": one["decision"], "two": two["decision"]})
    return frame.dropna()


def test_difference_is_that_of_the_items_in_common(folder: Path) -> None:
    results = open_results([folder / "tiny-xx", folder / "large-model-of-a-long-name-xx"])
    found = difference(results, "UID")
    both = decisions(results)
    apart = both["one"] - both["two"]
    better, worse = int((apart > 0).sum()), int((apart < 0).sum())
    everything = found.rows[ALL]
    assert (everything.n, everything.better, everything.worse) == (len(both), better, worse)
    assert found.left_out == 400 - len(both)
    assert everything.p_exact == pytest.approx(stats.binomtest(better, better + worse).pvalue)
    some = apart[both["UID"] == "prep_anim"]
    assert found.rows["prep_anim"].difference == pytest.approx(some.mean())
    assert everything.low < everything.difference < everything.high < 0


def test_difference_of_two_models_over_several_configs(folder: Path) -> None:
    names = [f"{m}-{c}" for c in ("xx", "yy") for m in ("tiny", "large-model-of-a-long-name")]
    found = difference(open_results([folder / name for name in names]), "config")
    assert list(found.rows) == ["xx", "yy", ALL]
    assert found.rows[ALL].n == found.rows["xx"].n + found.rows["yy"].n
    text = printed(folder, *names, diff=True)
    assert max(map(len, text.splitlines())) <= 80
    assert "McNemar" in text


def test_items_in_another_order_and_number_are_matched(tmp_path: Path) -> None:
    scores = make_scores(make_pairs(100))
    write_result(tmp_path / "a", scores, "a")
    order = np.random.default_rng(0).permutation(100)[:80]
    write_result(tmp_path / "b", scores.take(order), "b")
    found = difference(open_results([tmp_path]), "UID").rows[ALL]
    assert (found.difference, found.better, found.worse, found.p_mid) == (0.0, 0, 0, 1.0)
    assert found.n == sum(scores.take(order)["decision"].is_valid().to_pylist())


def test_difference_wants_two_models_with_common_items(folder: Path) -> None:
    with pytest.raises(InputError, match="compares two models; here are 1"):
        printed(folder, "tiny-xx", diff=True)
    with pytest.raises(InputError, match=r"have no scored item in common \(by config and id"):
        printed(folder, "tiny-xx", "tiny-yy", diff=True)
    with pytest.raises(InputError, match="here are 3: tiny, seed-0, seed-1"):
        printed(folder, "tiny-xx", "lstm-0", "lstm-1", diff=True)


def test_correlations_by_paradigm_and_by_item(folder: Path) -> None:
    results = open_results([folder / "tiny-xx", folder / "large-model-of-a-long-name-xx"])
    found = correlations(results)
    accuracies = [[g["accuracy"] for g in r.summary["by"]["UID"].values()] for r in results]
    assert found.paradigm[0, 1] == pytest.approx(stats.pearsonr(*accuracies).statistic)
    both = decisions(results)
    assert found.item[1, 0] == pytest.approx(both["one"].corr(both["two"]))
    assert found.item[0, 0] == pytest.approx(1.0)
    assert found.paradigms == 4


def test_curves_are_plain_counts(folder: Path) -> None:
    results = open_results([folder / "tiny-xx", folder / "tiny-yy"])
    found = curves(columns(results, "config"))
    rows = [r for result in results for r in result.table.to_pylist() if not r["skipped"]]
    by_match = {p.label: p for p in found["match"]["tiny"]}
    some = [r["decision"] for r in rows if r["features"]["match"] == "mismatch"]
    assert by_match["mismatch"].value == pytest.approx(np.mean(some))
    assert sum(p.n for p in found["distance"]["tiny"]) == len(rows)
    assert sum(p.n for p in found["length"]["tiny"]) == len(rows)
    sure = [r for r in rows if 1 / (1 + np.exp(-abs(r["margin"]))) >= 0.95]
    last = found["margin"]["tiny"][-1]
    assert last.n == len(sure)
    assert last.value == pytest.approx(np.mean([r["decision"] for r in sure]))
    assert 0.95 <= last.x <= 1


def test_csv_holds_every_figure(folder: Path) -> None:
    made = report([folder / "tiny-xx", folder / "tiny-yy"])
    rows = list(csv.DictReader(made.csv().splitlines()))
    summary = read_result(folder / "tiny-yy").summary
    (row,) = [r for r in rows if r["config"] == "yy" and r["group"] == "simple agreement"]
    assert float(row["accuracy"]) == summary["by"]["construction"]["simple agreement"]["accuracy"]
    assert row["signature"] == summary["signature"]


def test_json_for_programs(folder: Path) -> None:
    found = json.loads(printed(folder, "tiny-xx", by="UID", as_json=True))
    cells = {cell["group"]: cell for cell in found["cells"]}
    summary = read_result(folder / "tiny-xx").summary
    assert cells["prep_anim"]["high"] == summary["by"]["UID"]["prep_anim"]["high"]
    assert cells["prep_anim"]["skipped"] == summary["by"]["UID"]["prep_anim"]["skipped"]
    both = printed(folder, "lstm-0", "lstm-1", by="UID", as_json=True, diff=True)
    assert set(json.loads(both)["rows"]["all pairs"]) >= {"difference", "p_mid", "better"}


def test_latex_escapes_names(folder: Path) -> None:
    text = report(folder / "tiny-xx").latex()
    assert r"simple <NPI> \& co & " in text
    assert text.count(r"\begin{tabular}{lr}") == 1
    assert r"prep\_anim & " in report(folder / "tiny-xx", by="UID").latex()
    compared = report([folder / "lstm-0", folder / "lstm-1"], diff=True)
    assert "p_mid" in compared.csv()
    assert r"\begin{tabular}{lrrrrr}" in compared.latex()


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return report(folder, group=True).html()


def test_page_is_whole_and_needs_nothing_else(page: str) -> None:
    parsed = ParsedPage(page)
    assert parsed.open == []
    tags = {tag for tag, _ in parsed.tags}
    assert not tags & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"https?://|url\(|@import", page)
    assert parsed.tags[0] == ("html", {"lang": "en"})
    assert ("meta", {"charset": "utf-8"}) in parsed.tags
    assert "@media print" in page
    assert "simple &lt;NPI&gt; &amp; co" in page
    assert "<NPI>" not in page


def test_drawings_have_titles_and_descriptions(page: str) -> None:
    found = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(found) == 3 + 4  # bars, curves
    ids = set()
    for drawing in found:
        root = ET.fromstring(drawing)
        assert root.attrib["role"] == "img"
        title, about = root[0], root[1]
        assert (title.tag, about.tag) == ("title", "desc")
        assert title.text
        assert about.text
        assert root.attrib["aria-labelledby"] == f"{title.attrib['id']} {about.attrib['id']}"
        assert not any("style" in node.attrib for node in root.iter())
        ids.add(title.attrib["id"])
    assert len(ids) == len(found)


def test_page_has_every_part_and_the_signatures(page: str) -> None:
    for part in ("Overview", "By config", "demo/xx 1.0.0", "By construction", "All paradigms", "Hardest pairs",
                 "Attractor", "Distance", "Length", "Margin", "Correlations between models"):  # fmt: skip
        assert f">{part}</h" in page
    assert page.count("<summary>") == 7
    assert "<code>acc|data:demo@1.0.0#4f3a9c1e|cfg:yy|score:sentence|model:org/tiny" in page
    assert "7 results made with device cpu" in page


def test_page_is_the_same_each_time(folder: Path) -> None:
    names = [folder / "tiny-xx", folder / "lstm-0"]
    texts = [report(names, diff=True).html() for _ in range(2)]
    assert texts[0] == texts[1]
    assert "tiny against seed-0" in texts[0]
    assert ParsedPage(texts[0]).open == []


def test_result_without_a_single_score(folder: Path, tmp_path: Path) -> None:
    scores = scores_of(make_pairs(8), [np.nan] * 8, "focus", "multi-piece")
    write_result(tmp_path / "r", scores, "none")
    made = report([tmp_path / "r", folder / "tiny-xx"])
    assert "none: 0 pairs, 8 skipped (multi-piece 8)" in made.text()
    assert ParsedPage(made.html()).open == []
    assert "nan" not in made.latex()
    (cell, *_) = json.loads(printed(tmp_path, "r", as_json=True))["cells"]
    assert cell["accuracy"] is None
    with pytest.raises(InputError, match="no scored item in common"):
        printed(tmp_path, "r", folder / "tiny-xx", diff=True)


def test_a_folder_is_all_its_results_and_doubles_count_once(folder: Path, tmp_path: Path) -> None:
    found = open_results([folder, folder / "tiny-xx.json", folder / "tiny-xx.parquet"])
    assert len(found) == 7
    with pytest.raises(InputError, match="there is no result in this folder"):
        open_results([tmp_path])
    shutil.copy(folder / "tiny-xx.json", tmp_path)
    shutil.copy(folder / "tiny-xx.parquet", tmp_path)
    with pytest.raises(InputError, match="has the same signature as"):
        columns(open_results([folder, tmp_path]), "UID")


def test_all_bad_files_are_told_at_once(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        open_results([folder / "nope.json", folder / "neither.json", folder / "tiny-xx"])
    assert len(caught.value.problems) == 2


def test_reporting_needs_no_torch() -> None:
    code = (
        "import sys, solecism.reports.report, solecism.reports.html\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
