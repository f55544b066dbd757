"""Decides which translated offsets become checkpoints: MirrorMaker 2's rule (`checkpointIsMoreRecent`)."""

from typing import NamedTuple


class GroupProgress(NamedTuple):
    """A group's committed offset on the source, and its place in the remote partition."""

    upstream: int
    downstream: int


def is_newer_checkpoint(last: GroupProgress | None, new: GroupProgress) -> bool:
    """Return True for progress on the target, and where the group was rewound.

    Everything else is repeated, or would move the group back on the target although it only read on.
    """
    return last is None or new.upstream < last.upstream or new.downstream > last.downstream
