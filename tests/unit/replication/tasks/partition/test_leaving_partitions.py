"""A partition that leaves the plan is forgotten, also if its remote topic is gone."""

import pytest

from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import PlannedPartition
from replication.domain.settings.record_settings import RecordSettings
from replication.wire.batches.record_codec import Record, build_batch
from tests.support.engine.slot_in_memory import ORDERS, REMOTE_TOPIC, SlotInMemory


def _batch(value: bytes) -> bytearray:
    return build_batch([Record(0, 1_000, None, value, [])])


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
@pytest.mark.parametrize("has_records", [True, False], ids=["with records on the way", "caught up"])
def test_a_denied_topic_whose_remote_topic_is_gone_does_not_degrade_the_flow(delivery: str, has_records: bool) -> None:
    slot = SlotInMemory(delivery=delivery)
    slot.store(_batch(b"a"))
    slot.run_until_committed(1)
    slot.target.delete(REMOTE_TOPIC)
    if has_records:
        slot.store(_batch(b"b"))
    slot.run_until(lambda: bool(slot.task.live["cause"]) or not has_records)

    slot.plan()
    slot.run_until(lambda: slot.task.live["partitions"] == 0)
    slot.run_until(lambda: slot.task.live["cause"] is None)

    assert slot.task.live["states"] == {}
    slot.close()


@pytest.mark.parametrize(
    ("refused_s", "values"),
    [pytest.param(10.0, [b"a", b"b"], id="within its patience"), pytest.param(60.0, [b"a"], id="for longer")],
)
def test_a_partition_that_leaves_waits_for_a_target_that_takes_nothing_for_a_while(
    refused_s: float, values: list[bytes]
) -> None:
    slot = SlotInMemory()
    slot.store(_batch(b"a"))
    slot.run_until_committed(1)
    slot.target.unwritable.add(REMOTE_TOPIC)
    slot.store(_batch(b"b"))
    slot.run_until(lambda: bool(slot.task.live["cause"]))

    slot.plan()
    until_s = slot.loop.monotonic_s() + refused_s
    slot.run_until(lambda: slot.loop.monotonic_s() >= until_s)
    slot.target.unwritable.clear()
    slot.run_until(lambda: slot.task.live["partitions"] == 0)

    assert slot.values() == values
    assert slot.committed_to == len(values)
    slot.close()


def test_nothing_of_a_partition_that_left_is_kept() -> None:
    slot = SlotInMemory(records=RecordSettings(rebatching="always"))
    task = slot.task
    for number in range(20):
        topic = f"t{number}"
        topic_id = slot.source.create(topic).topic_id
        slot.target.create(f"a.{topic}")
        slot.source.topics[topic].append(0, bytes(_batch(b"v")))
        slot.source.topics[topic].append(0, bytes(_batch(b"w")))
        planned = PlannedPartition(upstream=TopicPartition(topic, 0), remote_topic=f"a.{topic}", topic_id=topic_id)
        slot.plan(*[each for each in slot.spec.partitions if each.upstream == ORDERS], planned)
        slot.run_until(lambda remote=f"a.{topic}": len(slot.values(remote)) == 2)  # type: ignore[misc]
    slot.plan()
    slot.run_until(lambda: not task._context.roster.copies)

    fetcher, intake = task._fetcher, task._fetcher._intake
    kept = (fetcher._asked_at, fetcher._valid_from, fetcher._corrupt, intake._rebatching, intake._rules)
    assert [len(each) for each in kept] == [0] * len(kept)
    assert intake._path._looseness == {}  # type: ignore[attr-defined]
    slot.run_until(lambda: not task._metrics._reported)
    slot.close()
