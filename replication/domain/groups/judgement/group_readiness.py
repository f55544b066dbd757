"""Judges a group: its partitions, its state on both clusters, and the findings of its subscription and rights."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from replication.domain.groups.consumer_group import GroupDescription, GroupType
from replication.domain.groups.group_summary import GroupCause, IfSourceGone, Readiness
from replication.domain.groups.judgement.group_partition import (
    ClusterNames,
    GroupPartitionFacts,
    partition_causes,
    rereads_of,
)
from replication.domain.groups.judgement.if_source_gone import causes_if_source_gone, rereads_if_source_gone
from replication.domain.groups.judgement.unset_offsets import unset_cause
from replication.domain.groups.readiness import cause, most_important, readiness_of
from replication.domain.identifiers import TopicPartition

OLD_AFTER_ROUNDS = 3
LEAST_OLD_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFacts:
    """The knowledge of a group. `target` is None while it is not described there.

    `translated_ms` is the time of the last round that translated the group. `findings` are causes that others found:
    subscriptions, internal topics of Streams, rights, claims of another flow. `syncs_offsets`: group offset sync is on.
    `is_target_read`: the partitions have the group's offsets on the target. `record_bytes` is the average size of a
    record by remote partition, as far as it is known.
    """

    name: str
    type: GroupType
    partitions: Sequence[GroupPartitionFacts]
    target: GroupDescription | None = None
    translated_ms: int | None = None
    interval_ms: int = LEAST_OLD_MS
    is_source_reachable: bool = True
    is_deleted_at_source: bool = False
    findings: tuple[GroupCause, ...] = ()
    syncs_offsets: bool = True
    is_target_read: bool = False
    records_per_second: float | None = None  # that the group has read
    record_bytes: Mapping[TopicPartition, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReadiness:
    """The readiness of a group; counts are those of its partitions. `causes` are the most important ones.

    `reread_bytes` and `reread_ms` are estimates, None where sizes or the rate are not known.
    """

    readiness: Readiness
    causes: tuple[GroupCause, ...]
    partitions: int
    exact: int
    bounded: int
    impossible: int
    uncommitted: int
    lag: int | None
    rereads: int | None
    reread_bytes: int | None
    reread_ms: int | None
    checkpoint_ms: int | None
    if_source_gone: IfSourceGone


def group_readiness(facts: GroupFacts, names: ClusterNames, now_ms: int) -> GroupReadiness:
    """Return the readiness of the group now, and if the source is lost now."""
    own = tuple(_group_causes(facts, names, now_ms))
    unset = tuple(_unset_causes(facts, names))
    each_now = _of_partitions(facts, (partition_causes(part, names) for part in facts.partitions))
    causes = (*own, *facts.findings, *unset, *each_now)
    rereads = _sum(rereads_of(part) for part in facts.partitions)
    kinds = Counter(_kind(part) for part in facts.partitions)
    committed = [part for part in facts.partitions if part.commit is not None]
    written = [part.checkpoint.written_ms for part in facts.partitions if part.checkpoint is not None]
    return GroupReadiness(
        readiness=readiness_of(causes),
        causes=most_important(causes),
        partitions=len(facts.partitions),
        exact=kinds["exact"],
        bounded=kinds["bounded"],
        impossible=kinds["impossible"],
        uncommitted=len(facts.partitions) - len(committed),
        lag=_sum(part.lag for part in committed),
        rereads=rereads,
        reread_bytes=_bytes_again(facts, rereads),
        reread_ms=_ms_again(facts, rereads),
        checkpoint_ms=max(written, default=None),
        if_source_gone=_if_source_gone(facts, (*own, *unset), names),
    )


def _if_source_gone(facts: GroupFacts, own: Iterable[GroupCause], names: ClusterNames) -> IfSourceGone:
    kept = [each for each in (*own, *facts.findings) if each.code not in ("source_unreachable",)]
    found = _of_partitions(facts, (causes_if_source_gone(part, names) for part in facts.partitions))
    causes = (*kept, *found)
    return IfSourceGone(
        readiness=readiness_of(causes),
        rereads=_sum(rereads_if_source_gone(part) for part in facts.partitions),
        causes=most_important(causes),
    )


def _group_causes(facts: GroupFacts, names: ClusterNames, now_ms: int) -> Iterator[GroupCause]:
    if facts.type == "share":
        yield cause("share_group", target=names.target)
    target = facts.target
    if target is not None and target.members > 0:
        yield cause("active_on_target", target=names.target, members=target.members)
    if not facts.is_source_reachable:
        since = "the start of the task" if facts.translated_ms is None else f"{_ago(facts.translated_ms, now_ms)} ago"
        yield cause("source_unreachable", source=names.source, since=since)
    if facts.is_deleted_at_source:
        yield cause("group_deleted_at_source", source=names.source, target=names.target)
    oldest = now_ms - max(OLD_AFTER_ROUNDS * facts.interval_ms, LEAST_OLD_MS)
    if facts.is_source_reachable and facts.translated_ms is not None and facts.translated_ms < oldest:
        age = _ago(facts.translated_ms, now_ms)
        yield cause("checkpoint_old", age=age, interval=f"{facts.interval_ms / 1000:g} s")


def _unset_causes(facts: GroupFacts, names: ClusterNames) -> Iterator[GroupCause]:
    if facts.syncs_offsets or not facts.is_target_read or facts.is_deleted_at_source:
        return
    yield from (found for part in facts.partitions if (found := unset_cause(part, names)) is not None)


def _of_partitions(facts: GroupFacts, causes: Iterable[tuple[GroupCause, ...]]) -> tuple[GroupCause, ...]:
    """A group that was deleted has no offsets anywhere, which is one cause and not one per partition."""
    return tuple(
        each for found in causes for each in found if not (facts.is_deleted_at_source and each.code == "no_commit")
    )


def _kind(part: GroupPartitionFacts) -> str:
    if part.commit is None:
        return "uncommitted"
    return "impossible" if part.remote is None or part.translation is None else part.translation.kind


def _sum(numbers: Iterable[int | None]) -> int | None:
    """None if one of them is unknown."""
    total = 0
    for each in numbers:
        if each is None:
            return None
        total += each
    return total


def _bytes_again(facts: GroupFacts, rereads: int | None) -> int | None:
    """Partitions without records to read again cost nothing, also if their size is not known."""
    if rereads is None or rereads == 0:
        return rereads
    total = 0.0
    for part in facts.partitions:
        again = rereads_of(part)
        each = None if part.remote is None else facts.record_bytes.get(part.remote)
        if again is None or (again > 0 and each is None):
            return None
        total += again * (each or 0.0)
    return round(total)


def _ms_again(facts: GroupFacts, rereads: int | None) -> int | None:
    if rereads is None or rereads == 0:
        return rereads
    return None if not facts.records_per_second else round(rereads * 1_000 / facts.records_per_second)


def _ago(then_ms: int, now_ms: int) -> str:
    return f"{max(0, now_ms - then_ms) // 1000} s"
