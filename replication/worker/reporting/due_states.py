"""Chooses the live states that are published: those that have changed, and each one every few seconds."""

from collections.abc import Mapping
from typing import Any

from replication.domain.assignment.assignment import TaskKey

REPORT_MS = 6_000  # readers drop a state after ten seconds

State = Mapping[str, Any]


class DueStates:
    """Used by the coordinator thread only. Most states of planners, heartbeats and checkpoint tasks rarely change."""

    def __init__(self) -> None:
        self._published: dict[TaskKey, tuple[State, int]] = {}  # without their time, and when by the monotonic clock

    def take(self, states: Mapping[TaskKey, State], now_ms: int) -> list[tuple[TaskKey, State]]:
        """Return the states that are due; they count as published."""
        before, self._published, due = self._published, {}, []
        for key, state in states.items():
            content = {**state, "sent_ms": 0}
            known, at_ms = before.get(key, ({}, 0))
            if content == known and now_ms - at_ms < REPORT_MS:
                self._published[key] = (known, at_ms)
            else:
                self._published[key] = (content, now_ms)
                due.append((key, state))
        return due

    def forget(self) -> None:
        """Redis may have lost what was published."""
        self._published.clear()
