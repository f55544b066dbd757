"""The handling of a fetch answer whose partition moved, stopped or was damaged meanwhile."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from replication.domain.errors import Cause, ClusterUnreachableError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.leader_epochs import EpochEnd
from replication.domain.offsets.positions import NO_TOPIC_ID, Position
from replication.domain.plan.slot import PlannedPartition
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.domain.settings.record_settings import RecordSettings
from replication.ports.fetch.batch_fetcher import Fetched, FetchedPartition, FetchPosition
from replication.ports.fetch.metadata import OffsetAt, TopicLeaders
from replication.tasks.batches.batch_intake import BatchIntake
from replication.tasks.batches.loop_protection import LoopProtection
from replication.tasks.fetch.fetcher import MOST_READS, Fetcher
from replication.tasks.fetch.rejected_offsets import RejectedOffsets
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.reporting.gauge import SlotGauge
from replication.wire.batches.record_path import WireRecordPath
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context
from tests.unit.replication.tasks.intake import ORDERS, TOPIC_ID, fetched, stored
from tests.unit.replication.tasks.noted_events import NotedEvents

QUESTION_S = 1.0
OUT_OF_RANGE, STORAGE_ERROR = 1, 56


class Source:
    """Answers each fetch with the next of its answers; questions take a second."""

    def __init__(self, loop: VirtualLoop, *answers: FetchedPartition) -> None:
        self._loop = loop
        self.topic_id, self.is_away = TOPIC_ID, False
        self.asked_ids: list[int] = []
        self._answers = list(answers)
        self.wanted: dict[tuple[str, int], int] = {}
        self.asked: list[int] = []

    def want(self, node: int, position: FetchPosition) -> None:
        self.wanted[position.topic, position.partition] = position.offset

    def forget(self, node: int, topic: str, topic_id: bytes, partition: int) -> None:
        self.wanted.pop((topic, partition), None)

    def wants_any(self, node: int) -> bool:
        return bool(self.wanted) and bool(self._answers)

    def has_room(self, node: int) -> bool:
        return True

    def claim_room(self, node: int) -> bool:
        return True

    async def fetch(self, node: int, **limits: Any) -> Fetched:
        self.asked += self.wanted.values()
        return Fetched((self._answers.pop(0),), None)

    async def describe(self, topics: Sequence[str], node: int) -> dict[str, TopicLeaders]:
        self.asked_ids.append(node)
        await self._loop.sleep(QUESTION_S)
        if self.is_away:
            raise ClusterUnreachableError("cluster a does not answer", cluster="a")
        error = None if self.topic_id else "UNKNOWN_TOPIC_OR_PARTITION"
        return {name: TopicLeaders(name, self.topic_id, {0: 1}, error) for name in topics}

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        await self._loop.sleep(QUESTION_S)
        return {upstream: 500 if wanted == "earliest" else 900 for upstream, wanted in at.items()}

    async def read(self) -> Sequence[RegisteredProducer]:
        await self._loop.sleep(QUESTION_S)
        return []


class Fetching(NotedEvents):
    """One partition of a slot that knows the flow back, fetched from 200 while its position is 100."""

    def __init__(self, *answers: FetchedPartition) -> None:
        super().__init__()
        self.loop = VirtualLoop()
        self.source = Source(self.loop, *answers)
        self.context = a_context(
            self.loop,
            {"fetcher": self.source, "source": self.source, "producers": self.source, "record_path": WireRecordPath()},
            records=RecordSettings(rebatching="off", loop_protection="producer_ids"),
            gap_policy="record_and_continue",
        )
        planned = PlannedPartition(upstream=ORDERS, remote_topic="a.orders", topic_id=TOPIC_ID)
        self.copy = PartitionCopy(planned, Position(next_offset=100, topic_id=TOPIC_ID), offset_lag_max=100)
        self.copy.cursor.set_leader(1)
        self.copy.cursor.advance(200, -1)
        self.context.roster.add(self.copy)
        loops, gauge, self.gap_log = LoopProtection(self.context), SlotGauge(self.context), GapLog()
        intake = BatchIntake(self.context, gauge, looped=loops.looped)
        rejected = RejectedOffsets(self.context, self, GapHandler(self.context, self.gap_log))
        self.fetch = Fetcher(self.context, self, intake, rejected, loops, gauge)
        self.loop.spawn(rejected.run())
        self.fetch.resume(self.copy)

    def ready(self, copy: PartitionCopy) -> None:
        self.fetch.resume(copy)

    def abort(self) -> None:
        """An exactly-once transaction was aborted."""
        self.copy.rewind()
        self.fetch.stop_reading(self.copy)
        self.fetch.resume(self.copy)

    def read_as_often_as_allowed(self) -> None:
        """As often as one batch may be malformed; each refresh of the leaders lets a stalled partition try again."""
        for _ in range(MOST_READS):
            self.loop.run_for(0.5)
            if self.copy.obstructions.special == "stalled":
                self.copy.obstructions.recover()
            self.fetch.resume(self.copy)
        self.loop.run_for(0.5)

    @property
    def queued(self) -> list[tuple[int, int]]:
        return [(entry.first, entry.next) for entry in self.copy.queue.waiting]


def damaged(first: int) -> bytearray:
    data = stored(first, 2)
    data[-1] ^= 0xFF
    return data


def out_of_range() -> FetchedPartition:
    return fetched()._replace(error_code=OUT_OF_RANGE)


def by_name(answer: FetchedPartition) -> FetchedPartition:
    """As brokers before Kafka 3.1 answer."""
    return answer._replace(topic_id=b"")


def cause(code: str) -> Cause:
    return Cause(code=code, text="t", topic=None, partition=None, since_ms=0)


def test_an_answer_is_taken_once_its_producers_are_known() -> None:
    slot = Fetching(fetched(stored(200, 10, producer_id=5)))

    slot.loop.run_for(2 * QUESTION_S)

    assert slot.queued == [(200, 210)]


def test_an_answer_is_not_taken_when_its_transaction_was_aborted_while_its_producers_were_looked_up() -> None:
    slot = Fetching(fetched(stored(200, 10, producer_id=5)), fetched(stored(100, 10, producer_id=5)))
    slot.loop.run_for(QUESTION_S / 2)

    slot.abort()
    slot.loop.run_for(2 * QUESTION_S)

    assert slot.source.asked == [200, 100]
    assert slot.queued == [(100, 110)]


def test_a_partition_that_failed_while_producers_were_looked_up_takes_nothing_more() -> None:
    slot = Fetching(fetched(stored(200, 10, producer_id=5)))
    slot.loop.run_for(QUESTION_S / 2)

    slot.copy.obstructions.stop_for("failed", cause("batch_refused"))
    slot.loop.run_for(2 * QUESTION_S)

    assert slot.queued == []


def test_an_offset_out_of_range_becomes_a_gap() -> None:
    slot = Fetching(out_of_range())

    slot.loop.run_for(3 * QUESTION_S)

    assert [(gap.from_offset, gap.to_offset) for _copy, gap in slot.gap_log.take_pending()] == [(200, 500)]
    assert slot.source.wanted == {("orders", 0): 500}


def test_no_gap_is_noted_for_a_place_that_was_left_while_the_ends_were_asked_for() -> None:
    slot = Fetching(out_of_range())
    slot.loop.run_for(QUESTION_S / 2)

    slot.copy.restart_at(TOPIC_ID, 950, reset_ids=("r",))
    slot.loop.run_for(3 * QUESTION_S)

    assert slot.gap_log.take_pending() == []
    assert (slot.copy.cursor.offset, slot.source.wanted) == (950, {("orders", 0): 950})


def test_a_batch_damaged_on_the_way_is_fetched_again() -> None:
    slot = Fetching(fetched(damaged(200)), fetched(stored(200, 2)))
    slot.loop.run_for(0.1)
    assert (slot.copy.state, slot.copy.cursor.is_fetching) == ("stalled", False)

    slot.copy.obstructions.recover()  # as the next refresh of the leaders does
    slot.fetch.resume(slot.copy)
    slot.loop.run_for(0.5)

    assert slot.queued == [(200, 202)]


def test_an_unreadable_batch_stops_its_partition_and_not_the_slot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stumble(*_: object) -> None:
        raise IndexError("index out of bounds on dimension 1")

    monkeypatch.setattr(BatchIntake, "queue_batches", stumble)
    slot = Fetching(*[fetched(stored(200, 2))] * MOST_READS)

    slot.read_as_often_as_allowed()

    assert slot.context.failure is None
    assert slot.copy.state == "failed"
    assert slot.copy.obstructions.cause is not None
    assert "IndexError" in slot.copy.obstructions.cause.text


@pytest.mark.parametrize("empty", [0, 1], ids=["at once", "with an empty answer in between"])
def test_a_batch_damaged_at_the_source_stops_its_partition(empty: int) -> None:
    slot = Fetching(fetched(damaged(200)), *[fetched()] * empty, *[fetched(damaged(200))] * (MOST_READS - 1))

    slot.read_as_often_as_allowed()

    assert slot.copy.state == "failed"
    assert slot.copy.obstructions.cause is not None
    assert slot.copy.obstructions.cause.code == "corrupt_batch"
    assert f"{MOST_READS} times" in slot.copy.obstructions.cause.text


def test_answers_with_topic_ids_cost_no_question() -> None:
    slot = Fetching(fetched(stored(200, 10)))

    slot.loop.run_for(3 * QUESTION_S)

    assert (slot.queued, slot.source.asked_ids) == ([(200, 210)], [])


@pytest.mark.parametrize(
    "known", [TOPIC_ID, NO_TOPIC_ID], ids=["the topic is the same", "the cluster has no topic ids"]
)
def test_an_answer_by_name_is_taken_once_the_same_broker_names_the_topic(known: bytes) -> None:
    slot = Fetching(by_name(fetched(stored(200, 10))))
    slot.source.topic_id = known
    slot.loop.run_for(QUESTION_S / 2)
    assert slot.queued == []

    slot.loop.run_for(2 * QUESTION_S)

    assert (slot.queued, slot.source.asked_ids) == ([(200, 210)], [1])


def test_an_answer_by_name_that_brings_nothing_asks_nothing() -> None:
    slot = Fetching(by_name(fetched()))

    slot.loop.run_for(3 * QUESTION_S)

    assert slot.source.asked_ids == []


@pytest.mark.parametrize(
    "answer",
    [
        fetched(stored(200, 10)),
        fetched()._replace(diverging=EpochEnd(1, 50)),
        fetched()._replace(error_code=OUT_OF_RANGE),
    ],
    ids=["records", "a log that was cut", "an offset out of range"],
)
@pytest.mark.parametrize("topic_id", [bytes([9] * 16), b""], ids=["re-created", "gone"])
def test_nothing_is_taken_of_another_topic_under_the_name(answer: FetchedPartition, topic_id: bytes) -> None:
    slot = Fetching(by_name(answer))
    slot.source.topic_id = topic_id

    slot.loop.run_for(3 * QUESTION_S)

    assert (slot.queued, slot.gap_log.take_pending(), slot.copy.cursor.offset) == ([], [], 200)
    assert slot.copy.reason is not None
    assert (slot.copy.state, slot.copy.reason.code) == ("stalled", "topic_recreated")
    assert slot.source.wanted == {}


def test_an_answer_by_name_is_not_taken_while_the_broker_does_not_say_of_what() -> None:
    slot = Fetching(by_name(fetched(stored(200, 10))))
    slot.source.is_away = True

    slot.loop.run_for(3 * QUESTION_S)

    assert slot.queued == []
    assert slot.copy.reason is not None
    assert slot.copy.reason.code == "cluster_unreachable"


def test_a_partition_that_was_moved_while_its_topic_was_asked_for_is_not_stopped() -> None:
    slot = Fetching(by_name(fetched(stored(200, 10))))
    slot.source.topic_id = bytes([9] * 16)
    slot.loop.run_for(QUESTION_S / 2)

    slot.fetch.stop_reading(slot.copy)
    slot.copy.restart_at(slot.source.topic_id, 0, reset_ids=("r",))
    slot.fetch.resume(slot.copy)
    slot.loop.run_for(2 * QUESTION_S)

    assert (slot.copy.obstructions.special, slot.source.wanted) == (None, {("orders", 0): 0})


def test_a_partition_that_is_refused_again_and_again_stays_stalled_with_its_first_cause() -> None:
    slot = Fetching(*[fetched()._replace(error_code=STORAGE_ERROR)] * 3, fetched(stored(200, 2)))
    seen: list[tuple[str, str, int]] = []

    for _ in range(3):
        slot.loop.run_for(0.5)
        slot.copy.obstructions.recover()  # as each refresh of the leaders does
        slot.fetch.resume(slot.copy)
        why = slot.copy.reason
        assert why is not None
        seen.append((slot.copy.state, why.code, why.since_ms))
    slot.loop.run_for(0.5)

    assert {state for state, _code, _since in seen} == {"stalled"}
    assert {code for _state, code, _since in seen} == {"kafka_storage_error"}
    assert len({since for _state, _code, since in seen}) == 1
    assert (slot.copy.state, slot.queued) == ("replicating", [(200, 202)])
