"""Run lm-eval with our model for masked models: ``python -m solecism.harness run --model ...``."""

from lm_eval.__main__ import cli_evaluate

from solecism.harness import models

if __name__ == "__main__":
    assert models  # imported for the model that it registers
    cli_evaluate()
