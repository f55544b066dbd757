"""Decides which checkpoints must not be set on the target: those that the present translation disproves."""

from replication.domain.groups.judgement.group_partition import GroupPartitionFacts
from replication.domain.groups.translation import TranslationReason

# With these the logs are not those that the checkpoint was made for; missing evidence alone disproves nothing.
_DISPROVING: frozenset[TranslationReason] = frozenset(
    {"topic_recreated", "remote_topic_missing", "remote_truncated", "beyond_source_end", "beyond_remote_end"}
)


def checkpoint_obstacle(facts: GroupPartitionFacts) -> str:
    """Return why the partition's checkpoint must not be set; empty if it may, or if there is none."""
    place, checkpoint = facts.translation, facts.checkpoint
    if place is None or checkpoint is None:
        return ""
    if place.kind == "impossible":
        return place.text if place.reason in _DISPROVING else ""
    latest = place.downstream if place.latest is None else place.latest
    if latest is None or checkpoint.downstream <= latest:
        return ""
    return (
        f"the checkpoint {checkpoint.downstream} lies behind records that the group has not read, which begin at "
        f"{latest} or before: wait until the flow has written a new one"
    )
