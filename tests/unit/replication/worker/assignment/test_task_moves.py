"""The last owner of a task is remembered, so that its next owner can say why it moved."""

import json
from collections.abc import Sequence
from typing import cast

import pytest

from replication.domain.assignment.lease import LeaseValue
from replication.domain.identifiers import TaskId
from replication.worker.assignment.task_moves import TaskMoves
from replication.worker.state import keys
from replication.worker.state.redis_store import RedisStore
from tests.support.clock import StoppedClock

TASK = TaskId("east", "source", 0)
KEY = ("west", TASK)
BEFORE = LeaseValue(driver="d1", boot="b1", generation=1)
MINE = LeaseValue(driver="d2", boot="b2", generation=1)


class Memberships:
    """Answers reads of membership keys."""

    def __init__(self, **members: object) -> None:
        self._values = {keys.member(name, "data"): json.dumps(member).encode() for name, member in members.items()}

    def get(self, names: Sequence[str]) -> list[bytes | None]:
        return [self._values.get(name) for name in names]


def moves(**members: object) -> TaskMoves:
    made = TaskMoves(cast("RedisStore", Memberships(**members)), StoppedClock())
    made.see("west", {TASK: BEFORE})
    made.see("west", {TASK: None})  # released, or expired
    return made


def reason(of: TaskMoves) -> str:
    of.note(KEY, MINE, of.last_owner(KEY))
    move = of.of(KEY)
    assert move is not None
    assert move.from_driver == "d1"
    return move.reason


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        ({"boot": "b1"}, "rebalanced"),
        ({"boot": "b1", "drain": True}, "drained"),
        ({"boot": "b1", "leaving": True}, "driver_gone"),
        ({"boot": "another start"}, "driver_gone"),
        (["not a membership"], "driver_gone"),
    ],
)
def test_the_membership_of_the_last_owner_decides_the_reason(member: object, expected: str) -> None:
    assert reason(moves(d1=member)) == expected


def test_without_a_membership_the_driver_is_gone() -> None:
    assert reason(moves()) == "driver_gone"


def test_a_task_that_no_one_was_seen_to_hold_has_started() -> None:
    made = TaskMoves(cast("RedisStore", Memberships()), StoppedClock())

    made.note(KEY, MINE, made.last_owner(KEY))

    assert (move := made.of(KEY)) is not None
    assert (move.reason, move.from_driver) == ("started", None)


def test_a_task_that_left_has_no_move_and_one_that_ended_no_owner() -> None:
    made = moves()
    made.note(KEY, MINE, made.last_owner(KEY))

    made.forget(KEY)
    made.see("west", {})

    assert made.of(KEY) is None
    assert made.last_owner(KEY) is None
