"""Which release this is."""

import tomllib
from importlib import metadata
from pathlib import Path


def version() -> str:
    """From the installed package; in a checkout that is not installed, from its pyproject.toml."""
    try:
        return metadata.version("streams-replication-manager")
    except metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parents[1] / "pyproject.toml"
        return str(tomllib.loads(project.read_text())["project"]["version"])
