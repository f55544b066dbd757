"""Reads a small topic of ours in the target to its end, committed records only, over raw fetches."""

from collections import defaultdict
from collections.abc import Callable

from replication.codecs.record_batch import batches, is_abort_marker
from replication.domain.batch import AbortedTransactions
from replication.domain.errors import RequestTimedOutError, RetriableError
from replication.domain.identifiers import TopicPartition
from replication.domain.positions import NO_TOPIC_ID
from replication.ports.source_reader import FetchedPartition, FetchPosition
from replication.wire.cluster_link import ClusterLink
from replication.wire.fetch import FetchAnswer, FetchCall, FetchRequest
from replication.wire.loop import EngineLoop
from replication.wire.record_codec import Record, decode_records

READ_PATIENCE_S = 90.0
MAX_WAIT_MS = 200
MAX_BYTES = 4 * 1024 * 1024
_SESSIONLESS_EPOCH = -1
UNKNOWN_TOPIC = "UNKNOWN_TOPIC_OR_PARTITION"


class LogReader:
    """One read of one topic; what becomes of each record is told by `take`, in order within a partition."""

    def __init__(self, loop: EngineLoop, link: ClusterLink, topic: str, take: Callable[[Record], None]) -> None:
        self._loop = loop
        self._link = link
        self._topic = topic
        self._take_record = take
        self._next: dict[int, int] = {}
        self._ends: dict[int, int] = {}

    async def read(self) -> None:
        """Up to the high watermark as of now; an open transaction is waited for. A missing topic is an empty one."""
        described = (await self._link.describe([self._topic]))[self._topic]
        if described.error == UNKNOWN_TOPIC:
            return
        leaders = described.leaders
        partitions = [TopicPartition(self._topic, number) for number in leaders]
        starts = await self._link.offsets(dict.fromkeys(partitions, "earliest"), "read_uncommitted")
        ends = await self._link.offsets(dict.fromkeys(partitions, "latest"), "read_uncommitted")
        whole = bool(partitions) and len(starts) == len(ends) == len(partitions)
        if described.error is not None or not whole:
            # a position passed over would mean copying anew, or worse, skipping: wait until all can be read
            raise RetriableError(
                f"cluster {self._link.alias}: {self._topic} cannot be read whole now "
                f"({described.error or 'a partition has no leader'})",
                cluster=self._link.alias,
                topic=self._topic,
            )
        self._next = {partition.partition: offset for partition, offset in starts.items()}
        self._ends = {partition.partition: offset for partition, offset in ends.items()}
        deadline = self._loop.monotonic_s() + READ_PATIENCE_S
        while unread := [number for number, end in self._ends.items() if self._next.get(number, 0) < end]:
            if self._loop.monotonic_s() > deadline:
                raise RequestTimedOutError(
                    f"cluster {self._link.alias}: {self._topic} could not be read to its end in "
                    f"{READ_PATIENCE_S:.0f} s (partitions {unread}); a transaction may hang there",
                    cluster=self._link.alias,
                    topic=self._topic,
                )
            by_leader: dict[int, list[int]] = defaultdict(list)
            for number in unread:
                by_leader[leaders[number]].append(number)
            for leader, numbers in by_leader.items():
                await self._fetch(leader, numbers)

    async def _fetch(self, leader: int, numbers: list[int]) -> None:
        wanted = [FetchPosition(self._topic, NO_TOPIC_ID, number, self._next[number], -1) for number in numbers]
        call = FetchCall(
            by_id=False,
            max_wait_ms=MAX_WAIT_MS,
            min_bytes=1,
            max_bytes=MAX_BYTES,
            isolation=1,
            session_id=0,
            session_epoch=_SESSIONLESS_EPOCH,
            wanted=wanted,
            forgotten=(),
            partition_max_bytes=MAX_BYTES,
        )
        answer: FetchAnswer = await self._link.send(FetchRequest(call, {}), leader, doing=f"reading {self._topic}")
        try:
            self._link.check(answer.error_code, f"reading {self._topic}")
            for partition in answer.partitions:
                self._link.check(partition.error_code, f"reading {self._topic}-{partition.partition}")
                self._take(partition)
        finally:
            if answer.frame is not None:
                answer.frame.release()

    def _take(self, fetched: FetchedPartition) -> None:
        if fetched.records is None:
            return
        aborted = AbortedTransactions(fetched.aborted)
        for at, header in batches(fetched.records):
            dropped = aborted.covers(header)
            if header.is_control:
                if is_abort_marker(fetched.records, at, header):
                    aborted.abort_marker(header.producer_id)
            elif not dropped:
                for record in decode_records(fetched.records[at : at + header.size_bytes]):
                    self._take_record(record)
            self._next[fetched.partition] = header.next_offset
