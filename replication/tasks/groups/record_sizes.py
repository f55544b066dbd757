"""The average size of records in remote logs, for the cost of reading records again."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.groups.judgement.group_partition import GroupPartitionFacts, rereads_of
from replication.domain.identifiers import TopicPartition
from replication.ports.log_sizes import LogSizes

log = structlog.get_logger(__name__)
ASK_EVERY_MS = 60_000
MOST_PARTITIONS = 20_000  # of one request


class RecordSizes:
    """Blocking; for one thread. The target is asked at most once a minute, and not while nothing comes again.

    An average is the size of a log as its broker stores it, divided by the number of its offsets.
    """

    def __init__(self, sizes: LogSizes) -> None:
        self._sizes = sizes
        self._asked_ms: int | None = None
        self.record_bytes: Mapping[TopicPartition, float] = {}  # by remote partition

    def refresh(self, facts: Iterable[GroupPartitionFacts], now_ms: int) -> None:
        """Ask for the remote logs of which records come again if it is time. An error leaves the sizes unknown."""
        if self._asked_ms is not None and 0 <= now_ms - self._asked_ms < ASK_EVERY_MS:
            return
        offsets = dict(_offsets_of_logs(facts))
        if not offsets:
            return
        self._asked_ms = now_ms
        try:
            sizes = self._sizes.bytes_of(list(islice(offsets, MOST_PARTITIONS)))
        except ReplicationError as error:
            log.info("the sizes of records are not known", error=error.text)
            self.record_bytes = {}
            return
        self.record_bytes = {each: size / offsets[each] for each, size in sizes.items() if each in offsets}


def _offsets_of_logs(facts: Iterable[GroupPartitionFacts]) -> Iterator[tuple[TopicPartition, int]]:
    for each in facts:
        log_range = each.remote_log
        if each.remote is not None and log_range is not None and log_range.end > log_range.start and rereads_of(each):
            yield each.remote, log_range.end - log_range.start
