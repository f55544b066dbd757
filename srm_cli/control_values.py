"""What `srm-control` reads from its arguments: times, places, rates; and how it shows times."""

from datetime import UTC, datetime
from typing import Any

from replication.domain.start_position import parse_start
from replication.domain.throttle import parse_rate
from srm_cli.errors import OperatorError

OFF = "off"
_OFFSET = "offset:"


def read_time_ms(text: str | None) -> int | None:
    """Epoch ms, or an ISO 8601 time (UTC without a zone). Raises OperatorError."""
    if text is None:
        return None
    try:
        at = parse_start(text)
    except ValueError:
        at = "latest"
    if not isinstance(at, int):
        raise OperatorError(f"{text!r} is no time: write 2026-01-31T18:00:00Z or milliseconds since 1970")
    return at


def read_place(text: str) -> Any:
    """A reset's `to` as REST wants it. Raises OperatorError."""
    if text.startswith(_OFFSET):
        number = text.removeprefix(_OFFSET).strip()
        if not (number.isdecimal() and number.isascii()):
            raise OperatorError(f"{text!r} is no offset: write for example offset:1200")
        return {"offset": int(number)}
    try:
        at = parse_start(text)
    except ValueError:
        raise OperatorError(
            f"{text!r} is no place in a log: write earliest, latest, offset:1200, "
            "a time such as 2026-01-31T18:00:00Z or milliseconds since 1970"
        ) from None
    return {"timestamp_ms": at} if isinstance(at, int) else at


def read_rate(text: str) -> int | None:
    """Bytes per second, None for `off`. Raises OperatorError."""
    if text.strip().lower() == OFF:
        return None
    try:
        return parse_rate(text)
    except ValueError:
        raise OperatorError(f"{text!r} is no rate: write for example 10MB, 512KiB or {OFF}") from None


def shown_time(at_ms: int | None) -> str:
    return "-" if at_ms is None else datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def shown_place(to: Any) -> str:
    """A reset's `to` as `--to` takes it."""
    if not isinstance(to, dict):
        return str(to)
    return f"{_OFFSET}{to['offset']}" if "offset" in to else shown_time(to.get("timestamp_ms"))
