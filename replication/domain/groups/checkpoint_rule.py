"""Decides which translated offsets become checkpoints: MirrorMaker 2's rule (`checkpointIsMoreRecent`)."""

from typing import Protocol


class GroupProgress(Protocol):
    """A group's committed offset on the source, and its place in the remote partition."""

    @property
    def upstream(self) -> int: ...

    @property
    def downstream(self) -> int: ...


def is_newer_checkpoint(last: GroupProgress | None, upstream: int, downstream: int) -> bool:
    """Return True for progress on the target, and if the group was rewound.

    Everything else is repeated, or would move the group back on the target although it only read on.
    """
    return last is None or upstream < last.upstream or downstream > last.downstream
