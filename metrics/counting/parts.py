"""Reads a part of a task's record: the report of a source partition for a period. Pure; rejects invalid parts."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from metrics.counting.group_rows import LatestReport, ReportedRange, SeriesKey, TileGroup
from metrics.counting.sums.tile_histogram import MOST_AMOUNT, TileHistogram, check_amounts
from metrics.counting.sums.tile_sums import TileSums
from metrics.schemas import WHOLE_TOPIC
from replication.domain.reporting.metric_defs import WIDTHS_MS

TILE_MS = WIDTHS_MS["10s"]
MOST_NAME_CHARS = 255

_MAX_OFFSET = 1 << 53  # a value above it is invalid
_NUMBERED = 13  # positions before the histograms
_LAST_RECORD = _NUMBERED + 2  # after both histograms; absent in reports of older drivers

UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)


class PartReader:
    """Reads the parts of one record at a place of the raw log."""

    def __init__(self, record: Mapping[str, Any], raw: tuple[str, int], raw_offset: int) -> None:
        self._source: str = record["source"]
        self._target: str = record["target"]
        self._topics: Sequence[Any] = record["topics"]
        self._to_ms: int = record["to_ms"]
        self._period_ms: int = record["to_ms"] - record["from_ms"]
        self._time_ms = tile_of(self._to_ms)
        self._known: dict[int, tuple[SeriesKey, str]] = {}  # topics that were asked for, with their ids
        self._raw = raw
        self._raw_offset = raw_offset

    def read(self, part: Sequence[Any], position: int) -> TileGroup:
        """Return what the part adds to its tile. Raises one of UNREADABLE for missing and invalid values."""
        index, partition, state, cause, start, end, log_start, log_end, downstream_end, *amounts = part[:_NUMBERED]
        records, size, wire_size, throttled_ms = amounts
        check_amounts((records, size, wire_size, throttled_ms, end - start), MOST_AMOUNT)
        last_record_ms = part[_LAST_RECORD] if len(part) > _LAST_RECORD else None
        known = [each for each in (log_start, log_end, downstream_end, last_record_ms) if each is not None]
        check_amounts((partition, start, *known), _MAX_OFFSET)
        topic, topic_id = self._topic(index)
        sums = TileSums()
        sums.records, sums.bytes, sums.wire_bytes, sums.throttled_ms = records, size, wire_size, throttled_ms
        if len(part) > _NUMBERED:
            sums.latency = _histogram(part[_NUMBERED])
            sums.age = _histogram(part[_NUMBERED + 1] if len(part) > _NUMBERED + 1 else None)
        lag = None if log_end is None else max(log_end - end, 0)
        sums.lag_max = sums.lag_last = lag
        period_ms = self._period_ms
        return TileGroup(
            SeriesKey(topic[0], topic[1], topic[2], topic[3], partition),
            topic,
            topic_id,
            self._time_ms,
            self._raw,
            self._to_ms,
            sums,
            LatestReport(
                _required_text(state),
                None if cause is None else as_text(cause),
                end,
                log_end,
                downstream_end,
                lag,
                self._to_ms,
                records * 1_000 / period_ms if period_ms > 0 else None,
                size * 1_000 / period_ms if period_ms > 0 else None,
                log_start,
                last_record_ms,
            ),
            (ReportedRange(self._raw_offset, position, start, end),),
        )

    def _topic(self, index: object) -> tuple[SeriesKey, str]:
        """The series of a topic as a whole, and the topic's id."""
        if type(index) is not int or index < 0:
            raise ValueError("no index of a topic")
        found = self._known.get(index)
        if found is None:
            topic, remote_topic, topic_id = self._topics[index][:3]
            if not topic or not all(is_name(name) for name in (topic, remote_topic, topic_id)):
                raise ValueError("a topic without its names")
            found = SeriesKey(self._source, self._target, topic, remote_topic, WHOLE_TOPIC), topic_id
            self._known[index] = found
        return found


def is_name(value: object) -> bool:
    """Return True for a text that keys of tables can hold; topics have at most 249 characters."""
    return isinstance(value, str) and len(value) <= MOST_NAME_CHARS


def tile_of(to_ms: int) -> int:
    """Return the start of the tile that holds the last millisecond of a period."""
    return (to_ms - 1) - (to_ms - 1) % TILE_MS


def as_text(value: object) -> str:
    """Return a text unchanged and any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _required_text(value: object) -> str:
    if not value:
        raise ValueError("a text is missing")
    return as_text(value)


def _histogram(values: Any) -> TileHistogram:
    return TileHistogram() if values is None else TileHistogram.read(values)
