"""The version of the package, read from its metadata."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__: str = version("solecism")
