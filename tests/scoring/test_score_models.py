"""Models that are broken, of another kind or of another content than a result says; and their
data."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from click.testing import CliRunner, Result
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    BertConfig,
    BertLMHeadModel,
    RobertaConfig,
    RobertaForCausalLM,
    ViTConfig,
    WhisperConfig,
)

import solecism
from causal_models import save_model
from masked_models import loaded, pairs
from solecism.commands import main
from solecism.errors import InputError
from solecism.scoring.engines.causal import CausalReader, probe
from solecism.scoring.methods.sentence import score_pairs
from solecism.scoring.models import kind_of, load_model
from solecism.scoring.results import read_result
from tiny import edit

WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole model."""
    folder = tmp_path_factory.mktemp("models") / "good"
    save_model(folder, ["The author laughs.", "The pilots laugh."])
    return folder


@pytest.fixture
def work(good: Path) -> Path:
    """The current folder, with a copy of the model, ``m``, and pairs, ``p.parquet``."""
    shutil.copytree(good, "m")
    pq.write_table(pairs(), "p.parquet")
    return Path.cwd()


def score(*arguments: str, data: str = "p.parquet", model: str = "m") -> Result:
    return CliRunner().invoke(main, ["score", data, "--model", model, "--out", "out", *arguments])


def config(**values: Any) -> Callable[[Path], None]:
    def change_file(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | values))

    return change_file


def cut(name: str, share: float) -> Callable[[Path], object]:
    def change_file(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: int(share * len(data))])

    return change_file


