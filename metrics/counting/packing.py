"""Packs additions to tiles into bytes for the shuffle; numbers are not formatted as text."""

import marshal
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any

from metrics.counting.group_rows import LatestReport, ReportedRange, SeriesKey, TileGroup
from metrics.counting.tile_sums import TileSums
from replication.domain.reporting.histogram import Histogram

_HISTOGRAMS = ("latency", "age")
_NUMBERS = tuple(name for name in TileSums.__slots__ if name not in _HISTOGRAMS)
_HISTOGRAM_FIELDS = ("count", "min_ms", "max_ms", "sum_ms", "negative_count", "buckets")
_numbers_of = attrgetter(*_NUMBERS)
_histogram_of = attrgetter(*_HISTOGRAM_FIELDS)


def packed(groups: Iterable[TileGroup]) -> bytes:
    """Return the groups of a raw partition as bytes, each topic once. Both ends run the same version of Python."""
    topics: dict[tuple[SeriesKey, str], list[tuple[Any, ...]]] = {}
    raw: tuple[str, int] = ("", 0)
    for group in groups:
        raw = group.raw
        own = topics.setdefault((group.topic, group.topic_id), [])
        own.append(
            (
                group.key[4],
                group.time_ms,
                group.first_ms,
                _numbers_of(group.sums),
                _histogram_of(group.sums.latency),
                _histogram_of(group.sums.age),
                tuple(group.now),
                [tuple(span) for span in group.spans],
            )
        )
    return marshal.dumps((raw, [(tuple(topic), topic_id, own) for (topic, topic_id), own in topics.items()]))


def unpacked(value: bytes) -> Iterator[TileGroup]:
    """Return the groups given to `packed`, by topic."""
    raw, topics = marshal.loads(value)  # noqa: S302 - bytes of our own tasks
    for names, topic_id, own in topics:
        topic = SeriesKey(*names)
        for partition, time_ms, first_ms, numbers, latency, age, now, spans in own:
            yield TileGroup(
                key=SeriesKey(topic[0], topic[1], topic[2], topic[3], partition),
                topic=topic,
                topic_id=topic_id,
                time_ms=time_ms,
                raw=raw,
                first_ms=first_ms,
                sums=_sums(numbers, latency, age),
                now=LatestReport(*now),
                spans=tuple([ReportedRange(*span) for span in spans]),
            )


def _sums(numbers: Iterable[Any], latency: Iterable[Any], age: Iterable[Any]) -> TileSums:
    sums = TileSums()
    for name, value in zip(_NUMBERS, numbers, strict=True):
        setattr(sums, name, value)
    sums.latency, sums.age = _histogram(latency), _histogram(age)
    return sums


def _histogram(values: Iterable[Any]) -> Histogram:
    found = Histogram()
    found.count, found.min_ms, found.max_ms, found.sum_ms, found.negative_count, found.buckets = values
    return found
