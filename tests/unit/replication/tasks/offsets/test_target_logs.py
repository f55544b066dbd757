"""Copies that the target loses are found at a start, with an election and with an acknowledgement, and never lost."""

import json
from collections.abc import Iterator

import pytest

from replication.codecs import position_records
from replication.domain.batches.record import Record
from replication.domain.control.orders import Reset, ToOffset
from replication.domain.errors import RetriableError
from replication.domain.settings.choices import Delivery, TargetPolicy
from replication.wire.batches.record_codec import build_batch
from tests.support.engine.slot_in_memory import ORDERS, REMOTE_TOPIC, SlotInMemory

GAPS = "srm-gaps.a.internal"
DELIVERIES: tuple[Delivery, ...] = ("at_least_once", "exactly_once")
POLICIES: tuple[TargetPolicy, ...] = ("record", "stop", "rewind")
Gap = tuple[int, int | None, int | None, str]


@pytest.fixture(params=DELIVERIES)
def slot(request: pytest.FixtureRequest) -> Iterator[SlotInMemory]:
    running = SlotInMemory(delivery=request.param)
    yield running
    running.close()


def value(number: int) -> bytes:
    return str(number).encode()


def store(slot: SlotInMemory, numbers: range) -> None:
    slot.store(*(build_batch([Record(0, 1_000, b"k", value(number), ())]) for number in numbers))


def copy(slot: SlotInMemory, numbers: range) -> None:
    """One by one: together they would be merged, and an election loses whole batches."""
    for number in numbers:
        store(slot, range(number, number + 1))
        slot.run_until_committed(number + 1)


def gaps(slot: SlotInMemory) -> list[Gap]:
    found = [json.loads(record.value or b"") for record in slot.target.log(GAPS).records(committed=True)]
    assert all(gap["cause"] == "target_truncated" for gap in found)
    return [(gap["from_offset"], gap["to_offset"], gap["count"], gap["policy"]) for gap in found]


def cut_to(slot: SlotInMemory, kept: int) -> None:
    """Lose the end of the remote log, behind so many copies, and what its leader knew of producers."""
    log = slot.target.log(REMOTE_TOPIC)
    batches = [stored for stored in log.batches if not stored.header.is_control]
    log.truncate(batches[kept].header.base_offset if kept < len(batches) else log.end)
    log.forget_producers()


def restarted(slot: SlotInMemory, policy: TargetPolicy) -> None:
    slot.restart(target_policy=policy)


def waits(slot: SlotInMemory) -> bool:
    return bool(slot.task.live.get("states", {}).get("gap") == 1)


def distinct(found: list[bytes | None]) -> list[bytes | None]:
    return list(dict.fromkeys(found))


def test_a_whole_log_is_no_gap(slot: SlotInMemory) -> None:
    for turn in range(3):
        copy(slot, range(5 * turn, 5 * turn + 5))
        slot.close()
        restarted(slot, "stop")
    copy(slot, range(15, 16))

    assert gaps(slot) == []
    assert slot.values() == [value(number) for number in range(16)]


def test_a_cut_log_is_recorded_at_the_start(slot: SlotInMemory) -> None:
    copy(slot, range(10))
    slot.close()
    cut_to(slot, 6)
    restarted(slot, "record")
    copy(slot, range(10, 12))

    assert gaps(slot) == [(6, 10, 4, "record")]
    assert slot.values() == [value(number) for number in (*range(6), 10, 11)]
    slot.close()
    restarted(slot, "record")
    copy(slot, range(12, 13))
    assert len(gaps(slot)) == 1


def test_a_cut_log_is_copied_again_from_where_it_was_cut(slot: SlotInMemory) -> None:
    copy(slot, range(10))
    slot.close()
    cut_to(slot, 6)
    restarted(slot, "rewind")
    copy(slot, range(10, 12))
    slot.run_until(lambda: len(slot.values()) >= 12)

    assert gaps(slot) == [(6, 6, 0, "rewind")]
    assert slot.values() == [value(number) for number in range(12)]


