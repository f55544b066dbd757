"""A running slot takes other settings over: what it copies from then on follows them, and nothing starts again."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from replication.domain.batches.batch_decision import CODEC_MASK
from replication.domain.batches.compression import codec_id
from replication.domain.batches.record import Record
from replication.domain.rejected_records.error_policy import ErrorHandling
from replication.domain.settings.choices import Delivery, ErrorsPolicy
from replication.domain.settings.fetch_limits import FetchLimits
from replication.domain.settings.record_settings import RecordSettings
from replication.wire.batches.record_codec import build_batch
from tests.support.engine.memory_ports import SYNCS_TOPIC
from tests.support.engine.slot_in_memory import ORDERS, REMOTE_TOPIC, SlotInMemory

LARGE = b"x" * 2_000
LETTERS = "letters"


@pytest.fixture(params=["at_least_once", "exactly_once"])
def delivery(request: pytest.FixtureRequest) -> Delivery:
    return "exactly_once" if request.param == "exactly_once" else "at_least_once"


@pytest.fixture
def slot(delivery: Delivery) -> Iterator[SlotInMemory]:
    running = SlotInMemory(delivery=delivery)
    yield running
    running.close()


def store(slot: SlotInMemory, *values: bytes) -> None:
    slot.store(*(build_batch([Record(0, 1_000, b"k", value, ())]) for value in values))


def codecs(slot: SlotInMemory) -> list[int]:
    """The codecs of the batches with records on the target, in order."""
    log = slot.target.log(REMOTE_TOPIC)
    return [batch.header.attributes & CODEC_MASK for batch in log.batches if not batch.header.is_control]


def syncs(slot: SlotInMemory) -> int:
    return sum(1 for _ in slot.source.log(SYNCS_TOPIC).records(committed=True))


def change(slot: SlotInMemory, **settings: Any) -> None:
    """Give the running slot these settings, and wait until it has them."""
    slot.change(**settings)
    slot.run_until(lambda: slot.task.live.get("plan_version") == slot.spec.plan_version)


def wait_failed(slot: SlotInMemory) -> None:
    slot.run_until(lambda: slot.task.live.get("states", {}).get("failed") == 1)


@pytest.mark.parametrize("policy", ["skip", "dead_letter"])
def test_a_partition_that_stopped_at_a_record_continues_under_a_policy_that_leaves_it_out(
    slot: SlotInMemory, policy: ErrorsPolicy
) -> None:
    slot.target.create(LETTERS)
    slot.target.topics[REMOTE_TOPIC].configs["max.message.bytes"] = "1000"
    store(slot, b"v0", LARGE, b"v2")
    wait_failed(slot)

    slot.change(errors=ErrorHandling(policy=policy, dead_letter_topic=LETTERS))
    slot.run_until_committed(3)

    assert slot.values() == [b"v0", b"v2"]
    assert slot.values(LETTERS) == ([LARGE] if policy == "dead_letter" else [])


def test_a_partition_that_stopped_does_not_start_again_because_of_other_settings(slot: SlotInMemory) -> None:
    slot.target.topics[REMOTE_TOPIC].configs["max.message.bytes"] = "1000"
    store(slot, LARGE)
    wait_failed(slot)
    before = slot.task._context.roster.copies[ORDERS]

    slot.change(fetch_limits=FetchLimits(max_wait_ms=10))
    slot.loop.run_for(10.0)

    assert slot.task._context.roster.copies[ORDERS] is before


def test_batches_get_another_codec(slot: SlotInMemory) -> None:
    store(slot, b"v0")
    slot.run_until_committed(1)
    change(slot, records=RecordSettings(compression="gzip"))
    store(slot, b"v1")
    slot.run_until_committed(2)

    assert codecs(slot) == [codec_id("none"), codec_id("gzip")]
    assert slot.values() == [b"v0", b"v1"]


def test_small_batches_are_merged_and_passed_on_again(slot: SlotInMemory) -> None:
    def batches_of(mode: RecordSettings, first: int) -> int:
        change(slot, records=mode)
        store(slot, b"one that shows the mode")
        slot.run_until_committed(first + 1)
        before = len(codecs(slot))
        store(slot, *(b"v%d" % number for number in range(50)))
        slot.run_until_committed(first + 51)
        return len(codecs(slot)) - before

    passed = batches_of(RecordSettings(rebatching="off"), 0)
    merged = batches_of(RecordSettings(rebatching="always"), 51)
    again = batches_of(RecordSettings(rebatching="off"), 102)

    assert passed == again == 50
    assert merged < 25


def test_syncs_begin_when_they_are_switched_on(slot: SlotInMemory) -> None:
    change(slot, writes_offset_syncs=False)
    store(slot, *(b"v%d" % number for number in range(20)))
    slot.run_until_committed(20)
    slot.loop.run_for(5.0)
    assert syncs(slot) == 0

    change(slot, writes_offset_syncs=True, offset_lag_max=1_000)
    store(slot, b"first")
    slot.run_until(lambda: syncs(slot) > 0)


def test_the_distance_of_syncs_follows_another_limit(slot: SlotInMemory) -> None:
    def is_due(number: int) -> bool:
        """The rule's answer to the next record that is copied."""
        return bool(slot.task._context.roster.copies[ORDERS].syncs.on_batch(number, 1_000 + number, 1))

    store(slot, b"v0")
    slot.run_until_committed(1)
    due = [is_due(number) for number in range(1, 4)]  # the first is far from the last sync
    change(slot, offset_lag_max=0)

    assert due == [True, False, False]
    assert is_due(4)


