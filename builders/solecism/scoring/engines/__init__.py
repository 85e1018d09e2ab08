"""The ways to run a model, and what can be chosen when one is run."""

BOS = ("auto", "always", "never")
"""``auto`` puts the BOS token of the tokenizer first, its EOS token where it has no BOS (lm-eval's
rule); ``always`` insists on a BOS; ``never`` starts with the first token, which then has no
probability."""

DTYPES = ("float32", "bfloat16", "float16", "auto")
"""``auto`` is the dtype of the model's weights as they were saved."""

ENGINES = ("tree", "plain", "loop")
"""The engines of causal models (:mod:`solecism.scoring.engines.causal`)."""
