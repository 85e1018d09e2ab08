"""Models and tokenizers of the hub or of a folder, loaded with clear errors."""

import hashlib
import sys
from collections.abc import Iterator, Mapping
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
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.activations import NewGELUActivation
from transformers.integrations import peft
from transformers.utils import logging
from transformers.utils.hub import cached_file, extract_commit_hash
from transformers.utils.import_utils import is_gguf_available

from solecism.baselines import networks as word_models
from solecism.errors import InputError, candidates, fail, unknown_error
from solecism.hashing import file_digest
from solecism.hub.client import reachable
from solecism.inputs import read_json
from solecism.scoring.engines import DTYPES

assert word_models  # imported for the model classes that it registers

Common = dict[str, Any]
"""What every part of a model is loaded with."""

_FINGERPRINTED = (
    "*.safetensors", "*.bin", "*.index.json", "config.json", "tokenizer*", "special_tokens_map.json",
    "added_tokens.json", "vocab*", "merges*", "*.model", "*.tiktoken", "*.py", "adapter_config.json",
)  # fmt: skip
"""The files of a folder that scores depend on: weights, config, tokenizer, code, adapter."""

_ADAPTER_FILE = "adapter_config.json"
_ADAPTER = {"base_model_name_or_path": str, "revision?": (str, None)}
"""The shape of what peft says of an adapter; the revision is that of its base."""

_MOST_LAYERS = 10_000
"""Against a config of others that would keep us busy making layers."""

