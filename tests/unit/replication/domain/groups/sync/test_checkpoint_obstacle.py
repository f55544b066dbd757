"""Checkpoints that the present translation disproves are not set on the target."""

from typing import get_args

import pytest

from replication.domain.groups.consumer_group import Commit
from replication.domain.groups.judgement.group_partition import CheckpointPlace, GroupPartitionFacts
from replication.domain.groups.sync.checkpoint_obstacle import checkpoint_obstacle
from replication.domain.groups.translation import Translation, TranslationReason, bounded, exact, impossible
from replication.domain.identifiers import TopicPartition

DISPROVING = {"topic_recreated", "remote_topic_missing", "remote_truncated", "beyond_source_end", "beyond_remote_end"}


def facts(place: Translation | None, checkpoint: int | None = 65) -> GroupPartitionFacts:
    return GroupPartitionFacts(
        upstream=TopicPartition("orders", 0),
        remote=TopicPartition("east.orders", 0),
        commit=Commit(60),
        translation=place,
        checkpoint=None if checkpoint is None else CheckpointPlace(upstream=60, downstream=checkpoint, written_ms=1),
    )


@pytest.mark.parametrize("reason", get_args(TranslationReason))
def test_an_impossible_translation_stops_the_checkpoint_if_the_logs_are_others(reason: TranslationReason) -> None:
    found = checkpoint_obstacle(facts(impossible(reason)))

    assert bool(found) == (reason in DISPROVING)
    assert found in ("", impossible(reason).text)


@pytest.mark.parametrize(
    ("place", "is_stopped"),
    [
        (exact("inside_run", 65), False),
        (exact("inside_run", 64), True),
        (bounded("sync_only", 10, 65, None), False),
        (bounded("sync_only", 10, 64, None), True),
        (None, False),
    ],
)
def test_a_checkpoint_behind_the_upper_bound_passes_unread_records(place: Translation | None, is_stopped: bool) -> None:
    assert bool(checkpoint_obstacle(facts(place))) == is_stopped


def test_without_a_checkpoint_nothing_stands_in_the_way() -> None:
    assert checkpoint_obstacle(facts(impossible("remote_truncated"), checkpoint=None)) == ""
