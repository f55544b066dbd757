"""Translates the commits of one round: what is known of each partition of a group, and the checkpoints to write."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from replication.domain.groups.checkpoint_rule import is_newer_checkpoint
from replication.domain.groups.consumer_group import Commit, Commits
from replication.domain.groups.copy_account import CopyAccount
from replication.domain.groups.judgement.group_partition import CheckpointPlace, GroupPartitionFacts, uncopied_range
from replication.domain.groups.sync.checkpoint_obstacle import checkpoint_obstacle
from replication.domain.groups.sync.group_sync import GroupPlace
from replication.domain.groups.translation import LogRange, Translation, bounded, impossible
from replication.domain.groups.two_way import both_ways, past_copies, past_originals
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.domain.plan.plan_document import PlanTopic
from replication.tasks.groups.log_ranges import Ranges
from replication.tasks.groups.topic_places import TopicPlaces

Checkpoints = Mapping[TopicPartition, CheckpointPlace]  # of one group, by remote partition
NO_OFFSETS: Mapping[TopicPartition, int] = MappingProxyType({})

Closer = Callable[[TopicPartition, TopicPartition, int, Translation], Translation]  # upstream, remote, offset, bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCheckpoint:
    """A checkpoint to write. `is_rewound`: the group was set back on the source."""

    group: str
    remote: TopicPartition
    place: CheckpointPlace
    metadata: str
    is_rewound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    """All that a round has read; the logs of the source are empty while it does not answer."""

    places: TopicPlaces
    account: CopyAccount
    source: Ranges
    remote: Ranges
    now_ms: int
    unavailable: frozenset[TopicPartition] = frozenset()  # remote partitions that exist and do not answer
    closer: Closer | None = None  # narrows the bounds of places that are not exact
    reverse: CopyAccount | None = None  # of the flow the other way, for names that stay as they are and for originals
    is_reverse_read: bool = True

    def evaluate(
        self,
        group: str,
        commits: Commits,
        checkpoints: Checkpoints,
        *,
        writes: bool = True,
        partitions: Sequence[TopicPartition] | None = None,
        on_target: Mapping[TopicPartition, int] = NO_OFFSETS,
    ) -> tuple[list[GroupPartitionFacts], list[NewCheckpoint]]:
        """Return what is known of each partition that concerns the group, and the checkpoints to write.

        The facts name the new checkpoints already. Without `writes` there are none. `partitions` are those of
        `partitions_of` if the caller has them; `on_target` are the last known offsets there.
        """
        facts: list[GroupPartitionFacts] = []
        written: list[NewCheckpoint] = []
        for upstream in partitions_of(commits, self.places) if partitions is None else partitions:
            commit, remote = commits.get(upstream), self.places.remote(upstream)
            if remote is None:
                facts.append(self._not_copied(upstream, commit))
                continue
            last, source, there = checkpoints.get(remote), self.source.get(upstream), self.remote.get(remote)
            place = None if commit is None else self._place(upstream, remote, commit.offset, source, there)
            new = _new_checkpoint(group, remote, commit, place, last, self.now_ms) if writes else None
            if new is not None:
                written.append(new)
            facts.append(
                GroupPartitionFacts(
                    upstream=upstream,
                    remote=remote,
                    commit=commit,
                    translation=place,
                    source=source,
                    remote_log=there,
                    checkpoint=last if new is None else new.place,
                    target_offset=on_target.get(remote),
                )
            )
        return facts, written

    def _not_copied(self, upstream: TopicPartition, commit: Commit | None) -> GroupPartitionFacts:
        return GroupPartitionFacts(
            upstream=upstream,
            remote=None,
            commit=commit,
            source=self.source.get(upstream),
            absence=self.places.absence(upstream),
        )

    def translate(self, upstream: TopicPartition, remote: TopicPartition, offset: int) -> Translation:
        """Return the place of an upstream offset in the remote partition."""
        return self._place(upstream, remote, offset, self.source.get(upstream), self.remote.get(remote))

    def _place(
        self,
        upstream: TopicPartition,
        remote: TopicPartition,
        offset: int,
        source: LogRange | None,
        there: LogRange | None,
    ) -> Translation:
        topic = self.places.topics.get(upstream.topic)
        if there is None and remote in self.unavailable:
            return impossible("remote_unavailable")
        if topic is None:
            return self._original(upstream, remote, offset)
        topic_id = _present_id(topic, source)
        found = self.account.translate(upstream, topic_id, offset, source, there)
        if remote.topic == upstream.topic:
            if not self.is_reverse_read:
                return impossible("no_evidence")
            if self.reverse is not None and remote in self.reverse and there is not None:
                copies = past_originals(found, self.reverse, remote, there.topic_id)
                own = past_copies(self._back(self.reverse, upstream, offset), self.account, upstream, topic_id)
                return both_ways(copies, own)
            if there is not None and self.places.is_shared(upstream.topic):
                return self._before_local_records(found, upstream, topic_id, there)
        is_left = found.kind == "bounded" and self.closer is not None and upstream in self.source
        return self.closer(upstream, remote, offset, found) if is_left and self.closer is not None else found

    def _before_local_records(
        self, found: Translation, upstream: TopicPartition, topic_id: bytes, there: LogRange
    ) -> Translation:
        """Return the place while the flow the other way has told nothing of the partition.

        The group can have read no record of the target's own, and the first one may be where no copy is known.
        """
        copies_end = self.account.copies_from(upstream, topic_id, there.start)
        latest = found.downstream if found.latest is None else found.latest
        if latest is None or latest <= copies_end:
            return found
        return both_ways(found, bounded("not_returned", copies_end, there.end, 0))

    def translate_back(self, upstream: TopicPartition, remote: TopicPartition, offset: int) -> Translation:
        """Return the place of a downstream offset in the upstream partition."""
        topic = self.places.topics.get(upstream.topic)
        if topic is None:
            return self._forth(remote, upstream, offset)
        source, there = self.source.get(upstream), self.remote.get(remote)
        if there is None and remote in self.unavailable:
            return impossible("remote_unavailable")
        topic_id = _present_id(topic, source)
        found = self.account.translate_back(upstream, topic_id, offset, source, there)
        if remote.topic == upstream.topic:
            if not self.is_reverse_read:
                return impossible("no_evidence")
            if self.reverse is not None and remote in self.reverse and there is not None:
                own = past_copies(found, self.reverse, remote, there.topic_id)
                copies = past_originals(self._forth(remote, upstream, offset), self.account, upstream, topic_id)
                return both_ways(own, copies)
        return found

    def _forth(self, original: TopicPartition, copy: TopicPartition, offset: int) -> Translation:
        """Return the place in the source's copy of an offset of its original on the target."""
        copied_to, there = self.source.get(copy), self.remote.get(original)
        if there is None:
            return impossible("remote_topic_missing")
        if self.reverse is None or not self.is_reverse_read or copied_to is None:
            return impossible("no_evidence")
        return self.reverse.translate(original, there.topic_id, offset, there, copied_to)

    def _original(self, copy: TopicPartition, original: TopicPartition, offset: int) -> Translation:
        """Return the place in the original of an offset of its copy on the source."""
        copied_to, there = self.source.get(copy), self.remote.get(original)
        if there is None:
            return impossible("remote_topic_missing")
        if self.reverse is None or not self.is_reverse_read or copied_to is None:
            return impossible("no_evidence")
        return self.reverse.translate_back(original, there.topic_id, offset, there, copied_to)

    def _back(self, reverse: CopyAccount, shared: TopicPartition, offset: int) -> Translation:
        """Return the place by the flow that brings the target's records into the shared topic of the source."""
        here, there = self.source.get(shared), self.remote.get(shared)
        if here is None or there is None:
            return impossible("no_evidence")
        return reverse.translate_back(shared, there.topic_id, offset, there, here)