def test_a_deleted_remote_topic_is_copied_again_from_its_first_copy(slot: SlotInMemory) -> None:
    copy(slot, range(10))
    slot.close()
    slot.target.create(REMOTE_TOPIC)
    restarted(slot, "rewind")
    store(slot, range(10, 12))
    slot.run_until(lambda: len(slot.values()) >= 12)

    assert slot.values() == [value(number) for number in range(12)]
    assert gaps(slot) == [(0, 0, 0, "rewind")]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_remote_topic_deleted_under_a_running_slot_is_no_silent_loss(
    slot: SlotInMemory, policy: TargetPolicy
) -> None:
    slot.close()
    restarted(slot, policy)
    copy(slot, range(10))
    slot.target.delete(REMOTE_TOPIC)
    store(slot, range(10, 11))
    slot.run_until(lambda: slot.task.live.get("states", {}).get("stalled") == 1)

    slot.target.create(REMOTE_TOPIC)
    store(slot, range(11, 12))

    if policy == "stop":
        slot.run_until(lambda: waits(slot) and len(gaps(slot)) == 1)
        assert gaps(slot)[0][::3] == (0, "stop")
        return
    slot.run_until_committed(12)
    expected = range(12) if policy == "rewind" else range(10, 12)
    slot.run_until(lambda: {value(number) for number in expected} <= set(slot.values()))
    assert gaps(slot) == [(0, 10, 10, "record") if policy == "record" else (0, 0, 0, "rewind")]
    if slot.spec.delivery == "exactly_once":
        assert slot.values() == [value(number) for number in expected]


@pytest.mark.parametrize("policy", POLICIES)
def test_an_acknowledgement_below_an_earlier_one_is_a_gap(slot: SlotInMemory, policy: TargetPolicy) -> None:
    """The log loses its end under a running slot, and the leader forgets the producer: it takes any sequence."""
    slot.close()
    restarted(slot, policy)
    copy(slot, range(10))
    cut_to(slot, 6)
    store(slot, range(10, 12))

    if policy == "stop":
        slot.run_until(lambda: waits(slot) and len(gaps(slot)) == 1)
        assert gaps(slot) == [(6, 10, 4, "stop")]
        return
    kept = {*range(6), 10, 11} if policy == "record" else {*range(12)}
    slot.run_until(lambda: {value(number) for number in kept} <= set(slot.values()) and slot.committed_to == 12)
    assert gaps(slot) == [(6, 10, 4, "record") if policy == "record" else (6, 6, 0, "rewind")]
    if slot.spec.delivery == "exactly_once":
        assert slot.values() == [value(number) for number in sorted(kept)]


def test_an_election_that_costs_the_end_of_the_log_is_noticed_without_a_new_record(slot: SlotInMemory) -> None:
    slot.close()
    restarted(slot, "rewind")
    copy(slot, range(10))
    cut_to(slot, 6)
    slot.target.log(REMOTE_TOPIC).elect(2)

    slot.run_until(lambda: len(slot.values()) >= 10)

    assert slot.values() == [value(number) for number in range(10)]


def test_a_partition_that_waits_for_its_copies_waits_at_each_start_and_writes_one_gap(slot: SlotInMemory) -> None:
    copy(slot, range(10))
    slot.close()
    cut_to(slot, 6)
    for _ in range(3):
        restarted(slot, "stop")
        store(slot, range(10, 11))
        slot.run_until(lambda: waits(slot))
        slot.close()

    assert gaps(slot) == [(6, 10, 4, "stop")]
    assert slot.values() == [value(number) for number in range(6)]
    assert slot.committed_to == 10


def test_a_partition_that_waited_continues_as_a_reset_says(slot: SlotInMemory) -> None:
    copy(slot, range(10))
    slot.close()
    cut_to(slot, 6)
    restarted(slot, "stop")
    slot.run_until(lambda: waits(slot))

    resets = (Reset(id="r1", topic=ORDERS.topic, partition=0, to=ToOffset(offset=8)),)
    slot.change(resets=resets)
    slot.run_until(lambda: len(slot.values()) >= 8)
    slot.close()
    slot.restart()
    copy(slot, range(10, 11))

    assert slot.values() == [value(number) for number in (*range(6), 8, 9, 10)]
    assert len(gaps(slot)) == 1


@pytest.mark.parametrize("policy", ["record", "rewind"])
def test_a_partition_that_waited_follows_another_policy_from_where_copies_are_missing(
    slot: SlotInMemory, policy: TargetPolicy
) -> None:
    copy(slot, range(10))
    slot.close()
    cut_to(slot, 6)
    restarted(slot, "stop")
    slot.run_until(lambda: waits(slot))
    slot.close()
    restarted(slot, policy)
    store(slot, range(10, 11))
    expected = [value(number) for number in ((*range(6), 10) if policy == "record" else range(11))]

    slot.run_until(lambda: len(slot.values()) >= len(expected))

    assert slot.values() == expected


