"""The obstructions of a partition: what keeps it from advancing, other than speed."""

from typing import Literal

from replication.domain.errors import Cause
from replication.domain.health.partition_state import PartitionState

SpecialState = Literal["failed", "gap", "stalled"]
Owner = Literal["failed", "gap", "hold", "stalled", "fetch", "source", "target", "progress"]
"""Who says so: a person's hold, a fetch that failed, an open transaction at the source, batches the target sends back,
no progress for some time; or a state that the partition was put into."""

# The first owner with a cause decides the partition's state.
_STATES: tuple[tuple[Owner, PartitionState], ...] = (
    ("failed", "failed"),
    ("gap", "gap"),
    ("hold", "paused"),
    ("stalled", "stalled"),
    ("fetch", "stalled"),
    ("source", "stalled"),
    ("target", "stalled"),
    ("progress", "stalled"),
)


class Obstructions:
    """Maps owners to causes. State and flags are derived once per change: they are read thousands of times a second."""

    __slots__ = ("_causes", "_last_cause", "are_noted", "is_dead", "special", "state")

    def __init__(self) -> None:
        self._causes: dict[Owner, Cause] = {}
        self._last_cause: Cause | None = None  # of the last special state, until the partition advances
        self.special: SpecialState | None = None
        self.state: PartitionState | None = None  # None: nothing is in the way
        self.is_dead = False  # only a person can end it: nothing more is fetched, what is queued still goes out
        self.are_noted = False  # there is something that an acknowledged batch may clear

    @property
    def cause(self) -> Cause | None:
        """The cause of the special state."""
        return None if self.special is None else self._causes[self.special]

    @property
    def reason(self) -> Cause | None:
        """The cause that decides the state."""
        return next((self._causes[owner] for owner, _ in _STATES if owner in self._causes), None)

    @property
    def may_fetch(self) -> bool:
        """False while the partition is held or in a special state."""
        return self.special is None and "hold" not in self._causes

    def of(self, owner: Owner) -> Cause | None:
        """Return the owner's cause."""
        return self._causes.get(owner)

    def set(self, owner: Owner, cause: Cause) -> None:
        """The owner has this cause, until `clear`."""
        self._causes[owner] = cause
        self._derive()

    def clear(self, owner: Owner) -> None:
        """The owner has no cause any more."""
        if self._causes.pop(owner, None) is not None:
            self._derive()

    def stop_for(self, state: SpecialState, cause: Cause) -> None:
        """Put the partition into a special state; the cause is kept from its first moment.

        What passes does not hide what only a person ends.
        """
        if state == "stalled" and self.is_dead:
            return
        known = self.cause or self._last_cause
        if self.special is not None:
            del self._causes[self.special]
        self.special = state
        self.set(state, known if known is not None and known.code == cause.code else cause)

    def stall_fetch(self, cause: Cause) -> None:
        """A fetch failed; that stays known until one succeeds."""
        self.stop_for("stalled", cause)
        self.set("fetch", self.cause or cause)

    def recover(self) -> None:
        """End the special state; its cause is remembered in case the partition does not advance."""
        if self.special is not None:
            self._last_cause = self._causes.pop(self.special)
            self.special = None
            self._derive()

    def note_advance(self) -> None:
        """The target took a batch."""
        self._last_cause = None
        self._causes.pop("target", None)
        self._causes.pop("progress", None)
        self._derive()

    def _derive(self) -> None:
        causes = self._causes
        self.state = next((state for owner, state in _STATES if owner in causes), None) if causes else None
        self.is_dead = self.special in ("failed", "gap")
        self.are_noted = "target" in causes or "progress" in causes or self._last_cause is not None
