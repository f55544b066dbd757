"""Of two slots that may have a partition, never both can commit it, whoever starts, claims or is cut off when."""

from dataclasses import replace
from typing import Any

import pytest

from replication.domain.errors import FencedError, ReplicationError, RetriableError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.produce import hand_over
from replication.domain.produce.hand_over import GIVING_S, GONE_S, patience_s
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.tasks.hand_over import HandOver
from tests.unit.replication.tasks.a_slot import planned
from tests.unit.replication.tasks.produce.test_slot_takeover import Flow, Slot

ORDERS = TopicPartition("orders", 0)
SHORT_S = 0.3


class Moving(Slot):
    """A slot of the flow that follows the layouts it is told."""

    def __init__(self, flow: Flow, slot: int, layout: int, *, has_partition: bool, round_trip_s: float = 0.01) -> None:
        super().__init__(flow.slot(slot=slot, round_trip_s=round_trip_s).context)
        partitions = (replace(planned("orders"), since_layout=layout),) if has_partition else ()
        self.context.spec = replace(self.context.spec, layout=layout, slots=2, partitions=partitions)
        self.hand_over = HandOver(self.context, self.takeover)
        self.has_taken = False

    async def take(self, after_s: float = 0.0) -> None:
        """Start, and wait until the partition may be taken."""
        await self.start(after_s)
        while not self.has_taken:
            await self.hand_over.refresh()
            self.has_taken = self.hand_over.may_take(self.context.spec.partitions[0])
            if not self.has_taken:
                await self.hand_over.fence_late()
                await self.context.ports.loop.sleep(0.01)

    async def follow(self, layout: int) -> None:
        """Work by the layout, which gives the partition to another slot; give it up at once."""
        self.context.spec = replace(self.context.spec, layout=layout, partitions=(), moved_away=((ORDERS, 1),))
        await self.hand_over.refresh()
        await self.hand_over.note_given()


def can_commit(flow: Flow, slot: Slot) -> bool:
    error = flow.run(slot.commit(1))[0]
    assert error is None or isinstance(error, FencedError)
    return error is None


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_over, "BEHIND_S", SHORT_S)


@pytest.mark.parametrize("delay_ms", range(-400, 400, 7))
def test_of_an_owner_with_an_older_layout_and_the_next_one_that_start_in_any_order_only_one_can_commit(
    delay_ms: int,
) -> None:
    flow = Flow()
    old = Moving(flow, 0, 0, has_partition=True)
    new = Moving(flow, 1, 1, has_partition=True)

    started, taken = flow.run(old.take(max(0, -delay_ms) / 1000), new.take(max(0, delay_ms) / 1000))

    assert taken is None
    assert started is None or isinstance(started, ReplicationError)
    assert can_commit(flow, new)
    assert started is not None or not can_commit(flow, old)


@pytest.mark.parametrize("delay_ms", range(0, 200, 7))
def test_an_owner_that_follows_gives_its_partition_up_and_is_not_fenced(delay_ms: int) -> None:
    flow = Flow()
    old = Moving(flow, 0, 0, has_partition=True)
    new = Moving(flow, 1, 1, has_partition=True)
    assert flow.run(old.take()) == [None]

    async def follow() -> None:
        await flow.loop.sleep(delay_ms / 1000)
        assert not new.has_taken
        await old.follow(1)

    assert flow.run(new.take(), follow()) == [None, None]
    assert can_commit(flow, old)  # its other partitions


@pytest.mark.parametrize("delay_ms", range(-300, 300, 11))
def test_stale_starts_of_both_slots_never_make_two_owners(delay_ms: int) -> None:
    """A has released the partition, and B has it; both slots are started again under the plan before."""
    flow = Flow()
    first, new = Moving(flow, 0, 0, has_partition=True), Moving(flow, 1, 1, has_partition=True)
    assert flow.run(first.take()) == [None]
    assert flow.run(first.follow(1), new.take()) == [None, None]

    stale = [Moving(flow, 0, 0, has_partition=True), Moving(flow, 1, 0, has_partition=False)]
    ended = flow.run(stale[0].start(max(0, -delay_ms) / 1000), stale[1].start(max(0, delay_ms) / 1000))

    assert [isinstance(error, RetriableError) for error in ended] == [True, True]
    again = Moving(flow, 1, 1, has_partition=True)
    assert flow.run(again.take()) == [None]
    assert [can_commit(flow, each) for each in (new, *stale[1:], again)] == [False, False, True]


