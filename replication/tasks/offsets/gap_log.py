"""The gaps of a slot: those to write down, those to report, and how many there were."""

from collections.abc import Sequence
from typing import NamedTuple

from replication.domain.offsets.gap import Gap
from replication.tasks.partition.partition_copy import PartitionCopy


class PendingGap(NamedTuple):
    """A gap that is not written down yet, and the copy that waits for it: a partition may leave the plan and return."""

    copy: PartitionCopy
    gap: Gap


class GapLog:
    """Each gap closes its partition's barrier until it is written down."""

    def __init__(self) -> None:
        self.total = 0
        self._pending: list[PendingGap] = []
        self._unreported: list[Gap] = []

    def note(self, copy: PartitionCopy, gap: Gap) -> None:
        """A new gap: the position moves over it when it is written down."""
        copy.progress.note_gap(gap)
        copy.barrier.close()
        self._pending.append(PendingGap(copy, gap))
        self._unreported.append(gap)
        self.total += 1

    def take_pending(self) -> Sequence[PendingGap]:
        """Return the gaps to write down."""
        pending, self._pending = self._pending, []
        return pending

    def put_back(self, gaps: Sequence[PendingGap]) -> None:
        """They could not be written and are tried again, before newer ones."""
        self._pending = [*gaps, *self._pending]

    def forget_pending(self) -> None:
        """The start failed half way: the next one finds these gaps again."""
        pending, self._pending = self._pending, []
        for each in pending:
            self._unreported.remove(each.gap)
        self.total -= len(pending)

    def take_unreported(self) -> Sequence[Gap]:
        """Return the gaps since the last report."""
        gaps, self._unreported = self._unreported, []
        return gaps
