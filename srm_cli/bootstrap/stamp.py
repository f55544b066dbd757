"""Digests of build inputs, stored in stamp files so that an unchanged build is skipped."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

_SKIPPED_FOLDERS = {"node_modules", "dist", "e2e"}


def digest_of(files: Iterable[Path]) -> str:
    """Return the digest of the files' names and contents; missing files count as absent."""
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(str(path).encode() + b"\0")
        if path.is_file():
            total.update(path.read_bytes())
    return total.hexdigest()


def page_sources(frontend: Path) -> list[Path]:
    """The input files of the built page: all except dependencies, output and end-to-end tests."""
    return [
        path
        for child in frontend.iterdir()
        if child.name not in _SKIPPED_FOLDERS
        for path in ([child] if child.is_file() else child.rglob("*"))
        if path.is_file() and path.name != "schema.d.ts"
    ]


def is_current(stamp: Path, digest: str) -> bool:
    return stamp.is_file() and stamp.read_text() == digest
