"""Keeps what a Python worker knows about the archives on its path.

Spark's worker calls `importlib.invalidate_caches()` before each task. For every archive on the path Python 3.11 then
reads the whole directory again, and Spark puts its core jar there, which has some thousand entries: a third of a
worker's CPU in a backlog. Archives do not change while a worker lives.
"""

import sys
from zipimport import zipimporter


def keep_archive_directories() -> None:
    """Read the directories of the archives on the path no more than once; to be called in a worker's first task."""
    for finder in sys.path_importer_cache.values():
        if isinstance(finder, zipimporter):
            finder.invalidate_caches = _keep  # type: ignore[method-assign]


def _keep() -> None:
    """Invalidate nothing."""
