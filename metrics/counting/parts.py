"""Reads a part of a task's record: the report of a source partition for a period. Pure; rejects invalid parts."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from metrics.counting.group_rows import LatestReport, ReportedRange, SeriesKey, TileGroup
from metrics.counting.tile_sums import BUCKETS, TileSums
from metrics.schemas import WHOLE_TOPIC
from replication.domain.reporting.histogram import Histogram
from replication.domain.reporting.metric_defs import WIDTHS_MS

TILE_MS = WIDTHS_MS["10s"]
MOST_NAME_CHARS = 255

# A value above these is invalid.
_MAX_AMOUNT = 1 << 40
_MAX_OFFSET = 1 << 53
_MAX_SUM_MS = 1 << 58  # a year of latency for every record of a busy period
_WHOLE = {int}
_NUMBERED = 13  # positions before the histograms

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
        latency, age = _histogram(part, _NUMBERED), _histogram(part, _NUMBERED + 1)
        _check((*amounts, end - start, *_counts(latency), *_counts(age)), _MAX_AMOUNT)
        _check((latency.sum_ms, age.sum_ms), _MAX_SUM_MS)
        known = [each for each in (log_start, log_end, downstream_end) if each is not None]
        _check((partition, start, *known), _MAX_OFFSET)
        topic, topic_id = self._topic(index)
        sums = TileSums()
        sums.records, sums.bytes, sums.wire_bytes, sums.throttled_ms = records, size, wire_size, throttled_ms
        sums.latency, sums.age = latency, age
        lag = None if log_end is None else max(log_end - end, 0)
        sums.lag_max = sums.lag_last = lag
        return TileGroup(
            key=SeriesKey(topic[0], topic[1], topic[2], topic[3], partition),
            topic=topic,
            topic_id=topic_id,
            time_ms=self._time_ms,
            raw=self._raw,
            first_ms=self._to_ms,
            sums=sums,
            now=LatestReport(
                _required_text(state),
                None if cause is None else as_text(cause),
                end,
                log_end,
                downstream_end,
                lag,
                self._to_ms,
                self._rate(records),
                self._rate(size),
            ),
            spans=(ReportedRange(self._raw_offset, position, start, end),),
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

    def _rate(self, amount: int) -> float | None:
        return amount * 1_000 / self._period_ms if self._period_ms > 0 else None


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


def _check(values: Collection[Any], most: int) -> None:
    """Reject a value that is not a whole number in [0, most]; true and false are not."""
    if set(map(type, values)) != _WHOLE or min(values) < 0 or max(values) > most:
        raise ValueError("a number is missing or out of bounds")


def _counts(histogram: Histogram) -> tuple[int, ...]:
    return histogram.count, histogram.min_ms, histogram.max_ms, histogram.negative_count, *histogram.buckets.values()


def _histogram(part: Sequence[Any], position: int) -> Histogram:
    """Return the histogram as it is written, without a check of its numbers."""
    histogram = Histogram()
    values = part[position] if position < len(part) else None
    if values is None:
        return histogram
    count, min_ms, max_ms, sum_ms, negative_count, buckets = values
    histogram.count, histogram.min_ms, histogram.max_ms = count, min_ms, max_ms
    histogram.sum_ms, histogram.negative_count = sum_ms, negative_count
    histogram.buckets = {BUCKETS[bucket]: weight for bucket, weight in buckets.items()}
    return histogram
