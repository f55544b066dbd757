"""The version of this release."""

import tomllib
from importlib import metadata
from pathlib import Path


def version() -> str:
    """Return the version of the installed package, or that in pyproject.toml of a checkout."""
    try:
        return metadata.version("streams-replication-manager")
    except metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text())["project"]["version"])
