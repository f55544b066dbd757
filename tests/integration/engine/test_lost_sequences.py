"""A partition whose sequences the target does not accept any more, on a real broker."""

import uuid
from typing import Any

import pytest

from replication.worker.engine.data_engine import WireSlotHandle
from tests.support.engine.slots import SlotLab, level, until
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import produce, read_all
from tests.support.kafka.writer import Traffic

pytestmark = pytest.mark.kafka


def lose_sequences(lab: SlotLab, handle: WireSlotHandle, topic: str) -> None:
    """Make the slot's number of the next batch differ from the broker's, in the only partition of the topic."""
    done: list[bool] = []

    def lose() -> None:
        for upstream, copy in handle._task._context.roster.copies.items():
            if upstream.topic == topic:
                copy.queue.next_sequence += 1_000
                done.append(True)

    lab.engine._loop.call_threadsafe(lose)
    eventually(lambda: done, 10, "the sequence is lost")


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_only_the_partition_itself_is_concerned_and_its_neighbours_are_copied_once(lab: SlotLab, delivery: Any) -> None:
    topic, neighbour = (lab.topic(f"{name}-{uuid.uuid4().hex[:6]}") for name in ("lost", "beside"))
    produce(lab.source_bootstrap, topic, [{"value": f"{number}"} for number in range(100)])
    spec = lab.spec(
        {topic: 1, neighbour: 1}, delivery=delivery, isolation_level="read_committed", commit_interval_ms=20_000
    )
    with lab.running(spec) as handle:
        until(handle, level(100))
        with Traffic(lab.source_bootstrap, neighbour, 1, 500).flowing() as traffic:
            traffic.wait_for(500)
            lose_sequences(lab, handle, topic)
            produce(lab.source_bootstrap, topic, [{"value": f"{number}"} for number in range(100, 200)])
            eventually(lambda: len(read_all(lab.target_bootstrap, lab.remote(topic))[0]) == 200, 60, "it is healed")
            traffic.wait_for(500)
        until(handle, lambda live: live.get("lag_offsets") == 0)

    for name in (topic, neighbour):
        source = read_all(lab.source_bootstrap, name)[0]
        target = read_all(lab.target_bootstrap, lab.remote(name))[0]
        assert [record.value for record in target] == [record.value for record in source]
