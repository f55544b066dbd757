"""The start of partitions that have no position yet, as the settings spell it."""

import re
from datetime import UTC, datetime
from typing import get_args

from replication.domain.identifiers import TopicPartition
from replication.domain.plan.topic_join import TopicJoin
from replication.domain.settings.choices import LogEnd

LOG_ENDS: tuple[LogEnd, ...] = get_args(LogEnd)
StartAt = LogEnd | int  # an int is a timestamp in ms

_MILLISECONDS = re.compile(r"[0-9]{1,18}")
_OFFSET = re.compile(r"(?P<topic>[A-Za-z0-9._-]+):(?P<partition>[0-9]{1,9})=(?P<offset>[0-9]{1,18})")


def starts_at(partition: int, joined: TopicJoin | None, oldest_generation: int | None, start: StartAt) -> StartAt:
    """Return the start of a partition that has no position yet.

    The plan says which partitions the topic had when it joined the flow: those start where the flow starts, all others
    at their beginning. `oldest_generation` is the lowest one in the positions of the topic, None if it has none: if the
    topic was copied before it joined, its other partitions are new. Without `joined` (a plan that an older release
    began) any position of the topic says so.
    """
    was_copied = oldest_generation is not None
    if joined is not None:
        was_copied = oldest_generation is not None and joined.is_later_than(oldest_generation)
    return "earliest" if was_copied or (joined is not None and joined.is_newer(partition)) else start


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
