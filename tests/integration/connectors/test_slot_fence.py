"""A slot that was fenced from outside writes nothing more, wherever it stood when it fell asleep."""

import time
import uuid
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import pytest
from confluent_kafka.admin import AclBinding, AclOperation, AclPermissionType, ResourcePatternType, ResourceType

from replication.domain.errors import AuthorizationError, FencedError
from replication.domain.identifiers import FlowId, TopicPartition, transactional_id
from replication.domain.offsets.positions import Position
from replication.domain.plan.slot import ClusterClient
from replication.ports.produce.batch_producer import OutgoingBatch
from replication.ports.produce.transactions import ProducerIdentity
from replication.wire.batches.record_codec import Record, build_batch
from replication.wire.network.loop import EngineLoop
from replication.wire.produce.slot_fence import WireSlotFence
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.ports import free_port
from tests.integration.control.test_odd_clusters import guarded_listener, sasl_client
from tests.support.engine.wire_target import WireTarget
from tests.support.kafka.kafka_records import admin, create_topic, read_all

pytestmark = pytest.mark.kafka

INVALID_PRODUCER_EPOCH = 47
ORDERS = TopicPartition("orders", 0)
NO_PRODUCER = ProducerIdentity(-1, -1)


@dataclass(slots=True)
class Slot:
    """A slot as its driver has it: one remote topic of one partition, positions in one more."""

    loop: EngineLoop
    target: WireTarget
    bootstrap: str
    name: str
    identity: ProducerIdentity = NO_PRODUCER
    written: int = 0

    @property
    def id(self) -> str:
        return transactional_id(FlowId(self.name, "b"), 0, 1)

    @property
    def remote(self) -> TopicPartition:
        return TopicPartition(f"{self.name}.orders", 0)

    @property
    def positions(self) -> str:
        return f"mm2-offsets.{self.name}.internal"

    @property
    def writes_to(self) -> list[TopicPartition]:
        return [self.remote, *(TopicPartition(self.positions, number) for number in range(2))]

    def run(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """On the loop's thread; raises what the work raises."""
        outcome: Future[Any] = Future()

        async def watched() -> None:
            try:
                outcome.set_result(await work())
            except BaseException as error:
                outcome.set_exception(error)

        def begin() -> None:
            self.loop.spawn(watched())

        self.loop.call_threadsafe(begin)
        return outcome.result(60)

    def start(self) -> None:
        async def begin() -> None:
            await self.target.open()
            self.identity = await self.target.transactions.fence(self.id)

        self.run(begin)

    def write(self, *, transactional: bool) -> int:
        """One record to the remote partition; the error code."""

        async def produce() -> int:
            leader = (await self.target.metadata.describe([self.remote.topic]))[self.remote.topic].leaders[0]
            data = build_batch(
                [Record(0, 1, b"k", b"v", [])],
                transactional=transactional,
                producer_id=self.identity.producer_id,
                producer_epoch=self.identity.epoch,
                base_sequence=self.written,
            )
            batch = OutgoingBatch(self.remote.topic, 0, bytes(data))
            answer = await self.target.producer.produce(leader, [batch], transactional=transactional)
            return answer.results[0].error_code

        code: int = self.run(produce)
        self.written += code == 0
        return code

    def join(self) -> None:
        self.run(lambda: self.target.transactions.add_partitions([self.remote]))

    def commit(self, offset: int, *, transactional: bool = True) -> None:
        found = {ORDERS: Position(next_offset=offset)}
        self.run(lambda: self.target.positions.commit(self.positions, self.name, found, transactional=transactional))

    def records(self, topic: str, partitions: int, isolation: str = "read_uncommitted") -> int:
        return sum(map(len, read_all(self.bootstrap, topic, partitions, isolation)))


@pytest.fixture
def slot(kafka_cluster: LocalCluster) -> Iterator[Slot]:
    loop = EngineLoop("fenced")
    loop.start()
    name = f"f{uuid.uuid4().hex[:6]}"
    target = WireTarget(loop, kafka_cluster.bootstrap, name)
    made = Slot(loop, target, kafka_cluster.bootstrap, name)
    create_topic(made.bootstrap, made.remote.topic)
    create_topic(made.bootstrap, made.positions, 2)
    made.start()
    yield made
    loop.call_threadsafe(target.close)
    loop.stop(2.0)


@pytest.fixture
def fence(kafka_cluster: LocalCluster) -> Iterator[WireSlotFence]:
    opened = WireSlotFence(ClusterClient(alias="b", bootstrap=tuple(kafka_cluster.bootstrap.split(","))))
    yield opened
    opened.close()


def test_a_fenced_slot_writes_no_plain_batch_and_no_position_any_more(slot: Slot, fence: WireSlotFence) -> None:
    assert slot.write(transactional=False) == 0
    slot.commit(1)

    fence.fence(slot.id, slot.writes_to)

    assert slot.write(transactional=False) == INVALID_PRODUCER_EPOCH
    with pytest.raises(FencedError):
        slot.commit(2, transactional=False)
    with pytest.raises(FencedError):
        slot.commit(2)
    assert slot.records(slot.remote.topic, 1) == 1
    assert slot.records(slot.positions, 2) == 1


def test_partitions_that_the_slot_never_wrote_to_are_closed_too(slot: Slot, fence: WireSlotFence) -> None:
    gone = TopicPartition(f"{slot.name}.gone", 0)

    fence.fence(slot.id, [gone, *slot.writes_to])

    assert slot.write(transactional=False) == INVALID_PRODUCER_EPOCH
    with pytest.raises(FencedError):
        slot.commit(1, transactional=False)


def test_what_an_open_transaction_holds_never_counts(slot: Slot, fence: WireSlotFence) -> None:
    slot.join()
    assert slot.write(transactional=True) == 0

    fence.fence(slot.id, slot.writes_to)

    assert slot.write(transactional=True) == INVALID_PRODUCER_EPOCH
    with pytest.raises(FencedError):
        slot.commit(1)
    assert slot.records(slot.remote.topic, 1, "read_committed") == 0
    assert slot.records(slot.positions, 2, "read_committed") == 0


def test_a_slot_that_is_taken_again_writes_again(slot: Slot, fence: WireSlotFence) -> None:
    fence.fence(slot.id, slot.writes_to)

    slot.start()

    assert slot.write(transactional=False) == 0
    slot.commit(1)


def test_the_cluster_tells_the_ids_that_were_used(slot: Slot, fence: WireSlotFence) -> None:
    assert slot.id in fence.known_ids()


def test_a_missing_right_is_named(dev_clusters: DevClusters) -> None:
    port = free_port(set())
    (node,) = dev_clusters.prepare("fenced").nodes
    extra = {
        **guarded_listener(node, port),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
    }
    bootstrap = dev_clusters.up(["fenced"], extra=extra)["fenced"].bootstrap
    create_topic(bootstrap, "copy")
    fence = WireSlotFence(sasl_client(f"127.0.0.1:{port}", "right"))
    copy = TopicPartition("copy", 0)

    def allow(kind: ResourceType, name: str) -> None:
        binding = AclBinding(
            kind, name, ResourcePatternType.LITERAL, "User:srm", "*", AclOperation.WRITE, AclPermissionType.ALLOW
        )
        for future in admin(bootstrap).create_acls([binding]).values():
            future.result(timeout=10)

    try:
        assert fence.known_ids() == frozenset()
        with pytest.raises(AuthorizationError, match=r"WRITE on the transactional id srm\.b\.a\.0 is missing"):
            fence.fence("srm.b.a.0", [copy])
        allow(ResourceType.TRANSACTIONAL_ID, "srm.b.a.0")
        _until_refused_otherwise(fence, copy, "grant WRITE on the topic copy")
        allow(ResourceType.TOPIC, "copy")
        _until_refused_otherwise(fence, copy, None)
    finally:
        fence.close()
        dev_clusters.stop(["fenced"])


def _until_refused_otherwise(fence: WireSlotFence, copy: TopicPartition, text: str | None) -> None:
    """A broker learns of a right a moment after it is given."""
    deadline = time.monotonic() + 10
    while True:
        said = None
        try:
            fence.fence("srm.b.a.0", [copy])
        except AuthorizationError as error:
            said = str(error)
        if said == text or (text is not None and said is not None and text in said):
            return
        assert time.monotonic() < deadline, f"still {said!r} instead of {text!r}"
        time.sleep(0.1)
