"""Word-level models for transformers: an LSTM, and a tokenizer that splits at spaces.

Importing this module registers the LSTM, so that ``AutoModelForCausalLM`` loads a folder that
``solecism train`` wrote.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import PreTokenizer
from torch import nn
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.utils.generic import ModelOutput

from solecism.baselines.corpus import BOS, ELISION, EOS, MARKS, UNK, Wording


class WordLSTMConfig(PreTrainedConfig):  # type: ignore[no-untyped-call]
    """An LSTM language model; the numbers are those of Mueller et al. (2020, section 5.1)."""

    model_type = "solecism-word-lstm"

    vocab_size: int = 50_003
    hidden_size: int = 800
    embedding_size: int = 800
    num_hidden_layers: int = 2
    dropout: float = 0.2
    initializer_range: float = 0.1
    bos_token_id: int | None = 1
    eos_token_id: int | None = 2
    tie_word_embeddings: bool = False


@dataclass
class WordLSTMOutput(ModelOutput):
    """What the LSTM returns."""

    loss: torch.Tensor | None = None
    logits: torch.Tensor | None = None
    last_hidden_state: torch.Tensor | None = None


class _Base(PreTrainedModel):  # type: ignore[no-untyped-call]
    config_class = WordLSTMConfig
    base_model_prefix = "model"

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        """Uniform weights, as in Gulordava et al. (2018); an LSTM has its library's own."""
        if isinstance(module, nn.Embedding | nn.Linear):
            width = self.config.initializer_range
            nn.init.uniform_(module.weight, -width, width)


class WordLSTMModel(_Base):  # type: ignore[no-untyped-call]
    """The LSTM without its head: embeddings, layers, dropout between them."""

    def __init__(self, config: WordLSTMConfig) -> None:
        super().__init__(config)
        self.embed_tokens = nn.Embedding(config.vocab_size, config.embedding_size)
        self.drop = nn.Dropout(config.dropout)
        size, layers = (config.embedding_size, config.hidden_size), config.num_hidden_layers
        between = config.dropout if layers > 1 else 0.0
        self.lstm = nn.LSTM(*size, layers, batch_first=True, dropout=between)
        self.post_init()  # type: ignore[no-untyped-call]

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None, **_: object
    ) -> WordLSTMOutput:
        """Return the states of tokens (batch, length).

        Raises ``ValueError`` for a mask that pads on the left, or shows tokens to others than the
        next ones.
        """
        if attention_mask is not None and attention_mask.dim() != 2:
            raise ValueError("an LSTM reads from left to right: it takes no tree mask")
        if attention_mask is not None and bool((attention_mask.diff(dim=1) > 0).any()):
            raise ValueError("an LSTM's batches are padded on the right")
        states, _after = self.lstm(self.drop(self.embed_tokens(input_ids)))
        return WordLSTMOutput(last_hidden_state=self.drop(states))


class WordLSTMForCausalLM(_Base):  # type: ignore[no-untyped-call]
    """The LSTM with a softmax over the vocabulary."""

    def __init__(self, config: WordLSTMConfig) -> None:
        super().__init__(config)
        self.model = WordLSTMModel(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size)
        nn.init.zeros_(self.lm_head.bias)
        self.post_init()  # type: ignore[no-untyped-call]

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        labels: torch.Tensor | None = None,
        **kwargs: object,
    ) -> WordLSTMOutput:
        """Return logits (batch, length, vocabulary).

        With ``labels`` (the tokens themselves, -100 to leave out) also return the mean loss of each
        token after those before it.
        """
        out = self.model(input_ids, attention_mask)
        logits, loss = self.lm_head(out.last_hidden_state), None
        if labels is not None:
            loss = self.loss_function(logits, labels, self.config.vocab_size, **kwargs)
        return WordLSTMOutput(loss=loss, logits=logits)


def word_tokenizer(words: Sequence[str], wording: Wording | None = None) -> PreTrainedTokenizerFast:
    """Return a tokenizer of whole words, ``<unk>``, ``<s>`` (put first) and ``</s>``, with offsets.

    It splits as ``wording`` says, and its ``tokenizer_config.json`` has ``"solecism_word_level":
    true``.
    """
    shape = wording or Wording()
    ids = {word: i for i, word in enumerate((UNK, BOS, EOS, *words))}
    made = Tokenizer(WordLevel(ids, unk_token=UNK))
    steps = [normalizers.NFC(), *([normalizers.Lowercase()] if shape.lower else [])]
    made.normalizer = normalizers.Sequence(steps)
    parts: list[PreTokenizer] = [pre_tokenizers.WhitespaceSplit()]
    if shape.marks:
        parts.append(pre_tokenizers.Split(Regex(MARKS), "isolated"))
        parts.append(pre_tokenizers.Split(Regex(ELISION), "merged_with_previous"))
    made.pre_tokenizer = pre_tokenizers.Sequence(parts)
    made.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A", pair=f"{BOS} $A {BOS} $B", special_tokens=[(BOS, ids[BOS])]
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=made, unk_token=UNK, bos_token=BOS, eos_token=EOS, pad_token=EOS,
        padding_side="right", clean_up_tokenization_spaces=False,
        solecism_word_level=True, solecism_lower=shape.lower,
    )  # fmt: skip


AutoConfig.register(WordLSTMConfig.model_type, WordLSTMConfig, exist_ok=True)
AutoModel.register(WordLSTMConfig, WordLSTMModel, exist_ok=True)
AutoModelForCausalLM.register(WordLSTMConfig, WordLSTMForCausalLM, exist_ok=True)
