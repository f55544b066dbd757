"""Judges one partition of a group: may the group continue there on the target, and how many records come again."""

from collections.abc import Iterator
from dataclasses import dataclass

from replication.domain.groups.consumer_group import Commit
from replication.domain.groups.group_summary import GroupCause
from replication.domain.groups.readiness import cause
from replication.domain.groups.translation import LogRange, Translation, TranslationReason, UncopiedRange
from replication.domain.identifiers import TopicPartition

_USUAL: frozenset[TranslationReason] = frozenset({"inside_run", "between_runs", "at_the_tip"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointPlace:
    """The newest checkpoint of a group and partition: the offsets on both sides, and when it was written."""

    upstream: int
    downstream: int
    written_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPartitionFacts:
    """The knowledge of one partition of a group. `remote` is None where the flow does not copy the topic.

    `commit` is None where the group has none, or the source does not answer. `source` and `remote_log` are None where
    the log cannot be asked. `target_offset` is the offset that the group has committed on the target.
    """

    upstream: TopicPartition
    remote: TopicPartition | None
    commit: Commit | None
    translation: Translation | None = None
    source: LogRange | None = None
    remote_log: LogRange | None = None
    checkpoint: CheckpointPlace | None = None
    target_offset: int | None = None
    absence: str = "the flow does not copy the topic"  # used if `remote` is None

    @property
    def at(self) -> tuple[str, int]:
        return self.upstream.topic, self.upstream.partition

    @property
    def lag(self) -> int | None:
        """The records of the source that the group has not read; None where one of the two ends is unknown."""
        if self.commit is None or self.source is None:
            return None
        return max(0, self.source.end - max(self.commit.offset, self.source.start))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterNames:
    """The aliases of a flow, for the texts of causes."""

    source: str
    target: str


def partition_causes(facts: GroupPartitionFacts, names: ClusterNames) -> tuple[GroupCause, ...]:
    """Return why the group cannot simply continue in the remote partition; none if it can, exactly."""
    return () if is_plain(facts) else tuple(all_causes(facts, names))


def rereads_of(facts: GroupPartitionFacts) -> int | None:
    """Return the most records that the group reads again if it continues at its place; None if that is unknown."""
    if facts.commit is None or facts.remote is None:
        return 0
    place = facts.translation
    return None if place is None or place.kind == "impossible" else place.rereads


def is_plain(facts: GroupPartitionFacts) -> bool:
    """Return True for the usual case, which 100,000 partitions are in: an exact place and nothing beyond it."""
    place = facts.translation
    if place is None or place.kind != "exact" or place.reason not in _USUAL or place.rereads or facts.commit is None:
        return False
    ahead = facts.target_offset is not None and place.downstream is not None and facts.target_offset > place.downstream
    return facts.remote is not None and not ahead


def all_causes(facts: GroupPartitionFacts, names: ClusterNames) -> Iterator[GroupCause]:
    """Yield the causes of a partition that is not plain."""
    if facts.remote is None:
        yield cause("not_replicated", at=facts.at, target=names.target, reason=facts.absence)
        return
    if facts.commit is None:
        if not _is_empty(facts.source):
            yield cause("no_commit", at=facts.at)
        return
    place = facts.translation
    if place is None:
        yield cause("no_evidence", at=facts.at, detail="it has not been translated yet")
        return
    yield from _place_causes(facts, place, names)
    ahead = records_ahead(facts)
    if ahead:
        yield cause(
            "ahead_on_target",
            at=facts.at,
            target=names.target,
            target_offset=facts.target_offset,
            ahead=counted(ahead, "offset"),
            place=place.downstream,
        )


def _place_causes(facts: GroupPartitionFacts, place: Translation, names: ClusterNames) -> Iterator[GroupCause]:
    match place.reason:
        case "remote_topic_missing":
            reason = f"{facts.remote} does not exist"
            yield cause("not_replicated", at=facts.at, target=names.target, reason=reason)
        case "remote_unavailable":
            detail = f"{facts.remote} has no leader on {names.target} that answers"
            yield cause("no_evidence", at=facts.at, detail=detail)
        case "topic_recreated":
            yield cause("topic_recreated", at=facts.at, source=names.source)
        case "beyond_source_end":
            end = "unknown" if facts.source is None else facts.source.end
            committed = None if facts.commit is None else facts.commit.offset
            yield cause("commit_out_of_range", at=facts.at, source=names.source, committed=committed, end=end)
        case "below_remote_start" | "before_source_start":
            yield _behind_retention(facts, place, names)
        case "in_gap":
            yield _not_copied(facts, place, names)
        case "copy_behind":
            detail = f"the group has read records that are not copied yet; {comes_again(place.rereads)}"
            yield cause("copy_behind", at=facts.at, detail=detail)
        case "remote_truncated":
            detail = f"the remote log on {names.target} lost copies, and the flow has not compared it yet"
            yield cause("no_evidence", at=facts.at, detail=detail)
        case _:
            yield from _other_causes(facts, place)


def _other_causes(facts: GroupPartitionFacts, place: Translation) -> Iterator[GroupCause]:
    """Yield the cause of a place whose reason alone is none."""
    if place.kind == "bounded":
        yield cause("bounded_only", at=facts.at, again=comes_again(place.rereads))
    elif place.kind == "impossible":
        detail = "neither offset runs nor offset syncs tell where the group's place is"
        yield cause("no_evidence", at=facts.at, detail=detail)
    elif place.rereads:
        yield cause("read_records_follow", at=facts.at, again=comes_again(place.rereads))


def _not_copied(facts: GroupPartitionFacts, place: Translation, names: ClusterNames) -> GroupCause:
    missing = uncopied_range(facts)
    return cause(
        "not_copied",
        at=facts.at,
        records="unread records have" if missing is None else missing.text,
        source=names.source,
        target=names.target,
        place=place.downstream,
    )


def uncopied_range(facts: GroupPartitionFacts) -> UncopiedRange | None:
    """Return the unread records without a copy: the flow began after them, or the target deleted their copies.

    None without such records.
    """
    place = facts.translation
    if place is None or place.reason not in ("in_gap", "below_remote_start") or facts.commit is None:
        return None
    return UncopiedRange(first=facts.commit.offset, following=place.copied_from)


def _behind_retention(facts: GroupPartitionFacts, place: Translation, names: ClusterNames) -> GroupCause:
    """Unread records are gone. The group loses more by moving only if the source still has what the target has not."""
    is_gone_at_source = place.reason == "before_source_start"
    side = names.source if is_gone_at_source else names.target
    advice = (
        f"the group continues at the first record that is left, as it would on {names.source}"
        if is_gone_at_source
        else f"let the group read these records on {names.source} first, and give the remote topic a longer retention"
    )
    return cause(
        "behind_retention",
        at=facts.at,
        readiness="approximate" if is_gone_at_source else "blocked",
        detail=f"records that the group has not read were removed on {side}",
        advice=advice,
    )


def records_ahead(facts: GroupPartitionFacts) -> int:
    """Return how far the offset on the target is beyond the group's place; 0 if it is not."""
    place = facts.translation
    if facts.target_offset is None or place is None or place.downstream is None:
        return 0
    latest = place.downstream if place.latest is None else place.latest
    return max(0, facts.target_offset - latest)


def counted(number: int, noun: str) -> str:
    """Return `1 record`, `2,000 records`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def comes_again(rereads: int | None) -> str:
    """Return in words how many records come again."""
    if rereads is None:
        return "an unknown number of records comes again"
    if rereads == 0:
        return "no record comes again"
    return f"at most {counted(rereads, 'record')} come{'s' if rereads == 1 else ''} again"


def _is_empty(log: LogRange | None) -> bool:
    return log is not None and log.start == log.end
