"""Packs additions to tiles into bytes for the shuffle; numbers are not formatted as text."""

import marshal
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any

from metrics.counting.group_rows import LatestReport, ReportedRange, SeriesKey, TileGroup
from metrics.counting.sums.tile_histogram import TileHistogram
from metrics.counting.sums.tile_sums import TileSums

_HISTOGRAMS = ("latency", "age")
_NUMBERS = tuple(name for name in TileSums.__slots__ if name not in _HISTOGRAMS)
_numbers_of = attrgetter(*_NUMBERS)


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
                group.sums.latency.packed(),
                group.sums.age.packed(),
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
                SeriesKey(topic[0], topic[1], topic[2], topic[3], partition),
                topic,
                topic_id,
                time_ms,
                raw,
                first_ms,
                _sums(numbers, latency, age),
                LatestReport(*now),
                tuple([ReportedRange(*span) for span in spans]),
            )


def _sums(numbers: Iterable[Any], latency: bytes, age: bytes) -> TileSums:
    sums = TileSums()
    for name, value in zip(_NUMBERS, numbers, strict=True):
        setattr(sums, name, value)
    sums.latency, sums.age = TileHistogram.unpacked(latency), TileHistogram.unpacked(age)
    return sums
