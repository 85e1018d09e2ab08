"""solecism.score and solecism.report as functions, and the registry of methods."""

import inspect
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner

import solecism
from solecism.commands import main
from solecism.scoring import methods as registry
from solecism.scoring.methods import methods


@pytest.mark.parametrize("function", [solecism.score, solecism.report])
def test_the_examples_of_the_functions_run(
    folder: Path, function: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    solecism.score("clams/fr", "trigrams", limit=50)
    example = (inspect.getdoc(function) or "").partition("Example::\n")[2]
    exec(dedent(example), {"solecism": solecism})
    assert "acc|data:clams@1.0.0#" in capsys.readouterr().out


def test_the_verb_and_the_function_write_the_same(folder: Path) -> None:
    result = solecism.score("clams/fr", "trigrams", sample=10, out="a")
    arguments = ["score", "clams/fr", "--model", "trigrams", "--sample", "10", "--out", "b"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert (
        result.path.with_suffix(".parquet").read_bytes()
        == (Path("b") / result.path.with_suffix(".parquet").name).read_bytes()
    )
    assert result.path.name.endswith("-clams-fr-ngram-sample_10.json")
    assert "|sample:10|" in result.signature


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
        ({"multi_piece": "pl"}, r"multi_piece is 'pl' \(did you mean 'pll'"),
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
        with pytest.raises(solecism.InputError, match=r"'longst' \(did you mean 'longest'"):
            solecism.score("clams/fr", "trigrams", method="longst")
    finally:
        methods.cache_clear()
