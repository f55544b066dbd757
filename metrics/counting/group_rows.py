"""The values of a batch: summaries of raw partitions, and additions to the tiles of series."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from metrics.counting.sums.tile_sums import TileSums
from metrics.schemas import FLOW_TOPIC, WHOLE_TOPIC


class SeriesKey(NamedTuple):
    """The key of a partition, a topic (partition -1), a flow (also topic '') or a flow's group."""

    source: str
    target: str
    topic: str
    remote_topic: str
    partition: int
    consumer_group: str = ""


def topic_of(key: SeriesKey) -> SeriesKey:
    """The series of the topic as a whole."""
    return SeriesKey(key[0], key[1], key[2], key[3], WHOLE_TOPIC)


def flow_of(key: SeriesKey) -> SeriesKey:
    """The series of the flow."""
    return SeriesKey(key[0], key[1], FLOW_TOPIC, "", WHOLE_TOPIC)


class SeqKey(NamedTuple):
    """The owner of growing sequence numbers: one start of a task, in one raw partition."""

    task: str
    boot: str
    raw_partition: int  # ANY_PARTITION: in all of them


class SideRecord(NamedTuple):
    """A validated record that `metrics.counting.side_records` reads; `sample` is the start of its text."""

    fields: Mapping[str, Any]
    sample: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSummary:
    """The summary of one raw partition (of one task, where `task` is set), good and bad records alike."""

    topic: str
    partition: int
    first_offset: int
    last_offset: int
    bad: int
    sample: str | None
    task: str | None
    boot: str | None
    seq: int | None
    last_ms: int | None
    gaps: tuple[dict[str, Any], ...]
    side: tuple[SideRecord, ...] = ()
    seqs_read: tuple[int, int] | None = None  # the lowest and the highest, repeats included


class ReportedRange(NamedTuple):
    """A reported range of source offsets and the place of its report in the raw partition."""

    raw_offset: int
    position: int
    start: int
    end: int


class LatestReport(NamedTuple):
    """The latest report of a partition, or the total of a topic or flow, which have no offsets.

    In the order of the columns of `partition_now`.
    """

    state: str
    cause: str | None
    covered_to: int | None
    log_end: int | None
    downstream_end: int | None
    lag: int | None
    last_ms: int
    records_per_second: float | None
    bytes_per_second: float | None
    log_start: int | None = None
    last_record_ms: int | None = None


@dataclass(slots=True)
class TileGroup:
    """The values that one raw partition adds to one 10 s tile of one source partition; `sums` lacks what needs order.

    The spans are in raw order, and `now` is the report of the last one.
    """

    key: SeriesKey
    topic: SeriesKey  # as a whole; the same object for all parts of a record
    topic_id: str
    time_ms: int
    raw: tuple[str, int]
    first_ms: int
    sums: TileSums
    now: LatestReport
    spans: tuple[ReportedRange, ...]

    def add_report(self, later: "TileGroup") -> None:
        """Add a later report of the same tile."""
        self.sums.merge(later.sums)
        self.sums.lag_last = later.now.lag
        self.first_ms = min(self.first_ms, later.first_ms)
        self.now = later.now
        self.spans += later.spans
