"""The copies in a remote partition: how many of them are left, and from which source offset on they are missing."""

from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.offsets.positions import NO_TOPIC_ID

DISTRUSTED = 2**63 - 1  # instead of an offset of the target: copies are missing, and the partition waits for a person


def kept_end(acknowledged_end: int, known_id: bytes, topic_id: bytes, log_end: int) -> int | None:
    """Return the downstream offset at which the copies end that are left; None if none is missing.

    `known_id` is the id of the remote topic that the copies were written to, `topic_id` that of the topic of now.
    """
    if acknowledged_end <= 0:
        return None
    if topic_id != known_id and NO_TOPIC_ID not in (topic_id, known_id):
        return 0
    return log_end if log_end < acknowledged_end else None


class CopiedLog:
    """Takes the offset runs of a partition in the order they were written, and holds those of the remote log of now.

    A log grows at its end only. A run that begins before the end of the runs that were written before it therefore
    shows that the log had been truncated there.
    """

    def __init__(self) -> None:
        self._runs: list[tuple[bytes, OffsetRun]] = []  # topic id and run, by downstream offset

    def add(self, segment: RunSegment, *, before: int | None = None) -> None:
        """Add the runs of the next segment that begin `before` this source offset."""
        for run in segment.runs:
            if before is not None and run.upstream >= before:
                continue
            self._truncate(run.downstream)
            self._runs.append((segment.topic_id, run))

    def _truncate(self, end: int) -> None:
        while self._runs and self._runs[-1][1].downstream_end > end:
            topic_id, run = self._runs.pop()
            if run.downstream < end:
                self._runs.append((topic_id, OffsetRun(run.upstream, run.downstream, end - run.downstream)))

    def missing_from(self, kept: int, topic_id: bytes) -> int | None:
        """Return the lowest source offset of this topic that was copied behind `kept`; None if no run tells.

        What was copied after the newest run counts as missing: runs are written with a delay.
        """
        runs = [run for owner, run in self._runs if owner == topic_id]
        missing = [run.upstream + max(0, kept - run.downstream) for run in runs if run.downstream_end > kept]
        if missing:
            return min(missing)
        return runs[-1].upstream_end if runs else None
