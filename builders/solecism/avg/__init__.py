"""Attribute-varying grammars (``.avg``), the format of the CLAMS paper."""
