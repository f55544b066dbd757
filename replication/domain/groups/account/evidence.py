"""The evidence of how one source topic was copied, and the cuts around an offset by it."""

from dataclasses import dataclass

from replication.domain.groups.account.sync_slots import SyncSlots
from replication.domain.offsets.copied_log import TopicCopy, narrowed
from replication.domain.offsets.run_chain import Around, RunCut


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that is known of the copies of one topic id in one partition."""

    copy: TopicCopy | None  # by offset runs
    floor: int  # copies of former topics of the source end here in the remote log
    reached: RunCut | None  # by the position
    next_offset: int | None  # the position, also where its place on the target is unknown
    doubtful_from: int | None  # nothing is certain from here on in the remote log
    rewound_to: int | None  # what was copied from here on comes a second time
    syncs: SyncSlots | None

    @property
    def frontier(self) -> int:
        """The source offset up to which the flow has copied for certain."""
        found = [] if self.next_offset is None else [self.next_offset]
        if self.copy is not None:
            found += [chain.end.upstream for chain in (self.copy.newest, self.copy.older) if chain]
        if not found and self.syncs is not None:
            found.append(max(cut.upstream for cut in self.syncs) + 1)
        return max(found, default=0)

    def cuts_around(self, upstream: int) -> Around:
        """Return the nearest cuts by runs and the position."""
        if self.copy is None:
            return narrowed((None, None), self.reached, upstream)
        return self.copy.cuts_around(upstream, self.reached)

    def cuts_around_copy(self, downstream: int) -> Around:
        """Return the nearest cuts of an offset of the remote log."""
        low, high = (None, None) if self.copy is None else self.copy.cuts_around_copy(downstream)
        known = self.reached
        if known is not None and known.downstream <= downstream and (low is None or low.upstream < known.upstream):
            low = known if low is None or low.downstream < downstream else low
        if known is not None and known.downstream >= downstream and (high is None or known.upstream < high.upstream):
            high = known
        return low, high

    def narrowed_by_syncs(self, around: Around, upstream: int) -> Around:
        """Return closer cuts where offset syncs fit between those that are known.

        What is behind the position is copied again, or was of a former topic: no such sync is an upper bound.
        """
        for sync in self._credible_syncs():
            for cut in (sync, RunCut(sync.upstream + 1, sync.downstream + 1)):
                low, high = around
                is_above = low is None or (low.upstream <= cut.upstream and low.downstream <= cut.downstream)
                is_below = high is None or (cut.upstream <= high.upstream and cut.downstream <= high.downstream)
                if is_above and is_below:
                    is_passed = self.next_offset is not None and cut.upstream > self.next_offset
                    closer = narrowed(around, cut, upstream)
                    around = (closer[0], high) if is_passed else closer
        return around

    def _credible_syncs(self) -> list[RunCut]:
        """Return the syncs of the remote log of now: none lies behind the newest one."""
        if self.syncs is None or self.doubtful_from is not None:
            return []
        newest = next(iter(self.syncs))
        return [cut for cut in self.syncs if self.floor <= cut.downstream <= newest.downstream]
