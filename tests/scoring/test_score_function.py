"""solecism.score, score_all and report as functions and verbs; samples; the registry of methods."""

import inspect
import json
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import solecism
from folders import write_tables
from scored import make_pairs
from solecism.baselines import ngram
from solecism.baselines.ngram import NgramModel
from solecism.commands import main
from solecism.errors import InputError
from solecism.scoring import methods as registry
from solecism.scoring import opening, run
from solecism.scoring.items import NEEDED, ItemSet, expand_data, find_pair, open_items
from solecism.scoring.methods import methods
from solecism.scoring.opening import ModelPlace, find_revisions, place_of_model
from solecism.scoring.options import FAST
from solecism.scoring.summary import Signature, summarize_file
from tiny import edit, rewrite


def score(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["score", *arguments])


@pytest.fixture
def two(folder: Path) -> Path:
    """A folder with ``both``, a data set of two configs, and two models."""
    shutil.copytree(folder / "trigrams", folder / "others")
    (folder / "others" / "training.json").write_text('{"other": true}')
    table = pq.read_table(run.open_items("clams/fr").files[0])
    write_tables(folder / "both", {"fr": table, "fr_too": table})
    return folder


def test_models_and_configs_in_one_call(two: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[str] = []

    def load_ngram(name: str) -> NgramModel:
        loads.append(name)
        return ngram.load_ngram(name)

    monkeypatch.setattr(opening, "load_ngram", load_ngram)
    shown: list[tuple[int, int]] = []

    def progress(name: str, done: int, total: int) -> None:
        shown.append((done, total))

    found = solecism.score_all("both", ["trigrams", "others"], limit=20, progress=progress)
    assert max(shown) == (20, 20)
    parts = [(result.run["model"], result.run["config"]) for result in found]
    assert parts == [(m, c) for m in ("trigrams", "others") for c in ("fr", "fr_too")]
    assert loads == ["trigrams", "others"]
    done = score("both/*", "--model", "trigrams", "--model", "others", "--limit", "20", "--json")
    assert done.exit_code == 0
    assert done.stderr.count("is there already (--again scores it anew)") == 4


def test_what_is_done_is_not_done_again(folder: Path) -> None:
    first = solecism.score("clams/fr", "trigrams", limit=20)
    stamp = first.path.stat().st_mtime_ns
    notes: list[str] = []
    again = solecism.score("clams/fr", "trigrams", limit=20, notice=notes.append)
    assert again.summary == first.summary
    assert "is there already" in notes[0]
    assert first.path.stat().st_mtime_ns == stamp
    solecism.score("clams/fr", "trigrams", limit=20, again=True)
    assert first.path.stat().st_mtime_ns > stamp


def test_names_that_stand_for_configs(two: Path) -> None:
    assert expand_data("both") == expand_data("both/*") == ["both/fr", "both/fr_too"]
    assert expand_data("both/*too") == ["both/fr_too"]
    assert expand_data("both/fr") == ["both/fr"]
    with pytest.raises(InputError, match=r"no config that fits 'x\*' \(configs: fr, fr_too\)"):
        expand_data("both/x*")
    edit(Path("both/manifest.json"), '"fr_too": {', '"fr_too": {"default": true, ')
    assert expand_data("both") == ["both/fr_too"]


OWN = (*NEEDED, "tokens_good", "tokens_bad")
TEXT_TYPES = {
    "large": pa.large_string(),
    "view": pa.string_view(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "large dictionary": pa.dictionary(pa.int32(), pa.large_string()),
}


@pytest.mark.parametrize("kind", TEXT_TYPES)
def test_texts_of_any_type_are_texts(folder: Path, kind: str) -> None:
    table = next(open_items("clams/fr").tables(limit=20)).select(OWN)
    pq.write_table(table, "plain.parquet")
    columns = [column.combine_chunks().cast(TEXT_TYPES[kind]) for column in table]
    pq.write_table(pa.table(columns, OWN), "other.parquet")
    digests = [open_items(f"{name}.parquet").digest for name in ("plain", "other")]
    assert digests[0] == digests[1]
    first, second = (solecism.score(f"{name}.parquet", "trigrams") for name in ("plain", "other"))
    assert first.table == second.table
    assert find_pair(table["id"][0].as_py(), "other.parquet")[1]["sentence_good"]


def test_columns_without_a_value_may_have_no_type(folder: Path) -> None:
    table = next(open_items("clams/fr").tables(limit=20)).select(OWN)
    pq.write_table(table.append_column("note", pa.nulls(20)), "own.parquet")
    assert solecism.score("own.parquet", "trigrams").summary["overall"]["n"] == 20


def test_a_missing_column_is_named_before_a_type(folder: Path) -> None:
    table = next(open_items("clams/fr").tables(limit=20)).select(OWN)
    numbers = table.set_column(0, "id", pa.array(range(20)))
    pq.write_table(numbers, "own.parquet")
    with pytest.raises(InputError, match="column 'id' is int64, wanted string"):
        open_items("own.parquet")
    pq.write_table(table.drop_columns("sentence_bad"), "own.parquet")
    with pytest.raises(InputError, match="the pairs have no column 'sentence_bad'"):
        solecism.score("own.parquet", "trigrams")


def test_files_that_are_not_read_are_told_which_are() -> None:
    for name in ("own.doc", "a/own.doc"):
        rewrite(Path(name), "{}")
        with pytest.raises(InputError, match=rf"{name}: items are read from .parquet, .jsonl, "):
            open_items(name)


def test_the_fast_subset_is_fixed(folder: Path) -> None:
    found = solecism.score("clams/fr", "trigrams", fast=True)
    counts = Counter(found.table["UID"].to_pylist())
    assert set(counts.values()) == {FAST}
    assert "|fast:yes|" in found.signature
    same = solecism.score("clams/fr", "trigrams", sample=FAST)
    assert same.table["id"] == found.table["id"]
    assert same.path.name.endswith("-clams-fr-ngram-sample_50.json")
    with pytest.raises(InputError, match="give one of them"):
        solecism.score("clams/fr", "trigrams", fast=True, sample=3)


def test_checkpoints_in_a_folder_and_on_a_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = str(tmp_path / "runs")
    for name in ("chck_10M", "chck_2M", "other", "main"):
        rewrite(Path(model, name, "config.json"), "")
    runs = str(tmp_path / "ngrams")
    rewrite(Path(runs, "step-3", "model.arpa"), "")
    assert find_revisions(model, ["chck_*M", "main"]) == ["chck_2M", "chck_10M", "main"]
    for name, revision, expected in (
        (model, "main", ModelPlace("network", model, "main", f"{model}/main")),
        (f"{model}/chck_2M", None, ModelPlace("network", model, "chck_2M", f"{model}/chck_2M")),
        (f"{model}/other", None, ModelPlace("network", f"{model}/other", None, f"{model}/other")),
        (f"{runs}/step-3", None, ModelPlace("n-gram", runs, "step-3", f"{runs}/step-3")),
        ("gpt2", "step1", ModelPlace("network", "gpt2", "step1", "gpt2", "step1")),
        (
            "openai:http://a#b",
            None,
            ModelPlace("server", "openai:http://a#b", None, "openai:http://a#b"),
        ),
    ):
        assert place_of_model(name, revision) == expected
    with pytest.raises(InputError, match=r"no checkpoint 'chck_3M' \(did you mean 'chck_2M'"):
        place_of_model(model, "chck_3M")
    with pytest.raises(InputError, match="no revision 'x_"):
        find_revisions(model, ["x_*"])
    names = ["main", "chck_10M", "chck_9M"]
    monkeypatch.setattr("solecism.hub.client.revisions_of", lambda model: names)
    assert find_revisions("babylm/gpt", ["chck_*"]) == ["chck_9M", "chck_10M"]


def test_a_result_is_an_object(folder: Path) -> None:
    found = solecism.score("clams/fr", "trigrams", limit=40)
    assert found.accuracy == found.summary["overall"]["accuracy"]
    by_uid = found.summary["by"]["UID"]
    assert found.accuracies() == {name: tally["accuracy"] for name, tally in by_uid.items()}
    assert set(found.accuracies("phenomenon")) == {"subject_verb_agreement"}
    with pytest.raises(InputError, match=r"unknown grouping 'UDI' \(did you mean 'UID'"):
        found.accuracies("UDI")
    frame = found.to_pandas()
    assert len(frame) == 40
    assert "features.construction" in frame.columns
    assert json.loads(json.dumps(found.to_json())) == found.summary
    assert len(repr(found)) < 300
    assert f"{100 * found.accuracy:.1f} %" in repr(found)


def command(*arguments: str) -> Result:
    return score("clams/fr", "--model", "trigrams", *arguments)


def test_a_run_can_fail_in_ci(folder: Path) -> None:
    done = command("--limit", "40", "--json")
    found = json.loads(done.stdout)
    assert found["accuracy"] == found["results"][0]["accuracy"] > 0.5
    (before,) = Path("results").glob("*.json")
    assert command("--limit", "40", "--fail-under", "50", "--baseline", str(before)).exit_code == 0
    done = command("--limit", "40", "--fail-under", "100.5")
    assert done.exit_code == 1
    assert "trigrams on clams/fr: accuracy" in done.stderr
    table = pq.read_table(before.with_suffix(".parquet"))
    right = pa.array([1.0] * len(table))
    place = table.column_names.index("decision")
    pq.write_table(table.set_column(place, "decision", right), "better.parquet")
    signature = Signature(**json.loads(before.read_text())["run"])
    Path("better.json").write_text(json.dumps(summarize_file("better", signature)))
    done = command("--limit", "30", "--baseline", "better.json", "--fail-under", "10")
    assert (done.exit_code, "the baseline has 100.00" in done.stderr) == (1, True)
    assert command("--baseline", "nothing.json").exit_code == 2
    for share in ("0.5", "1", "nan", "-3"):
        done = command("--limit", "40", "--fail-under", share)
        assert (done.exit_code, "per cent" in done.stderr) == (2, True)
    assert "did you mean 50?" in command("--fail-under", "0.5").stderr


def test_a_run_that_is_stopped_says_what_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("solecism.scoring.run.score_all", stopped)
    done = command()
    assert done.exit_code == 130
    assert "stopped: 0 rows of unfinished results are kept in results" in done.stderr


@pytest.mark.parametrize("side", ["good", "bad"])
def test_words_that_are_not_those_of_the_sentence(folder: Path, side: str) -> None:
    table = pq.read_table(run.open_items("clams/fr").files[0]).slice(0, 20)
    other = table["sentence_bad" if side == "good" else "sentence_good"]
    place = table.column_names.index(f"sentence_{side}")
    pq.write_table(table.set_column(place, f"sentence_{side}", other), "edited.parquet")
    done = score("edited.parquet", "--model", "trigrams")
    assert done.exit_code == 2
    said = f"pair {table['id'][0]}: tokens_{side} are not the words of sentence_{side}"
    assert said in done.stderr.replace("\n", " ")


def test_an_id_that_stands_twice(folder: Path) -> None:
    table = pq.read_table(run.open_items("clams/fr").files[0]).slice(0, 20)
    pq.write_table(pa.concat_tables([table, table.slice(3, 1)]), "twice.parquet")
    done = score("twice.parquet", "--model", "trigrams")
    assert done.exit_code == 2
    assert f"twice.parquet: '{table['id'][3]}' is the id of two items" in done.stderr
    assert not Path("results").exists()


def test_a_run_has_a_name(folder: Path) -> None:
    command("--name", "mine")
    (path,) = Path("results").glob("mine-*-clams-fr-ngram.json")
    assert json.loads(path.read_text())["run"]["model"] == "mine"
    with pytest.raises(InputError, match="one name cannot stand for several models"):
        solecism.score_all("clams/fr", ["trigrams", "other"], name="mine")


@pytest.mark.parametrize("name", ["./models/trigram", "models/a/trigram", "/nowhere/x"])
def test_a_folder_that_is_not_there_is_told(folder: Path, name: str) -> None:
    rewrite(folder / "models" / "trigrams" / "config.json", "")
    with pytest.raises(InputError, match=f"there is no folder '{name}'") as told:
        solecism.score("clams/fr", name)
    assert name != "./models/trigram" or "did you mean 'models/trigrams'" in str(told.value)


@pytest.mark.parametrize("function", [solecism.score, solecism.report])
def test_the_examples_of_the_functions_run(
    folder: Path, function: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    solecism.score("clams/fr", "trigrams", limit=50)
    example = (inspect.getdoc(function) or "").partition("Example::\n")[2]
    exec(dedent(example), {"solecism": solecism})
    assert "acc|data:clams@1.0.0#" in capsys.readouterr().out


def test_no_torch_for_ngram_models(folder: Path) -> None:
    code = (
        "import sys; sys.modules['torch'] = None; import solecism\n"
        "assert solecism.score('clams/fr', 'trigrams', limit=5).summary['rows'] == 5"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 0}, "limit is 0, not nothing or a whole number from 1"),
        ({"method": "cloze"}, r"'cloze' is not for the pair items of 'clams/fr' \(methods: "),
        ({"method": "focus"}, r"'focus' is not for n-gram models, as 'trigrams' \(methods: ngram"),
    ],
)
def test_wrong_values_are_told(folder: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(solecism.InputError, match=message):
        solecism.score("clams/fr", "trigrams", **options)


# the registry

METHOD = """
from solecism.scoring.methods import Method
from solecism.scoring.results import scores_table

def score(tables, run):
    for table in tables:
        texts = [table[f"sentence_{side}"].to_pylist() for side in ("good", "bad")]
        lengths = [[len(text) for text in side] for side in texts]
        ones = [[1] * len(table)] * 2
        yield scores_table(table, "longest", lengths, ones, texts, [None] * len(table))

METHODS = [Method("longest", "the number of characters", "pair", ("n-gram",), score)]
"""


def test_a_method_is_one_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "longest.py").write_text(METHOD)
    monkeypatch.setattr(registry, "__path__", [*registry.__path__, str(folder)])
    monkeypatch.setitem(sys.modules, "solecism.scoring.methods.longest", None)
    monkeypatch.delitem(sys.modules, "solecism.scoring.methods.longest")
    methods.cache_clear()
    try:
        assert "longest" in CliRunner().invoke(main, ["score", "--help"]).output
        result = solecism.score("clams/fr", "trigrams", method="longest", limit=9)
        assert "|score:longest|" in result.signature
        assert "-longest-limit_9" in result.path.name
        with pytest.raises(solecism.InputError, match=r"'longst' .*did you mean 'longest'"):
            solecism.score("clams/fr", "trigrams", method="longst")
    finally:
        methods.cache_clear()


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
