"""A whole source task on clusters in memory: one partition's raw batches in, committed positions out."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from replication.codecs.position_records import read_position
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.internal_topics import POSITIONS
from replication.domain.plan.slot import ClusterClient, PlannedPartition, SlotSpec
from replication.memory.broker import MemoryCluster
from replication.memory.fetch import MemoryBatchFetcher
from replication.memory.partition_log import PartitionLog
from replication.ports.fetch.batch_fetcher import Fetched
from replication.tasks.source_task import SourceTask
from tests.support.engine.memory_ports import SYNCS_TOPIC, create_internal_topics, slot_ports
from tests.support.engine.virtual_loop import VirtualLoop

ORDERS = TopicPartition("orders", 0)
REMOTE_TOPIC = "a.orders"
LIMIT_S = 2_000  # on the virtual clock
ROUND_TRIP_S = 0.001


class WatchedFetcher(MemoryBatchFetcher):
    """Calls `on_hand_over`, where set, as the last thing before it returns records, and fetches nothing afterwards.

    No cluster knows that moment. A further request would read the next batch, not the one that is watched.
    """

    on_hand_over: Callable[[], None] | None = None
    _has_handed_over = False

    def wants_any(self, node: int) -> bool:
        return not self._has_handed_over and super().wants_any(node)

    async def fetch(self, node: int, *, max_wait_ms: int, max_bytes: int, partition_max_bytes: int) -> Fetched:
        fetched = await super().fetch(
            node, max_wait_ms=max_wait_ms, max_bytes=max_bytes, partition_max_bytes=partition_max_bytes
        )
        if self.on_hand_over is not None and fetched.frame is not None:
            self._has_handed_over = True
            self.on_hand_over()
        return fetched


class SlotInMemory:
    """One partition under at least once; a batch that `store` adds to the source is committed soon after."""

    def __init__(self, **changes: Any) -> None:
        self.loop = VirtualLoop()
        self.source, self.target = MemoryCluster("a"), MemoryCluster("b")
        self.fetcher = WatchedFetcher(self.loop, self.source)
        create_internal_topics(self.source, self.target)
        topic_id = self.source.create(ORDERS.topic).topic_id
        self.target.create(REMOTE_TOPIC)
        spec = SlotSpec(
            flow=FlowId("a", "b"),
            slot=0,
            generation=1,
            plan_version=1,
            source=ClusterClient(alias="a", bootstrap=("a:1",)),
            target=ClusterClient(alias="b", bootstrap=("b:1",)),
            partitions=(PlannedPartition(upstream=ORDERS, remote_topic=REMOTE_TOPIC, topic_id=topic_id),),
            offset_syncs_topic=SYNCS_TOPIC,
        )
        self.spec = replace(spec, **changes)
        self._read_state: tuple[object, ...] = ()  # of the log of positions, which is read again when it changes
        self._read_position = -1
        self._start(self.fetcher)

    def _start(self, fetcher: MemoryBatchFetcher) -> None:
        ports = replace(slot_ports(self.loop, self.source, self.target, ROUND_TRIP_S), fetcher=fetcher)
        self.task = SourceTask(self.spec, ports, driver="d", boot="b")
        self._running = self.loop.spawn(self.task.run())

    def restart(self, **changes: Any) -> None:
        """Start the slot again after `close`, with other settings where there are any."""
        self.spec = replace(self.spec, **changes)
        self._start(MemoryBatchFetcher(self.loop, self.source))

    def plan(self, *partitions: PlannedPartition) -> None:
        """Give the running slot a newer plan."""
        self.change(partitions=partitions)

    def change(self, **changes: Any) -> None:
        """Give the running slot a newer plan, or other orders."""
        self.spec = replace(self.spec, **changes, plan_version=self.spec.plan_version + 1)
        self.task.update(self.spec)

    def store(self, *batches: bytes | bytearray) -> None:
        """Append batches to the source's log."""
        for batch in batches:
            stored = self.source.topics[ORDERS.topic].append(ORDERS.partition, bytes(batch))
            assert stored.error_code == 0

    @property
    def committed_to(self) -> int:
        """The committed position as a reader of the target finds it; -1 when there is none."""
        log = self.target.log(POSITIONS.name("a"))
        if (state := (log, log.start, log.end, log.last_stable_offset)) != self._read_state:
            self._read_state, self._read_position = state, self._read_committed(log)
        return self._read_position

    def _read_committed(self, log: PartitionLog) -> int:
        found = -1
        for record in log.records(committed=True):
            read = read_position(record, "a")
            if read is not None and read[1] is not None:
                found = read[1].next_offset
        return found

    def values(self, topic: str = REMOTE_TOPIC) -> list[bytes | None]:
        """The committed values in a topic of the target."""
        return [record.value for record in self.target.log(topic).records(committed=True)]

    def run_until(self, reached: Callable[[], bool]) -> None:
        """Until this holds; raises what made the task fail."""

        def done() -> bool:
            if self._running.error is not None:
                raise self._running.error
            return reached()

        self.loop.run_until(done, limit_s=LIMIT_S)

    def run_until_committed(self, next_offset: int) -> None:
        """Until the target has this position; raises what made the task fail."""
        self.run_until(lambda: self.committed_to >= next_offset)

    def close(self) -> None:
        """Stop the task, and wait for its end."""
        self.task.stop()
        self.loop.run_until(lambda: self._running.done)
