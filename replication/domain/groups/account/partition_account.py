"""The account of one partition's copying: what offset runs, the newest position and offset syncs say together."""

from replication.domain.groups.account.evidence import Evidence
from replication.domain.groups.account.known_places import KnownPlaces
from replication.domain.groups.account.places import place_back, place_of
from replication.domain.groups.account.sync_slots import SyncSlots
from replication.domain.groups.translation import LogRange, Translation, exact, impossible
from replication.domain.offsets.copied_log import DISTRUSTED, CopiedLog, TopicCopy
from replication.domain.offsets.offset_run import RunSegment
from replication.domain.offsets.positions import NO_TOPIC_ID, Position, belongs_to
from replication.domain.offsets.run_chain import RunCut


class PartitionAccount:
    """Keeps the evidence, and asks for places with it. Runs count most, syncs where the others end."""

    __slots__ = (
        "_checked",
        "_copied_to",
        "_cut",
        "_doubtful_from",
        "_log",
        "_position",
        "_remote_id",
        "_rewound_to",
        "_truncated_to",
        "syncs",
    )

    def __init__(self) -> None:
        self._log = CopiedLog()
        self._position: Position | None = None
        self._checked: bytes | None = None  # the position was compared with the runs of this topic id
        self._copied_to = 0  # the remote log reached as far
        self._remote_id = NO_TOPIC_ID  # of the remote topic that was copied to
        self._cut: RunCut | None = None  # the position, where it fits to the runs
        self._doubtful_from: int | None = None  # the position contradicts the runs from here on in the remote log
        self._rewound_to: int | None = None  # the position is before what runs say was copied: it comes again
        self._truncated_to: int | None = None  # the remote log lost its end from here on, and no run begins there yet
        self.syncs: SyncSlots | None = None

    def add_segment(self, segment: RunSegment) -> None:
        """Add the next segment of offset runs."""
        lost_from = self._log.add(segment)
        if lost_from is not None and self._truncated_to is not None and lost_from <= self._truncated_to:
            self._truncated_to = None
        self._checked = None

    def add_position(self, position: Position | None) -> None:
        """Replace the position."""
        if position is not None and position.truncated_at is not None:
            known = position.truncated_at if self._truncated_to is None else self._truncated_to
            self._truncated_to = min(position.truncated_at, known)
        self._position = position
        self._checked = None

    def add_sync(self, upstream: int, downstream: int) -> None:
        """Add the next offset sync."""
        if self.syncs is None:
            self.syncs = SyncSlots(upstream, downstream)
        else:
            self.syncs.receive(upstream, downstream)

    def translate(self, topic_id: bytes, offset: int, source: LogRange | None, remote: LogRange) -> Translation:
        """Return the place of an upstream offset in the remote partition."""
        if self._checked != topic_id:
            self._compare(topic_id)
        copy = self._log.of(topic_id)
        if self._is_other(remote):
            return impossible("remote_truncated")
        if copy is not None and copy.older is None and self._doubtful_from is None and self._rewound_to is None:
            place = copy.newest.downstream_of(offset)
            if place is not None and place >= remote.start:
                return exact("inside_run", place)
            place = copy.newest.place_between(offset) if place is None else None
            if place is not None and place >= remote.start:
                return exact("between_runs", place)
            copy.forget_deleted(remote.start)
        evidence = self._evidence(topic_id, copy, remote)
        return evidence if isinstance(evidence, Translation) else place_of(evidence, offset, source, remote)

    def translate_back(self, topic_id: bytes, offset: int, source: LogRange | None, remote: LogRange) -> Translation:
        """Return the place of a downstream offset in the source partition."""
        if offset > remote.end:
            return impossible("beyond_remote_end")
        if self._checked != topic_id:
            self._compare(topic_id)
        copy = self._log.of(topic_id)
        if self._is_other(remote):
            return impossible("remote_truncated")
        evidence = self._evidence(topic_id, copy, remote)
        return evidence if isinstance(evidence, Translation) else place_back(evidence, offset, source)

    def known_around(self, topic_id: bytes, offset: int) -> KnownPlaces:
        """Return the places that are known next to an upstream offset."""
        if self._checked != topic_id:
            self._compare(topic_id)
        copy = self._log.of(topic_id)
        before, behind = (None, None) if copy is None else copy.cuts_around(offset, None)
        position = self._position
        reached = None
        if position is not None and belongs_to(position, topic_id) and position.downstream_next is not None:
            reached = RunCut(position.next_offset, position.downstream_next)
        sync = None if self.syncs is None else next((cut for cut in self.syncs if cut.upstream <= offset), None)
        return KnownPlaces(before=before, behind=behind, position=reached, sync=sync)

    def copies_from(self, topic_id: bytes, downstream: int) -> int:
        """Return the offset of the remote log up to which, from this one, all records are copies that runs name."""
        if self._checked != topic_id:
            self._compare(topic_id)
        copy = self._log.of(topic_id)
        return downstream if copy is None or self._doubtful_from is not None else copy.newest.copies_from(downstream)

    def originals_from(self, topic_id: bytes, upstream: int) -> int:
        """Return the source offset up to which, from this one, the flow has copied every record as runs name it."""
        copy = self._log.of(topic_id)
        return upstream if copy is None else copy.newest.originals_from(upstream)

    def same_topic_from(self, topic_id: bytes) -> int | None:
        """Return the offset of the remote log behind which all copies are of this topic, and their runs are known.

        None where no run tells. A place at it may also be the end of a former topic's copies, except 0.
        """
        if self._checked != topic_id:
            self._compare(topic_id)
        copy = self._log.of(topic_id)
        starts = [] if copy is None else [chain.start.downstream for chain in (copy.newest, copy.older) if chain]
        if not starts:
            return None
        position = self._position
        is_named = position is not None and position.topic_id != NO_TOPIC_ID
        of_position = self._log.of(position.topic_id) if is_named and position is not None else copy
        return max(min(starts), self._log.floor_of(copy), self._log.floor_of(of_position))

    def _compare(self, topic_id: bytes) -> None:
        """Take the newest runs from the position, and find out whether it and the other runs tell of one log.

        They are in two topics, so either may be newer. A position with copies of lower source offsets behind it shows
        that the log was truncated, or that copying was rewound since: nothing behind it is certain.
        """
        self._checked, self._cut, self._doubtful_from, self._rewound_to = topic_id, None, None, None
        position = self._position
        self._copied_to = max(self._log.downstream_end, _copied_to(position))
        self._remote_id = NO_TOPIC_ID if position is None else position.remote_topic_id
        if position is None or not belongs_to(position, topic_id):
            return
        has_runs = bool(position.runs) and position.truncated_at is None
        contradiction = self._log.extend(position.topic_id, position.runs) if has_runs else None
        if has_runs and contradiction is None and position.runs[0].downstream <= (self._truncated_to or 0):
            self._truncated_to = None  # the other runs are of the log of now
        self._copied_to = max(self._copied_to, self._log.downstream_end)
        copy = self._log.of(topic_id)
        next_offset, downstream = position.next_offset, position.downstream_next
        before = None if copy is None else copy.newest.end_of_copies_before(next_offset)
        behind = None if copy is None else copy.newest.start_of_copies_from(next_offset)
        doubtful = [contradiction, self._truncated_to]
        if downstream is not None and before is not None and downstream < before:
            doubtful.append(downstream)
        self._doubtful_from = min((each for each in doubtful if each is not None), default=None)
        if downstream is not None and (behind is None or downstream <= behind):
            self._cut = RunCut(next_offset, downstream) if self._doubtful_from is None else None
        elif behind is not None:
            self._rewound_to = next_offset
        if contradiction is not None:
            self._rewound_to = min(next_offset, position.runs[0].upstream)

    def _is_other(self, remote: LogRange) -> bool:
        """Return True when the remote log of now cannot be the one that was copied to."""
        if self._copied_to > remote.end:
            return True
        known, found = self._remote_id, remote.topic_id
        return known != found and NO_TOPIC_ID not in (known, found)

    def _evidence(self, topic_id: bytes, copy: TopicCopy | None, remote: LogRange) -> Evidence | Translation:
        """Return what is known of this topic, or that it is nothing."""
        position = self._position
        is_known = position is not None and belongs_to(position, topic_id)
        next_offset = position.next_offset if is_known and position is not None else None
        if copy is None and next_offset is None and (position is not None or self._log.downstream_end):
            return impossible("topic_recreated")
        reached = self._cut
        if reached is None and next_offset is not None and copy is None and remote.start == remote.end:
            reached = RunCut(next_offset, remote.end)  # nothing was ever copied
        if copy is None and reached is None and self.syncs is None:
            return impossible("no_evidence")
        syncs = self.syncs
        if syncs is not None and next(iter(syncs)).downstream > remote.end:
            if copy is None and reached is None:
                return impossible("remote_truncated")
            syncs = None  # they are of a log that was longer
        return Evidence(
            copy=copy,
            floor=self._log.floor_of(copy),
            reached=reached,
            next_offset=next_offset,
            doubtful_from=self._doubtful_from,
            rewound_to=self._rewound_to,
            syncs=syncs,
        )


def _copied_to(position: Position | None) -> int:
    if position is None:
        return 0
    if position.truncated_at is not None:
        return DISTRUSTED  # the flow has not dealt with it yet
    return position.downstream_next or 0
