"""Why a task runs where it runs."""

from typing import Any

import pytest

from replication.domain.assignment.lease import LeaseValue
from replication.domain.assignment.move import MOVE_REASONS, MOVE_TEXTS, LastOwner, Move, move_to

MINE = LeaseValue(driver="d2", boot="b9", generation=3)


def before(driver: str, boot: str, **changes: Any) -> LastOwner:
    lease = LeaseValue(driver=driver, boot=boot, generation=2)
    return LastOwner(**{"lease": lease, "is_present": True, **changes})


@pytest.mark.parametrize(
    ("owner", "reason"),
    [
        (before("d2", "b8"), "restarted"),
        (before("d2", "b9"), "replanned"),
        (before("d1", "b1", is_present=False), "driver_gone"),
        (before("d1", "b1", is_drained=True), "drained"),
        (before("d1", "b1"), "rebalanced"),
    ],
)
def test_a_move_has_a_reason_and_the_driver_before(owner: LastOwner, reason: str) -> None:
    assert move_to(MINE, owner, 7) == Move(at_ms=7, reason=reason, from_driver=owner.lease.driver)  # type: ignore[arg-type]


def test_a_task_without_an_owner_before_has_started() -> None:
    assert move_to(MINE, None, 7) == Move(at_ms=7, reason="started", from_driver=None)


def test_every_reason_has_a_text() -> None:
    assert set(MOVE_TEXTS) == set(MOVE_REASONS)
