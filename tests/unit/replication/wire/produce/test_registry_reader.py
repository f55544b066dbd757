"""The registry of producers is read once; later reads take only what is new."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from replication.codecs.producer_registry import encode_producer
from replication.domain.errors import ReplicationError, RetriableError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.ports.fetch.batch_fetcher import FetchedPartition
from replication.ports.fetch.metadata import TopicLeaders
from replication.wire.batches.record_codec import Record, build_batch
from replication.wire.fetch.fetch_request import FetchAnswer, FetchRequest
from replication.wire.fetch.log_reader import UNKNOWN_TOPIC
from replication.wire.produce.registry_reader import WireProducerRegistry
from tests.support.engine.virtual_loop import VirtualLoop


@dataclass
class Broker:
    """A source with a registry of one partition; each fetch brings one batch."""

    loop: VirtualLoop
    batches: list[bytes] = field(default_factory=list)
    is_there: bool = True
    is_away: bool = False
    opened: int = 0
    closed: int = 0
    fetched: list[int] = field(default_factory=list)  # offsets
    alias: str = "a"

    def write(self, key: bytes | None, value: bytes | None) -> None:
        data = build_batch([Record(0, 1, key, value, [])])
        data[0:8] = len(self.batches).to_bytes(8, "big")
        self.batches.append(bytes(data))

    def register(self, producer_id: int) -> None:
        entry = RegisteredProducer(producer_id=producer_id, source="b", target="a", slot=0, since_ms=1)
        self.write(*encode_producer(entry))

    async def open(self) -> None:
        self.opened += 1

    def close(self) -> None:
        self.closed += 1

    async def describe(self, topics: list[str]) -> dict[str, TopicLeaders]:
        error = None if self.is_there else UNKNOWN_TOPIC
        return {PRODUCERS_TOPIC: TopicLeaders(PRODUCERS_TOPIC, bytes([1] * 16), {0: 1}, error)}

    async def offsets(self, at: Mapping[TopicPartition, str]) -> dict[TopicPartition, int]:
        return {each: 0 if wanted == "earliest" else len(self.batches) for each, wanted in at.items()}

    async def send(self, request: FetchRequest, node: int, *, doing: str) -> FetchAnswer:
        await self.loop.sleep(0.01)
        if self.is_away:
            raise RetriableError("no leader")
        (wanted,) = cast("Any", request)._call.wanted
        self.fetched.append(wanted.offset)
        end = len(self.batches)
        part = FetchedPartition(
            PRODUCERS_TOPIC, bytes(16), 0, 0, end, end, 0, (), -1, None, memoryview(self.batches[wanted.offset])
        )
        return FetchAnswer(throttle_time_ms=0, error_code=0, session_id=0, partitions=[part], frame=None)

    def check(self, code: int, doing: str) -> None:
        assert code == 0


class Reads:
    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.broker = Broker(self.loop)
        self.registry = WireProducerRegistry(self.loop, cast("Any", self.broker))

    def read(self, times: int = 1) -> list[list[int]]:
        """The producer ids that each of some simultaneous reads finds."""
        found: list[Sequence[RegisteredProducer]] = []

        async def once() -> None:
            found.append(await self.registry.read())

        tasks = [self.loop.spawn(once()) for _ in range(times)]
        self.loop.run_until(lambda: all(task.done for task in tasks))
        for task in tasks:
            if task.error is not None:
                raise task.error
        return [[producer.producer_id for producer in each] for each in found]


@pytest.fixture
def reads() -> Reads:
    made = Reads()
    made.broker.register(70)
    made.broker.register(71)
    return made


def test_the_next_read_knows_all_and_takes_only_what_is_new(reads: Reads) -> None:
    assert reads.read() == [[70, 71]]
    assert reads.read() == [[70, 71]]
    reads.broker.register(72)

    assert reads.read() == [[70, 71, 72]]
    assert (reads.broker.fetched, reads.broker.opened) == ([0, 1, 2], 1)


def test_reads_at_the_same_time_take_each_entry_once(reads: Reads) -> None:
    assert reads.read(times=3) == [[70, 71]] * 3
    assert (reads.broker.fetched, reads.broker.opened) == ([0, 1], 1)


def test_a_read_that_failed_continues_and_lets_others_continue(reads: Reads) -> None:
    reads.broker.is_away = True
    with pytest.raises(ReplicationError):
        reads.read(times=2)
    reads.broker.is_away = False

    assert reads.read() == [[70, 71]]


def test_removed_and_unreadable_entries_belong_to_no_flow(reads: Reads) -> None:
    reads.read()
    reads.broker.write(b"70", None)
    reads.broker.write(b"73", b"no json")

    assert reads.read() == [[71]]


def test_a_registry_that_is_gone_is_forgotten(reads: Reads) -> None:
    reads.read()
    reads.broker.is_there = False

    assert reads.read() == [[]]


@pytest.mark.parametrize(("shares_link", "reads", "closed"), [(False, 1, 1), (False, 0, 0), (True, 1, 0)])
def test_only_a_link_that_it_opened_is_closed(shares_link: bool, reads: int, closed: int) -> None:
    loop = VirtualLoop()
    broker = Broker(loop)
    registry = WireProducerRegistry(cast("Any", loop), cast("Any", broker), shares_link=shares_link)

    async def each() -> None:
        for _ in range(reads):
            await registry.read()

    done = loop.spawn(each())
    loop.run_until(lambda: done.done)
    registry.close()

    assert (broker.opened, broker.closed) == (0 if shares_link else reads, closed)
