"""The lm-eval harness: tasks over the built data sets, and our scorers as its models."""

from pathlib import Path

TASKS = Path(__file__).with_name("tasks")
"""The folder for lm-eval's ``--include_path``."""