def tensors(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def change_file(folder: Path) -> None:
        found = load_file(folder / WEIGHTS)
        change(found)
        save_file(found, folder / WEIGHTS, {"format": "pt"})

    return change_file


def without(pattern: str) -> Callable[[Path], object]:
    return lambda folder: [path.unlink() for path in folder.glob(pattern)]


class _Code:
    """What runs a command when it is unpickled."""

    def __reduce__(self) -> Any:
        return Path("ran").touch, ()


def pickled(value: Any) -> Callable[[Path], None]:
    def change_file(folder: Path) -> None:
        (folder / WEIGHTS).unlink()
        torch.save(value, folder / "pytorch_model.bin")

    return change_file


def more_words(folder: Path) -> None:
    path = folder / "tokenizer.json"
    value = json.loads(path.read_text())
    value["model"]["vocab"]["word"] = 9999
    path.write_text(json.dumps(value))


def adapter_alone(folder: Path) -> None:
    (folder / "config.json").rename(folder / "adapter_config.json")


KEY = "transformer.h.1.attn.c_attn.weight"
BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "a tensor is missing": (tensors(lambda t: t.pop(KEY)), f"lack 1 tensors: {KEY}"),
    "another shape": (
        tensors(lambda t: t.update({"transformer.wpe.weight": torch.zeros(3, 32)})),
        r"tensor transformer.wpe.weight has the shape \(3, 32\), config.json wants \(64, 32\)",
    ),
    "weights cut": (cut(WEIGHTS, 0.5), "model 'm' cannot be loaded: SafetensorError"),
    "no weights": (without(WEIGHTS), "no file named model.safetensors"),
    "pickled code": (pickled({KEY: _Code()}), "Weights only load failed"),
    "config cut": (cut("config.json", 0.5), "is not a valid JSON file"),
    "unknown architecture": (config(model_type="nope"), "does not recognize this architecture"),
    "not a number": (tensors(lambda t: t[KEY].fill_(float("nan"))), "NaN|by nan"),
    "an empty folder": (without("*"), "is no folder of a model: it has no config.json"),
    "no tokenizer": (without("tokenizer*"), "has no tokenizer"),
    "another tokenizer": (more_words, "ids go up to 9999, the model has 400 tokens"),
    "an adapter of no base": (adapter_alone, "adapter_config.json: .*base_model_name_or_path"),
    "too many layers": (config(n_layer=10**9), "wants 1000000000 layers, not 1 to 10,000"),
    "no layer": (config(n_layer=-1), "wants -1 layers, not 1 to 10,000"),
    "layers that are no number": (config(n_layer="two"), "layers|n_layer|num_hidden_layers"),
    "a model of images": (
        config(**ViTConfig().to_dict()),
        "model 'm' \\(vit\\) is no model that gives probabilities of text; causal",
    ),
    "a model of speech": (
        config(**WhisperConfig().to_dict()),
        "model 'm' \\(whisper\\) is no model that gives probabilities of text; causal",
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", BROKEN)
def test_broken_models_are_refused_in_one_line(work: Path, how: str) -> None:
    change, message = BROKEN[how]
    change(work / "m")
    done = score()
    assert done.exit_code == 2, done.output
    assert isinstance(done.exception, SystemExit)
    said = done.stderr.strip().splitlines()[-1]
    assert re.search(message, said), said
    assert not list(work.glob("out/*"))
    assert not (work / "ran").exists()


def test_the_fingerprint_covers_weights_config_and_tokenizer(work: Path) -> None:
    found = [load_model("m").revision]
    for change in (
        tensors(lambda t: t[KEY].mul_(1.5)),
        config(layer_norm_epsilon=1e-3),
        lambda f: edit(f / "tokenizer_config.json", '"<s>"', '"</s>"'),
        lambda f: (f / "README.md").write_text("notes"),
    ):
        change(work / "m")
        found.append(load_model("m").revision)
    assert len({*found[:4]}) == 4
    assert found[4] == found[3]


def with_adapter(folder: Path) -> Any:
    """Add an adapter that changes a model to its folder; return the adapted model."""
    peft = pytest.importorskip("peft", reason="needs the extra `adapters`")
    model = AutoModelForCausalLM.from_pretrained(folder)
    torch.manual_seed(3)
    adapted = peft.get_peft_model(model, peft.LoraConfig(init_lora_weights=False, r=2))
    adapted.save_pretrained(folder)
    return adapted


def test_an_adapter_is_applied_or_refused(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = solecism.score("p.parquet", "m").table
    adapted = with_adapter(work / "m")
    with monkeypatch.context() as hidden:
        for place in ("models.auto.auto_factory", "modeling_utils", "integrations.peft"):
            name = f"transformers.{place}.is_peft_available"
            hidden.setattr(name, lambda: False, raising=False)
        done = score()
    assert done.exit_code == 2, done.output
    assert "has an adapter, which needs peft: pip install 'solecism[adapters]'" in done.stderr
    assert not list(work.glob("out/*"))
    found = solecism.score("p.parquet", "m")
    assert found.table["logp_good"] != plain["logp_good"]
    tokenizer = AutoTokenizer.from_pretrained("m")
    wanted = solecism.score("p.parquet", adapted.model, tokenizer=tokenizer, name="own")
    assert found.table["logp_good"].to_pylist() == pytest.approx(
        wanted.table["logp_good"].to_pylist(), abs=1e-4
    )
    before = load_model("m").revision
    edit(work / "m" / "adapter_config.json", '"lora_alpha": 8', '"lora_alpha": 4')
    assert load_model("m").revision != before


def test_an_adapter_that_is_switched_off_is_another_model(work: Path) -> None:
    adapted, tokenizer = with_adapter(work / "m"), AutoTokenizer.from_pretrained("m")
    on = solecism.score("p.parquet", adapted.model, tokenizer=tokenizer, name="a", out="on")
    with adapted.disable_adapter():
        off = solecism.score("p.parquet", adapted.model, tokenizer=tokenizer, name="a", out="off")
    assert on.table["logp_good"] != off.table["logp_good"]
    assert on.signature != off.signature


def test_positions_behind_that_of_padding(work: Path) -> None:
    """A causal RoBERTa has two positions fewer than its table; what does not fit is skipped."""
    shared = {"vocab_size": 400, "hidden_size": 16, "num_hidden_layers": 1, "intermediate_size": 16}
    heads = {"num_attention_heads": 2, "max_position_embeddings": 34, "is_decoder": True}
    RobertaForCausalLM(RobertaConfig(**shared, **heads)).save_pretrained("m")
    assert load_model("m").longest == 32
    rows = pairs().to_pylist()
    rows[0]["sentence_good"] = "The " + "dog " * 60
    for number, row in enumerate(rows):
        row["sentence_bad"] += " x" * number
    pq.write_table(pa.Table.from_pylist(rows), "p.parquet")
    found = solecism.score("p.parquet", "m").summary["overall"]
    assert found["skipped"]["too long"] >= 1
    assert found["n"] > 0


def test_nothing_but_messages_on_a_stderr_that_is_no_terminal(work: Path) -> None:
    command = [sys.executable, "-m", "solecism", "score", "p.parquet", "--model", "m"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Loading weights" not in done.stderr
    assert "\r" not in done.stderr


def test_a_result_of_other_data_is_not_replaced(work: Path) -> None:
    assert score().exit_code == 0
    before = {path: path.read_bytes() for path in work.glob("out/*")}
    pq.write_table(pairs().slice(0, 3), "p.parquet")
    done = score()
    assert done.exit_code == 2
    assert "is the result of another run (digest " in done.stderr
    assert {path: path.read_bytes() for path in work.glob("out/*")} == before
    assert score("--out", "other").exit_code == 0


def test_a_model_that_is_being_trained(work: Path) -> None:
    """It is scored as the same model in a folder, without dropout, and stays as it was."""
    wanted = score()
    assert wanted.exit_code == 0
    model = AutoModelForCausalLM.from_pretrained("m").train()
    tokenizer = AutoTokenizer.from_pretrained("m")
    (path,) = work.glob("out/*.json")
    found = solecism.score("p.parquet", model, tokenizer=tokenizer, name="mine", out="own")
    assert model.training
    kept = read_result(path).table
    for side in ("logp_good", "logp_bad"):
        assert np.allclose(found.table[side], kept[side], atol=1e-5)
    assert found.path.name.startswith("mine-")
    with torch.no_grad():
        model.lm_head.weight.mul_(-1)
    options = {"name": "mine", "out": "own", "revision": "step-2"}
    later = solecism.score("p.parquet", model, tokenizer=tokenizer, **options)
    assert later.path != found.path
    assert "|checkpoint:step-2|" in later.signature


@pytest.fixture
def built(clams: Path) -> Path:
    return clams / "clams"


def test_rows_that_were_changed_are_refused(work: Path, built: Path) -> None:
    shutil.copytree(built, "clams")
    (file,) = Path("clams/fr").glob("*.parquet")
    table = pq.read_table(file)
    pq.write_table(table.take(pa.array(range(len(table))[::-1])), file)
    done = score("--limit", "5", data="clams/fr")
    assert done.exit_code == 2
    assert "config 'fr': the rows were changed" in done.stderr


def test_a_data_set_alone_is_its_default_config(work: Path, built: Path) -> None:
    shutil.copytree(built, "clams")
    for name in ("clams", "./clams/", str(work / "clams")):
        shutil.rmtree("out", ignore_errors=True)
        done = score("--limit", "5", data=name)
        assert done.exit_code == 0, done.output
        (path,) = work.glob("out/*.json")
        assert json.loads(path.read_text())["run"]["config"] == "fr"


def test_a_broken_file_is_told_before_anything_is_scored(work: Path) -> None:
    data = bytearray(Path("p.parquet").read_bytes())
    Path("p.parquet").write_bytes(bytes(data[:-30]))
    done = score()
    assert done.exit_code == 2
    assert "p.parquet: is not a Parquet file" in done.stderr


def test_a_masked_model_is_scored_as_one(work: Path) -> None:
    model = loaded("bert").name
    assert kind_of(model) == "masked"
    done = score(model=model)
    assert done.exit_code == 0, done.output
    (path,) = work.glob("out/*.json")
    assert "|score:pll:within_word_l2r|" in json.loads(path.read_text())["signature"]


def test_a_model_that_sees_what_comes_next_is_no_causal_one() -> None:
    """Whatever its config calls itself."""
    shutil.copytree(loaded("bert").name, "m")
    config(architectures=["BertLMHeadModel"])(Path("m"))
    assert kind_of("m") == "causal"
    with pytest.raises(InputError, match="sees the tokens that come next, so it is no causal"):
        list(score_pairs([pairs()], CausalReader(load_model("m"))))
    BertLMHeadModel(BertConfig.from_pretrained("m", is_decoder=True)).save_pretrained("m")
    assert kind_of("m") == "causal"
    assert probe(load_model("m"), [[5, 6, 7]] * 4)


@pytest.mark.parametrize("method", ["sentence", "one_prefix", "two_prefix", "pll", "focus"])
@pytest.mark.parametrize("side", ["good", "bad"])
def test_empty_sentences_are_skipped_and_counted(work: Path, method: str, side: str) -> None:
    rows = pairs().to_pylist()
    for row, text in zip(rows, [None, "", " ", "\n\u00a0"], strict=False):
        row[f"sentence_{side}"] = text
    names = ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word")
    pq.write_table(
        pa.Table.from_pylist([{**row, **dict.fromkeys(names, "The")} for row in rows]), "p.parquet"
    )
    model = loaded("bert").name if method in ("pll", "focus") else "m"
    done = score("--method", method, "--json", model=model)
    assert done.exit_code == 0, done.output
    (path,) = work.glob("out/*.parquet")
    found = pq.read_table(path).slice(0, 4)
    assert found["skipped"].to_pylist() == ["empty"] * 4
    assert found["logp_good"].null_count == found["decision"].null_count == 4
    summary = json.loads(path.with_suffix(".json").read_text())
    assert summary["overall"]["skipped"]["empty"] == 4
    told = CliRunner().invoke(main, ["report", "out"])
    assert "empty 4" in told.output.replace("\n", " ")
