"""The herder status of flows and drivers: five numbers, from one table."""

from typing import get_args

import pytest

from replication.domain.health.flow_facts import FLOW_STATUS_WORDS, FlowStatusWord, StatusCause, TaskFact, TaskState
from replication.domain.health.herder_status import HerderStatus, herder_status, herder_status_of_tasks

CODES = {
    "disabled": 0,
    "paused": 0,
    "idle": 0,
    "unknown": 1,
    "failed": 4,
    "interrupted": 3,
    "starting": 2,
    "degraded": 0,
    "healthy": 0,
}


@pytest.mark.parametrize("word", FLOW_STATUS_WORDS)
def test_every_status_of_a_flow_has_its_code(word: FlowStatusWord) -> None:
    assert herder_status(word) == CODES[word]


def task(state: TaskState, code: str = "", frozen_ms: int = 0) -> TaskFact:
    cause = StatusCause(code=code, text="any") if code else None
    return TaskFact(state=state, since_ms=1, cause=cause, frozen_ms=frozen_ms)


@pytest.mark.parametrize(
    ("tasks", "code"),
    [
        ([], HerderStatus.HEALTHY),
        ([task("running")], HerderStatus.HEALTHY),
        ([task("running"), task("starting")], HerderStatus.STARTING),
        ([task("running"), task("unassigned")], HerderStatus.INTERRUPTED),
        ([task("running"), task("running", frozen_ms=60_000)], HerderStatus.INTERRUPTED),
        ([task("failed", "cluster_unreachable"), task("running")], HerderStatus.INTERRUPTED),
        ([task("failed", "cluster_unreachable"), task("failed", "fatal")], HerderStatus.FAILED),
    ],
)
def test_a_driver_is_as_well_as_its_worst_task(tasks: list[TaskFact], code: HerderStatus) -> None:
    assert herder_status_of_tasks(tasks) == code


def test_every_state_of_a_task_has_a_code() -> None:
    assert {herder_status_of_tasks([task(state)]) for state in get_args(TaskState)} <= set(HerderStatus)
