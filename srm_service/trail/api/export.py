"""The audit trail as a file: CSV for spreadsheets, JSON for programs."""

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

import orjson

from srm_service.trail.contracts import TrailDto

_COLUMNS = tuple(field.name for field in fields(TrailDto))
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would calculate such a cell


def as_csv(entries: Iterable[TrailDto]) -> str:
    """Return a line per entry after a header; values before and after are JSON."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("at", *_COLUMNS))
    for entry in entries:
        values = asdict(entry)
        at = datetime.fromtimestamp(entry.at_ms / 1000, tz=UTC).isoformat(timespec="milliseconds")
        writer.writerow((at, *(_cell(values[name]) for name in _COLUMNS)))
    return text.getvalue()


def as_json(entries: Iterable[TrailDto]) -> bytes:
    """Return an array of entries as REST answers them."""
    return orjson.dumps([asdict(entry) for entry in entries])


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, int):
        return value
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return f"'{text}" if text.startswith(_FORMULA) else text
