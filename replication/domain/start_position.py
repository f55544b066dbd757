"""Where a flow starts to read partitions that have no position yet, as a person writes it."""

import re
from datetime import UTC, datetime
from typing import Literal

from replication.domain.identifiers import TopicPartition

StartAt = Literal["earliest", "latest"] | int  # an int is a timestamp in ms

_OFFSET = re.compile(r"(?P<topic>[A-Za-z0-9._-]+):(?P<partition>\d+)=(?P<offset>\d+)")


def parse_start(text: str) -> StartAt:
    """`earliest`, `latest`, ms since 1970 or an ISO 8601 time (UTC without a zone). ValueError says which."""
    cleaned = text.strip()
    if cleaned == "earliest" or cleaned == "latest":
        return "earliest" if cleaned == "earliest" else "latest"
    if cleaned.isdecimal() and cleaned.isascii():
        return int(cleaned)
    try:
        moment = datetime.fromisoformat(cleaned)
    except ValueError as error:
        raise ValueError(
            f"{cleaned!r} is no start: write earliest, latest, a time such as 2026-01-31T00:00:00Z or milliseconds"
        ) from error
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    start_ms = int(aware.timestamp() * 1000)
    if start_ms < 0:
        raise ValueError(f"{cleaned!r} is before 1970")
    return start_ms


def parse_start_offsets(text: str) -> tuple[tuple[TopicPartition, int], ...]:
    """`topic:partition=offset, ...`, the offset being the first to copy. ValueError names the part that is wrong."""
    offsets: dict[TopicPartition, int] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        match = _OFFSET.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r} is no start offset: write topic:partition=offset")
        upstream = TopicPartition(match["topic"], int(match["partition"]))
        if offsets.setdefault(upstream, int(match["offset"])) != int(match["offset"]):
            raise ValueError(f"{upstream} has two start offsets")
    return tuple(sorted(offsets.items()))
