"""Models and tokenizers of the hub or of a folder, loaded with clear errors."""

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_MASKED_LM_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.activations import NewGELUActivation
from transformers.utils import logging
from transformers.utils.peft_utils import find_adapter_config_file

from solecism.baselines import networks as word_models
from solecism.errors import InputError, candidates, fail, unknown_error
from solecism.hashing import file_digest
from solecism.hub.client import reachable
from solecism.scoring.engines import DTYPES

assert word_models  # imported for the model classes that it registers

Common = dict[str, Any]
"""What every part of a model is loaded with."""

_FINGERPRINTED = (
    "*.safetensors", "*.bin", "*.index.json", "config.json", "tokenizer*", "special_tokens_map.json",
    "added_tokens.json", "vocab*", "merges*", "*.model", "*.tiktoken", "*.py", "adapter_config.json",
)  # fmt: skip
"""The files of a folder that scores depend on: weights, config, tokenizer, code, adapter."""

_MOST_LAYERS = 10_000
"""Against a config of others that would keep us busy making layers."""

WINDOW_OPERATIONS = 3e13
"""Floating-point operations of the items that are scored together on a processor."""


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to score, on its device, with its tokenizer."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    revision: str
    dtype: str
    device: str

    @cached_property
    def longest(self) -> int:
        """The number of positions that the model has (a very large one where it has no limit).

        RoBERTa's table of positions begins after that of padding, so two of its 514 can't be used.
        """
        names = ("max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len")
        config = self.model.config.get_text_config()
        found = (getattr(config, name, None) for name in names)
        tables = [
            module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)
            for name, module in self.model.named_modules()
            if name.endswith("position_embeddings") and isinstance(module, nn.Embedding)
        ]
        return min([*tables, next((n for n in found if isinstance(n, int) and n > 0), 1 << 30)])

    def window(self, most: int, least: int, tokens: int) -> int:
        """Return how many items of so many ``tokens`` are scored together, and then kept.

        These are ``most``, but fewer of a large model on a processor, so that a run that is killed
        loses some minutes.
        """
        if self.device != "cpu":
            return most
        weights = sum(parameter.numel() for parameter in self.model.parameters())
        return min(max(int(WINDOW_OPERATIONS / (2 * weights * tokens)), least), most)


def load_model(
    name: str,
    kind: str = "causal",
    revision: str | None = None,
    dtype: str = "float32",
    device: str = "cpu",
    trust_remote_code: bool = False,
) -> Loaded:
    """Load a ``causal`` or a ``masked`` model with its tokenizer.

    ``dtype`` is one of :data:`solecism.scoring.engines.DTYPES`; ``device`` is a device of torch,
    ``auto`` (CUDA, else MPS, else the CPU), or ``map``: the layers are dealt over all cards, and
    the CPU, as they fit (needs accelerate). :class:`Loaded` has what was chosen.

    Raises :class:`InputError` for an unknown model or a broken one, one whose weights lack tensors
    or have other shapes than its config says, one with an adapter that was not applied, one without
    tokenizer, a tokenizer without offsets or of another model, and a masked model without a mask
    token. Weights that are pickled (``.bin``) are read without running code.
    """
    if dtype not in DTYPES:
        raise unknown_error("unknown dtype", dtype, "dtypes", DTYPES)
    common = _common(name, revision, trust_remote_code)
    config = _config(name, common)
    place = None if device == "map" else _device(device)
    architecture: Any = AutoModelForMaskedLM if kind == "masked" else AutoModelForCausalLM
    if not sys.stderr.isatty():
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    with _clear_errors(name):
        model, info = architecture.from_pretrained(
            name,
            dtype=dtype if dtype == "auto" else getattr(torch, dtype),
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # refused with their shapes below
            **({} if place else {"device_map": "auto"}),
            **common,
        )
    _refuse_adapter(name, model, common)
    if missing := sorted(map(str, info["missing_keys"])):  # they would be random
        shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise fail(f"model {name!r}: its weights lack {len(missing)} tensors: {shown}")
    for key, found, wanted in info["mismatched_keys"]:
        shapes = f"the shape {tuple(found)}, config.json wants {tuple(wanted)}"
        raise fail(f"model {name!r}: tensor {key} has {shapes}")
    _hasten(model)
    tokenizer = _tokenizer(name, common)
    _refuse_foreign(name, model, tokenizer)
    if kind == "masked" and tokenizer.mask_token_id is None:
        raise fail(f"model {name!r}: its tokenizer has no mask token, so it is no masked model")
    with _clear_errors(name, f"does not fit on the device {device!r}"):
        model = model.eval().to(place) if place else model.eval()
    commit = getattr(config, "_commit_hash", None) or _fingerprint(Path(name))
    numbers = str(model.dtype).removeprefix("torch.")
    if numbers not in DTYPES:
        raise fail(f"model {name!r} is saved in {numbers}: give one of --dtype {DTYPES[:3]}")
    return Loaded(model, tokenizer, name, commit, numbers, str(place or model.device))