WINDOW_OPERATIONS = 3e13
"""Floating-point operations of the items that are scored together on a processor."""


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to score, on its device, with its tokenizer.

    ``base``: of an adapter, the model that it was put on, with its revision.
    """

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    revision: str
    dtype: str
    device: str
    base: str = ""

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


class Decoder(nn.Module):
    """An encoder-decoder model as a causal one: its encoder reads the empty text (as minicons).

    ``start`` are the tokens that its decoder begins with, also those that its tokenizer puts before
    a text (as BART's).
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        super().__init__()
        self.whole = model
        text = tokenizer("a", return_special_tokens_mask=True)
        labels = torch.tensor([text["input_ids"]], device=model.device)
        shifted = model.prepare_decoder_input_ids_from_labels(labels=labels)[0].tolist()
        self.start = shifted[: 1 + text["special_tokens_mask"].index(0)]
        self.source = tokenizer("")["input_ids"] or [tokenizer.eos_token_id]

    def forward(
        self, input_ids: torch.Tensor, attention_mask: object = None, use_cache: bool = False
    ) -> Any:
        """Return the logits after each token; what is padded on the right changes none before."""
        source = torch.tensor([self.source] * len(input_ids), device=input_ids.device)
        return self.whole(input_ids=source, decoder_input_ids=input_ids, use_cache=use_cache)

    def __getattr__(self, name: str) -> Any:
        modules = self.__dict__["_modules"]
        return modules[name] if name in modules else getattr(modules["whole"], name)


@dataclass(frozen=True)
class _Parts:
    """Where the parts of a model are.

    ``weights`` is what transformers opens, with the arguments ``common``. ``adapter``: there is one
    under the name of the model; ``revision`` is its commit on the hub.
    """

    name: str
    weights: str
    common: Common
    config: PreTrainedConfig
    adapter: bool = False
    revision: str | None = None

    def revisions(self) -> tuple[str, str]:
        """Return the revision of the model; and the base of an adapter, with its revision."""
        if "gguf_file" in self.common:
            return file_digest(Path(self.name)), ""
        folder, commit = Path(self.weights), self.common["revision"] or "unknown"
        if folder.is_dir():
            commit = _fingerprint(folder)
        if self.weights == self.name:
            return commit, ""
        base = folder.resolve().name if folder.is_dir() else self.weights
        return self.revision or _fingerprint(Path(self.name)), f"{base}@{commit[:12]}"


def load_model(
    name: str,
    kind: str = "causal",
    revision: str | None = None,
    dtype: str = "float32",
    device: str = "cpu",
    trust_remote_code: bool = False,
) -> Loaded:
    """Load a ``causal`` or a ``masked`` model with its tokenizer.

    ``name`` is a name on the hub, a folder or a GGUF file; a LoRA adapter is put on its base. An
    encoder-decoder model is read as a causal one (:class:`Decoder`). ``dtype`` is one of
    :data:`solecism.scoring.engines.DTYPES`; ``device`` is a device of torch, ``auto`` (CUDA, else
    MPS, else the CPU), or ``map``: the layers are dealt over all cards, and the CPU, as they fit
    (needs accelerate). :class:`Loaded` has what was chosen.

    Raises :class:`InputError` for an unknown model or a broken one, one whose weights (or those of
    an adapter) lack tensors or have other shapes than its config says, one without tokenizer, a
    tokenizer without offsets or of another model, and a masked model without a mask token. Weights
    that are pickled (``.bin``) are read without running code.
    """
    if dtype not in DTYPES:
        raise unknown_error("unknown dtype", dtype, "dtypes", DTYPES)
    parts = _parts(name, revision, trust_remote_code)
    place = None if device == "map" else _device(device)
    if not sys.stderr.isatty():
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    architecture = _architecture(name, kind, parts.config)
    with _clear_errors(name):
        model, info = architecture.from_pretrained(
            parts.weights,
            dtype=dtype if dtype == "auto" else getattr(torch, dtype),
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # refused with their shapes below
            adapter_kwargs={"subfolder": "none"},  # else adapters are put on without a check
            **({} if place else {"device_map": "auto"}),
            **parts.common,
        )
    _refuse_incomplete(f"model {name!r}: its weights", info)
    if parts.adapter:
        _put_on(model, parts)
    _hasten(model)
    tokenizer = _tokenizer(parts)
    _refuse_foreign(name, model, tokenizer)
    if kind == "masked" and tokenizer.mask_token_id is None:
        raise fail(f"model {name!r}: its tokenizer has no mask token, so it is no masked model")
    with _clear_errors(name, f"does not fit on the device {device!r}"):
        model = model.eval().to(place) if place else model.eval()
    numbers = str(model.dtype).removeprefix("torch.")
    if numbers not in DTYPES:
        raise fail(f"model {name!r} is saved in {numbers}: give one of --dtype {DTYPES[:3]}")
    model = _as_causal(name, model, tokenizer)
    commit, base = parts.revisions()
    return Loaded(model, tokenizer, name, commit, numbers, str(place or model.device), base)


def _put_on(model: Any, parts: _Parts) -> None:
    """Put an adapter on its base; raise where that is another model's."""
    places = {"revision": parts.revision, "local_files_only": not reachable()}
    with _clear_errors(parts.name, "is an adapter that cannot be applied"):
        # Tensors of other shapes are refused below, with these.
        found = model.load_adapter(parts.name, adapter_kwargs=places, ignore_mismatched_sizes=True)
    info = vars(found)
    _refuse_incomplete(f"model {parts.name!r}: its adapter's weights", info, _ADAPTER_FILE)
    if beside := sorted(info["unexpected_keys"]):
        raise fail(f"model {parts.name!r}: its adapter is of another model: it has {beside[0]}")


def _architecture(name: str, kind: str, config: PreTrainedConfig) -> Any:
    """Return the class that loads a model; raise where there is none for its config."""
    found: Any = AutoModelForMaskedLM if kind == "masked" else AutoModelForCausalLM
    if getattr(config, "is_encoder_decoder", False):
        if kind == "masked":
            raise fail(f"model {name!r} is an encoder-decoder model, which is no masked one")
        found = AutoModelForSeq2SeqLM
    own = getattr(config, "auto_map", None) or {}
    if type(config) not in found._model_mapping and found.__name__ not in own:
        kinds = "causal (as GPT-2), masked (as BERT) and encoder-decoder (as T5)"
        message = f"is no model that gives probabilities of text; {kinds} models are scored"
        raise fail(f"model {name!r} ({config.model_type}) {message}")
    return found


def _as_causal(name: str, model: Any, tokenizer: PreTrainedTokenizerBase) -> Any:
    """Return a model, one of an encoder and a decoder as a :class:`Decoder`."""
    if not getattr(model.config, "is_encoder_decoder", False):
        return model
    with _clear_errors(name, "has no decoder that can be run alone"):
        return Decoder(model, tokenizer).eval()


def _refuse_incomplete(what: str, info: Mapping[str, Any], config: str = "config.json") -> None:
    """Raise where tensors are missing, which would be random, or of another shape."""
    if missing := sorted(map(str, info["missing_keys"])):
        shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise fail(f"{what} lack {len(missing)} tensors: {shown}")
    for key, found, wanted in sorted(info["mismatched_keys"], key=str):
        shapes = f"the shape {tuple(found)}, {config} wants {tuple(wanted)}"
        raise fail(f"{what.partition(': ')[0]}: tensor {key} has {shapes}")


def _hasten(model: PreTrainedModel) -> None:
    """Put in torch's own function for GPT-2's activation, which takes five steps for the same."""
    for module in list(model.modules()):
        if isinstance(getattr(module, "act", None), NewGELUActivation):
            module.act = torch.nn.GELU("tanh")


def _fingerprint(folder: Path) -> str:
    """Return a hash of the files of a folder that scores depend on."""
    files = sorted({path for pattern in _FINGERPRINTED for path in folder.glob(pattern)})
    parts = "".join(f"{path.name}={file_digest(path)};" for path in files)
    return hashlib.sha256(parts.encode()).hexdigest() if files else "unknown"


def kind_of(name: str, revision: str | None = None, trust_remote_code: bool = False) -> str:
    """Return the kind of a model: ``masked``, or ``causal``, which reads left to right.

    Raises :class:`InputError` where there is no config, or a broken one.
    """
    return kind_of_config(_parts(name, revision, trust_remote_code).config)


def kind_of_config(config: PreTrainedConfig) -> str:
    """Return the kind of the model that a config describes; a decoder is read as a causal one."""
    if getattr(config, "is_encoder_decoder", False):
        return "causal"
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
    model: Any, tokenizer: PreTrainedTokenizerBase | None = None, name: str = ""
) -> Loaded:
    """Return a model that is loaded already, as it is; its revision is a hash of its weights.

    Raises :class:`InputError` where its tokenizer is not given and cannot be found, and for what is
    no model of transformers.
    """
    name = name or str(getattr(model, "name_or_path", "")) or type(model).__name__
    tokenizer = tokenizer or _tokenizer(_parts(name, None, trust=False))
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
    model = _as_causal(name, model, tokenizer)
    return Loaded(model, tokenizer, name, total.hexdigest(), dtype, str(model.device))