def test_runs_that_only_the_position_has_are_evidence(slot: SlotInMemory) -> None:
    copy(slot, range(10))
    slot.close()
    slot.target.create("srm-offset-runs.a.internal")
    cut_to(slot, 6)
    restarted(slot, "rewind")

    slot.run_until(lambda: distinct(slot.values()) == [value(number) for number in range(10)])

    assert gaps(slot) == [(6, 6, 0, "rewind")]


def test_without_offset_runs_a_rewind_waits_for_a_person(slot: SlotInMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position_records, "encode_runs", lambda _: b"")  # as older releases do
    copy(slot, range(10))
    slot.close()
    slot.target.create("srm-offset-runs.a.internal")
    cut_to(slot, 6)
    restarted(slot, "rewind")

    slot.run_until(lambda: waits(slot) and len(gaps(slot)) == 1)

    assert gaps(slot) == [(0, 10, None, "rewind")]


def crash(slot: SlotInMemory) -> None:
    """End the task without its last writes: the target has no network for it any more."""
    slot.target.unwritable |= set(slot.target.topics)
    slot.close()
    slot.target.unwritable.clear()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("ends", ["stop", "crash"])
def test_a_truncation_is_found_again_by_the_start_after_one_that_could_not_write_its_gap(
    slot: SlotInMemory, policy: TargetPolicy, ends: str
) -> None:
    copy(slot, range(10))
    slot.close()
    cut_to(slot, 6)
    slot.target.unwritable.add(GAPS)
    restarted(slot, policy)
    store(slot, range(10, 11))
    passed(slot, 10.0)
    assert gaps(slot) == []
    slot.close() if ends == "stop" else crash(slot)
    slot.target.unwritable.clear()

    restarted(slot, policy)
    finds_four_missing(slot, policy, 11)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_truncation_seen_in_an_acknowledgement_is_found_again_where_its_gap_was_not_written(
    slot: SlotInMemory, policy: TargetPolicy
) -> None:
    slot.close()
    restarted(slot, policy)
    copy(slot, range(10))
    cut_to(slot, 6)
    slot.target.unwritable.add(GAPS)
    store(slot, range(10, 12))
    passed(slot, 10.0)
    assert gaps(slot) == []
    slot.close()
    slot.target.unwritable.clear()

    restarted(slot, policy)
    finds_four_missing(slot, policy, 12)


@pytest.mark.parametrize("policy", POLICIES)
def test_an_aborted_transaction_keeps_what_was_decided_about_a_truncation(policy: TargetPolicy) -> None:
    slot = SlotInMemory(delivery="exactly_once")
    copy(slot, range(10))
    slot.close()
    cut_to(slot, 6)
    slot.target.unwritable.add(GAPS)
    restarted(slot, policy)
    store(slot, range(10, 11))
    passed(slot, 5.0)
    transactions = slot.task._transactions
    assert transactions is not None
    transactions.demand_abort("another partition is in trouble")
    slot.run_until(lambda: transactions.aborted > 0)
    passed(slot, 5.0)
    slot.target.unwritable.clear()

    finds_four_missing(slot, policy, 11)
    slot.close()


def passed(slot: SlotInMemory, seconds: float) -> None:
    until_s = slot.loop.monotonic_s() + seconds
    slot.run_until(lambda: slot.loop.monotonic_s() >= until_s)


def finds_four_missing(slot: SlotInMemory, policy: TargetPolicy, end: int) -> None:
    """One gap is written, and with `rewind` the missing values are copied."""
    if policy == "stop":
        slot.run_until(lambda: waits(slot) and len(gaps(slot)) == 1)
        assert gaps(slot) == [(6, 10, 4, "stop")]
        return
    expected = {value(number) for number in (range(end) if policy == "rewind" else (*range(6), *range(10, end)))}
    slot.run_until(lambda: expected <= set(slot.values()) and slot.committed_to == end)
    assert set(slot.values()) == expected
    assert gaps(slot) == [(6, 6, 0, "rewind") if policy == "rewind" else (6, 10, 4, "record")]
    if slot.spec.delivery == "exactly_once":
        assert len(slot.values()) == len(expected)


def test_a_start_that_fails_after_the_comparison_writes_one_gap(slot: SlotInMemory) -> None:
    copy(slot, range(10))
    slot.close()
    cut_to(slot, 6)
    restarted(slot, "record")
    refresh, failures = slot.task._leaders.refresh, [RetriableError("the source is away")]

    async def refresh_and_fail() -> None:
        await refresh()
        if failures:
            raise failures.pop()

    slot.task._leaders.refresh = refresh_and_fail  # type: ignore[method-assign]
    copy(slot, range(10, 11))

    assert gaps(slot) == [(6, 10, 4, "record")]
