"""Which changes of partition states are events: those that a person would want to find in the history.

Going up and down between level and copying is daily business, and a throttle may come and go each second.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from replication.domain.errors import Cause

_NOTABLE = frozenset({"paused", "stalled", "gap", "failed"})
MOST_EVENTS = 200  # of one look; beyond that something happened to all of them, which the first ones tell

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class StateChange(Generic[Key]):
    """One thing went from one state to another, and why."""

    key: Key
    from_state: str | None
    to_state: str
    cause: Cause | None


class StateEvents(Generic[Key]):
    """Remembers the states of the last look."""

    def __init__(self) -> None:
        self._states: dict[Key, str] = {}

    def look(self, now: Mapping[Key, tuple[str, Cause | None]]) -> list[StateChange[Key]]:
        """The notable changes since the last look; what was never seen before changes only into a notable state."""
        changes = []
        for key, (state, cause) in now.items():
            before = self._states.get(key)
            if state != before and (state in _NOTABLE or before in _NOTABLE):
                changes.append(StateChange(key, before, state, cause))
        self._states = {key: state for key, (state, _) in now.items()}
        return changes[:MOST_EVENTS]
