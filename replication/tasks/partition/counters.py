"""The counters of a partition: totals, and counts by range of source offsets since the last report."""

from replication.domain.reporting.histogram import Histogram
from replication.tasks.partition.entry import Entry

NEWEST_TIME_MS = 1 << 53  # producers choose timestamps freely; readers take no later ones
LONGEST_LATENCY_MS = 366 * 86_400_000  # beyond a year a latency says nothing more, and sums must not overflow


class RangeCounts:
    """Counts that cover the source offsets `[from_offset, to_offset)` of one topic id."""

    __slots__ = ("age", "from_offset", "latency", "records", "size_bytes", "to_offset", "topic_id", "wire_bytes")

    def __init__(self, topic_id: bytes, from_offset: int) -> None:
        self.topic_id = topic_id
        self.from_offset = from_offset
        self.to_offset = from_offset
        self.records = 0
        self.size_bytes = 0
        self.wire_bytes = 0
        self.latency = Histogram()
        self.age = Histogram()

    @property
    def is_empty(self) -> bool:
        return self.to_offset == self.from_offset

    def count(self, entry: Entry, now_ms: int, recent_latency: Histogram) -> None:
        """Count an entry that is done."""
        records = entry.records
        self.to_offset = entry.next
        self.records += records
        self.size_bytes += entry.source_bytes
        self.wire_bytes += entry.size_bytes
        if records and entry.max_timestamp >= 0:  # a record without a timestamp has no latency
            latency_ms = min(now_ms - entry.max_timestamp, LONGEST_LATENCY_MS)
            self.latency.add(latency_ms, records)
            self.age.add(min(entry.age_ms, LONGEST_LATENCY_MS), records)
            recent_latency.add(latency_ms, records)


class PartitionCounters:
    """Totals for the life of the copy, and the ranges to report."""

    __slots__ = (
        "bytes_total",
        "filtered_total",
        "last_record_ms",
        "looped_total",
        "ranges",
        "records_total",
        "resent_total",
        "throttled_ms",
        "throttled_reported_ms",
        "wire_bytes_total",
    )

    def __init__(self, topic_id: bytes, from_offset: int) -> None:
        self.ranges: list[RangeCounts] = [RangeCounts(topic_id, from_offset)]
        self.records_total = 0
        self.bytes_total = 0
        self.wire_bytes_total = 0
        self.last_record_ms: int | None = None  # timestamp of the record copied last
        self.filtered_total = 0  # records that a transform removed
        self.looped_total = 0  # records that had been on the target before
        self.resent_total = 0  # records sent again although the target may have had them
        self.throttled_ms = 0  # that a throttle of the partition or its topic held it back
        self.throttled_reported_ms = 0  # of this and the slot's count, contained in a raw metric

    def continue_totals(self, before: "PartitionCounters") -> None:
        """Continue the totals of the partition's copy before, whose ranges are reported."""
        self.records_total, self.bytes_total = before.records_total, before.bytes_total
        self.wire_bytes_total, self.resent_total = before.wire_bytes_total, before.resent_total
        self.filtered_total, self.looped_total = before.filtered_total, before.looped_total
        self.throttled_ms, self.throttled_reported_ms = before.throttled_ms, before.throttled_reported_ms

    def count(self, entry: Entry, now_ms: int, recent_latency: Histogram) -> None:
        """Count an entry that is done."""
        self.ranges[-1].count(entry, now_ms, recent_latency)
        self.records_total += entry.records
        self.bytes_total += entry.source_bytes
        self.wire_bytes_total += entry.size_bytes
        if entry.records and 0 <= entry.max_timestamp <= NEWEST_TIME_MS:
            self.last_record_ms = entry.max_timestamp
        if entry.dropped is not None:
            filtered, looped = entry.dropped
            self.filtered_total += filtered
            self.looped_total += looped

    def start_range(self, topic_id: bytes, offset: int) -> None:
        """The partition continues at another place."""
        self.ranges.append(RangeCounts(topic_id, offset))

    def take_ranges(self) -> list[RangeCounts]:
        """Return the ranges since the last report, and begin the next one where they end."""
        taken, last = self.ranges, self.ranges[-1]
        self.ranges = [RangeCounts(last.topic_id, last.to_offset)]
        return taken

    def add_throttled(self, seconds: float) -> None:
        """The partition sat out of fetches for so long."""
        self.throttled_ms += round(1000 * seconds)

    def take_throttled_ms(self, slot_ms: int) -> int:
        """Return how much of the throttled time, of the slot and its own, is not reported yet."""
        total_ms = slot_ms + self.throttled_ms
        since, self.throttled_reported_ms = total_ms - self.throttled_reported_ms, total_ms
        return since

    def add_resent(self, records: int) -> None:
        """So many records go out again although the target may have them."""
        self.resent_total += records
