"""A slot's context with nothing behind it but the record path, for tests of what becomes of fetched bytes."""

from collections.abc import Callable, Coroutine
from typing import Any, cast

import pytest
from crc32c import crc32c

from replication.domain.batches.record import Record
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.offsets.positions import Position
from replication.domain.plan.slot import ClusterClient, PlannedPartition, SlotSpec
from replication.domain.settings.record_settings import RecordSettings
from replication.ports.batches.record_path import RecordPath
from replication.ports.fetch.batch_fetcher import FetchedPartition
from replication.ports.loop import ResultT
from replication.tasks.batches.batch_intake import BatchIntake
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.wire.batches.record_codec import build_batch
from replication.wire.batches.record_path import WireRecordPath

TOPIC_ID = bytes([1] * 16)
ORDERS = TopicPartition("orders", 0)
NOW_MS = 1_700_000_000_000


class BarePorts:
    """Only what intake and loops use; anything else is a mistake of the test."""

    def __init__(self, **ports: Any) -> None:
        self.__dict__.update(ports)


def finish(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that never waits to its end."""
    with pytest.raises(StopIteration):
        coroutine.send(None)


def queue(intake: BatchIntake, copy: PartitionCopy, answer: FetchedPartition) -> None:
    """Let the intake queue an answer that the partition still wants."""
    finish(intake.queue_batches(copy, answer, None, NOW_MS, lambda: True, lambda: None))


class BareLoop:
    """Each look at its clock takes a second: nothing under test sleeps, so a virtual clock would not move."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def signal(self) -> None:
        """Nothing waits for one."""

    def now_ms(self) -> int:
        return NOW_MS

    def cpu_s(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        """Nothing else runs."""

    async def run_aside(self, work: Callable[[], ResultT]) -> ResultT:
        return work()

    def monotonic_s(self) -> float:
        self._now_s += 1.0
        return self._now_s


def context(
    settings: RecordSettings | None = None,
    *,
    path: RecordPath | None = None,
    appender: Any = None,
    producers: Any = None,
) -> SlotContext:
    spec = SlotSpec(
        flow=FlowId("a", "b"),
        slot=0,
        generation=1,
        plan_version=1,
        source=ClusterClient(alias="a", bootstrap=("a:1",)),
        target=ClusterClient(alias="b", bootstrap=("b:1",)),
        partitions=(),
        offset_syncs_topic="syncs",
        records=settings or RecordSettings(rebatching="off"),
    )
    bare = BarePorts(loop=BareLoop(), record_path=path or WireRecordPath(), records=appender, producers=producers)
    return SlotContext(
        spec=spec,
        ports=cast("Any", bare),
        driver="d",
        boot="b",
    )


def a_copy(position: int = 0, **planned: Any) -> PartitionCopy:
    partition = PlannedPartition(upstream=ORDERS, remote_topic="a.orders", topic_id=TOPIC_ID, **planned)
    return PartitionCopy(partition, Position(next_offset=position, topic_id=TOPIC_ID), offset_lag_max=100)


def stored(first: int, count: int, *, producer_id: int = -1, codec: int = 0, attributes: int = 0) -> bytearray:
    """A batch as a broker stores it."""
    records = [Record(0, NOW_MS + number, b"k", b"value %d" % (first + number), []) for number in range(count)]
    data = build_batch(records, codec=codec, producer_id=producer_id, producer_epoch=0, base_sequence=0)
    data[0:8] = first.to_bytes(8, "big")
    if attributes:
        data[22] |= attributes
        _sign(data)
    return data


def marker(offset: int, producer_id: int, *, commit: bool) -> bytearray:
    """A control batch."""
    record = Record(0, NOW_MS, b"\0\0" + int(commit).to_bytes(2, "big"), b"\0\0\0\0\0\0", [])
    data = build_batch([record], transactional=True, producer_id=producer_id, producer_epoch=0, base_sequence=-1)
    data[0:8] = offset.to_bytes(8, "big")
    data[22] |= 0x20
    _sign(data)
    return data


def fetched(*batches: bytes | bytearray, aborted: tuple[tuple[int, int], ...] = ()) -> FetchedPartition:
    view = memoryview(bytearray(b"".join(batches)))
    return FetchedPartition("orders", TOPIC_ID, 0, 0, 1_000, 1_000, 0, aborted, -1, None, view)


def _sign(data: bytearray) -> None:
    data[17:21] = crc32c(memoryview(data)[21:]).to_bytes(4, "big")
