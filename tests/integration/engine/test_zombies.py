"""Owners of older generations, on real brokers: what they write after a newer owner has started does not count."""

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from replication.domain.errors import FencedError
from replication.domain.plan.slot import SlotSpec
from replication.worker.engine.data_engine import WireDataEngine
from tests.support.engine.slots import SlotLab, level, until
from tests.support.kafka.kafka_records import digest, produce, read_all
from tests.support.kafka.writer import Traffic

pytestmark = pytest.mark.kafka


def numbered(count: int, start: int = 0) -> list[dict[str, Any]]:
    return [{"key": str(number), "value": f"value {number}"} for number in range(start, start + count)]


def stored_offset(lab: SlotLab, topic: str) -> int:
    """The newest position of partition 0 as any reader of committed records finds it."""
    found = -1
    for partition in read_all(lab.target_bootstrap, lab.positions_topic, 5):
        for record in partition:
            if json.loads(record.key or b"")[1]["topic"] == topic:
                found = json.loads(record.value or b"")["offset"]
    return found


def only(spec: SlotSpec, *partitions: int) -> SlotSpec:
    return replace(spec, partitions=tuple(each for each in spec.partitions if each.upstream.partition in partitions))


def exactly_once(lab: SlotLab, topic: str, partitions: int, **changes: Any) -> SlotSpec:
    return lab.spec({topic: partitions}, delivery="exactly_once", isolation_level="read_committed", **changes)


def freeze(thaw: threading.Event) -> None:
    """Stop the whole loop, as SIGSTOP does."""
    thaw.wait(120)


@contextmanager
def another_engine() -> Iterator[WireDataEngine]:
    """The engine of a driver that no coordinator reaches."""
    engine = WireDataEngine("zombie", pool_bytes=32 * 1024 * 1024)
    engine.start()
    try:
        yield engine
    finally:
        engine.stop(10)


def test_a_new_generation_shuts_out_the_slots_of_older_ones_before_it_reads_positions(lab: SlotLab) -> None:
    topic = lab.topic(f"moved-{uuid.uuid4().hex[:6]}", 2)
    with another_engine() as alive, Traffic(lab.source_bootstrap, topic, 2, 1_000).flowing() as traffic:
        old = alive.start_slot(exactly_once(lab, topic, 2), driver="old", boot="boot-0")
        until(old, lambda live: live.get("records_total", 0) > 500)

        moved = lab.start(only(exactly_once(lab, topic, 2, generation=2, slot=1), 1))
        until(moved, lambda live: live.get("records_total", 0) > 500)
        assert old.wait(40), "the owner of the older generation continues"
        stayed = lab.start(only(exactly_once(lab, topic, 2, generation=2, slot=0), 0))
        traffic.wait_for(500)
    for slot in (moved, stayed):
        until(slot, lambda live: live.get("lag_offsets") == 0)
        slot.stop()
        assert slot.wait(15)

    assert isinstance(old.error(), FencedError)
    source = read_all(lab.source_bootstrap, topic, 2)
    target = read_all(lab.target_bootstrap, lab.remote(topic), 2)
    assert [digest(partition) for partition in source] == [digest(partition) for partition in target]


def test_a_slot_that_an_older_generation_dropped_is_shut_out_too(lab: SlotLab) -> None:
    topic = lab.topic(f"dropped-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(100))
    with another_engine() as alive:
        dropped = alive.start_slot(exactly_once(lab, topic, 1, slot=7), driver="old", boot="boot-0")
        until(dropped, level(100))

        with lab.running(exactly_once(lab, topic, 1, generation=2)) as owner:
            until(owner, lambda live: live.get("lag_offsets") == 0)
            produce(lab.source_bootstrap, topic, numbered(100, 100))
            until(owner, level(100))
            assert dropped.wait(40), "the owner of the dropped slot continues"

    assert isinstance(dropped.error(), FencedError)
    assert len(read_all(lab.target_bootstrap, lab.remote(topic))[0]) == 200


def test_a_slot_of_an_older_generation_does_not_come_back(lab: SlotLab) -> None:
    topic = lab.topic(f"stale-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(50))
    with lab.running(exactly_once(lab, topic, 1, generation=2)) as owner:
        until(owner, level(50))

        stale = lab.start(exactly_once(lab, topic, 1, generation=1))
        assert stale.wait(40), "a slot of an older generation runs"
        assert isinstance(stale.error(), FencedError)
        assert "generation 2" in str(stale.error())
        produce(lab.source_bootstrap, topic, numbered(50, 50))
        until(owner, level(100))

    assert len(read_all(lab.target_bootstrap, lab.remote(topic))[0]) == 100


@pytest.mark.parametrize("slot", [0, 1])
@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_a_frozen_owner_that_thaws_and_stops_moves_no_position_back(lab: SlotLab, delivery: str, slot: int) -> None:
    topic = lab.topic(f"thawed-{uuid.uuid4().hex[:6]}")
    spec = lab.spec({topic: 1}, delivery=delivery, isolation_level="read_committed")
    newer = replace(spec, generation=2, slot=1) if slot else spec
    produce(lab.source_bootstrap, topic, numbered(500))
    thaw = threading.Event()
    with another_engine() as frozen:
        zombie = frozen.start_slot(spec, driver="zombie", boot="boot-0")
        until(zombie, level(500))
        lab.wait_committed(zombie, topic, 1)
        try:
            frozen._loop.call_threadsafe(lambda: freeze(thaw))
            zombie.stop()
            produce(lab.source_bootstrap, topic, numbered(500, 500))
            lab.copy_until(newer, level(500))
            assert stored_offset(lab, topic) == 999
        finally:
            thaw.set()
        assert zombie.wait(30)

    assert stored_offset(lab, topic) == 999
    with lab.running(newer) as owner:
        until(owner, lambda live: live.get("lag_offsets") == 0)
    assert len(read_all(lab.target_bootstrap, lab.remote(topic))[0]) == 1_000
