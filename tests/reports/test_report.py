"""Reports: tables for terminals, comparisons, CSV, LaTeX, JSON, and the page."""

import csv
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from html_pages import ParsedPage
from scored import make_pairs, make_scores, write_models, write_result
from solecism.commands import main
from solecism.errors import InputError
from solecism.reports.comparison import correlations, difference
from solecism.reports.figures import ALL, MEAN, columns, curves, labels
from solecism.reports.report import open_results, report
from solecism.scoring.results import read_result, scores_table
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
    files = {form: options.pop(form, None) for form in ("html", "csv", "latex")}
    as_json = options.pop("as_json", False)
    made = report([folder / name for name in names], **options)
    for form, path in files.items():
        if path is not None:
            path.write_text(getattr(made, form)(), encoding="utf-8")
    return json.dumps(made.to_json()) if as_json else made.text()


def test_one_result_with_its_counts(folder: Path) -> None:
    text = printed(folder, "tiny-xx.json")
    result = read_result(folder / "tiny-xx")
    found = result.summary["by"]["construction"]["simple agreement"]
    ends = f"{100 * found['low']:.1f}–{100 * found['high']:.1f}"
    skipped = sum(found["skipped"].values())
    line = next(line for line in text.splitlines() if line.startswith("simple agreement"))
    assert line.split()[2:] == [
        f"{100 * found['accuracy']:.1f}", ends, str(found["n"]), str(found["ties"]), str(skipped),
    ]  # fmt: skip
    assert result.signature in text
    assert "skipped (too long" in text


def test_models_side_by_side_fit_80_columns(folder: Path) -> None:
    text = printed(folder, "tiny-xx", "large-model-of-a-long-name-xx", by="phenomenon")
    body = text.split("\n\n")[0]
    assert max(map(len, body.splitlines())) <= 80
    assert "agreement" in body
    assert "npi_licensing" in body
    assert body.count("–") == 6
    assert "large-model-of-a-long-name" in body


