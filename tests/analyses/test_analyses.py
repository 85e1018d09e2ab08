"""Each analysis on made-up results whose figures are known."""

import json
from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

pytest.importorskip("pandas", reason="needs the extra `analysis`")
pytest.importorskip("statsmodels", reason="needs the extra `analysis`")

import matplotlib.pyplot as plt
import pandas as pd

from scored import scores_of, write_result
from solecism.analyses.blimp import analyse_blimp
from solecism.analyses.clams import analyse_clams, read_complexity
from solecism.analyses.does_bert_agree import analyse_agreement
from solecism.analyses.mandarin import analyse_mandarin, architecture_of, corpus_of
from solecism.commands import main
from solecism.errors import InputError
from solecism.reports.report import open_results
from solecism.schema import FEATURES
from solecism.scoring.results import Result

Rows = list[dict[str, Any]]

MORE = {"length_in_words": pa.string(), "distractors": pa.int32(), "agrees_in": pa.string()}
KIND = pa.struct([*FEATURES.items(), *MORE.items()])


def result(
    folder: Path, rows: Rows, model: str, config: str = "xx", method: str = "sentence", **more: Any
) -> Result:
    """Write a result of rows with a ``margin`` and features."""
    texts = ("id", "set_id", "UID", "linguistics_term", "language")
    columns = {name: pa.array([str(row[name]) for row in rows]) for name in texts}
    pairs = pa.table({**columns, "features": pa.array([row["features"] for row in rows], KIND)})
    scores = scores_of(pairs, [row["margin"] for row in rows], method)
    stem = folder / f"{len(list(folder.iterdir()))}"
    return open_results([write_result(stem, scores, model, config, method=method, **more)])[0]


def pairs_of(
    uid: str, share: float, language: str = "en", term: str = "agreement", **features: Any
) -> Rows:
    """Pairs of which a share has a margin above zero, spread evenly."""
    return [
        {
            "id": f"{uid}{k}", "set_id": f"{uid}{k // 2}", "UID": uid, "linguistics_term": term,
            "language": language, "features": {"construction": uid, **features},
            "margin": 1.0 if int((k + 1) * share) > int(k * share) else -1.0,
        }
        for k in range(40)
    ]  # fmt: skip


def table_of(parts: Sequence[Any], name: str) -> Any:
    return next(part.table for part in parts if part.name == name)


def test_clams_means_and_deviations_over_seeds(tmp_path: Path) -> None:
    seeds = enumerate((0.5, 0.75))
    some = [
        result(tmp_path, pairs_of("simple", share), f"lstm/seed-{n}", "en") for n, share in seeds
    ]
    table = table_of(analyse_clams(some), "accuracy")
    assert table["construction"].tolist() == ["simple", "average accuracy"]
    for _, row in table.iterrows():
        assert (row["model"], row["accuracy"], row["seeds"], row["n"]) == ("lstm", 0.625, 2, 80)
        assert row["sd"] == pytest.approx(0.125 * np.sqrt(2))


def test_clams_animacy_and_languages(tmp_path: Path) -> None:
    rows = [*pairs_of("prep_anim", 0.5), *pairs_of("prep_inanim", 0.9)]
    french = [*pairs_of("prep_anim", 0.6, "fr"), *pairs_of("prep_inanim", 0.8, "fr")]
    some = [
        result(tmp_path, rows, "mono", "en"), result(tmp_path, rows, "multi", "en"),
        result(tmp_path, french, "multi", "fr"),
        result(tmp_path, pairs_of("prep_anim", 0.9, "fr"), "mono2", "fr"),
    ]  # fmt: skip
    parts = analyse_clams(some)
    animacy = table_of(parts, "animacy").set_index(["model", "language"])
    assert animacy.loc[("mono", "en"), "difference"] == pytest.approx(-0.4)
    assert animacy.loc[("mono", "en"), "high"] < 0
    sides = table_of(parts, "multilingual").set_index(["language", "construction"])
    assert sides.loc[("fr", "prep_anim"), "difference"] == pytest.approx(-0.3)


