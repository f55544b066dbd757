"""The folder of the process's files, and the store it uses when none is named."""

import os
from pathlib import Path


def state_home() -> Path:
    """`SRM_HOME`, by default `.srm` in the current folder."""
    return Path(os.environ.get("SRM_HOME") or ".srm").absolute()


def default_store(home: Path) -> str:
    """`SRM_METRICS_DATABASE_URL`, else an SQLite file in the state folder."""
    return os.environ.get("SRM_METRICS_DATABASE_URL") or f"sqlite:///{home / 'metrics' / 'metrics.sqlite3'}"
