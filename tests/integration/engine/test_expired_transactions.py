"""A transaction that its coordinator ended by itself is no new owner; a new owner is one."""

import time
import uuid
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from replication.domain.errors import FencedError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position
from replication.wire.network.loop import EngineLoop
from replication.wire.produce import transactions
from srm_cli.dev_clusters.registry import LocalCluster
from tests.support.engine.wire_target import WireTarget
from tests.support.kafka.kafka_records import create_topic

pytestmark = pytest.mark.kafka

TIMEOUT_MS = 1_000
SWEEP_S = 4.0  # the coordinator of the shared cluster looks for expired transactions every second
ORDERS = TopicPartition("orders", 0)


@pytest.fixture
def loop() -> Iterator[EngineLoop]:
    engine = EngineLoop("expired")
    engine.start()
    yield engine
    engine.stop(2.0)


def run(loop: EngineLoop, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """On the loop's thread; raises what the work raised."""
    outcome: list[BaseException | None] = []

    async def watched() -> None:
        try:
            await work()
        except BaseException as error:
            outcome.append(error)
        else:
            outcome.append(None)

    def begin() -> None:
        loop.spawn(watched())

    loop.call_threadsafe(begin)
    deadline_s = loop.monotonic_s() + 120
    while not outcome:
        assert loop.monotonic_s() < deadline_s
        time.sleep(0.05)
    if outcome[0] is not None:
        raise outcome[0]


@pytest.mark.parametrize("has_new_owner", [False, True])
def test_after_an_expired_transaction_the_slot_continues_unless_it_has_a_new_owner(
    loop: EngineLoop, kafka_cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch, has_new_owner: bool
) -> None:
    monkeypatch.setattr(transactions, "TRANSACTION_TIMEOUT_MS", TIMEOUT_MS)
    name = uuid.uuid4().hex[:6]
    topic = f"mm2-offsets.x{name}.internal"
    create_topic(kafka_cluster.bootstrap, topic, 1)
    owner, other = (WireTarget(loop, kafka_cluster.bootstrap, f"{name}-{number}") for number in range(2))

    async def commit(offset: int) -> None:
        await owner.positions.commit(topic, "a", {ORDERS: Position(next_offset=offset)}, transactional=True)

    async def each() -> None:
        await owner.open()
        await other.open()
        await owner.transactions.fence(f"srm.b.{name}.0")
        await commit(1)
        await owner.transactions.add_partitions([TopicPartition(topic, 0)])
        await loop.sleep(SWEEP_S)
        if has_new_owner:
            await other.transactions.fence(f"srm.b.{name}.0")
        with pytest.raises(TransactionAbortedError):
            await commit(2)
        await commit(3)

    try:
        if has_new_owner:
            with pytest.raises(FencedError):
                run(loop, each)
        else:
            run(loop, each)
    finally:
        loop.call_threadsafe(owner.close)
        loop.call_threadsafe(other.close)