def test_a_former_owner_cannot_change_the_claim_of_its_successor() -> None:
    flow = Flow()
    zombie, owner = Moving(flow, 0, 0, has_partition=True), Moving(flow, 0, 0, has_partition=True)
    assert flow.run(zombie.take()) == [None]
    assert flow.run(owner.take()) == [None]

    assert isinstance(flow.run(zombie.follow(1))[0], FencedError)
    assert isinstance(flow.run(zombie.takeover.claim.end())[0], FencedError)

    assert [(each.layout, each.has_ended) for each in flow.entries()] == [(0, False)]


def test_a_partition_is_given_when_its_next_slot_runs_with_the_layout() -> None:
    flow = Flow()
    old = Moving(flow, 0, 0, has_partition=True)
    new = Moving(flow, 1, 1, has_partition=True)
    assert flow.run(old.take()) == [None]
    old.context.spec = replace(old.context.spec, layout=1, partitions=(), moved_away=((ORDERS, 1),))
    assert flow.run(old.hand_over.refresh()) == [None]
    assert (old.hand_over.may_give(ORDERS), old.hand_over.may_give(TopicPartition("others", 0))) == (False, True)

    assert flow.run(new.start()) == [None]
    assert flow.run(old.hand_over.refresh()) == [None]

    assert old.hand_over.may_give(ORDERS)
    assert old.hand_over.is_under_way
    assert flow.run(old.hand_over.note_given()) == [None]
    assert not old.hand_over.is_under_way


@pytest.mark.parametrize("how", ["ended", "released"])
def test_a_slot_that_has_ended_or_released_its_partitions_is_in_nobodys_way(how: str) -> None:
    flow = Flow()
    old, new = Moving(flow, 0, 0, has_partition=True), Moving(flow, 1, 1, has_partition=True)
    assert flow.run(old.take()) == [None]
    assert flow.run(old.takeover.claim.end() if how == "ended" else old.follow(1)) == [None]
    since_s = flow.loop.monotonic_s()

    assert flow.run(new.take()) == [None]

    assert flow.loop.monotonic_s() - since_s < 0.2
    assert flow.target.coordinator.is_owner("srm.b.a.0.g1", old.context.ports.transactions.identity.epoch)  # type: ignore[attr-defined]


def test_the_fence_is_noted_so_that_no_other_slot_repeats_it() -> None:
    flow = Flow()
    old = Moving(flow, 0, 0, has_partition=True)
    assert flow.run(old.take()) == [None]
    takers: list[Any] = [Moving(flow, number, 1, has_partition=True) for number in (1, 2, 3)]

    assert flow.run(*(each.take() for each in takers)) == [None] * 3

    assert {each.slot: (each.layout, each.released) for each in flow.entries()}[0] == (1, 1)
    assert not can_commit(flow, old)
    before = flow.target.log(PRODUCERS_TOPIC).end
    assert flow.run(Moving(flow, 4, 1, has_partition=True).take()) == [None]
    assert flow.target.log(PRODUCERS_TOPIC).end == before + 1


@pytest.mark.parametrize(
    ("slot", "layout", "seconds"), [(5, 0, GONE_S), (5, 3, GONE_S), (1, 2, SHORT_S), (1, 3, GIVING_S)]
)
def test_who_is_likely_to_answer_gets_more_time(slot: int, layout: int, seconds: float) -> None:
    claim = RegisteredProducer(producer_id=1, source="a", target="b", slot=slot, since_ms=0, layout=layout)

    assert patience_s(claim, 3, 5) == seconds
