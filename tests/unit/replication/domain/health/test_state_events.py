import pytest

from replication.domain.errors import Cause
from replication.domain.health.state_events import MOST_EVENTS, StateChange, StateEvents

CAUSE = Cause(code="not_leader", text="the leader moved", topic="orders", partition=0, since_ms=1)


@pytest.mark.parametrize(
    ("before", "after", "is_event"),
    [
        ("replicating", "caught_up", False),
        ("caught_up", "throttled", False),
        ("replicating", "stalled", True),
        ("stalled", "replicating", True),
        ("stalled", "stalled", False),
        ("paused", "failed", True),
        ("gap", "caught_up", True),
    ],
)
def test_only_a_change_into_or_out_of_trouble_is_an_event(before: str, after: str, is_event: bool) -> None:
    events: StateEvents[str] = StateEvents()
    events.changes({"orders": (before, None)})

    assert events.changes({"orders": (after, CAUSE)}) == (
        [StateChange("orders", before, after, CAUSE)] if is_event else []
    )


def test_what_is_seen_first_in_trouble_is_an_event_with_no_state_before() -> None:
    events: StateEvents[str] = StateEvents()

    found = events.changes({"orders": ("failed", CAUSE), "clicks": ("replicating", None)})

    assert found == [StateChange("orders", None, "failed", CAUSE)]


def test_one_look_is_bounded_and_what_was_skipped_is_not_told_later() -> None:
    events: StateEvents[int] = StateEvents()
    states = dict.fromkeys(range(MOST_EVENTS + 50), ("stalled", CAUSE))

    assert len(events.changes(states)) == MOST_EVENTS
    assert events.changes(states) == []
