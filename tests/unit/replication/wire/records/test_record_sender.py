"""Records of many producers share requests, keep their order, and are written once though a batch is sent twice."""

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from replication.codecs.record_batch import batches
from replication.domain.errors import AuthenticationError, ReplicationError, TopicMissingError
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.plan.slot import ClusterClient
from replication.ports.fetch.metadata import TopicLeaders
from replication.ports.produce.batch_producer import OutgoingBatch, ProduceResult
from replication.wire.batches.record_codec import decode_records
from replication.wire.network.loop import EngineLoop
from replication.wire.produce.produce_request import ProduceRequest
from replication.wire.records import record_sender
from replication.wire.records.queued_record import QueuedRecord
from replication.wire.records.record_sender import RecordSender
from tests.support.eventually import eventually


class Link:
    """A cluster whose topics all have two partitions, led by broker 1. `codes` are the next answers of partitions."""

    def __init__(self) -> None:
        self.requests: list[list[OutgoingBatch]] = []
        self.codes: list[Code] = []
        self.missing: set[str] = set()
        self.refusal: ReplicationError | None = None
        self.described = self.ids = 0

    async def open(self) -> None:
        if self.refusal is not None:
            raise self.refusal

    async def describe(self, topics: list[str]) -> dict[str, TopicLeaders]:
        self.described += 1
        return {
            topic: TopicLeaders(topic, bytes(16), {}, "UNKNOWN_TOPIC_OR_PARTITION")
            if topic in self.missing
            else TopicLeaders(topic, bytes(16), {0: 1, 1: 1}, None)
            for topic in topics
        }

    async def send(self, request: Any, node: int | None = None, **_: object) -> Any:
        if not isinstance(request, ProduceRequest):
            self.ids += 1
            return SimpleNamespace(error_code=0, producer_id=self.ids, producer_epoch=0)
        sent = list(request._batches)
        self.requests.append(sent)
        codes = [self.codes.pop(0) if self.codes else Code.NONE for _ in sent]
        results = [
            ProduceResult(each.topic, each.partition, code, 0, None) for each, code in zip(sent, codes, strict=True)
        ]
        return SimpleNamespace(results=results)

    def check(self, code: int, doing: str) -> None:
        assert code == 0

    def close(self) -> None:
        return


class Sending:
    def __init__(self, loop: EngineLoop) -> None:
        self.link = Link()
        self.sender = RecordSender(ClusterClient(alias="west", bootstrap=("west:1",)), loop)
        self.sender._link = self.link  # type: ignore[assignment]
        self.done: list[tuple[str, str | None]] = []

    def put(self, value: str, topic: str = "t", partition: int = 0, life_s: float = 10.0) -> None:
        def done(failure: ReplicationError | None) -> None:
            self.done.append((value, None if failure is None else type(failure).__name__))

        record = QueuedRecord(
            topic=topic,
            key=None,
            value=value.encode(),
            partition=partition,
            timestamp_ms=1,
            headers=(),
            done=done,
            until_s=time.monotonic() + life_s,
        )
        self.sender.put(record)

    def wait(self, count: int) -> list[tuple[str, str | None]]:
        eventually(lambda: len(self.done) >= count, 5.0, "all records are done")
        return self.done

    def values(self) -> list[list[str]]:
        """The values of each request, by batch."""
        return [
            ["+".join((record.value or b"").decode() for record in decode_records(batch.data)) for batch in request]
            for request in self.link.requests
        ]

    def identities(self) -> list[tuple[int, int]]:
        """The producer id and the first sequence of each batch."""
        headers = [
            header
            for request in self.link.requests
            for batch in request
            for _, header in batches(memoryview(batch.data))
        ]
        return [(header.producer_id, header.base_sequence) for header in headers]


@pytest.fixture
def sending(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sending]:
    monkeypatch.setattr(record_sender, "_RETRY_S", 0.01)
    monkeypatch.setattr(record_sender, "UNKNOWN_TOPIC_S", 0.05)
    loop = EngineLoop("test-records")
    loop.start()
    made = Sending(loop)
    yield made
    made.sender.close()
    loop.stop(2.0)


