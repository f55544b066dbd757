"""The tasks of a target are made once, until a pause is over."""

from replication.domain.desired.desired_document import DesiredDocument, DesiredFlow, Pause
from replication.domain.identifiers import TaskId
from replication.worker.assignment.target_tasks import TargetView
from replication.worker.state.desired_cache import AppliedDesired

PLAN, HEARTBEAT = TaskId("east", "plan", 0), TaskId("east", "heartbeat", 0)


def view(*flows: DesiredFlow) -> TargetView:
    document = DesiredDocument(target="west", revision=1, published_ms=0, flows=flows)
    applied = AppliedDesired(document=document, clients={}, rejected=())
    return TargetView(target="west", applied=applied, plans={}, assignment={}, leases={})


def test_tasks_are_the_same_object_while_no_pause_ends() -> None:
    seen = view(DesiredFlow(source="east"))

    assert seen.expected(0) == {PLAN, HEARTBEAT}
    assert seen.expected(1_000_000) is seen.expected(0)


def test_a_pause_ends_at_its_time_and_a_clock_that_is_set_back_begins_it_again() -> None:
    seen = view(DesiredFlow(source="east", state="pause", pause=Pause(reason="", by="", until_ms=1_000)))

    assert [seen.expected(at_ms) for at_ms in (0, 999, 1_000, 5_000, 999)] == [
        {HEARTBEAT},
        {HEARTBEAT},
        {PLAN, HEARTBEAT},
        {PLAN, HEARTBEAT},
        {HEARTBEAT},
    ]
