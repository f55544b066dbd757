"""Times as people write and read them: ISO 8601 in UTC, and epoch ms."""

from datetime import UTC, datetime


def epoch_ms(text: str) -> int:
    """Epoch ms as a number, or ISO 8601, UTC where it names no zone. ValueError says how to write it."""
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"cannot read the time {text!r}: write it like 2026-11-21T05:00Z, or in epoch ms") from error
    return round((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1_000)


def iso_time(time_ms: int) -> str:
    """`2026-11-21T05:00Z`, with seconds where there are some; epoch ms where no calendar has such a day."""
    try:
        found = datetime.fromtimestamp(time_ms // 1_000, tz=UTC)
    except (OverflowError, OSError, ValueError):
        return f"{time_ms} ms"
    return found.strftime("%Y-%m-%dT%H:%M:%SZ" if found.second else "%Y-%m-%dT%H:%MZ")
