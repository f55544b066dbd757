"""Selects the changes of partition states that are events: those that a person wants to find in the history.

Partitions change between level and copying all the time, and a throttle may begin and end each second.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, get_args

from replication.domain.errors import Cause
from replication.domain.health.partition_state import NOTABLE_STATES, PartitionState
from replication.domain.settings.choices import ErrorsPolicy

EventScope = Literal["slot", "partition", "record"]
SlotState = Literal["running", "stopped", "failed"]
# the states into which slots and partitions go, and the policies that are applied to rejected records
EVENT_STATES: tuple[str, ...] = tuple(
    dict.fromkeys((*get_args(SlotState), *get_args(PartitionState), *get_args(ErrorsPolicy)))
)
MOST_EVENTS = 200  # of one comparison; beyond that something happened to all of them, which the first ones show

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class StateChange(Generic[Key]):
    """One thing went from one state to another, and why."""

    key: Key
    from_state: str | None
    to_state: str
    cause: Cause | None


class StateEvents(Generic[Key]):
    """Remembers the states of the last comparison."""

    def __init__(self) -> None:
        self._states: dict[Key, str] = {}

    def changes(self, now: Mapping[Key, tuple[str, Cause | None]]) -> list[StateChange[Key]]:
        """Return the notable changes since the last call; a new partition changes only into a notable state."""
        changes = []
        for key, (state, cause) in now.items():
            before = self._states.get(key)
            if state != before and (state in NOTABLE_STATES or before in NOTABLE_STATES):
                changes.append(StateChange(key, before, state, cause))
        self._states = {key: state for key, (state, _) in now.items()}
        return changes[:MOST_EVENTS]