_INSIDE = ("module", "_orig_mod", "model")
"""Where what DataParallel, torch.compile and peft wrapped is."""


def unwrapped(model: Any) -> PreTrainedModel:
    """Return the model of transformers that others have wrapped.

    Raises :class:`InputError` for anything else, and for prompts that peft has learned: they are
    tokens before a text, which only peft's own object knows.
    """
    inner = model
    while inner is not None and not isinstance(inner, PreTrainedModel):
        if getattr(getattr(inner, "active_peft_config", None), "is_prompt_learning", False):
            raise fail("a model with a learned prompt (peft) is not scored: LoRA and the like are")
        found = (getattr(inner, name, None) for name in _INSIDE)
        inner = next((one for one in found if one is not None), None)
    if inner is None:
        wanted = "a name, a folder, or a loaded model of transformers"
        raise fail(f"{type(model).__name__} is no model: it must be {wanted}")
    return inner


def _common(name: str, revision: str | None, trust: bool) -> Common:
    """Return what every part of a model is loaded with; without a hub, that is from the cache.

    On a hub the revision is a commit, so that all parts are of the same.
    """
    common: Common = {"revision": revision, "trust_remote_code": trust}
    if Path(name).is_dir():
        return common
    if not reachable():
        common["local_files_only"] = True
    files = (_file(name, file, common) for file in (_ADAPTER_FILE, "config.json"))
    commits = (extract_commit_hash(file, None) for file in files)
    return {**common, "revision": next(filter(None, commits), revision)}


