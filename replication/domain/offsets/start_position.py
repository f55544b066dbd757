"""The start of partitions that have no position yet, as the settings spell it."""

import re
from datetime import UTC, datetime
from typing import get_args

from replication.domain.identifiers import TopicPartition
from replication.domain.settings.choices import LogEnd

LOG_ENDS: tuple[LogEnd, ...] = get_args(LogEnd)
StartAt = LogEnd | int  # an int is a timestamp in ms

_MILLISECONDS = re.compile(r"[0-9]{1,18}")
_OFFSET = re.compile(r"(?P<topic>[A-Za-z0-9._-]+):(?P<partition>[0-9]{1,9})=(?P<offset>[0-9]{1,18})")


def parse_start(text: str) -> StartAt:
    """Return the start from `earliest`, `latest`, ms since 1970 or an ISO 8601 time (UTC without a zone).

    Raises ValueError.
    """
    cleaned = text.strip()
    for end in LOG_ENDS:
        if cleaned == end:
            return end
    if _MILLISECONDS.fullmatch(cleaned):
        return int(cleaned)
    try:
        moment = datetime.fromisoformat(cleaned)
    except ValueError as error:
        raise ValueError(f"{cleaned!r} is neither a time nor an end of the log") from error
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    start_ms = int(aware.timestamp() * 1000)
    if start_ms < 0:
        raise ValueError(f"{cleaned!r} is before 1970")
    return start_ms


def parse_start_offsets(text: str) -> tuple[tuple[TopicPartition, int], ...]:
    """Return each partition's first offset to copy from `topic:partition=offset, ...`.

    ValueError names the wrong part.
    """
    offsets: dict[TopicPartition, int] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        match = _OFFSET.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r} is not topic:partition=offset")
        upstream = TopicPartition(match["topic"], int(match["partition"]))
        if offsets.setdefault(upstream, int(match["offset"])) != int(match["offset"]):
            raise ValueError(f"{upstream} has two start offsets")
    return tuple(sorted(offsets.items()))
