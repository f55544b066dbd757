"""The report of a task, as the service reads it."""

from replication.domain.assignment.lease import LeaseValue
from replication.domain.identifiers import TaskId
from replication.worker.assignment.task_status import TaskStatus
from replication.worker.reporting.documents import live_state

LEASE = LeaseValue(driver="d", boot="b", generation=3)


def test_resets_that_are_done_are_answered_by_the_task_that_carried_them_out() -> None:
    status = TaskStatus(state="running", since_ms=1, fields={"done_resets": ["r-1"]})

    assert live_state("west", TaskId("east", "source", 0), LEASE, status, None, now_ms=2)["done_resets"] == ["r-1"]


def test_a_task_without_resets_answers_none() -> None:
    status = TaskStatus(state="running", since_ms=1)

    assert live_state("west", TaskId("east", "plan", 0), LEASE, status, None, now_ms=2)["done_resets"] == []