def _parts(name: str, revision: str | None, trust: bool) -> _Parts:
    """Find the parts of a model, and read its config."""
    path = Path(name)
    if path.suffix == ".gguf" and path.is_file():
        if not is_gguf_available():
            raise fail(f"model {name!r} needs gguf: pip install 'solecism[gguf]'")
        folder, file = str(path.parent), {"gguf_file": path.name}
        return _Parts(name, folder, file, _config(name, folder, file))
    common = _common(name, revision, trust)
    adapter = _file(name, _ADAPTER_FILE, common)
    if adapter is None:
        return _Parts(name, name, common, _config(name, name, common))
    if not peft.is_peft_available():  # type: ignore[attr-defined]
        way = "pip install 'solecism[adapters]'"
        raise fail(f"model {name!r} has an adapter, which needs peft: {way}")
    if (path / "config.json").is_file():
        return _Parts(name, name, common, _config(name, name, common), True)
    told = read_json(Path(adapter), _ADAPTER, "config of an adapter")
    base = told["base_model_name_or_path"]
    try:
        common = _common(base, told.get("revision"), trust)
        if _file(base, _ADAPTER_FILE, common):
            raise fail("has an adapter already")
        config = _config(base, base, common)
    except InputError as error:
        raise fail(f"its base {base!r}: {error.problems[0].message}", name) from None
    return _Parts(name, base, common, config, True, extract_commit_hash(adapter, None))


def _file(name: str, file: str, common: Common) -> str | None:
    """Return where a file of a model is, None where the model has none."""
    places = {key: common[key] for key in ("revision", "local_files_only") if key in common}
    if not Path(name).is_dir() and (name.startswith((".", "/", "~")) or name.count("/") > 1):
        raise fail(_missing(name))
    whys = ("missing_entries", "gated_repo", "connection_errors")
    quiet: Common = {f"_raise_exceptions_for_{why}": False for why in whys}
    with _on_hub(name), _clear_errors(name):
        found: str | None = cached_file(name, file, **quiet, **places)
    return found


def _config(name: str, place: str, common: Common) -> PreTrainedConfig:
    """Return the config of the model ``name``, whose weights are at ``place``."""
    path = Path(place)
    if path.is_dir() and not (path / "config.json").is_file() and "gguf_file" not in common:
        raise fail("is no folder of a model: it has no config.json", name)
    with _on_hub(place), _clear_errors(name):
        config: PreTrainedConfig = AutoConfig.from_pretrained(place, **common)
    layers = getattr(config.get_text_config(), "num_hidden_layers", 1)
    if not isinstance(layers, int) or not 0 < layers <= _MOST_LAYERS:
        wanted = f"{layers!r} layers, not 1 to {_MOST_LAYERS:,}"
        raise fail(f"model {name!r}: config.json wants {wanted}")
    return config


def _missing(name: str) -> str:
    folders = [str(p.parent) for p in Path(name).parent.glob("*/config.json")]
    return f"there is no folder {name!r} {candidates('models', folders, name)}"


@contextmanager
def _on_hub(name: str) -> Iterator[None]:
    """Add to an error what a name that is not found could be."""
    try:
        yield
    except InputError as error:
        if Path(name).is_dir():
            raise
        raise fail(f"{_missing(name)}, and on the hub: {error.problems[0].message}") from None


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


def _tokenizer(parts: _Parts) -> PreTrainedTokenizerBase:
    """Return the tokenizer of a model; an adapter may have one of its own."""
    name, place, common = parts.name, parts.weights, parts.common
    if parts.adapter and place != name:
        own = common | {"revision": parts.revision}
        if _file(name, "tokenizer_config.json", own):
            place, common = name, own
    with _clear_errors(name, "has no tokenizer that can be loaded"):
        tokenizer = AutoTokenizer.from_pretrained(place, **common)
        tokenizer("a")
    if len(tokenizer.get_vocab()) <= len(tokenizer.added_tokens_decoder):
        raise fail(f"model {name!r} has no tokenizer: there is none with a vocabulary in its files")
    if not tokenizer.is_fast:
        raise fail(f"model {name!r}: its tokenizer gives no character offsets (it is no fast one)")
    return tokenizer
