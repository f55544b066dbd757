"""Remembers from which inputs something was made, so that the second start skips it."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

_SKIPPED_FOLDERS = {"node_modules", "dist", "e2e"}


def digest_of(files: Iterable[Path]) -> str:
    """Names and bytes of the files; those that do not exist count as absent."""
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(str(path).encode() + b"\0")
        if path.is_file():
            total.update(path.read_bytes())
    return total.hexdigest()


def page_sources(frontend: Path) -> list[Path]:
    """What the built page depends on: everything but dependencies, output and end-to-end tests."""
    return [
        path
        for child in frontend.iterdir()
        if child.name not in _SKIPPED_FOLDERS
        for path in ([child] if child.is_file() else child.rglob("*"))
        if path.is_file() and path.name != "schema.d.ts"
    ]


def is_current(stamp: Path, digest: str) -> bool:
    return stamp.is_file() and stamp.read_text() == digest
