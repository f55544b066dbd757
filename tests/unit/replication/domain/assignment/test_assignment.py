"""The tasks that the state of a flow demands, and the role that runs them."""

import pytest

from replication.domain.assignment.assignment import PlannedSlots, role_of, tasks_of
from replication.domain.desired.desired_document import DesiredDocument, DesiredFlow
from replication.domain.desired.desired_flow import FlowState, Pause
from replication.domain.identifiers import TaskId


@pytest.mark.parametrize(
    ("flow", "tasks"),
    [
        (DesiredFlow(source="e"), {"e/heartbeat/0", "e/plan/0", "e/source/0", "e/source/1", "e/checkpoint/0"}),
        (DesiredFlow(source="e", heartbeats=False), {"e/plan/0", "e/source/0", "e/source/1", "e/checkpoint/0"}),
        (DesiredFlow(source="e", state="stop"), set()),
        (DesiredFlow(source="e", state="pause"), {"e/heartbeat/0"}),
        (DesiredFlow(source="e", enabled=False), {"e/heartbeat/0"}),
        (DesiredFlow(source="e", enabled=False, heartbeats=False), set()),
    ],
    ids=["running", "without heartbeats", "stopped", "paused", "disabled", "disabled without heartbeats"],
)
def test_the_state_of_a_flow_decides_its_tasks(flow: DesiredFlow, tasks: set[str]) -> None:
    document = DesiredDocument(target="w", revision=1, published_ms=0, flows=(flow,))

    assert {str(task) for task in tasks_of(document, {"e": PlannedSlots(2, 1)}, now_ms=0)} == tasks


@pytest.mark.parametrize("state", ["pause", "stop"])
def test_a_pause_or_stop_ends_at_its_time(state: FlowState) -> None:
    flow = DesiredFlow(source="e", state=state, pause=Pause(reason="", by="", until_ms=100))
    document = DesiredDocument(target="w", revision=1, published_ms=0, flows=(flow,))

    assert TaskId("e", "plan", 0) not in tasks_of(document, {}, now_ms=99)
    assert tasks_of(document, {}, now_ms=100) == {TaskId("e", "plan", 0), TaskId("e", "heartbeat", 0)}


def test_checkpoints_are_written_by_control_workers() -> None:
    assert role_of(TaskId("e", "checkpoint", 3)) == "control"


def test_a_flow_without_a_plan_has_no_slots_yet() -> None:
    document = DesiredDocument(target="w", revision=1, published_ms=0, flows=(DesiredFlow(source="e"),))

    assert {role_of(task) for task in tasks_of(document, {}, now_ms=0)} == {"control"}