@pytest.fixture
def long_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all records that a test puts one after the other be of one moment, on a busy machine too."""
    monkeypatch.setattr(record_sender, "_GATHER_S", 0.2)


@pytest.mark.usefixtures("long_moment")
def test_records_of_a_moment_share_a_request_and_topics_are_described_once(sending: Sending) -> None:
    for value in ("a", "b"):
        sending.put(value)
    sending.put("c", partition=1)
    sending.wait(3)
    sending.put("d")

    assert sending.wait(4) == [("a", None), ("b", None), ("c", None), ("d", None)]
    assert sending.values() == [["a+b", "c"], ["d"]]
    assert sending.identities() == [(1, 0), (1, 0), (1, 2)]
    assert (sending.link.described, sending.link.ids) == (1, 1)


def test_a_batch_that_may_be_written_is_repeated_as_it_was(sending: Sending) -> None:
    sending.link.codes = [Code.NOT_LEADER_OR_FOLLOWER]
    sending.put("a")
    sending.wait(1)
    sending.put("b")

    assert sending.wait(2) == [("a", None), ("b", None)]
    first, second, third = sending.link.requests
    assert first[0].data == second[0].data
    assert sending.identities()[-1] == (1, 1)
    assert [len(each) for each in (first, second, third)] == [1, 1, 1]
    assert sending.link.described == 2


def test_a_refused_batch_fails_alone_and_the_next_one_has_another_identity(sending: Sending) -> None:
    sending.link.codes = [Code.MESSAGE_TOO_LARGE, Code.NONE]
    sending.put("a")
    sending.put("b", partition=1)

    assert sorted(sending.wait(2)) == [("a", "RetriableError"), ("b", None)]
    sending.put("c")
    sending.wait(3)
    assert sending.identities()[-1] == (2, 0)


@pytest.mark.usefixtures("long_moment")
def test_a_batch_that_is_too_large_is_split_and_only_a_record_that_is_too_large_fails(sending: Sending) -> None:
    sending.link.codes = [Code.MESSAGE_TOO_LARGE, Code.MESSAGE_TOO_LARGE]
    for value in ("a", "b", "c"):
        sending.put(value)

    assert sending.wait(3) == [("a", "RetriableError"), ("b", None), ("c", None)]
    assert sending.values()[:3] == [["a+b+c"], ["a"], ["b"]]


def test_a_cluster_that_forgot_the_sequences_gets_the_batch_under_another_identity(sending: Sending) -> None:
    sending.link.codes = [Code.UNKNOWN_PRODUCER_ID]
    sending.put("a")

    assert sending.wait(1) == [("a", None)]
    assert sending.identities() == [(1, 0), (2, 0)]


def test_a_topic_that_stays_missing_fails_its_records_only(sending: Sending) -> None:
    sending.link.missing = {"gone"}
    sending.put("a", topic="gone")
    sending.put("b")

    assert sending.wait(2) == [("b", None), ("a", TopicMissingError.__name__)]


def test_a_topic_that_no_one_creates_is_looked_for_less_and_less_often(sending: Sending) -> None:
    sending.link.missing = {"gone"}
    for number in range(30):
        sending.put(str(number), topic="gone")
        sending.wait(number + 1)

    assert sending.link.described < 12


def test_a_topic_that_was_just_created_is_waited_for(sending: Sending, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_sender, "UNKNOWN_TOPIC_S", 5.0)
    sending.link.missing = {"new"}
    sending.put("a", topic="new")
    eventually(lambda: sending.link.described > 0, 5.0, "the topic was looked for")
    sending.link.missing = set()

    assert sending.wait(1) == [("a", None)]


def test_a_refused_login_fails_at_once_and_works_again_when_it_is_mended(sending: Sending) -> None:
    sending.link.refusal = AuthenticationError("wrong password", cluster="west")
    sending.put("a")
    assert sending.wait(1) == [("a", "AuthenticationError")]

    sending.link.refusal = None
    sending.put("b")
    assert sending.wait(2)[-1] == ("b", None)


def test_records_that_are_never_acknowledged_are_given_up(sending: Sending) -> None:
    sending.link.codes = [Code.NOT_ENOUGH_REPLICAS] * 1_000
    sending.put("a", life_s=0.05)
    assert sending.wait(1) == [("a", "RetriableError")]

    sending.link.codes = []
    sending.put("b")
    assert sending.wait(2)[-1] == ("b", None)
    assert sending.identities()[-1] == (2, 0)