def _hasten(model: PreTrainedModel) -> None:
    """Put in torch's own function for GPT-2's activation, which takes five steps for the same."""
    for module in list(model.modules()):
        if isinstance(getattr(module, "act", None), NewGELUActivation):
            module.act = torch.nn.GELU("tanh")


def _refuse_adapter(name: str, model: PreTrainedModel, common: Common) -> None:
    """Raise where a model's adapter was left out, or put on weights that no signature names."""
    places = {key: common[key] for key in ("revision", "local_files_only") if key in common}
    with _clear_errors(name):
        adapter = find_adapter_config_file(name, **places)
    if adapter and not getattr(model, "_hf_peft_config_loaded", False):
        raise fail(
            f"model {name!r} has an adapter, which needs peft: pip install 'solecism[adapters]'"
        )
    if adapter and not Path(name).is_dir():
        raise fail(f"model {name!r} is an adapter on the hub: put it and its model into one folder")


def _fingerprint(folder: Path) -> str:
    """Return a hash of the files of a folder that scores depend on."""
    files = sorted({path for pattern in _FINGERPRINTED for path in folder.glob(pattern)})
    parts = "".join(f"{path.name}={file_digest(path)};" for path in files)
    return hashlib.sha256(parts.encode()).hexdigest() if files else "unknown"


def kind_of(name: str, revision: str | None = None, trust_remote_code: bool = False) -> str:
    """Return the kind of a model: ``masked``, or ``causal``, which reads left to right.

    Raises :class:`InputError` where there is no config, or a broken one.
    """
    return kind_of_config(_config(name, _common(name, revision, trust_remote_code)))


def kind_of_config(config: PreTrainedConfig) -> str:
    """Return the kind of the model that a config describes."""
    own = getattr(config, "auto_map", None) or {}
    masked = type(config) in MODEL_FOR_MASKED_LM_MAPPING or "AutoModelForMaskedLM" in own
    causal = type(config) in MODEL_FOR_CAUSAL_LM_MAPPING or "AutoModelForCausalLM" in own
    if not (masked and causal):
        return "masked" if masked else "causal"
    saved = tuple(map(str, getattr(config, "architectures", None) or ()))
    if any(text.endswith("ForMaskedLM") for text in saved):
        return "masked"
    decodes = any(text.endswith(("ForCausalLM", "LMHeadModel")) for text in saved)
    return "causal" if decodes or getattr(config, "is_decoder", False) else "masked"


def wrap_model(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase | None = None, name: str = ""
) -> Loaded:
    """Return a model that is loaded already, as it is; its revision is a hash of its weights.

    Raises :class:`InputError` where its tokenizer is not given and cannot be found.
    """
    name = name or str(getattr(model, "name_or_path", "")) or type(model).__name__
    tokenizer = tokenizer or _tokenizer(name, _common(name, None, trust=False))
    _refuse_foreign(name, model, tokenizer)
    total = hashlib.sha256()
    for key, tensor in sorted(model.state_dict().items()):
        content = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
        total.update(f"{key}={tuple(tensor.shape)};".encode() + content.numpy().tobytes())
    for key, layer in model.named_modules():
        if hasattr(layer, "adapter_layer_names"):  # peft: the weights do not say what is in use
            used = (layer.active_adapters, layer.disable_adapters, layer.merged_adapters)
            total.update(f"{key}={used}{getattr(layer, 'scaling', '')};".encode())
    dtype = str(model.dtype).removeprefix("torch.")
    return Loaded(model, tokenizer, name, total.hexdigest(), dtype, str(model.device))


