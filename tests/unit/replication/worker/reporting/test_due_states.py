"""The choice of live states to publish."""

from typing import Any

from replication.domain.assignment.assignment import TaskKey
from replication.domain.identifiers import TaskId
from replication.worker.reporting.due_states import REPORT_MS, DueStates

PLAN: TaskKey = ("west", TaskId("east", "plan", 0))
BEAT: TaskKey = ("west", TaskId("east", "heartbeat", 0))


def states(now_ms: int, **changes: Any) -> dict[TaskKey, dict[str, Any]]:
    plan = {"state": "running", "sent_ms": now_ms}
    return {PLAN: plan, BEAT: {"state": "running", "last_sent_ms": 5, "sent_ms": now_ms, **changes}}


def keys(found: list[tuple[TaskKey, Any]]) -> set[TaskKey]:
    return {key for key, _ in found}


def test_a_state_that_has_not_changed_is_published_every_six_seconds() -> None:
    due = DueStates()

    assert keys(due.take(states(1_000), 1_000)) == {PLAN, BEAT}
    assert due.take(states(2_000), 2_000) == []
    assert due.take(states(6_999), 6_999) == []
    assert keys(due.take(states(7_000), 1_000 + REPORT_MS)) == {PLAN, BEAT}


def test_a_change_is_published_at_once_with_its_time() -> None:
    due = DueStates()
    due.take(states(1_000), 1_000)

    [(key, state)] = due.take(states(2_000, last_sent_ms=6), 2_000)

    assert (key, state["last_sent_ms"], state["sent_ms"]) == (BEAT, 6, 2_000)


def test_a_task_that_came_back_and_a_redis_that_came_back_get_every_state() -> None:
    due = DueStates()
    due.take(states(1_000), 1_000)
    due.take({PLAN: states(2_000)[PLAN]}, 2_000)

    assert keys(due.take(states(3_000), 3_000)) == {BEAT}
    due.forget()
    assert keys(due.take(states(4_000), 4_000)) == {PLAN, BEAT}
