"""Checkpoint tasks over clusters in memory, in which each ordered group has committed offset 3 of 10."""

from replication.codecs.offset_runs import encode_key, encode_value
from replication.domain.batches.record import Record
from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import OFFSET_RUNS, POSITIONS
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.memory.broker import MemoryCluster
from replication.tasks.groups.checkpoint_order import CheckpointOrder
from replication.tasks.groups.checkpoint_task import CheckpointTask
from replication.tasks.groups.round_report import RoundReport, TaskRun
from replication.wire.batches.record_codec import build_batch
from replication.worker.jobs.task_group import CheckpointSlotOrder
from tests.support.groups.memory_ports import memory_ports

RECORDS, COMMITTED = 10, 3


class CommittingTask:
    """A checkpoint task; a group of its order commits when it is ordered."""

    def __init__(self, source: MemoryCluster, order: CheckpointOrder, task: CheckpointTask) -> None:
        self._source = source
        self._task = task
        self._commit(order)

    def apply_order(self, order: CheckpointOrder) -> None:
        self._commit(order)
        self._task.apply_order(order)

    def next_ms(self, now_ms: int) -> int:
        return self._task.next_ms(now_ms)

    def run_once(self, now_ms: int) -> RoundReport:
        return self._task.run_once(now_ms)

    def close(self) -> None:
        self._task.close()

    def _commit(self, order: CheckpointOrder) -> None:
        for group in order.groups:
            self._source.group(group).commits[TopicPartition("orders", 0)] = Commit(COMMITTED)


def memory_checkpoints(order: CheckpointSlotOrder, driver: str, boot: str) -> CommittingTask:
    """A source whose alias begins with `dead` does not answer."""
    work = order.work()
    source, target = MemoryCluster(order.source.alias), MemoryCluster(order.target.alias)
    source.is_up = not source.alias.startswith("dead")
    remote = f"{source.alias}.orders"
    source.create("orders", partitions=12)
    target.create(remote, partitions=12)
    for name in (work.topic, OFFSET_RUNS.name(source.alias), POSITIONS.name(source.alias)):
        target.create(name)
    for cluster, topic in ((source, "orders"), (target, remote)):
        for _ in range(RECORDS):
            _append(cluster, topic, b"k", b"v")
    segment = RunSegment(topic="orders", partition=0, topic_id=bytes(16), runs=(OffsetRun(0, 0, RECORDS),))
    _append(target, OFFSET_RUNS.name(source.alias), encode_key(segment), encode_value(segment))
    ports = memory_ports(source, target, work)
    return CommittingTask(source, work, CheckpointTask(work, ports, TaskRun(driver=driver, boot=boot)))


def _append(cluster: MemoryCluster, topic: str, key: bytes, value: bytes) -> None:
    cluster.topics[topic].append(0, bytes(build_batch([Record(0, 1, key, value, ())])))
