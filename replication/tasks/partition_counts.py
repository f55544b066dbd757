"""What one partition did since the last report, by stretch of source offsets."""

from replication.domain.histogram import Histogram


class PartitionCounts:
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