def test_clams_complexity(tmp_path: Path) -> None:
    shares = {"en": 0.6, "fr": 0.7, "de": 0.95, "ru": 0.8, "he": 0.85}
    pairs = {code: pairs_of("simple", share, code) for code, share in shares.items()}
    some = [result(tmp_path, rows, "m", code) for code, rows in pairs.items()]
    path = tmp_path / "c.csv"
    path.write_text("language,complexity\nen,1\nfr,2\nde,3\nru,4\nhe,5\n")
    table = table_of(analyse_clams(some, complexity=path), "complexity").set_index("without")
    assert table.loc["", "rho"] == pytest.approx(0.7)
    assert table.loc["de", "rho"] == 1
    assert table.loc["", "languages"] == 5
    path.write_text("language,complexity\nen,much\n")
    with pytest.raises(InputError, match=r"c\.csv:2: complexity is 'much', not a number"):
        read_complexity(path)


def test_the_published_correlation_with_c_wals(tmp_path: Path) -> None:
    """Section 6.3: .4 with German and 1.0 without, of the LSTMs' averages of Table 1."""
    averages = {"en": 0.77, "fr": 0.83, "de": 0.90, "he": 0.88, "ru": 0.85}
    some = [
        result(tmp_path, pairs_of("simple", share, code), f"lstm-{code}", code)
        for code, share in averages.items()
    ]
    rho = table_of(analyse_clams(some), "complexity").set_index("without")["rho"]
    assert rho[""] == pytest.approx(0.4)
    assert rho["de"] == pytest.approx(1.0)
    assert "complexity" not in [part.name for part in analyse_clams(some[:2])]


def test_clams_gain_over_a_baseline(tmp_path: Path) -> None:
    matching, other = pairs_of("prep", 0.5, match="match"), pairs_of("rel", 0.5, match="mismatch")
    better = [{**row, "margin": 1.0} for row in matching] + other
    some = [
        result(tmp_path, rows, name, "en")
        for name, rows in (("ngram", matching + other), ("lstm", better))
    ]
    table = table_of(analyse_clams(some, baseline="ngram"), "gain").set_index("value")
    assert table.loc["match", "gain"] == 0.5
    assert table.loc["match", "low"] > 0.3
    assert table.loc["mismatch", "gain"] == 0
    with pytest.raises(InputError, match=r"no result of the baseline 'ngrm' .*ngram"):
        analyse_clams(some, baseline="ngrm")


def test_blimp_by_items(tmp_path: Path) -> None:
    passive = partial(pairs_of, "passive_1", term="arguments")
    rows = [
        {**row, "id": f"{length}{row['id']}"}
        for length, share in ((5, 0.9), (9, 0.6))
        for row in passive(share, length_in_words=str(length))
    ]
    some = [
        result(tmp_path, rows, "lstm-8M"),
        result(tmp_path, pairs_of("passive_1", 0.7), "lstm-8M", method="one_prefix"),
        result(tmp_path, passive(0.95), "lstm-64M"),
        result(tmp_path, passive(0.2), "kn5-9M", method="ngram"),
    ]
    parts = analyse_blimp(some)
    lengths = table_of(parts, "length").set_index(["model", "words of a sentence"])["accuracy"]
    assert lengths[("lstm-8M", 5.0)] == pytest.approx(0.9)
    assert lengths[("lstm-8M", 9.0)] == pytest.approx(0.6)
    assert list(dict.fromkeys(table_of(parts, "length")["model"])) == ["lstm-8M"]
    methods = table_of(parts, "methods").iloc[0]
    assert methods["difference"] == pytest.approx(0.7 - 0.75)
    training = table_of(parts, "training")
    assert training["size"].tolist() == [8e6, 64e6], "a model of one size has no curve"
    phenomena = table_of(parts, "phenomena")
    assert list(phenomena)[1:] == ["kn5-9M", "lstm-8M", "lstm-64M"], "in order of their numbers"
    assert training["accuracy"].tolist() == pytest.approx([0.75, 0.95])
    assert len(table_of(parts, "confidence")) >= 2


