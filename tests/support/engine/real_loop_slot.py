"""A source task on the loop of a data worker, between clusters in memory; the longest step of the loop is measured."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from replication.codecs.position_records import read_position
from replication.domain.batches.record_rules import RecordRules
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.internal_topics import POSITIONS
from replication.domain.plan.slot import ClusterClient, PlannedPartition, SlotSpec
from replication.memory.broker import MemoryCluster
from replication.tasks.source_task import SourceTask
from replication.wire.batches.record_path import WireRecordPath
from replication.wire.network.loop import EngineLoop
from tests.support.engine.memory_ports import SYNCS_TOPIC, create_internal_topics, slot_ports
from tests.support.eventually import eventually

ORDERS = TopicPartition("orders", 0)
REMOTE_TOPIC = "a.orders"
BEAT_S = 0.005
LONGEST_STEP_S = 1.0


class RealLoopSlot:
    """One partition of `orders`; `longest_step_s` is the longest time between two beats of the loop."""

    def __init__(self, loop: EngineLoop, rules: RecordRules | None, **changes: Any) -> None:
        self._loop = loop
        self.longest_step_s = 0.0
        self.source, self.target = MemoryCluster("a"), MemoryCluster("b")
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
        ports = replace(slot_ports(loop, self.source, self.target), record_path=WireRecordPath(rules))
        self.task = SourceTask(replace(spec, **changes), ports, driver="d", boot="b")
        self._ended = threading.Event()
        self._started_s = 0.0

    def start(self) -> None:
        self._started_s = time.monotonic()
        self._loop.call_threadsafe(self._spawn)

    def _spawn(self) -> None:
        self._loop.spawn(self._run())
        self._loop.spawn(self._beat())

    async def _run(self) -> None:
        try:
            await self.task.run()
        finally:
            self._ended.set()

    async def _beat(self) -> None:
        last_s = self._loop.monotonic_s()
        while not self._ended.is_set():
            await self._loop.sleep(BEAT_S)
            now_s = self._loop.monotonic_s()
            self.longest_step_s = max(self.longest_step_s, now_s - last_s)
            last_s = now_s

    @property
    def committed_to(self) -> int:
        """The committed position; -1 when there is none."""
        found = -1
        for record in self.target.log(POSITIONS.name("a")).records(committed=True):
            read = read_position(record, "a")
            if read is not None and read[1] is not None:
                found = read[1].next_offset
        return found

    def wait_until_committed(self, next_offset: int) -> None:
        eventually(lambda: self.committed_to >= next_offset or self._ended.is_set(), 200, "committed")
        assert not self._ended.is_set(), self.task.live

    @property
    def holds_the_loop(self) -> bool:
        """True if one step took a third of the time since the start: on a loaded machine both take longer."""
        return self.longest_step_s > max(LONGEST_STEP_S, (time.monotonic() - self._started_s) / 3)

    def stop(self) -> None:
        self._loop.call_threadsafe(self.task.stop)
        assert self._ended.wait(60)


@contextmanager
def real_loop_slot(rules: RecordRules | None = None, **changes: Any) -> Iterator[RealLoopSlot]:
    """A slot that runs once it is started, and is stopped at the end."""
    loop = EngineLoop("unit")
    loop.start()
    slot = RealLoopSlot(loop, rules, **changes)
    try:
        yield slot
        slot.stop()
    finally:
        loop.stop(5.0)
