"""Decisions of the leader: tasks of departed drivers wait or move, and a task that may not run has no driver."""

import json
from typing import Any

from replication.domain.assignment.lease import LeaseValue
from replication.domain.desired.desired_document import (
    ConnectorSettings,
    DesiredCluster,
    DesiredDocument,
    DesiredFlow,
)
from replication.domain.identifiers import TaskId
from replication.domain.plan.plan_document import PlanDocument
from replication.worker.assignment.decision import NO_ONE, Decision, RulesCache
from replication.worker.assignment.roster import Roster
from replication.worker.assignment.target_tasks import TargetView
from replication.worker.state.desired_cache import AppliedDesired
from replication.worker.state.redis_store import MemberRecord

SLOTS = [TaskId("east", "source", number) for number in range(2)]


def record(driver: str, *, left_ms: int = 10_000, **fields: Any) -> MemberRecord:
    document = {"id": driver, "role": "data", "targets": ["west"], "boot": "b", "drain": False, **fields}
    return MemberRecord(document=json.dumps(document).encode(), remaining_ms=left_ms)


def view(owners: dict[int, str], **settings: str) -> TargetView:
    """Two slots, held by the drivers that they are assigned to."""
    named = {key.replace("_", "."): value for key, value in settings.items()}
    flow = DesiredFlow(source="east", heartbeats=False, connectors=ConnectorSettings(source=named))
    document = DesiredDocument(
        target="west",
        revision=1,
        published_ms=0,
        clusters={alias: DesiredCluster(bootstrap=("x:1",)) for alias in ("east", "west")},
        flows=(flow,),
    )
    plan = PlanDocument(
        target="west",
        source="east",
        generation=1,
        version=1,
        desired_revision=1,
        planned_ms=0,
        tasks_max=2,
        topics=(),
        slots=((), ()),
    )
    held = {SLOTS[number]: LeaseValue(driver=driver, boot="b", generation=1) for number, driver in owners.items()}
    return TargetView(
        target="west",
        applied=AppliedDesired(document=document, clients={}, rejected=()),
        plans={"east": plan},
        assignment={str(SLOTS[number]): driver for number, driver in owners.items()},
        leases=held,
    )


class Leadership:
    """A leader at the times that the test gives it."""

    def __init__(self) -> None:
        self.roster, self.rules = Roster(), RulesCache()
        self.problems: list[str] = []

    def decide(self, seen: TargetView, *records: MemberRecord, at_ms: int = 0) -> list[str | None]:
        """Return the drivers of both slots."""
        self.roster.update(records, at_ms)
        made = Decision([seen], self.roster, self.rules, now_ms=at_ms, wall_ms=0, balances_loads=False)
        wanted = made.assignment(seen)
        self.problems = [text for (_, task), text in sorted(made.problems.items()) if task in SLOTS]
        return [wanted.get(str(slot)) for slot in SLOTS]


BOTH = {0: "a", 1: "b"}


def test_tasks_of_a_driver_that_is_gone_move_at_once() -> None:
    leader = Leadership()
    leader.decide(view(BOTH), record("a"), record("b"))

    assert leader.decide(view(BOTH), record("a"), at_ms=1_000) == ["a", "a"]


def test_tasks_of_a_driver_that_stops_or_is_silent_move_at_once() -> None:
    for leaving in (record("b", leaving=True), record("b", left_ms=3_000)):
        assert Leadership().decide(view(BOTH), record("a"), leaving) == ["a", "a"]


def test_tasks_of_a_driver_that_returns_wait_for_the_delay_of_their_flow() -> None:
    leader, returning = Leadership(), record("b", leaving=True, returning_until_ms=1)
    seen = view(BOTH, srm_rebalance_delay_ms="5000")
    leader.decide(seen, record("a"), record("b"))

    assert leader.decide(seen, record("a"), returning, at_ms=1_000) == ["a", "b"]
    assert "b has stopped and is expected to return" in leader.problems[0]
    assert leader.decide(seen, record("a"), returning, at_ms=5_999) == ["a", "b"]
    assert leader.decide(seen, record("a"), returning, at_ms=6_000) == ["a", "a"]


def test_a_driver_that_has_returned_is_balanced_again() -> None:
    leader, returning = Leadership(), record("b", leaving=True, returning_until_ms=1)
    leader.decide(view(BOTH), record("a"), returning)

    assert leader.decide(view(BOTH), record("a"), record("b"), at_ms=59_000) == ["a", "b"]
    assert leader.decide(view(BOTH), record("a"), returning, at_ms=90_000) == ["a", "b"]


def test_where_connect_waits_every_departed_driver_is_waited_for() -> None:
    leader, seen = Leadership(), view(BOTH, scheduled_rebalance_max_delay_ms="5000")
    leader.decide(seen, record("a"), record("b"))

    assert leader.decide(seen, record("a"), at_ms=1_000) == ["a", "b"]
    assert leader.decide(seen, record("a"), at_ms=6_000) == ["a", "a"]


def test_a_slot_without_a_driver_with_its_labels_is_stopped() -> None:
    leader = Leadership()

    assert leader.decide(view(BOTH, srm_driver_labels="region=eu"), record("a"), record("b")) == [NO_ONE, NO_ONE]
    assert "region=eu" in leader.problems[0]


def test_without_any_driver_tasks_stay_assigned_to_their_last_ones() -> None:
    leader = Leadership()

    assert leader.decide(view(BOTH)) == ["a", "b"]
    assert "no data worker serves west" in leader.problems[0]


def test_a_membership_that_cannot_be_parsed_is_ignored() -> None:
    damaged = MemberRecord(document=b"[]", remaining_ms=9_000)

    assert Leadership().decide(view(BOTH), record("a"), damaged) == ["a", "a"]