def with_margins(made: Result, margins: list[float | None]) -> list[Result]:
    """Write other margins into the table of a result."""
    path = made.path.with_suffix(".parquet")
    table = pq.read_table(path)
    place = table.column_names.index("margin")
    pq.write_table(table.set_column(place, "margin", pa.array(margins, pa.float64())), path)
    return open_results([made.path])


def test_scores_that_are_no_numbers_are_told(tmp_path: Path) -> None:
    made = result(tmp_path, pairs_of("u", 1.0)[:2], "m", "all")
    with pytest.raises(InputError, match="column 'margin' has a value that is not a number"):
        analyse_blimp(with_margins(made, [1.0, float("nan")]))


@pytest.mark.parametrize("known", [0, 1])
def test_items_without_a_margin(tmp_path: Path, known: int) -> None:
    made = result(tmp_path, pairs_of("u", 0.5), "m", "all")
    parts = analyse_blimp(with_margins(made, [1.0] * known + [None] * (40 - known)))
    assert ("confidence" in [part.name for part in parts]) == bool(known)


def test_the_figure_of_thousands_of_paradigms_has_the_hardest() -> None:
    names = [f"u{n}" for n in range(3000)]
    known = {"model": "m", "UID": names, "phenomenon": "t", "accuracy": np.linspace(0, 1, 3000)}
    table = pd.DataFrame(known)
    part = next(p for p in analyse_blimp([], [table]) if p.name == "difficulty")
    axes = plt.figure().subplots()
    assert part.draw is not None
    part.draw(axes)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == names[:100]
    assert len(part.table) == 3000


def test_blimp_over_checkpoints(tmp_path: Path) -> None:
    """They are models of their own, in order of their numbers, and one curve."""
    some = []
    for name, share in (("chck_10M", 0.75), ("chck_2M", 0.5)):
        rows = pairs_of("passive_1", share, term="arguments")
        some.append(result(tmp_path, rows, "org/gpt", options={"checkpoint": name}))
    parts = analyse_blimp(some)
    assert list(table_of(parts, "phenomena"))[1:] == ["org/gpt@chck_2M", "org/gpt@chck_10M"]
    training = table_of(parts, "training")
    assert training["model"].unique().tolist() == ["org/gpt"]
    assert training["size"].tolist() == [2e6, 1e7]
    assert training["accuracy"].tolist() == pytest.approx([0.5, 0.75])


def test_names_of_mandarin_models() -> None:
    names = ("RNNG", "hybrid1_outputs_plm", "lstm_Xinhua", "GPT", "5gram", "trans_outputs", "x")
    found = ["RNNG", "PLM", "LSTM", "Transformer", "n-gram", "Transformer", ""]
    assert [architecture_of(name) for name in names] == found
    assert [corpus_of(name) for name in names[:4]] == ["CTB", "Xinhua", "Xinhua", "CTB"]


def suite_rows(random: np.random.Generator, effect: float) -> Rows:
    items = np.random.default_rng(0).normal(size=30)
    return [
        {
            "id": f"sd_{modifier}-{item}-0", "set_id": f"sd_{modifier}-{item}", "UID": f"sd_{modifier}",
            "linguistics_term": "subordination", "language": "zh",
            "features": {"construction": modifier},
            "margin": 1.0 if random.random() < 1 / (1 + np.exp(-(items[item] + effect))) else -1.0,
        }
        for modifier in ("none", "adj", "obj", "sub")
        for item in range(30)
    ]  # fmt: skip


def suites(tmp_path: Path) -> list[Result]:
    """Results of three seeds each; supervision has an effect of 1.2 on CTB, none on Xinhua."""
    random = np.random.default_rng(5)
    return [
        result(tmp_path, suite_rows(random, effect), f"{name}/seed-{seed}", "suites", "region")
        for name, effect in (("rnng", 1.2), ("lstm", 0.0), ("rnng-xinhua", 0.5), ("lstm-xinhua", 0.5))
        for seed in range(3)
    ]  # fmt: skip


