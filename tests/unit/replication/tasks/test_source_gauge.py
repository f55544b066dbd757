"""What a slot finds out about itself: what limits it, when it is level, and what it is about to lose."""

from replication.domain.errors import Cause, RetriableError
from replication.domain.tuning import Tuning
from replication.tasks.entry import Entry
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_gauge import SourceGauge
from tests.support.virtual_loop import VirtualLoop
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


class Writer:
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
        self.writer = Writer()
        self.context: SlotContext = a_context(
            self.loop, {"reader": self.source, "history": self.target, "writer": self.writer}
        )
        self.copy = a_copy(self.context, "orders")
        self.copy.log_start, self.copy.log_end = 0, 100_000
        self.loop.spawn(SourceGauge(self.context).run())

    def go_on(self, seconds: int, *, copied: int = 0, written: int = 0, deleted: int = 0) -> None:
        """So many seconds, with so many offsets in each."""
        for _ in range(seconds):
            self.copy.done_next += copied
            self.copy.log_end = (self.copy.log_end or 0) + written
            self.copy.log_start = (self.copy.log_start or 0) + deleted
            self.context.lag = self.copy.lag
            self.loop.run_for(1)

    @property
    def limit(self) -> str | None:
        return None if self.context.limit is None else self.context.limit.code


def test_nothing_limits_a_slot_that_is_level() -> None:
    slot = MeasuredSlot()
    slot.copy.done_next = 100_000

    slot.go_on(10)

    assert slot.limit == "caught_up"
    assert slot.context.outlook.catch_up_ms == 0


def test_what_waits_to_be_sent_waits_for_the_target_and_an_empty_queue_for_the_source() -> None:
    slot = MeasuredSlot(target_ms=120)
    slot.go_on(20, copied=100)
    assert slot.limit == "source_fetch"

    slot.copy.queue.append(Entry(0, 1, 0))
    slot.go_on(20, copied=100)

    assert slot.limit == "target_acks"
    assert slot.context.limit is not None
    assert "120 ms" in slot.context.limit.text


def test_fetches_that_wait_for_memory_while_nothing_of_the_slot_is_under_way_say_so() -> None:
    slot = MeasuredSlot()

    async def waits() -> None:
        while True:
            await slot.loop.sleep(0.01)
            slot.context.without_memory_s += 0.01

    slot.loop.spawn(waits())
    slot.go_on(20, copied=100)

    assert slot.limit == "memory"


def test_the_time_until_level_follows_from_the_speed() -> None:
    slot = MeasuredSlot()

    slot.go_on(60, copied=1_000, written=500)

    left = (slot.copy.log_end or 0) - slot.copy.done_next
    assert slot.context.outlook.catch_up_ms is not None
    assert abs(slot.context.outlook.catch_up_ms - left / 500 * 1_000) < 6_000


def test_retention_that_comes_nearer_is_told_with_the_partition_and_the_remedy() -> None:
    slot = MeasuredSlot()
    slot.copy.done_next = 10_000

    slot.go_on(60, copied=10, deleted=110, written=200)

    warning, loss_ms = slot.context.warning, slot.context.outlook.time_to_loss_ms
    assert loss_ms is not None
    assert abs(loss_ms - (10_600 - 6_600) / 100 * 1_000) < 6_000
    assert warning is not None
    assert (warning.code, warning.topic) == ("retention_near", "orders")
    assert "retention.ms" in warning.text

    slot.go_on(120, copied=900, deleted=10)

    assert slot.context.warning is None


def test_the_smallest_of_the_last_round_trips_sizes_what_is_under_way() -> None:
    near, far = MeasuredSlot(), MeasuredSlot(target_ms=200)

    near.go_on(10)
    far.go_on(10)

    assert near.context.tuning == Tuning()
    assert far.context.tuning.requests_in_flight == 20
    assert far.context.round_trip_ms == 200


def test_one_slow_answer_does_not_make_a_target_far() -> None:
    slot = MeasuredSlot()

    slot.go_on(1)
    assert slot.context.round_trip_ms == 0

    slot.go_on(9)
    assert slot.context.round_trip_ms == 0.5


def test_a_far_target_gets_more_connections_and_a_near_one_keeps_to_one() -> None:
    near, far = MeasuredSlot(), MeasuredSlot(target_ms=120)

    near.go_on(100)
    far.go_on(10)

    assert (near.writer.connections, near.context.connections) == (1, 1)
    assert (far.writer.connections, far.context.connections) == (3, 3)


def test_a_target_whose_answers_keep_being_waited_for_gets_one_connection_after_the_other_up_to_four() -> None:
    slot = MeasuredSlot()
    slot.copy.queue.append(Entry(0, 1, 0))

    slot.go_on(40, copied=10)
    assert slot.context.connections in (2, 3)
    slot.go_on(200, copied=10)

    assert slot.context.connections == slot.writer.connections == 4


def test_connections_that_cannot_be_opened_now_are_asked_for_again() -> None:
    slot = MeasuredSlot(target_ms=120)
    slot.writer.is_away = True
    slot.go_on(10)
    assert slot.context.connections == 1

    slot.writer.is_away = False
    slot.go_on(60)

    assert slot.context.connections == 3


def test_a_cluster_that_is_away_leaves_what_was_measured() -> None:
    slot = MeasuredSlot(target_ms=200)
    slot.go_on(10)
    slot.source.is_away = True

    slot.go_on(60)

    assert slot.context.tuning.requests_in_flight == 20


def test_a_slot_that_got_level_since_its_last_document_is_not_blocked() -> None:
    slot = MeasuredSlot()
    slot.copy.done_next = 100_000
    slot.context.lag = 30

    slot.loop.run_for(20)

    assert slot.limit == "caught_up"


def test_a_slot_of_held_partitions_is_not_slow() -> None:
    slot = MeasuredSlot()
    slot.copy.hold = Cause(code="held", text="t", topic=None, partition=None, since_ms=0)

    slot.go_on(10)

    assert slot.limit == "blocked"
