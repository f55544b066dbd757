"""The account of a flow's copying as its topics tell it: offset runs, positions and offset syncs by partition."""

from dataclasses import replace

from replication.domain.groups.account.known_places import KnownPlaces
from replication.domain.groups.account.partition_account import PartitionAccount
from replication.domain.groups.account.skipped_ranges import SkippedRanges
from replication.domain.groups.account.sync_slots import BEHIND, SyncSlots
from replication.domain.groups.translation import LogRange, Translation, TranslationReason, impossible
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import RunSegment
from replication.domain.offsets.positions import Position

__all__ = ["BEHIND", "CopyAccount"]
_WITHOUT_COPY: frozenset[TranslationReason] = frozenset({"between_runs", "at_the_tip"})


class CopyAccount:
    """Takes the records of a flow's topics in the order they were written, and translates offsets with them.

    A translation is as true as the account is new: read the topics, then the ends of both logs, then translate.
    """

    def __init__(self) -> None:
        self._partitions: dict[TopicPartition, PartitionAccount] = {}
        self._skipped = SkippedRanges()
        self._topics: dict[str, str] = {}  # one text for each, as 100,000 partitions have few topics

    def __len__(self) -> int:
        return len(self._partitions)

    def __contains__(self, upstream: object) -> bool:
        """Return True if a record told about this partition."""
        return upstream in self._partitions

    def add_segment(self, key: bytes, segment: RunSegment | None) -> None:
        """Add the next record of the runs topic; None removes the segment of that key.

        A removed segment says nothing: its copies are deleted, which the start of the remote log says better.
        """
        del key
        if segment is not None:
            self._of(TopicPartition(segment.topic, segment.partition)).add_segment(segment)

    def add_position(self, upstream: TopicPartition, position: Position | None) -> None:
        """Add the next position of a partition; None where it was removed."""
        self._of(upstream).add_position(position)

    def add_sync(self, upstream: TopicPartition, upstream_offset: int, downstream_offset: int) -> None:
        """Add the next offset sync (MirrorMaker's, or ours)."""
        self._of(upstream).add_sync(upstream_offset, downstream_offset)

    def add_gap(self, gap: Gap) -> None:
        """Add the next gap record."""
        self._skipped.add(gap)

    def _of(self, upstream: TopicPartition) -> PartitionAccount:
        account = self._partitions.get(upstream)
        if account is None:
            topic = self._topics.setdefault(upstream.topic, upstream.topic)
            account = self._partitions[TopicPartition(topic, upstream.partition)] = PartitionAccount()
        return account

    def translate(
        self, upstream: TopicPartition, topic_id: bytes, offset: int, source: LogRange | None, remote: LogRange | None
    ) -> Translation:
        """Return the place of an upstream offset in the remote partition.

        `topic_id` is that of the source topic now; `source` is None while the source cannot be asked, `remote` None
        where the remote partition does not exist.
        """
        if remote is None:
            return impossible("remote_topic_missing")
        if source is not None and offset > source.end:
            return impossible("beyond_source_end")
        account = self._partitions.get(upstream)
        if account is None:
            return impossible("no_evidence")
        found = account.translate(topic_id, offset, source, remote)
        if not self._skipped or found.reason not in _WITHOUT_COPY:
            return found
        copied_from = self._end_of_skipped(account, upstream, topic_id, offset)
        is_lost = copied_from is not None and (source is None or source.start < copied_from)
        return replace(found, reason="in_gap", copied_from=copied_from) if is_lost else found

    def _end_of_skipped(
        self, account: PartitionAccount, upstream: TopicPartition, topic_id: bytes, offset: int
    ) -> int | None:
        """Return the next offset with a copy if the flow has skipped this one; None if it has not."""
        end = self._skipped.end_of(upstream, topic_id, offset)
        if end is None:
            return None
        behind = account.known_around(topic_id, offset + 1).behind
        return end if behind is None else min(end, behind.upstream)

    def translate_back(
        self, upstream: TopicPartition, topic_id: bytes, offset: int, source: LogRange | None, remote: LogRange | None
    ) -> Translation:
        """Return the place of a downstream offset in the upstream partition: the inverse of `translate`."""
        if remote is None:
            return impossible("remote_topic_missing")
        account = self._partitions.get(upstream)
        if account is None:
            return impossible("no_evidence")
        return account.translate_back(topic_id, offset, source, remote)

    def known_around(self, upstream: TopicPartition, topic_id: bytes, offset: int) -> KnownPlaces:
        """Return the places that runs, the position and offset syncs know next to an upstream offset."""
        account = self._partitions.get(upstream)
        return KnownPlaces() if account is None else account.known_around(topic_id, offset)

    def copies_from(self, upstream: TopicPartition, topic_id: bytes, downstream: int) -> int:
        """Return the offset of the remote log up to which, from this one, all records are copies that runs name."""
        account = self._partitions.get(upstream)
        return downstream if account is None else account.copies_from(topic_id, downstream)

    def originals_from(self, upstream: TopicPartition, topic_id: bytes, offset: int) -> int:
        """Return the source offset up to which, from this one, the flow has copied every record as runs name it."""
        account = self._partitions.get(upstream)
        return offset if account is None else account.originals_from(topic_id, offset)

    def same_topic_from(self, upstream: TopicPartition, topic_id: bytes) -> int | None:
        """Return the offset of the remote log behind which all copies are of this topic; None where no run tells."""
        account = self._partitions.get(upstream)
        return None if account is None else account.same_topic_from(topic_id)

    def mm2_downstream(self, upstream: TopicPartition, offset: int) -> int | None:
        """Return the place that MirrorMaker 2 computes from the offset syncs.

        BEHIND where it finds the offset before the oldest sync, None where the partition has no sync.
        """
        account = self._partitions.get(upstream)
        syncs: SyncSlots | None = None if account is None else account.syncs
        return None if syncs is None else syncs.translate(offset)
