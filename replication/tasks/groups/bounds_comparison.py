"""Compares records of both clusters where the place of a group is known within bounds only, as `srm adopt` does."""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import islice

from replication.domain.groups.judgement.record_match import narrowed_bounds
from replication.domain.groups.translation import Translation
from replication.domain.identifiers import TopicPartition
from replication.ports.record_log import LogRecord, RecordLog

MOST_READS = 2_000  # of one group and round
_COMPARED = ("sync_only", "missing_runs")
_READ_BACK = 100  # offsets before the group's offset, in which the last read records are searched


@dataclass(slots=True)
class ReadBudget:
    """The number of records that may still be read."""

    left: int = MOST_READS

    def reserve(self, wanted: int) -> bool:
        """Return True and count the reads if there are as many left."""
        if wanted > self.left:
            return False
        self.left -= wanted
        return True


def is_comparable(place: Translation) -> bool:
    """Return True if records within the bounds of a place can tell more about it."""
    return place.reason in _COMPARED and None not in (place.downstream, place.latest)


class BoundsComparison:
    """Blocking; for one thread. Raises the errors of RecordLog.

    Records that transforms change are not found, and their bounds stay as they are.
    """

    def __init__(self, source: RecordLog, target: RecordLog) -> None:
        self._source = source
        self._target = target

    def compare(
        self, upstream: TopicPartition, remote: TopicPartition, offset: int, place: Translation, budget: ReadBudget
    ) -> Translation | None:
        """Return the translation with closer bounds, as it is if nothing is found; None if the budget is too small."""
        low, high = place.downstream, place.latest
        if not is_comparable(place) or low is None or high is None:
            return place
        width = high - low + 1
        if not budget.reserve(2 * width + _READ_BACK):
            return None
        copies = {
            record.offset: _content(record)
            for record in self._target.read_from(
                remote.topic, remote.partition, low, end=high + 1, isolation="read_committed"
            )
        }
        unread = [_content(each) for each in islice(self._source.read_from(*_at(upstream), offset), width)]
        read = [_content(each) for each in self._source.read_from(*_at(upstream), offset - _READ_BACK, end=offset)]
        return _within(place, *narrowed_bounds((low, high), read[::-1], unread, copies))


def _within(place: Translation, low: int, high: int) -> Translation:
    if low == high:
        return Translation(kind="exact", reason=place.reason, downstream=low, rereads=0)
    rereads = high - low if place.rereads is None else min(place.rereads, high - low)
    return Translation(kind="bounded", reason=place.reason, downstream=low, latest=high, rereads=rereads)


def _at(partition: TopicPartition) -> tuple[str, int]:
    return partition.topic, partition.partition


def _content(record: LogRecord) -> Hashable:
    return record.key, record.value, record.timestamp_ms, record.headers
