"""Judges one partition of a group as if the source were lost now, and only the target's topics were left."""

from collections.abc import Iterator

from replication.domain.groups.group_summary import GroupCause
from replication.domain.groups.judgement.group_partition import (
    ClusterNames,
    GroupPartitionFacts,
    all_causes,
    comes_again,
    is_plain,
)
from replication.domain.groups.readiness import cause


def causes_if_source_gone(facts: GroupPartitionFacts, names: ClusterNames) -> tuple[GroupCause, ...]:
    """Return the causes that are left if the source is lost now and the target's topics are all that is known."""
    is_caught_up = is_plain(facts) and rereads_if_source_gone(facts) == 0
    return () if is_caught_up else tuple(_causes_if_gone(facts, names))


def rereads_if_source_gone(facts: GroupPartitionFacts) -> int | None:
    """Return the most records that come again from the newest checkpoint, or the offset on the target if newer.

    Records that were not copied do not come any more. None if neither is known, or the place is not.
    """
    start = start_if_source_gone(facts)
    place = facts.translation
    if facts.commit is None or facts.remote is None:
        return 0
    if start is None:
        return None
    if place is None or place.kind == "impossible":
        return None
    if place.latest is not None:
        return max(0, place.latest - start)
    return None if place.downstream is None else max(0, place.downstream + (place.rereads or 0) - start)


def start_if_source_gone(facts: GroupPartitionFacts) -> int | None:
    """Return the downstream offset at which the group would start if the source is lost now."""
    on_target = facts.target_offset
    if facts.checkpoint is None:
        return on_target
    written = facts.checkpoint.downstream
    return written if on_target is None or on_target < written else on_target


def _causes_if_gone(facts: GroupPartitionFacts, names: ClusterNames) -> Iterator[GroupCause]:
    kept = ("not_replicated", "topic_recreated", "behind_retention", "not_copied", "ahead_on_target", "no_commit")
    yield from (each for each in all_causes(facts, names) if each.code in kept)
    if facts.remote is None or facts.commit is None or start_if_source_gone(facts) is None:
        if facts.remote is not None and facts.commit is not None:
            yield cause("no_evidence", at=facts.at, detail="no checkpoint has been written yet")
        return
    again = rereads_if_source_gone(facts)
    if again != 0:
        yield cause("bounded_only", at=facts.at, again=f"from the newest checkpoint, {comes_again(again)}")