def test_off_a_terminal_nothing_wraps(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "a-model-of-a-name-that-is-longer-than-any-column-of-a-terminal"
    for config, text in (("xx", name), ("yy", f"{name}-2")):
        write_result(tmp_path / config, make_scores(make_pairs(60)), text, "xx")
    monkeypatch.delenv("COLUMNS", raising=False)
    wide = CliRunner().invoke(main, ["report", str(tmp_path)]).output
    assert f"{name}-2\n" in wide
    monkeypatch.setenv("COLUMNS", "60")
    narrow = CliRunner().invoke(main, ["report", str(tmp_path)]).output
    assert max(map(len, narrow.split("\n\n")[0].splitlines())) <= 60


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


def test_unknown_grouping_names_those_there_are(folder: Path) -> None:
    message = r"no grouping 'construktion' .did you mean 'construction'"
    with pytest.raises(InputError, match=message):
        printed(folder, "tiny-xx", by="construktion")


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


def test_a_first_token_that_matters_is_told(tmp_path: Path) -> None:
    pairs = make_pairs(200)
    for bos, mean in (("auto", 0.2), ("never", 2.0)):
        write_result(tmp_path / bos, make_scores(pairs, mean), options={"bos": bos})
    text = printed(tmp_path, "auto", "never")
    told = r"org/tiny on xx: the first token matters: [\d.]+ with bos:auto, [\d.]+ with bos:never"
    assert re.search(told, text)


def test_difference_is_that_of_the_items_in_common(folder: Path) -> None:
    results = open_results([folder / "tiny-xx", folder / "large-model-of-a-long-name-xx"])
    found = difference(results, "UID")
    one, two = (
        {r["id"]: r for r in result.table.to_pylist() if r["skipped"] is None} for result in results
    )
    ids = [i for i in one if i in two]
    better = sum(one[i]["decision"] > two[i]["decision"] for i in ids)
    worse = sum(one[i]["decision"] < two[i]["decision"] for i in ids)
    everything = found.rows[ALL]
    assert (everything.n, everything.better, everything.worse) == (len(ids), better, worse)
    assert found.left_out == 400 - len(ids)
    assert everything.p_exact == pytest.approx(stats.binomtest(better, better + worse).pvalue)
    some = [one[i]["decision"] - two[i]["decision"] for i in ids if one[i]["UID"] == "prep_anim"]
    assert found.rows["prep_anim"].difference == pytest.approx(np.mean(some))
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
    with pytest.raises(InputError, match="have no scored item in common"):
        printed(folder, "tiny-xx", "tiny-yy", diff=True)
    with pytest.raises(InputError, match="here are 3: tiny, seed-0, seed-1"):
        printed(folder, "tiny-xx", "lstm-0", "lstm-1", diff=True)


def test_correlations_by_paradigm_and_by_item(folder: Path) -> None:
    results = open_results([folder / "tiny-xx", folder / "large-model-of-a-long-name-xx"])
    found = correlations(results)
    accuracies = [[g["accuracy"] for g in r.summary["by"]["UID"].values()] for r in results]
    assert found.paradigm[0, 1] == pytest.approx(stats.pearsonr(*accuracies).statistic)
    one, two = (
        {r["id"]: r["decision"] for r in result.table.to_pylist() if not r["skipped"]}
        for result in results
    )
    pairs = [(one[i], two[i]) for i in one if i in two]
    assert found.item[1, 0] == pytest.approx(stats.pearsonr(*zip(*pairs, strict=True)).statistic)
    assert found.item[0, 0] == pytest.approx(1.0)
    assert found.paradigms == 4


def test_curves_are_plain_counts(folder: Path) -> None:
    results = open_results([folder / "tiny-xx", folder / "tiny-yy"])
    found = curves(columns(results, "config"))
    rows = [r for result in results for r in result.table.to_pylist() if not r["skipped"]]
    by_match = {p.label: p for p in found["match"][0].points}
    some = [r["decision"] for r in rows if r["features"]["match"] == "mismatch"]
    assert by_match["mismatch"].value == pytest.approx(np.mean(some))
    assert sum(p.n for p in found["distance"][0].points) == len(rows)
    assert sum(p.n for p in found["length"][0].points) == len(rows)
    sure = [r for r in rows if 1 / (1 + np.exp(-abs(r["margin"]))) >= 0.95]
    last = found["margin"][0].points[-1]
    assert last.n == len(sure)
    assert last.value == pytest.approx(np.mean([r["decision"] for r in sure]))
    assert 0.95 <= last.x <= 1


def test_csv_holds_every_figure(folder: Path, tmp_path: Path) -> None:
    printed(folder, "tiny-xx", "tiny-yy", csv=tmp_path / "a.csv")
    rows = list(csv.DictReader((tmp_path / "a.csv").open(encoding="utf-8")))
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


def test_latex_escapes_names(folder: Path, tmp_path: Path) -> None:
    printed(folder, "tiny-xx", latex=tmp_path / "a.tex")
    text = (tmp_path / "a.tex").read_text(encoding="utf-8")
    assert r"simple <NPI> \& co & " in text
    assert text.count(r"\begin{tabular}{lr}") == 1
    printed(folder, "tiny-xx", by="UID", latex=tmp_path / "b.tex")
    assert r"prep\_anim & " in (tmp_path / "b.tex").read_text(encoding="utf-8")
    printed(folder, "lstm-0", "lstm-1", diff=True, csv=tmp_path / "d.csv", latex=tmp_path / "d.tex")
    assert "p_mid" in (tmp_path / "d.csv").read_text(encoding="utf-8")
    assert r"\begin{tabular}{lrrrrr}" in (tmp_path / "d.tex").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    printed(folder, ".", group=True, html=path)
    return path.read_text(encoding="utf-8")


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


def test_page_is_the_same_each_time(folder: Path, tmp_path: Path) -> None:
    texts = []
    for name in ("a.html", "b.html"):
        printed(folder, "tiny-xx", "lstm-0", diff=True, html=tmp_path / name)
        texts.append((tmp_path / name).read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert "tiny against seed-0" in texts[0]
    assert ParsedPage(texts[0]).open == []


def test_result_without_a_single_score(folder: Path, tmp_path: Path) -> None:
    pairs = make_pairs(8)
    nan, ones = np.full(8, np.nan), np.ones(8, int)
    scores = scores_table(
        pairs, "focus", (nan, nan), (ones, ones), [["x"] * 8] * 2, ["multi-piece"] * 8
    )
    write_result(tmp_path / "r", scores, "none")
    files = {"html": tmp_path / "r.html", "latex": tmp_path / "r.tex"}
    text = printed(tmp_path, "r", folder / "tiny-xx", **files)
    assert "none: 0 pairs, 8 skipped (multi-piece 8)" in text
    assert ParsedPage((tmp_path / "r.html").read_text(encoding="utf-8")).open == []
    assert "nan" not in (tmp_path / "r.tex").read_text(encoding="utf-8")
    (cell, *_) = json.loads(printed(tmp_path, "r", as_json=True))["cells"]
    assert cell["accuracy"] is None
    with pytest.raises(InputError, match="no scored item in common"):
        printed(tmp_path, "r", folder / "tiny-xx", diff=True)


def test_a_folder_is_all_its_results_and_doubles_count_once(folder: Path, tmp_path: Path) -> None:
    found = open_results([folder, folder / "tiny-xx.json", folder / "tiny-xx.parquet"])
    assert len(found) == 7
    with pytest.raises(InputError, match="there is no result in this folder"):
        open_results([tmp_path])


def test_all_bad_files_are_told_at_once(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        open_results([folder / "nope.json", folder / "neither.json", folder / "tiny-xx"])
    assert len(caught.value.problems) == 2


def test_a_copy_of_a_result_is_refused(folder: Path, tmp_path: Path) -> None:
    for name in ("tiny-xx.json", "tiny-xx.parquet"):
        (tmp_path / f"copy{name[7:]}").write_bytes((folder / name).read_bytes())
    with pytest.raises(InputError, match="has the same signature as"):
        columns(open_results([folder / "tiny-xx", tmp_path / "copy"]), "UID")


def test_reporting_needs_no_torch() -> None:
    code = (
        "import sys, solecism.reports.report, solecism.reports.html\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
