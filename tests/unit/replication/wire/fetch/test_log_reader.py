"""Internal topics are read to their end, and the next read continues from there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from replication.codecs.position_records import position_records, read_position
from replication.domain.errors import RequestTimedOutError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position
from replication.ports.fetch.batch_fetcher import FetchedPartition
from replication.ports.fetch.metadata import TopicLeaders
from replication.wire.batches.record_codec import build_batch
from replication.wire.fetch.fetch_request import FetchAnswer, FetchRequest
from replication.wire.fetch.log_reader import PROGRESS_PATIENCE_S
from replication.wire.offsets.position_store import PositionsReader
from tests.support.engine.virtual_loop import VirtualLoop

TOPIC = "mm2-offsets.a.internal"
ORDERS = TopicPartition("orders", 0)


@dataclass
class Broker:
    """A target with one partition of positions; each fetch brings one batch and takes its time."""

    loop: VirtualLoop
    fetch_s: float = 0.01
    topic_id: bytes = bytes([1] * 16)
    batches: list[bytes] = field(default_factory=list)
    readable: int | None = None  # behind it a transaction is open
    fetches: int = 0
    alias: str = "b"

    def commit(self, next_offset: int, upstream: TopicPartition = ORDERS) -> None:
        (records,) = position_records("a", {upstream: Position(next_offset=next_offset)}, 1, 1).values()
        data = build_batch(records)
        data[0:8] = len(self.batches).to_bytes(8, "big")
        self.batches.append(bytes(data))

    async def describe(self, topics: list[str]) -> dict[str, TopicLeaders]:
        return {TOPIC: TopicLeaders(TOPIC, self.topic_id, {0: 1}, None)}

    async def offsets(self, at: Mapping[TopicPartition, str]) -> dict[TopicPartition, int]:
        return {each: 0 if wanted == "earliest" else len(self.batches) for each, wanted in at.items()}

    async def send(self, request: FetchRequest, node: int, *, doing: str) -> FetchAnswer:
        await self.loop.sleep(self.fetch_s)
        self.fetches += 1
        (wanted,) = cast("Any", request)._call.wanted
        end = len(self.batches) if self.readable is None else self.readable
        records = memoryview(self.batches[wanted.offset]) if wanted.offset < end else None
        part = FetchedPartition(TOPIC, self.topic_id, 0, 0, end, end, 0, (), -1, None, records)
        return FetchAnswer(throttle_time_ms=0, error_code=0, session_id=0, partitions=[part], frame=None)

    def check(self, code: int, doing: str) -> None:
        assert code == 0


@dataclass
class Reads:
    broker: Broker
    reader: PositionsReader

    def read(self, within_s: float = 10_000) -> dict[TopicPartition, int]:
        found: list[dict[TopicPartition, Position]] = []

        async def once() -> None:
            found.append(await self.reader.read())

        task = self.broker.loop.spawn(once())
        self.broker.loop.run_until(lambda: task.done, within_s)
        if task.error is not None:
            raise task.error
        return {upstream: position.next_offset for upstream, position in found[0].items()}


@pytest.fixture
def reads() -> Reads:
    loop = VirtualLoop()
    broker = Broker(loop)
    return Reads(broker, PositionsReader(cast("Any", loop), cast("Any", broker), TOPIC, "a"))


def test_a_long_topic_is_read_to_its_end_as_long_as_something_comes(reads: Reads) -> None:
    reads.broker.fetch_s = PROGRESS_PATIENCE_S / 3
    for number in range(12):
        reads.broker.commit(number)

    assert reads.read() == {ORDERS: 11}


def test_an_open_transaction_is_not_waited_for_without_end(reads: Reads) -> None:
    reads.broker.commit(1)
    reads.broker.readable = 0

    with pytest.raises(RequestTimedOutError, match="a transaction may hang"):
        reads.read(2 * PROGRESS_PATIENCE_S)


def test_a_read_that_failed_continues_where_it_ended(reads: Reads) -> None:
    for number in range(5):
        reads.broker.commit(number)
    reads.broker.readable = 4
    with pytest.raises(RequestTimedOutError):
        reads.read()
    reads.broker.readable, reads.broker.fetches = None, 0

    assert reads.read() == {ORDERS: 4}
    assert reads.broker.fetches == 1


def test_the_next_read_takes_only_what_is_new(reads: Reads) -> None:
    reads.broker.commit(1)
    reads.broker.commit(7, TopicPartition("orders", 1))
    reads.read()
    reads.broker.fetches = 0
    reads.broker.commit(2)

    assert reads.read() == {ORDERS: 2, TopicPartition("orders", 1): 7}
    assert reads.broker.fetches == 1


@pytest.mark.parametrize("commits", [1, 3], ids=["shorter", "as long as before"])
def test_nothing_of_a_topic_that_was_re_created_is_kept(reads: Reads, commits: int) -> None:
    for number in range(3):
        reads.broker.commit(number)
    reads.read()
    reads.broker.topic_id = bytes([2] * 16)
    reads.broker.batches.clear()
    for number in range(commits):
        reads.broker.commit(number, TopicPartition("others", 0))

    assert reads.read() == {TopicPartition("others", 0): commits - 1}


def test_only_the_last_record_of_a_partition_is_understood(reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
    understood: list[int] = []

    def counting(record: Any, source: str) -> Any:
        understood.append(record.offset)
        return read_position(record, source)

    monkeypatch.setattr("replication.wire.offsets.position_store.read_position", counting)
    for number in range(50):
        reads.broker.commit(number)

    assert reads.read() == {ORDERS: 49}
    assert understood == [49]
