"""The settings of an export of tiles: the folder and the widths. For the metrics process and for commands."""

import posixpath
import re
from typing import get_args
from urllib.parse import urlsplit

from replication.domain.reporting.metric_defs import TileWidth

EXPORTED_WIDTHS: tuple[TileWidth, ...] = ("1m", "1h")  # 10 s tiles are deleted after two hours
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_CREDENTIALS = re.compile(r"[^/]*://[^/]*@")
# Spark reads these as patterns, or not at all. A percent sign is only a percent sign.
_UNSAFE = frozenset("*?[]{}\\#") | {chr(code) for code in range(32)}


def history_uri(text: str, folder: str) -> str:
    """Return the URI of a history; a path without a scheme lies in this absolute folder. ValueError says why not."""
    uri = text.strip().rstrip("/")
    if not uri:
        raise ValueError("the URI is empty: name a folder, or a URI such as s3a://bucket/history")
    if _CREDENTIALS.match(uri):
        raise ValueError("the URI holds credentials: give them to Spark (spark.hadoop.fs...) instead")
    if not _UNSAFE.isdisjoint(uri):
        raise ValueError(f"{text!r} has characters that Spark reads as a pattern: name another folder")
    if not _SCHEME.match(uri):
        return f"file://{posixpath.normpath(posixpath.join(folder, uri))}"
    parts = urlsplit(uri)
    if not parts.path.strip("/") and not parts.netloc:
        raise ValueError(f"{text!r} names no folder: write it like s3a://bucket/history or file:///data/history")
    if parts.scheme == "file" and (parts.netloc or not parts.path.startswith("/")):
        raise ValueError(f"{text!r} is not an absolute path: write it like file:///data/history")
    return uri


def parse_widths(text: str) -> tuple[TileWidth, ...]:
    """Return the widths of a list such as `1m,1h`, the finest first. ValueError says what is wrong."""
    named = {part.strip() for part in text.split(",") if part.strip()}
    unknown = sorted(named - set(EXPORTED_WIDTHS))
    if unknown or not named:
        raise ValueError(f"cannot export the widths {text!r}: choose from {', '.join(EXPORTED_WIDTHS)}")
    return tuple(width for width in get_args(TileWidth) if width in named)
