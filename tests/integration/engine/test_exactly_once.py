"""Exactly once on real brokers: readers of committed records see each source record once, through all failures."""

import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from confluent_kafka import Producer

from replication.codecs import offset_runs
from replication.domain.errors import FencedError, TransactionAbortedError
from replication.domain.plan.slot import SlotSpec
from replication.wire.offsets.position_store import WirePositionStore
from replication.worker.engine.data_engine import WireDataEngine
from tests.support.engine.slots import SlotLab, level, until
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import Seen, digest, end_offsets, produce, read_all
from tests.support.kafka.writer import Traffic

pytestmark = pytest.mark.kafka


def numbered(count: int, start: int = 0, partitions: int = 1) -> list[dict[str, Any]]:
    return [
        {"key": str(number), "value": f"value {number}", "partition": number % partitions}
        for number in range(start, start + count)
    ]


def exactly_once(lab: SlotLab, topics: dict[str, int], **changes: Any) -> SlotSpec:
    return lab.spec(topics, delivery="exactly_once", isolation_level="read_committed", **changes)


def assert_same(lab: SlotLab, topic: str, partitions: int) -> list[list[Seen]]:
    """A reader of committed records finds the same records on the target as on the source."""
    source = read_all(lab.source_bootstrap, topic, partitions, "read_committed")
    target = read_all(lab.target_bootstrap, lab.remote(topic), partitions, "read_committed")
    assert [digest(partition) for partition in source] == [digest(partition) for partition in target]
    return target


def uncommitted(lab: SlotLab, topic: str) -> int:
    return sum(end_offsets(lab.target_bootstrap, lab.remote(topic), 1))


def test_every_record_arrives_once_and_runs_translate_over_the_markers(lab: SlotLab) -> None:
    topic = lab.topic(f"once-{uuid.uuid4().hex[:6]}", 3)
    produce(lab.source_bootstrap, topic, numbered(6_000, partitions=3), compression_type="lz4")

    with lab.running(exactly_once(lab, {topic: 3})) as handle:
        until(handle, level(6_000))
        produce(lab.source_bootstrap, topic, numbered(600, 6_000, partitions=3))
        until(handle, level(6_600))

    target = assert_same(lab, topic, 3)
    offsets = {(number, record.key): record.offset for number, part in enumerate(target) for record in part}
    segments = [
        offset_runs.decode(record.key or b"", record.value or b"")
        for partition in read_all(lab.target_bootstrap, lab.runs_topic, 4)
        for record in partition
    ]
    translated = {
        (segment.partition, str(upstream * 3 + segment.partition).encode()): run.translate(upstream)
        for segment in segments
        for run in segment.runs
        for upstream in range(run.upstream, run.upstream_end)
    }
    assert translated == offsets


def test_records_are_not_seen_before_their_transaction_commits(lab: SlotLab) -> None:
    topic = lab.topic(f"hidden-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(100))

    with lab.running(exactly_once(lab, {topic: 1}, transaction_interval_ms=3_000)) as handle:
        eventually(lambda: uncommitted(lab, topic) >= 100, 20, "the batches are on the target")
        assert handle.live().get("records_total", 0) == 0
        assert read_all(lab.target_bootstrap, lab.remote(topic), 1, "read_committed") == [[]]
        until(handle, level(100))

    assert_same(lab, topic, 1)


def test_aborted_transactions_of_the_source_leave_no_trace(lab: SlotLab) -> None:
    topic = lab.topic(f"aborts-{uuid.uuid4().hex[:6]}", 2)
    producer = Producer({"bootstrap.servers": lab.source_bootstrap, "transactional.id": uuid.uuid4().hex})
    producer.init_transactions(30)
    with lab.running(exactly_once(lab, {topic: 2})) as handle:
        for transaction in range(9):
            producer.begin_transaction()
            for number in range(100):
                producer.produce(topic, key=f"{transaction}", value=f"{transaction}-{number}", partition=number % 2)
            producer.flush(10)
            if transaction % 3 == 0:
                producer.abort_transaction(30)
            else:
                producer.commit_transaction(30)
        until(handle, level(600))

    assert sum(map(len, assert_same(lab, topic, 2))) == 600


def failing_once(error: Callable[[], Exception]) -> tuple[list[Any], Callable[..., Any]]:
    """A `commit` that aborts and fails the first time it has records to commit, as a coordinator may."""
    failed: list[Any] = []
    commit = WirePositionStore.commit

    async def once(
        self: WirePositionStore, topic: str, source: str, positions: Mapping[Any, Any], *, transactional: bool
    ) -> None:
        if not failed and any(position.next_offset > 0 for position in positions.values()):
            failed.append(positions)
            await self._transactions.abort()
            raise error()
        await commit(self, topic, source, positions, transactional=transactional)

    return failed, once


def test_an_aborted_transaction_is_copied_again(lab: SlotLab, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = lab.topic(f"again-{uuid.uuid4().hex[:6]}", 2)
    failed, commit = failing_once(lambda: TransactionAbortedError("the coordinator moved"))
    monkeypatch.setattr(WirePositionStore, "commit", commit)
    produce(lab.source_bootstrap, topic, numbered(1_000, partitions=2))

    with lab.running(exactly_once(lab, {topic: 2})) as handle:
        until(handle, level(1_000))
        produce(lab.source_bootstrap, topic, numbered(500, 1_000, partitions=2))
        until(handle, level(1_500))

    assert failed
    target = assert_same(lab, topic, 2)
    assert sum(map(len, target)) == 1_500
    written = sum(end_offsets(lab.target_bootstrap, lab.remote(topic), 2))
    assert written > 2_500  # the log holds the aborted records too, invisible to readers


def test_a_slot_taken_over_in_the_middle_of_a_transaction_writes_each_record_once(lab: SlotLab) -> None:
    topic = lab.topic(f"taken-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(500))
    first = lab.start(exactly_once(lab, {topic: 1}, transaction_interval_ms=20_000))
    eventually(lambda: uncommitted(lab, topic) >= 500, 20, "the first owner is in the middle of a transaction")

    with lab.running(exactly_once(lab, {topic: 1})) as second:
        until(second, level(500))
        produce(lab.source_bootstrap, topic, numbered(100, 500))
        until(second, level(600))
        assert first.wait(30), "the first owner continues"

    assert isinstance(first.error(), FencedError)
    assert_same(lab, topic, 1)


def test_a_frozen_owner_that_wakes_up_gets_nothing_in(lab: SlotLab) -> None:
    topic = lab.topic(f"zombie-{uuid.uuid4().hex[:6]}", 2)
    zombie_engine = WireDataEngine("zombie", pool_bytes=32 * 1024 * 1024)
    zombie_engine.start()
    try:
        with Traffic(lab.source_bootstrap, topic, 2, 1_000).flowing() as traffic:
            zombie = zombie_engine.start_slot(exactly_once(lab, {topic: 2}), driver="zombie", boot="boot-0")
            until(zombie, lambda live: live.get("records_total", 0) > 500)
            zombie_engine._loop.call_threadsafe(lambda: time.sleep(4))  # all of it stands still, as under SIGSTOP
            owner = lab.start(exactly_once(lab, {topic: 2}))
            until(owner, lambda live: live.get("records_total", 0) > 500)
            assert zombie.wait(40), "the zombie continues"
            traffic.wait_for(500)
        until(owner, lambda live: live.get("lag_offsets") == 0)
        owner.stop()
        assert owner.wait(15)
        assert isinstance(zombie.error(), FencedError)
        assert sum(map(len, assert_same(lab, topic, 2))) > 1_000
    finally:
        zombie_engine.stop(10)
