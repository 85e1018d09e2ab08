"""Scoring pairs with causal models: methods, BOS, alignment, bad input, and agreement with
lm-eval."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from click.testing import CliRunner

import solecism
from causal_models import by_hand, save_model
from solecism.commands import main
from solecism.errors import InputError
from solecism.scoring.engines.causal import CausalReader
from solecism.scoring.items import open_pairs
from solecism.scoring.methods.sentence import score_pairs
from solecism.scoring.models import Loaded, load_model
from solecism.scoring.normalise import estimate_unigram


@pytest.fixture(scope="module")
def work(clams: Path, french: list[str]) -> Path:
    """A folder with a small data set ``clams`` (French) and a small model ``tiny``."""
    save_model(clams / "tiny", french)
    return clams


@pytest.fixture(scope="module")
def loaded(work: Path) -> Loaded:
    return load_model(str(work / "tiny"))


def pairs(work: Path, limit: int = 300) -> pa.Table:
    return pa.concat_tables(open_pairs(str(work / "clams" / "fr")).tables(limit=limit))


def scored(loaded: Loaded, table: pa.Table, method: str = "sentence", **options: Any) -> pa.Table:
    return pa.concat_tables(score_pairs([table], CausalReader(loaded, **options), method))


@pytest.mark.parametrize("eos", [False, True])
@pytest.mark.parametrize(("bos", "prefix"), [("auto", [0]), ("always", [0]), ("never", [])])
def test_sentence_scores_are_sums_of_log_probabilities(
    work: Path, loaded: Loaded, bos: str, prefix: list[int], eos: bool
) -> None:
    table, end = pairs(work, 20), "</s>" if eos else ""
    out = scored(loaded, table, bos=bos, eos=eos)
    for side in ("good", "bad"):
        wanted = [by_hand(loaded, t + end, prefix) for t in table[f"sentence_{side}"].to_pylist()]
        assert np.allclose(out[f"logp_{side}"].to_numpy(), wanted, atol=1e-4)


def test_auto_takes_eos_where_there_is_no_bos_and_always_insists(work: Path) -> None:
    save_model(work / "no-bos", ["Le chat dort."], bos=None)
    model = load_model(str(work / "no-bos"))
    table = pairs(work, 3)
    wanted = by_hand(model, table["sentence_good"][0].as_py(), [1])
    assert scored(model, table)["logp_good"][0].as_py() == pytest.approx(wanted, abs=1e-4)
    with pytest.raises(InputError, match="no BOS token"):
        CausalReader(model, bos="always")


def test_one_prefix_scores_the_critical_word_after_the_prefix(work: Path, loaded: Loaded) -> None:
    table = pairs(work, 40)
    out = scored(loaded, table, method="one_prefix")
    for row, pair in zip(out.to_pylist(), table.to_pylist(), strict=True):
        assert row["skipped"] is None
        through = [
            by_hand(loaded, f"{pair['one_prefix_prefix']} {pair[f'one_prefix_word_{side}']}", [0])
            for side in ("good", "bad")
        ]
        # A space that is a token of its own stands before the word, on both sides.
        assert row["margin"] == pytest.approx(through[0] - through[1], abs=1e-3)


def test_two_prefix_scores_one_word_after_two_prefixes(work: Path, loaded: Loaded) -> None:
    others = scored(loaded, pairs(work, 10), method="two_prefix")
    assert set(others["skipped"].to_pylist()) == {"no two-prefix pair"}
    assert others["decision"].null_count == 10
    row = {
        "id": "1", "set_id": "1", "UID": "u", "linguistics_term": "t", "language": "fr",
        "sentence_good": "Le chat dort ici.", "sentence_bad": "Les chat dort ici.",
        "two_prefix_prefix_good": "Le chat", "two_prefix_prefix_bad": "Les chat",
        "two_prefix_word": "dort",
    }  # fmt: skip
    out = scored(loaded, pa.Table.from_pylist([row]), method="two_prefix").to_pylist()[0]
    for side, prefix in (("good", "Le chat"), ("bad", "Les chat")):
        wanted = by_hand(loaded, f"{prefix} dort", [0]) - by_hand(loaded, prefix, [0])
        assert out[f"logp_{side}"] == pytest.approx(wanted, abs=1e-3)


def test_too_long_sentences_are_skipped_and_counted(loaded: Loaded, work: Path) -> None:
    table = pairs(work, 2)
    long = pa.array(["mot " * 100 + ".", table["sentence_good"][1].as_py()])
    table = table.set_column(table.schema.get_field_index("sentence_good"), "sentence_good", long)
    assert scored(loaded, table)["skipped"].to_pylist() == ["too long", None]


@pytest.mark.parametrize("method", ["one_prefix", "two_prefix"])
def test_only_what_a_prefix_method_reads_must_fit(loaded: Loaded, method: str) -> None:
    long, short = "mot " * 100 + "noir", "Le chat"
    rows = []
    for number, prefix in enumerate((long, short)):
        good, bad = (f"{prefix} {word} {long}." for word in ("dort", "dorme"))
        if method == "two_prefix":
            bad = f"Un {prefix} dort {long}."
        texts = {
            "sentence_good": good, "sentence_bad": bad, "one_prefix_prefix": prefix,
            "one_prefix_word_good": "dort", "one_prefix_word_bad": "dorme",
            "two_prefix_prefix_good": prefix, "two_prefix_prefix_bad": f"Un {prefix}",
            "two_prefix_word": "dort",
        }  # fmt: skip
        names = {"id": str(number), "set_id": "1", "UID": "u", "linguistics_term": "t"}
        rows.append({**names, "language": "fr", **texts})
    out = scored(loaded, pa.Table.from_pylist(rows), method=method)
    assert out["skipped"].to_pylist() == ["too long", None]
    assert out["decision"].null_count == 1
    if method == "one_prefix":
        wanted = [by_hand(loaded, f"{short} {word}", [0]) for word in ("dort", "dorme")]
        assert out["margin"][1].as_py() == pytest.approx(wanted[0] - wanted[1], abs=1e-3)


@pytest.mark.parametrize("saved", [torch.float32, torch.bfloat16])
def test_auto_is_resolved_and_signed(work: Path, tmp_path: Path, saved: torch.dtype) -> None:
    """The same model in the dtype that it was saved in, on the device that is there."""
    name, folder = str(saved).removeprefix("torch."), str(tmp_path / "saved")
    there = load_model(str(work / "tiny"))
    there.model.to(saved).save_pretrained(folder)
    there.tokenizer.save_pretrained(folder)
    loaded = load_model(folder, dtype="auto", device="auto")
    assert loaded.dtype == name
    assert loaded.device.split(":")[0] in ("cpu", "cuda", "mps")
    auto, named = (
        solecism.score(f"{work}/clams/fr", folder, limit=6, dtype=dtype, out=tmp_path / dtype)
        for dtype in ("auto", name)
    )
    assert auto.signature == named.signature
    assert f"dtype:{name}" in auto.signature
    assert auto.summary["overall"]["accuracy"] == named.summary["overall"]["accuracy"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "no/such-model"}, "cannot be loaded"),
        ({"data": "clams/xx"}, "no config 'xx'"),
        ({"data": "nothing/fr"}, "no folder 'nothing'"),
        ({"--method": "sentense"}, "did you mean 'sentence'"),
        ({"--bos": "maybe"}, "bos is 'maybe' .known: auto, always, never"),
        ({"--method": "focus"}, "'focus' is not for causal models, as 'tiny' .methods: sentence"),
        ({"--device": "cudda"}, "device 'cudda': .*devices: auto, map, cpu"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(
    work: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, str], message: str
) -> None:
    monkeypatch.chdir(work)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    arguments = ["score", change.get("data", "clams/fr"), "--model", change.get("model", "tiny")]
    arguments += [part for key, value in change.items() if key[0] == "-" for part in (key, value)]
    result = CliRunner().invoke(main, [*arguments, "--limit", "5"])
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert re.search(message, result.output)


@pytest.mark.parametrize("method", ["sentence", "one_prefix"])
@pytest.mark.parametrize("eos", [False, True])
def test_lengths_and_unigrams_are_those_of_the_tokens_in_the_sum(
    work: Path, loaded: Loaded, method: str, eos: bool, tmp_path: Path
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("L'auteur rit.\nLes auteurs rient près de l'éléphant.\n", encoding="utf-8")
    reader = CausalReader(loaded, eos=eos)
    unigram = estimate_unigram(text, reader)
    assert np.isclose(np.exp(unigram.logp[1]) / np.exp(unigram.logp[0]), 3 if eos else 1)
    table = pairs(work, 30)
    out = pa.concat_tables(score_pairs([table], reader, method, unigram))
    for row, pair in zip(out.to_pylist(), table.to_pylist(), strict=True):
        for side in ("good", "bad"):
            text = pair["sentence_" + side]
            if method == "one_prefix":
                start, word = len(pair["one_prefix_prefix"]), pair[f"one_prefix_word_{side}"]
                text = text[start : text.index(word, start) + len(word)]
            if method == "sentence" or row["chars_" + side] == len(text):
                ids = loaded.tokenizer(text)["input_ids"]
                ids += [1] if eos and method == "sentence" else []
                sizes = len(ids), len(text), len(text.encode())
                assert sizes == tuple(row[f"{n}_{side}"] for n in ("tokens", "chars", "bytes"))
                assert row["unigram_" + side] == pytest.approx(unigram.logp[ids].sum())
    assert scored(loaded, table)["unigram_good"].null_count == 30
