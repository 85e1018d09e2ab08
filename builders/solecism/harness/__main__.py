"""``python -m solecism.harness ARGUMENTS``: lm-eval with our models registered.

These are `solecism` (causal) and `solecism-mlm` (masked). The arguments are those of lm-eval.
"""

from lm_eval.__main__ import cli_evaluate

from solecism.harness import models

assert models  # imported for what it registers

if __name__ == "__main__":
    cli_evaluate()
