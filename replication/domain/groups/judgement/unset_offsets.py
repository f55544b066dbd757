"""Finds the partitions of a group that would not start at its place, because group offset sync is off."""

from replication.domain.groups.group_summary import GroupCause, Readiness
from replication.domain.groups.judgement.group_partition import ClusterNames, GroupPartitionFacts, counted
from replication.domain.groups.readiness import cause
from replication.domain.settings.registry.consumer_groups import SYNC_GROUP_OFFSETS


def unset_cause(facts: GroupPartitionFacts, names: ClusterNames) -> GroupCause | None:
    """Return the cause of a partition whose offset on the target is missing or before the group's place.

    None if the offset is set, or if the group has no place there. The group's offsets on the target must be known.
    """
    place = facts.translation
    if facts.commit is None or facts.remote is None or place is None or place.downstream is None:
        return None
    offset = facts.target_offset
    if offset is None:
        detail = f"the group has no offset on {names.target}: the consumers' auto.offset.reset decides where they start"
        return _cause(facts, names, detail)
    if offset >= place.downstream:
        return None
    behind = counted(place.downstream - offset, "offset")
    detail = f"the offset on {names.target} ({offset}) is {behind} before the group's place ({place.downstream})"
    return _cause(facts, names, detail, readiness="approximate")


def _cause(
    facts: GroupPartitionFacts, names: ClusterNames, detail: str, *, readiness: Readiness | None = None
) -> GroupCause:
    setting = SYNC_GROUP_OFFSETS.key
    texts = {"detail": detail, "target": names.target, "setting": setting}
    return cause("not_set_on_target", at=facts.at, readiness=readiness, **texts)