def _present_id(topic: PlanTopic, source: LogRange | None) -> bytes:
    """Return the id of the source topic now: the plan is older than the logs, and the topic may be re-created since."""
    return topic.topic_id if source is None or source.topic_id == NO_TOPIC_ID else source.topic_id


def partitions_of(commits: Collection[TopicPartition], places: TopicPlaces) -> list[TopicPartition]:
    """Return the partitions with a commit that concern the flow, and the other copied ones of the same topics."""
    names = {topic for topic in {each.topic for each in commits} if places.concerns(topic)}
    found = {each for each in commits if each.topic in names}
    for name in names:
        topic = places.topics.get(name)
        if topic is not None:
            found.update(TopicPartition(name, number) for number in range(topic.partitions))
    return sorted(found)


def _new_checkpoint(
    group: str,
    remote: TopicPartition,
    commit: Commit | None,
    place: Translation | None,
    last: CheckpointPlace | None,
    now_ms: int,
) -> NewCheckpoint | None:
    """Return the checkpoint to write: by MirrorMaker's rule, or to correct one that is proven wrong."""
    if commit is None or place is None or place.downstream is None:
        return None
    is_newer = is_newer_checkpoint(last, commit.offset, place.downstream)
    if not is_newer and not _is_disproved(last, place.downstream if place.latest is None else place.latest):
        return None
    return NewCheckpoint(
        group=group,
        remote=remote,
        place=CheckpointPlace(upstream=commit.offset, downstream=place.downstream, written_ms=now_ms),
        metadata=commit.metadata,
        is_rewound=last is not None and commit.offset < last.upstream,
    )


def _is_disproved(last: CheckpointPlace | None, latest: int) -> bool:
    """Return True when the checkpoint lies behind unread records, as after the remote topic was re-created."""
    return last is not None and last.downstream > latest


def sync_places(
    facts: Collection[GroupPartitionFacts], rewound: Collection[TopicPartition]
) -> dict[TopicPartition, GroupPlace]:
    """Return the places of a group that may be set on the target, by remote partition: its newest checkpoints.

    A checkpoint that the present translation disproves is left out.
    """
    return {
        each.remote: GroupPlace(
            upstream=each.upstream,
            downstream=each.checkpoint.downstream,
            metadata=each.commit.metadata,
            rereads=_rereads(each, each.checkpoint.downstream),
            is_rewound=each.remote in rewound,
            uncopied=uncopied_range(each),
        )
        for each in facts
        if each.remote is not None
        and each.checkpoint is not None
        and each.commit is not None
        and not checkpoint_obstacle(each)
    }


def _rereads(facts: GroupPartitionFacts, start: int) -> int | None:
    """Return the most records that come again from there."""
    place = facts.translation
    if place is None or place.downstream is None or place.rereads is None:
        return None
    return max(0, place.rereads + place.downstream - start)
