"""Baselines: n-gram, LSTM and Transformer models that are trained here."""
