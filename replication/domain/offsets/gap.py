"""Gaps: source records that will not be copied, recorded and shown instead of passed over."""

from dataclasses import dataclass
from typing import Literal

from replication.domain.settings.choices import GapPolicy, TargetPolicy

GapCause = Literal[
    "out_of_range",
    "topic_recreated",
    "epoch_divergence",
    "retention",
    "skipped",
    "positions_lost",
    "target_truncated",
]
_FOUND_AT_THE_END = ("out_of_range", "epoch_divergence", "target_truncated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One gap of one partition; `to_offset` and `count` are None where they can no longer be known."""

    source: str
    target: str
    topic: str
    topic_id: bytes
    partition: int
    cause: GapCause
    from_offset: int
    to_offset: int | None
    count: int | None
    detected_ms: int
    policy: GapPolicy | TargetPolicy

    @property
    def found_at(self) -> int | None:
        """The offset the partition had reached when the gap was found; the other end may move with the log."""
        return self.to_offset if self.cause in _FOUND_AT_THE_END else self.from_offset

    def is_same(self, other: "Gap") -> bool:
        """Return True when both describe one gap: a partition that waits at a gap finds it again at each start."""
        return (self.topic_id, self.cause, self.found_at) == (other.topic_id, other.cause, other.found_at)


@dataclass(frozen=True, slots=True)
class Resume:
    """The offset at which copying continues after a gap, and the cause of the gap."""

    cause: GapCause
    offset: int
    gap_from: int
    gap_to: int | None


def resume_out_of_range(position: int, log_start: int, log_end: int) -> Resume:
    """The position is outside of the source log.

    Below the log start: retention or a delete overtook us, resume at the log start. Above the log end: the log was cut
    and nothing shows where, so begin at the log start as MirrorMaker 2 does; records come twice rather than not at all.
    """
    if position < log_start:
        return Resume("retention", log_start, position, log_start)
    if position > log_end:
        return Resume("out_of_range", log_start, log_end, position)
    return Resume("out_of_range", position, position, position)