def test_fetches_follow_other_limits(slot: SlotInMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int, int]] = []
    fetch = slot.fetcher.fetch

    async def noted(node: int, *, max_wait_ms: int, max_bytes: int, partition_max_bytes: int) -> object:
        asked.append((max_wait_ms, max_bytes, partition_max_bytes))
        return await fetch(node, max_wait_ms=max_wait_ms, max_bytes=max_bytes, partition_max_bytes=partition_max_bytes)

    monkeypatch.setattr(slot.fetcher, "fetch", noted)
    store(slot, b"v0")
    slot.run_until_committed(1)
    change(slot, fetch_limits=FetchLimits(max_bytes=5_000, partition_max_bytes=4_000, max_wait_ms=10))
    slot.loop.run_for(2.0)

    assert asked[0][0] > 10
    assert asked[-1] == (10, 5_000, 4_000)


def test_small_answers_wait_for_another_linger(slot: SlotInMemory) -> None:
    def asked_again_after_s(value: bytes, linger_ms: float) -> float:
        change(slot, records=replace(slot.spec.records, linger_ms=linger_ms))
        copied = len(slot.values())
        store(slot, value)  # a small answer: the next fetch waits
        slot.run_until(lambda: len(slot.values()) > copied)
        began_s, copied = slot.loop.monotonic_s(), copied + 1
        store(slot, value)
        slot.run_until(lambda: len(slot.values()) > copied)
        return slot.loop.monotonic_s() - began_s

    short_s = asked_again_after_s(b"v0", 0)
    assert asked_again_after_s(b"v1", 1_000) > short_s + 0.5
    assert asked_again_after_s(b"v2", 0) < short_s + 0.1


def test_a_transaction_takes_records_for_another_time() -> None:
    slot = SlotInMemory(delivery="exactly_once")

    def committed_after_s(interval_ms: int, offset: int) -> float:
        change(slot, transaction_interval_ms=interval_ms)
        began_s = slot.loop.monotonic_s()
        store(slot, b"v")
        slot.run_until_committed(offset)
        return slot.loop.monotonic_s() - began_s

    assert committed_after_s(100, 1) < 1
    assert committed_after_s(5_000, 2) > 4
    assert committed_after_s(100, 3) < 1
    slot.close()
