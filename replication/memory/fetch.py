"""BatchFetcher in memory."""

from collections import defaultdict

from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.domain.settings.choices import IsolationLevel
from replication.memory.broker import MemoryCluster
from replication.ports.fetch.batch_fetcher import Fetched, FetchedPartition, FetchPosition
from replication.ports.loop import Loop

POLL_S = 0.005  # a broker wakes a waiting fetch when records arrive; this fetch polls
_PartitionKey = tuple[str, bytes, int]


class MemoryFrame:
    """The bytes of one answer; `references` shows who still holds them."""

    def __init__(self) -> None:
        self.references = 1

    def retain(self) -> None:
        self.references += 1

    def release(self) -> None:
        self.references -= 1


class MemoryBatchFetcher:
    """The `BatchFetcher` of one slot on a cluster in memory."""

    def __init__(self, loop: Loop, cluster: MemoryCluster, isolation: IsolationLevel = "read_uncommitted") -> None:
        self._loop = loop
        self._cluster = cluster
        self._committed = isolation == "read_committed"
        self._wanted: dict[int, dict[_PartitionKey, FetchPosition]] = defaultdict(dict)

    def want(self, node: int, position: FetchPosition) -> None:
        key = position.topic, position.topic_id, position.partition
        self._wanted[node].pop(key, None)  # as in a broker's session, what has just been read comes last
        self._wanted[node][key] = position

    def forget(self, node: int, topic: str, topic_id: bytes, partition: int) -> None:
        self._wanted[node].pop((topic, topic_id, partition), None)

    def wants_any(self, node: int) -> bool:
        return bool(self._wanted[node])

    def has_room(self, node: int) -> bool:
        return True

    def claim_room(self, node: int) -> bool:
        return True

    def avoid_followers(self) -> None:
        """Nothing to do: the cluster has none."""

    async def fetch(self, node: int, *, max_wait_ms: int, max_bytes: int, partition_max_bytes: int) -> Fetched:
        until_s = self._loop.monotonic_s() + max_wait_ms / 1000
        while True:
            await self._loop.sleep(0)
            self._cluster.check()
            found = self._answer(node, max_bytes, partition_max_bytes)
            left_s = until_s - self._loop.monotonic_s()
            if found or left_s <= 0:
                break
            await self._loop.sleep(min(POLL_S, left_s))
        if not any(part.records for part in found):
            return Fetched(found, None)
        return Fetched(found, MemoryFrame())

    def _answer(self, node: int, max_bytes: int, partition_max_bytes: int) -> list[FetchedPartition]:
        """The partitions with records or an error, as an incremental session names them."""
        found: list[FetchedPartition] = []
        left = max_bytes
        for position in self._wanted[node].values():
            if left <= 0:
                break
            part = self._fetched(node, position, min(left, partition_max_bytes, position.most_bytes or left))
            if part.records or part.error_code or part.diverging is not None:
                left -= len(part.records or b"")
                found.append(part)
        return found

    def _fetched(self, node: int, position: FetchPosition, max_bytes: int) -> FetchedPartition:
        place = TopicPartition(position.topic, position.partition)
        log = self._cluster.find(place)
        code = self._error(node, position, place)
        if log is None or code:
            return _failed(position, code)
        diverging = log.diverging(position.last_epoch, position.offset)
        end = log.last_stable_offset if self._committed else log.end
        records = None
        if diverging is None and position.offset < end:
            records = memoryview(log.read(position.offset, committed=self._committed, max_bytes=max_bytes))
        return FetchedPartition(
            topic=position.topic,
            topic_id=position.topic_id,
            partition=position.partition,
            error_code=0,
            high_watermark=log.end,
            last_stable_offset=log.last_stable_offset,
            log_start_offset=log.start,
            aborted=log.aborted_from(position.offset) if self._committed else (),
            preferred_replica=-1,
            diverging=diverging,
            records=records,
        )

    def _error(self, node: int, position: FetchPosition, place: TopicPartition) -> int:
        faults = self._cluster.fetch_faults.get(place)
        if faults:
            return faults.popleft()
        topic, log = self._cluster.topics.get(position.topic), self._cluster.find(place)
        if position.topic_id != NO_TOPIC_ID and (topic is None or topic.topic_id != position.topic_id):
            return Code.UNKNOWN_TOPIC_ID
        if log is None:
            return Code.UNKNOWN_TOPIC_OR_PARTITION
        if log.leader != node:
            return Code.NOT_LEADER_OR_FOLLOWER
        is_unknown = position.last_epoch >= 0 and not log.epoch_end(position.last_epoch).is_known
        is_outside = not log.start <= position.offset <= log.end
        is_diverging = log.diverging(position.last_epoch, position.offset) is not None
        return Code.OFFSET_OUT_OF_RANGE if is_unknown or (is_outside and not is_diverging) else 0


def _failed(position: FetchPosition, code: int) -> FetchedPartition:
    topic_id = position.topic_id
    return FetchedPartition(position.topic, topic_id, position.partition, code, -1, -1, -1, (), -1, None, None)
