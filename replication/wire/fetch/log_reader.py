"""Reads a small topic of ours in the target to its end, committed records only, over raw fetches."""

from collections import defaultdict
from collections.abc import Callable, Mapping

from replication.codecs.record_batch import batches, is_abort_marker
from replication.domain.batches.batch_decision import AbortedTransactions
from replication.domain.errors import RequestTimedOutError, RetriableError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.ports.fetch.batch_fetcher import FetchedPartition, FetchPosition
from replication.ports.loop import Loop
from replication.wire.batches.record_codec import Record, decode_records
from replication.wire.fetch.fetch_request import FetchAnswer, FetchCall, FetchRequest
from replication.wire.network.cluster_link import ClusterLink

PROGRESS_PATIENCE_S = 90.0  # a hung transaction is ended by its coordinator before that
LONG_STEP_S = 0.01  # after that others get the loop
MAX_WAIT_MS = 200
MAX_BYTES = 4 * 1024 * 1024
_SESSIONLESS_EPOCH = -1
UNKNOWN_TOPIC = KafkaErrorCode.UNKNOWN_TOPIC_OR_PARTITION.name


class LogReader:
    """Reads of one topic; each record is passed to `on_record`, in order within a partition.

    A topic may hold hours of commits: `on_record` should be cheap, and others get the loop in between.
    """

    def __init__(
        self,
        loop: Loop,
        link: ClusterLink,
        topic: str,
        on_record: Callable[[Record], None],
        on_reset: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_reset` is called when what was taken before belonged to another topic of the same name."""
        self._loop = loop
        self._link = link
        self._topic = topic
        self._on_record = on_record
        self._on_reset = on_reset
        self._topic_id = NO_TOPIC_ID
        self._next: dict[int, int] = {}

    async def read(self) -> None:
        """Up to the high watermark as of now; an open transaction is waited for. A missing topic is an empty one.

        Continues where the read before ended. Raises RequestTimedOutError when for a while nothing comes at all,
        however long the whole takes.
        """
        described = (await self._link.describe([self._topic]))[self._topic]
        if described.error == UNKNOWN_TOPIC:
            self._forget()
            return
        leaders = described.leaders
        partitions = [TopicPartition(self._topic, number) for number in leaders]
        starts = await self._link.offsets(dict.fromkeys(partitions, "earliest"))
        ends = await self._link.offsets(dict.fromkeys(partitions, "latest"))
        whole = bool(partitions) and len(starts) == len(ends) == len(partitions)
        if described.error is not None or not whole:
            # a position passed over would mean copying twice, or worse, skipping: wait until all can be read
            raise RetriableError(
                f"cluster {self._link.alias}: {self._topic} cannot be read whole now "
                f"({described.error or 'a partition has no leader'})",
                cluster=self._link.alias,
                topic=self._topic,
            )
        self._continue_from(
            described.topic_id,
            {partition.partition: offset for partition, offset in starts.items()},
            {partition.partition: offset for partition, offset in ends.items()},
        )
        await self._read_to({partition.partition: offset for partition, offset in ends.items()}, leaders)

    def _continue_from(self, topic_id: bytes, starts: Mapping[int, int], ends: Mapping[int, int]) -> None:
        """Continue where the read before ended, unless that was another topic."""
        is_shorter = any(ends.get(number, 0) < offset for number, offset in self._next.items())
        if topic_id != self._topic_id or is_shorter:
            self._forget()
        self._topic_id = topic_id
        self._next = {number: max(start, self._next.get(number, 0)) for number, start in starts.items()}

    def _forget(self) -> None:
        self._topic_id = NO_TOPIC_ID
        if self._next:
            self._next = {}
            self._on_reset()

    async def _read_to(self, ends: Mapping[int, int], leaders: Mapping[int, int]) -> None:
        deadline = self._loop.monotonic_s() + PROGRESS_PATIENCE_S
        while unread := [number for number, end in ends.items() if self._next.get(number, 0) < end]:
            if self._loop.monotonic_s() > deadline:
                raise RequestTimedOutError(
                    f"cluster {self._link.alias}: {self._topic} could not be read to its end: nothing came for "
                    f"{PROGRESS_PATIENCE_S:.0f} s (partitions {unread}); a transaction may hang there",
                    cluster=self._link.alias,
                    topic=self._topic,
                )
            by_leader: dict[int, list[int]] = defaultdict(list)
            for number in unread:
                by_leader[leaders[number]].append(number)
            before = sum(self._next.values())
            for leader, numbers in by_leader.items():
                await self._fetch(leader, numbers)
            if sum(self._next.values()) > before:
                deadline = self._loop.monotonic_s() + PROGRESS_PATIENCE_S

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
                await self._read_records(partition)
        finally:
            if answer.frame is not None:
                answer.frame.release()

    async def _read_records(self, fetched: FetchedPartition) -> None:
        if fetched.records is None:
            return
        aborted = AbortedTransactions(fetched.aborted)
        since_s = self._loop.monotonic_s()
        for at, header in batches(fetched.records):
            dropped = aborted.covers(header)
            if header.is_control:
                if is_abort_marker(fetched.records, at, header):
                    aborted.abort_marker(header.producer_id)
            elif not dropped:
                for record in decode_records(fetched.records[at : at + header.size_bytes]):
                    self._on_record(record)
            self._next[fetched.partition] = header.next_offset
            if self._loop.monotonic_s() - since_s > LONG_STEP_S:
                await self._loop.sleep(0)
                since_s = self._loop.monotonic_s()
