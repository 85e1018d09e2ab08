"""The lm-eval harness: tasks over the built data sets, and our scorers as its models."""
