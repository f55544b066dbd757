"""The gauge of a slot: its limit, its catch-up time and the data that retention is about to delete."""

from replication.domain.errors import Cause, RetriableError
from replication.domain.fetch.tuning import Tuning
from replication.tasks.partition.entry import Entry
from replication.tasks.reporting.gauge import SlotGauge
from replication.tasks.slot_context import SlotContext
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context, a_copy


class Link:
    """A cluster some way off."""

    def __init__(self, round_trip_ms: float) -> None:
        self._round_trips = [round_trip_ms + 400, round_trip_ms + 30, round_trip_ms]
        self.is_away = False

    async def round_trip_ms(self) -> float:
        if self.is_away:
            raise RetriableError("away")
        return self._round_trips[0] if len(self._round_trips) == 1 else self._round_trips.pop(0)


class Producer:
    def __init__(self) -> None:
        self.is_away = False
        self.connections = 1

    async def widen(self, connections: int) -> int:
        if self.is_away:
            raise RetriableError("away")
        self.connections = connections
        return connections


class MeasuredSlot:
    def __init__(self, source_ms: float = 0.5, target_ms: float = 0.5) -> None:
        self.loop = VirtualLoop()
        self.source, self.target = Link(source_ms), Link(target_ms)
        self.producer = Producer()
        self.context: SlotContext = a_context(
            self.loop, {"source": self.source, "target": self.target, "producer": self.producer}
        )
        self.copy = a_copy(self.context, "orders")
        self.copy.cursor.note_ends(0, 100_000, 100_000)
        self.gauge = SlotGauge(self.context)
        self.loop.spawn(self.gauge.run())

    def set_done(self, next_offset: int) -> None:
        self.copy.progress.advance(Entry(0, next_offset, 0))

    def advance(self, seconds: int, *, copied: int = 0, written: int = 0, deleted: int = 0) -> None:
        """So many seconds, with so many offsets in each."""
        for _ in range(seconds):
            cursor = self.copy.cursor
            self.set_done(self.copy.progress.next_offset + copied)
            log_end = (cursor.log_end or 0) + written
            cursor.note_ends((cursor.log_start or 0) + deleted, log_end, log_end)
            self.gauge.note_lag(self.copy.lag)
            self.loop.run_for(1)

    @property
    def limit(self) -> str | None:
        return None if self.gauge.limit is None else self.gauge.limit.code


def test_a_slot_whose_source_is_not_read_is_not_called_level() -> None:
    slot = MeasuredSlot()
    slot.set_done(100_000)
    slot.copy.cursor.lose_end()
    slot.copy.obstructions.set("fetch", Cause(code="away", text="t", topic=None, partition=None, since_ms=0))
    slot.gauge.note_lag(slot.copy.lag)

    slot.loop.run_for(10)

    assert slot.limit == "blocked"


def test_nothing_limits_a_slot_that_is_level() -> None:
    slot = MeasuredSlot()
    slot.set_done(100_000)

    slot.advance(10)

    assert slot.limit == "caught_up"
    assert slot.gauge.estimate.catch_up_ms == 0


def test_what_waits_to_be_sent_waits_for_the_target_and_an_empty_queue_for_the_source() -> None:
    slot = MeasuredSlot(target_ms=120)
    slot.advance(20, copied=100)
    assert slot.limit == "source_fetch"

    slot.copy.queue.waiting.append(Entry(0, 1, 0))
    slot.advance(20, copied=100)

    assert slot.limit == "target_acks"
    assert slot.gauge.limit is not None
    assert "120 ms" in slot.gauge.limit.text


def test_fetches_that_wait_for_memory_while_nothing_of_the_slot_is_under_way_say_so() -> None:
    slot = MeasuredSlot()

    async def waits() -> None:
        while True:
            await slot.loop.sleep(0.01)
            slot.gauge.note_memory_wait(0.01)

    slot.loop.spawn(waits())
    slot.advance(20, copied=100)

    assert slot.limit == "memory"


def test_the_time_until_level_follows_from_the_speed() -> None:
    slot = MeasuredSlot()

    slot.advance(60, copied=1_000, written=500)

    left = (slot.copy.cursor.log_end or 0) - slot.copy.progress.next_offset
    assert slot.gauge.estimate.catch_up_ms is not None
    assert abs(slot.gauge.estimate.catch_up_ms - left / 500 * 1_000) < 6_000


def test_retention_that_comes_nearer_is_told_with_the_partition_and_the_remedy() -> None:
    slot = MeasuredSlot()
    slot.set_done(10_000)

    slot.advance(60, copied=10, deleted=110, written=200)

    warning, loss_ms = slot.gauge.warning, slot.gauge.estimate.time_to_loss_ms
    assert loss_ms is not None
    assert abs(loss_ms - (10_600 - 6_600) / 100 * 1_000) < 6_000
    assert warning is not None
    assert (warning.code, warning.topic) == ("retention_near", "orders")
    assert "retention.ms" in warning.text

    slot.advance(120, copied=900, deleted=10)

    assert slot.gauge.warning is None


def test_the_smallest_of_the_last_round_trips_sizes_what_is_under_way() -> None:
    near, far = MeasuredSlot(), MeasuredSlot(target_ms=200)

    near.advance(10)
    far.advance(10)

    assert near.gauge.tuning == Tuning()
    assert far.gauge.tuning.requests_in_flight == 20
    assert far.gauge.round_trip_ms == 200


def test_one_slow_answer_does_not_make_a_target_far() -> None:
    slot = MeasuredSlot()

    slot.advance(1)
    assert slot.gauge.round_trip_ms == 0

    slot.advance(9)
    assert slot.gauge.round_trip_ms == 0.5


def test_a_far_target_gets_more_connections_and_a_near_one_keeps_to_one() -> None:
    near, far = MeasuredSlot(), MeasuredSlot(target_ms=120)

    near.advance(100)
    far.advance(10)

    assert (near.producer.connections, near.gauge.connections) == (1, 1)
    assert (far.producer.connections, far.gauge.connections) == (3, 3)


def test_a_target_whose_answers_keep_being_waited_for_gets_one_connection_after_the_other_up_to_four() -> None:
    slot = MeasuredSlot()
    slot.copy.queue.waiting.append(Entry(0, 1, 0))

    slot.advance(40, copied=10)
    assert slot.gauge.connections in (2, 3)
    slot.advance(200, copied=10)

    assert slot.gauge.connections == slot.producer.connections == 4


def test_connections_that_cannot_be_opened_now_are_asked_for_again() -> None:
    slot = MeasuredSlot(target_ms=120)
    slot.producer.is_away = True
    slot.advance(10)
    assert slot.gauge.connections == 1

    slot.producer.is_away = False
    slot.advance(60)

    assert slot.gauge.connections == 3


def test_a_cluster_that_is_away_leaves_what_was_measured() -> None:
    slot = MeasuredSlot(target_ms=200)
    slot.advance(10)
    slot.source.is_away = True

    slot.advance(60)

    assert slot.gauge.tuning.requests_in_flight == 20


def test_a_slot_that_got_level_since_its_last_document_is_not_blocked() -> None:
    slot = MeasuredSlot()
    slot.set_done(100_000)
    slot.gauge.note_lag(30)

    slot.loop.run_for(20)

    assert slot.limit == "caught_up"


def test_a_slot_of_held_partitions_is_not_slow() -> None:
    slot = MeasuredSlot()
    slot.copy.obstructions.set("hold", Cause(code="held", text="t", topic=None, partition=None, since_ms=0))

    slot.advance(10)

    assert slot.limit == "blocked"