def _common(name: str, revision: str | None, trust: bool) -> Common:
    """Return what every part of a model is loaded with; without a hub, that is from the cache."""
    common = {"revision": revision, "trust_remote_code": trust}
    return common if Path(name).is_dir() or reachable() else {**common, "local_files_only": True}


def _config(name: str, common: Common) -> PreTrainedConfig:
    path = Path(name)
    if path.is_dir() and not (path / "config.json").is_file():
        what = "an adapter" if (path / "adapter_config.json").is_file() else "no folder of a model"
        raise fail(f"is {what}: it has no config.json", name)
    near = candidates("models", [str(p.parent) for p in path.parent.glob("*/config.json")], name)
    missing = f"there is no folder {name!r} {near}"
    if not path.is_dir() and (name.startswith((".", "/", "~")) or name.count("/") > 1):
        raise fail(missing)
    try:
        with _clear_errors(name):
            config: PreTrainedConfig = AutoConfig.from_pretrained(name, **common)
    except InputError as error:
        if path.is_dir():
            raise
        raise fail(f"{missing}, and on the hub: {error.problems[0].message}") from None
    layers = getattr(config.get_text_config(), "num_hidden_layers", 1)
    if not isinstance(layers, int) or not 0 < layers <= _MOST_LAYERS:
        raise fail(
            f"model {name!r}: config.json wants {layers!r} layers, not 1 to {_MOST_LAYERS:,}"
        )
    if getattr(config, "is_encoder_decoder", False):
        kinds = "only causal models (as GPT-2) and masked ones (as BERT)"
        raise fail(f"model {name!r}: encoder-decoder models are not scored, {kinds}")
    return config


@contextmanager
def _clear_errors(name: str, what: str = "cannot be loaded") -> Iterator[None]:
    """Turn what libraries raise for broken files into an :class:`InputError`."""
    level = logging.get_verbosity()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # the libraries raise all kinds, even bare ones
        text = " ".join(map(str.strip, str(error).strip().splitlines()[:2]))[:200]
        if not text or not isinstance(error, OSError | ValueError):
            text = f"{type(error).__name__}: {text}"
        raise fail(f"model {name!r} {what}: {text}") from None
    finally:
        logging.set_verbosity(level)


def _device(device: str) -> torch.device:
    """Return a device; raise :class:`InputError` with those there are if it is none."""
    mps = ["mps"] if torch.backends.mps.is_available() else []
    cards = [f"cuda:{n}" for n in range(torch.cuda.device_count())]
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else [*mps, "cpu"][0]
    there = ["auto", "map", "cpu", *cards, *mps]
    try:
        place = torch.device(device)
        torch.empty(0, device=place)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = f"{str(error).splitlines()[0][:100]} {candidates('devices', there, device)}"
        raise fail(f"device {device!r}: {reason}") from None
    return place


def _refuse_foreign(name: str, model: Any, tokenizer: PreTrainedTokenizerBase) -> None:
    """Raise where the tokenizer has more ids than the model has embeddings: it is another model's.

    Added tokens that no text contains (padding) may be beyond.
    """
    layers = (model.get_input_embeddings(), model.get_output_embeddings())
    size = min((len(layer.weight) for layer in layers if layer is not None), default=1 << 62)
    names = ("bos", "eos", "unk", "mask", "cls", "sep")
    used = {i for n in names if (i := getattr(tokenizer, f"{n}_token_id")) is not None}
    used |= set(tokenizer.get_vocab().values()) - set(tokenizer.added_tokens_decoder)
    if max(used, default=0) >= size:
        message = f"the tokenizer's ids go up to {max(used)}, the model has {size} tokens"
        raise fail(f"model {name!r}: {message}: they are not of one model (tokenizer.json)")


def _tokenizer(name: str, common: Common) -> PreTrainedTokenizerBase:
    with _clear_errors(name, "has no tokenizer that can be loaded"):
        tokenizer = AutoTokenizer.from_pretrained(name, **common)
        tokenizer("a")
    if len(tokenizer.get_vocab()) <= len(tokenizer.added_tokens_decoder):
        raise fail(f"model {name!r} has no tokenizer: there is none with a vocabulary in its files")
    if not tokenizer.is_fast:
        raise fail(f"model {name!r}: its tokenizer gives no character offsets (it is no fast one)")
    return tokenizer
