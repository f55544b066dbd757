"""Facts about partitions of groups, with usual values."""

from typing import Any

from replication.domain.groups.consumer_group import Commit
from replication.domain.groups.judgement.group_partition import CheckpointPlace, ClusterNames, GroupPartitionFacts
from replication.domain.groups.translation import LogRange, Translation, TranslationKind, TranslationReason
from replication.domain.identifiers import TopicPartition

NAMES = ClusterNames(source="a", target="b")


def place(
    kind: TranslationKind = "exact",
    reason: TranslationReason = "inside_run",
    downstream: int | None = 50,
    *,
    latest: int | None = None,
    rereads: int | None = 0,
    copied_from: int | None = None,
) -> Translation:
    if kind == "impossible":
        return Translation(kind=kind, reason=reason, downstream=None, latest=None, rereads=None)
    return Translation(
        kind=kind, reason=reason, downstream=downstream, latest=latest, rereads=rereads, copied_from=copied_from
    )


def facts(**changes: Any) -> GroupPartitionFacts:
    """A partition whose group can continue exactly, at 50."""
    usual: dict[str, Any] = {
        "upstream": TopicPartition("t", 0),
        "remote": TopicPartition("a.t", 0),
        "commit": Commit(100),
        "translation": place(),
        "source": LogRange(start=0, end=120),
        "remote_log": LogRange(start=0, end=70),
        "checkpoint": CheckpointPlace(upstream=100, downstream=50, written_ms=1_000),
        "target_offset": 50,
    }
    return GroupPartitionFacts(**{**usual, **changes})