def test_mandarin_supervision_and_corpus(tmp_path: Path) -> None:
    parts = analyse_mandarin(suites(tmp_path))
    table = table_of(parts, "supervision").set_index("corpus")
    assert table.loc["CTB", "sign"].startswith("✓**")
    assert table.loc["CTB", "log_odds"] == pytest.approx(1.2, abs=3 * table.loc["CTB", "error"])
    assert table.loc["Xinhua", "sign"] == "-"
    assert table.loc["CTB", "mcnemar"] < 0.05
    corpora = table_of(parts, "corpus").set_index("models")
    assert corpora.loc["LSTM", "log_odds"] > 0 > corpora.loc["RNNG", "log_odds"]
    means = table_of(parts, "differences")
    assert set(means["modifier"]) == {"none", "adj", "obj", "sub", "all"}
    row = means[(means["model"] == "rnng") & (means["modifier"] == "all")].iloc[0]
    assert row["low"] < row["difference"] < row["high"]


def test_the_seeds_of_a_model_are_numbered_in_order(tmp_path: Path) -> None:
    """The published RNNG on CTB has the trials 0 and 2."""
    fits = []
    for second in (1, 2):
        random, folder = np.random.default_rng(5), tmp_path / str(second)
        folder.mkdir()
        runs = ("lstm/trial0", "lstm/trial1", "rnng/trial0", f"rnng/trial{second}")
        some = [
            result(folder, suite_rows(random, 2.0 * (n % 2)), run, "suites", "region")
            for n, run in enumerate(runs)
        ]
        fits.append(table_of(analyse_mandarin(some), "supervision"))
    pd.testing.assert_frame_equal(*fits)


def test_agreement(tmp_path: Path) -> None:
    rows = []
    languages = {"fr": 0.85, "de": 0.7, "ru": 0.55}
    changes = {"determiner": 0.1, "subject": 0.0, "Number": 0.0, "Gender|Number": -0.2}
    for code, relation, agrees in product(languages, [*changes][:2], [*changes][2:]):
        share = languages[code] + changes[relation] + changes[agrees]
        some = pairs_of(
            relation, share, code, distance=1 + (code == "ru"), agrees_in=agrees,
            distractors=int(relation == "subject"),
        )  # fmt: skip
        rows += [{**row, "id": f"{code}{agrees}{row['id']}"} for row in some]
    parts = analyse_agreement([result(tmp_path, rows, "bert", method="cloze")])
    by = table_of(parts, "relations").set_index("relation")["accuracy"]
    assert by["determiner"] - by["subject"] == pytest.approx(0.1, abs=0.02)
    assert table_of(parts, "languages").set_index("language").loc["fr", "n"] == 160
    features = table_of(parts, "features").set_index("feature")
    assert features.loc["Gender", "within"] == pytest.approx(-0.2, abs=0.02)
    across = table_of(parts, "across").set_index("what")
    assert across.loc["determiner – subject", "pearson"] > 0.98
    distance = table_of(parts, "distance").set_index("distance")["accuracy"]
    assert distance[1.0] > distance[2.0]


def run(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["analyse", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def test_the_command_writes_tables_and_figures(tmp_path: Path) -> None:
    made = result(tmp_path, pairs_of("simple", 0.75), "lstm", "en")
    out = tmp_path / "out"
    assert "Accuracy by construction and language" in run("clams", made.path, "--out", out)
    names = ("accuracy.csv", "accuracy.tex", "accuracy.svg", "accuracy.pdf", "signatures.txt")
    assert {path.name for path in out.iterdir()} == set(names)
    assert r"\toprule" in (out / "accuracy.tex").read_text()
    assert (out / "signatures.txt").read_text().strip() == made.signature
    first = (out / "accuracy.svg").read_bytes()
    found = json.loads(run("clams", made.path, "--out", out, "--json"))
    assert found["accuracy"]["rows"][0]["accuracy"] == 0.75
    assert (out / "accuracy.svg").read_bytes() == first


def test_nothing_to_analyse(tmp_path: Path) -> None:
    assert "name at least one result" in run("clams", code=2)
    assert "name results, or a table" in run("blimp", code=2)
    table = tmp_path / "people.csv"
    table.write_text("UID,accuracy\npassive_1,0.9\n")
    assert "names no phenomena" in run("blimp", "--published", table, code=2)
