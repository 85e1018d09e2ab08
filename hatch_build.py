"""The parts of the package's metadata that need the address of the repository.

Links of README.md are relative, so that they work in a checkout and in every fork. On a package
index they must be whole. The address is ``repository`` in ``[tool.hatch.metadata.hooks.custom]`` of
pyproject.toml, or that of the repository whose GitHub Actions build the package. While there is
none, the links stay as they are and the package has no urls: an address that is not ours would lead
readers to strangers.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?P<before>\]\(|href=\")(?!https?:|#)(?P<path>[^)\"]+)")
_PICTURE = re.compile(r"(?P<before>!\[[^]]*\]\(|(?:src|srcset)=\")(?!https?:)(?P<path>[^)\"]+)")


class RepositoryHook(MetadataHookInterface):
    """Add the README with whole links, and the urls of the project."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in ``readme`` and ``urls``."""
        address = repository(str(self.config.get("repository", "")))
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_whole_links(text, address) if address else text,
        }
        metadata["urls"] = urls(address) if address else {}


def repository(configured: str) -> str:
    """Return the address of the repository without a slash at its end, or an empty text."""
    host, name = (os.environ.get(f"GITHUB_{key}", "") for key in ("SERVER_URL", "REPOSITORY"))
    return (configured or (f"{host}/{name}" if host and name else "")).rstrip("/")


def urls(address: str) -> dict[str, str]:
    """Return the urls of the project, by the labels that PyPI knows."""
    return {
        "Homepage": address,
        "Source": address,
        "Documentation": f"{address}/blob/HEAD/docs/index.md",
        "Changelog": f"{address}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }


def with_whole_links(text: str, address: str) -> str:
    """Return Markdown whose relative links lead to the repository: pictures to the raw files."""
    text = _PICTURE.sub(rf"\g<before>{address}/raw/HEAD/\g<path>", text)
    return _LINK.sub(rf"\g<before>{address}/blob/HEAD/\g<path>", text)
