"""Parses and formats the argument values of `srm-control`: times, durations, reset positions and rates."""

import re
import time
from collections.abc import Iterable
from typing import Any

from replication.domain.control.throttle import parse_rate
from replication.domain.offsets.start_position import parse_start
from srm_cli.control.output import Column, shown_time
from srm_cli.errors import UsageError

OFF = "off"
_OFFSET = "offset:"
_DURATION = re.compile(r"([0-9]{1,6})([smhd])")
_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_BETWEEN_PATTERNS = re.compile(r",(?![^{}]*})")  # not the comma of a quantifier such as {1,3}
_BETWEEN_PAIRS = re.compile(r",(?=[A-Za-z0-9_.-]+=)")  # not a comma inside of a value


def read_time_ms(text: str | None) -> int | None:
    """Parse epoch ms or an ISO 8601 time (UTC by default). Raises UsageError."""
    if text is None:
        return None
    try:
        at = parse_start(text)
    except ValueError:
        at = "latest"
    if not isinstance(at, int):
        raise UsageError(f"{text!r} is not a time: write 2026-01-31T18:00:00Z or milliseconds since 1970")
    return at


def read_duration_ms(text: str) -> int:
    """Parse a duration such as 90s, 5m, 2h or 1d. Raises UsageError."""
    found = _DURATION.fullmatch(text)
    if found is None or int(found[1]) == 0:
        raise UsageError(f"{text!r} is not a duration: write for example 90s, 5m or 2h")
    return int(found[1]) * _MS[found[2]]


def read_end_ms(until: str | None, lasts: str | None = None) -> int | None:
    """Parse an end: a time, or a duration from now on in either option. Raises UsageError."""
    if until is not None and lasts is not None:
        raise UsageError("give either --until or --for")
    if lasts is None and (until is None or not _DURATION.fullmatch(until)):
        return read_time_ms(until)
    return time.time_ns() // 1_000_000 + read_duration_ms(lasts or until or "")


def read_position(text: str) -> Any:
    """Parse a reset position into the REST field `to`. Raises UsageError."""
    if text.startswith(_OFFSET):
        number = text.removeprefix(_OFFSET).strip()
        if not (number.isdecimal() and number.isascii()):
            raise UsageError(f"{text!r} is not an offset: write for example offset:1200")
        return {"offset": int(number)}
    try:
        at = parse_start(text)
    except ValueError:
        raise UsageError(
            f"{text!r} is not a position: write earliest, latest, offset:1200, "
            "a time such as 2026-01-31T18:00:00Z or milliseconds since 1970"
        ) from None
    return {"timestamp_ms": at} if isinstance(at, int) else at


def read_rate(text: str) -> int | None:
    """Parse a rate in bytes per second; returns None for `off`. Raises UsageError."""
    if text.strip().lower() == OFF:
        return None
    try:
        return parse_rate(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def time_column(heading: str, field: str) -> Column:
    """Return a column with the time of a field in epoch ms."""
    return heading, lambda row: shown_time(row.get(field))


def format_position(to: Any) -> str:
    """Format the REST field `to` of a reset as the option `--to` accepts it."""
    if not isinstance(to, dict):
        return str(to)
    return f"{_OFFSET}{to['offset']}" if "offset" in to else shown_time(to.get("timestamp_ms"))


def read_patterns(texts: Iterable[str]) -> list[str]:
    """Split comma-separated names and patterns of repeated options."""
    return [part.strip() for text in texts for part in _BETWEEN_PATTERNS.split(text) if part.strip()]


def read_pairs(texts: Iterable[str]) -> dict[str, str]:
    """Parse `key=value` pairs, separated by commas or in repeated options. Raises UsageError."""
    pairs: dict[str, str] = {}
    for text in texts:
        for part in _BETWEEN_PAIRS.split(text):
            key, equals, value = part.partition("=")
            if not (key.strip() and equals):
                raise UsageError(f"{part!r} is not key=value")
            pairs[key.strip()] = value
    return pairs
