"""Reads the small kinds of raw metrics: heartbeats, counters, events, groups. Pure; takes validated records.

A record that cannot be read is counted as bad, like an unreadable part of a task's record; its neighbours count.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics.counting.group_rows import SeriesKey, SideRecord
from metrics.counting.parts import tile_of
from metrics.counting.sums.tile_histogram import TileHistogram
from metrics.counting.sums.tile_sums import TileSums

HEARTBEAT_AGE = "heartbeat_age_ms"
_MAX_NUMBER = 1 << 53
_MAX_GAUGE = 1 << 48  # a value above it is invalid; below it no sum of a tile overflows 64 bits
_MAX_NAME_CHARS = 255
_MAX_TEXT_CHARS = 500
_MAX_EVENTS = 1_000
_UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError)


@dataclass(slots=True)
class GaugeSums:
    """Readings of one name in one tile; `sum` of a counter is what was counted."""

    count: int = 0
    min: int = 0
    max: int = 0
    sum: int = 0
    last: int = 0

    def add(self, value: int) -> None:
        """Add a reading that is later than those before."""
        self.merge(GaugeSums(1, value, value, value, value))

    def merge(self, later: "GaugeSums") -> None:
        if later.count == 0:
            return
        self.min = later.min if self.count == 0 else min(self.min, later.min)
        self.max = later.max if self.count == 0 else max(self.max, later.max)
        self.count += later.count
        self.sum += later.sum
        self.last = later.last


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReading:
    """A consumer group's partition as last reported."""

    committed: int | None
    checkpointed: int | None
    log_end: int | None
    latency_ms: int | None
    last_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StateEvent:
    """A change of state as a driver saw it."""

    source: str
    task: str
    driver: str
    time_ms: int
    scope: str
    topic: str | None
    partition: int | None
    from_state: str | None
    to_state: str
    cause: str | None
    text: str | None


GaugeKey = tuple[SeriesKey, str, int]  # flow, name, start of the tile
GroupKey = tuple[str, str, str, int]  # source, group, topic, partition


@dataclass(slots=True)
class SideSums:
    """The sums of a batch's side records."""

    gauges: dict[GaugeKey, GaugeSums] = field(default_factory=dict)
    group_tiles: dict[tuple[SeriesKey, int], TileSums] = field(default_factory=dict)
    groups: dict[GroupKey, GroupReading] = field(default_factory=dict)
    events: list[StateEvent] = field(default_factory=list)
    bad: list[tuple[int, str]] = field(default_factory=list)  # index of its summary, sample

    def merge(self, later: "SideSums") -> None:
        """Add sums that follow in raw order; bad records are counted with the summaries."""
        for key, gauge in later.gauges.items():
            self.gauges.setdefault(key, GaugeSums()).merge(gauge)
        for tile, sums in later.group_tiles.items():
            self.group_tiles.setdefault(tile, TileSums()).merge(sums)
        self.groups.update(later.groups)
        self.events.extend(later.events)


def side_sums(records: Iterable[tuple[int, SideRecord]]) -> SideSums:
    """Add up records in raw order, each with the index of the summary it came with."""
    sums = SideSums()
    for index, (record, sample) in records:
        try:
            _READERS[record["kind"]](record, sums)
        except _UNREADABLE as error:
            sums.bad.append((index, f"unreadable record ({type(error).__name__} {error}): {sample}"))
    return sums


def _heartbeat(record: Mapping[str, Any], sums: SideSums) -> None:
    age_ms = _number(record["age_ms"], _MAX_GAUGE)
    if age_ms is not None:
        _gauge(sums, record, HEARTBEAT_AGE).add(age_ms)


def _counters(record: Mapping[str, Any], sums: SideSums) -> None:
    counters = [(_name(name), _number(value, _MAX_GAUGE)) for name, value in record["counters"].items()]
    for name, value in counters:
        if value is not None:
            _gauge(sums, record, name).add(value)


def _event(record: Mapping[str, Any], sums: SideSums) -> None:
    found = [_one_event(record, fields) for fields in record["events"][:_MAX_EVENTS]]
    sums.events.extend(found)


def _one_event(record: Mapping[str, Any], fields: Sequence[Any]) -> StateEvent:
    time_ms, scope, topic, partition, from_state, to_state, cause, text = fields[:8]
    return StateEvent(
        source=record["source"],
        task=_name(record["task"]),
        driver=str(record.get("driver", ""))[:_MAX_TEXT_CHARS],
        time_ms=_required(time_ms),
        scope=str(scope)[:_MAX_TEXT_CHARS],
        topic=_text(topic),
        partition=_number(partition),
        from_state=_text(from_state),
        to_state=str(to_state)[:_MAX_TEXT_CHARS],
        cause=_text(cause),
        text=_text(text),
    )


def _group(record: Mapping[str, Any], sums: SideSums) -> None:
    """`groups: [[group, topic, partition, committed, checkpointed, log end, latency histogram | null], ...]`."""
    readings = [_group_reading(record, fields) for fields in record["groups"]]
    time_ms = tile_of(record["to_ms"])
    lags: dict[str, int] = {}
    for (source, group, topic, partition), now, latency in readings:
        sums.groups[source, group, topic, partition] = now
        tile = sums.group_tiles.setdefault((group_series(source, record["target"], group), time_ms), TileSums())
        tile.latency.merge(latency)
        tile.records += latency.count
        if now.log_end is not None and now.committed is not None:
            lags[group] = min(_MAX_NUMBER, lags.get(group, 0) + max(0, now.log_end - now.committed))
    for group, lag in lags.items():
        sums.group_tiles[group_series(record["source"], record["target"], group), time_ms].observe_lag(lag)


def _group_reading(record: Mapping[str, Any], fields: Sequence[Any]) -> tuple[GroupKey, GroupReading, TileHistogram]:
    group, topic, partition, committed, checkpointed, log_end, latency = fields[:7]
    histogram = TileHistogram() if latency is None else TileHistogram.read(latency)
    now = GroupReading(
        committed=_number(committed),
        checkpointed=_number(checkpointed),
        log_end=_number(log_end),
        latency_ms=histogram.max_ms if histogram.count else None,
        last_ms=record["to_ms"],
    )
    return (record["source"], _name(group, _MAX_TEXT_CHARS), _name(topic), _required(partition)), now, histogram


def group_series(source: str, target: str, group: str) -> SeriesKey:
    """The series of a consumer group of a flow."""
    return SeriesKey(source, target, "", "", -1, group)


def _gauge(sums: SideSums, record: Mapping[str, Any], name: str) -> GaugeSums:
    flow = SeriesKey(record["source"], record["target"], "", "", -1)
    return sums.gauges.setdefault((flow, name, tile_of(record["to_ms"])), GaugeSums())


def _number(value: Any, most: int = _MAX_NUMBER) -> int | None:
    """A whole number that the store can hold; None stays unknown."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise ValueError(f"no number: {str(value)[:40]}")
    return int(value)


def _required(value: Any) -> int:
    number = _number(value)
    if number is None:
        raise ValueError("a number is missing")
    return number


def _name(value: Any, most_chars: int = _MAX_NAME_CHARS) -> str:
    """Return a text that is part of a key. It is never cut, because it would become another key."""
    if not isinstance(value, str) or not 0 < len(value) <= most_chars:
        raise ValueError("a name is missing, too long or no text")
    return value


def _text(value: Any) -> str | None:
    return None if value is None else str(value)[:_MAX_TEXT_CHARS]


_READERS = {"heartbeat": _heartbeat, "counters": _counters, "event": _event, "group": _group}
