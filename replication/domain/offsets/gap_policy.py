"""The effects of a flow's gap policy."""

from replication.domain.settings.choices import GapPolicy


def stops_at_gap(policy: GapPolicy) -> bool:
    """Return True when a partition waits at a gap until a person decides."""
    return policy == "stop"


def copies_from_start(policy: GapPolicy) -> bool:
    """Return True when a partition without a valid position is copied again from the start of the log."""
    return policy == "restart_generation"
