"""Positions of one flow as records in the target: the newest of each partition counts."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from replication.codecs.position_records import position_records
from replication.domain.errors import ClusterUnreachableError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position
from replication.wire.batches.record_codec import Record
from replication.wire.offsets.position_store import PositionsReader, WirePositionStore
from tests.support.engine.virtual_loop import VirtualLoop

TOPIC = "mm2-offsets.east.internal"
ORDERS, PAYMENTS = TopicPartition("orders", 0), TopicPartition("payments", 1)


class Target:
    """The link and the transactions of a slot."""

    alias = "west"

    def __init__(self) -> None:
        self.asked_leaders = 0
        self.written: list[tuple[str, bool, dict[int, int]]] = []
        self.failure: Exception | None = None

    async def leaders(self, topic: str) -> Mapping[int, int]:
        self.asked_leaders += 1
        return dict.fromkeys(range(3), 1)

    async def write(self, topic: str, records: Mapping[int, Sequence[Record]], leaders: Mapping[int, int]) -> None:
        self._note(topic, records, is_transactional=True)

    async def write_outside_transaction(
        self, topic: str, records: Mapping[int, Sequence[Record]], leaders: Mapping[int, int]
    ) -> None:
        self._note(topic, records, is_transactional=False)

    def _note(self, topic: str, records: Mapping[int, Sequence[Record]], *, is_transactional: bool) -> None:
        if self.failure is not None:
            raise self.failure
        self.written.append((topic, is_transactional, {number: len(each) for number, each in records.items()}))


class StoredLog:
    """Brings what was stored since the last read."""

    def __init__(self, reader: PositionsReader) -> None:
        self._reader = reader
        self.records: list[Record] = []

    async def read(self) -> None:
        for record in self.records:
            self._reader._keep_newest(record)
        self.records = []


def run(coroutine: Any) -> Any:
    loop, found = VirtualLoop(), list[Any]()

    async def keep() -> None:
        found.append(await coroutine)

    done = loop.spawn(keep())
    loop.run_until(lambda: done.done)
    if done.error is not None:
        raise done.error
    return found[0]


def stored(source: str, positions: Mapping[TopicPartition, Position]) -> list[Record]:
    return [record for records in position_records(source, positions, 1, 1).values() for record in records]


def a_store() -> tuple[WirePositionStore, Target]:
    target = Target()
    return WirePositionStore(cast("Any", VirtualLoop()), cast("Any", target), cast("Any", target)), target


def test_the_newest_position_of_each_partition_is_read() -> None:
    reader = PositionsReader(cast("Any", VirtualLoop()), cast("Any", Target()), TOPIC, "east")
    log = StoredLog(reader)
    reader._log = cast("Any", log)
    log.records = [
        *stored("east", {ORDERS: Position(next_offset=1), PAYMENTS: Position(next_offset=7)}),
        *stored("another", {TopicPartition("other", 0): Position(next_offset=9)}),
        *stored("east", {ORDERS: Position(next_offset=5)}),
    ]

    found = run(reader.read())
    assert {place: position.next_offset for place, position in found.items()} == {ORDERS: 5, PAYMENTS: 7}

    [tombstone] = [record._replace(value=None) for record in stored("east", {ORDERS: Position(next_offset=5)})]
    log.records = [tombstone]
    assert set(run(reader.read())) == {PAYMENTS}


@pytest.mark.parametrize("transactional", [True, False])
def test_positions_are_written_in_the_transaction_or_plainly(transactional: bool) -> None:
    store, target = a_store()

    for _ in range(2):
        run(store.commit(TOPIC, "east", {ORDERS: Position(next_offset=1)}, transactional=transactional))

    assert [(topic, way, sum(records.values())) for topic, way, records in target.written] == [
        (TOPIC, transactional, 1)
    ] * 2
    assert target.asked_leaders == 1


def test_after_a_failed_write_leaders_are_asked_again() -> None:
    store, target = a_store()
    target.failure = ClusterUnreachableError("away")
    with pytest.raises(ClusterUnreachableError):
        run(store.commit(TOPIC, "east", {ORDERS: Position(next_offset=1)}, transactional=True))
    target.failure = None

    run(store.commit(TOPIC, "east", {ORDERS: Position(next_offset=1)}, transactional=True))

    assert target.asked_leaders == 2


def test_one_reader_serves_until_it_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    store, _target = a_store()
    readers: list[object] = []

    async def read(self: PositionsReader) -> dict[TopicPartition, Position]:
        readers.append(self)
        return {}

    monkeypatch.setattr(PositionsReader, "read", read)
    for _ in range(2):
        assert run(store.read(TOPIC, "east")) == {}
    store.forget()
    run(store.read(TOPIC, "east"))

    assert readers[0] is readers[1]
    assert readers[1] is not readers[2]
