"""Models of other kinds, each held against a plain loop: adapters, GGUF files, encoder-decoders."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from click.testing import CliRunner
from huggingface_hub import constants
from tokenizers.processors import TemplateProcessing
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    BartConfig,
    BartForConditionalGeneration,
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

import solecism
from causal_models import by_hand, save_model
from masked_models import PAIRS, pairs, shown, tokenizer_of
from solecism.commands import main
from solecism.errors import InputError
from solecism.scoring.models import load_model
from solecism.scoring.results import Result
from tiny import edit


@pytest.fixture
def work() -> Path:
    """The current folder, with a causal model, ``base``, and pairs, ``p.parquet``."""
    save_model(Path("base"), [pair[0] for pair in PAIRS])
    pq.write_table(pairs(), "p.parquet")
    return Path.cwd()


def same(one: Result, other: Result, tolerance: float) -> None:
    for side in ("logp_good", "logp_bad"):
        found, wanted = shown(one.table, side), shown(other.table, side)
        assert np.allclose(found, wanted, rtol=0, atol=tolerance)


def refused(model: str, *arguments: str) -> str:
    command = ["score", "p.parquet", "--model", model, "--out", "out", *arguments]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2, done.output
    assert isinstance(done.exception, SystemExit)
    assert not list(Path.cwd().glob("out/*"))
    return done.stderr.strip().splitlines()[-1]


def adapt(folder: str, base: str = "base", **values: Any) -> Any:
    """Save an adapter of its own, as peft does; return the adapted model."""
    peft = pytest.importorskip("peft", reason="needs the extra `adapters`")
    model = AutoModelForCausalLM.from_pretrained(base)
    torch.manual_seed(3)
    settings = {"init_lora_weights": False, "r": 2, "fan_in_fan_out": True} | values
    adapted = peft.get_peft_model(model, peft.LoraConfig(**settings))
    adapted.save_pretrained(folder)
    return adapted


def test_an_adapter_its_merged_model_and_the_one_in_memory_agree(work: Path) -> None:
    adapted = adapt("tuned")
    tokenizer = AutoTokenizer.from_pretrained("base")
    found = solecism.score("p.parquet", "tuned")
    assert not np.allclose(
        shown(found.table, "logp_good"),
        shown(solecism.score("p.parquet", "base").table, "logp_good"),
        atol=0.1,
    )
    same(found, solecism.score("p.parquet", adapted, tokenizer=tokenizer, name="own"), 1e-5)
    adapted.merge_and_unload().save_pretrained("merged")
    tokenizer.save_pretrained("merged")
    same(found, solecism.score("p.parquet", "merged"), 1e-5)
    base = load_model("base").revision[:12]
    assert f"|base:base@{base}|" in found.signature
    assert f"|model:tuned@{load_model('tuned').revision[:12]}|" in found.signature


def test_checkpoints_of_adapters(work: Path) -> None:
    for step in (1, 2):
        adapt(f"run/checkpoint-{step}", r=step)
    found = solecism.score_all("p.parquet", "run", revisions=["checkpoint-*"])
    assert [result.run["options"]["checkpoint"] for result in found] == [
        "checkpoint-1", "checkpoint-2",
    ]  # fmt: skip
    assert all("|model:run@" in result.signature for result in found)


def other_base(folder: Path) -> None:
    save_model(Path("wide"), [pair[0] for pair in PAIRS])
    change = '"n_layer": 2', '"n_layer": 1'
    edit(Path("wide") / "config.json", *change)
    AutoModelForCausalLM.from_pretrained("wide").save_pretrained("wide")
    edit(folder / "adapter_config.json", '"base"', '"wide"')


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "a base without the layers": (other_base, "its adapter is of another model: it has transformer"),
    "no weights": (lambda f: (f / "adapter_model.safetensors").unlink(), "cannot be applied"),
    "cut": (
        lambda f: (f / "adapter_model.safetensors").write_bytes(b"x" * 60),
        "is an adapter that cannot be applied",
    ),
    "other rank": (
        lambda f: edit(f / "adapter_config.json", '"r": 2', '"r": 3'),
        r"lora_A.* has the shape \(2, 32\), adapter_config.json wants \(3, 32\)"),
    "no base": (
        lambda f: edit(f / "adapter_config.json", '"base"', '"./nowhere"'),
        "its base './nowhere': there is no folder './nowhere'",
    ),
    "base is an adapter": (
        lambda f: (shutil.copytree(f, "on"), edit(f / "adapter_config.json", '"base"', '"on"')),
        "its base 'on': has an adapter already",
    ),
    "not the modules": (
        lambda f: edit(f / "adapter_config.json", '"c_attn"', '"nothing"'),
        r"cannot be applied: .*Target modules",
    ),
    "no JSON": (lambda f: (f / "adapter_config.json").write_text("{"), "adapter_config.json"),
    "nothing said of a base": (
        lambda f: edit(f / "adapter_config.json", "base_model_name_or_path", "based_on"),
        "base_model_name_or_path",
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", SPOILT)
def test_an_adapter_that_cannot_be_applied_is_refused(work: Path, how: str) -> None:
    adapt("tuned")
    change, message = SPOILT[how]
    change(work / "tuned")
    said = refused("tuned")
    assert re.search(message, said), said


def test_an_adapter_of_the_hub_pins_both_commits(work: Path) -> None:
    """As they lie in the cache of the hub, which is all that is asked when it is not reachable."""
    wanted = adapt("tuned")
    edit(work / "tuned" / "adapter_config.json", '"base"', '"org/base"')
    for name, commit in (("base", "1" * 40), ("tuned", "2" * 40)):
        repo = Path(constants.HF_HUB_CACHE) / f"models--org--{name}"
        shutil.copytree(name, repo / "snapshots" / commit, dirs_exist_ok=True)
        (repo / "refs").mkdir(exist_ok=True)
        (repo / "refs" / "main").write_text(commit)
    try:
        found = solecism.score("p.parquet", "org/tuned")
        tokenizer = AutoTokenizer.from_pretrained("base")
        same(found, solecism.score("p.parquet", wanted, tokenizer=tokenizer, name="own"), 1e-5)
        assert f"|base:org/base@{'1' * 12}|" in found.signature
        assert f"|model:org/tuned@{'2' * 12}|" in found.signature
        assert "|model:org/base@111111111111|" in solecism.score("p.parquet", "org/base").signature
    finally:
        for name in ("base", "tuned"):
            shutil.rmtree(Path(constants.HF_HUB_CACHE) / f"models--org--{name}")


def test_models_that_others_have_wrapped(work: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained("base")
    tokenizer = AutoTokenizer.from_pretrained("base")
    plain = solecism.score("p.parquet", model, tokenizer=tokenizer, name="plain")
    wrapped = torch.nn.DataParallel(model)
    same(plain, solecism.score("p.parquet", wrapped, tokenizer=tokenizer, name="dp"), 0.0)
    for other in (torch.nn.Linear(2, 2), 3, None):
        with pytest.raises(InputError, match=r"is no model: it must be a name, a folder, or a"):
            solecism.score("p.parquet", other)


def test_a_learned_prompt_is_refused(work: Path) -> None:
    peft = pytest.importorskip("peft", reason="needs the extra `adapters`")
    settings = peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2)
    model = peft.get_peft_model(AutoModelForCausalLM.from_pretrained("base"), settings)
    with pytest.raises(InputError, match="a learned prompt"):
        solecism.score("p.parquet", model)
    model.save_pretrained("prompt")
    assert "cannot be applied" in refused("prompt")


def save_t5(folder: str) -> None:
    tokenizer = tokenizer_of("xlm-roberta")
    end = ("</s>", tokenizer.eos_token_id)
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single="$A </s>", special_tokens=[end]
    )
    tokenizer.save_pretrained(folder)
    size, pad = len(tokenizer), tokenizer.pad_token_id
    settings = T5Config(
        vocab_size=size, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
        pad_token_id=pad, decoder_start_token_id=pad, eos_token_id=end[1], initializer_factor=2.0,
    )  # fmt: skip
    T5ForConditionalGeneration(settings).save_pretrained(folder)


def save_bart(folder: str) -> None:
    tokenizer = tokenizer_of("roberta")
    tokenizer.save_pretrained(folder)
    settings = BartConfig(
        vocab_size=len(tokenizer), d_model=32, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
        decoder_ffn_dim=64, max_position_embeddings=80, init_std=0.3,
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id, decoder_start_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    BartForConditionalGeneration(settings).save_pretrained(folder)


SAVE = {"t5": save_t5, "bart": save_bart}


@torch.inference_mode()
def by_decoder(model: Any, tokenizer: Any, text: str) -> float:
    """log P of the tokens of a text as labels after the empty source, one call of the model."""
    found = tokenizer(text, return_special_tokens_mask=True)
    source, labels = (torch.tensor([ids]) for ids in (tokenizer("").input_ids, found["input_ids"]))
    logp = model(input_ids=source, labels=labels).logits[0].double().log_softmax(-1)
    places = [n for n, special in enumerate(found["special_tokens_mask"]) if not special]
    return float(sum(logp[n, labels[0, n]] for n in places))


@pytest.mark.parametrize("kind", SAVE)
def test_an_encoder_decoder_equals_a_plain_loop(work: Path, kind: str) -> None:
    torch.manual_seed(5)
    SAVE[kind](kind)
    model = AutoModelForSeq2SeqLM.from_pretrained(kind).eval()
    tokenizer = AutoTokenizer.from_pretrained(kind)
    found = solecism.score("p.parquet", kind)
    for side in ("good", "bad"):
        texts = pairs()[f"sentence_{side}"].to_pylist()
        wanted = [by_decoder(model, tokenizer, text) for text in texts]
        assert np.allclose(shown(found.table, f"logp_{side}"), wanted, rtol=0, atol=1e-4)
    assert "|bos:decoder_start|" in found.signature
    same(found, solecism.score("p.parquet", kind, engine="plain", out="plain"), 1e-4)
    same(found, solecism.score("p.parquet", model, tokenizer=tokenizer, name="own"), 1e-4)
    prefixed = solecism.score("p.parquet", kind, method="one_prefix")
    assert prefixed.summary["overall"]["n"] > 5
    told = solecism.explain("i0", kind, "p.parquet")
    total = sum(token.surprisal or 0.0 for token in told.good.tokens) * -np.log(2)
    assert total == pytest.approx(found.table["logp_good"][0].as_py(), abs=1e-4)


@pytest.mark.parametrize("kind", SAVE)
def test_what_an_encoder_decoder_cannot_do_is_refused(work: Path, kind: str) -> None:
    SAVE[kind](kind)
    assert "method 'pll' is not for causal models" in refused(kind, "--method", "pll")
    assert "its decoder has a start of its own: leave bos out" in refused(kind, "--bos", "never")
    assert "cannot be scored (tree" in refused(kind, "--engine", "tree")
    with pytest.raises(InputError, match="is an encoder-decoder model, which is no masked one"):
        load_model(kind, "masked")


def write_gguf(path: str, model: LlamaForCausalLM, folder: Path) -> None:
    """Write a small llama and its byte-level BPE as llama.cpp does."""
    gguf = pytest.importorskip("gguf", reason="needs the extra `gguf`")
    config, writer = model.config, gguf.GGUFWriter(path, "llama")
    heads = config.num_attention_heads
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(config.vocab_size)
    told = json.loads((folder / "tokenizer.json").read_text())["model"]
    words = sorted(told["vocab"], key=told["vocab"].__getitem__)
    words += [f"<unused{n}>" for n in range(config.vocab_size - len(words))]
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(words)
    writer.add_token_types([3 if n < 2 else 1 for n in range(len(words))])
    writer.add_token_merges([" ".join(merge) for merge in told["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_hidden_layers)
    for key, tensor in model.state_dict().items():
        values = tensor.numpy()
        if "q_proj" in key or "k_proj" in key:  # llama.cpp turns the halves of a head into pairs
            shape = (heads, 2, values.shape[0] // heads // 2, values.shape[1])
            values = values.reshape(shape).swapaxes(1, 2).reshape(values.shape)
        writer.add_tensor(names.get_name(key, (".weight",)), np.ascontiguousarray(values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_a_gguf_file_equals_its_model_in_a_folder(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(7)
    settings = LlamaConfig(
        vocab_size=400, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=2, max_position_embeddings=64, bos_token_id=0, eos_token_id=1,
        initializer_range=0.3, tie_word_embeddings=False,
    )  # fmt: skip
    model = LlamaForCausalLM(settings).eval()
    write_gguf("tiny.gguf", model, Path("base"))
    tokenizer = AutoTokenizer.from_pretrained("base")
    found = solecism.score("p.parquet", "tiny.gguf")
    same(found, solecism.score("p.parquet", model, tokenizer=tokenizer, name="own"), 1e-4)
    loaded = load_model("tiny.gguf")
    text = pairs()["sentence_good"][0].as_py()
    assert found.table["logp_good"][0].as_py() == pytest.approx(
        by_hand(loaded, text, [0]), abs=1e-4
    )
    assert f"|model:tiny.gguf@{loaded.revision[:12]}|" in found.signature
    Path("cut.gguf").write_bytes(Path("tiny.gguf").read_bytes()[:3000])
    assert "model 'cut.gguf' cannot be loaded" in refused("cut.gguf")
    assert "there is no folder './no.gguf'" in refused("./no.gguf")
    monkeypatch.setattr("solecism.scoring.models.is_gguf_available", lambda: False)
    assert "needs gguf: pip install 'solecism[gguf]'" in refused("tiny.gguf")
